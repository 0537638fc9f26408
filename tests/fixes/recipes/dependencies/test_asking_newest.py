"""Where pip went back to old releases, the one that it tried first is asked for."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import AskForNewest

CI = ".github/workflows/ci.yml"
TRIED = Facts(retreats={"audiolib": ("0.11.0", "0.10.1", "0.9.2")})


def repository(command: str, **files: str) -> MemoryTree:
    text = f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: {command}\n"
    return tree({CI: text, **files})


def made(repo: MemoryTree, known: Facts = TRIED, workflow: str = CI) -> Patch:
    return patch(AskForNewest(), "test" if workflow else "", workflow, repository=repo, facts=known)


@pytest.mark.parametrize(
    ("repo", "line"),
    [
        (repository("pip install -r r.txt", **{"r.txt": "audiolib\ntorch\n"}), "+audiolib>=0.11.0"),
        (repository("pip install audiolib torch"), '+- run: pip install "audiolib>=0.11.0" torch'),
        (repository("pip install .[dev]", **{"setup.py": 'setup(name="x", extras_require={"dev": ["audiolib"]})\n'}),
         '+setup(name="x", extras_require={"dev": ["audiolib>=0.11.0"]})'),
        (repository("pip install -r r.txt", **{"r.txt": "audiolib>=0.8\n"}), "+audiolib>=0.11.0"),
    ],
)  # fmt: skip
def test_the_first_that_pip_tried_is_asked_for(repo: MemoryTree, line: str) -> None:
    found = made(repo)
    assert (found.state, changed(found)[1:]) == (PatchState.PATCH, [line]), found.reason


@pytest.mark.parametrize(
    ("repo", "known"),
    [
        (repository("pip install torch"), TRIED),
        (repository("pip install audiolib==0.9.2"), TRIED),
        (repository('pip install "audiolib<1"'), TRIED),
        (repository("pip install audiolib videolib"), Facts(retreats={**TRIED.retreats, "videolib": ("2.0", "1.0")})),
        (repository("pip install audiolib"), Facts()),
    ],
    ids=["with something else", "held", "bounded above", "two", "none"],
)
def test_what_the_job_does_not_name_or_holds_is_left(repo: MemoryTree, known: Facts) -> None:
    assert made(repo, known).state is not PatchState.PATCH
