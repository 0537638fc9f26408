"""What a job runs: every program with its arguments, where it is called, and under which conditions."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field

from triage.fixes.evaluate.values import Condition, Value


@dataclass(frozen=True, slots=True)
class Call:
    """One command of the chain that leads from the workflow to a program. Spans are bytes into `path`.

    `start`..`end` is the command without redirections, pipes and separators; `argument_end` is where ` argument` is
    appended to it. `words` are its arguments. `enters` is the script that it runs, "" for the last of a chain.
    `insertable` is False when the text is not in a file as it runs (built at run time, `bash -c "$text"`). `nested`
    and `span`: it stands in a word that is a script itself, within these bytes, in these quotes, innermost first.
    `lead`: where the command starts that hands this one to a container, on whose line it stands; -1: none does.
    """

    path: str
    line: int
    start: int
    end: int
    argument_end: int
    words: tuple[Value, ...]
    enters: str = ""
    function: str = ""
    insertable: bool = True
    nested: tuple[str, ...] = ()
    span: tuple[int, int] = (0, 0)
    lead: int = -1

    @property
    def key(self) -> tuple[str, int]:
        return (self.path, self.start)


@dataclass(frozen=True, slots=True)
class Inside:
    """Where a command of an image's build, or in a container, runs. `folder` is a path of the image, None unknown;
    `copied` are pairs of a path of the image and the repository's file or folder that was copied there, or is mounted,
    later ones last."""

    folder: str | None
    copied: tuple[tuple[str, str], ...] = ()

    def own(self, path: str) -> str:
        """The repository's path for what the command calls `path`; "" for what did not come from the repository."""
        rooted = path.startswith(("/", "${"))
        if self.folder is None and not rooted:
            return ""
        whole = posixpath.normpath(path if rooted else posixpath.join(self.folder or "/", path))
        for place, source in reversed(self.copied):
            if whole == place:
                return source
            if whole.startswith(f"{place.rstrip('/')}/"):
                return posixpath.normpath(posixpath.join(source, whole[len(place.rstrip("/")) + 1 :]))
        return ""


@dataclass(frozen=True, slots=True)
class Invocation:
    """A program that a step starts. `argv` is the outermost command; `argv[inner:]` the program behind wrappers.

    A wrapper is `uv run --frozen`, `timeout 60`, `env A=1`, `nice`, `sudo`; an unknown number of words is one value
    with `many`. `calls` leads from the workflow's line to this command, outermost first. `conditions` are all branches
    taken on the way; those not `decided` are assumptions. `environment` holds exported names and those set at the call.
    `step` is the index of the step in the job (from 0), `step_name` its displayed name. `directory` is where it runs,
    relative to the repository's root; None when that is not known.
    """

    argv: tuple[Value, ...]
    calls: tuple[Call, ...]
    inner: int = 0
    step: int = 0
    step_name: str = ""
    conditions: tuple[Condition, ...] = ()
    environment: Mapping[str, Value] = field(default_factory=dict, hash=False, compare=False)
    # Runs inside $( ), so that its output is what counts.
    substitution: bool = False
    combination: str = ""
    directory: str | None = field(default=".", compare=False)
    # Set for a command that a Dockerfile runs, and for one in a container or on another host.
    inside: Inside | None = field(default=None, compare=False)
    # Tells the container or host that it runs in; "" for the job's own machine.
    system: str = ""

    @property
    def program(self) -> tuple[Value, ...]:
        """The arguments of the program itself, without wrappers."""
        return self.argv[self.inner :]

    @property
    def module(self) -> str:
        """The module of `python -m MODULE` (also behind torchrun and its like); "" when there is none or unknown."""
        words = [value.text for value in self.program]
        return next((words[at + 1] or "" for at, word in enumerate(words[:-1]) if word == "-m"), "")

    def word(self, value: Value) -> str:
        """An argument's text, "" for an unknown one; what lies below the workspace as it is called from here."""
        option, equals, _ = value.head.partition("=")
        if value.text is None and equals and option.startswith("--"):
            argument = self.word(value.after(f"{option}="))
            return f"{option}={argument}" if argument else ""
        if value.text is not None or not value.pieces or value.pieces[0].name != "GITHUB_WORKSPACE":
            return value.text or ""
        if self.inside is not None:
            return self._called(value)
        below = Value(value.pieces[1:]).text
        if below is None or below[:1] not in ("", "/", "["):
            return ""
        path, bracket, extras = below.partition("[")
        inside = self.directory is not None and not self.directory.startswith("/")
        called = posixpath.relpath(f".{path}", (self.directory or ".") if inside else ".")
        return f"{called if called.startswith('.') else f'./{called}'}{bracket}{extras}"

    def _called(self, value: Value) -> str:
        """The workspace's path where a container has it mounted at that very path."""
        path, bracket, extras = str(value).partition("[")
        own = self.inside.own(path) if self.inside is not None else ""
        if not own or self.directory is None:
            return ""
        called = posixpath.relpath(own, self.directory)
        return f"{called if called.startswith('.') else f'./{called}'}{bracket}{extras}"

    @property
    def assumptions(self) -> tuple[Condition, ...]:
        return tuple(condition for condition in self.conditions if not condition.decided)

    @property
    def command_line(self) -> str:
        return " ".join(str(value) for value in self.argv)


@dataclass(frozen=True, slots=True)
class Alteration:
    """A command that edits a file in place, by these scripts of `sed`; none: by what is not known. `adds`: it only adds
    lines at the end."""

    where: str
    scripts: tuple[str, ...] = ()
    adds: bool = False


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything one job runs, in order. `notes` say what could not be followed: a missing script, PowerShell.

    `altered`: files of the repository that its commands edit in place."""

    invocations: tuple[Invocation, ...]
    notes: tuple[str, ...] = ()
    altered: Mapping[str, tuple[Alteration, ...]] = field(default_factory=dict)
