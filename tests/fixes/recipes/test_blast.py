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


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The jobs that were evaluated, in their order."""
    jobs: list[str] = []
    whole = blast.evaluate_job

    def counted(*arguments, **named):  # type: ignore[no-untyped-def]
        jobs.append(arguments[1].id)
        return whole(*arguments, **named)

    monkeypatch.setattr(blast, "evaluate_job", counted)
    return jobs


def radius(files: dict[str, str]) -> list[str]:
    made = patch(SystemPackage(needed="{needed}"), "unit", CI, captures={"needed": "wget"}, repository=tree(files))
    assert made.state is PatchState.PATCH, made.reason
    return list(made.blast_radius)


def test_each_job_is_named_and_those_that_go_another_way_are_asked_on_their_own(asked: list[str]) -> None:
    named = radius({CI: repository(), "ci/install.sh": SCRIPT})
    assert [line.split(" ")[1] for line in named] == ["a", "b", "c", "rocm"]
    assert asked == ["a", "light", "rocm"]


def test_a_file_whose_name_ends_a_longer_one_is_another_file(asked: list[str]) -> None:
    job = JOB.format(name="npu", runner="ubuntu-latest", light="", run="bash ci/npu_install.sh")
    files = {CI: repository() + job, "ci/install.sh": SCRIPT, "ci/npu_install.sh": "make\n"}
    assert len(radius(files)) == 4
    assert "npu" not in asked


def test_workflows_whose_steps_are_alike_are_asked_once_and_those_that_set_another_variable_on_their_own(
    asked: list[str],
) -> None:
    job = JOB.replace("    env:\n      LIGHT: '{light}'\n", "").format(
        name="night", runner="ubuntu-latest", run="bash ci/install.sh"
    )
    night = f"on: push\njobs:\n{job}"
    files = {
        CI: repository(),
        "ci/install.sh": SCRIPT,
        ".github/workflows/night.yml": night,
        ".github/workflows/week.yml": night.replace("      - run: bash", "      - name: Install\n        run: bash"),
        ".github/workflows/year.yml": night.replace("jobs:", "env:\n  LIGHT: '1'\njobs:"),
    }
    named = radius(files)
    assert [line.split(":")[0] for line in named][-2:] == [".github/workflows/night.yml", ".github/workflows/week.yml"]
    assert asked[-2:] == ["night", "night"]
    assert len(asked) == 5
