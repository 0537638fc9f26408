"""Installs that bring nothing to the command that failed: behind it, for another environment, skipped by an `if`."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import AddStep, PipInstall, PipPin, PipUninstall, RemoveEnv

CI = ".github/workflows/ci.yml"
MODULE = PipInstall(module="{module}", form="file")
PIN = PipPin("numpy", "<2")
MISSING = {"module": "cv2"}
LISTED = Facts(installed={"numpy": "2.1.0"}, brought=frozenset({"numpy"}))


def job(*steps: str, **files: str) -> MemoryTree:
    own = "".join(f"      - {step}\n" for step in steps)
    ci = f"on: push\njobs:\n  test:\n    runs-on: ubuntu-22.04\n    steps:\n{own}"
    return MemoryTree({path: text.encode() for path, text in {CI: ci, **files}.items()})


@pytest.mark.parametrize(
    "command",
    [
        "docker run --rm -v $PWD:/w -w /w example/image pytest tests",
        "docker exec box pytest tests",
        "sudo docker exec -w /w box pytest tests",
        "docker exec box bash -c 'pytest tests'",
        "conda run -n train pytest tests",
        "micromamba run -n train pytest tests",
        ".venv/bin/pytest tests",
        "/opt/venv/bin/python -m pytest tests",
        "tox -e py312",
        "nox -s tests",
        "poetry run pytest tests",
        "hatch run pytest tests",
        "pre-commit run --all-files",
        "anyscale job submit --config-file ci/job.yaml",
        "sbatch tests/run.slurm",
        "modal run ci.remote_tests",
    ],
)
@pytest.mark.parametrize("recipe", [MODULE, PIN, PipUninstall("numpy")], ids=["install", "pin", "uninstall"])
def test_nothing_is_installed_where_the_failed_command_does_not_look(
    command: str, recipe: PipInstall | PipPin | PipUninstall
) -> None:
    tree = job("run: pip install rich", f"run: {command}")
    found = draft(recipe, "test", CI, step=f"Run {command}", captures=MISSING, facts=LISTED, repository=tree)
    assert (found.state, found.edits) == (PatchState.ADVICE, ())


def test_what_everything_is_built_for_is_not_put_in_because_a_table_knows_it() -> None:
    tree = job("run: pip install rich", "run: pytest tests")
    found = draft(MODULE, "test", CI, step="Run pytest tests", captures={"module": "sglang"}, repository=tree)
    assert (found.state, found.edits) == (PatchState.ADVICE, ())


@pytest.mark.parametrize(
    ("install", "command"),
    [
        ("conda run -n train pip install rich", "conda run -n train pytest tests"),
        (".venv/bin/pip install rich", ".venv/bin/pytest tests"),
        ("uv pip install rich", ".venv/bin/pytest tests"),
        ("|\n          . .venv/bin/activate\n          pip install rich", ".venv/bin/pytest tests"),
        ("|\n          poetry config virtualenvs.create false\n          pip install rich", "poetry run pytest tests"),
        ("pip install rich", "docker pull example/image; pytest tests"),
        ("pip install rich", "/usr/bin/python3 -m pytest tests"),
        ("pip install rich", "timeout 60 pytest tests"),
    ],
)
def test_what_the_failed_command_sees_is_where_it_goes(install: str, command: str) -> None:
    tree = job(f"run: {install}", f"run: {command}")
    proved = patch(PIN, "test", CI, step=f"Run {command}", facts=LISTED, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert any("numpy<2" in line for line in changed(proved))


@pytest.mark.parametrize("recipe", [MODULE, PIN], ids=["install", "pin"])
def test_it_goes_before_the_failed_step_and_where_no_condition_keeps_it_out(recipe: PipInstall | PipPin) -> None:
    tree = job(
        "run: pip install rich",
        "run: pip install click\n        if: github.event_name == 'schedule'",
        "run: pytest tests",
        "run: pip install -r examples.txt",
        **{"examples.txt": "ray\n"},
    )
    proved = patch(recipe, "test", CI, step="Run pytest tests", captures=MISSING, facts=LISTED, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert "rich" in proved.diff
    assert not any("click" in line or "ray" in line for line in changed(proved))


def test_the_condition_that_the_failed_step_has_too_keeps_nothing_out() -> None:
    same = "\n        if: steps.skip.outputs.go == '1'"
    tree = job("run: pip install rich", f"run: pip install click{same}", f"run: pytest tests{same}")
    proved = patch(PIN, "test", CI, step="Run pytest tests", facts=LISTED, repository=tree)
    assert changed(proved)[-1].strip().endswith('pip install "numpy<2"')
    assert "click" in proved.diff


def test_a_branch_that_may_not_be_taken_is_no_place_for_another_line() -> None:
    script = "run: |\n          if [ $MADE != yes ]; then\n            pip install click\n          fi"
    tree = job("run: pip install rich", script, "run: pytest tests")
    proved = patch(PIN, "test", CI, step="Run pytest tests", facts=LISTED, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert "rich" in proved.diff
    assert "click" not in "".join(changed(proved))


@pytest.mark.parametrize("recipe", [RemoveEnv("DEBUG"), AddStep("Fetch", "make data", after="install")])
def test_no_patch_acts_only_behind_the_failed_step(recipe: RemoveEnv | AddStep) -> None:
    tree = job(
        "run: make",
        "run: pip install rich\n        env:\n          DEBUG: 1",
        "run: pytest tests\n        env:\n          DEBUG: 1",
    )
    found = draft(recipe, "test", CI, step="Run make", facts=LISTED, repository=tree)
    assert (found.state, found.edits) in [(PatchState.REFUSED, ()), (PatchState.IN_PLACE, ())]


SOMETIMES = (
    "echo start\nif [[ $(date +%a) == Sun ]]; then\n  pip install opencv-python\nfi\npip install rich\npytest tests\n"
)


@pytest.mark.parametrize(
    ("shown", "state"),
    [
        (("pip install rich", "pytest tests"), PatchState.ADVICE),
        (("pip install opencv-python", "pip install rich", "pytest tests"), PatchState.IN_PLACE),
        ((), PatchState.IN_PLACE),  # the log shows no commands at all
    ],
)
@pytest.mark.parametrize("files", [{}, {"requirements.txt": "opencv-python\n"}], ids=["unnamed", "named"])
def test_what_a_branch_installs_that_did_not_run_is_no_place_where_it_stands(
    shown: tuple[str, ...], state: PatchState, files: dict[str, str]
) -> None:
    tree = job("run: bash ci/test.sh", **{"ci/test.sh": SOMETIMES, **files})
    facts = Facts(commands=shown)
    alone = PipInstall(module="{module}", form="pinned")
    found = draft(alone, "test", CI, step="Run bash ci/test.sh", captures=MISSING, repository=tree, facts=facts)
    assert (found.state, found.edits) == (state, ())
    assert ("only where the condition at ci/test.sh:2 holds" in found.reason) is (state is PatchState.ADVICE)
