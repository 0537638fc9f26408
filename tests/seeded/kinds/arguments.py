"""Arguments that a program refuses: a flag misspelt, a value that is none of the flag's choices."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from functools import lru_cache

from tests.seeded.launch import Command, commands, misspelt, pick
from tests.seeded.seed import Seed
from tests.seeded.site import HOME, Site
from triage.interfaces import Tree

_FLAG = re.compile(r"(?<=[\s\"'])(--[a-z][\w-]{4,})(?![\w.-])(?:[ =]([\w.-]+))?")
_DECLARED = re.compile(r"add_argument\(\s*(?:[\"']-\w+[\"'],\s*)?[\"'](--[\w-]+)[\"']")
_CHOICES = re.compile(
    r"add_argument\(\s*[\"'](--[\w-]+)[\"'](?:(?!add_argument)[^()]|\([^()]*\))*?choices=[\[(]([^\])]*)[\])]"
)
_PROGRAM = re.compile(
    r"(?:\bpython3?|\btorchrun|\buv run|\bdeepspeed|\baccelerate launch)\b.*?(?P<script>[\w./-]+\.py)\b"
)
_PYTEST = re.compile(r"^(?:[\w=./-]+ )*(?:python3? -m )?pytest\b")


def flag_misspelt(site: Site) -> Iterator[Seed]:
    """Two letters of a flag swapped, of a program whose parser the tree has, or of pytest."""
    for command, program in _running(site):
        pytest = program == "pytest"
        known = _PYTEST_FLAGS if pytest else _declared(site.tree)
        lines = _from_program(command, program)
        own = [(n, line) for n, line in lines for found in _FLAG.finditer(_behind(line, program)) if found[1] in known]
        own = [one for one in own if command.text.count(one[1]) == 1]
        chosen = pick(own, command.path)
        if not chosen:
            continue
        found = next(one for one in _FLAG.finditer(_behind(chosen[1], program)) if one[1] in known)
        wrong = f"--{misspelt(found[1][2:])}"
        line = chosen[1].replace(found[1], wrong, 1)
        value = found[0][len(found[1]) :]
        said = wrong if pytest and value.startswith(" ") else f"{wrong}{value}"
        yield command.seed(chosen[0], line, _unrecognized(program, said, sorted(known)), wrong)


def choice_misspelt(site: Site) -> Iterator[Seed]:
    """Two letters of a value swapped, where the tree's parser lists the choices."""
    choices = _choices(site.tree)
    for command, program in _running(site):
        own = [
            (n, line)
            for n, line in _from_program(command, program)
            for found in _FLAG.finditer(_behind(line, program))
            if found[2] in choices.get(found[1], ()) and len(found[2]) > 3 and command.text.count(line) == 1
        ]
        chosen = pick(own, command.path)
        if not chosen:
            continue
        behind = _behind(chosen[1], program)
        found = next(one for one in _FLAG.finditer(behind) if one[2] in choices.get(one[1], ()) and len(one[2]) > 3)
        wrong = misspelt(found[2])
        line = chosen[1].replace(found[0], found[0].replace(found[2], wrong), 1)
        listed = ", ".join(f"'{one}'" for one in choices[found[1]])
        said = f"argument {found[1]}: invalid choice: '{wrong}' (choose from {listed})"
        yield command.seed(
            chosen[0],
            line,
            (*_usage(program, sorted(_declared(site.tree))), f"{program}: error: {said}"),
            f"{found[1]} {wrong}",
        )


# Options of pytest itself, and of plugins that nearly everybody installs.
_PYTEST_FLAGS = frozenset(
    ("--durations", "--maxfail", "--verbose", "--capture", "--junitxml", "--junit-xml", "--ignore", "--tb", "--cov",
     "--cov-report", "--cov-append", "--asyncio-mode", "--timeout", "--dist", "--numprocesses", "--color",
     "--disable-warnings", "--exitfirst", "--strict-markers", "--cov-config", "--reruns", "--override-ini")
)  # fmt: skip


def _running(site: Site) -> Iterator[tuple[Command, str]]:
    """Commands that start a program of the tree, and pytest, one of each file: with what argparse calls it."""
    seen = set()
    for command in commands(site):
        text = command.joined
        if " --" not in text:
            continue
        found = _PROGRAM.search(text)
        program = "pytest" if _PYTEST.search(text) else ""
        if not program and found and _in(site, found["script"]):
            program = found["script"].split("/")[-1]
        if program and (command.path, program) not in seen:
            seen.add((command.path, program))
            yield command, program


def _from_program(command: Command, program: str) -> list[tuple[int, str]]:
    """The lines from the one that names the program on: before it stand the launcher's flags."""
    lines = list(command.lines)
    at = next((number for number, (_, line) in enumerate(lines) if program in line), 0)
    return lines[at:]


def _behind(line: str, program: str) -> str:
    """Without what stands before the program on its line: the launcher's own flags."""
    at = line.find(program)
    return line[at:] if at >= 0 else line


def _in(site: Site, script: str) -> bool:
    name = script.split("/")[-1]
    return any(path == name or path.endswith(f"/{name}") for path in site.tree.paths())


@lru_cache(maxsize=2)
def _declared(tree: Tree) -> frozenset[str]:
    return frozenset(flag for text in _sources(tree) for flag in _DECLARED.findall(text))


@lru_cache(maxsize=2)
def _choices(tree: Tree) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, set[tuple[str, ...]]] = {}
    for text in _sources(tree):
        for flag, listed in _CHOICES.findall(text):
            values = tuple(re.findall(r"[\"']([\w.-]+)[\"']", listed))
            found.setdefault(flag, set()).add(values)
    return {flag: values.pop() for flag, values in found.items() if len(values) == 1}


@lru_cache(maxsize=2)
def _sources(tree: Tree) -> tuple[str, ...]:
    return tuple(
        tree.read(path).decode("utf-8", "replace")
        for path in tree.paths()
        if path.endswith(".py") and b"add_argument" in tree.read(path)
    )


def _usage(program: str, known: list[str]) -> tuple[str, ...]:
    words = f"usage: {program} [-h] " + " ".join(f"[{one} {one[2:].upper().replace('-', '_')}]" for one in known[:40])
    return tuple(textwrap.wrap(words, 80, subsequent_indent=" " * (8 + len(program)), break_on_hyphens=False))


def _unrecognized(program: str, arguments: str, known: list[str]) -> tuple[str, ...]:
    if program == "pytest":
        return (
            "ERROR: usage: pytest [options] [file_or_dir] [file_or_dir] [...]",
            f"pytest: error: unrecognized arguments: {arguments}",
            f"  inifile: {HOME}/pyproject.toml",
            f"  rootdir: {HOME}",
            "",
            "##[error]Process completed with exit code 4.",
        )
    return (
        *_usage(program, known),
        f"{program}: error: unrecognized arguments: {arguments}",
        "##[error]Process completed with exit code 2.",
    )
