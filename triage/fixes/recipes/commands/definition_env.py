"""`env` of a command that no workflow holds and a definition of another CI system lists: one more command before it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import yaml

from triage.fixes.document import eol_at, line_after, line_start
from triage.fixes.recipes.commands.definitions import documents_of_ci
from triage.fixes.recipes.commands.scripts import promised_of
from triage.fixes.recipes.held import is_switch
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.values import same
from triage.fixes.target import Target
from triage.fixes.yaml.nodes import YamlDocument, child, entries, every_node
from triage.interfaces import Tree
from triage.model.diagnosis import Facts, Platform
from triage.model.patch import Edit
from triage.model.recipe import SetEnv

# Lists whose commands one shell runs, one after the other.
_LISTS = ("commands", "command", "script")
_ENVIRONMENTS = ("env", "environment", "variables")
_SAFE = re.compile(r"[\w.+:/@%,=-]+\Z")
_EXPORTS = re.compile(r"export ([A-Za-z_]\w*)=[\"']?([^\s\"']*)")
# A shorter command may be a part of any other one.
_LEAST = 16
# What ends a word of the shell's, and may be written otherwise where it is told to run.
_QUOTES = re.compile(r"[\s;]*[\"'\\\n]+[\s;]*")
_STARTS, _ENDS = r"(?:^|[;&|(])\s*", r"\s*(?:$|[;&|)])"
_SCRIPT = re.compile(r"[\w./-]+\.sh\b")
# Words by which files and commands say what machine they are for; those of one group are the same.
_MACHINES = (
    frozenset({"amd", "rocm"}),
    frozenset({"npu", "ascend"}),
    frozenset({"xpu", "intel"}),
    frozenset({"hpu", "gaudi"}),
    frozenset({"tpu"}),
    frozenset({"neuron"}),
    frozenset({"cpu", "arm", "ppc", "s390x"}),
)
_OF_PLATFORM = {Platform.ROCM: 0, Platform.NPU: 1}
_NONE = -1


@dataclass(frozen=True, slots=True)
class _Listed:
    """A list of commands, in the mapping `owner` that also may hold an environment. `ran`: how many the log shows."""

    document: YamlDocument
    owner: yaml.MappingNode
    key: yaml.Node
    node: yaml.SequenceNode
    ran: int

    @property
    def where(self) -> str:
        return f"{self.document.path}:{self.document.line(self.key)}"


def set_in_definition(
    recipe: SetEnv, tree: Tree, target: Target, facts: Facts, captures: Mapping[str, str]
) -> Outcome | None:
    """None where no list of a definition holds a command that the log shows."""
    name, value = (captures.get(text.strip("{}"), text) for text in (recipe.name, recipe.value))
    told = recipe.name.startswith("{")
    if not target.typed or not _SAFE.match(value) or (told and not is_switch(name, value)):
        return None
    shown = _plain("\n".join(target.typed))
    found = _of_machine(list(_lists(tree, shown)), _machine(shown, facts))
    most = max((one.ran for one in found), default=0)
    best = [one for one in found if one.ran == most]
    if len(best) > 1:
        return Words(f"set {name}={value} for the command; it is listed at {', '.join(one.where for one in best[:4])}")
    return _added(best[0], tree, target, name, value) if best else None


def _lists(tree: Tree, shown: str) -> Iterator[_Listed]:
    for document in documents_of_ci(tree):
        for owner in every_node(document.root):
            for name, key, node in entries(owner) if isinstance(owner, yaml.MappingNode) else ():
                if name in _LISTS and isinstance(node, yaml.SequenceNode) and not node.flow_style:
                    ran = sum(_is_shown(one.value, shown) for one in node.value if isinstance(one, yaml.ScalarNode))
                    if ran and isinstance(owner, yaml.MappingNode) and id(node) not in document.aliased:
                        yield _Listed(document, owner, key, node, ran)


def _is_shown(command: str, shown: str) -> bool:
    """Whether it stands there as a whole command, as far as its words tell."""
    text = _plain(command)
    if len(text) < _LEAST or text not in shown or text.startswith("export "):
        return False
    return re.search(f"{_STARTS}{re.escape(text)}{_ENDS}", shown) is not None


def _plain(text: str) -> str:
    return " ".join(_QUOTES.sub(" ; ", text).split()).strip("; ")


def _machine(text: str, facts: Facts) -> int:
    """By the script that is told to run the commands, else by the log."""
    said = _said_machine(" ".join(_SCRIPT.findall(text)))
    return said if said != _NONE else _OF_PLATFORM.get(facts.platform, _NONE)


def _said_machine(text: str) -> int:
    words = set(re.findall(r"[a-z]+", text.lower()))
    return next((at for at, kind in enumerate(_MACHINES) if kind & words), _NONE)


def _of_machine(found: Sequence[_Listed], machine: int) -> Sequence[_Listed]:
    """Definitions repeat their commands for other machines: those whose files are called after the log's, if any."""
    return [one for one in found if _said_machine(one.document.path) == machine] or (found if len(found) == 1 else ())


def _added(listed: _Listed, tree: Tree, target: Target, name: str, value: str) -> Outcome | None:
    held = {found[1]: found[2] for one in listed.node.value if (found := _EXPORTS.match(getattr(one, "value", "")))}
    around = {key for layer in _ENVIRONMENTS for key, _, _ in entries(child(listed.owner, layer))}
    if name in held and same(held[name], value):
        return InPlace(f"{listed.where} sets {name}={value} already")
    if name in held or name in around:
        return Words(f"{listed.where} sets {name} to another value than {value}")
    data, path = listed.document.data, listed.document.path
    first = listed.document.start(listed.node)
    head = data[line_start(data, first) : first]
    at = line_after(data, listed.document.start(listed.key))
    if head.strip() or at > line_start(data, first):
        return Words(f"set {name}={value} before the commands at {listed.where}")
    line = head + f"- export {name}={value}".encode() + eol_at(data, first)
    edit = Edit(path, at, at, line, f"the commands of this list see {name}")
    title = f"Export {name}={value} before the commands of {path}"
    made = Edited((edit,), (path,), promised_of(tree, target.job, (edit,)), title=title)
    return made.noting(f"the log shows {listed.ran} of the {len(listed.node.value)} commands of that list")
