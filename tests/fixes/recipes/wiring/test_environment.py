"""Variables that the log or the scripts beside name, and the step that a header shows."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import TABLES, changed, patch
from triage.fixes import Target
from triage.fixes.recipes.held import is_switch
from triage.fixes.recipes.outcome import Edited, InPlace
from triage.fixes.recipes.situation import Situation, open_situation
from triage.fixes.recipes.wiring.environment import set_variable
from triage.fixes.recipes.wiring.sibling_env import copy_env
from triage.fixes.refusal import Refusal
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import ContainerOption, CopyEnv, SetEnv

OWN = ".github/workflows/own.yml"
NAMED = SetEnv("{name}", "{value}", level="program")
COPIED = SetEnv("VLLM_ATTENTION_BACKEND", "", level="program", copy_from_sibling=True)


def repository(*steps: str, **scripts: str) -> MemoryTree:
    runs = "".join(f"      - name: Step {at}\n        run: |\n{_indented(text)}" for at, text in enumerate(steps))
    head = "on: [push]\njobs:\n  train:\n    runs-on: [gpu]\n    container:\n      image: a\n      options: --shm-size 64g\n"
    return tree({OWN: f"{head}    steps:\n{runs}", **{f"tests/{name}.sh": text for name, text in scripts.items()}})


def _indented(text: str) -> str:
    return "".join(f"          {line}\n" for line in text.split("\n"))


@pytest.mark.parametrize(
    ("name", "value", "known"),
    [
        ("VLLM_ASCEND_ENABLE_NZ", "0", True),
        ("NCCL_CUMEM_ENABLE", "0", True),
        ("PYTORCH_ENABLE_MPS_FALLBACK", "1", True),
        ("VLLM_WORKER_MULTIPROC_METHOD", "spawn", True),
        ("LD_PRELOAD", "1", False),
        ("PYTHONPATH", "1", False),
        ("NCCL_DEBUG", "1", False),
        ("CUDA_LAUNCH_BLOCKING", "1", False),
        ("CUDA_VISIBLE_DEVICES", "0", False),
        ("HF_TOKEN", "1", False),
        ("HF_HUB_TRUST_REMOTE_CODE", "1", False),
        ("VLLM_PLUGINS", "1", False),
        ("VLLM_ALLOW_INSECURE_SERIALIZATION", "1", False),
        ("VLLM_SERVER_DEV_MODE", "1", False),
        ("HF_ALLOW_CODE_EVAL", "1", False),
        ("RAY_USE_TLS", "0", False),
        ("VLLM_ALLOW_LONG_MAX_MODEL_LEN", "1", True),
        ("VLLM_ASCEND_ENABLE_NZ", "$(id)", False),
        ("VLLM_ASCEND_ENABLE_NZ", "evil", False),
        ("NCCL_CUMEM_ENABLE", "\u0660", False),
    ],
)
def test_only_a_frameworks_switch_may_come_from_a_log(name: str, value: str, known: bool) -> None:
    assert is_switch(name, value) is known
    found = patch(NAMED, "train", OWN, step="Step 0", captures={"name": name, "value": value}, repository=ONE)
    assert (found.state is PatchState.PATCH) is known, found.reason


ONE = repository("bash tests/run.sh", run="set -x\npython3 train.py\n")


def test_it_is_exported_where_the_program_is_started() -> None:
    captures = {"name": "NCCL_CUMEM_ENABLE", "value": "0"}
    assert changed(patch(NAMED, "train", OWN, step="Step 0", captures=captures, repository=ONE)) == [
        "+export NCCL_CUMEM_ENABLE=0"
    ]


def test_the_value_is_the_one_that_most_scripts_beside_set() -> None:
    export = "export VLLM_ATTENTION_BACKEND="
    beside = {"a": f"{export}XFORMERS\n", "b": f"{export}XFORMERS # why\n", "c": f"{export}OTHER\n"}
    before = repository("bash tests/run.sh", run="set -x\npython3 train.py\n", **beside)
    proved = patch(COPIED, "train", OWN, step="Step 0", repository=before)
    assert changed(proved) == ["+export VLLM_ATTENTION_BACKEND=XFORMERS"]
    assert patch(COPIED, "train", OWN, step="Step 0", repository=ONE).state is PatchState.REFUSED


def test_a_container_that_the_step_starts_gets_the_same_pair_as_a_script() -> None:
    beside = {"a": "export VLLM_ATTENTION_BACKEND=XFORMERS\n"}
    before = repository("docker run --rm example/train:1 python3 train.py", **beside)
    assert changed(patch(COPIED, "train", OWN, step="Step 0", repository=before)) == [
        "-docker run --rm example/train:1 python3 train.py",
        "+docker run -e VLLM_ATTENTION_BACKEND=XFORMERS --rm example/train:1 python3 train.py",
    ]
    captures = {"name": "VLLM_WORKER_MULTIPROC_METHOD", "value": "spawn"}
    proved = patch(NAMED, "train", OWN, step="Step 0", captures=captures, repository=before)
    assert changed(proved)[-1].startswith("+docker run -e VLLM_WORKER_MULTIPROC_METHOD=spawn --rm")


def test_steps_that_begin_alike_are_told_apart_by_the_lines_below() -> None:
    before = repository(
        "ray stop --force\nbash tests/a.sh", "ray stop --force\nbash tests/b.sh", a="python3 a.py\n", b="python3 b.py\n"
    )
    target = Target(OWN, "train", "Run ray stop --force", (), ("ray stop --force", "bash tests/b.sh"))
    here = open_situation(before, target, Facts(), TABLES, {})
    assert isinstance(here, Situation)
    assert here.step is not None
    assert here.step.name == "Step 1"
    unclear = open_situation(before, Target(OWN, "train", "Run ray stop --force"), Facts(), TABLES, {})
    assert isinstance(unclear, Situation)
    assert unclear.step is None


def test_shared_memory_that_is_there_and_did_not_suffice_is_doubled_up_to_a_cap() -> None:
    more = ContainerOption("--shm-size", "16g", factor=2, at_most="256g")
    proved = patch(more, "train", OWN, repository=ONE)
    assert (proved.state, changed(proved)) == (
        PatchState.PATCH,
        ["-options: --shm-size 64g", "+options: --shm-size 128g"],
    ), proved.reason
    capped = ContainerOption("--shm-size", "16g", factor=2, at_most="100g")
    assert patch(capped, "train", OWN, repository=ONE).state is PatchState.IN_PLACE


def test_what_the_log_shows_as_set_is_not_set_again() -> None:
    recipe = SetEnv("NCCL_CUMEM_ENABLE", "0")
    target = Target(OWN, "train", "Step 0", (), (), ("NCCL_CUMEM_ENABLE=0",))
    here = open_situation(ONE, target, Facts(), TABLES, {})
    assert isinstance(here, Situation)
    assert isinstance(set_variable(recipe, here), InPlace)
    assert isinstance(set_variable(SetEnv("NCCL_CUMEM_ENABLE", "1"), here), Edited)


@pytest.mark.parametrize(
    ("shown", "refused"), [(("HF_ENDPOINT=https://mirror.example",), True), (("HF_ENDPOINT=",), False)]
)
def test_what_siblings_have_does_not_help_a_step_that_had_it(shown: tuple[str, ...], refused: bool) -> None:
    job = "  {}:\n    runs-on: [gpu]\n{}    steps:\n      - name: Go\n        run: pytest\n"
    mirror = "    env:\n      HF_ENDPOINT: https://mirror.example\n"
    before = tree({OWN: "on: [push]\njobs:\n" + job.format("train", "") + job.format("other", mirror)})
    here = open_situation(before, Target(OWN, "train", "Go", (), (), shown), Facts(), TABLES, {})
    assert isinstance(here, Situation)
    made = copy_env(CopyEnv(("HF_ENDPOINT",)), here)
    assert isinstance(made, Refusal if refused else Edited), made


BUILDS = """on: [push]
jobs:
  one:
    runs-on: [gpu]
    steps:
      - name: Build
        env:
          MAX_JOBS: "{one}"
        run: pip install -e .
  two:
    runs-on: [gpu]
    steps:
      - name: Build
        env:
          MAX_JOBS: "{two}"
        run: pip install -e .
  train:
    runs-on: [gpu]
    steps:
      - name: Build
        run: {run}
"""


@pytest.mark.parametrize(
    ("one", "two", "run", "lines"),
    [
        ("23", "23", "pip install -e .", ["+env:", '+MAX_JOBS: "23"']),
        ("23", "16", "pip install -e .", ["+env:", '+MAX_JOBS: "4"']),
        ("23", "${{ inputs.jobs }}", "pip install -e .", ["+env:", '+MAX_JOBS: "4"']),
        (
            "23",
            "23",
            "MAX_JOBS=23 pip install -e .",
            ["-run: MAX_JOBS=23 pip install -e .", "+run: MAX_JOBS=4 pip install -e ."],
        ),
    ],
)
def test_as_many_compilers_as_other_steps_of_the_workflow_start(one: str, two: str, run: str, lines: list[str]) -> None:
    text = BUILDS.replace("{one}", one).replace("{two}", two).replace("{run}", run)
    recipe = SetEnv("MAX_JOBS", "4", level="step", as_in_workflow=True)
    made = patch(
        recipe, "train", OWN, step="Build", repository=tree({OWN: text, "setup.py": "from setuptools import setup"})
    )
    assert (made.state, changed(made)) == (PatchState.PATCH, lines), made.reason


@pytest.mark.parametrize(
    ("makefile", "proved"), [("test:\n\tpython -m pytest\n", True), ("test:\n\tdocker run a pytest\n", False)]
)
def test_what_a_makefile_starts_sees_the_environment_of_the_step(makefile: str, proved: bool) -> None:
    before = repository("make test")
    files = {OWN: before.read(OWN).decode(), "Makefile": makefile}
    recipe = SetEnv("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True", level="program")
    made = patch(recipe, "train", OWN, step="Step 0", repository=tree(files))
    assert (made.state is PatchState.PATCH) is proved, made.reason
    if proved:
        assert changed(made) == ["+env:", '+PYTORCH_CUDA_ALLOC_CONF: "expandable_segments:True"']
