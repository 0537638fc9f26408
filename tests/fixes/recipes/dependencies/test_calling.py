"""A class of another package that takes an argument no more: the file that calls it says which package it is of."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import HoldCalled, PipPin

CI = ".github/workflows/ci.yml"
RECIPE = HoldCalled("{owner}", "{argument}")
GUARDED = "from train.features import ready\n\nif ready():\n    from parsekit import Engine, Options\n"


def made(files: dict[str, str], frame: str, listed: dict[str, str], *, run: str = "pip install -e .[serve]") -> Patch:
    workflow = (
        f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: {run}\n      - run: pytest\n"
    )
    captures = {"owner": "Engine", "argument": "token_ids"}
    facts = Facts(installed=listed, frames=("/home/runner/work/train/train/tests/test_x.py", frame))
    return patch(RECIPE, "test", CI, facts=facts, captures=captures, repository=tree({CI: workflow, **files}))


@pytest.mark.parametrize(
    ("files", "frame", "listed", "run", "line"),
    [
        (
            {"pyproject.toml": '[project]\nname = "train"\n[project.optional-dependencies]\nserve = ["parsekit>=0.10.0"]\n', "src/train/run.py": GUARDED},
            "/home/runner/work/train/train/src/train/run.py", {"parsekit": "0.10.2"}, "pip install -e .[serve]",
            '+serve = ["parsekit>=0.10.0,<0.10.2"]',
        ),
        (
            {"requirements.txt": "tqdm\nDataQueue\n", "tools/serve.py": "from data_queue.server import Engine\n"},
            "tools/serve.py", {"dataqueue": "3.0.0"}, "pip install -r requirements.txt", "+DataQueue<3.0.0",
        ),
        (
            {"requirements.txt": "parsekit~=1.2\n", "train/serve.py": "def go():\n    from parsekit.core import Engine\n"},
            "/app/train/serve.py", {"parsekit": "1.9.1"}, "pip install -r requirements.txt", "+parsekit~=1.2,<1.9.1",
        ),
    ],
)  # fmt: skip
def test_the_package_is_held_below_what_the_log_lists(
    files: dict[str, str], frame: str, listed: dict[str, str], run: str, line: str
) -> None:
    found = made(files, frame, listed, run=run)
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found)[1] == line
    assert any("`token_ids` to Engine" in note for note in found.notes)


OPEN = {"requirements.txt": "parsekit\n"}


@pytest.mark.parametrize(
    "files",
    [
        {**OPEN, "run/serve.py": "from parsekit import Options\n"},  # the class is not imported there
        {**OPEN, "run/serve.py": "from .engines import Engine\n"},
        {**OPEN, "run/serve.py": "from parsekit import Engine\n", "run/own.py": "class Engine(Base):\n    pass\n"},
        {**OPEN, "other/serve.py": "from parsekit import Engine\n"},
        {**OPEN, "run/serve.py": "from parsekit import Engine\n", "parsekit/__init__.py": ""},
        {"requirements.txt": "parsekit==1.4.0\n", "run/serve.py": "from parsekit import Engine\n"},
    ],
)
def test_what_the_repository_owns_or_holds_did_not_move(files: dict[str, str]) -> None:
    found = made(files, "run/serve.py", {"parsekit": "1.4.0"}, run="pip install -r requirements.txt")
    assert found.state is PatchState.REFUSED


def repository(named: str) -> MemoryTree:
    workflow = "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: pip install -r requirements.txt\n"
    return tree({CI: workflow, "requirements.txt": f"{named}>=1.32\n"})


@pytest.mark.parametrize("named", ["cluster-py", "python-cluster", "pycluster", "cluster"])
def test_a_module_of_which_the_bare_name_is_taken_is_found_as_the_log_lists_it(named: str) -> None:
    pin = PipPin(module="{package}", spec="<{installed}")
    facts = Facts(installed={named: "2.0.1"})
    found = patch(
        pin, "test", CI, facts=facts, captures={"package": "cluster", "name": "Job"}, repository=repository(named)
    )
    assert changed(found) == [f"-{named}>=1.32", f"+{named}>=1.32,<2.0"]
