"""Where a merged fix can be seen: in the newest run's log, and by proof in the branch's files as they are now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from triage.diagnosis import diagnose
from triage.fixes.target import Target
from triage.gates.change import Change
from triage.gates.commands import job_runs
from triage.gates.reaches import reaches
from triage.interfaces import LogSource, Tree
from triage.logs import window
from triage.matching import scan
from triage.model.diagnosis import Facts
from triage.model.fix import Presence
from triage.model.log import Line
from triage.model.outcome import FixRecord, Outcome
from triage.model.patch import Draft, Expectation, GateStatus, PatchState
from triage.model.run import Job, Unavailable
from triage.model.signature import Applicability, Tables
from triage.pipeline.rescore import job_of
from triage.pipeline.triage import Knowledge
from triage.storage.database import History
from triage.storage.outcomes import outcome


@dataclass(frozen=True, slots=True)
class LogAndTree:
    """Fulfils `verify.Inspection`. `tree` None: no checkout to look into."""

    history: History
    find_log: Callable[[Outcome], LogSource | Unavailable]
    knowledge: Knowledge
    tree: Tree | None = None

    def in_log(self, fix: FixRecord, job_id: int) -> Presence:
        if not fix.expectation_kind:
            return Presence.UNKNOWN
        row = outcome(self.history, job_id)
        log = self.find_log(row)
        if isinstance(log, Unavailable):
            return Presence.UNKNOWN
        return shown(fix, _facts(log, job_of(row), self.knowledge))

    def in_tree(self, fix: FixRecord) -> Presence:
        if self.tree is None or not fix.expectation_kind:
            return Presence.UNKNOWN
        promise = Expectation(
            kind=fix.expectation_kind,
            text=fix.expectation_text,
            job=fix.job,
            workflow_path=fix.workflow_path,
            program=fix.expectation_program,
            step=fix.expectation_step,
        )
        draft = Draft(fix.title, fix.recipe, PatchState.PATCH, Applicability.SAFE, expectations=(promise,))
        target = Target(fix.workflow_path, fix.job)
        runs = job_runs(draft, self.tree, self.tree, target, Facts())
        change = Change(draft, self.tree, self.tree, {}, {}, b"", target, Facts(), Tables(), runs)
        match reaches(change).status:
            case GateStatus.OK:
                return Presence.SHOWN
            case GateStatus.FAILED:
                return Presence.ABSENT
            case GateStatus.SKIPPED:
                return Presence.UNKNOWN


def _facts(log: LogSource, job: Job, knowledge: Knowledge) -> Facts:
    """What the log says of settings and commands, also when the job passed."""

    def context(line: Line, before: int, after: int) -> tuple[Line, ...]:
        return window(log, line, before, after)

    for reading in scan(log, knowledge.patterns, job):
        facts = diagnose(reading, knowledge.catalogue, job, (), context).facts
        return replace(facts, commands=tuple(command.text for command in reading.commands))
    return Facts()


def shown(fix: FixRecord, facts: Facts) -> Presence:
    """ABSENT only when the log shows the same setting with another value, or commands without the one that must run:
    a log that says nothing proves nothing."""
    name, _, wanted = fix.expectation_text.partition("=")
    words = [word.strip("'\"") for command in facts.commands for word in command.split()]
    match fix.expectation_kind:
        case "command":
            runs = any(command.startswith(fix.expectation_text) for command in facts.commands)
            return _decided(runs, bool(facts.commands))
        case "argument" | "setting" | "environment":
            here = [word.partition("=")[2] for word in words if word.partition("=")[0] == name and "=" in word]
            if name in facts.settings:
                here.append(facts.settings[name])
            return _decided(wanted in here, bool(here))
        case _:
            return Presence.UNKNOWN


def _decided(found: bool, looked: bool) -> Presence:
    if found:
        return Presence.SHOWN
    return Presence.ABSENT if looked else Presence.UNKNOWN
