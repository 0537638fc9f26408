"""Models of the hub whose name is a slip, and names that are other models."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import ChooseValue

OWN = ".github/workflows/own.yml"
RECIPE = ChooseValue("{repository}")


def repository(name: str, **files: str) -> MemoryTree:
    head = "on: [push]\njobs:\n  train:\n    runs-on: [gpu]\n    steps:\n      - name: Get\n        run: bash tests/run.sh\n"
    return tree({OWN: head, "tests/run.sh": f"python train.py model={name}\n", **files})


@pytest.mark.parametrize(
    ("name", "expected", "files"),
    [
        ("example/Tiny-1B-nIstruct", "example/Tiny-1B-Instruct", {"tests/other.sh": "M=example/Tiny-1B-Instruct\n"}),
        ("example/Tiny-B1-Instruct", "example/Tiny-1B-Instruct", {"README.md": "Take `example/Tiny-1B-Instruct`.\n"}),
        ("example/Tiny-1B-Instuct", "example/Tiny-1B-Instruct", {"conf/a.yaml": "model: example/Tiny-1B-Instruct\n"}),
    ],
)
def test_the_name_is_the_one_of_other_files(name: str, expected: str, files: dict[str, str]) -> None:
    made = patch(RECIPE, "train", OWN, captures={"repository": name}, repository=repository(name, **files))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == f"+python train.py model={expected}"


@pytest.mark.parametrize(
    ("name", "files", "reason"),
    [
        ("example/Tiny-3.1-8B", {"tests/other.sh": "M=example/Tiny-3.2-8B\n"}, "no one name"),
        ("example/Tiny-3.1-8B", {"tests/other.sh": "M=example/Tiny-3.1-8B-Instruct\n"}, "no one name"),
        ("example/Tiny-base", {"a.sh": "M=example/Tiny-bases\n", "b.sh": "M=example/Tiny-bare\n"}, "no one name"),
        ("example/Tiny-base", {"a.sh": "M=example/Tiny-base\n", "b.sh": "M=example/Tiny-bases\n"}, "2 files"),
        ("/root/models/Tiny", {}, "names no repository"),
        # Two sizes, though the digits are the same; and a letter that stands for one.
        ("example/Tiny-6.7b", {"tests/other.sh": "M=example/Tiny-67b\n"}, "no one name"),
        ("example/Tiny-S", {"tests/other.sh": "M=example/Tiny-M\n"}, "no one name"),
        # A document has the name too, so it is nobody's slip.
        ("example/Tiny-base", {"b.sh": "M=example/Tiny-bases\n", "README.md": "example/Tiny-base\n"}, "2 files"),
        # Of another host.
        (
            "example/Tiny-base",
            {"README.md": "git@github.com:example/Tiny-bases, ghcr.io/example/Tiny-bases\n"},
            "no one",
        ),
        # Where only a remark has it, the command gets it from elsewhere.
        ("${ORG}/Tiny # example/Tiny-base", {"b.sh": "M=example/Tiny-bases\n"}, "0 files"),
    ],
)
def test_another_model_or_one_that_several_files_name_stays(name: str, files: dict[str, str], reason: str) -> None:
    captures = {"repository": name.rpartition(" ")[2]}
    made = draft(RECIPE, "train", OWN, captures=captures, repository=repository(name, **files))
    assert made.state is PatchState.REFUSED
    assert reason in made.reason
