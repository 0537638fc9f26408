"""Sentences that every presenter says the same way."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from triage.model.diagnosis import JobDiagnosis, VerdictValue
from triage.model.patch import Gate, GateStatus, Patch, PatchState
from triage.model.result import CauseGroup, Failure, TriageResult
from triage.model.signature import Applicability
from triage.output.plain import count

VERDICTS = {
    VerdictValue.YOURS: "likely yours",
    VerdictValue.TRUNK: "broken on the base branch",
    VerdictValue.FLAKE: "known flake",
    VerdictValue.INFRA: "infrastructure",
    VerdictValue.UNKNOWN: "unknown",
}

# Of what GitHub noted beside a log, and how long a note is shown.
_MOST_NOTED, _LONGEST_NOTE = 5, 400

STATES = {
    PatchState.PATCH: "patch",
    PatchState.ADVICE: "advice",
    PatchState.IN_PLACE: "already in place",
    PatchState.REFUSED: "refused",
}


def headline(result: TriageResult) -> str:
    """`3 jobs failed: 2 causes named, 1 job unexplained`."""
    failures = result.failures
    if not failures:
        return "nothing failed"
    unexplained = len(result.silent)
    parts = [f"{count(len(result.causes), 'cause')} named"] if result.causes else []
    if unexplained:
        parts.append(f"{unexplained} without a named cause" if parts else "no cause named")
    patches = sum(patch.state is PatchState.PATCH for patch in result.patches)
    if patches:
        parts.append(f"{count(patches, 'verified patch', 'verified patches')}")
    return f"{_failed(failures)}: {', '.join(parts)}"


def _failed(failures: Sequence[Failure]) -> str:
    """`3 jobs failed`; of log files `2 logs with a failure`, or `3 failed jobs in 2 logs` where one holds several."""
    if any(failure.run for failure in failures):
        return count(len(failures), "job failed", "jobs failed")
    logs = len({failure.source for failure in failures})
    if logs < len(failures):
        return f"{count(len(failures), 'failed job')} in {count(logs, 'log')}"
    return count(logs, "log with a failure", "logs with a failure")


# What a person does with a patch that is not sure to keep what the test proves.
APPLICABILITY = {
    Applicability.SAFE: "safe: it cannot change what the test proves",
    Applicability.UNSAFE: "unsafe: likely right, a reviewer decides",
    Applicability.DISPLAY: "advice only",
}


def judged(group: CauseGroup, failures: Sequence[Failure]) -> bool:
    """Whether the verdict says anything: of logs alone nobody knows whose failure it is."""
    return group.verdict.value is not VerdictValue.UNKNOWN or any(failure.run for failure in failures)


def verdict(group: CauseGroup) -> str:
    """`unknown: no base evidence`."""
    said = "; ".join(item.text for item in group.verdict.evidence)
    value = VERDICTS[group.verdict.value]
    return f"{value}: {said}" if said else value


def job_name(failure: Failure) -> str:
    """The job's name, or the log file's where no job is known."""
    return failure.diagnosis.job.name or failure.source or failure.id


def log_names(failures: Sequence[Failure]) -> str:
    """The files that the failures were read from, where the jobs' names do not say it; "" for runs."""
    names = dict.fromkeys(one.source for one in failures if one.source and one.source != job_name(one))
    shown = list(names)[:3]
    return ", ".join(shown) + (f" and {len(names) - len(shown)} more" if len(names) > len(shown) else "")


def silence(found: JobDiagnosis) -> str:
    """Why a failed job has no named cause."""
    if found.unavailable:
        return f"log unavailable ({found.unavailable.reason.value}): {found.unavailable.detail}"
    if found.unexplained:
        return f"no signature matches; the best line to look at ({found.unexplained.why})"
    return "the log does not show why it failed"


def next_step(failure: Failure) -> str:
    """How the best unexplained line gets a name; "" where there is none."""
    if failure.diagnosis.unexplained is None:
        return ""
    line, log = failure.diagnosis.unexplained.line.number, shlex.quote(failure.source) if failure.source else "LOG"
    return f"if that line is the cause, draft its signature: triage signatures new ID --from-log {log} --line {line}"


def passed_over(patches: Sequence[Patch]) -> tuple[Patch, ...]:
    """Refused fixes beside a patch: each is about another situation than this one, and no choice of its reader."""
    if not patches or patches[0].state is not PatchState.PATCH:
        return ()
    return tuple(patch for patch in patches if patch.state is PatchState.REFUSED)


def left_out(refused: Sequence[Patch]) -> str:
    """`2 more do not fit here (p3, p4): --format json says why`."""
    fit = "does not fit" if len(refused) == 1 else "do not fit"
    return f"{len(refused)} more {fit} here ({', '.join(patch.id for patch in refused)}): --format json says why"


def gate(one: Gate) -> str:
    """`ok applies`, `skipped composes: hydra is not installed`."""
    return f"{one.name}: {one.reason}" if one.reason else one.name


def unchecked(patch: Patch) -> tuple[str, ...]:
    """What no gate could check."""
    return tuple(gate(one) for one in patch.gates if one.status is GateStatus.SKIPPED)


def mute(group: CauseGroup) -> str:
    """`muted until 2026-12-01`, or that the mute is over."""
    if group.mute is None:
        return ""
    if group.mute.expired:
        return f"its mute ended on {group.mute.until}: look at the known issue again"
    return f"muted until {group.mute.until}" if group.mute.until else "muted"


def noted(found: JobDiagnosis) -> tuple[str, ...]:
    """What the first annotations say, those that tell of a failure before warnings, each shortened."""
    ordered = sorted(found.annotations, key=lambda note: note.level in ("notice", "warning"))
    texts = (" ".join(note.message.split()) for note in ordered[:_MOST_NOTED])
    return tuple(text if len(text) <= _LONGEST_NOTE else f"{text[:_LONGEST_NOTE]}…" for text in texts)
