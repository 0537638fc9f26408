TAG=$1
VERSION=${TAG#v}
PATCH=$(echo "$VERSION" | cut -d. -f3)
NEXT=$((PATCH + 1))
echo "$NEXT"
