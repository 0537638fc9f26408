import json
import re
import time

import pytest

from tests.cli.command import triage


def test_the_demo_goes_the_whole_way(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    start = time.monotonic()
    ran = triage(capsys, "demo")
    assert ran.code == 0, ran.err
    # Nothing else: it does not point to patches in a folder that is gone when it ends.
    assert ran.err == (
        "triage: 3 of 3 first choices (p1, p3, p6) pass git apply --check and were applied in a temporary clone of "
        "example/train; the other 2 of 5 verified patches are alternatives.\n"
    )
    assert sum(map(int, re.findall(r"(\d+) verified patch", ran.out))) == 5
    assert ran.out.count("\n\nexample/train · ") == 2
    signatures = re.findall(r"^  cause +(\S+) ", ran.out, re.MULTILINE)
    assert signatures == ["custom-all-reduce-crash", "gpu-oom-optimizer-step", "python-module-not-found"]
    for edit in (
        '+      VLLM_ROCM_OVERRIDE: "+actor_rollout_ref.rollout.engine_kwargs.vllm.disable_custom_all_reduce=True"',
        "+    fsdp_size=2",
        "+          pip3 install -r requirements.txt",
    ):
        assert edit in ran.out
    # Ten seconds on an idle machine; a busy one gets room, a hang none.
    assert time.monotonic() - start < 60


def test_patches_and_causes_have_the_same_numbers_in_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    terminal, markdown, page, document = (
        triage(capsys, "demo", "--format", form).out for form in ("terminal", "markdown", "html", "json")
    )
    ids = [patch["id"] for patch in json.loads(document)["patches"]]
    # Beside a patch the fixes that do not fit are only counted.
    shown = [patch["id"] for patch in json.loads(document)["patches"] if patch["state"] != "refused"]
    assert len(shown) < len(ids)
    assert re.findall(r"^  (p\d+) ", terminal, re.MULTILINE) == shown
    assert re.findall(r"^\*\*[^*]+\*\* (p\d+): ", markdown, re.MULTILINE) == shown
    for text in (terminal, markdown):
        left = re.findall(r"do(?:es)? not fit\s+here\s+\(([p\d,\s]+)\)", text)
        assert sorted([*shown, *re.findall(r"p\d+", " ".join(left))]) == sorted(ids)
    assert re.findall(r"\b(p\d+), (?:recipe|alternative)", page) == ids
    titles = re.findall(r'<span class="number">(\d+)</span> ([^<]+) <', page)
    assert [(number, title[:30]) for number, title in re.findall(r"^(\d+) · (.+?) ─", terminal, re.MULTILINE)] == [
        (number, title.replace("&#39;", "'").strip()[:30]) for number, title in titles
    ]


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_a_program_reads_one_object(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    ran = triage(capsys, "demo", "--format", form)
    found = json.loads(ran.out)
    assert ran.code == 0
    if form == "sarif":
        assert [one["ruleId"] for one in found["runs"][0]["results"]].count("python-module-not-found") == 1
        return
    assert [run["id"] for run in found["runs"]] == [7001, 7002, 7003]
    assert [group["signature"] for group in found["causes"]] == [
        "custom-all-reduce-crash", "gpu-oom-optimizer-step", "python-module-not-found",
    ]  # fmt: skip
    ids = [patch["id"] for patch in found["patches"]]
    assert len(set(ids)) == len(ids)
    assert [one for group in found["causes"] for one in group["fixes"]] == ids


def test_a_browser_reads_one_page(capsys: pytest.CaptureFixture[str]) -> None:
    page = triage(capsys, "demo", "--format", "html").out
    assert page.count("<!doctype html>") == page.count("</html>") == 1
    assert page.count('<div class="run"') == 3


@pytest.mark.parametrize(("form", "start"), [("markdown", "# example/train: "), ("terminal", "example/train: ")])
def test_the_report_is_printed_as_it_is_asked_for(capsys: pytest.CaptureFixture[str], form: str, start: str) -> None:
    ran = triage(capsys, "demo", "--report", "--format", form)
    assert ran.code == 0
    assert ran.out.startswith(start)


def test_a_format_that_no_report_has_is_refused_before_anything_is_built(capsys: pytest.CaptureFixture[str]) -> None:
    ran = triage(capsys, "demo", "--report", "--format", "sarif")
    assert (ran.code, ran.out) == (2, "")
    assert "A report has no format 'sarif'." in ran.err
    assert "made-up" not in ran.err


def test_what_needs_the_report_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    ran = triage(capsys, "demo", "--out", "week.html")
    assert ran.code == 2
    assert "Leave out --out, or add --report." in ran.err
