"""Keys of a configuration that nothing takes any more: left out where nothing else has heard of them."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.patch import Patch, PatchState
from triage.model.recipe import DropConfigKeys

JOB = ".github/workflows/own.yml"
RECIPE = DropConfigKeys("{names}", keep=("evaluation_strategy",))
OWN = "model: a\n### cluster\nworkers: 4  # GPUs\nplacement: PACK\nresources:\n  gpu: 1\n# more:\n#   b: 1\nseed: 1\n"
RUN = "tune train cases/own.yaml"


def repository(own: str = OWN, run: str = RUN, **others: str) -> MemoryTree:
    job = f"on: [push]\njobs:\n  train:\n    runs-on: [gpu]\n    steps:\n      - name: Train\n        run: {run}\n"
    more = {path.replace("__", "/").replace("_dot_", "."): text for path, text in others.items()}
    return tree({JOB: job, "cases/own.yaml": own, "pkg/options.py": "workers = 1\n", **more})


def made(held: MemoryTree, names: str) -> Patch:
    return patch(RECIPE, "train", JOB, captures={"names": names}, repository=held)


def test_all_that_the_message_lists_goes_and_comments_stay() -> None:
    made_here = made(repository(), "'placement', 'resources'")
    assert changed(made_here) == ["-placement: PACK", "-resources:", "-gpu: 1"], made_here.reason


def test_one_name_by_itself() -> None:
    assert changed(made(repository(), "placement")) == ["-placement: PACK"]


@pytest.mark.parametrize(
    "others",
    [
        {"pkg__more_dot_py": "def make(placement): ...\n"},  # a program of the repository takes it
        {"cases__other_dot_yaml": "placement: SPREAD\n"},  # others set it too: a new release, or another program
        {"run_dot_sh": "tune train --placement PACK\n"},
    ],
)
def test_words_where_something_else_knows_the_name(others: dict[str, str]) -> None:
    assert made(repository(**others), "'placement'").state is PatchState.ADVICE


def test_words_for_what_a_package_calls_otherwise_by_now() -> None:
    held = repository(OWN.replace("placement: PACK", "evaluation_strategy: steps"))
    assert made(held, "'evaluation_strategy'").state is PatchState.ADVICE


@pytest.mark.parametrize("names", ["'epochs'", "'gpu'", ""])
def test_refused_for_what_does_not_stand_at_the_top_of_the_file(names: str) -> None:
    assert made(repository(), names).state is PatchState.REFUSED


def test_refused_where_the_configuration_is_not_known_or_would_be_empty() -> None:
    assert made(repository(run="tune train"), "placement").state is PatchState.REFUSED
    assert made(repository("placement: PACK\n"), "placement").state is PatchState.REFUSED
