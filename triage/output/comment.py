"""The one comment of a pull request: what needs its author is open, the rest is folded.

Grouped by cause and not by job. Nothing in it says that a pull request can be merged: it only speaks of what failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from triage.model.diagnosis import Cause, VerdictValue
from triage.model.patch import GateStatus, Patch, PatchState
from triage.model.result import CauseGroup, Failure, TriageResult
from triage.output import comment_words as say
from triage.output import words
from triage.output.links import line_url, link
from triage.output.markdown import code, fence, prose, remarks
from triage.output.plain import count, plain, shorten

ROWS = 20
# GitHub refuses more than 65,536 characters.
LIMIT = 60_000
_LEVELS = 5
_WIDEST = 400


@dataclass(frozen=True, slots=True)
class Context:
    """What the comment says beyond the result. `pending` runs have not ended.

    `prices`: cause id -> what a rerun costs, in words. `newest`: when the newest run that was looked at ended.
    """

    head_sha: str
    base_ref: str
    looked_at: datetime
    merge_base: str = ""
    workflows: int = 0
    pending: int = 0
    newest: datetime | None = None
    prices: tuple[tuple[str, str], ...] = ()
    merge_base_age: int = -1  # days; -1 unknown


def render(result: TriageResult, context: Context, limit: int = LIMIT) -> str:
    """At most `limit` characters (as UTF-16 counts them): whole sections go, the least useful first.

    The hidden first line (`marker`) is not part of it.
    """
    for level in range(_LEVELS):
        text = "\n".join(_Page(result, context, level).lines()) + "\n"
        if len(text.encode("utf-16-le")) // 2 <= limit:
            return text
    return "\n".join((f"**{say.headline(result)}**", "", *_footer(result, context))) + "\n"


def all_passed(context: Context, result: TriageResult) -> str:
    """One line, when no job has failed; it says so when some have not ended."""
    still = f", {context.pending} of them still running" if context.pending else ""
    said = f"No job has failed at {code(context.head_sha[:9])} ({count(context.workflows, 'workflow')}{still})."
    return "\n".join((said, "", *_footer(result, context))) + "\n"


# What is left of a comment after a graver one took its place.
SUPERSEDED = "A newer comment of this bot, further down, takes the place of this one.\n"


def needs_author(group: CauseGroup) -> bool:
    return group.verdict.value is VerdictValue.YOURS and not group.muted


class _Page:
    """`level` 0 says all; 1 leaves out patches of what is not the author's, 2 all patches, 3 the evidence of what is
    not the author's, 4 keeps five causes."""

    def __init__(self, result: TriageResult, context: Context, level: int) -> None:
        self.result = result
        self.context = context
        self.level = level
        self.left = ROWS if level < 4 else 5

    def lines(self) -> Iterator[str]:
        yield f"**{say.headline(self.result)}**"
        yield ""
        yield from _where(self.context)
        groups = self.result.causes
        yours = [group for group in groups if needs_author(group)]
        open_ = [group for group in groups if group.verdict.value is VerdictValue.UNKNOWN and not group.muted]
        muted = [group for group in groups if group.muted]
        others = [group for group in groups if group not in yours and group not in open_ and group not in muted]
        if yours:
            yield from ("", "### Needs you")
            yield from self._causes(yours)
        yield from self._folded("Not caused by this pull request", others, (), False)
        yield from self._folded("Could not classify", open_, self.result.silent, not yours)
        yield from self._folded("Muted by the maintainers", muted, (), False)
        yield from ("", *_footer(self.result, self.context))

    def _folded(
        self, title: str, groups: Sequence[CauseGroup], silent: Sequence[Failure], open_: bool
    ) -> Iterator[str]:
        if not groups and not silent:
            return
        counted = [count(len(groups), "cause")] if groups else []
        counted += [f"{count(len(silent), 'job')} without a named cause"] if silent else []
        yield from ("", f"<details{' open' if open_ else ''}><summary>{title}: {', '.join(counted)}</summary>")
        yield from self._causes(groups)
        shown = silent[: self._take(len(silent))]
        for failure in shown:
            yield from ("", *self._silent(failure))
        if len(silent) > len(shown):
            yield from ("", f"{count(len(silent) - len(shown), 'more job')}: see the job summary.")
        yield from ("", "</details>")

    def _causes(self, groups: Sequence[CauseGroup]) -> Iterator[str]:
        shown = groups[: self._take(len(groups))]
        for group in shown:
            yield from ("", *self._cause(group))
        if len(groups) > len(shown):
            yield from ("", f"{count(len(groups) - len(shown), 'more cause')}: see the job summary.")

    def _take(self, wanted: int) -> int:
        """How many of them may still be shown."""
        given = min(wanted, self.left)
        self.left -= given
        return given

    def _cause(self, group: CauseGroup) -> Iterator[str]:
        failures = self.result.failures_of(group)
        cause = failures[0].cause(group.id)
        yours = needs_author(group)
        yield f"**{prose(group.title)}** in {say.jobs(failures)}"
        yield ""
        yield fence(_line(cause.line.text, cause.line.start), "text")
        yield ""
        yield from self._said(group, failures[0], cause)
        if yours or self.level < 3:
            yield from self._history(group)
        shown = self.level == 0 or (yours and self.level == 1)
        for patch in self.result.patches_of(group)[:1]:
            if patch.state in {PatchState.PATCH, PatchState.ADVICE}:
                yield from _patch(patch, failures[0]) if shown else _patch_elsewhere(patch, failures[0])

    def _said(self, group: CauseGroup, failure: Failure, cause: Cause) -> Iterator[str]:
        verdict = words.VERDICTS[group.verdict.value]
        yield f"- **{verdict}** ({group.verdict.confidence.value} confidence): {say.evidence(group)}"
        number = f"line {cause.line.number} of the log"
        facts = [link(number, line_url(failure, cause.line)), f"cause {code(group.id)}"]
        if cause.ranks:
            facts.append(f"rank {', '.join(map(str, cause.ranks[:8]))}")
        if owned := say.owner(group):
            facts.append(f"owner {owned}")
        yield f"- {'; '.join(facts)}"
        known = [link("known issue", group.known_issue)] if group.known_issue else []
        known += [muted] if (muted := words.mute(group)) else []
        if known:
            yield f"- {'; '.join(known)}"
        if group.what and self.level < 3:
            yield f"- {prose(group.what)}"

    def _history(self, group: CauseGroup) -> Iterator[str]:
        if group.since is not None and group.verdict.value is VerdictValue.TRUNK:
            for sentence in say.since(group.since, self.context.base_ref):
                yield f"- {sentence}"
        for sentence in say.record(group.record) if group.record is not None else ():
            yield f"- {sentence}"
        if group.retry:
            price = dict(self.context.prices).get(group.id, "")
            yield f"- a rerun may pass{': ' + prose(price) if price else ''}"

    def _silent(self, failure: Failure) -> Iterator[str]:
        found = failure.diagnosis
        yield f"**No cause named** in {say.jobs([failure])}: {prose(words.silence(found))}"
        if found.unexplained is not None:
            line = found.unexplained.line
            yield from ("", fence(_line(line.text), "text"), "")
            yield f"- {link(f'line {line.number} of the log', line_url(failure, line))}"
            if near := found.unexplained.nearest:
                yield f"- nearest signature {code(near.signature)}, {near.similarity:.0f} % alike: a hint, no verdict"


def _line(text: str, keep: int = 0) -> str:
    """One line of a log for a fence."""
    return shorten(plain(text.replace("\n", " ")), _WIDEST, keep)


def _where(context: Context) -> Iterator[str]:
    parts = [code(context.head_sha[:9])]
    if context.base_ref:
        parts.append(f"onto {code(context.base_ref)}")
    if context.merge_base:
        age = f", {count(context.merge_base_age, 'day')} old" if context.merge_base_age >= 0 else ""
        parts.append(f"merge base {code(context.merge_base[:9])}{age}")
    parts.append(count(context.workflows, "workflow"))
    if context.pending:
        parts.append(f"{context.pending} still running, so this may change")
    yield " · ".join(parts)


def _patch(patch: Patch, failure: Failure) -> Iterator[str]:
    verified = patch.state is PatchState.PATCH
    yield from (
        "",
        f"<details><summary>{'Suggested patch' if verified else 'Advice, not a proved patch'}</summary>",
        "",
    )
    yield f"{prose(patch.title)} (recipe {code(patch.recipe)}, {patch.applicability.value})"
    if patch.diff:
        yield from ("", fence(_printable(patch.diff), "diff"))
    yield ""
    yield from remarks(patch, most=8)
    yield from _gates(patch)
    if verified:
        yield f"- apply it: {code(_command(failure))}"
    yield from ("", "</details>")


def _gates(patch: Patch) -> Iterator[str]:
    by = {status: [one for one in patch.gates if one.status is status] for status in GateStatus}
    if by[GateStatus.OK]:
        yield f"- checked: {prose(', '.join(one.name for one in by[GateStatus.OK]))}"
    for label, status in (("failed", GateStatus.FAILED), ("not checked", GateStatus.SKIPPED)):
        if by[status]:
            yield f"- {label}: {prose('; '.join(map(words.gate, by[status])))}"
    if patch.state is PatchState.PATCH:
        yield "- not run: no GPU job was started to prove it"


def _patch_elsewhere(patch: Patch, failure: Failure) -> Iterator[str]:
    kind = "a verified patch" if patch.state is PatchState.PATCH else "advice"
    yield f"- {kind}, left out here for its length: {prose(patch.title)}; {code(_command(failure))} prints it"


def _command(failure: Failure) -> str:
    number = failure.run.id if failure.run else ""
    return f"triage run {number} --patch fix.patch && git apply fix.patch"


def _printable(diff: str) -> str:
    return "\n".join(plain(line) for line in diff.rstrip("\n").split("\n"))


def _footer(result: TriageResult, context: Context) -> Iterator[str]:
    yield "<sub>"
    yield ""
    if result.causes:
        yield (
            "Wrong verdict? Answer here with the cause's name and why; maintainers correct or mute it in "
            f"{code('.github/triage.toml')} of the default branch, and {code('triage explain')} shows how it is told."
        )
        yield ""
    age = f"; newest finished run {context.newest:%Y-%m-%d %H:%M} UTC" if context.newest else ""
    synced = max((one.record.synced for one in result.causes if one.record and one.record.synced), default=None)
    history = f"; history as of {synced}" if synced else ""
    versions = f"triage {code(result.triage_version)}, catalogue {code(result.catalogue_version[:12])}"
    yield f"{versions} · looked at {context.looked_at:%Y-%m-%d %H:%M} UTC{age}{history}"
    yield ""
    yield "</sub>"
