"""Whose failure each cause of some runs is: evidence is gathered run by run, then judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from triage.diagnosis.verdict import judge
from triage.model.result import CauseGroup, Failure
from triage.model.run import Run
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
        self._gatherers: dict[tuple[int, int], Gatherer] = {}

    def __call__(self, group: CauseGroup, failures: Sequence[Failure]) -> CauseGroup:
        run = failures[0].run
        assert run is not None, "failures of runs carry their run"
        subject, findings = self.gatherer(run).gather(group, failures)
        category = failures[0].cause(group.id).category
        verdict = judge(category, is_generic(group, self._knowledge.catalogue), subject, findings)
        return replace(group, verdict=verdict, since=findings.breakage, record=findings.record)

    def gatherer(self, run: Run) -> Gatherer:
        key = run.id, run.attempt
        if key not in self._gatherers:
            self._gatherers[key] = Gatherer(self._evidence, self._knowledge, run, past=self._past)
        return self._gatherers[key]
