"""The gate that lets bash read, and not run, every script and run block that the draft changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import yaml

from triage.fixes.document import line_of
from triage.fixes.evaluate.programs import shell_words
from triage.fixes.manifests.dockerfile import Instruction, instructions, is_dockerfile, runs_shell
from triage.fixes.refusal import Refusal
from triage.fixes.shell.quoted import quoted_scripts
from triage.fixes.workflow.files import is_action, is_workflow
from triage.gates.change import Change, failed, ok, skipped
from triage.gates.declared import flatten
from triage.gates.escapes import loose_edit
from triage.gates.programs import NotRun, ask
from triage.model.patch import Gate

NAME = "bash -n"
_EXPRESSION = re.compile(r"\$\{\{[^}]*\}\}")
_RUN = re.compile(r".*\.run|jobs\.[^.]+\.with\.script")
_SHEBANG = re.compile(rb"#!\s*/\S*?\b(?:bash|sh)\b|#!\s*/usr/bin/env\s+(?:-\S+\s+)*(?:bash|sh)\b")


@dataclass(frozen=True, slots=True)
class Script:
    place: str
    text: str
    shell: str = ""


def shell_syntax(change: Change) -> Gate:
    """`${{ }}` is masked by a word of the same length, as GitHub would replace it before bash sees it."""
    scripts = list(_changed_scripts(change))
    foreign = [script for script in scripts if shell_words(script.shell)[:1] not in ([], ["bash"], ["sh"])]
    if foreign:
        return skipped(NAME, f"{foreign[0].place} is a {foreign[0].shell} script")
    if loose := loose_edit(change):
        return failed(NAME, f"{loose} would not stay inside the quotes that it stands in")
    for script in (*scripts, *_changed_words(change, scripts)):
        ended = ask(("bash", "--norc", "--noprofile", "-n"), {}, stdin=masked(script.text).encode())
        if isinstance(ended, NotRun):
            return skipped(NAME, ended.reason)
        if ended.code != 0:
            return failed(NAME, f"{script.place}: {_complaint(ended.errors)}")
    count = len(scripts)
    return ok(NAME, f"{count} script{'s' if count != 1 else ''}" if count else "no script is changed")


def _changed_words(change: Change, scripts: Sequence[Script]) -> Iterator[Script]:
    """Scripts that changed scripts hold as a word: `bash -c '...'`. What expands in them is one plain word here."""
    before = {text for old in change.old.values() for text in _words_of(old)}
    for script in scripts:
        for text in quoted_scripts(masked(script.text)):
            if text not in before:
                yield Script(f"{script.place}, inside its quotes", text)


def _words_of(content: bytes) -> Iterator[str]:
    """Of a file before the change, whatever it is."""
    text = content.decode("utf-8", "replace")
    try:
        blocks = [one for place, one in flatten(content).items() if _RUN.fullmatch(place)]
    except yaml.YAMLError:
        blocks = []
    for block in blocks or [text]:
        yield from quoted_scripts(masked(block))


def masked(text: str) -> str:
    return _EXPRESSION.sub(lambda found: "x" * len(found[0]), text)


def is_script(path: str, content: bytes) -> bool:
    return path.endswith((".sh", ".bash")) or _SHEBANG.match(content) is not None


def _changed_scripts(change: Change) -> Iterator[Script]:
    for path, content in sorted(change.new.items()):
        if is_workflow(path) or is_action(path):
            yield from _changed_blocks(path, change.old.get(path, b""), content)
        elif is_dockerfile(path):
            yield from _changed_runs(path, change.old.get(path, b""), content)
        elif is_script(path, content):
            yield Script(path, content.decode("utf-8", "surrogateescape").encode("utf-8", "replace").decode())


def _changed_blocks(path: str, old: bytes, new: bytes) -> Iterator[Script]:
    try:
        before, after = set(flatten(old).values()), flatten(new)
    except yaml.YAMLError:
        return  # the gate on well-formed workflows says so
    for place, text in after.items():
        if _RUN.fullmatch(place) and text not in before:
            yield Script(f"{path}:{place}", text, _shell(after, place))


def _changed_runs(path: str, old: bytes, new: bytes) -> Iterator[Script]:
    """RUN instructions as a shell gets them: joined lines, without what lies between."""
    before = {tuple(_run_text(one).split()) for one in _runs(old)}  # what lies between is blanks
    for one in _runs(new):
        text = _run_text(one)
        if tuple(text.split()) not in before:
            yield Script(f"{path}:{line_of(new, one.start)}", text)


def _runs(data: bytes) -> tuple[Instruction, ...]:
    found = instructions(data)
    return () if isinstance(found, Refusal) else tuple(one for one in found if runs_shell(data, one))


def _run_text(one: Instruction) -> str:
    return one.shell[one.start :].decode("utf-8", "replace") if one.shell[one.start :].strip() else ""


def _shell(scalars: dict[str, str], place: str) -> str:
    """The step's own `shell`, else the job's default, else the workflow's."""
    job = place.partition(".steps[")[0]
    for key in (f"{place.removesuffix('.run')}.shell", f"{job}.defaults.run.shell", "defaults.run.shell"):
        if key in scalars:
            return scalars[key]
    return ""


def _complaint(errors: str) -> str:
    first = (errors.strip().splitlines() or ["bash does not say why"])[0]
    return first.removeprefix("bash: ")
