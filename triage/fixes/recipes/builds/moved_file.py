"""A file that a setup.py opens at a place where it is no longer, while the tree has one of that name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from triage.fixes.manifests.dockerfile import instructions, is_dockerfile
from triage.fixes.recipes.commands.homes import is_common
from triage.fixes.recipes.commands.scripts import promised_of
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.refusal import Refusal
from triage.interfaces import Tree
from triage.model.patch import Edit

_MOUNT = re.compile(
    rb"--mount=type=bind,(?:source|src)=(?P<source>[\w./-]+),(?:target|dst|destination)=(?P<target>/[\w./-]+)"
)
_GONE = re.compile(r"No such file or directory: '(?P<path>[\w./-]{1,200})'")


def open_where_it_is(tree: Tree, job: str, captures: Mapping[str, str]) -> Outcome:
    """The text of setup.py that is the end of the log's path, and is no path from the folder of setup.py."""
    found = _GONE.search(captures.get("message", ""))
    name = posixpath.basename(found["path"]) if found else ""
    if found is None or not name or is_common(name):
        return Refusal("the log names no file that a build could not open")
    if mounted := _mounts(tree, found["path"]):
        return _mounted(tree, job, mounted, found["path"])
    homes = [path for path in tree.paths() if posixpath.basename(path) == name]
    if len(homes) != 1:
        return Refusal(f"the repository has {len(homes)} files called {name}")
    written = re.compile(rb"[\"'](?P<path>(?:\./)?(?:[\w.-]+/)*" + re.escape(name.encode()) + rb")[\"']")
    edits = []
    for path in (one for one in tree.paths() if posixpath.basename(one) == "setup.py"):
        folder = posixpath.dirname(path)
        for hit in written.finditer(tree.read(path)):
            text = posixpath.normpath(hit["path"].decode())
            if posixpath.join(folder, text) not in tree and f"/{found['path']}".endswith(f"/{text}"):
                new = posixpath.relpath(homes[0], folder or ".")
                edits.append(Edit(path, *hit.span("path"), new.encode(), f"the repository has it at {homes[0]}"))
    if len({edit.path for edit in edits}) != 1 or ".." in edits[0].new.decode():
        return Refusal(f"no one setup.py opens {name} at another place")
    title = f"Open {edits[0].new.decode()}"
    return Edited(tuple(edits), (edits[0].path,), promised_of(tree, job, edits), title=title)


def _mounts(tree: Tree, missing: str) -> list[tuple[str, int, int, str]]:
    """Where a RUN mounts the file of that path at another one, and another of its mounts as the repository has it."""
    found = []
    for path in tree.paths():
        data = tree.read(path) if is_dockerfile(path) else b""
        read = instructions(data) if b"--mount=type=bind" in data else ()
        for one in () if isinstance(read, Refusal) else read:
            hits = _MOUNT.finditer(data, one.named, one.start)
            pairs = [(hit["source"].decode(), hit["target"].decode(), hit) for hit in hits]
            for source, target, hit in pairs:
                root = missing.removesuffix(f"/{source}")
                alike = [other for other, place, _ in pairs if place == f"{root}/{other}"]
                if root != missing and "/" in source and target != missing and source in tree and alike:
                    found.append((path, *hit.span("target"), source))
    return found


def _mounted(tree: Tree, job: str, found: list[tuple[str, int, int, str]], missing: str) -> Outcome:
    why = "the build looks for it where the repository has it"
    edits = tuple(Edit(path, start, end, missing.encode(), why) for path, start, end, _ in found)
    path, source = found[0][0], found[0][3]
    if len({one[0] for one in found}) != 1:
        return Refusal(f"several Dockerfiles mount {source} at another place", path)
    title, because = f"Mount {source} at {missing} in {path}", "The same instruction mounts the others as they lie."
    return Edited(edits, (path,), promised_of(tree, job, edits), title=title, because=because)
