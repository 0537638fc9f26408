import json

from tests.output.sample import sample
from triage.output import json as presenter


def test_the_schema_of_design_section_8() -> None:
    document = json.loads(presenter.render(sample()))
    assert document["schema"] == "triage.result/1"
    failure = document["failures"][0]
    assert {"id", "run", "job", "conclusion", "step", "causes", "unexplained", "unavailable", "facts"} <= set(failure)
    cause = failure["causes"][0]
    assert {
        "id", "signature", "family", "rank", "line", "text", "time", "stream", "ranks", "step", "captures", "reason",
        "confidence", "consequences",
    } <= set(cause)  # fmt: skip
    assert (cause["line"], cause["rank"], cause["ranks"]) == (88, "root", [0, 1])
    assert cause["time"] == "2026-08-18T06:42:52+00:00"
    assert {"id", "signature", "family", "failures", "verdict", "fixes"} <= set(document["causes"][0])
    patch = document["patches"][0]
    assert {
        "id", "causes", "recipe", "state", "applicability", "alternative_of", "base_sha", "files", "diff", "gates",
        "notes", "costs", "siblings", "blast_radius",
    } <= set(patch)  # fmt: skip
    assert patch["gates"][2] == {
        "name": "composes", "status": "skipped", "reason": "hydra-core is not installed", "mandatory": False,
    }  # fmt: skip


def test_what_is_missing_is_null_and_named() -> None:
    failures = json.loads(presenter.render(sample()))["failures"]
    assert failures[2]["unavailable"]["reason"] == "expired"
    assert failures[2]["unexplained"] is None
    assert failures[3]["unexplained"]["nearest"] == {"signature": "some-signature", "similarity": 61.0}


def test_sets_are_sorted_arrays() -> None:
    assert presenter._plain(frozenset({"torch", "numpy"})) == ["numpy", "torch"]
