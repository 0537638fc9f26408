"""What to do after an answer that refuses something, by whose token it was that was refused. Pure.

`source` is where the token comes from, as `Credentials.source` says it; "" is no token at all.
"""

from __future__ import annotations

OF_GH = "gh auth token"
_APP = "GitHub App"


def refused_token(source: str) -> str:
    """After a 401."""
    if not source:
        return "Set GH_TOKEN: it answers nobody without a token."
    if source.startswith(_APP):
        return f"Check the key of {source} and its installation."
    again = {OF_GH: "run `gh auth login`", "--token": "give another one with --token"}.get(source, f"set {source} anew")
    return f"The token from {source} is wrong, expired or revoked: {again}."


def missing_permission(source: str, permissions: str, scopes: str, sso: bool) -> str:
    """After a 403 of permissions; what GitHub says that it needs, where it says so."""
    if not source:
        return "Set GH_TOKEN: anonymous requests may not do this."
    token = source if source.startswith(_APP) else f"The token from {source}"
    if sso:
        return f"{token} is not authorised for the organization: in the list of your tokens, choose Configure SSO."
    if permissions:
        return f"{token} needs: {permissions}. Add it, or use another token."
    if scopes:
        return f"{token} needs one of the scopes: {scopes}. Add it, or use another token."
    return f"{token} lacks a permission (a run needs `actions: read`): add it, or use another token."


def not_found(what: str, source: str) -> str:
    """After a 404 for `what`: only what it names can be wrong, or hidden from this token."""
    named = what.rpartition(" of ")[0] or what
    suspects = "the workflow's name and --repo" if "workflow " in named else "--repo"
    if any(word.isdecimal() for word in named.split()):
        suspects = f"the number and {suspects}"
    if not source:
        return f"Check {suspects}; private repositories need a token (GH_TOKEN)."
    return f"Check {suspects}; a private repository that the token from {source} may not see gets the same answer."
