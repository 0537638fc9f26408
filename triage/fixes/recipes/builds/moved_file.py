"""A file that a setup.py opens at a place where it is no longer, while the tree has one of that name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from triage.fixes.recipes.commands.homes import is_common
from triage.fixes.recipes.commands.scripts import promised_of
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.refusal import Refusal
from triage.interfaces import Tree
from triage.model.patch import Edit

_GONE = re.compile(r"No such file or directory: '(?P<path>[\w./-]{1,200})'")


def open_where_it_is(tree: Tree, job: str, captures: Mapping[str, str]) -> Outcome:
    """The text of setup.py that is the end of the log's path, and is no path from the folder of setup.py."""
    found = _GONE.search(captures.get("message", ""))
    name = posixpath.basename(found["path"]) if found else ""
    if found is None or not name or is_common(name):
        return Refusal("the log names no file that a build could not open")
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
