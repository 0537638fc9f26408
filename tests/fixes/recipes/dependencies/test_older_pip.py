"""What the newest pip refuses for its metadata is installed with an older one."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import OlderPip

CI = ".github/workflows/ci.yml"
OLDER = OlderPip("{requirement}", "{bound}")


def repository(*lines: str, **files: str) -> MemoryTree:
    script = "".join(f"          {line}\n" for line in lines)
    text = f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: |\n{script}"
    return tree({CI: text, **files})


def made(
    repo: MemoryTree, requirement: str = "gym==0.19", bound: str = "<24.1", workflow: str = CI, known: Facts = Facts()
) -> Patch:
    job = "test" if workflow else ""
    return patch(OLDER, job, workflow, repository=repo, facts=known, captures={"requirement": requirement,
                                                                               "bound": bound})  # fmt: skip


@pytest.mark.parametrize(
    ("repo", "requirement", "line"),
    [
        (repository("pip3 install wheel", "pip3 install gym==0.19"), "gym==0.19", '+pip3 install "pip<24.1"'),
        (repository("pip install 'pip<24.1'", "pip install -U pip", "pip install gym==0.19"), "gym==0.19",
         '+pip install "pip<24.1"'),
        (repository("export V=0.19", "pip install gym==$V"), "gym==0.19", '+pip install "pip<24.1"'),
        (repository("python -m pip install -r req.txt", "make", **{"req.txt": "omegaconf==2.0.6\n"}),
         "omegaconf==2.0.6", '+python -m pip install "pip<24.1"'),
    ],
)  # fmt: skip
def test_the_pip_that_takes_it_is_installed_before(repo: MemoryTree, requirement: str, line: str) -> None:
    found = made(repo, requirement)
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == [line]


def test_a_script_that_only_the_log_leads_to_gets_the_line_above_its_install() -> None:
    repo = tree({"ci/install.sh": "set -e\npip install gym==0.19\nmake\n"})
    found = made(repo, workflow="", known=Facts(installs=("pip install gym==0.19",)))
    assert (found.state, changed(found)) == (PatchState.PATCH, ['+pip install "pip<24.1"'])


@pytest.mark.parametrize(
    ("repo", "bound", "said"),
    [
        (repository("uv pip install gym==0.19"), "<24.1", "is no pip"),
        (repository('pip install "pip<24.1"', "pip install gym==0.19"), "<24.1", "already"),
        (repository("make", "pip install torch"), "<24.1", "before gym"),
        (repository("pip install gym==0.19"), "<24.1;curl", "does not say"),
    ],
)
def test_what_is_no_pip_or_held_already_is_left(repo: MemoryTree, bound: str, said: str) -> None:
    found = made(repo, bound=bound)
    assert found.state is not PatchState.PATCH
    assert said in found.reason or said in found.title or said in str(found)
