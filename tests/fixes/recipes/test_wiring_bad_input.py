"""The recipes of a workflow's wiring on odd files: the ends of lines stay as they are, and what is odd is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import draft, patch
from tests.fixes.recipes.test_bad_input import ODD, applied, crlf
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import (
    ClearCache,
    CopyCommand,
    CopyEnv,
    CopyGuard,
    CopyRunner,
    Recipe,
    RepairFlag,
    RepairGroup,
    RepairOverride,
    RepairWorkflow,
    RetryCommand,
    Timeout,
)

OWN = ".github/workflows/own.yml"
WIRED = tree(
    {
        OWN: """
            name: own
            on: [pull_request_target]
            concurrency:
              group: own-${{ github.ref }}
            jobs:
              train:
                runs-on: ubuntu-latest
                timeout-minutes: 30
                steps:
                  - name: Install
                    run: pip install -e .
                  - name: Get
                    run: |
                      curl -O https://files.example/x
                      python3 tools/train.py --model_path out
                  - name: Train
                    run: bash tests/run.sh
              other:
                if: github.repository_owner == 'example'
                runs-on: [cpu-large]
                env:
                  HF_TOKEN: ${{ secrets.HF_TOKEN }}
                steps:
                  - run: hf download example/tiny --local-dir ~/models/example/tiny
              third:
                runs-on: ubuntu-latest
                env:
                  HF_TOKEN: ${{ secrets.HF_TOKEN }}
                steps:
                  - run: hf download example/tiny --local-dir ~/models/example/tiny
        """,
        "tests/run.sh": """
            set -x
            python3 -m pkg.main +actor.size=2 --model ~/models/example/tiny
            python3 tests/old.py
        """,
        "tests/new/old.py": "",
        "tools/train.py": 'parser.add_argument("--model-path")\nCACHE = "~/.cache/trainlib"\n',
        "pkg/__init__.py": "",
        "pkg/main.py": """
            import hydra
            @hydra.main(config_path="config", config_name="trainer", version_base=None)
            def main(config): ...
        """,
        "pkg/config/trainer.yaml": "actor:\n  size: 1\n",
    }
)
CASES: tuple[tuple[Recipe, str, dict[str, str]], ...] = (
    (CopyGuard(), "", {}),
    (CopyEnv(("HF_TOKEN",)), "Train", {}),
    (CopyCommand("{path}", commands=("hf download",)), "Train", {"path": "~/models/example/tiny"}),
    (CopyRunner(), "", {}),
    (RepairGroup(group="{group}"), "", {"group": "own-refs/heads/main"}),
    (RepairOverride("{key}", existing="{existing}"), "Train", {"key": "actor.size", "existing": "already"}),
    (RepairFlag("{argument}"), "Get", {"argument": "--model_path"}),
    (RepairWorkflow(path="{path}"), "Train", {"path": "tests/old.py"}),
    (RetryCommand(("curl",)), "Get", {"tool": "curl"}),
    (ClearCache("{path}"), "Get", {"path": "/root/.cache/trainlib/a.so"}),
    (Timeout(), "", {"limit": "30 minutes"}),
)
FORK = Facts(repository="someone/train")


def changed(change: Callable[[bytes], bytes]) -> MemoryTree:
    """All workflows and scripts changed; the rest as it is."""
    return MemoryTree(
        {path: change(data) if path.endswith((".yml", ".sh")) else data for path, data in WIRED.files.items()}
    )


@pytest.mark.parametrize("odd", ["nothing", *ODD])
@pytest.mark.parametrize(("recipe", "step", "captures"), CASES, ids=lambda one: getattr(one, "recipe", None))
def test_odd_files_are_edited_as_others_are(
    recipe: Recipe, step: str, captures: dict[str, str], odd: str, tmp_path: Path
) -> None:
    there = changed(ODD.get(odd, lambda data: data))
    if isinstance(recipe, CopyEnv):  # a secret goes to no workflow that strangers start
        there = MemoryTree({path: data.replace(b"request_target", b"request") for path, data in there.files.items()})
    made = patch(recipe, "train", OWN, step=step, captures=captures, facts=FORK, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert applied(made, there, tmp_path)


@pytest.mark.parametrize(("recipe", "step", "captures"), CASES, ids=lambda one: getattr(one, "recipe", None))
def test_the_ends_of_lines_stay(recipe: Recipe, step: str, captures: dict[str, str], tmp_path: Path) -> None:
    there = changed(crlf)
    made = patch(recipe, "train", OWN, step=step, captures=captures, facts=FORK, repository=there)
    if made.state is PatchState.PATCH:
        for path, data in applied(made, there, tmp_path).items():
            assert data.count(b"\n") == data.count(b"\r\n"), path
    else:
        assert made.reason


@pytest.mark.parametrize(("recipe", "step", "captures"), CASES, ids=lambda one: getattr(one, "recipe", None))
@pytest.mark.parametrize("broken", [b"jobs: [", b"a: &a {b: *a}", b"\xff\xfe", b"", b"jobs:\n  train: 1\n"])
def test_a_workflow_that_cannot_be_read_is_refused(
    recipe: Recipe, step: str, captures: dict[str, str], broken: bytes
) -> None:
    there = MemoryTree({**WIRED.files, OWN: broken})
    made = draft(recipe, "train", OWN, step=step, captures=captures, facts=FORK, repository=there)
    assert made.state is not PatchState.PATCH
    assert made.reason
