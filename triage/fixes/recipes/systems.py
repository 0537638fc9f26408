"""Which system of a job failed, its own or one that it hands commands to, and what a fix may look at then."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence

from triage.fixes.evaluate.invocation import Evaluation, Invocation
from triage.fixes.evaluate.programs import PYTHON
from triage.fixes.recipes.failing import failing
from triage.model.diagnosis import Facts

# Programs that a failure is about, besides those that start Python: they install, or build.
INSTALLERS = frozenset(
    ("pip", "pip3", "uv", "poetry", "conda", "mamba", "micromamba", "apt", "apt-get", "dnf", "yum", "apk")
)
_WORK = INSTALLERS | {"cmake", "make", "ninja", "nvcc", "cargo", "npm", "twine"}


def system_of_failure(facts: Facts, concerned: Sequence[Invocation]) -> str:
    """Of the command that failed; where the log does not tell it, the one system in which all of them do their work.
    "" is the job's own, also where that is not clear."""
    if all(one.system == "" for one in concerned):
        return ""
    failed = failing(facts, concerned)
    systems = _systems(concerned)
    inner = {system for one in failed for system in systems.get(_key(one), set()) - {one.system}}
    inner = inner or {one.system for one in failed}
    entering = _entering(concerned)
    working = {one.system for one in concerned if _works(one) and _key(one) not in entering}
    found = inner or working
    return found.pop() if len(found) == 1 else ""


def seen_by(evaluation: Evaluation, system: str) -> Evaluation:
    """What concerns a failure in the system: its own commands. Of those outside, a failure inside sees only what
    neither installs anything nor starts a program, such as the lines that start the container."""
    every = evaluation.invocations
    entering = _entering(every) if system else frozenset()
    kept = tuple(
        one
        for one in every
        if one.system == system or (system and one.system == "" and (_key(one) in entering or not _apart(one)))
    )
    return evaluation if len(kept) == len(evaluation.invocations) else Evaluation(kept, evaluation.notes)


def _apart(one: Invocation) -> bool:
    return _name(one) in INSTALLERS or one.module == "pip" or _starts_python(one)


def _systems(every: Iterable[Invocation]) -> dict[tuple[str, int], set[str]]:
    """Where a command, by the key of its call, runs something: itself, and what it leads to."""
    found: dict[tuple[str, int], set[str]] = {}
    for one in every:
        for call in one.calls:
            found.setdefault(call.key, set()).add(one.system)
    return found


def _entering(every: Sequence[Invocation]) -> frozenset[tuple[str, int]]:
    """Of the commands that hand another one to a system: the keys of their calls."""
    inside = {call.key for one in every if one.system for call in one.calls[:-1]}
    systems = _systems(every) if inside else {}
    return frozenset(key for one in every if (key := _key(one)) in inside and systems[key] - {one.system})


def _key(one: Invocation) -> tuple[str, int]:
    return one.calls[-1].key if one.calls else ("", -1)


def _works(one: Invocation) -> bool:
    return not one.substitution and (_name(one) in _WORK or _starts_python(one))


def _name(one: Invocation) -> str:
    return posixpath.basename((one.program[0].text if one.program else "") or "")


def _starts_python(one: Invocation) -> bool:
    return _name(one) in PYTHON or any((word.text or "").endswith(".py") for word in one.program)
