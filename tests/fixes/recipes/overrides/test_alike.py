"""Keys that a program's own file lacks and that the files like it hold, and sizes that the GPUs must divide."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import TABLES, changed, signature
from triage.fixes import Target, prescribe
from triage.gates import prove
from triage.model.diagnosis import Cause, Facts
from triage.model.log import Confidence, Line
from triage.model.patch import Draft, Patch, PatchState
from triage.model.recipe import EffectiveValue, FitSizes, Recipe, SetEnv

OWN = ".github/workflows/own.yml"
KNOBS = {
    "activation_checkpointing": {"file": ("distributed.activation_checkpointing",)},
    "job_nodes": {"file": ("ci.nodes",)},
    "train_tensor_parallel": {"file": ("distributed.tp_size",), "flags": ("--tp",)},
    "train_context_parallel": {"file": ("distributed.cp_size",)},
    "train_pipeline_parallel": {"file": ("distributed.pp_size",), "flags": ("--pp",)},
}
SIZED = replace(TABLES, knobs={**TABLES.knobs, **KNOBS})
AGAIN = EffectiveValue(knob="activation_checkpointing", to="true", as_alike=True)
SIZES = ("train_tensor_parallel", "train_context_parallel", "train_pipeline_parallel")
NODES = EffectiveValue(knob="job_nodes", product=SIZES, over="{world}", as_alike=True)
BASE = "model: a\ndistributed:\n  strategy: fsdp2\n  tp_size: 4\n  pp_size: 4\noptimizer: adam\n"
LIKE = BASE.replace("optimizer", "  activation_checkpointing: true\noptimizer") + "ci:\n  nodes: 2\n"


def repository(run: str, own: str = BASE, **files: str) -> MemoryTree:
    head = "on: [push]\njobs:\n  train:\n    runs-on: [gpu]\n    steps:\n      - name: Train\n        run: "
    named = {f"recipes/{name}.yaml": text for name, text in files.items()}
    return tree({OWN: f"{head}{run}\n", "recipes/own.yaml": own, "train.py": "import a\n", **named})


RUN = "torchrun train.py --config recipes/own.yaml"


def drafted(recipe: Recipe, before: MemoryTree, world: str = "") -> Draft:
    fix, captures = signature(recipe), {"world": world} if world else {}
    line = Line(1, "")
    cause = Cause("c", fix.id, "", "code-error", fix.category, fix.rank, line, "", Confidence.HIGH, captures)
    (only,) = prescribe(cause, fix, Facts(), Target(OWN, "train", "Train"), before, before, SIZED, False)
    return only


def made(recipe: Recipe, before: MemoryTree, world: str = "") -> list[str]:
    proved: Patch = prove(drafted(recipe, before, world), before, "p1", ("c",), Target(OWN, "train"), Facts(), SIZED)
    assert proved.state is PatchState.PATCH, proved.reason
    return changed(proved)


def test_a_key_that_the_configurations_like_this_one_hold_is_added() -> None:
    assert made(AGAIN, repository(RUN, one=LIKE, two=LIKE)) == ["+activation_checkpointing: true"]


@pytest.mark.parametrize(
    "others",
    [
        {"one": LIKE},
        {"one": LIKE.replace("fsdp2", "ddp"), "two": LIKE.replace("fsdp2", "ddp")},
        {"one": "a: 1\nb: 2\nc: 3\nd: 4\n" + LIKE, "two": "e: 1\nf: 2\ng: 3\nh: 4\n" + LIKE},
    ],
)
def test_one_file_or_files_of_another_kind_are_no_evidence(others: dict[str, str]) -> None:
    assert drafted(AGAIN, repository(RUN, **others)).state is PatchState.REFUSED


def test_a_variable_goes_where_files_like_this_one_give_it_to_their_harness() -> None:
    like = BASE + 'ci:\n  env_vars:\n    ALLOC_CONF: "a:True"\n'
    own = BASE + "ci:\n  time: 10\n"
    recipe = SetEnv("ALLOC_CONF", "a:True", level="program")
    assert made(recipe, repository(RUN, own, one=like, two=like)) == ["+env_vars:", "+ALLOC_CONF: a:True"]


def test_as_many_nodes_as_the_sizes_need() -> None:
    before = repository(RUN, BASE + "ci:\n  time: 10\n", one=LIKE, two=LIKE)
    assert made(NODES, before, "8") == ["+nodes: 2"]
    assert drafted(NODES, before, "16").state is PatchState.REFUSED


@pytest.mark.parametrize(
    ("world", "expected"),
    [
        ("1", ["-tp_size: 4", "-pp_size: 4", "+tp_size: 1", "+pp_size: 1"]),
        ("8", ["-pp_size: 4", "+pp_size: 2"]),
        ("6", ["-tp_size: 4", "-pp_size: 4", "+tp_size: 2", "+pp_size: 1"]),
    ],
)
def test_the_sizes_become_as_small_as_the_gpus(world: str, expected: list[str]) -> None:
    assert sorted(made(FitSizes("{world}"), repository(RUN), world)) == sorted(expected)


@pytest.mark.parametrize(
    ("run", "reason"),
    [(RUN, "divide 16 GPUs"), ("torchrun train.py --tp 2 --pp $(cat stages)", "not known"), ("make", "no command")],
)
def test_sizes_that_divide_or_that_nobody_knows_stay(run: str, reason: str) -> None:
    refused = drafted(FitSizes("{world}"), repository(run), "16")
    assert refused.state is PatchState.REFUSED
    assert reason in refused.reason


def test_a_program_without_an_option_takes_the_configuration_that_its_text_names() -> None:
    text = 'import os\nadd("--config")\npath = os.path.join(os.path.dirname(__file__), "recipes", "own.yaml")\n'
    before = repository("uv run train.py")
    files = {path: before.read(path).decode() for path in (OWN, "recipes/own.yaml")}
    assert made(FitSizes("{world}"), tree({**files, "train.py": text}), "4") == ["-pp_size: 4", "+pp_size: 1"]


def test_without_a_value_of_its_own_it_takes_the_number_that_most_files_alike_have() -> None:
    more = {"a": LIKE, "b": LIKE.replace("nodes: 2", "nodes: 4"), "c": LIKE.replace("nodes: 2", "nodes: 4")}
    recipe = EffectiveValue(knob="job_nodes", as_alike=True)
    assert made(recipe, repository(RUN, BASE + "ci:\n  owner: a\n", **more)) == ["+nodes: 4"]


@pytest.mark.parametrize(
    ("run", "own", "expected"),
    [
        (RUN, "defaults: base.yaml\ndistributed:\n  tp_size: 2\n", ["-tp_size: 2", "+tp_size: 4"]),
        (f"{RUN} --tp 2", "defaults: base.yaml\nmodel: b\n", [f"-run: {RUN} --tp 2", f"+run: {RUN} --tp 4"]),
        (RUN, "defaults: base.yaml\nmodel: b\n", []),
    ],
)
def test_a_size_that_the_job_only_inherits_is_left_alone_where_its_own_is_asked_for(
    run: str, own: str, expected: list[str]
) -> None:
    here = repository(run, own, base=BASE)
    recipe = EffectiveValue(knob="train_tensor_parallel", factor="2", own_file=True)
    assert (made(recipe, here) if expected else list(drafted(recipe, here).edits)) == expected
