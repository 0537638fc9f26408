"""Flags of programs that a package installs, and of groups of flags."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.fixes.recipes.overrides.declared import meant
from triage.model.patch import PatchState
from triage.model.recipe import RepairFlag

TRAIN = ".github/workflows/train.yml"
RECIPE = RepairFlag("{argument}")


def repository(flag: str, project: str = "pyproject.toml") -> MemoryTree:
    scripts = {
        "pyproject.toml": '[project.scripts]\nlauncher = "pkg.cli.main:main"\n',
        "setup.py": "setup(entry_points={'console_scripts': ['launcher=pkg.cli.main:main']})\n",
    }
    return tree(
        {
            TRAIN: "on: [push]\njobs:\n  train:\n    runs-on: [gpu-8]\n    steps:\n      - name: Train\n"
            "        run: bash tests/train.sh\n",
            "tests/train.sh": f"launcher sft --steps 1 {flag} zero\n",
            project: scripts[project],
            "pkg/__init__.py": "",
            "pkg/cli/main.py": "from pkg.arguments import Arguments\n",
            "pkg/arguments.py": "from dataclasses import dataclass\n@dataclass\nclass Arguments:\n    init_weights: str\n",
        }
    )


@pytest.mark.parametrize("project", ["pyproject.toml", "setup.py"])
def test_a_command_of_the_package_knows_the_fields_of_the_package(project: str) -> None:
    there = repository("--init_lora_weights", project)
    captures = {"argument": "['--init_lora_weights', 'zero']"}
    made = patch(RECIPE, "train", TRAIN, step="Train", captures=captures, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == "+launcher sft --steps 1 --init_weights zero"


def test_what_the_package_does_not_declare_is_left() -> None:
    made = draft(RECIPE, "train", TRAIN, captures={"argument": "--switch"}, repository=repository("--switch"))
    assert made.state is PatchState.ADVICE


@pytest.mark.parametrize(
    ("flag", "known", "expected"),
    [
        ("--beta", ["--model.beta", "--data.split"], "--model.beta"),
        ("--beta", ["--model.beta", "--loss.beta"], ""),
        ("--beta", ["--alpha"], ""),
    ],
)
def test_a_flag_of_a_group_is_meant_where_only_one_group_has_it(flag: str, known: list[str], expected: str) -> None:
    assert meant(flag, known) == expected
