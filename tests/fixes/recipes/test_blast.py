"""Which other jobs read an edited line: jobs that come to it alike are evaluated once, and each is named."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import patch
from triage.fixes.recipes import blast
from triage.model.patch import PatchState
from triage.model.recipe import SystemPackage

CI = ".github/workflows/ci.yml"
JOB = "  {name}:\n    runs-on: {runner}\n    env:\n      LIGHT: '{light}'\n    steps:\n      - run: {run}\n      - run: pytest tests/{name}\n"
SCRIPT = "set -e\n[ \"$LIGHT\" = '1' ] && exit 0\napt-get install -y git\n"


def repository() -> str:
    alike = [
        JOB.format(name=name, runner="ubuntu-latest", light="", run="bash ci/install.sh")
        for name in ("unit", "a", "b", "c")
    ]
    light = JOB.format(name="light", runner="ubuntu-latest", light="1", run="bash ci/install.sh")
    other = JOB.format(name="rocm", runner="[gpu-8, rocm]", light="", run="bash ci/install.sh")
    none = JOB.format(name="none", runner="ubuntu-latest", light="", run="make")
    return "on: push\njobs:\n" + "".join([*alike, light, other, none])


def test_each_job_is_named_and_those_that_go_another_way_are_asked_on_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    whole = blast.evaluate_job

    def counted(*arguments, **named):  # type: ignore[no-untyped-def]
        asked.append(arguments[1].id)
        return whole(*arguments, **named)

    monkeypatch.setattr(blast, "evaluate_job", counted)
    there = tree({CI: repository(), "ci/install.sh": SCRIPT})
    made = patch(SystemPackage(needed="{needed}"), "unit", CI, captures={"needed": "wget"}, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert [line.split(" ")[1] for line in made.blast_radius] == ["a", "b", "c", "rocm"]
    assert asked == ["a", "light", "rocm"]
