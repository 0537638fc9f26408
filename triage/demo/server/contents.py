"""The repository: its files, commits and comparisons, snapshots of its tree, and objects of git that clients write."""

from __future__ import annotations

import base64
import binascii
import gzip
import io
import tarfile
import time
from dataclasses import replace

from triage.demo.server import payloads
from triage.demo.server.addresses import Json, full_repository, node_id, number_of
from triage.demo.server.conversation import changed_file
from triage.demo.server.routing import Place, Request, Response, Route, failure, invalid, missing, paged, route
from triage.demo.server.world import Files, World, blob_sha, tree_sha
from triage.model.run import ChangedFile, Commit

# Above this, `contents` says encoding "none" and leaves the content out.
MAX_CONTENT = 1024 * 1024


def get_repository(place: Place, request: Request, **_: str) -> Response:
    return Response(200, full_repository(request.base, place.world.repository))


def contents(place: Place, request: Request, path: str, **_: str) -> Response:
    sha = place.world.resolve(request.query.get("ref", ""))
    files = place.world.trees.get(sha or "")
    if files is None:
        return missing()
    if path in files:
        return Response(200, _file(request, place.world, path, files[path]))
    below = sorted({_child(path, one) for one in files if one.startswith(f"{path.rstrip('/')}/")})
    return Response(200, [_entry(request, place.world, one, files.get(one)) for one in below]) if below else missing()


def _child(folder: str, path: str) -> str:
    depth = folder.rstrip("/").count("/") + 2
    return "/".join(path.split("/")[:depth])


def _entry(request: Request, world: World, path: str, content: bytes | None) -> Json:
    own = f"{request.base}/repos/{world.repository.name}/contents/{path}"
    return {
        "type": "dir" if content is None else "file",
        "size": len(content or b""),
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": blob_sha(content or b""),
        "url": own,
        "git_url": own,
        "html_url": own,
        "download_url": own,
        "_links": {"self": own, "git": own, "html": own},
    }


def _file(request: Request, world: World, path: str, content: bytes) -> Json:
    world.blobs[blob_sha(content)] = content
    large = len(content) > MAX_CONTENT
    text = "" if large else base64.encodebytes(content).decode()
    return {**_entry(request, world, path, content), "encoding": "none" if large else "base64", "content": text}


def get_blob(place: Place, request: Request, file_sha: str, **_: str) -> Response:
    content = place.world.blobs.get(file_sha)
    if content is None:
        return missing()
    own = f"{request.base}/repos/{place.world.repository.name}/git/blobs/{file_sha}"
    text = base64.b64encode(content).decode()
    shown = {"sha": file_sha, "node_id": node_id("Blob", number_of(file_sha)), "size": len(content), "url": own}
    return Response(200, {**shown, "content": text, "encoding": "base64"})


def get_commit(place: Place, request: Request, ref: str, **_: str) -> Response:
    found = place.world.commits.get(place.world.resolve(ref) or "")
    if found is None:
        return invalid(f"No commit found for SHA: {ref}")
    return Response(200, _commit(request, place.world, found))


def _commit(request: Request, world: World, source: Commit) -> Json:
    return payloads.commit(request.base, world.repository.name, source)


def list_commits(place: Place, request: Request, **_: str) -> Response:
    world = place.world
    sha = world.resolve(request.query.get("sha", ""))
    if sha is None:
        return missing()
    path = request.query.get("path", "")
    found = [one for one in world.history(sha) if not path or _touches(world.touched.get(one.sha, ()), path)]
    return paged(request, found, lambda one: _commit(request, world, one))


def _touches(touched: tuple[str, ...], path: str) -> bool:
    return any(one == path or one.startswith(f"{path.rstrip('/')}/") for one in touched)


def compare(place: Place, request: Request, basehead: str, **_: str) -> Response:
    world = place.world
    base, head = basehead.partition("...")[0], basehead.partition("...")[2]
    base_sha, head_sha = world.resolve(base), world.resolve(head)
    if base_sha is None or head_sha is None or base_sha not in world.commits or head_sha not in world.commits:
        return missing()
    behind, ahead = world.history(base_sha), world.history(head_sha)
    common = {one.sha for one in behind} & {one.sha for one in ahead}
    new = [one for one in reversed(ahead) if one.sha not in common]
    lost = [one for one in behind if one.sha not in common]
    merge_base = next((one for one in ahead if one.sha in common), ahead[-1])
    page = paged(request, new, lambda one: _commit(request, world, one))
    own = f"{request.base}/repos/{world.repository.name}/compare/{basehead}"
    changed = sorted({path for one in new for path in world.touched.get(one.sha, ())})
    files = [changed_file(request.base, world.repository.name, ChangedFile(path, "modified")) for path in changed]
    shown: Json = {
        **dict.fromkeys(("url", "html_url", "permalink_url", "diff_url", "patch_url"), own),
        "base_commit": _commit(request, world, world.commits[base_sha]),
        "merge_base_commit": _commit(request, world, merge_base),
        "status": _STATUS[bool(new), bool(lost)],
        "ahead_by": len(new),
        "behind_by": len(lost),
        "total_commits": len(new),
        "commits": page.body,
        # GitHub lists the files on the first page only.
        "files": files if request.query.get("page", "1") == "1" else [],
    }
    return Response(200, shown, page.headers)


_STATUS = {
    (True, True): "diverged",
    (True, False): "ahead",
    (False, True): "behind",
    (False, False): "identical",
}


def tarball(place: Place, request: Request, ref: str, **_: str) -> Response:
    sha = place.world.resolve(ref)
    files = place.world.trees.get(sha or "")
    if sha is None or files is None:
        return missing()
    content = _tar(f"{place.world.repository.name.replace('/', '-')}-{sha[:7]}", sha, files)
    return Response(302, None, {"Location": place.store.address(f"tarballs/{sha}.tar.gz", content)})


def _tar(root: str, sha: str, files: Files) -> bytes:
    """As `git archive` makes it: one folder on top, and the commit in a comment."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT, pax_headers={"comment": sha}) as archive:
        for path in sorted(files):
            member = tarfile.TarInfo(f"{root}/{path}")
            member.size = len(files[path])
            member.mode = 0o775 if files[path].startswith(b"#!") else 0o664
            archive.addfile(member, io.BytesIO(files[path]))
    return gzip.compress(plain.getvalue(), compresslevel=1, mtime=0)


def rate_limit(place: Place, request: Request, **_: str) -> Response:
    one = {"limit": 5000, "remaining": 4999, "used": 1, "reset": int(time.time()) + 3600}
    return Response(200, {"resources": {"core": one, "search": one, "graphql": one}, "rate": one})


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
    own = f"{request.base}/repos/{world.repository.name}/git/trees/{sha}"
    listed = [{"path": p, "mode": "100644", "type": "blob", "sha": blob_sha(c)} for p, c in files.items()]
    return Response(201, {"sha": sha, "url": own, "truncated": False, "tree": listed})


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


def _git_commit(request: Request, world: World, source: Commit) -> Json:
    whole = _commit(request, world, replace(source, date=source.date))
    own, inner = f"{request.base}/repos/{world.repository.name}/git", whole["commit"]
    return {
        "sha": source.sha,
        "node_id": whole["node_id"],
        "url": f"{own}/commits/{source.sha}",
        "html_url": whole["html_url"],
        "author": inner["author"],
        "committer": inner["committer"],
        "message": source.message,
        "tree": inner["tree"],
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
    route("rate limit", "GET", "/rate_limit", rate_limit),
    route("repository", "GET", _REPO, get_repository),
    route("contents", "GET", f"{_REPO}/contents/{{path}}", contents),
    route("list commits", "GET", f"{_REPO}/commits", list_commits),
    route("commit", "GET", f"{_REPO}/commits/{{ref}}", get_commit),
    route("compare", "GET", f"{_REPO}/compare/{{basehead}}", compare),
    route("tarball", "GET", f"{_REPO}/tarball/{{ref}}", tarball),
    route("ref", "GET", f"{_REPO}/git/ref/{{ref}}", get_ref),
    route("create ref", "POST", f"{_REPO}/git/refs", create_ref),
    route("move ref", "PATCH", f"{_REPO}/git/refs/{{ref}}", move_ref),
    route("blob content", "GET", f"{_REPO}/git/blobs/{{file_sha}}", get_blob),
    route("create blob", "POST", f"{_REPO}/git/blobs", create_blob),
    route("create tree", "POST", f"{_REPO}/git/trees", create_tree),
    route("create commit", "POST", f"{_REPO}/git/commits", create_commit),
    route("git commit", "GET", f"{_REPO}/git/commits/{{commit_sha}}", get_git_commit),
)
