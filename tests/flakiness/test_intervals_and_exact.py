from itertools import combinations, product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.flakiness.exact import binomial_tail, fisher_less, holm, hypergeometric, stratified
from triage.flakiness.intervals import rate, wilson


@given(st.integers(1, 5000), st.data())
def test_an_interval_holds_its_own_rate_and_stays_a_share(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    low, high = wilson(k, n)
    assert 0 <= low <= k / n <= high <= 1
    assert (low == 0) == (k == 0)
    assert (high == 1) == (k == n)


def test_known_intervals() -> None:
    assert wilson(0, 10) == pytest.approx((0, 0.277533), abs=1e-6)
    assert wilson(5, 10) == pytest.approx((0.236593, 0.763407), abs=1e-6)
    assert wilson(0, 0) == (0, 1)


def test_under_the_minimum_there_is_no_rate_to_judge() -> None:
    assert not rate(3, 9).enough
    assert rate(3, 10).enough
    assert rate(0, 0).value is None
    with pytest.raises(ValueError, match="7 of 5"):
        rate(7, 5)


@given(st.integers(1, 40), st.data())
def test_the_hypergeometric_is_that_of_counting(total: int, data: st.DataObject) -> None:
    failed, drawn = data.draw(st.integers(0, total)), data.draw(st.integers(0, total))
    masses = hypergeometric(total, failed, drawn)
    exact = [
        comb(failed, x) * comb(total - failed, drawn - x) / comb(total, drawn) for x in range(min(failed, drawn) + 1)
    ]
    assert masses == pytest.approx(exact, abs=1e-12)
    assert masses.sum() == pytest.approx(1)


def test_the_stratified_p_is_that_of_dealing_all_hands() -> None:
    """Two strata: 2 of 5 attempts failed, the unit had 2; 3 of 6 failed, the unit had 3."""
    hands = [
        sum(card < 2 for card in first) + sum(card < 3 for card in second)
        for first, second in product(combinations(range(5), 2), combinations(range(6), 3))
    ]
    for observed in range(6):
        by_counting = sum(hand >= observed for hand in hands) / len(hands)
        assert stratified([(5, 2, 2), (6, 3, 3)], observed) == pytest.approx(by_counting)


def test_a_stratum_that_is_all_the_units_own_says_nothing() -> None:
    assert stratified([(10, 9, 10)], 9) == 1.0
    assert stratified([(10, 9, 10), (20, 4, 5)], 9 + 4) == pytest.approx(stratified([(20, 4, 5)], 4))


def test_known_tails() -> None:
    assert fisher_less(0, 10, 5, 10) == pytest.approx(comb(10, 5) / comb(20, 5))
    assert fisher_less(5, 10, 5, 10) > 0.5
    assert binomial_tail(2, 3, 0.5) == pytest.approx(0.5)
    assert binomial_tail(0, 3, 0.5) == 1
    assert (binomial_tail(1, 3, 0.0), binomial_tail(3, 3, 1.0)) == (0, 1)


def test_holm_is_what_the_textbook_says() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert holm([]) == ()


@given(st.lists(st.floats(0, 1), max_size=20))
def test_holm_never_lowers_and_keeps_the_order(values: list[float]) -> None:
    adjusted = holm(values)
    assert all(a >= p for a, p in zip(adjusted, values, strict=True))
    assert sorted(range(len(values)), key=lambda i: (values[i], i)) == sorted(
        range(len(values)), key=lambda i: (adjusted[i], values[i], i)
    )
    assert all(a <= 1 for a in adjusted)
