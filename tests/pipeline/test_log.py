import pytest

from tests.pipeline.fakes import MISSING, TextLog, built_in, job_log
from triage.errors import NothingToTriage
from triage.pipeline.log import require_failures, triage_logs
from triage.pipeline.trees import no_trees
from triage.pipeline.triage import Knowledge

NO_TREE = no_trees("no tree in this test")


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return built_in()


def test_each_log_is_a_failure_of_its_own(knowledge: Knowledge) -> None:
    logs = [TextLog("a.log", job_log(MISSING)), TextLog("b.log", job_log(MISSING))]
    result = triage_logs(logs, knowledge, NO_TREE).result
    assert [(failure.id, failure.source) for failure in result.failures] == [("log-1", "a.log"), ("log-2", "b.log")]
    assert result.causes[0].failures == ("log-1", "log-2")


def test_the_job_is_the_one_that_the_runner_named(knowledge: Knowledge) -> None:
    log = TextLog("a.log", job_log("Complete job name: train (fsdp2, 8)", MISSING))
    (failure,) = triage_logs([log], knowledge, NO_TREE).result.failures
    assert failure.diagnosis.job.name == "train (fsdp2, 8)"
    (asked,) = triage_logs([log], knowledge, NO_TREE, job="other").result.failures
    assert asked.diagnosis.job.name == "other"
    (narrowed,) = triage_logs([log], knowledge, NO_TREE, job="train").result.failures
    assert narrowed.diagnosis.job.name == "train (fsdp2, 8)"


def test_several_jobs_in_one_file_are_several_failures(knowledge: Knowledge) -> None:
    text = "".join(
        f"{job}\tRun tests\t2026-08-20T03:11:4{n}.0000000Z {line}\n"
        for job in ("build (1)", "build (2)")
        for n, line in enumerate([MISSING, "##[error]Process completed with exit code 1."])
    )
    result = triage_logs([TextLog("gh.log", text)], knowledge, NO_TREE).result
    assert [failure.diagnosis.job.name for failure in result.failures] == ["build (1)", "build (2)"]
    assert [failure.diagnosis.causes[0].line.number for failure in result.failures] == [1, 3]


def two_jobs(*names: str) -> str:
    return "".join(
        f"{job}\tRun tests\t2026-08-20T03:11:4{n}.0000000Z {line}\n"
        for job in names
        for n, line in enumerate([MISSING, "##[error]Process completed with exit code 1."])
    )


@pytest.mark.parametrize(
    ("asked", "names", "taken"),
    [
        ("lint", ("train", "lint"), [3]),
        ("build", ("train", "build (1)", "build (2)"), [3, 5]),
        ("build", ("build", "build image"), [1]),
        ("tests", ("ci / tests", "ci / lint"), [1]),
        ("unit_tests", ("Run the unit tests", "Check the format"), [1]),
        ("zork", ("train", "lint"), [1, 3]),
    ],
)
def test_of_several_jobs_in_one_file_the_one_that_is_named_is_looked_at(
    knowledge: Knowledge, asked: str, names: tuple[str, ...], taken: list[int]
) -> None:
    result = triage_logs([TextLog("gh.log", two_jobs(*names))], knowledge, NO_TREE, job=asked).result
    assert [failure.diagnosis.causes[0].line.number for failure in result.failures] == taken
    said = [one for one in result.notices if one.startswith(f"only the job {asked} was looked at")]
    assert len(said) == (len(taken) < len(names))


def test_files_of_other_jobs_are_counted_apart(knowledge: Knowledge) -> None:
    logs = [TextLog(f"{name}.log", two_jobs(name)) for name in ("train", "lint")]
    result = triage_logs(logs, knowledge, NO_TREE, job="lint").result
    assert [failure.source for failure in result.failures] == ["lint.log"]
    assert "2 inputs: 1 with a failure, 1 of other jobs (train.log)" in result.notices


def test_a_log_in_which_nothing_failed_is_nothing_to_triage(knowledge: Knowledge) -> None:
    logs = [TextLog("green.log", job_log("12 passed in 3.10s", exit_code=0))]
    triaged = triage_logs(logs, knowledge, NO_TREE)
    assert triaged.result.failures == ()
    with pytest.raises(NothingToTriage, match=r"green\.log"):
        require_failures(triaged, logs)


def test_what_was_only_cancelled_comes_behind_the_failure_that_ended_it(knowledge: Knowledge) -> None:
    said = [
        "wheel (3.10.0)\tSet up\t2026-06-10T07:31:44.0000000Z ##[error]Error: The version '3.10.0' with architecture 'x64' was not found for Ubuntu 22.04.",
        "wheel (3.11.0)\tSet up\t2026-06-10T07:31:45.4635342Z ##[error]The operation was canceled.",
        "wheel (3.12.0)\tSet up\t2026-06-10T07:31:46.1765080Z ##[error]The operation was canceled.",
    ]
    whole = TextLog("run.log", "\n".join(said))
    causes = triage_logs([whole], knowledge, NO_TREE).result.causes
    assert [one.signature for one in causes] == ["setup-version-not-found", "operation-canceled"]
