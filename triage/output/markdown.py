"""The result as Markdown, for an issue, a job summary or a chat: log text stays in code, whatever it holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from triage.model.log import Line
from triage.model.patch import GateStatus, Patch, PatchState
from triage.model.result import CauseGroup, Failure, TriageResult
from triage.output import words
from triage.output.plain import plain, shorten

_WIDEST = 400
_LONGEST = 2000
# Addresses without a scheme, and "GH-12".
_LINKED_BY_GITHUB = re.compile(r"(?i)\bwww(?=\.)|\bgh-(?=\d)|mailto:|xmpp:")
# What makes a list (`- x`, `3. x`) has a blank behind it, what makes a rule, a heading or a table (`---`, `===`, `:-:`)
# has nothing else on its line: `0.1.0`, `-5` and `--flag` are words.
_STARTS_A_BLOCK = re.compile(r"^(\d{0,9})([-+.)](?=\s|$)|[-=:](?=[-=:\s]*$))")
_MAYBE_SHA = re.compile(r"(?i)\b[0-9a-f]{7,64}\b")


def render(result: TriageResult) -> str:
    """Headings, one section per cause, the patch in a fence."""
    return "\n".join(_lines(result)) + "\n"


def fence(body: str, language: str = "") -> str:
    """A code block that its own content cannot close: longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall(r"`+", body)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{body}\n{ticks}"


def code(text: str) -> str:
    """Untrusted text as an inline code span on one line."""
    body = shorten(plain(text.replace("\n", " ")), _WIDEST).strip() or " "
    longest = max((len(run) for run in re.findall(r"`+", body)), default=0)
    ticks = "`" * (longest + 1)
    padding = " " if body.startswith("`") or body.endswith("`") else ""
    return f"{ticks}{padding}{body}{padding}{ticks}"


def prose(text: str) -> str:
    """Untrusted text between words: nothing in it is markup, a mention, a reference or a link."""
    flat = shorten(plain(text.replace("\n", " ")).strip(), _LONGEST)
    escaped = re.sub(r"([\\`*_\[\]<>#!|~&])", r"\\\1", flat)
    escaped = _STARTS_A_BLOCK.sub(r"\1\\\2", escaped)
    # GitHub looks for mentions, references and links in the rendered text, where no backslash is left to stop it.
    escaped = escaped.replace("@", "@\u200b").replace("://", ":\u200b//").replace("#", "#\u200b")
    escaped = _LINKED_BY_GITHUB.sub(lambda found: f"{found[0]}\u200b", escaped)
    return _MAYBE_SHA.sub(lambda found: "\u200b".join(re.findall(r".{1,6}", found[0])), escaped)


def _lines(result: TriageResult) -> Iterator[str]:
    yield f"## triage: {words.headline(result)}"
    for run in result.runs:
        yield ""
        attempt = f"run {run.id}, attempt {run.attempt}"
        yield f"{code(run.repo)} · {code(run.workflow)} · {attempt} · {code(run.head_sha[:9])}"
    for group in result.causes:
        yield ""
        yield from _cause(group, result.failures_of(group), result.patches_of(group))
    for failure in result.silent:
        yield ""
        yield from _silent(failure)
    for notice in result.notices:
        yield ""
        yield f"> {prose(notice)}"


def _cause(group: CauseGroup, failures: Sequence[Failure], patches: Sequence[Patch]) -> Iterator[str]:
    cause = failures[0].cause(group.id)
    yield f"### {prose(group.title)}"
    yield ""
    if words.judged(group, failures):
        yield f"- verdict: **{prose(words.verdict(group))}**"
    yield f"- cause: {code(group.signature)} ({group.family}, {cause.confidence.value} confidence)"
    yield f"- jobs: {', '.join(code(words.job_name(failure)) for failure in failures)}"
    if logs := words.log_names(failures):
        yield f"- log: {code(logs)}"
    if cause.ranks:
        yield f"- ranks: {', '.join(map(str, cause.ranks))}"
    yield f"- why this: {prose(cause.reason)}"
    yield ""
    yield fence(evidence(cause.context or (cause.line,), cause.line), "text")
    if group.what:
        yield ""
        yield prose(group.what)
    over = words.passed_over(patches)
    for patch in patches:
        if patch not in over:
            yield ""
            yield from _patch(patch)
    if over:
        yield ""
        yield f"**refused** {words.left_out(over)}"


def evidence(lines: Sequence[Line], at: Line) -> str:
    """Lines with their raw numbers, the one that counts marked."""
    digits = len(str(max(line.number for line in lines)))
    return "\n".join(
        f"{'>' if line.number == at.number else ' '} {line.number:>{digits}} | {shorten(plain(line.text), _WIDEST)}"
        for line in lines
    )


def _patch(patch: Patch) -> Iterator[str]:
    instead = f", instead of {patch.alternative_of}" if patch.alternative_of else ""
    trust = f" ({patch.applicability.value}{instead})" if patch.state is PatchState.PATCH else ""
    yield f"**{words.STATES[patch.state]}** {patch.id}: {prose(patch.title)}{trust}"
    # Without it an empty item, "- ", would make a heading of the line above.
    yield ""
    yield from remarks(patch)
    if patch.diff and patch.state in {PatchState.PATCH, PatchState.ADVICE}:
        yield ""
        yield fence("\n".join(plain(line) for line in patch.diff.rstrip("\n").split("\n")), "diff")
    if patch.gates:
        passed = ", ".join(gate.name for gate in patch.gates if gate.status is GateStatus.OK)
        failed = "; ".join(words.gate(gate) for gate in patch.gates if gate.status is GateStatus.FAILED)
        skipped = "; ".join(words.unchecked(patch))
        for label, said in (("checked", passed), ("failed", failed), ("not checked", skipped)):
            if said:
                yield f"- {label}: {prose(said)}"
    if patch.reproduce and patch.state is PatchState.PATCH:
        yield f"- by hand: {code(patch.reproduce)}"


def remarks(patch: Patch, most: int | None = None) -> Iterator[str]:
    """What is to be known beside the edit, as items of a list; at most `most` of a kind."""
    for label, said in (("", patch.reason), ("because", patch.because)):
        if said:
            yield f"- {label + ': ' if label else ''}{prose(said)}"
    for label, items in (("cost", patch.costs), ("note", patch.notes), ("also reaches", patch.blast_radius)):
        for item in items[:most]:
            yield f"- {label}: {prose(item)}"


def _silent(failure: Failure) -> Iterator[str]:
    found = failure.diagnosis
    yield f"### No cause named: {code(words.job_name(failure))}"
    yield ""
    if logs := words.log_names([failure]):
        yield f"log: {code(logs)}"
        yield ""
    yield prose(words.silence(found))
    if found.unexplained:
        yield ""
        yield fence(evidence(found.unexplained.context or (found.unexplained.line,), found.unexplained.line), "text")
        if near := found.unexplained.nearest:
            yield f"- hint: nearest signature {code(near.signature)} ({near.similarity:.0f} % alike)"
    if step := words.next_step(failure):
        yield f"- next: {prose(step)}"
    for note in words.noted(found):
        yield f"- annotation: {code(note)}"
