"""The result for one person's terminal: what failed, why we think so, and what to change."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from triage.model.diagnosis import Cause
from triage.model.log import Line
from triage.model.patch import GateStatus, Patch, PatchState
from triage.model.result import CauseGroup, Failure, TriageResult
from triage.output import words
from triage.output.plain import count, plain, shorten
from triage.output.wrapping import rows

_LABEL = 10
_EVIDENCE_ROWS = 8
_SHORTEST_RULE = 4
_STATE_STYLE = {
    PatchState.PATCH: "bold green",
    PatchState.ADVICE: "yellow",
    PatchState.IN_PLACE: "cyan",
    PatchState.REFUSED: "dim",
}
_GATE_MARK = {GateStatus.OK: ("ok", "green"), GateStatus.FAILED: ("failed", "red"), GateStatus.SKIPPED: ("-", "dim")}


def render(result: TriageResult, *, width: int = 80, color: bool = False, first: int = 1) -> str:
    """Plain text of at most `width` columns; with `color`, ANSI styles as well. Meaning never rests on colour alone.

    Causes are numbered from `first`.
    """
    page = _Page(width, color)
    page.head(result)
    for number, group in enumerate(result.causes, start=first):
        page.cause(number, group, result.failures_of(group), result.patches_of(group))
    if result.silent:
        page.silent(result.silent)
    page.notices(result.notices)
    return page.text()


class _Page:
    def __init__(self, width: int, color: bool) -> None:
        self.width = max(width, 40)
        self._out = io.StringIO()
        self._console = Console(
            file=self._out,
            width=self.width,
            force_terminal=color,
            no_color=not color,
            color_system="standard" if color else None,
            highlight=False,
            soft_wrap=False,
            legacy_windows=False,
        )

    def text(self) -> str:
        return self._out.getvalue()

    def head(self, result: TriageResult) -> None:
        for run in result.runs:
            where = f"{run.repo} · {run.workflow} · run {run.id}, attempt {run.attempt} · {run.event}"
            self._print(Text(plain(where), "bold"))
            self._print(Text(plain(f"head {run.head_sha[:9]} on {run.head_branch}"), "dim"))
        self._print(Text(words.headline(result), "bold"))

    def cause(self, number: int, group: CauseGroup, failures: Sequence[Failure], patches: Sequence[Patch]) -> None:
        self._print(Text())
        self._heading(f"{number} · {plain(group.title)}")
        cause = failures[0].cause(group.id)
        if words.judged(group, failures):
            self._field("verdict", Text(plain(words.verdict(group))))
        self._field("cause", Text(plain(f"{group.signature} ({group.family}, {cause.confidence.value} confidence)")))
        self._field("jobs" if len(failures) > 1 else "job", Text(plain(", ".join(map(words.job_name, failures)))))
        if logs := words.log_names(failures):
            self._field("log", Text(plain(logs)))
        if where := _where(failures[0], cause):
            self._field("where", Text(plain(where)))
        self._evidence(cause.context or (cause.line,), cause.line)
        if group.what:
            self._field("what", Text(plain(group.what)))
        self._field("why this", Text(plain(cause.reason)))
        if cause.consequences:
            names = dict.fromkeys(seen.signature for seen in cause.consequences)
            self._field("led to", Text(plain(", ".join(names))))
        if group.known_issue:
            self._field("known", Text(plain(group.known_issue)))
        self._fixes(patches)

    def silent(self, failures: Sequence[Failure]) -> None:
        self._print(Text())
        self._heading("no cause named")
        for failure in failures:
            found = failure.diagnosis
            self._field("job", Text(plain(words.job_name(failure)), "bold"))
            if logs := words.log_names([failure]):
                self._field("log", Text(plain(logs)))
            self._field("", Text(plain(words.silence(found))))
            if found.unexplained:
                self._evidence(found.unexplained.context or (found.unexplained.line,), found.unexplained.line)
                if near := found.unexplained.nearest:
                    self._field(
                        "hint", Text(plain(f"nearest signature {near.signature} ({near.similarity:.0f} % alike)"))
                    )
            if step := words.next_step(failure):
                self._field("next", Text(plain(step)))
            for note in words.noted(found):
                self._field("noted", Text(plain(note)))

    def _heading(self, title: str) -> None:
        """A title that is longer than the line stands whole above its rule."""
        if len(title) > self.width - _SHORTEST_RULE:
            self._print(Text(title, "bold"))
            self._console.print(Rule(style="dim"))
        else:
            self._console.print(Rule(Text(title, "bold"), align="left", style="dim"))

    def notices(self, notices: Sequence[str]) -> None:
        if notices:
            self._print(Text())
        for notice in notices:
            self._field("note", Text(plain(notice)))

    def _fixes(self, patches: Sequence[Patch]) -> None:
        """The first choice whole; of its alternatives what they change; of the rest why they are not offered."""
        for place, patch in enumerate(patches):
            if place == 0:
                self._patch(patch)
            elif patch.state is PatchState.PATCH:
                self._alternative(patch)
        over = words.passed_over(patches)
        others = [patch for patch in patches[1:] if patch.state is not PatchState.PATCH and patch not in over]
        if others or over:
            self._print(Text())
        for patch in others:
            reason = f": {patch.reason}" if patch.reason else ""
            self._field(patch.id, Text(plain(f"{words.STATES[patch.state]}: {patch.title}{reason}"), "dim"))
        if over:
            self._field("refused", Text(words.left_out(over), "dim"))

    def _alternative(self, patch: Patch) -> None:
        self._title(patch, f"alternative to {patch.alternative_of}: {patch.title}")
        for label, said in (("because", patch.because), *(("cost", cost) for cost in patch.costs)):
            if said:
                self._field(label, Text(plain(said)))
        changed = [line for line in patch.diff.splitlines() if line[:1] in "+-" and line[:4] != "--- "]
        self._diff("\n".join(changed))

    def _title(self, patch: Patch, title: str) -> None:
        self._print(Text())
        self._field(patch.id, Text(plain(title), _STATE_STYLE[patch.state]))

    def _patch(self, patch: Patch) -> None:
        self._title(patch, f"{words.STATES[patch.state]}: {patch.title}")
        shown = [("", patch.reason), ("because", patch.because)]
        if patch.state in {PatchState.PATCH, PatchState.ADVICE}:
            shown += [("cost", cost) for cost in patch.costs]
        if patch.state is PatchState.PATCH:
            shown += [("edits", f"{count(len(patch.files), 'file')}; {words.APPLICABILITY[patch.applicability]}")]
        for label, said in shown:
            if said:
                self._field(label, Text(plain(said)))
        if patch.diff:
            self._diff(patch.diff)
        if patch.gates:
            self._gates(patch)
        for label, items in (("note", patch.notes), ("reaches", patch.blast_radius)):
            for item in items:
                self._field(label, Text(plain(item)))
        for sibling in patch.siblings[:8]:
            self._field("sibling", Text(plain(f"{sibling.workflow_path} {sibling.job}: {sibling.evidence}")))
        if patch.reproduce and patch.state is PatchState.PATCH:
            self._field("reproduce", Text(plain(patch.reproduce)))

    def _gates(self, patch: Patch) -> None:
        line = Text()
        for gate in patch.gates:
            mark, style = _GATE_MARK[gate.status]
            if line:
                line.append(" · ", "dim")
            line.append(f"{mark} ", style)
            line.append(plain(gate.name if gate.status is GateStatus.OK else words.gate(gate)))
        self._field("checked", line)

    def _diff(self, diff: str) -> None:
        for line in diff.splitlines():
            style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
            # A diff keeps its line whole: cut text could not be applied, and a terminal wraps by itself.
            self._console.print(Text("    " + plain(line), style), soft_wrap=True)

    def _evidence(self, lines: Sequence[Line], at: Line) -> None:
        digits = len(str(max(line.number for line in lines)))
        room = self.width - digits - 7
        for line in lines:
            if line.number == at.number:
                self._evidence_line(line, digits, room)
            else:
                self._print(Text(f"    {line.number:>{digits}} | {shorten(plain(line.text), room)}", "dim"))

    def _evidence_line(self, line: Line, digits: int, room: int) -> None:
        # The line that names the cause is shown whole, within reason: its end often holds the figures.
        shown = shorten(plain(line.text), room * _EVIDENCE_ROWS, keep=line.start)
        for index, row in enumerate(rows(shown, room)):
            number = f"  > {line.number:>{digits}}" if index == 0 else " " * (digits + 4)
            self._print(Text(f"{number} | {row}", "bold red"))

    def _field(self, label: str, value: Text) -> None:
        wrapped = value.wrap(self._console, self.width - _LABEL - 2)
        # Printed at once, and not wrapped again: a call takes longer than a line.
        shown = Text()
        for index, part in enumerate(wrapped):
            part.rstrip()
            shown.append(f"\n  {'':<{_LABEL}}" if index else f"  {label:<{_LABEL}}", "dim").append_text(part)
        self._console.print(shown, soft_wrap=True)

    def _print(self, text: Text) -> None:
        self._console.print(text, overflow="fold")


def _where(failure: Failure, cause: Cause) -> str:
    return ", ".join(_place(failure, cause))


def _place(failure: Failure, cause: Cause) -> Iterator[str]:
    if cause.line.step:
        yield f"step {cause.line.step.name}"
    if cause.ranks:
        yield f"{'ranks' if len(cause.ranks) > 1 else 'rank'} {', '.join(map(str, cause.ranks))}"
    elif cause.line.stream:
        yield cause.line.stream
    if cause.line.time:
        yield f"{cause.line.time:%Y-%m-%d %H:%M:%S} UTC"
    if failure.diagnosis.job.runner_name:
        yield f"runner {failure.diagnosis.job.runner_name}"
    if failure.history:
        yield failure.history
