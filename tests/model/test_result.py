import dataclasses

import pytest

from tests.output.sample import sample


def test_a_group_finds_its_failures_and_its_fixes_in_its_own_order() -> None:
    result = sample()
    group = result.causes[0]
    turned = dataclasses.replace(group, failures=group.failures[::-1], fixes=group.fixes[::-1])
    assert len(group.failures) > 1
    assert len(group.fixes) > 1
    assert tuple(one.id for one in result.failures_of(turned)) == turned.failures
    assert tuple(one.id for one in result.patches_of(turned)) == turned.fixes


def test_a_failure_shows_its_own_sight_of_a_cause() -> None:
    result = sample()
    group = result.causes[0]
    for failure in result.failures_of(group):
        assert failure.cause(group.id) is failure.diagnosis.causes[0]


def test_a_cause_that_a_failure_does_not_have_is_no_other_one() -> None:
    with pytest.raises(LookupError, match="job-1 has no cause segfault"):
        sample().failures[0].cause("segfault")


def test_silent_failures_have_no_cause() -> None:
    result = sample()
    named = {one for group in result.causes for one in group.failures}
    assert {one.id for one in result.silent} == {one.id for one in result.failures} - named
    assert result.silent
