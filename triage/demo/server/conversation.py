"""Pull requests, comments, reviews, checks, and the two questions that only GraphQL answers."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from triage.demo.server import payloads
from triage.demo.server.addresses import Json, node_id, number_in, user
from triage.demo.server.pull_payloads import pull_request
from triage.demo.server.routing import Place, Request, Response, Route, invalid, missing, paged, route
from triage.model.run import Annotation, ChangedFile, CheckRun, Comment, PullRequest

MAX_BODY = 65_536
MAX_ANNOTATIONS = 50


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def list_pulls(place: Place, request: Request, **_: str) -> Response:
    state, head, base = (request.query.get(name, "") for name in ("state", "head", "base"))
    found = [
        pull
        for pull in place.world.pulls
        if (state or "open") in ("all", pull.state)
        and (not head or head == f"{pull.head_repo.partition('/')[0]}:{pull.head_ref}")
        and (not base or base == pull.base_ref)
    ]
    return paged(request, found, lambda pull: pull_request(request.base, place.world, pull, False))


def get_pull(place: Place, request: Request, pull_number: str, **_: str) -> Response:
    pull = place.world.pull(_number(pull_number))
    return Response(200, pull_request(request.base, place.world, pull, True)) if pull else missing()


def pulls_of_commit(place: Place, request: Request, commit_sha: str, **_: str) -> Response:
    found = [pull for pull in place.world.pulls if commit_sha in (pull.head_sha, pull.merge_sha)]
    return paged(request, found, lambda pull: pull_request(request.base, place.world, pull, False))


def pull_files(place: Place, request: Request, pull_number: str, **_: str) -> Response:
    files = place.world.changed_files.get(_number(pull_number), [])
    return paged(request, files, lambda one: changed_file(request.base, place.world.repository.name, one))


def changed_file(base: str, repo: str, source: ChangedFile) -> Json:
    shown: Json = {
        "sha": "0" * 40,
        "filename": source.path,
        "status": source.status,
        "additions": source.additions,
        "deletions": source.deletions,
        "changes": source.additions + source.deletions,
        "blob_url": f"{base}/{repo}/blob/{source.path}",
        "raw_url": f"{base}/{repo}/raw/{source.path}",
        "contents_url": f"{base}/repos/{repo}/contents/{source.path}",
    }
    if source.patch:
        shown["patch"] = source.patch
    return shown | ({"previous_filename": source.previous_path} if source.previous_path else {})


def open_pull(place: Place, request: Request, **_: str) -> Response:
    world, asked = place.world, request.json()
    head, base = str(asked.get("head", "")), str(asked.get("base", ""))
    owner, ref = head.rpartition(":")[0], head.rpartition(":")[2]
    repo = f"{owner}/{world.repository.name.partition('/')[2]}" if owner else world.repository.name
    sha = world.branches.get(ref)
    if sha is None or base not in world.branches:
        return invalid("head or base does not exist")
    if any(p.state == "open" and (p.head_repo, p.head_ref, p.base_ref) == (repo, ref, base) for p in world.pulls):
        return invalid(f"A pull request already exists for {head}.")
    number = max((pull.number for pull in world.pulls), default=0) + 1
    title = str(asked.get("title", ""))
    made = PullRequest(
        number, world.repository.name, title, world.viewer, "open", base, world.branches[base], ref, sha, repo
    )
    world.pulls.append(made)
    return Response(201, pull_request(request.base, world, made, True))


def review(place: Place, request: Request, pull_number: str, **_: str) -> Response:
    world, asked, pull = place.world, request.json(), place.world.pull(_number(pull_number))
    if pull is None:
        return missing()
    world.reviews += [(pull.number, str(one.get("body", ""))) for one in asked.get("comments") or ()]
    number, own = world.next_id(), f"{request.base}/repos/{pull.repo}/pulls/{pull.number}"
    made = {
        "id": number,
        "node_id": node_id("PullRequestReview", number),
        "user": user(request.base, world.viewer),
        "body": str(asked.get("body", "")),
        "state": "COMMENTED",
        "html_url": f"{own}#review-{number}",
        "pull_request_url": own,
        "_links": {"html": {"href": own}, "pull_request": {"href": own}},
        "commit_id": pull.head_sha,
        "author_association": "NONE",
    }
    return Response(200, made)


def list_comments(place: Place, request: Request, issue_number: str, **_: str) -> Response:
    number, repo = _number(issue_number), place.world.repository.name
    if place.world.pull(number) is None:
        return missing()
    found = sorted(place.world.comments.get(number, []), key=lambda one: one.id)
    return paged(request, found, lambda one: payloads.comment(request.base, repo, number, one))


def create_comment(place: Place, request: Request, issue_number: str, **_: str) -> Response:
    world, number = place.world, _number(issue_number)
    body = request.json().get("body")
    if world.pull(number) is None:
        return missing()
    if not isinstance(body, str) or not body:
        return invalid("body can't be blank")
    if len(body) > MAX_BODY:
        return invalid("Body is too long (maximum is 65536 characters)")
    now, made_id = datetime.now(UTC), world.next_id()
    made = Comment(made_id, body, world.viewer, node_id("IssueComment", made_id), now, now)
    world.comments.setdefault(number, []).append(made)
    return Response(201, payloads.comment(request.base, world.repository.name, number, made))


def _find(place: Place, comment_id: str) -> tuple[int, int] | None:
    """Issue and position of a comment."""
    for issue, comments in place.world.comments.items():
        for position, one in enumerate(comments):
            if one.id == _number(comment_id):
                return issue, position
    return None


def edit_comment(place: Place, request: Request, comment_id: str, **_: str) -> Response:
    found = _find(place, comment_id)
    body = request.json().get("body")
    if found is None:
        return missing()
    if not isinstance(body, str) or len(body) > MAX_BODY:
        return invalid("Body is too long (maximum is 65536 characters)")
    issue, position = found
    changed = replace(place.world.comments[issue][position], body=body, updated_at=datetime.now(UTC))
    place.world.comments[issue][position] = changed
    return Response(200, payloads.comment(request.base, place.world.repository.name, issue, changed))


def delete_comment(place: Place, request: Request, comment_id: str, **_: str) -> Response:
    found = _find(place, comment_id)
    if found is None:
        return missing()
    del place.world.comments[found[0]][found[1]]
    return Response(204)


def list_annotations(place: Place, request: Request, check_run_id: str, **_: str) -> Response:
    number = _number(check_run_id)
    known = place.world.job(number) or next((c for c in place.world.check_runs if c.id == number), None)
    if known is None:
        return missing()
    found = place.world.annotations.get(number, [])
    return paged(request, found, lambda one: payloads.annotation(request.base, one))


def checks_of(place: Place, request: Request, ref: str, **_: str) -> Response:
    world, sha = place.world, place.world.resolve(ref) or ref
    found = [check for check in world.check_runs if check.head_sha == sha]

    def shape(check: CheckRun) -> Json:
        return payloads.check_run(request.base, world.repository.name, check, len(world.annotations.get(check.id, [])))

    return paged(request, found, shape, "check_runs")


def create_check(place: Place, request: Request, **_: str) -> Response:
    world, asked = place.world, request.json()
    output = asked.get("output") or {}
    if len(output.get("annotations") or ()) > MAX_ANNOTATIONS:
        return invalid("annotations exceeds a maximum quantity of 50")
    slug = world.viewer.removesuffix("[bot]")
    made = CheckRun(
        world.next_id(), str(asked["name"]), str(asked["head_sha"]), "completed", asked.get("conclusion"), slug
    )
    world.check_runs.append(made)
    return _with_annotations(place, request, made, 201)


def update_check(place: Place, request: Request, check_run_id: str, **_: str) -> Response:
    found = next((check for check in place.world.check_runs if check.id == _number(check_run_id)), None)
    return _with_annotations(place, request, found, 200) if found else missing()


def _with_annotations(place: Place, request: Request, check: CheckRun, status: int) -> Response:
    added = (request.json().get("output") or {}).get("annotations") or ()
    kept = place.world.annotations.setdefault(check.id, [])
    kept += [
        Annotation(a["annotation_level"], a["message"], a.get("title", ""), a["path"], a["start_line"]) for a in added
    ]
    return Response(status, payloads.check_run(request.base, place.world.repository.name, check, len(kept)))


def graphql(place: Place, request: Request, **_: str) -> Response:
    asked = request.json()
    query = str(asked.get("query", ""))
    if "viewer" in query:
        return Response(200, {"data": {"viewer": {"login": place.world.viewer}}})
    if "minimizeComment" in query:
        number = number_in(str((asked.get("variables") or {}).get("id", "")))
        if _find(place, str(number)) is None:
            return Response(200, {"data": None, "errors": [{"type": "NOT_FOUND", "message": "no such node"}]})
        place.world.minimised.add(number)
        return Response(200, {"data": {"minimizeComment": {"minimizedComment": {"isMinimized": True}}}})
    return Response(200, {"errors": [{"message": "unknown query"}]})


_REPO = "/repos/{owner}/{repo}"
ROUTES: tuple[Route, ...] = (
    route("list pulls", "GET", f"{_REPO}/pulls", list_pulls),
    route("open pull", "POST", f"{_REPO}/pulls", open_pull),
    route("pull", "GET", f"{_REPO}/pulls/{{pull_number}}", get_pull),
    route("pull files", "GET", f"{_REPO}/pulls/{{pull_number}}/files", pull_files),
    route("review", "POST", f"{_REPO}/pulls/{{pull_number}}/reviews", review),
    route("pulls of commit", "GET", f"{_REPO}/commits/{{commit_sha}}/pulls", pulls_of_commit),
    route("list comments", "GET", f"{_REPO}/issues/{{issue_number}}/comments", list_comments),
    route("create comment", "POST", f"{_REPO}/issues/{{issue_number}}/comments", create_comment),
    route("edit comment", "PATCH", f"{_REPO}/issues/comments/{{comment_id}}", edit_comment),
    route("delete comment", "DELETE", f"{_REPO}/issues/comments/{{comment_id}}", delete_comment),
    route("annotations", "GET", f"{_REPO}/check-runs/{{check_run_id}}/annotations", list_annotations),
    route("checks of commit", "GET", f"{_REPO}/commits/{{ref}}/check-runs", checks_of),
    route("create check", "POST", f"{_REPO}/check-runs", create_check),
    route("update check", "PATCH", f"{_REPO}/check-runs/{{check_run_id}}", update_check),
    route("graphql", "POST", "/graphql", graphql),
)
