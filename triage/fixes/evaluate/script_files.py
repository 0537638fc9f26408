"""Scripts that a command runs: files of the repository, words of the command, what its shell reads from its input."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from triage.fixes.evaluate.invocation import Call
from triage.fixes.evaluate.machine import Frame, Machine
from triage.fixes.evaluate.places import locate
from triage.fixes.evaluate.programs import SHELLS
from triage.fixes.evaluate.state import State
from triage.fixes.evaluate.values import Value
from triage.fixes.shell.script import Script, file_script, has_crlf, nested_script, value_script

# Options of a shell that reads its script from its input.
_READING = ("-", "-l", "--login", "-e", "-x", "-ex")


def own_script(machine: Machine, state: State, word: Value) -> str | None:
    """A shell script of the repository that is called by its path."""
    if "/" not in str(word) or word.many:
        return None
    path = locate(machine, state, word)
    if path is None or not machine.is_file(path):
        return None
    first = script_of(machine, path).data[:80].split(b"\n")[0]
    return path if first.startswith(b"#!") and any(shell.encode() in first for shell in SHELLS) else None


def fed_script(state: State, words: Sequence[Value]) -> Value | None:
    """The script that a shell reads from its input, where that is known: `bash <<EOF`, `bash -s a b <<EOF`."""
    plain = len(words) == 1 or words[1].text == "-s" or (len(words) == 2 and words[1].text in _READING)
    given = state.input
    return given if plain and given is not None and given.head.strip() and not given.many else None


def given_script(machine: Machine, frame: Frame, call: Call, value: Value) -> Script:
    """Where it stands in its file; else as a text that can be read only."""
    for path in dict.fromkeys((frame.script.path, *(site.path for site in value.sites))):
        own = frame.script.source if path == frame.script.path else machine.source(path)
        if (script := nested_script(path, own, value)) is not None:
            return script
    return value_script(frame.script.path, frame.script.source, value, call.start, call.end)


def script_of(machine: Machine, path: str) -> Script:
    inside = posixpath.normpath(machine.inside(path) or path)
    if inside not in machine.scripts:
        script = machine.scripts[inside] = file_script(inside, machine.tree.read(inside))
        if has_crlf(script.source):
            machine.note(f"{inside}: its lines end in CR LF, and bash takes the CR for a part of the last word")
    return machine.scripts[inside]
