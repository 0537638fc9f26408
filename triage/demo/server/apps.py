"""A GitHub App: where it is installed, and tokens for that. Asked with the App's own signed proof, not with a token."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from triage.demo.server.addresses import LONG_AGO, number_of, user
from triage.demo.server.routing import Place, Request, Response, Route, failure, missing, route

SLUG = "triage"
NAMES = frozenset({"installation", "installation token"})


def installation(place: Place, request: Request, **_: str) -> Response:
    number, repo = place.world.installation, place.world.repository.name
    if not _is_proof(request):
        return failure(401, "A JSON web token could not be decoded")
    if not number:
        return missing()
    owner = user(request.base, repo.partition("/")[0])
    shown = {
        "id": number,
        "app_id": number_of(SLUG),
        "app_slug": SLUG,
        "account": owner,
        "target_id": owner["id"],
        "target_type": "Organization",
        "repository_selection": "selected",
        "access_tokens_url": f"{request.base}/app/installations/{number}/access_tokens",
        "repositories_url": f"{request.base}/installation/repositories",
        "html_url": f"{request.base}/settings/installations/{number}",
        "permissions": {"actions": "read", "pull_requests": "write"},
        "events": [],
        "single_file_name": None,
        "suspended_by": None,
        "suspended_at": None,
        "created_at": LONG_AGO,
        "updated_at": LONG_AGO,
    }
    return Response(200, shown)


def installation_token(place: Place, request: Request, installation_id: str, **_: str) -> Response:
    if not _is_proof(request):
        return failure(401, "A JSON web token could not be decoded")
    if installation_id != str(place.world.installation):
        return missing()
    expires = (datetime.now(UTC) + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Response(201, {"token": place.world.token, "expires_at": expires})


def _is_proof(request: Request) -> bool:
    """Three parts, as a JSON web token has them; whose key signed it is beyond this server."""
    kind, _, proof = request.headers.get("authorization", "").partition(" ")
    return kind.lower() == "bearer" and proof.count(".") == 2


ROUTES: tuple[Route, ...] = (
    route("installation", "GET", "/repos/{owner}/{repo}/installation", installation),
    route("installation token", "POST", "/app/installations/{installation_id}/access_tokens", installation_token),
)
