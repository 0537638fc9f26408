"""The measured targets, where the corpus and its repositories are on the machine."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def root_on_path(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))


def test_score_reaches_its_targets():
    from tests.corpus.score import corpus, score

    folder = corpus()
    if folder is None or not os.environ.get("CORPUS_GIT"):
        pytest.skip("TRIAGE_CORPUS and CORPUS_GIT name no labelled logs: the score is not measured here")
    total = score(folder)
    count = total.count
    if not count["failed"]:
        pytest.skip(f"no repository of the corpus is on this machine: {', '.join(sorted(total.absent))}")
    shown = "\n".join(total.confusions)
    assert count["right line"] >= 0.90 * count["failed"], shown
    assert count["right family"] >= 0.86 * count["failed"], shown
    assert count["wrong family"] <= 0.06 * count["failed"], shown
    assert count["both wrong"] <= 0.02 * count["failed"], shown
    assert count["forbidden"] == 0, shown
    assert count["healthy silent"] == count["healthy"], shown
    assert count["unknowable left unknown"] == count["unknowable"], shown


def test_every_signature_is_silent_on_real_green_logs():
    from tests.corpus.green import silence

    if not os.environ.get("CORPUS_GIT"):
        pytest.skip("CORPUS_GIT names no folder of repositories: real green logs are not read here")
    total = silence()
    if not total.logs:
        pytest.skip("none of the green logs' repositories is on this machine")
    assert not total.hits, total.examples
    assert not total.named, total.examples
    assert total.lines > 10_000


def test_the_manifest_names_pinned_files_only():
    import json

    entries = [json.loads(line) for line in Path(__file__).with_name("green.jsonl").read_text().splitlines()]
    assert len(entries) > 100
    assert all(len(entry["commit"]) == 40 and "/" in entry["repo"] and entry["path"] for entry in entries)
    assert all(entry["lines"][0] < entry["lines"][1] for entry in entries if "lines" in entry)
    assert importlib.util.find_spec("triage") is not None
    assert sys.version_info >= (3, 11)
