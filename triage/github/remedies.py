"""What to do after an answer that refuses something, by whose token it was that was refused. Pure.

`source` is where the token comes from, as `Credentials.source` says it; "" is no token at all.
"""

from __future__ import annotations

# The permission that a write takes, by what its address holds.
_WRITES = (
    ("/issues", "issues: write` or `pull-requests: write"),
    ("/pulls", "pull-requests: write"),
    ("/git/", "contents: write"),
    ("/check-runs", "checks: write"),
    ("/actions/", "actions: write"),
)
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


def of_writing(url: str) -> str:
    """The permission that a write to this address takes; "" where none is known."""
    return next((needed for part, needed in _WRITES if part in url), "")


def missing_permission(source: str, permissions: str, scopes: str, sso: bool, writing: str = "") -> str:
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
    needed = f"this takes `{writing}`" if writing else "a run needs `actions: read`"
    return f"{token} lacks a permission ({needed}): add it, or use another token."


def not_found(what: str, source: str, writing: str = "") -> str:
    """After a 404 for `what`: only what it names can be wrong, or hidden from this token, or not for it to write."""
    if writing and source:
        return f"Check --repo; the token from {source} gets the same answer where it lacks `{writing}`."
    named = what.rpartition(" of ")[0] or what
    suspects = "the workflow's name and --repo" if "workflow " in named else "--repo"
    if any(word.isdecimal() for word in named.split()):
        suspects = f"the number and {suspects}"
    if not source:
        return f"Check {suspects}; private repositories need a token (GH_TOKEN)."
    return f"Check {suspects}; a private repository that the token from {source} may not see gets the same answer."


def not_accepted(status: int, said: str, writing: str) -> str:
    """After any other refusal: of a write, GitHub's own words say more than we know."""
    if writing and status == 409:
        return "Was it changed by somebody meanwhile? Run the command again."
    if writing and said:
        return "Its words say why; `triage doctor` says what the token may do."
    return "Check the number, --repo and --api-url; `triage doctor` checks what can be reached."
