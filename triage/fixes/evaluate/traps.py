"""What a script runs when it ends."""

from __future__ import annotations

from dataclasses import replace

from triage.fixes.evaluate.invocation import Call
from triage.fixes.evaluate.machine import Frame, Machine
from triage.fixes.evaluate.state import Flow, State, Status
from triage.fixes.evaluate.values import Value
from triage.fixes.shell.parse import parse
from triage.fixes.shell.script import value_script


def set_trap(machine: Machine, state: State, call: Call, words: tuple[Value, ...]) -> list[State]:
    """Keeps what runs at the end of the script; what runs on signals and errors is not followed."""
    if len(words) > 2 and any(word.text in ("EXIT", "0") for word in words[2:]):
        state.trap = None if words[1].text in ("-", "") else words[1]
    elif len(words) > 2 and words[1].text not in ("-", ""):
        machine.note(f"{call.path}:{call.line}: what `trap` runs on {words[2]} is not followed")
    return state.end(Status.TRUE)


def finished(machine: Machine, frame: Frame, ends: list[State]) -> list[State]:
    """The ends of a script, after what it trapped for its exit."""
    after: list[State] = []
    for end in ends:
        trap, end.trap = end.trap, None
        if trap is None or trap.text is None:
            after.append(end)
            continue
        end.flow = Flow.ON
        script = value_script(frame.script.path, frame.script.source, trap, 0, 0)
        after += machine.execute(replace(frame, script=script), parse(script.data), [end])
    return after
