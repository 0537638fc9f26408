"""What the build of an image runs: its Dockerfile's RUN instructions, with ARG, ENV, WORKDIR and what COPY brings."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from triage.fixes.evaluate.invocation import Evaluation, Inside, Invocation
from triage.fixes.evaluate.machine import Frame, Machine
from triage.fixes.evaluate.state import State, Variable
from triage.fixes.evaluate.statements import run
from triage.fixes.evaluate.values import unknown
from triage.fixes.manifests.dockerfile import Instruction, instructions, runs_shell
from triage.fixes.project import project_name
from triage.fixes.refusal import Refusal
from triage.fixes.shell.parse import has_errors, parse
from triage.fixes.shell.script import Script
from triage.interfaces import Tree

_SHELL_ONLY = re.compile(r"[;|&()<>`]")


def evaluate_image(
    tree: Tree, path: str, context: str = ".", overridden: Collection[str] = (), *, closed: bool = True
) -> Evaluation | Refusal:
    """Every program that the RUN instructions start; `step` counts the file's instructions from 0.

    `context` is the folder that COPY reads from, "" unknown. `overridden` are names of `ARG`s whose value comes from
    outside; without `closed` that may be any of them.
    """
    data = tree.read(path)
    found = instructions(data)
    if isinstance(found, Refusal):
        return Refusal(found.reason, path)
    build = _Build(
        Machine(tree, run, mount=None),
        Machine(tree, run),
        path,
        data,
        context,
        frozenset(overridden),
        closed,
        project_name(tree).lower(),
    )
    for index, one in enumerate(found):
        build.take(index, one)
    return Evaluation(tuple(build.placed()), tuple(build.machine.notes))


_MOUNT = re.compile(r"--mount=(type=bind,\S+)")


@dataclass(slots=True)
class _Stage:
    """What an instruction changes for those after it."""

    variables: dict[str, Variable] = field(default_factory=dict)
    arguments: set[str] = field(default_factory=set)
    folder: str | None = "/"
    copied: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class _Build:
    machine: Machine
    # The repository as a job sees it: the image's own machine sees nothing of it.
    repository: Machine
    path: str
    data: bytes
    context: str
    overridden: frozenset[str]
    closed: bool
    name: str = ""
    stage: _Stage = field(default_factory=_Stage)
    named: dict[str, _Stage] = field(default_factory=dict)
    outer: dict[str, Variable] = field(default_factory=dict)
    begun: bool = False
    # Where each RUN instruction finds the repository's files.
    places: dict[int, _Stage] = field(default_factory=dict)

    def take(self, index: int, one: Instruction) -> None:
        text = self.data[one.start : one.end].decode("utf-8", "replace")
        match one.name:
            case "FROM":
                self._begin(text)
            case "ARG" | "ENV":
                self._set(one, text)
            case "WORKDIR":
                self.stage.folder = _joined(self.stage.folder, text.strip().strip("\"'"))
            case "COPY" | "ADD":
                options = self.data[one.named : one.start].decode("utf-8", "replace")
                if "--from" not in options:
                    self.stage.copied += tuple(self._copied(text))
            case "RUN" if runs_shell(self.data, one):
                options = self.data[one.named : one.start].decode("utf-8", "replace")
                self.places[index] = replace(self.stage, copied=(*self.stage.copied, *self._mounted(options)))
                self._run(index, one)

    def _begin(self, text: str) -> None:
        """A stage starts with what the stage that it is made from holds, `ARG`s apart; an image from elsewhere may hold
        anything. `ARG`s before the first stage are seen where a stage names them."""
        words = [word for word in text.split() if not word.startswith("--")]
        base = self.named.get(words[0].lower()) if words else None
        if not self.begun:
            self.outer, self.begun = dict(self.stage.variables), True
        kept = {name: one for name, one in base.variables.items() if name not in base.arguments} if base else {}
        self.stage = replace(base, variables=kept, arguments=set()) if base else _Stage()
        if len(words) >= 3 and words[-2].lower() == "as":
            self.named[words[-1].lower()] = self.stage

    def _set(self, one: Instruction, text: str) -> None:
        name, equals, _ = text.strip().partition("=")
        if one.name == "ARG":
            self.stage.arguments.add(name)
            if name in self.outer and not equals and self.closed and name not in self.overridden:
                self.stage.variables[name] = self.outer[name]
                return
        old_form = one.name == "ENV" and (not equals or " " in name.strip())
        outside = one.name == "ARG" and (name in self.overridden or not self.closed or not equals)
        odd = bool(_SHELL_ONLY.search(text))  # no shell reads it: a `;` is a letter here
        if old_form or outside or odd or has_errors(one.shell):
            self._unclear(text.split(None, 1)[:1] if old_form else [name.strip()])
            return
        state = self._state()
        before = dict(state.variables)
        ends = self.machine.execute(Frame(self._script(one)), parse(one.shell), [state])
        if len(ends) == 1:
            after = {key: value for key, value in ends[0].variables.items() if value is not before.get(key)}
            self.stage.variables |= {key: replace(value, exported=True) for key, value in after.items()}

    def _unclear(self, names: list[str]) -> None:
        self.stage.variables |= {name: Variable(unknown(name), exported=True) for name in names if name.isidentifier()}

    def _state(self) -> State:
        return State(dict(self.stage.variables), directory=self.stage.folder, open=True)

    def _script(self, one: Instruction) -> Script:
        return Script(self.path, one.shell, self.data)

    def _run(self, index: int, one: Instruction) -> None:
        if has_errors(one.shell):
            self.machine.note(f"{self.path}: an instruction that bash cannot read was left out")
            return
        self.machine.step = index
        self.machine.step_name = (
            "RUN " + " ".join(self.data[one.start : one.end].decode("utf-8", "replace").split())[:80]
        )
        self.machine.execute(Frame(self._script(one)), parse(one.shell), [self._state()])

    def _copied(self, text: str) -> Iterator[tuple[str, str]]:
        """Pairs of a path in the image and one in the repository."""
        words = _words(text)
        target = _joined(self.stage.folder, words[-1]) if len(words) > 1 else None
        for source in words[:-1] if target is not None else ():
            own = self._own(source)
            if own is None or target is None or any(sign in source for sign in "*?["):
                continue
            whole = own in self.machine.tree
            inside = whole and (words[-1].endswith(("/", ".")) or len(words) > 2)
            yield (posixpath.join(target, posixpath.basename(own)) if inside else target), own

    def _mounted(self, options: str) -> Iterator[tuple[str, str]]:
        """Files of the build's context that one instruction sees: `--mount=type=bind,source=a,target=b`."""
        for mount in _MOUNT.findall(options):
            given = dict(part.partition("=")[::2] for part in mount.split(","))
            target = given.get("target") or given.get("dst") or given.get("destination") or ""
            own = self._own(given.get("source") or given.get("src") or ".")
            place = _joined(self.stage.folder, target) if target and "from" not in given else None
            if own is not None and place is not None:
                yield place, own

    def _own(self, source: str) -> str | None:
        """In the repository, as a file or a folder, below the folder that the build is given."""
        for context in [self.context] if self.context else [".", posixpath.dirname(self.path)]:
            path = posixpath.normpath(posixpath.join(context or ".", source.lstrip("/") or "."))
            if not path.startswith("..") and (path in self.machine.tree or self.repository.is_folder(path)):
                return path
        return None

    def _cloned(self, one: Invocation) -> Iterator[tuple[str, str]]:
        """A clone of the repository itself, by its name: what is merged here is what the next build clones."""
        words = [value.text or "" for value in one.program]
        if words[:2] != ["git", "clone"] or one.directory is None or not self.name:
            return
        address = next((word for word in words[2:] if "://" in word or word.startswith("git@")), "")
        if posixpath.basename(address.rstrip("/")).removesuffix(".git").lower() == self.name:
            target = words[-1] if words[-1] != address else posixpath.basename(address).removesuffix(".git")
            yield posixpath.normpath(posixpath.join(one.directory, target)), "."

    def placed(self) -> Iterator[Invocation]:
        """The recorded commands, each with what it finds of the repository."""
        cloned: list[tuple[str, str]] = []
        for one in self.machine.recorded.values():
            stage = self.places[one.step]
            inside = Inside(one.directory, (*cloned, *stage.copied))
            cloned += self._cloned(one)
            own = inside.own(".")
            yield replace(one, inside=inside, directory=own or None)


def _joined(folder: str | None, path: str) -> str | None:
    """A path of the image; None where a variable is part of it."""
    if "$" in path or (folder is None and not path.startswith("/")):
        return None
    return posixpath.normpath(posixpath.join(folder or "/", path))


def _words(text: str) -> list[str]:
    bare = text.replace("\\\n", " ").strip()
    try:
        return [word.strip(",") for word in shlex.split(bare.strip("[]"))] if bare.startswith("[") else bare.split()
    except ValueError:
        return []
