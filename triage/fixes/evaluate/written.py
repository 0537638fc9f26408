"""Files of the repository that the job's own commands write: what the tree holds of them is not what runs later."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from triage.fixes.evaluate.filters import substitution
from triage.fixes.evaluate.invocation import Alteration
from triage.fixes.evaluate.machine import Machine
from triage.fixes.evaluate.patterns import SPECIAL, matches
from triage.fixes.evaluate.places import locate
from triage.fixes.evaluate.state import State
from triage.fixes.evaluate.values import Value, known

_COPIES = ("cp", "mv", "install", "ln")
# Options of them that take a value, and those of programs that name the file which they write.
_VALUED = ("-m", "--mode", "-o", "--owner", "-g", "--group", "-S", "--suffix")
_OUTPUT = {"curl": ("-o", "--output"), "wget": ("-O", "--output-document")}
# Of a list every line counts, whatever stands below it; of a script the last assignment.
_LISTS = (".txt", ".in", ".yml", ".yaml")
_TWO = 2


def writes(machine: Machine, state: State, where: str, name: str, words: Sequence[Value]) -> None:
    """Notes what a program writes, as far as its words name files of the repository."""
    if name in _COPIES:
        _copied(machine, state, where, name, words[1:])
    elif name == "tee":
        adds = any(word.text in ("-a", "--append") for word in words)
        for word in words[1:]:
            written(machine, state, where, word, adds=adds)
    elif name == "rm":
        for word in words[1:]:
            written(machine, state, where, word)
    elif name in _OUTPUT:
        for option, word in pairwise(words):
            if option.text in _OUTPUT[name]:
                written(machine, state, where, word)
    elif name in ("sed", "gsed", "perl"):
        _edited(machine, state, where, name, words[1:])


def written(machine: Machine, state: State, where: str, word: Value, *, adds: bool = False) -> None:
    """A file that gets another text, or more of it."""
    for path in _files(machine, state, where, word):
        if adds:
            _alter(machine, path, Alteration(where, adds=True))
        else:
            machine.replaced.setdefault(path, where)


def untouched(alteration: Alteration, path: str, lines: Sequence[str]) -> bool:
    """Whether an edit in place surely leaves these lines, and what they say, as they are."""
    if alteration.adds:
        return path.endswith(_LISTS)
    found = [_pattern(script) for script in alteration.scripts]
    return bool(found) and not any(one is None or one.search(line) for one in found for line in lines)


def _pattern(script: str) -> re.Pattern[str] | None:
    """What the lines hold that a script of `sed` changes: `s/old/new/` or `/old/d`."""
    deleted = script[1:-2] if script.startswith("/") and script.endswith("/d") else ""
    found = substitution(f"s/{deleted}//") if deleted else substitution(script)
    return found[0] if found is not None else None


def _alter(machine: Machine, path: str, alteration: Alteration) -> None:
    before = machine.altered.get(path, ())
    if alteration not in before:
        machine.altered[path] = (*before, alteration)


def _files(machine: Machine, state: State, where: str, word: Value) -> Iterator[str]:
    """The repository's files that a word names, as paths of the tree; several for a pattern."""
    if word.many and len(word.pieces) == 1:
        folder, _, last = word.pieces[0].name.rpartition("/")
        place = locate(machine, state, known(folder or "."))
        if place is None or any(char in folder for char in SPECIAL):
            return
        paths = [
            posixpath.join(place, name) for name in machine.look(machine.listing(place), where) if matches(last, name)
        ]
    else:
        found = locate(machine, state, word)
        paths = [] if found is None else [found]
    for path in paths:
        inside = machine.inside(path)
        if inside is not None and inside in machine.tree:
            yield inside


def _copied(machine: Machine, state: State, where: str, name: str, words: Sequence[Value]) -> None:
    operands: list[Value] = []
    target: Value | None = None
    at = 0
    while at < len(words):
        head = words[at].head
        if head in ("-t", "--target-directory") and at + 1 < len(words):
            target = words[at + 1]
        elif not head.startswith("-"):
            operands.append(words[at])
        at += 2 if head in ("-t", "--target-directory", *_VALUED) else 1
    if target is None and len(operands) >= _TWO:
        target = operands.pop()
    place = locate(machine, state, target) if target is not None else None
    if name == "mv":
        for source in operands:
            written(machine, state, where, source)
    if place is None:
        return
    into = machine.is_folder(place)
    for source in operands:
        for path in _arriving(machine, state, where, source, place, into=into):
            inside = machine.inside(path)
            if inside is not None and inside in machine.tree:
                machine.replaced.setdefault(inside, where)


def _arriving(machine: Machine, state: State, where: str, source: Value, place: str, *, into: bool) -> Iterator[str]:
    """Where the copies of a source lie, relative to the workspace."""
    path = locate(machine, state, source)
    if path is not None and machine.is_folder(path):
        whole = str(source).endswith(("/.", "/..")) or str(source) in (".", "..")
        base = posixpath.join(place, posixpath.basename(path)) if into and not whole else place
        prefix = "" if (inside := machine.inside(path)) in (None, ".") else f"{inside}/"
        for one in machine.look(machine.tree.paths(), where):
            if one.startswith(prefix):
                yield posixpath.normpath(posixpath.join(base, one[len(prefix) :]))
    elif not into:
        yield place
    elif source.many:
        for one in _files(machine, state, where, source):
            yield posixpath.normpath(posixpath.join(place, posixpath.basename(one)))
    else:
        # The name is known even where the folder that it comes from is not.
        name = (source.pieces[-1].text or "").rpartition("/")[2] if source.pieces else ""
        yield posixpath.normpath(posixpath.join(place, name))


def _edited(machine: Machine, state: State, where: str, name: str, words: Sequence[Value]) -> None:
    """`sed -i` and `perl -pi`: the files that they edit in place, and by what."""
    scripts: list[str] = []
    operands: list[Value] = []
    in_place, at = False, 0
    while at < len(words):
        head = words[at].head
        short = head[1:] if head.startswith("-") and not head.startswith("--") else ""
        in_place = in_place or "i" in short.partition("e")[0] or head.startswith("--in-place")
        if head in ("-e", "--expression", "-f", "--file") or (name == "perl" and short.endswith("e")):
            scripts.append((words[at + 1].text or "") if at + 1 < len(words) and head in ("-e", "--expression") else "")
            at += 2
            continue
        if not head.startswith("-"):
            operands.append(words[at])
        at += 1
    if not in_place:
        return
    if not scripts and operands:
        scripts.append(operands.pop(0).text or "")
    alteration = Alteration(where, tuple(scripts) if name != "perl" else ())
    for word in operands:
        for path in _files(machine, state, where, word):
            _alter(machine, path, alteration)
