"""Issues that clients open and edit."""

from __future__ import annotations

from triage.demo.server.addresses import LONG_AGO, Json, node_id, number_of, user
from triage.demo.server.routing import Place, Request, Response, Route, invalid, missing, paged, route
from triage.demo.server.world import Issue, World


def list_issues(place: Place, request: Request, **_: str) -> Response:
    creator, state = request.query.get("creator"), request.query.get("state", "open")
    found = [one for one in place.world.issues if creator in (None, one.author) and state in ("all", one.state)]
    newest_first = request.query.get("direction", "desc") == "desc"
    found.sort(key=lambda one: one.number, reverse=newest_first)
    return paged(request, found, lambda one: _payload(request.base, place.world, one))


def open_issue(place: Place, request: Request, **_: str) -> Response:
    world, asked = place.world, request.json()
    if not asked.get("title"):
        return invalid("title can't be blank")
    taken = [one.number for one in world.issues] + [pull.number for pull in world.pulls]
    made = Issue(max(taken, default=0) + 1, str(asked["title"]), str(asked.get("body", "")), world.viewer)
    world.issues.append(made)
    return Response(201, _payload(request.base, world, made))


def edit_issue(place: Place, request: Request, issue_number: str, **_: str) -> Response:
    found = next((one for one in place.world.issues if str(one.number) == issue_number), None)
    if found is None:
        return missing()
    asked = request.json()
    for name in ("title", "body", "state"):
        setattr(found, name, str(asked.get(name, getattr(found, name))))
    return Response(200, _payload(request.base, place.world, found))


def _payload(base: str, world: World, source: Issue) -> Json:
    own = f"{base}/repos/{world.repository.name}/issues/{source.number}"
    return {
        "id": number_of(own),
        "node_id": node_id("Issue", source.number),
        "number": source.number,
        "title": source.title,
        "body": source.body,
        "state": source.state,
        "user": user(base, source.author),
        "labels": [],
        "assignee": None,
        "milestone": None,
        "locked": False,
        "comments": 0,
        "closed_at": None,
        "created_at": LONG_AGO,
        "updated_at": LONG_AGO,
        "author_association": "NONE",
        "url": own,
        "html_url": f"{base}/{world.repository.name}/issues/{source.number}",
        "repository_url": f"{base}/repos/{world.repository.name}",
        "labels_url": f"{own}/labels{{/name}}",
        "comments_url": f"{own}/comments",
        "events_url": f"{own}/events",
    }


_ISSUES = "/repos/{owner}/{repo}/issues"
ROUTES: tuple[Route, ...] = (
    route("list issues", "GET", _ISSUES, list_issues),
    route("open issue", "POST", _ISSUES, open_issue),
    route("edit issue", "PATCH", f"{_ISSUES}/{{issue_number}}", edit_issue),
)
