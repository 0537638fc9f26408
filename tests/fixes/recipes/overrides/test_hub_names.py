"""A model in somebody's own folder: the name by which the repository has it on the Hub."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.patch import Patch, PatchState
from triage.model.recipe import NameModel

JOB = ".github/workflows/own.yml"
OWN = "/shared/users/someone/try/Tiny-Parse-v1.1"
CONFIG = f"model:\n  path: {OWN}\n  dtype: bf16\n"


def repository(own: str = CONFIG, name: str = "tiny_parse_lora", **others: str) -> MemoryTree:
    job = f"on: [push]\njobs:\n  train:\n    runs-on: [gpu]\n    steps:\n      - run: tune recipes/{name}.yaml\n"
    more = {f"{path.replace('__', '/').replace('_dot_', '.')}": text for path, text in others.items()}
    return tree({JOB: job, f"recipes/{name}.yaml": own, "train.py": "", **more})


def made(held: MemoryTree, path: str = OWN) -> Patch:
    return patch(NameModel("{repository}"), "train", JOB, captures={"repository": path}, repository=held)


def test_the_name_that_the_same_file_has() -> None:
    found = made(repository(f"{CONFIG}processor:\n  path: example/Tiny-Parse-v1.1\n"))
    assert changed(found) == [f"-path: {OWN}", "+path: example/Tiny-Parse-v1.1"], found.reason


@pytest.mark.parametrize("other", ["docs__models_dot_md", "recipes__large_dot_yaml", "run_dot_sh"])
def test_the_name_that_another_file_has(other: str) -> None:
    found = made(repository(**{other: "load example/tiny-parse-v1.1\n"}))
    assert changed(found)[1] == "+path: example/tiny-parse-v1.1"


def test_every_place_of_the_path() -> None:
    found = made(repository(f"{CONFIG}processor:\n  path: {OWN}/\n", run_dot_sh="load example/Tiny-Parse-v1.1\n"))
    assert changed(found).count("+path: example/Tiny-Parse-v1.1") == 2


def test_what_the_file_that_is_called_alike_loads() -> None:
    own = CONFIG.replace("Tiny-Parse-v1.1", "meadow_v0-hf")
    others = {
        "recipes__tiny_parse_full_dot_yaml": "model:\n  path: example/Tiny-Parse\n",
        "recipes__tiny_chat_full_dot_yaml": "model:\n  path: example/Tiny-Chat\n",
    }
    found = made(repository(own, **others), OWN.replace("Tiny-Parse-v1.1", "meadow_v0-hf"))
    assert changed(found)[1] == "+path: example/Tiny-Parse", found.reason


@pytest.mark.parametrize(
    "others",
    [
        {},
        {"run_dot_sh": "load example/Tiny-Parse-v1.1 or sample/Tiny-Parse-v1.1\n"},  # two
        {"run_dot_sh": "load models/Tiny-Parse-v1.1\n"},  # a folder beside the checkout
        {"run_dot_sh": "load example/Tiny-Parse-v1.10\n"},
        {"recipes__tiny_chat_full_dot_yaml": "model:\n  path: example/Tiny-Chat\n"},  # one word alike
        {"recipes__tiny_parse_full_dot_yaml": "model:\n  path: /shared/other/tiny\n"},
    ],
)
def test_words_where_no_one_name_is_known(others: dict[str, str]) -> None:
    assert made(repository(**others)).state is PatchState.ADVICE


def test_refused_for_a_folder_that_runners_share() -> None:
    found = made(repository(run_dot_sh="load example/Tiny-Parse-v1.1\nls /shared/users/someone/try/other\n"))
    assert found.state is PatchState.REFUSED


@pytest.mark.parametrize("path", ["example/tiny", "/models/tiny", "~/tiny", ""])
def test_refused_for_what_is_no_path_of_somebody_s_own(path: str) -> None:
    assert made(repository(), path).state is PatchState.REFUSED
