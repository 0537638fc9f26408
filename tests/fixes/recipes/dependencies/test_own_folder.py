"""Files that a script names by its own folder, or by the top of the checkout."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipPin

CI = ".github/workflows/ci.yml"
SCRIPT = "ci/unit/run.sh"
BELOW = PipPin("dataload", "<{installed}")
FACTS = Facts(installed={"dataload": "4.0.0"})
HERE = 'here="$( cd "$( dirname "${BASH_SOURCE[0]}" )" >/dev/null 2>&1 && pwd )"'
WORKFLOW = f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: bash {SCRIPT}\n"


def repository(script: str, **files: str) -> MemoryTree:
    named = {path.replace("_dot_", ".").replace("_of_", "/"): text for path, text in files.items()}
    every = {CI: WORKFLOW, SCRIPT: f"#!/bin/bash\n{script}\n", **named}
    return MemoryTree({path: text.encode() for path, text in every.items()})


@pytest.mark.parametrize(
    ("script", "file"),
    [
        (f'{HERE}\npip install -r "${{here}}/list.txt"', "ci/unit/list.txt"),
        (f'{HERE}\ncd /tmp\npip install --requirement="$here/list.txt"', "ci/unit/list.txt"),
        ('pip install -r "$GITHUB_WORKSPACE/list.txt"', "list.txt"),
        ('root=$(git rev-parse --show-toplevel)\ncd "$root/ci"\npip install -r "$root/list.txt"', "list.txt"),
    ],
)
def test_a_requirements_file_is_found_by_the_folder_of_the_script(script: str, file: str) -> None:
    made = repository(script, **{file.replace(".", "_dot_").replace("/", "_of_"): "numpy\ndataload\n"})
    proved = patch(BELOW, "test", CI, facts=FACTS, repository=made)
    assert proved.state is PatchState.PATCH, proved.reason
    assert proved.files == (file,)
    assert changed(proved) == ["-dataload", "+dataload<4.0.0"]


def test_so_is_an_environment_file_of_conda() -> None:
    listed = "dependencies:\n  - pip\n  - pip:\n    - dataload\n"
    script = f'{HERE}\nconda env update --file "${{here}}/environment.yml" --prune'
    proved = patch(
        BELOW, "test", CI, facts=FACTS, repository=repository(script, ci_of_unit_of_environment_dot_yml=listed)
    )
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-- dataload", '+- "dataload<4.0.0"']


def test_so_is_the_project_itself() -> None:
    project = '[project]\nname = "train"\ndependencies = ["dataload"]\n'
    script = 'root=$(git rev-parse --show-toplevel)\npip install -e "${root}"'
    proved = patch(BELOW, "test", CI, facts=FACTS, repository=repository(script, pyproject_dot_toml=project))
    assert proved.state is PatchState.PATCH, proved.reason
    assert proved.files == ("pyproject.toml",)


def test_the_top_of_another_clone_is_not_ours() -> None:
    script = 'git clone https://example.org/other\ncd other\nroot=$(git rev-parse --show-toplevel)\npip install -r "$root/list.txt"'
    found = draft(BELOW, "test", CI, facts=FACTS, repository=repository(script, list_dot_txt="dataload\n"))
    assert not any(edit.path == "list.txt" for edit in found.edits)


def test_a_command_with_a_word_that_only_the_run_knows_is_edited_too() -> None:
    script = 'add() {\n  uv pip install --python "${VENV}/bin/python" "$@"\n}\nadd numpy \\\n  "dataload>=3" \\\n  ray'
    proved = patch(BELOW, "test", CI, facts=FACTS, repository=repository(script))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ['-"dataload>=3" \\', '+"dataload>=3,<4.0.0" \\']


def test_bounds_of_the_log_take_the_place_of_one_that_shuts_them_out() -> None:
    recipe = PipPin("dataload", "{bounds}")
    for held, state in (("dataload>=1,<2", PatchState.PATCH), ("dataload>=1", PatchState.REFUSED)):
        found = draft(
            recipe,
            "test",
            CI,
            facts=FACTS,
            captures={"bounds": ">=3.5.0,<4.0"},
            repository=repository(f"pip install '{held}'"),
        )
        assert found.state is state, found.reason
        assert [edit.new for edit in found.edits] in ([], [b"dataload>=3.5.0,<4.0"])
