from datetime import date

from triage.flakiness.changes import DayCount, change_points


def days(*stretches: tuple[int, int, int], first: int = 20_000) -> list[DayCount]:
    """(number of days, failed a day, settled a day)."""
    counts = [(failed, settled) for length, failed, settled in stretches for _ in range(length)]
    return [DayCount(first + place, failed, settled) for place, (failed, settled) in enumerate(counts)]


def test_nothing_changes_in_what_is_constant_or_empty() -> None:
    assert change_points([]) == ()
    assert change_points(days((1, 1, 2))) == ()
    for failed in (0, 1, 4):
        assert change_points(days((100, failed, 4))) == ()


def test_a_break_is_found_on_its_day_with_both_rates() -> None:
    (found,) = change_points(days((60, 0, 6), (10, 6, 6)))
    assert found.day == found.earliest == found.latest == date.fromordinal(719_163 + 20_060)
    assert (found.before.k, found.before.n, found.after.k, found.after.n) == (0, 360, 60, 60)
    assert found.probability > 0.999


def test_two_changes_are_two_and_each_has_its_neighbours_rates() -> None:
    up, down = change_points(days((50, 0, 6), (20, 3, 6), (50, 0, 6)))
    assert (up.before.k, up.after.k, down.before.k, down.after.k) == (0, 60, 60, 0)
    assert (up.day.toordinal(), down.day.toordinal()) == (719_163 + 20_050, 719_163 + 20_070)


def test_days_without_results_may_be_left_out() -> None:
    whole = days((60, 0, 6), (10, 6, 6))
    (found,) = change_points([count for count in whole if count.day % 7])
    assert found.day.toordinal() - 719_163 in (20_060, 20_061)


def test_one_bad_day_is_an_outage_and_no_change_of_the_rate() -> None:
    assert change_points(days((60, 0, 6), (1, 6, 6), (60, 0, 6))) == ()
