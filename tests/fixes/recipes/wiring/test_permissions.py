from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
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


MEMBERS = '    if: contains(fromJSON(\'["MEMBER", "OWNER"]\'), github.event.comment.author_association)\n'


@pytest.mark.parametrize("condition", [MEMBERS, "    if: github.event.comment.author_association == 'OWNER'\n"])
def test_what_only_members_set_off_may_be_given_more(condition: str) -> None:
    opened = replaced(UNIT, "on: push\n", "on: {issue_comment: {types: [created]}}\n")
    text = opened.read(UNIT).decode().replace(JOB, JOB + condition)
    held = replaced(UNIT, replaced(UNIT, "", "").read(UNIT).decode(), text)
    proved = patch(GRANT, "unit", UNIT, repository=held, captures={"scope": "ID_TOKEN"})
    assert "+id-token: write" in changed(proved), (proved.reason, proved.diff)


ON = "on:\n  {0}:\n    types: [opened]\n"
LABEL = (
    "jobs:\n  label:\n    runs-on: ubuntu-latest\n    permissions:\n      pull-requests: write\n    steps:\n"
    "      - name: Label\n        env:\n          TITLE: ${{{{ github.event.pull_request.title }}}}\n        run: {0}\n"
)
PULL = ".github/workflows/label.yml"


def labelling(run: str, trigger: str = "pull_request") -> MemoryTree:
    return tree({PULL: ON.format(trigger) + LABEL.format(run)})


def test_a_workflow_that_runs_nothing_of_a_fork_may_have_the_base_branchs_token() -> None:
    made = draft(GRANT, "label", PULL, step="Label", repository=labelling('gh pr edit "$N" --add-label "$TITLE"'))
    assert made.state is PatchState.PATCH, made.reason
    assert [edit.new for edit in made.edits] == [b"pull_request_target"]


@pytest.mark.parametrize(
    "run",
    [
        "gh pr edit --add-label ${{ github.event.pull_request.title }}",
        "git fetch origin && gh pr edit --add-label a",
        "pip install x && gh pr edit --add-label a",
    ],
)
def test_one_that_runs_what_a_stranger_wrote_may_not(run: str) -> None:
    made = draft(GRANT, "label", PULL, step="Label", repository=labelling(run))
    assert made.state is PatchState.ADVICE
    opened = labelling("gh pr edit --add-label a", "pull_request_target")
    assert draft(GRANT, "label", PULL, step="Label", repository=opened).state is not PatchState.PATCH


@pytest.mark.parametrize(
    ("run", "scope"),
    [
        ("gh issue comment 1 -b a", "issues"),
        ("gh run cancel 7", "actions"),
        ("gh release upload v1 dist/*", "contents"),
    ],
)
def test_a_command_says_what_it_writes_to(run: str, scope: str) -> None:
    held = tree({PULL: "on: push\n" + LABEL.format(run).replace("    permissions:\n      pull-requests: write\n", "")})
    proved = patch(GRANT, "label", PULL, step="Label", repository=held)
    assert f"+{scope}: write" in changed(proved), proved.reason


WRITES = "permissions:\n  pull-requests: write\njobs:\n  label:\n    runs-on: {0}\n    steps:\n{1}      - name: Label\n"
COMMENT = "        run: gh pr comment 1 -b hi\n"


def commenting(before: str = "", machine: str = "ubuntu-latest", trigger: str = "[pull_request]") -> MemoryTree:
    return tree({PULL: f"on: {trigger}\n{WRITES.format(machine, before)}{COMMENT}"})


def test_a_trigger_without_types_is_renamed_where_it_stands() -> None:
    for trigger in ("pull_request", "[push, pull_request]", "{pull_request: }"):
        made = draft(GRANT, "label", PULL, step="Label", repository=commenting(trigger=trigger))
        assert [edit.new for edit in made.edits] == [b"pull_request_target"], made.reason


@pytest.mark.parametrize(
    ("before", "machine"),
    [
        ("      - uses: acme/checkout-and-test@v1\n", "ubuntu-latest"),
        ("      - uses: actions/download-artifact@v4\n", "ubuntu-latest"),
        ("      - run: echo ${{ toJSON(github.event) }}\n", "ubuntu-latest"),
        ("      - run: echo ${{ github.event['pull_request']['title'] }}\n", "ubuntu-latest"),
        ("      - run: echo ${{ env.T }}\n        env: {T: '${{ github.head_ref }}'}\n", "ubuntu-latest"),
        ('      - run: eval "$T"\n        env: {T: "${{ github.head_ref }}"}\n', "ubuntu-latest"),
        ("      - run: gh api repos/a/b/contents/c.sh | tee c\n", "ubuntu-latest"),
        ("      - run: gh pr close 1\n        env: {T: '${{ secrets.DEPLOY }}'}\n", "ubuntu-latest"),
        ("      - run: gh pr close 1\n", "gpu-8"),
    ],
)
def test_no_token_that_writes_where_more_than_the_api_may_be_called(before: str, machine: str) -> None:
    made = draft(GRANT, "label", PULL, step="Label", repository=commenting(before, machine))
    assert not made.edits


def test_a_run_whose_secrets_the_log_shows_is_no_forks() -> None:
    facts = Facts(secret_source="Actions")
    made = draft(GRANT, "label", PULL, step="Label", repository=commenting(), facts=facts)
    assert not made.edits


def test_a_named_step_is_found_by_the_action_that_its_header_shows() -> None:
    """Also where pull requests start the workflow, and the step leaves them out."""
    sarif = "      - name: Upload the results\n        if: github.event_name != 'pull_request'\n        uses: github/codeql-action/upload-sarif@v2\n"
    job = "    permissions:\n      contents: read\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n"
    held = tree({PULL: f"on: [push, pull_request]\njobs:\n  label:\n{job}{sarif}"})
    proved = patch(GRANT, "label", PULL, step="Run github/codeql-action/upload-sarif@v2", repository=held)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["+security-events: write"]


def test_githubs_own_actions_alone_run_nothing_of_strangers() -> None:
    head = "on: [pull_request_target]\njobs:\n  unit:\n    runs-on: cpu\n    permissions:\n      contents: read\n    steps:\n"
    labels = "https://docs.github.com/rest/issues/labels#set-labels-for-an-issue"
    step = "      - uses: actions/labeler@v5\n"
    there = tree({UNIT: head + step})
    made = patch(GRANT, "unit", UNIT, step="Run actions/labeler@v5", captures={"api": labels}, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["+pull-requests: write"]
    for more in ("      - uses: actions/checkout@v4\n", "      - run: make\n"):
        other = tree({UNIT: head + more + step})
        held = draft(GRANT, "unit", UNIT, step="Run actions/labeler@v5", captures={"api": labels}, repository=other)
        assert held.state is PatchState.ADVICE


EITHER = GrantPermission(scope="{scope}", other="{other}")
NAMED = {"scope": "issues", "other": "pull_requests"}


@pytest.mark.parametrize(
    ("held", "wanted"),
    [
        ("issues: write", "+pull-requests: write"),
        ("contents: read", "+issues: write"),
        ("issues: write, pull-requests: write", ""),
    ],
)
def test_what_would_do_as_well_is_given_where_the_first_is_there(held: str, wanted: str) -> None:
    block = "".join(f"      {one}\n" for one in held.split(", "))
    there = replaced(UNIT, JOB, f"{JOB}    permissions:\n{block}")
    proved = patch(EITHER, "unit", UNIT, repository=there, captures=NAMED)
    assert (changed(proved) if wanted else proved.state) == ([wanted] if wanted else PatchState.IN_PLACE)


@pytest.mark.parametrize(
    ("script", "state"),
    [
        ("await github.rest.issues.addLabels({labels: [context.payload.pull_request.head.ref]})", PatchState.PATCH),
        ("console.log('${{ github.event.pull_request.title }}')", PatchState.ADVICE),
        ("require('./label.js')", PatchState.ADVICE),
    ],
)
def test_a_script_of_the_workflow_itself_runs_nothing_of_strangers(script: str, state: PatchState) -> None:
    there = tree(
        {
            UNIT: "on: pull_request_target\npermissions:\n  issues: write\njobs:\n  unit:\n    runs-on: x\n    steps:\n"
            f"      - uses: actions/github-script@v7\n        with:\n          script: |\n            {script}\n"
        }
    )
    made = draft(EITHER, "unit", UNIT, repository=there, captures=NAMED)
    assert made.state is state, made.reason
