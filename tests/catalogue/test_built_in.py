"""The built-in signatures: every check, every sample both ways, every patch sample, and the promises of the format."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from triage.catalogue.families import FAMILIES
from triage.catalogue.findings import is_error
from triage.model.signature import Rank
from triage.pipeline.scrub import scrub
from triage.pipeline.signatures import check_catalogue
from triage.sources.catalogue import built_in, load

SAMPLES = sorted(
    path
    for path in built_in().rglob("*")
    if path.suffix in (".log", ".yaml", ".yml", ".sh", ".patch") and path.is_file()
)


def test_no_signature_is_left_out_and_no_check_finds_anything() -> None:
    report = check_catalogue()
    assert [str(finding) for finding in report.findings if is_error(finding)] == []
    assert report.signatures == len(load().signatures)
    assert load().left_out == ()


def test_every_signature_has_a_family_of_the_list_and_a_source() -> None:
    signatures = load().signatures.values()
    assert {signature.family for signature in signatures} <= FAMILIES
    assert all(signature.references and signature.explain.why for signature in signatures)


def test_wrappers_are_no_fixes() -> None:
    assert not [s.id for s in load().signatures.values() if s.rank is Rank.WRAPPER and s.fixes]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_no_sample_holds_a_secret_or_a_path_of_a_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "/work/" + "main" not in text
    assert not re.search(r"\bgh[pousr]_[A-Za-z0-9]{16}|\bhf_[A-Za-z0-9]{16}", text)


def test_samples_hold_nothing_that_scrubbing_would_call_a_secret() -> None:
    found = Counter(
        path.name
        for path in SAMPLES
        if path.suffix == ".log"
        for line in path.read_text(encoding="utf-8").splitlines()
        if "[redacted]" in scrub(line)
    )
    assert not found


def test_the_catalogue_is_json_all_the_way() -> None:
    from triage.catalogue.stored import to_json

    assert json.loads(to_json(load()))["$"] == "Catalogue"


def test_what_explains_that_a_test_failed_explains_with_what_error_it_did() -> None:
    """Else the plain words of a report hide the cause that has a fix."""
    repaired = [one for one in load().signatures.values() if "pytest-test-failed" in one.explains and one.fixes]
    assert len(repaired) > 30
    assert [
        one.id for one in repaired if "pytest-test-raised" not in one.explains and one.id != "pytest-test-raised"
    ] == []
