"""The next line of a sequence may be one that could stand anywhere: it is looked for only behind the first line."""

import cProfile

import pytest

from tests.matching.conftest import Held, signature
from triage.matching import compile_patterns, scan
from triage.model.signature import AnyOf, Regex, Sequence

HEADING, ERROR = r"^● (?P<test>.+ › .+)$", r"^\s{2,8}(?P<error>[A-Za-z][^\n]{3,250})$"
ANYTHING = b"2026-08-20T03:11:42.1425265Z   some words of a program\n"


def sequence(within: int = 8) -> Sequence:
    return Sequence((Regex(HEADING), Regex(ERROR)), within)


def found(content: bytes, condition=None):
    patterns = compile_patterns([signature(condition or sequence())], {})
    (reading,) = scan(Held("log", content), patterns)
    return [(match.line.number, dict(match.captures)) for match in reading.matches]


@pytest.mark.parametrize("between", [0, 1, 6, 7])
def test_the_next_line_is_found_within_its_distance(between: int) -> None:
    text = ANYTHING * 5000 + "● wizard › opens\n".encode() + b"--\n" * between + b"   Server failed\n" + ANYTHING * 5000
    assert found(text) == [(5002 + between, {"test": "wizard › opens", "error": "Server failed"})]


def test_beyond_its_distance_it_is_not() -> None:
    assert found("● wizard › opens\n".encode() + b"--\n" * 8 + b"   Server failed\n") == []


def test_lines_elsewhere_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []
    patterns = compile_patterns([signature(sequence())], {})
    matching = type(patterns).matching
    monkeypatch.setattr(type(patterns), "matching", lambda self, text: looked_at.append(text) or matching(self, text))
    scan(Held("log", ANYTHING * 5000 + "● a › b\n".encode() + ANYTHING * 5000), patterns)
    # The first lines too: a log may begin inside a traceback.
    assert len(looked_at) < 40


def test_a_pattern_that_also_counts_alone_is_found_anywhere() -> None:
    assert [line for line, _ in found(b"--\n" * 9 + b"   Server failed\n", AnyOf((sequence(), Regex(ERROR))))] == [10]


def test_as_many_places_with_their_errors_again_are_twice_the_work() -> None:
    """Calls into Python, which no busy machine changes: every line begins or ends a sequence that others are within."""
    condition = Sequence((Regex(r"^(?P<file>[\w/.]+):\d+: in \w+$"), Regex(r"^E\s+(?P<error>\w+): .+$")), 400)

    def calls(pairs: int) -> int:
        text = "".join(f"tests/test_a.py:{at}: in test_b\nE   ValueError: bad {at}\n" for at in range(pairs))
        patterns = compile_patterns([signature(condition)], {})
        with cProfile.Profile() as profile:
            scan(Held("log", text.encode()), patterns)
        return sum(one.callcount for one in profile.getstats())

    assert calls(4_000) < 2.3 * calls(2_000)
