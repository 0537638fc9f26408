"""What another process printed than the one whose exception ended the driver."""

from __future__ import annotations

import pytest

from triage.diagnosis import diagnose
from triage.model.log import Confidence
from triage.model.signature import Rank

HEAD = "ray.exceptions.RayTaskError({kind}): ray::ActorWorker.init_model() (pid={pid}, ip=10.0.0.5, actor_id=70f0)"
MESSAGE = "'ModelConfig' object has no attribute 'rope_scaling'"
CAUSES = ("own-fault", "gpu-full")


def _ended(log, kind="AttributeError", pid=71, message=MESSAGE, others=()):
    """A driver that Ray ends with one worker's exception; `others`: pids of workers that printed another root."""
    head = log.traceback(log.says(HEAD.format(kind=kind, pid=pid)), "ray.exceptions.RayTaskError", before=0)
    log.matched(head, "task-ended", Rank.WRAPPER)
    log.matched(log.says(f"{kind}: {message}"), "own-fault", Rank.SYMPTOM)
    for other in others:
        log.matched(log.says("out of memory", stream=f"ActorWorker pid={other}"), "gpu-full", explains=("own-fault",))
    log.exits()


def _named(log, job):
    return [(c.signature, c.confidence) for c in diagnose(log.reading, log.catalogue, job("failure")).causes]


def test_a_fault_of_the_code_is_not_laid_to_a_process_that_failed_beside_it(log, job):
    _ended(log, others=(72,))
    (cause,) = diagnose(log.reading, log.catalogue, job("failure")).causes
    assert (cause.signature, cause.confidence) == ("own-fault", Confidence.LOW)
    assert [each.signature for each in cause.consequences if each.signature in CAUSES] == ["gpu-full"]
    assert "another process's exception ended the program" in cause.reason


@pytest.mark.parametrize(
    "told",
    [
        {"others": (71,)},
        {"others": (72, 71)},
        {"others": (72,), "kind": "ValueError"},
        {"others": (72,), "message": "'NoneType' object has no attribute 'shape'"},
    ],
    ids=["the same process", "the same process too", "no fault of the code alone", "what another did not bring"],
)
def test_else_the_root_stays_the_root(log, job, told):
    _ended(log, **told)
    assert _named(log, job) == [("gpu-full", Confidence.HIGH)]


def test_both_raised_to_the_driver_leaves_the_root(log, job):
    log.traceback(log.says(HEAD.format(kind="OutOfMemoryError", pid=72)), "ray.exceptions.RayTaskError", before=0)
    _ended(log, others=(72,))
    assert _named(log, job)[0] == ("gpu-full", Confidence.HIGH)


def test_a_root_of_no_process_in_particular_stays(log, job):
    _ended(log)
    log.matched(log.says("out of memory"), "gpu-full", explains=("own-fault",))
    assert _named(log, job) == [("gpu-full", Confidence.HIGH)]
