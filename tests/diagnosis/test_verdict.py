"""Each verdict, and each guard of DESIGN section 6 against excusing or blaming wrongly."""

import pytest

from triage.diagnosis.verdict import judge, judge_without_base
from triage.model.diagnosis import Verdict, VerdictValue
from triage.model.evidence import Findings, Observation, Sight, Subject
from triage.model.log import Confidence
from triage.model.signature import Category

SUBJECT = Subject(pull=41, author="someone", tested_sha="abc", kin=frozenset({39}))
FIXED = Category.DETERMINISTIC


def base(*sights: Sight, holds_change: bool = False) -> tuple[Observation, ...]:
    return tuple(Observation(sight, f"run {n}", holds_change=holds_change) for n, sight in enumerate(sights))


def other(pull: int, author: str, sight: Sight = Sight.SAME_CAUSE) -> Observation:
    return Observation(sight, f"#{pull}", author=author, pull=pull)


def judged(
    findings: Findings, subject: Subject = SUBJECT, generic: bool = False, category: Category = FIXED
) -> Verdict:
    return judge(category, generic, subject, findings)


PASSED, SAME, ELSE, ABSENT = Sight.PASSED, Sight.SAME_CAUSE, Sight.OTHER_CAUSE, Sight.DID_NOT_RUN


def test_a_rerun_of_the_same_commit_that_passed_is_a_flake() -> None:
    again = Observation(PASSED, "attempt 2", sha="abc")
    verdict = judged(Findings(attempts=(again,), base=base(PASSED, PASSED, PASSED), touched=("x",)))
    assert (verdict.value, verdict.confidence) == (VerdictValue.FLAKE, Confidence.HIGH)


def test_a_rerun_of_another_merge_commit_proves_nothing() -> None:
    again = Observation(PASSED, "attempt 2", sha="def")
    assert judged(Findings(attempts=(again,))).value is VerdictValue.UNKNOWN


def test_the_base_that_always_fails_the_same_way_is_trunk() -> None:
    assert judged(Findings(base=base(SAME, SAME))).value is VerdictValue.TRUNK


def test_the_base_that_fails_since_a_point_is_trunk_with_that_point() -> None:
    verdict = judged(Findings(base=base(SAME, SAME, PASSED, PASSED)))
    assert verdict.value is VerdictValue.TRUNK
    assert any("the last one that passed is run 2" in one.text for one in verdict.evidence)


def test_the_base_that_fails_now_and_then_is_a_flake() -> None:
    assert judged(Findings(base=base(PASSED, SAME, PASSED))).value is VerdictValue.FLAKE


def test_guard_a_base_run_that_holds_the_change_does_not_count() -> None:
    assert judged(Findings(base=base(SAME, SAME, holds_change=True))).value is VerdictValue.UNKNOWN


def test_guard_a_job_that_did_not_run_on_the_base_excuses_and_blames_nobody() -> None:
    verdict = judged(Findings(base=base(ABSENT, ABSENT, ABSENT), touched=("it edits train.sh",)))
    assert verdict.value is VerdictValue.UNKNOWN
    assert verdict.evidence[0].text == "the job did not run on the base branch"


def test_guard_a_message_too_general_excuses_nobody() -> None:
    assert judged(Findings(base=base(SAME, SAME)), generic=True).value is VerdictValue.UNKNOWN
    assert judged(Findings(pulls=(other(50, "else"), other(51, "third"))), generic=True).value is VerdictValue.UNKNOWN


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(other(41, "else"), id="the same pull request"),
        pytest.param(other(39, "else"), id="its stack or its revert"),
        pytest.param(other(50, "Someone"), id="the same author"),
        pytest.param(
            Observation(SAME, "#50", author="else", pull=50, holds_change=True), id="one that holds the change"
        ),
        pytest.param(other(50, "else", ELSE), id="another cause"),
    ],
)
def test_guard_what_must_not_excuse(seen: Observation) -> None:
    assert judged(Findings(pulls=(seen,), base=base(PASSED, PASSED, PASSED))).value is VerdictValue.YOURS


def test_other_people_with_the_same_cause_make_it_a_flake() -> None:
    verdict = judged(Findings(pulls=(other(50, "else"), other(51, "third")), base=base(PASSED, PASSED, PASSED)))
    assert (verdict.value, verdict.confidence) == (VerdictValue.FLAKE, Confidence.MEDIUM)


def test_other_people_do_not_excuse_a_change_that_touches_what_fails() -> None:
    verdict = judged(Findings(pulls=(other(50, "else"),), touched=("it edits train.sh",)))
    assert verdict.value is VerdictValue.UNKNOWN


def test_infrastructure_is_nobodys() -> None:
    assert judged(Findings(base=base(PASSED, PASSED, PASSED)), category=Category.INFRA).value is VerdictValue.INFRA
    assert judge_without_base(Category.INFRA, Confidence.HIGH).value is VerdictValue.INFRA


def test_yours_needs_a_base_that_passes() -> None:
    touched = ("it edits train.sh, which the job runs",)
    assert judged(Findings(base=base(PASSED, PASSED, PASSED), touched=touched)).confidence is Confidence.HIGH
    assert judged(Findings(base=base(PASSED), touched=touched)).value is VerdictValue.YOURS
    assert judged(Findings(base=base(PASSED, PASSED))).value is VerdictValue.UNKNOWN
    assert judged(Findings(base=base(PASSED, ELSE, PASSED, PASSED), touched=touched)).value is VerdictValue.UNKNOWN
    assert judged(Findings(touched=touched)).value is VerdictValue.UNKNOWN
    assert judge_without_base(FIXED, Confidence.HIGH).value is VerdictValue.UNKNOWN


def test_a_run_of_the_base_branch_is_nobodys_pull_request() -> None:
    verdict = judged(Findings(base=base(PASSED, PASSED, PASSED)), subject=Subject(on_base=True))
    assert verdict.value is VerdictValue.TRUNK


def test_what_could_not_be_looked_up_is_said() -> None:
    verdict = judged(Findings(missing=("the budget of requests was spent",)))
    assert [one.text for one in verdict.evidence] == ["no base evidence", "the budget of requests was spent"]


def test_a_cause_that_is_only_guessed_is_not_called_infrastructure_and_blames_nobody() -> None:
    for verdict in (
        judge_without_base(Category.INFRA, Confidence.LOW),
        judge(Category.INFRA, False, SUBJECT, Findings(base=base(PASSED, PASSED, PASSED)), Confidence.LOW),
    ):
        assert (verdict.value, verdict.confidence) == (VerdictValue.UNKNOWN, Confidence.LOW)
        assert "by its nature" not in verdict.evidence[0].text


def test_how_sure_the_cause_is_decides_how_its_nature_is_worded() -> None:
    said = [judge_without_base(Category.INFRA, sure).evidence[0].text for sure in Confidence]
    assert "by its nature" in said[0]
    assert "mostly" in said[1]
    assert "not sure" in said[2]
