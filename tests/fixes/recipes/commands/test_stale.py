"""Paths that a script, a `cd` or a working directory still names at their old place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import PatchState
from triage.model.recipe import RepairWorkflow

OWN = ".github/workflows/own.yml"
RECIPE = RepairWorkflow(path="{path}")


def repository(step: str, script: str = "python3 tests/train.py", paths: str = "", **files: str) -> MemoryTree:
    on = f"\n  push:\n    paths:\n{paths}" if paths else " [push]"
    return tree(
        {
            OWN: f"on:{on}\njobs:\n  unit:\n    runs-on: [gpu]\n    steps:\n      - name: Test\n{step}",
            "tests/run.sh": f"set -x\n{script}\n",
            "tests/e2e/train.py": "",
            "examples/data/prepare.py": "",
            "tests/e2e/ray_gpu/test_a.py": "",
            **files,
        }
    )


RUN = "        run: |\n          bash tests/run.sh\n"


@pytest.mark.parametrize(
    ("step", "script", "path", "expected"),
    [
        (RUN, "python3 tests/train.py --steps 1", "/__w/train/train/tests/train.py", ["+python3 tests/e2e/train.py --steps 1"]),
        (RUN, "FILE=tests/train.py\npython3 $FILE", "tests/train.py", ["+FILE=tests/e2e/train.py"]),
        ("        run: |\n          cd tests/ray_gpu\n          pytest\n", "", "tests/ray_gpu", ["+cd tests/e2e/ray_gpu"]),
        (
            "        working-directory: tests/ray_gpu\n        run: pytest\n",
            "",
            "/__w/train/train/tests/ray_gpu",
            ["+working-directory: tests/e2e/ray_gpu"],
        ),
        # A program of the same name as a folder is none of its files.
        (
            "        working-directory: tests/ray_gpu\n        run: ray_gpu build\n",
            "",
            "/__w/train/train/tests/ray_gpu",
            ["+working-directory: tests/e2e/ray_gpu"],
        ),
        # A slip in the name, in the folder that was named.
        (RUN, "pytest tests/e2e/trains.py", "tests/e2e/trains.py", ["+pytest tests/e2e/train.py"]),
        # A slip in a folder on the way, and in that of a step.
        (RUN, "python3 tests/e2ee/train.py", "tests/e2ee/train.py", ["+python3 tests/e2e/train.py"]),
        (RUN, "pytest tests/e2e/ray_gppu", "tests/e2e/ray_gppu", ["+pytest tests/e2e/ray_gpu"]),
        (
            "        working-directory: exmaples/data\n        run: pytest\n",
            "",
            "/__w/train/train/exmaples/data",
            ["+working-directory: examples/data"],
        ),
        # As a command in another folder names it.
        (
            "        run: |\n          cd tests\n          python3 old/train.py\n",
            "",
            "old/train.py",
            ["+python3 e2e/train.py"],
        ),
        # Below a folder that only the run knows.
        (
            RUN,
            'WHERE="$(git rev-parse --show-toplevel)"\npython3 "${WHERE}/tests/train.py"',
            "/work/tests/train.py",
            ['+python3 "${WHERE}/tests/e2e/train.py"'],
        ),
    ],
)  # fmt: skip
def test_the_path_is_that_of_the_one_file_of_its_name(step: str, script: str, path: str, expected: list[str]) -> None:
    made = patch(RECIPE, "unit", OWN, step="Test", captures={"path": path}, repository=repository(step, script))
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line[0] == "+"] == expected


def test_the_workflows_own_path_filter_moves_along() -> None:
    there = repository(RUN, paths="      - tests/train.py\n      - tests/**\n")
    made = patch(RECIPE, "unit", OWN, step="Test", captures={"path": "tests/train.py"}, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert {line for line in changed(made) if line[0] == "+"} == {
        "+- tests/e2e/train.py",
        "+python3 tests/e2e/train.py",
    }


@pytest.mark.parametrize(
    ("tree", "path", "reason"),
    [
        (repository(RUN, **{"examples/train.py": ""}), "tests/train.py", "has not exactly one `train.py`"),
        (
            repository(RUN, "python3 tests/e2e/model_a.py", **{"tests/e2e/model_b.py": ""}),
            "tests/e2e/model_a.py",
            "has not",
        ),
        (repository(RUN, "python3 tests/gone.py"), "tests/gone.py", "has not exactly one `gone.py`"),
        (repository(RUN), "somewhere/else.py", "the workflow is valid"),
        (repository(RUN, "python3 tests/e2e/train.py"), "tests/e2e/train.py", "the workflow is valid"),
    ],
)
def test_without_one_such_file_nothing_is_edited(tree: MemoryTree, path: str, reason: str) -> None:
    made = draft(RECIPE, "unit", OWN, step="Test", captures={"path": path}, repository=tree)
    assert made.state is PatchState.REFUSED
    assert reason in made.reason


BUILD = (
    "        uses: example/build-push@v6\n        with:\n          context: .\n          file: docker/gpu/Dockerfile\n"
)


@pytest.mark.parametrize(
    ("step", "files", "expected"),
    [
        (BUILD, {"images/gpu/Dockerfile": ""}, "images/gpu/Dockerfile"),
        (
            BUILD.replace("context: .", "tags: example/gpu-with-kernels"),
            {"docker/gpu/kernels/Dockerfile": "", "docker/gpu/plain/Dockerfile": "", "other/Dockerfile": ""},
            "docker/gpu/kernels/Dockerfile",
        ),
        (BUILD.replace("docker/gpu/Dockerfile", "'docker/gpu/Dockerfile'"), {"a/Dockerfile": ""}, "'a/Dockerfile'"),
    ],
)
def test_what_a_step_gives_its_action_moves_too(step: str, files: dict[str, str], expected: str) -> None:
    there = repository(step, **files)
    made = patch(RECIPE, "unit", OWN, step="Test", captures={"path": "docker/gpu/Dockerfile"}, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == f"+file: {expected}"


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"docker/gpu/a/Dockerfile": "", "docker/gpu/b/Dockerfile": ""}, "docker/gpu/a/Dockerfile, docker/gpu/b"),
        ({"other/a/Dockerfile": "", "other/b/Dockerfile": ""}, "has not exactly one `Dockerfile`"),
        ({"docker/gpu/Dockerfile": ""}, "the workflow is valid"),
    ],
)
def test_of_several_files_none_is_guessed(files: dict[str, str], reason: str) -> None:
    there = repository(BUILD, **files)
    made = draft(RECIPE, "unit", OWN, step="Test", captures={"path": "docker/gpu/Dockerfile"}, repository=there)
    assert made.state is not PatchState.PATCH
    assert reason in made.reason


COPY = "FROM example/base:1\nCOPY requirements.txt /tmp/\nRUN pip install -r /tmp/requirements.txt\n"


@pytest.mark.parametrize(
    ("text", "files", "expected"),
    [
        (COPY, {"requirements/requirements.txt": ""}, "+COPY requirements/requirements.txt /tmp/"),
        (COPY, {"a/requirements.txt": "", "b/requirements.txt": ""}, ""),
        (COPY.replace("COPY", "COPY --from=base"), {"a/requirements.txt": ""}, ""),
    ],
)
def test_a_copy_takes_the_file_from_where_it_is(text: str, files: dict[str, str], expected: str) -> None:
    there = repository("        run: docker build -f images/Dockerfile .\n", **{"images/Dockerfile": text, **files})
    facts = Facts(
        build=BuildStep(text="", dockerfile="Dockerfile", lines={2: text.splitlines()[1]}), signs=("image-build",)
    )
    captures = {"path": "/requirements.txt"}
    made = patch(RECIPE, "unit", OWN, step="Test", captures=captures, repository=there, facts=facts)
    assert (made.state is PatchState.PATCH) == bool(expected), made.reason
    assert not expected or changed(made)[1] == expected


INSIDE = """
      - name: Build
        working-directory: ${{ inputs.folder }}
        run: |
          run.sh ${ENV_SCRIPT} python setup.py
"""


def smoke(first: str, last: str, inside: str = INSIDE) -> MemoryTree:
    step = f'        run: |\n          pip install "${{{{ inputs.folder }}}}/dist/$WHEEL"\n          {first}\n          {last}\n'
    return repository(step + inside.strip("\n") + "\n")


def test_a_path_of_the_checkout_gets_its_folder_where_the_step_runs_above_it() -> None:
    there = smoke("run.sh ${ENV_SCRIPT} python -c 'import x'", "make ${TARGET}")
    made = patch(RECIPE, "unit", OWN, step="Test", captures={"path": "tools/env.bat"}, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == "+run.sh \"${{ inputs.folder }}/${ENV_SCRIPT}\" python -c 'import x'"


def test_the_folder_is_written_through_the_variable_that_holds_it() -> None:
    there = smoke("run.sh ${ENV_SCRIPT} python", "true")
    text = (
        there.read(OWN).decode().replace("runs-on: [gpu]", "runs-on: [gpu]\n    env: {FOLDER: '${{ inputs.folder }}'}")
    )
    there = replace(there, files={**there.files, OWN: text.encode()})
    made = patch(RECIPE, "unit", OWN, step="Test", captures={"path": "tools/env.bat"}, repository=there)
    assert changed(made)[1] == '+run.sh "${FOLDER}/${ENV_SCRIPT}" python'


@pytest.mark.parametrize(
    ("there", "path"),
    [
        (smoke("cd x", "run.sh ${ENV_SCRIPT} python"), "tools/env.bat"),
        (smoke("true", "run.sh ${ENV_SCRIPT} python"), "/tools/env.bat"),
        (smoke("true", 'run.sh "${ENV_SCRIPT} python"'), "tools/env.bat"),
        (smoke("run.sh ${ENV_SCRIPT}", "run.sh ${TARGET}", INSIDE.replace("python", "${TARGET}")), "tools/env.bat"),
        (smoke("true", "run.sh ${ENV_SCRIPT} python", ""), "tools/env.bat"),
        (smoke("true", "run.sh ${ENV_SCRIPT}", INSIDE.replace("inputs.folder", "inputs.other")), "tools/env.bat"),
    ],
)
def test_a_path_that_may_be_another_one_gets_no_folder(there: MemoryTree, path: str) -> None:
    made = draft(RECIPE, "unit", OWN, step="Test", captures={"path": path}, repository=there)
    assert made.state is not PatchState.PATCH
