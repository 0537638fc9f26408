"""`rename_variable`: a variable that a strict shell finds unset, where the script, or the `env` around it, sets one
whose name resembles it: the slip is in what is read, or in what is set and nothing reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import yaml

from triage.fixes.recipes.commands.named_beside import called_beside, is_read_besides
from triage.fixes.recipes.commands.said.named import script_called
from triage.fixes.recipes.commands.said.quoting import line_state
from triage.fixes.recipes.commands.scripts import Script, promised, scripts_of, text_of_file
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.misnamed_env import OF_TOOLS, is_read
from triage.fixes.refusal import Refusal
from triage.fixes.resembling import resembling
from triage.fixes.shell.variables import variables
from triage.fixes.yaml.nodes import child, entries
from triage.model.patch import Edit, Expectation
from triage.model.recipe import RenameVariable

_NAME = re.compile(r"[A-Za-z_]\w*\Z")
# What gives a variable its value besides assignments and loops.
_INPUT = re.compile(r"\b(?:read|mapfile|readarray)(?:[ \t]+-\w+)*[ \t]+(?P<name>[A-Za-z_]\w*)")
_EXPORTS = re.compile(r"\b(?:export|local|declare|readonly)\b[^;&|]*\Z")
_ASKS = r":?[-=+?]"
_TEXTS = (".sh", ".bash", ".yml", ".yaml", ".md", ".py")
# So many of them say how a word is written.
_MOST, _LONGEST = 300, 2000

# What was edited, and the name that is written now.
_Made = tuple[Edited, str] | Refusal | Words


def rename_variable(recipe: RenameVariable, here: Situation) -> Outcome:
    named, name = (here.captures.get(one.strip("{}"), "") for one in (recipe.script, recipe.name))
    if not _NAME.match(name):
        return Refusal("the log names no variable")
    if recipe.settled:
        texts = [one.text for one in _scripts(here, named)]
        there = any(re.search(rf"\b{recipe.settled}\b", one) for one in texts)
        return InPlace(f"it is called {recipe.settled}") if there else Refusal(f"nothing is called {recipe.settled}")
    found = [one for one in _scripts(here, named) if any(_reads(one.text, name))]
    if len(found) != 1:
        return Refusal(f"no one script of {here.job.id} reads {name}", here.job.path, here.job.line)
    (script,) = found
    held = list(_sets(script.text))
    if name in {one for one, _ in held}:
        return InPlace(f"{script.path} sets {name}")
    names = {one for one, _ in held}
    meant = resembling(name, {one for one in names if not _is_used(script, one)}) or resembling(name, names)
    made = (
        _within(here, script, name, meant, [at for one, at in held if one == meant])
        if meant
        else _around(here, script, name)
    )
    if not isinstance(made, tuple):
        made = _as_beside(here, script, name, held) or made
    if not isinstance(made, tuple):
        return made
    edited, settled = made
    return replace(edited, settled=replace(recipe, settled=settled))


def _is_used(script: Script, name: str) -> bool:
    """Whether it is read, is given to a command, or is asked for by its name (`${!v}`, `-v NAME`, a program's text)."""
    text, own = script.text, {one.at: one for one in variables(script.text) if one.name == name}
    read = (at for at, one in own.items() if not one.is_set)
    if any(own[at].for_command or text[at - 1] in "${#!" or not _EXPORTS.search(_before(text, at)) for at in read):
        return True
    told = (one.start() for one in re.finditer(rf"(?<!\w){name}(?!\w)", text))
    return any(at not in own and not _EXPORTS.search(_before(text, at)) and _state(text, at) != "#" for at in told)


def _state(text: str, at: int) -> str:
    """Of a line that is longer than anybody writes nothing is believed."""
    return "#" if len(_before(text, at)) == _LONGEST else line_state(text, at)


def _before(text: str, at: int) -> str:
    return text[max(text.rfind("\n", 0, at) + 1, at - _LONGEST) : at]


def _scripts(here: Situation, named: str) -> Iterator[Script]:
    """The script of the tree that the shell names, else the run blocks: the runner writes those to files of its own."""
    path = script_called(here.tree, named) if named.endswith((".sh", ".bash")) else ""
    if path:
        text = text_of_file(here.tree, path)
        yield from (Script(path, text),) if text else ()
    else:
        yield from (one for one in scripts_of(here) if one.node is not None)


def _sets(text: str) -> Iterator[tuple[str, int]]:
    yield from ((one.name, one.at) for one in variables(text) if one.is_set)
    for found in _INPUT.finditer(text):
        if not _state(text, found.start()):
            yield found["name"], found.start("name")


def _reads(text: str, name: str) -> Iterator[int]:
    """Where the name itself begins; what only asks whether it is set is no such place."""
    held = {one.at for one in variables(text) if one.name == name and not one.is_set}
    for found in re.finditer(rf"\$\{{?[#!]?({name})(?!\w)(?!{_ASKS})", text):
        if found.start(1) in held:
            yield found.start(1)


def _within(here: Situation, script: Script, name: str, meant: str, set_at: Sequence[int]) -> _Made:
    """Nothing reads what is set: it is set under the wrong name. Else the name is read wrongly."""
    wanted = list(_reads(script.text, name))
    unread = not _is_used(script, meant) and not _known(here, script, meant)
    # A variable of its own is often called so: one of several, or the inner one.
    alike = name.lower().strip("_") == meant.lower().strip("_")
    if alike or (not unread and name.lower().rstrip("s") == meant.lower().rstrip("s")):
        return Words(f"{script.path} reads {name} and sets {meant}, which is read as well: one may be of the other")
    alone = len(wanted) == 1 and (len(set_at) > 1 or _usual(here, script, meant, name))
    if unread and len(set_at) == 1 and not alone:
        places, old, new = list(set_at), meant, name
    elif unread and len(set_at) > 1 and not alone:
        return Words(f"{script.path} sets {meant} in several places, and reads {name}: they mean the same")
    else:
        places, old, new = wanted, name, meant
    return _renamed(here, script, places, old, new)


def _as_beside(here: Situation, script: Script, name: str, held: Sequence[tuple[str, int]]) -> _Made | None:
    """By the name that the scripts of the folder have for what is given to the same option."""
    reads = list(_reads(script.text, name))
    before = {one: is_read_besides(script.text, one) for one, at in held if reads and at < reads[0]}
    meant = called_beside(here.tree, script.path, script.text, reads, before)
    if not meant or isinstance(meant, Refusal):
        return meant or None
    made = _renamed(here, script, reads, name, meant)
    if not isinstance(made, tuple):
        return made
    because = f"The scripts beside it give {meant} there, which this one sets, and nothing sets {name}."
    return replace(made[0], because=because), made[1]


def _known(here: Situation, script: Script, name: str) -> bool:
    """Whether what the script starts may read the variable: it exports it, or a tool has it."""
    exported = re.search(rf"\bexport\b[^\n]*\b{name}\b", script.text) is not None
    return bool(OF_TOOLS.match(name)) or (exported and is_read(here, name))


def _usual(here: Situation, script: Script, name: str, other: str) -> bool:
    """Whether more files of the repository have the words of the one name than those of the other."""
    own, its = (set(one.lower().split("_")) for one in (name, other))
    paths = [path for path in here.tree.paths() if path != script.path and path.endswith(_TEXTS)][:_MOST]
    texts = [here.tree.read(path).lower() for path in paths]

    def held(words: set[str]) -> int:
        found = [re.compile(rb"(?<![a-z])" + word.encode() + rb"(?![a-z])") for word in words]
        return min((sum(each.search(text) is not None for text in texts) for each in found), default=0)

    return held(own - its) > held(its - own)


def _renamed(here: Situation, script: Script, places: Sequence[int], old: str, new: str) -> _Made:
    why = f"{new} is what the rest of the script calls it"
    edits: list[Edit] = []
    for at in places:
        made = script.replace(at, at + len(old), new, why=why)
        if isinstance(made, Refusal):
            return made
        edits += made
    line = script.line(places[0])
    title = f"Write {new} for {old} at {script.path}:{line}"
    because = f"The script has {new} everywhere else, and {old} only there."
    made_edits = tuple(edits)
    whole = Edited(made_edits, (script.declared(here),), promised(here, made_edits), title=title, because=because)
    return whole, new


def _around(here: Situation, script: Script, name: str) -> _Made:
    """An entry of the `env` of the step, the job or the workflow, which nothing reads under its name."""
    found: dict[str, tuple[str, yaml.Node]] = {}
    for place, owner in _layers(here):
        for own, key, _ in entries(child(owner, "env")):
            found.setdefault(own, (f"{place}env", key))
    if name in found or here.job.path != here.target.workflow_path:
        return Refusal(f"nothing that the job sets resembles {name}", script.path)
    meant = resembling(name, found)
    if not meant:
        return Refusal(f"nothing that the job sets resembles {name}", script.path)
    if is_read(here, meant) or OF_TOOLS.match(meant):
        return _renamed(here, script, list(_reads(script.text, name)), name, meant)
    place, key = found[meant]
    document = here.job.document
    why = f"{script.path} reads {name}, and nothing reads {meant}"
    edit = Edit(document.path, document.start(key), document.end(key), name.encode(), why)
    declared = (f"{document.path}:{place}.{meant}", f"{document.path}:{place}.{name}")
    promise = Expectation("line", _line(document.data, edit), here.target.job, document.path)
    made = Edited((edit,), declared, (promise,), because=f"Nothing reads {meant}, and the script reads {name}.")
    return replace(made, title=f"Name the entry {name}, as the script reads it, instead of {meant}"), name


def _line(data: bytes, edit: Edit) -> str:
    first, last = data.rfind(b"\n", 0, edit.start) + 1, data.find(b"\n", edit.end)
    whole = data[first : edit.start] + edit.new + data[edit.end : last if last >= 0 else len(data)]
    return whole.decode("utf-8", "replace").strip()


def _layers(here: Situation) -> Iterator[tuple[str, yaml.Node]]:
    if here.step is not None and here.step.path == here.job.path:
        yield f"{here.place}.steps[{here.step.index}].", here.step.node
    yield f"{here.place}.", here.job.node
    yield "", here.job.workflow.node
