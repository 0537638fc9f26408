"""What a program prints, where that is known, and what of it goes to the environment of later steps."""

from __future__ import annotations

from collections.abc import Sequence

from triage.fixes.evaluate.filters import filtered
from triage.fixes.evaluate.machine import Machine
from triage.fixes.evaluate.places import toplevel
from triage.fixes.evaluate.state import State
from triage.fixes.evaluate.values import Value, known, unknown, without_line_end
from triage.fixes.evaluate.written import writes


def prints(machine: Machine, state: State, name: str, words: Sequence[Value], where: str) -> None:
    """And what it writes to files of the repository."""
    writes(machine, state, where, name, words)
    printed = filtered(name, words, state.input)
    state.say(printed if printed is not None else _output(machine, state, name, words))
    if name == "tee" and state.input is not None and any(_to_environment(word) for word in words):
        _keep_input(state, state.input)


def _output(machine: Machine, state: State, name: str, words: Sequence[Value]) -> Value:
    if name in machine.assumptions.outputs:
        return known(machine.assumptions.outputs[name])
    return toplevel(machine, state, words) or unknown(f"$({' '.join(map(str, words[:2]))})")


def _to_environment(word: Value) -> bool:
    return len(word.pieces) == 1 and word.pieces[0].name == "GITHUB_ENV"


def _keep_input(state: State, printed: Value) -> None:
    name, equals, rest = printed.head.partition("=")
    if equals and name.isidentifier() and "\n" not in rest.rstrip("\n"):
        state.exports[name] = without_line_end(printed.after(f"{name}="))
    else:
        state.exports[""] = unknown("GITHUB_ENV")
