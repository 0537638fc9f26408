"""Numbers that a program refuses: found by their name, and made so that they divide or are large enough."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import TRAIN, changed, draft, hydra_job, patch
from triage.model.patch import PatchState
from triage.model.recipe import FitSetting

JOB = ".github/workflows/own.yml"
NAMES = ("name", "value", "divisor", "times", "other", "above", "least", "most", "of")
RECIPE = FitSetting(**{name: f"{{{name}}}" for name in NAMES})
SCRIPT = "python train.py \\\n    --rollout-batch {} \\\n    --samples 4\n"


def shell(batch: str = "10", **beside: str) -> MemoryTree:
    job = "on: [push]\njobs:\n  train:\n    runs-on: [gpu]\n    steps:\n      - name: Train\n        run: bash runs/own.sh\n"
    files = {f"runs/{name}.sh": SCRIPT.format(text) for name, text in beside.items()}
    return tree({JOB: job, "runs/own.sh": SCRIPT.format(batch), "train.py": "", **files})


def recipe_file(own: str, **others: str) -> MemoryTree:
    run = "torchrun train.py --config recipes/own.yaml"
    job = f"on: [push]\njobs:\n  train:\n    runs-on: [gpu]\n    steps:\n      - name: Train\n        run: {run}\n"
    files = {f"recipes/{name}.yaml": text for name, text in others.items()}
    return tree({JOB: job, "recipes/own.yaml": own, "train.py": "", **files})


def lines(held: MemoryTree, path: str = JOB, **captures: str) -> list[str]:
    made = patch(RECIPE, "train", path, captures={**dict.fromkeys(NAMES, ""), **captures}, repository=held)
    assert made.state is PatchState.PATCH, made.reason
    return changed(made)


def reason(held: MemoryTree, **captures: str) -> str:
    made = draft(RECIPE, "train", JOB, captures={**dict.fromkeys(NAMES, ""), **captures}, repository=held)
    assert made.state is not PatchState.PATCH
    return made.reason


@pytest.mark.parametrize("name", ["rollout_batch", "--rollout-batch"])
def test_a_flag_is_lowered_until_it_divides(name: str) -> None:
    assert lines(shell(), name=name, divisor="4")[1] == "+--rollout-batch 8 \\"
    assert lines(shell(), name=name, other="samples", value="10")[1] == "+--rollout-batch 8 \\"


def test_what_scripts_of_the_same_folder_have_comes_first() -> None:
    assert (
        lines(shell(one="32", two="32", three="30"), name="rollout_batch", divisor="4")[1] == "+--rollout-batch 32 \\"
    )


def test_a_bound_alone_needs_scripts_that_keep_it() -> None:
    assert lines(shell("1", one="8", two="1"), name="rollout_batch", above="1")[1] == "+--rollout-batch 8 \\"
    assert "others have" in reason(shell("1", one="1"), name="rollout_batch", above="1")
    assert "others have" in reason(shell("1", one="4", two="8"), name="rollout_batch", least="2")


def test_a_key_of_the_configuration_that_the_command_names() -> None:
    own = "data:\n  batch_size: 30\nmodel:\n  chunks: 8\n"
    assert lines(recipe_file(own), name="data.batch_size", other="model.chunks") == [
        "-batch_size: 30",
        "+batch_size: 24",
    ]
    like = own.replace("30", "64")
    assert lines(recipe_file(own, one=like, two=like), name="batch_size", divisor="8")[1] == "+batch_size: 64"


def test_an_override_and_what_only_the_configuration_of_the_program_holds() -> None:
    held = hydra_job("python -m pkg.main data.batch=30\n", "data:\n  batch: 16\n  chunks: 4\n")
    assert lines(held, TRAIN, name="data.batch", other="data.chunks")[1] == "+python -m pkg.main data.batch=28"


@pytest.mark.parametrize(
    ("captures", "why"),
    [
        ({"name": "rollout_batch", "divisor": "4", "value": "80"}, "worked out"),
        ({"name": "rollout_batch", "other": "world_size"}, "not known"),
        ({"name": "never_heard", "divisor": "4"}, "no one setting"),
        ({"name": "rollout_batch", "divisor": "5"}, "is 10"),
        ({"name": "rollout_batch"}, "does not say"),
    ],
)
def test_what_is_not_the_setting_s_own_number_is_left_alone(captures: dict[str, str], why: str) -> None:
    assert why in reason(shell(), **captures)


def test_of_two_keys_of_the_name_none_is_chosen() -> None:
    own = "data:\n  batch_size: 30\nother:\n  batch_size: 30\n"
    assert "no one setting" in reason(recipe_file(own), name="batch_size", divisor="8")  # nor which number it is


LOADERS = "train:\n  batch_size: {}\nvalid:\n  batch_size: {}\nserve:\n  batch_size: {}\n"


def test_of_keys_of_one_name_those_that_hold_the_number_are_all_set() -> None:
    captures = {"name": "batch size", "value": "32", "divisor": "7"}
    made = lines(recipe_file(LOADERS.format(32, 32, 1)), **captures)
    assert made == ["-batch_size: 32", "+batch_size: 28", "-batch_size: 32", "+batch_size: 28"]
    assert "is 32 here" in reason(recipe_file(LOADERS.format(16, 8, 1)), **captures)


def test_a_batch_for_the_stages_of_a_pipeline() -> None:
    own = "steps:\n  global_batch_size: 64\n  local_batch_size: 4\n"
    captures = {"name": "pp_batch_size", "value": "4", "divisor": "8", "times": "1"}
    assert lines(recipe_file(own), **captures) == ["-local_batch_size: 4", "+local_batch_size: 8"]
    assert "worked out" in reason(recipe_file(own.replace("local_batch_size: 4", "local_batch_size: 2")), **captures)


def test_a_batch_that_the_program_has_multiplied() -> None:
    run = "python train.py rollout.n=2 data.train_batch_size=30\n"
    captures = {"name": "real_train_batch_size", "value": "60", "divisor": "8"}
    assert lines(shell_of(run), **captures)[1] == "+python train.py rollout.n=2 data.train_batch_size=28"
    assert "worked out" in reason(shell_of(run), **{**captures, "value": "61"})


def test_two_factors_together() -> None:
    run = "torchrun train.py --global-batch-size 510 --micro-batch-size 4\n"
    captures = {"name": "global batch size", "value": "510", "divisor": "4", "times": "2"}
    assert lines(shell_of(run), **captures)[1] == "+torchrun train.py --global-batch-size 504 --micro-batch-size 4"


def test_a_number_that_is_at_most_another_one() -> None:
    run = "python train.py data.train_batch_size=64 actor.ppo_mini_batch_size=256\n"
    captures = {"name": "actor.ppo_mini_batch_size", "value": "256", "most": "64"}
    assert lines(shell_of(run), **captures)[1].endswith("actor.ppo_mini_batch_size=64")


def test_a_number_that_must_divide_another_one() -> None:
    run = "python train.py rollout.tensor_model_parallel_size=3 trainer.n_gpus_per_node=8\n"
    captures = {"name": "infer_tp", "value": "3", "of": "8"}
    assert lines(shell_of(run), **captures)[1] == (
        "+python train.py rollout.tensor_model_parallel_size=2 trainer.n_gpus_per_node=8"
    )
    assert "no one setting" in reason(shell_of(run), **{**captures, "value": "5"})


def shell_of(run: str) -> MemoryTree:
    return replace(shell(), files={**shell().files, "runs/own.sh": run.encode()})
