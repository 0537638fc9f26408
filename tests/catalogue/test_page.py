"""What people read of the catalogue; the generated page must be that of the files."""

from pathlib import Path

import pytest

from tests.catalogue.test_checks import GOOD, SOURCE
from triage.catalogue import decode
from triage.catalogue.explaining import in_plain_words
from triage.catalogue.page import explanation, page
from triage.sources.catalogue import load

PAGE = Path(__file__).parents[2] / ".github" / "CATALOGUE.md"


def test_the_page_in_the_repository_is_up_to_date(update_golden: bool) -> None:
    made = page(load(cache=False))
    if update_golden:
        PAGE.write_text(made, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == made, "run `triage signatures page .github/CATALOGUE.md`"


def test_an_explanation_says_all_that_the_file_says() -> None:
    text = explanation(decode(GOOD, SOURCE))
    for said in (
        "port-held",
        "family port-in-use | flaky | severity medium | root | experimental | owner infra",
        "Somebody holds {port}.",
        r"the line fits: bind failed on port (?P<port>\d+)",
        "none of",
        "1. Stop the other server [effective_value, unsafe]",
        "knob: server_port, to: 0",
        "when platform is cuda or known",
        "Tests do not care which port it is.",
        "Rerun: does not help",
        "seen_in: example/train#1",
    ):
        assert said in text


@pytest.mark.parametrize("signature_id", ["python-module-not-found", "process-hangs", "no-space-left"])
def test_built_in_ones_fit_the_terminal(signature_id: str) -> None:
    text = explanation(load().signatures[signature_id])
    prose = [line for line in text.splitlines() if not line.lstrip().startswith(("the line fits", "the line holds"))]
    assert max(map(len, prose)) <= 110


def test_plain_words_tell_what_it_means_how_it_is_recognised_and_what_is_tried() -> None:
    text = in_plain_words(decode(GOOD, SOURCE))
    for said in (
        "What it means\n  Somebody holds <port>.",
        "How it is recognised\n  by a line such as\n    bind failed on port 8000",
        "  1. Stop the other server (edit)\n     Tests do not care which port it is.",
        "A rerun alone does not help.",
        "triage explain port-held --rule",
    ):
        assert said in text


def test_plain_words_hold_no_machine_syntax_and_fit_the_terminal() -> None:
    for signature in load().signatures.values():
        text = in_plain_words(signature, 80)
        assert not [piece for piece in ("(?P<", "(?:", "the line fits", "setting:", "knob:") if piece in text], (
            signature
        )
        assert not [line for line in text.splitlines() if len(line) > 80 and " " in line.strip()]
        assert text.count("\n") <= 110
