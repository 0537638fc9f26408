import pytest

from triage.catalogue import conditions, patterns
from triage.model.signature import AllOf, AnyOf, Contains, NoneOf, Occurrence, Regex, Sequence

A, B, C = Contains("a"), Contains("b"), Regex(r"c(?P<n>\d+)")


def test_holds_over_lines() -> None:
    assert conditions.holds(AllOf((A, B)), ["xa", "b"])
    assert not conditions.holds(AllOf((A, B)), ["xa"])
    assert conditions.holds(AnyOf((A, B)), ["b"])
    assert not conditions.holds(AllOf((A, NoneOf((B,)))), ["a", "b"])
    assert conditions.holds(Sequence((A, C), 2), ["a", "-", "c1"])
    assert not conditions.holds(Sequence((A, C), 1), ["a", "-", "c1"])
    assert not conditions.holds(Sequence((A, C), 2), ["c1", "a"])


def test_evidence_captures_and_depth() -> None:
    condition = AllOf((NoneOf((B,)), AnyOf((A, Sequence((A, C), 3)))))
    assert conditions.evidence(condition) == (A, C)
    assert conditions.evidence(Sequence((A, C), 3, Occurrence.FIRST)) == (A,)
    assert conditions.wanted(condition) == (A, A, C)
    assert conditions.captures(condition) == {"n"}
    assert conditions.depth(condition) == 3


def test_canonical_ignores_the_order_of_all_and_any_but_not_of_sequences() -> None:
    assert conditions.canonical(AllOf((A, B))) == conditions.canonical(AllOf((B, A)))
    assert conditions.canonical(AllOf((A,))) == conditions.canonical(A)
    assert conditions.canonical(AllOf((A, B))) != conditions.canonical(AnyOf((A, B)))
    assert conditions.canonical(Sequence((A, B), 3)) != conditions.canonical(Sequence((B, A), 3))
    assert conditions.canonical(Sequence((A, B), 3)) != conditions.canonical(Sequence((A, B), 3, Occurrence.FIRST))
    assert conditions.canonical(A) != conditions.canonical(Contains("a", anywhere=True))


@pytest.mark.parametrize(
    ("pattern", "largest"), [("a{3}", 3), ("a{2,300}", 300), (r"a\{999\}", 0), ("[{999}]", 0), ("a{4,}", 4), ("a", 0)]
)
def test_the_largest_repeat_outside_of_classes_and_escapes(pattern: str, largest: int) -> None:
    assert patterns.largest_repeat(pattern) == largest


@pytest.mark.parametrize("pattern", [r"(?:\.\w+)*y", r"(?P<a>\d+)-(?P<b>\d+)", r"a\(b+\)*", r"^\s*x", "(?i)x"])
def test_harmless_patterns_have_no_fault(pattern: str) -> None:
    assert list(patterns.faults(pattern)) == []
