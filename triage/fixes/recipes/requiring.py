"""A bound on what came in through something else: the project that the job installs requires it from now on."""

from __future__ import annotations

from collections.abc import Sequence

from triage.fixes.document import eol_at, line_end, line_start
from triage.fixes.manifests import toml
from triage.fixes.recipes.declarations import beside
from triage.fixes.recipes.installs import Install
from triage.fixes.recipes.outcome import Edited, Outcome, Words
from triage.fixes.recipes.projects import lock_command, projects
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.patch import Edit, Expectation

_LIST = ("project", "dependencies")


def required(here: Situation, done: Sequence[Install], name: str, spec: str) -> Outcome | None:
    """One more entry in `project.dependencies`; None where no project of the job has such a list."""
    for project in projects(here, done):
        path = beside(project.folder, "pyproject.toml")
        if path not in here.tree:
            continue
        placed = toml.strings(here.tree.read(path))
        if isinstance(placed, Refusal):
            return Refusal(placed.reason, path)
        listed = [one for one in placed if one.place[:2] == _LIST and len(one.place) == 3]
        if not listed:
            continue
        lock, command = lock_command(here.tree, project.folder)
        if lock:
            return Words(f"require {name}{spec} in {path}, run `{command}` and commit {lock} too")
        return _appended(here, path, listed[-1], len(listed), f"{name}{spec}")
    return None


def _appended(here: Situation, path: str, last: toml.Placed, count: int, text: str) -> Outcome:
    data = here.tree.read(path)
    quote, after = data[last.end : last.end + 1], last.end + 1
    written = quote + text.encode() + quote
    start = line_start(data, last.start)
    indent = data[start : last.start - 1]
    rest = data[after : line_end(data, after)]
    why = f"{here.job.id} installs the project of {path}, and nothing else holds {text.rstrip('<>=.0123456789')}"
    if indent.strip():  # the list stands on one line
        edit = Edit(path, after, after, b", " + written, why)
    elif rest.startswith(b","):
        end = line_end(data, after)
        edit = Edit(path, end, end, eol_at(data, start) + indent + written + b",", why)
    elif not rest.strip():
        edit = Edit(path, after, after, b"," + eol_at(data, start) + indent + written, why)
    else:
        return Refusal("the list of dependencies ends in a way that is not understood", path)
    place = toml.shown((*_LIST, count))
    promise = Expectation("value", f"{place}={text}", here.target.job, path)
    return Edited((edit,), (f"{path}:{place}",), (promise,), blast_radius=(f"everyone who installs from {path}",))
