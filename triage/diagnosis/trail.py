"""What a log says that ran: the steps that the runner announced, the commands that shells traced, the failed tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from triage.model.log import Command, LineKind, LogReading, Probed
from triage.model.trail import BY_PROMPT, Announced, Trail

_TITLE = "##[group]Run "
_MOST_STEPS, _MOST_LINES, _MOST_TRACED, _MOST_TESTS, _MOST_NAMED = 60, 400, 60, 20, 40

# What a launcher says that it runs, and which configuration.
_SAID = (("script_named", "path"), ("configuration_named", "name"))


def trail_of(reading: LogReading, until: int) -> Trail:
    """As of raw line `until`, the line of the failure; test files are taken from the whole log."""
    own = [command for command in reading.commands if command.line.number <= until]
    traced = [command.text for command in own if command.line.kind is LineKind.XTRACE]
    announced = tuple(_announced(own)) or tuple(_typed(reading, until))
    named, configured = (tuple(dict.fromkeys(_said(reading, until, *one)))[:_MOST_NAMED] for one in _SAID)
    tests = tuple(_tests(reading))
    whole = len(announced) <= _MOST_STEPS
    return Trail(announced[-_MOST_STEPS:], tuple(traced[-_MOST_TRACED:]), tests, named, configured, whole)


def _announced(commands: list[Command]) -> Iterator[Announced]:
    title = ""
    script: list[str] = []
    environment: list[str] = []
    for command in commands:
        if command.line.kind is LineKind.SCRIPT:
            script.append(command.text)
        elif command.line.kind is LineKind.HEADER and command.line.text.startswith(_TITLE):
            if title:
                yield Announced(title, tuple(script[:_MOST_LINES]), tuple(environment[:_MOST_LINES]))
            title, script, environment = f"Run {command.text}", [], []
        elif command.line.kind is LineKind.HEADER:
            environment.append(command.text)
    if title:
        yield Announced(title, tuple(script[:_MOST_LINES]), tuple(environment[:_MOST_LINES]))


def _typed(reading: LogReading, until: int) -> Iterator[Announced]:
    """Commands behind a prompt, in a log without the steps of a runner: one shell runs them all."""
    hits = [one for one in reading.probed if one.probe == "typed" and one.line.number <= until]
    if hits:
        first = hits[-_MOST_LINES:][0].captures.get("command", "")
        yield Announced(f"Run {first}", tuple(_behind_prompts(hits[-_MOST_LINES:])))


def _behind_prompts(hits: Sequence[Probed]) -> Iterator[str]:
    """The commands, behind a `cd` wherever the prompt names another folder than before by its whole path."""
    last = ""
    for hit in hits:
        folder = hit.captures.get("folder", "")
        if folder != last and folder.startswith(("/", "~/")):
            yield f"cd {folder}{BY_PROMPT}"
        last = folder
        yield hit.captures.get("command", "")


def _said(reading: LogReading, until: int, probe: str, capture: str) -> Iterator[str]:
    for hit in reading.probed:
        if hit.probe == probe and hit.line.number <= until:
            yield hit.captures.get(capture, "")


def _tests(reading: LogReading) -> list[str]:
    """`FAILED tests/a/test_b.py::test_c - ...`: the files, each once."""
    named = (hit.line.text.split() for hit in reading.probed if hit.probe == "tests_failed")
    nodes = (words[1] for words in named if len(words) > 1 and words[0] == "FAILED" and "::" in words[1])
    return list(dict.fromkeys(node.partition("::")[0] for node in nodes))[:_MOST_TESTS]
