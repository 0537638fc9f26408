"""Objects of git that clients read and write: references, blobs, trees, commits."""

from __future__ import annotations

import base64
import binascii

from triage.demo.server.addresses import Json, node_id, number_of
from triage.demo.server.contents import commit_payload
from triage.demo.server.routing import Place, Request, Response, Route, failure, invalid, missing, route
from triage.demo.server.world import Files, World, blob_sha, tree_sha
from triage.model.run import Commit


def get_blob(place: Place, request: Request, file_sha: str, **_: str) -> Response:
    content = place.world.blobs.get(file_sha)
    if content is None:
        return missing()
    own = f"{request.base}/repos/{place.world.repository.name}/git/blobs/{file_sha}"
    text = base64.b64encode(content).decode()
    shown = {"sha": file_sha, "node_id": node_id("Blob", number_of(file_sha)), "size": len(content), "url": own}
    return Response(200, {**shown, "content": text, "encoding": "base64"})


def get_ref(place: Place, request: Request, ref: str, **_: str) -> Response:
    sha = place.world.branches.get(ref.removeprefix("heads/"))
    return Response(200, _ref(request, place.world, f"refs/{ref}", sha)) if sha else missing()


def _ref(request: Request, world: World, ref: str, sha: str) -> Json:
    own = f"{request.base}/repos/{world.repository.name}/git"
    target = {"type": "commit", "sha": sha, "url": f"{own}/commits/{sha}"}
    return {"ref": ref, "node_id": node_id("Ref", number_of(ref)), "url": f"{own}/{ref}", "object": target}


def create_ref(place: Place, request: Request, **_: str) -> Response:
    world, asked = place.world, request.json()
    name, sha = str(asked.get("ref", "")), str(asked.get("sha", ""))
    branch = name.removeprefix("refs/heads/")
    if sha not in world.commits:
        return invalid("Object does not exist")
    if branch in world.branches:
        return invalid("Reference already exists")
    world.branches[branch] = sha
    return Response(201, _ref(request, world, name, sha))


def move_ref(place: Place, request: Request, ref: str, **_: str) -> Response:
    world, asked = place.world, request.json()
    branch, sha = ref.removeprefix("heads/"), str(asked.get("sha", ""))
    if branch not in world.branches:
        return invalid("Reference does not exist")
    forward = any(one.sha == world.branches[branch] for one in world.history(sha))
    if not forward and not asked.get("force"):
        return invalid("Update is not a fast forward")
    world.branches[branch] = sha
    return Response(200, _ref(request, world, f"refs/{ref}", sha))


def create_blob(place: Place, request: Request, **_: str) -> Response:
    asked = request.json()
    text = str(asked.get("content", ""))
    try:
        content = base64.b64decode(text, validate=True) if asked.get("encoding") == "base64" else text.encode()
    except binascii.Error:
        return invalid("content is not valid base64")
    sha = blob_sha(content)
    place.world.blobs[sha] = content
    own = f"{request.base}/repos/{place.world.repository.name}/git/blobs/{sha}"
    return Response(201, {"sha": sha, "url": own})


def create_tree(place: Place, request: Request, **_: str) -> Response:
    world, asked = place.world, request.json()
    start = str(asked.get("base_tree", ""))
    files = dict(world.git_trees.get(start) or world.trees.get(start) or {})
    for entry in asked.get("tree") or ():
        if entry.get("sha") is None:
            files.pop(entry["path"], None)
        elif entry["sha"] not in world.blobs:
            return failure(422, "tree.sha is not a valid blob")
        else:
            files[entry["path"]] = world.blobs[entry["sha"]]
    sha = tree_sha(files)
    world.git_trees[sha] = files
    return Response(201, _tree(request, world, sha, files))


def get_tree(place: Place, request: Request, tree_sha: str, **_: str) -> Response:
    world = place.world
    files = world.git_trees.get(tree_sha) or world.trees.get(tree_sha)
    return missing() if files is None else Response(200, _tree(request, world, tree_sha, files))


def _tree(request: Request, world: World, sha: str, files: Files) -> Json:
    own = f"{request.base}/repos/{world.repository.name}/git/trees/{sha}"
    modes = {path: "100755" if path in world.executables else "100644" for path in files}
    listed = [{"path": p, "mode": modes[p], "type": "blob", "sha": blob_sha(c)} for p, c in files.items()]
    return {"sha": sha, "url": own, "truncated": False, "tree": listed}


def create_commit(place: Place, request: Request, **_: str) -> Response:
    world, asked = place.world, request.json()
    files = world.git_trees.get(str(asked.get("tree", "")))
    if files is None:
        return invalid("Tree SHA does not exist")
    parents = tuple(str(one) for one in asked.get("parents") or ())
    sha = blob_sha(f"{asked['tree']} {parents} {asked.get('message')}".encode())
    world.trees[sha] = files
    made = Commit(sha, str(asked.get("message", "")), world.viewer, None, parents)
    world.commits[sha] = made
    return Response(201, _git_commit(request, world, made))


def get_git_commit(place: Place, request: Request, commit_sha: str, **_: str) -> Response:
    found = place.world.commits.get(commit_sha)
    return Response(200, _git_commit(request, place.world, found)) if found else missing()


def _tree_of(world: World, commit: str) -> str:
    """A tree that was created is named by its content; one that was always there, by its commit."""
    files = world.trees.get(commit)
    return next((sha for sha, held in world.git_trees.items() if held == files), commit)


def _git_commit(request: Request, world: World, source: Commit) -> Json:
    whole = commit_payload(request, world, source)
    own, inner = f"{request.base}/repos/{world.repository.name}/git", whole["commit"]
    return {
        "sha": source.sha,
        "node_id": whole["node_id"],
        "url": f"{own}/commits/{source.sha}",
        "html_url": whole["html_url"],
        "author": inner["author"],
        "committer": inner["committer"],
        "message": source.message,
        "tree": {**inner["tree"], "sha": _tree_of(world, source.sha)},
        "parents": [{"sha": p, "url": f"{own}/commits/{p}", "html_url": f"{own}/{p}"} for p in source.parents],
        "verification": {
            "verified": False,
            "reason": "unsigned",
            "signature": None,
            "payload": None,
            "verified_at": None,
        },
    }


_REPO = "/repos/{owner}/{repo}"
ROUTES: tuple[Route, ...] = (
    route("ref", "GET", f"{_REPO}/git/ref/{{ref}}", get_ref),
    route("create ref", "POST", f"{_REPO}/git/refs", create_ref),
    route("move ref", "PATCH", f"{_REPO}/git/refs/{{ref}}", move_ref),
    route("blob content", "GET", f"{_REPO}/git/blobs/{{file_sha}}", get_blob),
    route("create blob", "POST", f"{_REPO}/git/blobs", create_blob),
    route("tree", "GET", f"{_REPO}/git/trees/{{tree_sha}}", get_tree),
    route("create tree", "POST", f"{_REPO}/git/trees", create_tree),
    route("create commit", "POST", f"{_REPO}/git/commits", create_commit),
    route("git commit", "GET", f"{_REPO}/git/commits/{{commit_sha}}", get_git_commit),
)
