from __future__ import annotations

import pytest

from tests.fixes.recipes.repository import UNIT, changed, draft, patch, replaced
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import GrantPermission

GRANT = GrantPermission(scope="{scope}", api="{api}")
JOB = "  unit:\n    runs-on: [gpu-8]\n"
API = "https://docs.github.com/rest/pulls/reviews#create-a-review"


@pytest.mark.parametrize(
    ("block", "captures", "wanted"),
    [
        ("", {"scope": "id-token"}, ["+permissions:", "+contents: read", "+id-token: write"]),
        ("", {"api": API}, ["+permissions:", "+contents: read", "+pull-requests: write"]),
        ("    permissions:\n      contents: read\n", {"scope": "packages"}, ["+packages: write"]),
        ("    permissions:\n      contents: read\n", {"scope": "contents"}, ["-contents: read", "+contents: write"]),
        ("    permissions: {contents: read}\n", {"scope": "issues"}, None),
    ],
)
def test_the_scope_joins_the_block_that_is_in_force(
    block: str, captures: dict[str, str], wanted: list[str] | None
) -> None:
    proved = patch(GRANT, "unit", UNIT, repository=replaced(UNIT, JOB, JOB + block), captures=captures)
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert wanted is None or changed(proved) == wanted


def test_a_name_from_the_log_only_selects_and_nothing_is_granted_to_a_fork() -> None:
    assert draft(GRANT, "unit", UNIT, captures={"scope": "everything"}).state is PatchState.REFUSED
    fork = draft(GRANT, "unit", UNIT, captures={"scope": "issues"}, facts=Facts(secret_source="None"))
    assert fork.state is PatchState.ADVICE
    held = replaced(UNIT, JOB, JOB + "    permissions: write-all\n")
    assert draft(GRANT, "unit", UNIT, repository=held, captures={"scope": "issues"}).state is PatchState.IN_PLACE


def test_a_push_of_git_writes_contents() -> None:
    pushing = replaced(UNIT, "- name: Test\n        run: pytest tests", "- name: Test\n        run: git push origin x")
    proved = patch(GRANT, "unit", UNIT, repository=pushing, step="Test")
    assert changed(proved) == ["+permissions:", "+contents: write"]


@pytest.mark.parametrize("trigger", ["pull_request_target", "workflow_run", "issue_comment", "workflow_call"])
def test_what_strangers_or_other_workflows_start_is_given_nothing(trigger: str) -> None:
    opened = replaced(UNIT, "on: push\n", f"on: {{push: , {trigger}: }}\n")
    assert draft(GRANT, "unit", UNIT, repository=opened, captures={"scope": "issues"}).state is PatchState.ADVICE


def test_a_refused_call_that_only_reads_is_given_no_right_to_write() -> None:
    api = "https://docs.github.com/rest/pulls/pulls#list-pull-requests"
    assert draft(GRANT, "unit", UNIT, captures={"api": api}).state is PatchState.ADVICE


def test_beside_other_jobs_only_the_one_is_given_more_than_the_workflow_has() -> None:
    common = (
        "permissions:\n  contents: read\n  actions: read\njobs:\n  lint:\n    runs-on: ubuntu-latest\n    steps: []\n"
    )
    shared = replaced(UNIT, "jobs:\n", common)
    proved = patch(GRANT, "unit", UNIT, repository=shared, captures={"scope": "issues"})
    assert changed(proved) == ["+permissions:", "+contents: read", "+actions: read", "+issues: write"]
