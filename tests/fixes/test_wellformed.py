from __future__ import annotations

from textwrap import dedent

import pytest

from triage.fixes.wellformed import check

PATH = ".github/workflows/test.yml"
GOOD = """
    on: push
    env: {A: 1}
    jobs:
      build:
        runs-on: ubuntu-latest
        steps:
          - uses: actions/checkout@v4
      test:
        needs: [build]
        runs-on: [self-hosted, gpu]
        timeout-minutes: ${{ inputs.minutes }}
        env:
          B: "x"
        steps:
          - name: Run
            run: python train.py
"""


def findings(text: str, path: str = PATH) -> list[str]:
    return [str(finding) for finding in check(path, dedent(text).lstrip("\n").encode())]


def test_a_good_workflow_has_no_finding() -> None:
    assert findings(GOOD) == []


@pytest.mark.parametrize("value", ["{}", "read-all", "{contents: read, id-token: write, issues: none}", "{actions: }"])
def test_permissions_that_github_takes(value: str) -> None:
    assert findings(GOOD.replace("on: push", f"on: push\n    permissions: {value}")) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("run: python train.py", "env: {C: 1}", "a step must have exactly one of `run` and `uses` (`Run`)"),
        ("        run: python train.py", "          pip list", "exactly one of `run` and `uses` (`Run pip list`)"),
        ("run: python train.py", "run: a\n            uses: b/c@v1", "exactly one of `run` and `uses`"),
        ("needs: [build]", "needs: [built]", "no job is called `built`"),
        ('B: "x"', "B: [x]", "jobs.test.env.B: must be a single value"),
        ('B: "x"', "B: x\n          B: y", "`B` is defined twice"),
        ("runs-on: ubuntu-latest", "if: always()", "jobs.build: no `runs-on`"),
        ("timeout-minutes: ${{ inputs.minutes }}", "timeout-minutes: long", "must be a number of minutes"),
        ("timeout-minutes: ${{ inputs.minutes }}", 'timeout-minutes: "60"', "must be a number of minutes"),
        ("on: push", "name: x", "no `on`"),
        (
            "on: push",
            "on: push\n    permissions: {contents: {}}",
            "permissions.contents: must be `read`, `write` or `none`",
        ),
        (
            "needs: [build]",
            "needs: [build]\n        permissions: {actions: all}",
            "jobs.test.permissions.actions: must be",
        ),
    ],
)
def test_each_defect_is_found(old: str, new: str, expected: str) -> None:
    assert old in GOOD
    assert any(expected in finding for finding in findings(GOOD.replace(old, new))), findings(GOOD.replace(old, new))


def test_a_script_in_a_workflows_place_is_found() -> None:
    script = "#!/usr/bin/env bash\nset -x\npython3 train.py \\\n    a.b=1\n"
    assert findings(script) != []


def test_steps_of_an_action_are_checked_and_other_yaml_only_parsed() -> None:
    action = "runs:\n  using: composite\n  steps:\n    - name: nothing\n"
    assert "exactly one of" in findings(action, "setup/action.yml")[0]
    assert findings("a: [1, 2", "config/x.yaml")[0].startswith("config/x.yaml:2: not valid YAML")
    assert findings("a: 1", "config/x.yaml") == []
