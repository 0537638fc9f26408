import json
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft7Validator

from tests.attacks.corpus import ATTACKS, hostile
from tests.output.sarif_schema import SCHEMA
from tests.output.situations import SITUATIONS, yours
from triage.model.run import ChangedFile
from triage.output import sarif
from triage.output.suggestions import blocks, suggestions, visible_lines


def read(result: Any) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(sarif.render(result))
    errors = [f"{list(one.path)}: {one.message}" for one in Draft7Validator(SCHEMA).iter_errors(log)]
    assert errors == []
    for one in log["runs"][0]["results"]:
        assert log["runs"][0]["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == one["ruleId"]
    return log


@pytest.mark.parametrize("name", sorted(SITUATIONS))
def test_it_is_valid(name: str) -> None:
    assert read(SITUATIONS[name]())["runs"][0]["results"]


@pytest.mark.parametrize("name", sorted(ATTACKS))
def test_hostile_text_stays_valid(name: str) -> None:
    read(hostile(ATTACKS[name]))


def test_a_result_stands_at_the_line_that_the_patch_edits_and_brings_the_edit() -> None:
    (one,) = read(yours())["runs"][0]["results"]
    place = one["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == ".github/workflows/e2e.yml"
    assert place["region"] == {"startLine": 42}
    assert one["level"] == "error"
    (change,) = one["fixes"][0]["artifactChanges"]
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 41, "startColumn": 1, "endLine": 42, "endColumn": 1},
            "insertedContent": {"text": "          pip3 install -e .\n          pip3 install -r requirements.txt\n"},
        }
    ]


def test_a_muted_cause_is_suppressed() -> None:
    found = [one for one in read(SITUATIONS["infra"]())["runs"][0]["results"] if "suppressions" in one]
    assert [one["suppressions"][0]["justification"] for one in found] == ["muted until 2026-12-31"]


DIFF = """--- a/run.sh
+++ b/run.sh
@@ -1,4 +1,5 @@
 a
--- b
+B
+B2
 c
 d
@@ -10,2 +11,3 @@
 x
+y
 z
--- a/other.sh
+++ b/other.sh
@@ -1,1 +0,0 @@
-gone
"""


def test_a_diff_as_replacements_of_whole_lines() -> None:
    found = [(one.path, one.first, one.last, one.lines) for one in blocks(DIFF)]
    assert found == [
        ("run.sh", 2, 2, ("B", "B2")),
        ("run.sh", 10, 10, ("x", "y")),
        ("other.sh", 1, 1, ()),
    ]


def test_suggestions_only_where_the_pull_request_shows_the_lines() -> None:
    diff = DIFF.split("@@ -10")[0].rstrip("\n")
    near = ChangedFile("run.sh", "modified", patch="@@ -1,2 +1,3 @@\n a\n+b\n c")
    assert visible_lines(near.patch) == {1, 2, 3}
    (one,) = suggestions(diff, [near])
    assert one.body == "```suggestion\nB\nB2\n```"
    assert suggestions(diff, [replace(near, patch="@@ -30,1 +30,2 @@\n a\n+b")]) == ()
    assert suggestions(diff, [replace(near, path="else.sh")]) == ()
    assert suggestions(DIFF, [near]) == ()
    assert suggestions("", [near]) == ()


def test_code_with_backticks_does_not_end_a_suggestion() -> None:
    diff = "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n+```@someone\n"
    (one,) = suggestions(diff, [ChangedFile("x", "modified", patch="@@ -1,1 +1,1 @@\n-b\n+a")])
    assert one.body.startswith("````suggestion\n")
