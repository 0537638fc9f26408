"""Captures that a hostile log chose: what neither the tree nor our tables hold is never written into a file."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import (
    BuildSwitch,
    ClearCache,
    CopyCommand,
    PipPin,
    PipUninstall,
    Recipe,
    RepairJson,
    RepairValue,
    RepeatOption,
    Tolerate,
)

OWN = ".github/workflows/own.yml"
HEAD = "on: [push]\njobs:\n  train:\n    runs-on: [gpu]\n    steps:\n      - name: Get\n        run: |\n"
KEEP_OUT = PipPin(module="{package}", spec="<{installed}")
FETCH = "pip install x\nhf download example/other --local-dir ~/models/example/other\npython t.py\n"
PROJECT = '[project]\nname = "train"\ndependencies = [\n    "numpy",\n]\n'
REPAIR = "auditwheel repair a.whl --exclude liba.so --exclude libb.so\n"


def repository(script: str, **files: str) -> MemoryTree:
    return tree({OWN: HEAD + "".join(f"          {line}\n" for line in script.splitlines()), **files})


def listing(name: str) -> Facts:
    return Facts(installed={name: "1.0"})


@pytest.mark.parametrize("files", [{}, {"pyproject.toml": PROJECT}])
def test_a_package_that_only_the_log_names_is_advice(files: dict[str, str]) -> None:
    script = "pip install -e .\npython t.py\n" if files else "pip install numpy\npython t.py\n"
    made = draft(
        KEEP_OUT, "train", OWN, captures={"package": "evil_pkg"}, facts=listing("evil-pkg"),
        repository=repository(script, **{"t.py": "", **files}),
    )  # fmt: skip
    assert made.state is PatchState.ADVICE
    assert "only the log names evil-pkg" in made.reason


@pytest.mark.parametrize("files", [{"uv.lock": '[[package]]\nname = "evil-pkg"\n'}, {"docker/Dockerfile": "RUN pip install Evil_Pkg\n"}])  # fmt: skip
def test_a_package_that_the_tree_names_anywhere_may_be_held(files: dict[str, str]) -> None:
    there = repository("pip install numpy\npython t.py\n", **files)
    made = draft(KEEP_OUT, "train", OWN, captures={"package": "evil_pkg"}, facts=listing("evil-pkg"), repository=there)
    assert made.state is PatchState.PATCH, made.reason


@pytest.mark.parametrize("name", ["evil$(id)", "evil`id`", "evil; rm -rf ~", "évil", "numpу", "a" * 101, "${{ x }}"])
def test_what_is_no_name_is_refused(name: str) -> None:
    for recipe in (KEEP_OUT, PipPin("{package}", "<2")):
        made = draft(recipe, "train", OWN, captures={"package": name}, repository=repository("pip install numpy\n"))
        assert made.state is PatchState.REFUSED


@pytest.mark.parametrize(
    ("recipe", "captures", "script", "files"),
    [
        (PipUninstall("{p}"), {"p": "evil-pkg"}, "pip install numpy\n", {}),
        (RepairValue("{f}", "{v}", "{c}"), {"f": "--model", "v": "tiny-7b", "c": "'tiny-7c'"}, "serve --model tiny-7b\n", {}),
        (RepairValue("{f}", "{v}", "{c}"), {"f": "--dtype", "v": "float61", "c": "'flоat16'"}, "serve --dtype float61\n", {}),
        (CopyCommand("{m}", ("hf download",)), {"m": "~/models/example/tiny"}, FETCH, {"t.py": "load('my-example/tiny-2')\n"}),
        (ClearCache("{p}"), {"p": "/root/.cache/train/x.so"}, "python t.py\n", {"t.py": "HERE = '~/.cache/trainlib'\n"}),
        (RepeatOption("--exclude", "{l}", ("auditwheel repair",)), {"l": "libсuda.so"}, REPAIR, {}),
        (RepeatOption("--exclude", "{l}", ("auditwheel repair",)), {"l": "-w.so"}, REPAIR, {}),
        (RepeatOption("--exclude", "{l}", ("auditwheel repair",)), {"l": "lib" + "a" * 200 + ".so"}, REPAIR, {}),
        (BuildSwitch("{n}", "{v}"), {"n": "K_BUILD_" + "A" * 200, "v": "0"}, "K_BUILD_A=0 pip install x\n", {}),
        (RepairJson("{l}", "{c}"), {"l": "9" * 5000, "c": "1"}, "python t.py --a '{\"a\": 1,}'\n", {}),
    ],
)  # fmt: skip
def test_nothing_that_only_the_log_holds_is_written(
    recipe: Recipe, captures: dict[str, str], script: str, files: dict[str, str]
) -> None:
    made = draft(recipe, "train", OWN, captures=captures, repository=repository(script, **files))
    assert made.state is not PatchState.PATCH
    assert not made.edits
    assert "the recipe failed" not in made.reason


def test_json_that_is_nested_too_deep_does_not_hide_the_broken_one() -> None:
    deep = "[" * 20_000
    there = repository("bash run.sh\n", **{"run.sh": f"python t.py --a '{deep}' --b '{{\"a\": 1,}}'\n"})
    made = draft(RepairJson("{l}", "{c}"), "train", OWN, captures={"l": "1", "c": "9"}, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert [edit.new for edit in made.edits] == [b""]


def test_a_block_works_in_a_shell_that_is_not_bash() -> None:
    there = repository("sh clean.sh\n", **{"clean.sh": "set -e\numount /mnt/data\nmake\n"})
    made = patch(Tolerate("{p}", "{s}"), "train", OWN, captures={"p": "umount", "s": "/mnt/data"}, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert "+if [ -e /mnt/data ]; then" in changed(made)
