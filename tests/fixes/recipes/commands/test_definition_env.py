"""A variable for a command that the definition of another CI system lists, and no workflow holds."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import TABLES, changed, signature
from triage.fixes import Target, prescribe
from triage.fixes.whereabouts.typed import JOB, typed_path, typed_workflow
from triage.gates import prove
from triage.model.diagnosis import Cause, Facts, Platform
from triage.model.log import Confidence, Line
from triage.model.patch import Patch, PatchState
from triage.model.recipe import SetEnv
from triage.model.trail import Announced

SPAWN = SetEnv("VLLM_WORKER_MULTIPROC_METHOD", "spawn", level="program")
BUILDKITE = """steps:
- label: Engine
  source_file_dependencies:
  - tests/engine
  commands:
  # split, as one fills the other's memory
  - pytest -v -s engine/core
  - USE_NEW=1 pytest -v -s engine/worker -m 'not slow'
- label: Models
  commands:
  - export VLLM_WORKER_MULTIPROC_METHOD=spawn
  - pytest -v -s models/language
"""
GITLAB = """stages: [test]
engine:
  stage: test
  script:
    - cd tests
    - python -m pytest engine/core -x
  tags: [gpu]
"""
RAN = 'docker run --gpus all ci/image:1 /bin/bash -c "cd /w/tests && pytest -v -s engine/core && pytest -v -s other"'


def proved(files: Mapping[str, str], *ran: str, recipe: SetEnv = SPAWN, facts: Facts = Facts()) -> Patch:
    fix = signature(recipe)
    cause = Cause.of(fix, Line(1, ""), "a test", Confidence.HIGH)
    there = tree(files)
    target = Target("", "log", typed=ran)
    (draft,) = prescribe(cause, fix, facts, target, there, there, TABLES)
    return prove(draft, there, "p1", ("c",), target, facts, TABLES)


def added(made: Patch) -> list[str]:
    assert made.state is PatchState.PATCH, made.reason
    return changed(made)


def test_the_list_that_holds_the_command_gets_one_more() -> None:
    made = proved({".buildkite/pipeline.yaml": BUILDKITE}, RAN)
    assert added(made) == ["+- export VLLM_WORKER_MULTIPROC_METHOD=spawn"]
    assert "  # split" in made.diff.partition("+  - export")[2]


def test_the_script_of_another_system_is_such_a_list_too() -> None:
    made = proved({".gitlab-ci.yml": GITLAB}, "cd tests", "python -m pytest engine/core -x")
    assert added(made) == ["+- export VLLM_WORKER_MULTIPROC_METHOD=spawn"]


def test_commands_may_be_quoted_otherwise_where_they_run() -> None:
    ran = """bash ci/run.sh 'cd /w && USE_NEW=1 pytest -v -s engine/worker -m '"'"'not slow'"'"''"""
    assert added(proved({".buildkite/a.yaml": BUILDKITE}, ran)) == ["+- export VLLM_WORKER_MULTIPROC_METHOD=spawn"]


def test_the_definition_for_the_machine_of_the_log_is_meant() -> None:
    files = {".buildkite/test.yaml": BUILDKITE, ".buildkite/test-amd.yaml": BUILDKITE}
    plain = proved(files, RAN)
    other = proved(files, 'bash ci/run-amd-test.sh "pytest -v -s engine/core"')
    by_log = proved(files, RAN, facts=Facts(platform=Platform.ROCM))
    assert (plain.files, other.files, by_log.files) == (
        (".buildkite/test.yaml",),
        (".buildkite/test-amd.yaml",),
        (".buildkite/test-amd.yaml",),
    )


def test_what_the_list_exports_already_is_in_place_and_another_value_is_left() -> None:
    ran = "pytest -v -s models/language"
    files = {".buildkite/pipeline.yaml": BUILDKITE}
    assert proved(files, ran).state is PatchState.IN_PLACE
    other = proved(files, ran, recipe=SetEnv("VLLM_WORKER_MULTIPROC_METHOD", "fork", level="program"))
    assert other.state is PatchState.ADVICE


def test_one_of_several_lists_with_the_command_is_not_chosen() -> None:
    twin = BUILDKITE + "- label: Engine again\n  commands:\n  - pytest -v -s engine/core\n"
    made = proved({".buildkite/pipeline.yaml": twin}, RAN)
    assert made.state is PatchState.ADVICE
    assert "pipeline.yaml:5" in made.reason
    assert "pipeline.yaml:14" in made.reason


@pytest.mark.parametrize(
    "ran",
    [
        "pytest -v -s engine/core/test_a.py",
        "pytest -v -s engine/core --lf",
        "echo pytest -v -s engine/core",
        "pytest -v engine",
    ],
)
def test_another_command_that_begins_or_ends_alike_is_none_of_the_list(ran: str) -> None:
    assert proved({".buildkite/pipeline.yaml": BUILDKITE}, ran).state is PatchState.REFUSED


@pytest.mark.parametrize(
    "definition",
    [
        "steps:\n- commands: [pytest -v -s engine/core]\n",
        "steps:\n- commands: &shared\n  - pytest -v -s engine/core\n- commands: *shared\n",
        "jobs:\n  test:\n    steps:\n    - run: pytest -v -s engine/core\n",
    ],
)
def test_lists_that_cannot_be_added_to_are_left(definition: str) -> None:
    assert proved({".buildkite/pipeline.yaml": definition}, RAN).state is not PatchState.PATCH


def test_the_environment_of_the_step_is_not_spoken_against() -> None:
    held = BUILDKITE.replace("- label: Engine\n", "- label: Engine\n  env:\n    VLLM_WORKER_MULTIPROC_METHOD: fork\n")
    assert proved({".buildkite/pipeline.yaml": held}, RAN).state is PatchState.ADVICE


def test_a_script_beside_the_definition_is_edited_where_no_list_has_the_command() -> None:
    files = {
        ".buildkite/pipeline.yaml": BUILDKITE,
        "ci/run.sh": "set -e\npython train.py\n",
        typed_path("log"): typed_workflow((Announced("Run it", ("bash ci/run.sh",)),)).decode(),
    }
    fix, there = signature(SPAWN), tree(files)
    target = Target(typed_path("log"), JOB, typed=("bash ci/run.sh",))
    cause = Cause.of(fix, Line(1, ""), "a test", Confidence.HIGH)
    (draft,) = prescribe(cause, fix, Facts(), target, there, there, TABLES)
    assert [edit.path for edit in draft.edits] == ["ci/run.sh"]
