from __future__ import annotations

import pytest

from tests.bench import rules
from triage.diagnosis import PROBES
from triage.errors import CatalogueError
from triage.matching import compile_patterns, scan
from triage.model.log import LineKind
from triage.model.run import Job, Step
from triage.model.signature import AllOf, AnyOf, Contains, NoneOf, Occurrence, Regex, Scope, Sequence
from triage.sources.catalogue import load

STAMP = "2026-08-20T03:11:42.1425265Z "
OOM = Contains("out of memory")
RETRY = Contains("retrying with less")


def test_a_match_has_its_line_captures_and_place(match) -> None:
    found = match(
        Regex(r"allocate (?P<asked>[\d.]+ GiB)(?P<never>x)?"), "noise\n[rank1]: é OOM: allocate 3.5 GiB now\n"
    )
    assert (found.line.number, found.line.stream, found.captures) == (2, "rank1", {"asked": "3.5 GiB"})
    assert found.line.text[found.line.start : found.line.end] == "allocate 3.5 GiB"
    assert found.line.offset == 6
    assert (found.hits, found.lines, found.occurrences) == (1, (found.line,), (found.occurrences[0],))


def test_anchors_mean_the_cleaned_text(match) -> None:
    condition = Regex(r"^ValueError: x$")
    for line in (
        "ValueError: x",
        f"{STAMP}ValueError: x",
        "(W pid=1) ValueError: x\r",
        "E   ValueError: x",
        " ValueError: xy",
    ):
        assert bool(match(condition, line)) == (line != " ValueError: xy")


def test_all_conditions_must_hold_in_one_stream(match) -> None:
    condition = AllOf((OOM, RETRY))
    assert match(condition, "[rank0]: out of memory\n[rank1]: retrying with less\n") is None
    found = match(condition, "[rank0]: out of memory\n[rank1]: out of memory\n[rank1]: retrying with less\n")
    assert (found.line.number, [line.number for line in found.lines]) == (2, [2, 3])


def test_anywhere_frees_a_condition_from_the_stream(match) -> None:
    condition = AllOf((OOM, Contains("exit code 1", anywhere=True)))
    assert match(condition, "[rank0]: out of memory\nexit code 1\n").line.number == 1
    none_anywhere = AllOf((OOM, NoneOf((Contains("all good", anywhere=True),))))
    assert match(none_anywhere, "[rank0]: out of memory\nall good\n") is None


def test_none_looks_at_the_evidences_stream(match) -> None:
    condition = AllOf((OOM, NoneOf((RETRY,))))
    assert match(condition, "[rank0]: out of memory\n[rank0]: retrying with less\n") is None
    found = match(condition, "[rank0]: out of memory\n[rank0]: retrying with less\n[rank1]: out of memory\n")
    assert found.line.stream == "rank1"


def test_the_order_of_all_does_not_choose_the_evidence_under_none(match) -> None:
    found = match(AllOf((NoneOf((RETRY,)), Contains("b"), Contains("a"))), "a\nb\n")
    assert found.line.number == 2


def test_any_takes_the_earliest_of_its_branches(match) -> None:
    condition = AnyOf((Contains("late"), Contains("early"), AllOf((Contains("x"), Contains("y")))))
    found = match(condition, "early\nlate\n")
    assert (found.line.number, [line.number for line in found.occurrences]) == (1, [1, 2])
    assert match(condition, "y\nx\n").line.number == 2
    assert match(condition, "x\n") is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a1\nnoise\nb2\n", 3),
        ("b2\na1\n", None),
        ("a1\n" + "noise\n" * 5 + "b2\n", None),
        ("a1\nnoise\na1\n" + "noise\n" * 3 + "b2\n", 7),
        ("[rank0]: a1\n[rank1]: b2\n", None),
        ("a1 b2\n", None),
    ],
)
def test_a_sequence_is_ordered_near_and_in_one_stream(match, text: str, line: int | None) -> None:
    found = match(Sequence((Contains("a1"), Regex(r"b(?P<n>\d)")), 4), text)
    assert (found.line.number if found else None) == line
    if found:
        assert found.captures == {"n": "2"}
        assert [one.number for one in found.lines][-1] == line


def test_first_and_last_occurrence(match) -> None:
    text = "\n".join(f"out of memory {n}" for n in range(500))
    first, last = match(OOM, text), match(OOM, text, occurrence=Occurrence.LAST)
    assert (first.line.number, last.line.number) == (1, 500)
    assert first.hits == 500
    assert len(first.occurrences) <= 64


def test_occurrences_hold_every_stream(match) -> None:
    text = "\n".join(f"[rank{n % 8}]: out of memory" for n in range(160))
    found = match(OOM, text)
    assert {line.stream for line in found.occurrences} == {f"rank{n}" for n in range(8)}
    assert found.hits == 160


HEADER = f"""\
{STAMP}##[group]Run set -x
{STAMP}\x1b[36;1mecho 'out of memory'\x1b[0m
{STAMP}env:
{STAMP}  NOTE: out of memory
{STAMP}##[endgroup]
"""


def test_headers_scripts_and_commands_are_no_evidence(match, make, read) -> None:
    assert match(OOM, HEADER) is None
    assert match(OOM, HEADER + f"{STAMP}+ echo out of memory\n") is None
    assert match(OOM, HEADER + f"{STAMP}out of memory\n").line.number == 6
    (probed,) = read([make(OOM)], HEADER + f"{STAMP}+ echo out of memory\n", {"oom": "out of (?P<what>memory)"}).probed
    assert (probed.probe, probed.captures, probed.line.number) == ("oom", {"what": "memory"}, 6)


def test_a_header_that_never_ends_hides_nothing(match) -> None:
    text = f"{STAMP}##[group]Run it\n{STAMP}out of memory\n"
    assert match(OOM, text).line.number == 2
    assert match(OOM, text + f"{STAMP}x\n" * 4000).line.number == 2
    assert match(OOM, text + f"{STAMP}##[group]Run more\n{STAMP}##[endgroup]\n").line.number == 2


def test_runner_markers_are_evidence(match) -> None:
    found = match(Contains("exit code 1"), f"{STAMP}##[error]Process completed with exit code 1.\n")
    assert found.line.kind is LineKind.MARKER


def job(name: str, *steps: Step) -> Job:
    return Job(1, 1, 1, name, "completed", "failure", steps=steps)


def test_a_scope_lets_the_unknown_pass_and_the_known_veto(match) -> None:
    scoped = {"scope": Scope(job=("e2e*",), step=("Test*",))}
    assert match(OOM, "out of memory", **scoped)
    assert match(OOM, "out of memory", job("e2e_ppo"), **scoped)
    assert match(OOM, "out of memory", job("docs"), **scoped) is None


def test_a_known_step_outside_the_scope_is_vetoed(match) -> None:
    text = f"{STAMP}##[group]Run pip install x\n{STAMP}##[endgroup]\n{STAMP}out of memory\n" + HEADER
    one = Step(2, "Run pip install x", "completed", "success")
    two = Step(3, "Run set -x", "completed", "failure")
    scope = {"scope": Scope(step=("Run set*",))}
    assert match(OOM, text, **scope)
    assert match(OOM, text, job("gpu", one, two), **scope) is None
    found = match(OOM, text + f"{STAMP}out of memory\n", job("gpu", one, two), **scope)
    assert (found.line.number, found.line.step.name) == (9, "Run set -x")


def test_very_long_lines_are_searched_and_only_a_part_is_kept(match) -> None:
    text = b"start " + b"x" * 200_000 + b"out of memory" + b"y" * 200_000 + b"\nnext\n"
    found = match(OOM, text)
    assert (found.line.number, found.line.offset, found.hits) == (1, 0, 1)
    assert found.line.text[found.line.start : found.line.end] == "out of memory"
    assert len(found.line.text) <= 4096


def test_a_hit_on_the_seam_of_two_pieces_is_found_and_counted_once(match) -> None:
    for shift in range(-14, 14, 3):
        found = match(OOM, b"[rank2]: " + b"x" * ((1 << 16) - 9 + shift) + b"out of memory" + b"y" * 100_000)
        assert (found.hits, found.line.number, found.line.stream) == (1, 1, "rank2")


def test_many_streams_are_capped_and_said_so(make, read) -> None:
    reading = read([make(OOM)], "".join(f"(W pid={n}) out of memory\n" for n in range(1000)))
    assert reading.matches[0].hits == 1000
    assert len(reading.matches[0].occurrences) == 64
    assert "matches" in reading.capped


def test_the_last_hit_counts_however_many_steps_came_before(match) -> None:
    step = f"{STAMP}##[group]Run a\n{STAMP}##[endgroup]\n{STAMP}out of memory\n"
    found = match(OOM, step * 100, occurrence=Occurrence.LAST)
    assert (found.line.number, found.hits) == (300, 100)


def test_wrong_patterns_are_named(make) -> None:
    with pytest.raises(CatalogueError, match="s: RE2 does not accept"):
        compile_patterns([make(Regex("a(?=b)"))], {})
    with pytest.raises(CatalogueError, match="probe p: the pattern 'x\\*' matches an empty line"):
        compile_patterns([], {"p": "x*"})


def test_matches_are_in_the_order_of_the_text(make, read) -> None:
    signatures = [make(Contains("b"), id="one"), make(Contains("a"), id="two"), make(Contains("a"), id="three")]
    assert [match.signature for match in read(signatures, "a\nb\n").matches] == ["three", "two", "one"]


def test_a_log_is_read_once_and_its_end_once_more(held, make) -> None:
    log = held("x", b"out of memory\n" * 1000)
    scan(log, compile_patterns([make(OOM)], {}))
    assert len(log.opened) == 2


def test_a_line_without_a_stamp_has_the_time_of_the_line_before_it_at_the_start_of_a_log_too(match) -> None:
    for before in ("", "more\n", "more\nmore\n"):
        found = match(OOM, f"{STAMP}nothing that any pattern needs\n{before}out of memory\n")
        assert found.line.time is not None, before
        assert found.line.time.isoformat() == "2026-08-20T03:11:42.142526+00:00"


def test_beside_the_built_in_ones_there_is_room_for_a_repository_s_own() -> None:
    """The built-in ones themselves: their texts are longer than those of made-up rules."""
    compile_patterns([*load().signatures.values(), *rules.signatures(300)], PROBES)


HEADING, WHY = Contains("failed because:"), Contains("disk is gone")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("it failed because:\nnoise\nthe disk is gone\n", 3),
        ("1 failed because:\n22 failed because:\nthe disk is gone\n3 failed because:\n", 3),
        ("it failed because:\n" + "noise\n" * 9 + "the disk is gone\n", 1),
        ("[rank0]: it failed because:\n[rank1]: the disk is gone\n", 1),
        ("the disk is gone\nit failed because:\n", 1),
    ],
)
def test_a_heading_gives_way_to_what_a_sequence_goes_on_to(match, text: str, line: int) -> None:
    found = match(AnyOf((Sequence((HEADING, WHY), 4), HEADING, WHY)), text)
    assert found.line.number == line


def test_a_sequence_may_say_why_in_its_first_line(match) -> None:
    condition = AnyOf((Sequence((WHY, HEADING), 4, Occurrence.FIRST), HEADING))
    assert match(condition, "the disk is gone\nnoise\nit failed because:\n").line.number == 1
    assert match(condition, "it failed because:\nthe disk is gone\n").line.number == 1
    assert match(condition, "the disk is gone\n") is None


def test_an_exception_that_is_raised_again_gives_way_to_its_own_text(match) -> None:
    again, own = "KeyError: Caught KeyError in DataLoader worker process 0.\n", "KeyError: 'image'\n"
    error = Regex(r"^KeyError: (?P<what>.+)$")
    found = match(error, again + "Original Traceback (most recent call last):\n" + own)
    assert (found.line.number, found.captures) == (3, {"what": "'image'"})
    assert match(error, again).line.number == 1
