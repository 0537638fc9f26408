from dataclasses import replace
from pathlib import Path

import pytest

from tests.golden import check
from tests.output.sample import sample
from triage.model.diagnosis import JobDiagnosis
from triage.model.patch import Patch, PatchState
from triage.model.result import TriageResult
from triage.model.run import Annotation, Job
from triage.output import markdown, terminal, words

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("width", [80, 120])
def test_what_a_person_sees(width: int, update_golden: bool) -> None:
    check(GOLDEN / f"terminal-{width}.txt", terminal.render(sample(), width=width), update_golden)


def test_nothing_but_the_diff_is_wider_than_the_terminal() -> None:
    lines = terminal.render(sample(), width=80).splitlines()
    wide = [line for line in lines if len(line) > 80 and not line.startswith("    ")]
    assert wide == []


def test_a_title_longer_than_the_line_is_shown_whole() -> None:
    long = "A second package of the pair was built against another release of the first, so that it cannot be loaded"
    group = replace(sample().causes[0], title=long)
    shown = terminal.render(replace(sample(), causes=(group, *sample().causes[1:])), width=80)
    assert f"1 · {long}" in " ".join(shown.split())


def test_without_colour_there_is_no_escape_and_with_it_the_words_are_the_same() -> None:
    import re

    plain = terminal.render(sample(), width=80)
    coloured = terminal.render(sample(), width=80, color=True)
    assert "\x1b" not in plain
    assert "\x1b[" in coloured
    uncoloured = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in uncoloured.splitlines()] == plain.splitlines()


def test_log_text_cannot_steer_the_terminal() -> None:
    printed = terminal.render(sample(), width=80)
    assert "\x07" not in printed
    assert "\u202e" not in printed


def test_an_empty_result_says_so() -> None:
    assert terminal.render(TriageResult()) == "nothing failed\n"


def with_fixes(*patches: Patch) -> TriageResult:
    made = sample()
    group = replace(made.causes[0], fixes=tuple(patch.id for patch in patches))
    return replace(made, causes=(group, *made.causes[1:]), patches=patches)


def test_refusals_are_counted_beside_a_patch_and_told_where_there_is_none() -> None:
    first = sample().patches[0]
    refused = [
        replace(first, id=f"p{n}", state=PatchState.REFUSED, reason="no sibling sets it", because="") for n in (8, 9)
    ]
    for presenter in (terminal, markdown):
        beside = presenter.render(with_fixes(first, *refused))
        assert "2 more do not fit here (p8, p9): --format json says why" in " ".join(beside.split())
        assert "no sibling sets it" not in beside
        assert presenter.render(with_fixes(*refused)).count("no sibling sets it") == 2


def test_of_long_annotations_the_beginning_is_shown_failures_first() -> None:
    notes = (Annotation("warning", "an old action"), Annotation("failure", "first line\n" + "x" * 60_000))
    shown = words.noted(JobDiagnosis(Job(1, 1, 1, "train", "completed", "failure"), annotations=notes))
    assert [(note[:12], len(note)) for note in shown] == [("first line x", 401), ("an old actio", 13)]
