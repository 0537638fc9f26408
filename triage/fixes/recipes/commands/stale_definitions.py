"""A path that is not there, of a command that no workflow holds: in the script that the log's commands run, else at the
lines of the definition that gives it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Set

from triage.fixes.document import line_after, line_end, line_of, line_start, line_with
from triage.fixes.recipes.commands.absolute import move_absolute
from triage.fixes.recipes.commands.definitions import Place, is_script, kinds_of_definitions, places
from triage.fixes.recipes.commands.homes import folder_in_tree, follower, home, is_made, is_there
from triage.fixes.recipes.commands.kept_folder import leave_folder
from triage.fixes.recipes.commands.own_names import of_own_script
from triage.fixes.recipes.commands.stale import stale_path
from triage.fixes.recipes.commands.stepmates import most_shown
from triage.fixes.recipes.outcome import Edited, Outcome, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.fixes.whereabouts.typed import is_typed
from triage.interfaces import Tree
from triage.model.diagnosis import Facts
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import RepairWorkflow

_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*/?\Z")
_MOST, _LEAST_PARTS = 12, 2
_ENTERS = re.compile(rb"(?:\bcd|\s-w|--workdir)[ =]+(/[\w./-]+)")
# What stands before the path of a file that a command makes.
_WRITING = rb"(?:>>?|\btee(?: -a)?|\btouch|\s-[oO]|--(?:output|out|dest|output-document)(?:-file|-dir)?)[ =]*[\"']?"
_WRITES = re.compile(_WRITING + rb"\Z")
_WORD = re.compile(rb"(?<![\w./~$}-])[\w-]+(?:/[\w.-]+)+")


def stale_in_definitions(
    recipe: RepairWorkflow,
    tree: Tree,
    target: Target,
    here: Situation | Refusal,
    facts: Facts,
    captures: Mapping[str, str],
) -> Outcome | None:
    """None where neither a script that ran nor a definition names the path, or the job's own workflow is known."""
    missing = captures.get(recipe.path.strip("{}"), "")
    unknown = not target.workflow_path if isinstance(here, Refusal) else here.typed
    if not missing or not unknown or recipe.file:
        return None
    shown = b"" if isinstance(here, Refusal) else here.job.document.data
    alone = of_own_script(tree, target, missing, shown)
    if alone is not None:
        return alone
    followed = Refusal("the log shows no command") if isinstance(here, Refusal) else stale_path(missing, here)
    if isinstance(followed, Edited) and not any(is_typed(edit.path) for edit in followed.edits):
        return followed
    scripts = frozenset() if isinstance(here, Refusal) else _scripts(here)
    for text in _texts(missing):
        for kind in kinds_of_definitions():
            named = list(places(tree, kind, text))
            found = [one for one in named if _may_have_run(one, scripts)]
            if found and is_made(tree, text):
                return Refusal(f"{text} is made by a build or a run: nothing in the repository is meant by it")
            if found:
                meant = most_shown(tree, kind, found, [*target.typed, *facts.commands, *shown.decode().splitlines()])
                ran = missing.removesuffix(text) if missing.startswith("/") else ""
                if not meant:
                    return Refusal(f"the log is of a copy of {found[0].path} which does not name {text}")
                made = _moved(tree, target, text, meant, ran or _ran(shown, text))
                others = ", ".join(dict.fromkeys(one.path for one in named if one not in found))
                more = f"{text} is named in {others} too" if others else ""
                return made.noting(more) if isinstance(made, Edited) else made
    every = (move_absolute(tree, target, kind, missing) for kind in kinds_of_definitions())
    return next((one for one in every if one is not None), None)


def _scripts(here: Situation) -> Set[str]:
    """Scripts of the repository that the commands of the log lead to."""
    return {call.path for one in here.concerned for call in one.calls if is_script(call.path)}


def _may_have_run(place: Place, ran: Set[str]) -> bool:
    """A script beside those that ran did not run; a definition starts them."""
    return not ran or not is_script(place.path) or place.path in ran


def _texts(missing: str) -> Iterator[str]:
    """As it is written, and the ends of an absolute path, the longest first."""
    plain = missing.partition("::")[0]
    if not plain.startswith("/"):
        plain = plain.removeprefix("./")
        if _PATH.match(plain) and ("/" in plain or "." in plain):
            yield plain
        return
    parts = plain.strip("/").split("/")
    yield from ("/".join(parts[at:]) for at in range(1, len(parts) - _LEAST_PARTS + 1))


def _ran(shown: bytes, text: str) -> str:
    """The folder that the log's command enters before it names the path."""
    at = shown.rfind(text.encode())
    found = _ENTERS.findall(shown[: max(at, 0)])
    return found[-1].decode() if found else ""


def _moved(tree: Tree, target: Target, text: str, found: list[Place], ran: str) -> Outcome:
    first = found[0]
    if len(found) > _MOST:
        return Refusal(f"{len(found)} lines name {text}, and the log does not say which of them ran", first.path)
    outcomes = [one for place in found if (one := _one(tree, target, text, place, ran)) is not None]
    return together(outcomes) if outcomes else Refusal(f"{text} is there in the folder that it is named from")


def _one(tree: Tree, target: Target, text: str, place: Place, ran: str) -> Outcome | None:
    """None for a command that finds the path where it runs."""
    data = tree.read(place.path)
    line = line_of(data, place.start)
    if _WRITES.search(data[line_start(data, place.start) : place.start]) or _is_written(data, text):
        return Refusal(f"the commands themselves write {text}", place.path, line)
    folder = folder_in_tree(tree, place.folder or ran, text)
    if folder is None and ran:
        left = leave_folder(tree, target, text, place, ran)
        if left is not None:
            return left
    if folder is None:
        return Refusal(f"nothing says in which folder the command runs that names {text}", place.path, line)
    if is_there(tree, posixpath.normpath(posixpath.join(folder, text))):
        return None
    meant = home(tree, folder, text)
    followed = "" if meant else follower(tree, posixpath.normpath(posixpath.join(folder or "", text)), data)
    meant = meant or followed
    if not meant:
        name = posixpath.basename(text)
        return Refusal(f"the repository has not exactly one `{name}` that could be meant", place.path, line)
    spans = [(place.start, place.end, posixpath.relpath(meant, folder or "."))]
    if meant == posixpath.normpath(text):
        spans += _alike(tree, data, place, folder)
    edits = tuple(Edit(place.path, start, end, new.encode(), _why(data[start:end], new)) for start, end, new in spans)
    promises = tuple(Expectation("line", _line(data, edit), target.job, place.path) for edit in edits)
    because = f"{meant} has what is asked of {text} by name, and nothing names it yet." if followed else ""
    return Edited(edits, (place.path,), promises, title=f"Name {spans[0][2]} in {place.path}", because=because)


def _is_written(data: bytes, text: str) -> bool:
    return re.search(_WRITING + rb"(?:\./)?" + re.escape(text.encode()) + rb"(?![\w./-])", data) is not None


def _why(old: bytes, new: str) -> str:
    return f"{old.decode()} is not there, {new} is"


def _line(data: bytes, edit: Edit) -> str:
    return as_promised(line_with(data, edit.start, edit.end, edit.new))


def _alike(tree: Tree, data: bytes, place: Place, folder: str) -> Iterator[tuple[int, int, str]]:
    """Paths of the commands beside it that are told from the root too."""
    own = line_start(data, place.start)
    marked = re.match(rb"[ \t]*-[ \t]", data[own:])
    for towards in (-1, 1):
        at = own
        while marked is not None:
            at = line_start(data, at - 1) if towards < 0 else line_after(data, at)
            line = data[at : line_end(data, at)]
            if not 0 <= at < len(data) or not line.startswith(marked[0]) or at == own:
                break
            for hit in _WORD.finditer(line):
                path = hit[0].decode()
                doubled = path.startswith(f"{folder}/") and is_there(tree, path)
                if doubled and not is_there(tree, posixpath.join(folder, path)) and b"#" not in line[: hit.start()]:
                    yield at + hit.start(), at + hit.end(), path.removeprefix(f"{folder}/")
            if at == 0:
                break
