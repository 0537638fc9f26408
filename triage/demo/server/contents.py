"""The repository: its files, commits and comparisons, snapshots of its tree, and objects of git that clients write."""

from __future__ import annotations

import base64
import gzip
import io
import tarfile
import time

from triage.demo.server import payloads
from triage.demo.server.addresses import Json, full_repository
from triage.demo.server.conversation import changed_file
from triage.demo.server.routing import Place, Request, Response, Route, invalid, missing, paged, route
from triage.demo.server.world import Files, World, blob_sha
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


def get_commit(place: Place, request: Request, ref: str, **_: str) -> Response:
    found = place.world.commits.get(place.world.resolve(ref) or "")
    if found is None:
        return invalid(f"No commit found for SHA: {ref}")
    return Response(200, commit_payload(request, place.world, found))


def commit_payload(request: Request, world: World, source: Commit) -> Json:
    return payloads.commit(request.base, world.repository.name, source)


def list_commits(place: Place, request: Request, **_: str) -> Response:
    world = place.world
    sha = world.resolve(request.query.get("sha", ""))
    if sha is None:
        return missing()
    path = request.query.get("path", "")
    found = [one for one in world.history(sha) if not path or _touches(world.touched.get(one.sha, ()), path)]
    return paged(request, found, lambda one: commit_payload(request, world, one))


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
    page = paged(request, new, lambda one: commit_payload(request, world, one))
    own = f"{request.base}/repos/{world.repository.name}/compare/{basehead}"
    changed = sorted({path for one in new for path in world.touched.get(one.sha, ())})
    files = [changed_file(request.base, world.repository.name, ChangedFile(path, "modified")) for path in changed]
    shown: Json = {
        **dict.fromkeys(("url", "html_url", "permalink_url", "diff_url", "patch_url"), own),
        "base_commit": commit_payload(request, world, world.commits[base_sha]),
        "merge_base_commit": commit_payload(request, world, merge_base),
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


_REPO = "/repos/{owner}/{repo}"
ROUTES: tuple[Route, ...] = (
    route("rate limit", "GET", "/rate_limit", rate_limit),
    route("repository", "GET", _REPO, get_repository),
    route("contents", "GET", f"{_REPO}/contents/{{path}}", contents),
    route("list commits", "GET", f"{_REPO}/commits", list_commits),
    route("commit", "GET", f"{_REPO}/commits/{{ref}}", get_commit),
    route("compare", "GET", f"{_REPO}/compare/{{basehead}}", compare),
    route("tarball", "GET", f"{_REPO}/tarball/{{ref}}", tarball),
)
