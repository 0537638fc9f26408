"""A job that hands its script to a workflow of another repository: the script is edited, and nothing else is there."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.load import load_workflow
from triage.fixes.workflow.names import find_job, jobs_of
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipInstall, PipPin, Recipe, SetKey, Timeout

CI = ".github/workflows/ci.yml"
CALLED = "pytorch/test-infra/.github/workflows/linux_job_v2.yml@main"


def repository(uses: str = CALLED, matrix: str = "${{ fromJSON(needs.set.outputs.matrix) }}") -> MemoryTree:
    return tree(
        {
            CI: f"""\
on: push
env: {{MODE: outer}}
jobs:
  train:
    strategy:
      matrix: {matrix}
    uses: {uses}
    with:
      runner: ${{{{ matrix.runner }}}}
      docker-image: train-ubuntu
      script: |
        set -eux
        pip install datasets
        python train.py --mode "$MODE"
"""
        }
    )


@pytest.mark.parametrize(
    "name",
    [
        "train",
        "train / linux-job",
        "train (gpu-8, 12.6) / linux-job",
        "train (gpu-8, an-image-of-a-long-na... / linux-job",
    ],
)
def test_its_script_is_the_one_step_under_every_name_that_github_shows(name: str) -> None:
    proved = patch(PipPin("datasets", "<4"), name, CI, repository=repository())
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-pip install datasets", '+pip install "datasets<4"']


@pytest.mark.parametrize("machine", ["generic", "macos", "windows"])
def test_so_do_the_jobs_for_other_machines(machine: str) -> None:
    uses = CALLED.replace("linux", machine)
    proved = patch(PipPin("datasets", "<4"), "train", CI, repository=repository(uses))
    assert changed(proved) == ["-pip install datasets", '+pip install "datasets<4"']


def test_the_gate_reads_the_script() -> None:
    proved = patch(PipPin("datasets", "<4"), "train", CI, repository=repository())
    assert [one.reason for one in proved.gates if one.name == "bash -n"] == ["1 script"]


@pytest.mark.parametrize("recipe", [SetKey("timeout-minutes", to="60"), Timeout()])
def test_it_takes_no_environment_and_no_other_key(recipe: Recipe) -> None:
    made = draft(recipe, "train", CI, repository=repository())
    assert made.state is not PatchState.PATCH
    assert not made.edits


@pytest.mark.parametrize("uses", ["someone/else/.github/workflows/linux_job.yml@main", "./.github/workflows/x.yml"])
def test_what_other_workflows_do_with_an_input_is_not_known(uses: str) -> None:
    there = repository(uses)
    workflow = load_workflow(there, CI)
    assert not isinstance(workflow, Refusal)
    assert isinstance(find_job(there, workflow, "train"), Refusal)


def test_it_is_no_sibling_to_copy_steps_from() -> None:
    there = repository()
    workflow = load_workflow(there, CI)
    assert not isinstance(workflow, Refusal)
    assert jobs_of(there, workflow) == ()


def test_what_is_missing_belongs_into_the_image_that_it_names() -> None:
    there = repository()
    there = tree({CI: there.read(CI).decode(), "requirements.txt": "tyro\n"})
    made = draft(PipInstall("tyro"), "train", CI, repository=there)
    assert made.state is PatchState.ADVICE
    assert "runs in the image train-ubuntu" in made.reason


@pytest.mark.parametrize(("command", "state"), [("pip install -e .", PatchState.PATCH), ("ls", PatchState.ADVICE)])
def test_what_the_project_lacks_it_requires_where_the_script_installs_it(command: str, state: PatchState) -> None:
    """The image stays as it is; where the script installs nothing of the project, only the image can bring it."""
    text = repository().files[CI].decode().replace("pip install datasets", command)
    files = {CI: text, "pyproject.toml": '[project]\nname = "train"\ndependencies = ["ray"]\n', "train/__init__.py": ""}
    whole = MemoryTree({path: one.encode() for path, one in {**files, "train/data.py": "import cv2\n"}.items()})
    facts, missing = Facts(frames=("/work/train/train/data.py",)), {"module": "cv2"}
    proved = patch(
        PipInstall(module="{module}", form="file"), "train", CI, captures=missing, facts=facts, repository=whole
    )
    assert proved.state is state, proved.reason
    assert changed(proved) == ['-dependencies = ["ray"]', '+dependencies = ["ray", "opencv-python"]'] * (
        state is PatchState.PATCH
    )


def test_a_base_that_its_publisher_makes_for_all_is_no_image_of_the_repository_s() -> None:
    there = repository()
    text = there.read(CI).decode().replace("docker-image: train-ubuntu", "docker-image: pytorch/pytorch:2.5.1-devel")
    made = patch(PipInstall(module="cv2"), "train", CI, captures={"module": "cv2"}, repository=tree({CI: text}))
    assert made.state is PatchState.PATCH, made.reason
    assert "pip install datasets opencv-python" in made.diff


@pytest.mark.parametrize(
    ("limit", "uses", "added"),
    [
        ("30 minutes", CALLED, "+timeout: 45"),
        ("2h0m0s", CALLED.replace("linux", "macos"), "+timeout: 180"),
        ("90 minutes", CALLED.replace("_v2", ""), "+timeout: 135"),
    ],
)
def test_it_is_handed_a_longer_limit_than_the_one_that_ended_it(limit: str, uses: str, added: str) -> None:
    proved = patch(Timeout(), "train", CI, captures={"limit": limit}, repository=repository(uses))
    assert (proved.state, changed(proved)) == (PatchState.PATCH, [added]), proved.reason


def test_the_limit_of_a_step_is_not_the_job_s() -> None:
    made = draft(Timeout(), "train", CI, captures={"step": "Test", "minutes": "30"}, repository=repository())
    assert made.state is not PatchState.PATCH
