"""What is possible time and again without being true costs one automaton, and changes nothing that is found."""

import io

import pytest

from triage.logs.blocks import blocks
from triage.matching import compile_patterns
from triage.matching import sieves as sieves_module
from triage.matching.engine import candidates
from triage.matching.sieves import Sieves, any_of
from triage.model.signature import Category, Explain, Rank, Regex, Severity, Signature, Status

NEAR, HIT = b"custom_all_reduce says scheduler.py:7 is late\n", b"custom_all_reduce.py:12 failed\n"


@pytest.fixture
def patterns():
    leaf = Regex(r"^custom_all_reduce\w*\.py:\d+ failed$")
    made = Signature("s", "t", "o", "f", Category.INFRA, Severity.LOW, Rank.ROOT, Status.STABLE, leaf, Explain("w"))
    return compile_patterns([made], {})


def test_near_misses_are_parsed_until_there_are_many_of_them(patterns, monkeypatch):
    looked_at = []
    matching = type(patterns).matching
    monkeypatch.setattr(type(patterns), "matching", lambda self, text: looked_at.append(text) or matching(self, text))
    near = b"custom_all_reduce.py:12 is failed by nobody\n"
    raw = near * 5000 + b"2026-08-20T03:11:42.1425265Z [rank0]: " + HIT
    found = list(candidates(blocks(io.BytesIO(raw)), patterns, lambda: False))
    assert [(one.seen.number, one.numbers) for one in found if one.numbers] == [(5001, (0,))]
    assert len(looked_at) < 1000


def test_every_hit_among_many_near_misses_is_found(patterns):
    raw = (NEAR * 30 + HIT) * 200
    found = candidates(blocks(io.BytesIO(raw)), patterns, lambda: False)
    assert [one.seen.number for one in found if one.numbers] == [31 * n for n in range(1, 201)]


def test_a_sieve_finds_lines_of_any_of_its_patterns_and_reads_no_further_than_a_line():
    sieve = any_of(["a.*z", "q"])
    assert [bool(sieve.search(text)) for text in (b"xaz", b"a\nz", b"q", b"")] == [True, False, True, False]


def test_patterns_that_do_not_fit_get_no_sieve_and_are_tried_once(monkeypatch):
    tried = []
    monkeypatch.setattr(sieves_module, "any_of", lambda *given: tried.append(given) or any_of(*given))
    sieves = Sieves()
    large = ["(?i)" + "|".join(f"{word}{n}[a-z]+é" for n in range(20_000)) for word in ("x", "y")]
    assert [sieves.of((0, 1), large, ()) for _ in range(20)] == [None] * 20
    assert len(tried) == 1


def test_a_log_of_all_combinations_gets_few_sieves():
    sieves = Sieves()
    texts = [f"word{n}" for n in range(200)]
    made = [sieves.of((n, n + 1), texts, ()) for _ in range(20) for n in range(199)]
    assert len({id(sieve) for sieve in made if sieve is not None}) == 32
