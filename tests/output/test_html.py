"""The page of a result: self-contained, readable as text, and in a real browser at 400 and 1,400 pixels."""

from __future__ import annotations

import html as escaping
import json
import re
from pathlib import Path

import pytest

from tests.attacks.corpus import ATTACKS, hostile
from tests.output.situations import SITUATIONS, mixed, yours
from tests.output.test_report_in_chromium import AUDIT, DARK, LIGHT, _framed, chromium
from tests.pipeline.test_joined import of_run
from triage.model.result import TriageResult
from triage.output import html
from triage.pipeline.joined import joined


@pytest.mark.parametrize("name", sorted(SITUATIONS))
def test_no_request_leaves_the_page(name: str) -> None:
    page = html.render(SITUATIONS[name]())
    assert "default-src 'none'" in page
    assert not re.search(r"<(?:link|img|iframe|object|script[^>]*src)|@import|url\(", page)


def test_it_shows_causes_evidence_in_its_context_and_patches_with_gates() -> None:
    page = html.render(yours())
    for shown in (
        "The module transfer_queue is not installed",
        "likely yours",
        '<li class="here" aria-current="true"><span class="no">88</span>ModuleNotFoundError',
        "the line before",
        '<li class="add">+          pip3 install -r requirements.txt</li>',
        "ok: applies",
        "skipped: composes: hydra-core is not installed",
        'href="https://github.com/example/train/actions/runs/4711/job/1#step:5:49"',
    ):
        assert shown in page, shown


def test_since_when_and_the_history_are_told() -> None:
    page = html.render(mixed())
    assert "the last one that passed is" in page
    assert "Take the nightly image" in page
    assert "seen 14 times in 28 days" in page
    assert "9 of 11 (82 %, 95 % interval 52 % to 95 %)" in page
    assert "muted until 2026-12-31" in page


def test_nothing_failed_is_a_page_too() -> None:
    assert "nothing failed" in html.render(TriageResult("example/train", triage_version="0.1.0"))


def several() -> TriageResult:
    """Two runs, each with a cause of its own."""
    return joined([of_run(1), of_run(2, "segfault")])


def test_runs_have_a_section_each() -> None:
    page = html.render(several())
    assert page.count("<!doctype html>") == 1
    parts = page.split('<div class="run"')[1:]
    assert [re.findall(r'id="cause-(\d+)"', part) for part in parts] == [["1"], ["2"]]
    for number, part in enumerate(parts, start=1):
        assert f"run {number}, attempt 1" in part
        assert part.count("No cause named: ") == 2


def test_a_cause_of_two_runs_is_told_once() -> None:
    page = html.render(joined([of_run(1), of_run(2)]))
    assert '<div class="run"' not in page
    assert page.count('id="cause-') == 2  # the section and its title
    assert page.count("No cause named: ") == 4


PAGES = {
    "mixed": mixed,
    "several": several,
    "hostile": lambda: hostile("<b>@someone</b> " + "x" * 3000),
    "end of a script": lambda: hostile(ATTACKS["end of a script"]),
}


@pytest.mark.chromium
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("name", sorted(PAGES))
def test_nothing_trips_a_person_up(name: str, width: int, scheme: str, tmp_path: Path) -> None:
    page = tmp_path / "result.html"
    page.write_text(html.render(PAGES[name]()).replace("</body>", f"<script>{AUDIT}</script></body>"), encoding="utf-8")
    flags = (f"--window-size={width},1600", *(DARK if scheme == "dark" else LIGHT))
    dom = chromium(_framed(page, width) if width < 500 else page, tmp_path, *flags, "--dump-dom")
    found = re.search(r'data-audit="([^"]*)"', dom)
    assert found is not None, "the audit did not run to its end"
    audit = json.loads(escaping.unescape(found[1]))
    assert audit["problems"] == []
    assert audit["dark"] is (scheme == "dark")
