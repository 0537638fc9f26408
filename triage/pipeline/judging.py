"""Whose failure each cause of some runs is: evidence is gathered run by run, then judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from triage.diagnosis.verdict import judge
from triage.model.diagnosis import Evidence
from triage.model.evidence import Observation
from triage.model.result import CauseGroup, Failure
from triage.model.run import JOBS_OF_A_PAGE, Job, Run
from triage.pipeline.evidence import Gatherer
from triage.pipeline.group import is_generic
from triage.pipeline.past import Past
from triage.pipeline.sightings import EvidenceSource
from triage.pipeline.triage import Knowledge


class Judging:
    """Fulfils `group.Judge`. What was looked up for one cause of a run serves its other causes too."""

    def __init__(self, evidence: EvidenceSource, knowledge: Knowledge, past: Past | None) -> None:
        self._evidence = evidence
        self._knowledge = knowledge
        self._past = past
        self._pages: dict[tuple[int, int], Mapping[str, int]] = {}
        self._base: dict[tuple[int, int, str], Sequence[Observation]] = {}
        self._gatherers: dict[tuple[int, int], Gatherer] = {}

    def listed(self, run: Run, jobs: Sequence[Job]) -> None:
        """How GitHub lists the run's jobs: other runs of the workflow list theirs much the same."""
        pages = {job.name: place // JOBS_OF_A_PAGE + 1 for place, job in enumerate(jobs)}
        self._pages[run.id, run.attempt] = pages

    def __call__(self, group: CauseGroup, failures: Sequence[Failure]) -> CauseGroup:
        run = failures[0].run
        assert run is not None, "failures of runs carry their run"
        subject, findings = self.gatherer(run).gather(group, failures)
        cause = failures[0].cause(group.id)
        generic = is_generic(group, self._knowledge.catalogue)
        verdict = judge(cause.category, generic, subject, findings, cause.confidence)
        self._base[run.id, run.attempt, group.id] = findings.base
        return replace(group, verdict=verdict, record=findings.record)

    def since(self, group: CauseGroup, failures: Sequence[Failure]) -> CauseGroup:
        """With since when the base branch fails, once every cause has its verdict: these share the requests."""
        run = failures[0].run
        assert run is not None, "failures of runs carry their run"
        found, missing = self.gatherer(run).since(self._base[run.id, run.attempt, group.id], failures)
        said = (*group.verdict.evidence, *map(Evidence, missing))
        return replace(group, since=found, verdict=replace(group.verdict, evidence=said))

    def gatherer(self, run: Run) -> Gatherer:
        key = run.id, run.attempt
        if key not in self._gatherers:
            self._gatherers[key] = Gatherer(
                self._evidence, self._knowledge, run, past=self._past, pages=self._pages.get(key)
            )
        return self._gatherers[key]
