"""Commands that a log shows and no workflow holds, as a workflow of one job that only this process sees.

Recipes and gates then work on the scripts and configurations that the commands name. The workflow itself is no file of
the repository: nothing may be edited in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from triage.model.trail import Announced

FOLDER = "(commands of the log)/"
JOB = "commands"
_VARIABLE = re.compile(r"[A-Za-z_]\w*\Z")
# Its places, one after the other: their lines are of a file that nobody can open.
_PLACES = re.compile(
    rf"{re.escape(FOLDER)}[\w-]+\.yml(?::[0-9]+)?(?:(?:, | and ){re.escape(FOLDER)}[\w-]+\.yml(?::[0-9]+)?)*"
)
# The runner prints secrets so, and a template that was not filled in is nothing that ran.
_HIDDEN = ("***", "${{")


def is_typed(path: str) -> bool:
    return path.startswith(FOLDER)


def spoken(text: str) -> str:
    """The text as a person may read it, who knows the log and not this workflow."""
    return _PLACES.sub(
        lambda found: "commands in the log" if found[0].count(FOLDER) > 1 else "a command in the log", text
    )


def typed_path(name: str) -> str:
    """A path for the commands of one failed job; distinct for distinct names."""
    return f"{FOLDER}{re.sub(r'[^A-Za-z0-9_-]+', '-', name) or 'job'}.yml"


def typed_workflow(steps: Sequence[Announced]) -> bytes:
    """YAML whose strings are JSON, so that no text of the log can mean anything but itself."""
    lines = ["on: push", "jobs:", f"  {JOB}:", "    runs-on: unknown", "    steps:"]
    for step in steps:
        script = "\n".join(step.script)
        if script.strip() and "${{" not in script:
            lines.append(f"      - name: {_quoted(step.title)}")
            lines += _environment(step.environment)
            lines.append("        run: |2")
            lines += [f"          {_printable(line)}".rstrip() for line in step.script]
    return ("\n".join(lines) + "\n").encode()


def _quoted(text: str) -> str:
    return json.dumps(_printable(text), ensure_ascii=False)


def _printable(text: str) -> str:
    """YAML refuses a file for one control character, and no command needs any but the tab."""
    return "".join(char if char.isprintable() or char == "\t" else "?" for char in text)


def _environment(entries: Sequence[str]) -> list[str]:
    pairs = [entry.partition("=") for entry in entries]
    kept = {name: value for name, _, value in pairs if _VARIABLE.match(name) and not any(h in value for h in _HIDDEN)}
    return ["        env:", *(f"          {name}: {_quoted(value)}" for name, value in kept.items())] if kept else []
