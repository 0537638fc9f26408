"""Runs and logs kept in a folder, as a source for the history: for logs that GitHub no longer has.

<run id>/<attempt>/run.json     GitHub's answer for the attempt
<run id>/<attempt>/jobs.json    GitHub's answer for its jobs: {"jobs": [...]}
<run id>/<attempt>/<job id>.log or .log.gz
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

from triage.errors import GitHubError, UsageError
from triage.interfaces import LogSource
from triage.model.run import Allowance, Annotation, Job, Run, RunPage, Unavailable, UnavailableReason

PAGE = 100
_MOST_NAMED = 3
_Read = TypeVar("_Read", Run, Job)


@dataclass(frozen=True, slots=True)
class KeptLog:
    name: str
    path: Path

    def open(self) -> BinaryIO:
        if self.path.suffix == ".gz":
            return cast(BinaryIO, gzip.open(self.path, "rb"))
        return self.path.open("rb")


@dataclass(frozen=True)
class Archive:
    """Fulfils `interfaces.HistorySource`. `decode_*` read GitHub's JSON (they are the adapter's)."""

    folder: Path
    decode_run: Callable[[Mapping[str, Any]], Run]
    decode_job: Callable[[Mapping[str, Any]], Job]
    _places: dict[int, Path] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        if not self.folder.is_dir():
            raise UsageError(f"{self.folder} is no folder.", "--from-dir takes a folder of <run>/<attempt>/run.json.")

    @cached_property
    def _runs(self) -> Mapping[int, tuple[Run, ...]]:
        """All attempts of every run, oldest first."""
        found: dict[int, dict[int, Run]] = {}
        for path in sorted(self.folder.glob("*/*/run.json")):
            run = _decoded(path, self.decode_run, _json(path))
            found.setdefault(run.id, {})[run.attempt] = run
        if not found:
            raise UsageError(f"{self.folder} holds no <run>/<attempt>/run.json.", "Is it the right folder?")
        return {run_id: tuple(runs[number] for number in sorted(runs)) for run_id, runs in found.items()}

    def run_page(self, start: datetime, end: datetime, page: int) -> RunPage:
        newest = [attempts[-1] for attempts in self._runs.values()]
        listed = [run for run in newest if not _outside(run, start, end)]
        listed.sort(key=lambda run: (run.created_at or start, run.id), reverse=True)
        return RunPage(len(listed), tuple(listed[(page - 1) * PAGE : page * PAGE]))

    def left_out(self, repo: str, start: datetime, end: datetime) -> tuple[str, ...]:
        """Why a sync of `repo` from `start` to `end` reads some of the folder's runs not, or not whole; a line each."""
        by_reason: dict[str, list[str]] = {}
        for attempts in self._runs.values():
            newest = attempts[-1]
            reason = _why_not(newest, repo, start, end)
            if not reason and not any(self.folder.glob(f"{newest.id}/*/jobs.json")):
                reason = "no jobs.json beside run.json, so no job is known"
            if reason:
                by_reason.setdefault(reason, []).append(f"run {newest.id}")
        strays = {
            path.parent for name in ("jobs.json", "*.log", "*.log.gz") for path in self.folder.glob(f"*/*/{name}")
        }
        without = sorted(path for path in strays if not (path / "run.json").is_file())
        if without:
            by_reason["no run.json there"] = [path.relative_to(self.folder).as_posix() for path in without]
        return tuple(f"{_few(names)}: {reason}" for reason, names in by_reason.items())

    def run(self, run_id: int, attempt: int | None = None) -> Run:
        for run in reversed(self._runs.get(run_id, ())):
            if attempt in (None, run.attempt):
                return run
        raise GitHubError(f"attempt {attempt} of run {run_id} is not in {self.folder}.")

    def all_jobs(self, run: Run) -> Sequence[Job]:
        jobs: dict[int, Job] = {}
        for path in sorted(self.folder.glob(f"{run.id}/*/jobs.json")):
            listed = _json(path).get("jobs", [])
            if not isinstance(listed, list):
                raise UsageError(f"{path} holds no list of jobs.", 'It must hold {"jobs": [...]}, as GitHub answers.')
            for job in (_decoded(path, self.decode_job, one) for one in listed):
                jobs[job.id] = job
                self._places[job.id] = path.parent
        return tuple(jobs.values())

    def log(self, job: Job) -> LogSource | Unavailable:
        folders = [self._places[job.id]] if job.id in self._places else sorted(self.folder.glob(f"{job.run_id}/*"))
        for folder in folders:
            for path in (folder / f"{job.id}.log", folder / f"{job.id}.log.gz"):
                if path.is_file():
                    return KeptLog(path.name, path)
        return Unavailable(UnavailableReason.NOT_UPLOADED, f"no {job.id}.log in {self.folder}")

    def annotations(self, job: Job) -> Sequence[Annotation]:
        return ()

    def allowance(self) -> Allowance:
        return Allowance()


def _why_not(run: Run, repo: str, start: datetime, end: datetime) -> str:
    """Why a run of the folder is not listed or not read; "" where it is."""
    if run.repo != repo:
        return f"of {run.repo or 'no repository that run.json names'}, not of {repo}"
    return _outside(run, start, end) or ("" if run.status == "completed" else "not finished when it was kept")


def _outside(run: Run, start: datetime, end: datetime) -> str:
    """Why a run was not begun in that time; "" where it was."""
    if run.created_at is None:
        return "run.json has no created_at, so its day is not known"
    if run.created_at < start:
        return f"created before {start:%Y-%m-%d}, where --since begins"
    return "created in the future, by its run.json" if run.created_at > end else ""


def _few(names: Sequence[str]) -> str:
    """`run 1, run 2, run 3 and 9 more`."""
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _decoded(path: Path, decode: Callable[[Mapping[str, Any]], _Read], answer: Any) -> _Read:
    try:
        return decode(answer)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as fault:
        lacks = f"it has no {fault}" if isinstance(fault, KeyError) else str(fault)
        raise UsageError(f"{path} is not what GitHub answers: {lacks}.", "Keep the whole answer of the API.") from fault


def _json(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as fault:
        raise UsageError(f"{path} cannot be read: {fault}", "It must hold GitHub's answer as JSON.") from fault
    if not isinstance(found, dict):
        raise UsageError(f"{path} holds no JSON object.", "It must hold GitHub's answer as JSON.")
    return found
