"""Command lines of programs that run other programs: where the inner command starts, what a shell is told to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from triage.fixes.evaluate.submitting import submitted
from triage.fixes.evaluate.values import ONE_WORD, Value, unknown

# Programs that start Python code, an engine's server included.
PYTHON = ("python", "python3", "torchrun", "accelerate", "deepspeed", "pytest", "tune", "vllm", "sglang")
SHELLS = ("bash", "sh", "dash", "zsh")


def shell_words(shell: str) -> list[str]:
    """The words of a step's `shell`, without `arch -arch arm64`, which chooses the processor that macOS runs it for."""
    words = shell.split()
    return words[3:] if words[:2] == ["arch", "-arch"] else words


class Wrapper(NamedTuple):
    """Options of a wrapper that take a value, and how many words come before the inner command."""

    valued: tuple[str, ...] = ()
    operands: int = 0
    assignments: bool = False
    subcommand: str = ""


_UV = (
    *(
        "--extra",
        "--no-extra",
        "--group",
        "--no-group",
        "--only-group",
        "--with",
        "--with-editable",
        "--env-file",
        "-p",
    ),
    *("--with-requirements", "--package", "--python", "--project", "--directory", "--index-url", "-i", "--index"),
    *("--extra-index-url", "--find-links", "-f", "--cache-dir", "--config-file", "--link-mode", "--resolution"),
    *("--prerelease", "--python-platform", "--refresh-package", "--reinstall-package", "--upgrade-package", "-P"),
    *("--no-binary-package", "--no-build-package", "--no-build-isolation-package", "--color", "--exclude-newer"),
)
_WRAPPERS: Mapping[str, Wrapper] = {
    "timeout": Wrapper(("-s", "--signal", "-k", "--kill-after"), operands=1),
    "env": Wrapper(("-u", "--unset", "-C", "--chdir"), assignments=True),
    "nice": Wrapper(("-n", "--adjustment")),
    "ionice": Wrapper(("-c", "-n", "--class", "--classdata")),
    "nohup": Wrapper(),
    "setsid": Wrapper(),
    "stdbuf": Wrapper(("-i", "-o", "-e")),
    "sudo": Wrapper(("-u", "--user", "-g", "--group", "-h", "-C", "-D"), assignments=True),
    "xvfb-run": Wrapper(("-n", "-s", "--server-args", "-e", "-f", "-l")),
    "numactl": Wrapper(("-N", "-m", "-i", "-C", "-p")),
    "taskset": Wrapper(operands=1),
    "chrt": Wrapper(operands=1),
    "retry": Wrapper(("-t", "-d", "--times", "--delay")),
    "catchsegv": Wrapper(),
    "uv": Wrapper(_UV, subcommand="run"),
    "poetry": Wrapper(("-C", "--directory", "-P", "--project"), subcommand="run"),
    "pipenv": Wrapper(subcommand="run"),
    "hatch": Wrapper(("-e", "--env"), subcommand="run"),
    "conda": Wrapper(("-n", "--name", "-p", "--prefix", "--cwd"), subcommand="run"),
    "micromamba": Wrapper(("-n", "--name", "-p", "--prefix", "--cwd"), subcommand="run"),
}


class Inner(NamedTuple):
    """Where the inner command starts in the words, and the words that set its environment."""

    at: int
    assignments: tuple[Value, ...] = ()


def unwrap(words: Sequence[Value]) -> Inner | None:
    """The command inside one wrapper. None when this is no wrapper, or its words are not understood."""
    name = (words[0].text or "").rpartition("/")[2] if words else ""
    if name == "ray":
        at = submitted(words)
        return None if at is None else Inner(at)
    wrapper = _WRAPPERS.get(name)
    if wrapper is None:
        return None
    at = 1
    if wrapper.subcommand:
        subcommand = _skip_options(words, at, wrapper.valued)
        if subcommand is None or words[subcommand].text != wrapper.subcommand:
            return None
        at = subcommand + 1
    found = _skip_options(words, at, wrapper.valued)
    if found is None:
        return None
    at, assignments = found + wrapper.operands, []
    while wrapper.assignments and at < len(words) and _is_assignment(words[at]):
        assignments.append(words[at])
        at += 1
    return Inner(at, tuple(assignments)) if at < len(words) and not _any_many(words[:at]) else None


def _skip_options(words: Sequence[Value], at: int, valued: tuple[str, ...]) -> int | None:
    """The first word that is no option; None when a word before it is unknown."""
    while at < len(words):
        head = words[at].head
        if not _is_visible(words[at]):
            return None
        if head == "--":
            return at + 1 if at + 1 < len(words) else None
        if not head.startswith("-") or head == "-":
            return at
        at += 2 if head in valued else 1
    return None


def _is_visible(word: Value) -> bool:
    """Whether enough of a word is known to tell an option from a path: its head, or that it starts with a folder."""
    return bool(word.head) or word.text is not None or word.pieces[0].name in ONE_WORD


def _is_assignment(word: Value) -> bool:
    name, equals, _ = word.head.partition("=")
    return bool(equals) and name.isidentifier()


def _any_many(words: Sequence[Value]) -> bool:
    return any(word.many for word in words)


def with_input(words: tuple[Value, ...], inner: int) -> tuple[Value, ...]:
    """A command with what `xargs` puts behind it: words of its input."""
    names = [word.head for word in words[inner:]]
    takes = bool(names) and names[0].rpartition("/")[2] == "xargs"
    placed = any(name.startswith(("-I", "-i", "--replace")) for name in names)
    return (*words, unknown("xargs", many=True)) if takes and not placed else words


class ShellCall(NamedTuple):
    """What a shell is told to run: a script file or, with `-c`, a text; `at` is its word, arguments follow it."""

    at: int
    text: bool
    options: frozenset[str]


_SHORT = {"e": "errexit", "u": "nounset", "x": "xtrace", "f": "noglob", "n": "noexec"}


def shell_call(words: Sequence[Value]) -> ShellCall | None:
    """None when no script is named, or a word before it is unknown."""
    at, text = 1, False
    options: set[str] = set()
    while at < len(words):
        word = words[at].text
        if words[at].many or not _is_visible(words[at]):
            return None
        if word is None or not word.startswith(("-", "+")) or word in ("-", "--"):
            at += word == "--"
            return ShellCall(at, text, frozenset(options)) if at < len(words) and word != "-" else None
        if word.startswith("--"):
            at += 2 if word in ("--rcfile", "--init-file") else 1
            continue
        for flag in word[1:]:
            text = text or flag == "c"
            if flag == "s":
                return None
            if flag == "o" and at + 1 < len(words):
                at += 1
                options.add(words[at].text or "")
            elif flag in _SHORT:
                options.add(_SHORT[flag])
        at += 1
    return None


def option_changes(words: Sequence[Value]) -> tuple[frozenset[str], frozenset[str], int | None]:
    """Of `set`: options turned on, turned off, and where its arguments start (None when there are none)."""
    on: set[str] = set()
    off: set[str] = set()
    at = 1
    while at < len(words):
        word = words[at].text or ""
        if word == "--":
            return frozenset(on), frozenset(off), at + 1
        if word[:1] not in ("-", "+") or word in ("-", "+"):
            return frozenset(on), frozenset(off), at
        target = on if word[0] == "-" else off
        for flag in word[1:]:
            if flag == "o" and at + 1 < len(words):
                at += 1
                target.add(words[at].text or "")
            elif flag in _SHORT:
                target.add(_SHORT[flag])
        at += 1
    return frozenset(on), frozenset(off), None


def ends_a_test(words: Sequence[Value]) -> bool:
    """Of `[ a || "$b" = c ]` the shell takes `"$b" = c ]` for a command, and finds none of that name."""
    first = words[0].pieces[0] if words[0].pieces else None
    bare = first is not None and first.site is not None and not first.via and not first.site.quote
    return words[-1].text == "]" and len(words) > 1 and not (bare and words[0].head[:1].isalpha())
