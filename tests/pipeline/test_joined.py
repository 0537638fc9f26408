from dataclasses import replace

from tests.output.sample import sample
from triage.model.result import Failure, TriageResult
from triage.pipeline.joined import joined


def of_run(number: int, cause: str = "") -> TriageResult:
    """The sample as the result of a run of its own, its jobs and its one cause named anew."""
    result = sample()
    run = replace(result.runs[0], id=number)

    def moved(one: Failure) -> Failure:
        job = one.diagnosis.job
        causes = tuple(replace(known, id=cause or known.id) for known in one.diagnosis.causes)
        found = replace(one.diagnosis, job=replace(job, id=number * 10 + job.id), causes=causes)
        return replace(one, id=f"job-{number * 10 + job.id}", run=run, diagnosis=found)

    groups = tuple(
        replace(
            group, id=cause or group.id, failures=tuple(f"job-{number * 10 + int(one[4:])}" for one in group.failures)
        )
        for group in result.causes
    )
    return replace(result, runs=(run,), failures=tuple(map(moved, result.failures)), causes=groups)


def test_patches_are_numbered_through_and_stay_with_their_causes() -> None:
    first, second = of_run(1), of_run(2, "segfault")
    both = joined([first, second])
    ids = [patch.id for patch in both.patches]
    assert ids == [f"p{number}" for number in range(1, len(ids) + 1)]
    assert len(ids) == 2 * len(first.patches)
    assert [group.id for group in both.causes] == [first.causes[0].id, "segfault"]
    for group, before in zip(both.causes, (first, second), strict=True):
        assert [one.title for one in both.patches_of(group)] == [
            one.title for one in before.patches_of(before.causes[0])
        ]
        assert all(one.run == before.runs[0] for one in both.failures_of(group))
        alternatives = {one.alternative_of for one in both.patches_of(group)} - {""}
        assert alternatives <= {both.patches_of(group)[0].id}


def test_equal_causes_are_one_with_the_failures_of_all_runs() -> None:
    both = joined([of_run(1), of_run(2)])
    (group,) = both.causes
    assert {one.run.id for one in both.failures_of(group) if one.run} == {1, 2}
    assert [one.id for one in both.runs] == [1, 2]


def test_failures_without_a_job_keep_ids_of_their_own() -> None:
    result = sample()
    job = replace(result.failures[2].diagnosis.job, id=0)
    alone = replace(result.failures[2], id="log-1", diagnosis=replace(result.failures[2].diagnosis, job=job))
    one = TriageResult("example/train", failures=(alone,), notices=("the cache is off",))
    both = joined([one, one])
    assert [failure.id for failure in both.failures] == ["log-1", "log-2"]
    assert both.notices == ("the cache is off",)
