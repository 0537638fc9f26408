"""A log of a shell, without a runner's steps: prompts, launchers and traced shells lead into the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipeline.test_places import OOM, SUITE, changed, first, mandatory_gates_only  # noqa: F401 - a fixture
from triage.model.patch import PatchState

BUCKET = (
    "AssertionError: Weight model.embed_tokens.weight(torch.Size([151936, 5120]), torch.float32) is too large to fit in "
    "the bucket.Please increase rollout.update_weights_bucket_megabytes(2048 MB)."
)
TRAINER = {
    "rl/examples/run.sh": """
        python3 -m train.main \\
            trainer.total_epochs=1 \\
            actor_rollout_ref.rollout.checkpoint_engine.update_weights_bucket_megabytes=2048
        """,
    "rl/train/main.py": "print('train')\n",
    "README.md": "examples\n",
}
ROW = ' │ FAIL   │ data["train/loss"]["200"] < 0.1   │ 0.10381542891263962 │         │'


@pytest.mark.parametrize(
    "shown",
    [
        ["(base) dev@node-3:~/src/suite/rl$ bash examples/run.sh 2>&1 | tee a.log"],
        ["[dev@node-3 ~]$ cd /data/suite/rl", "root@node-3:/data/suite/rl# ENGINE=vllm bash examples/run.sh"],
        ["(ray) root@3f2a:/data/suite# bash rl/examples/run.sh", "+ python3 -m train.main"],
    ],
)
def test_a_prompt_leads_into_the_folder_of_the_repository(tmp_path: Path, shown: list[str]) -> None:
    found = first("\n".join([*shown, BUCKET]), TRAINER, tmp_path)
    assert found.state is PatchState.PATCH, found.reason
    assert found.files == ("rl/examples/run.sh",)
    assert any("=4096" in line for line in changed(found))


def test_a_folder_that_only_the_prompt_knows_says_nothing(tmp_path: Path) -> None:
    files = {path.removeprefix("rl/"): text for path, text in TRAINER.items()}
    found = first(f"dev@node:~/elsewhere$ bash examples/run.sh\n{BUCKET}", files, tmp_path)
    assert found.files == ("examples/run.sh",), found.reason


def test_what_is_typed_after_the_failure_led_nowhere(tmp_path: Path) -> None:
    files = TRAINER | {"rl/examples/b.sh": TRAINER["rl/examples/run.sh"]}
    shown = ["dev@node:/data/rl$ bash examples/run.sh", BUCKET, "dev@node:/data/rl$ bash examples/b.sh", "done"]
    assert first("\n".join(shown), files, tmp_path).files == ("rl/examples/run.sh",)


@pytest.mark.parametrize(
    "said",
    [
        "[INFO] COMMAND=tests/suites/moe-4n8g.sh  commit=0123abc",
        "[nightly] /opt/train/tests/suites/moe-4n8g.sh",
        "2026-03-02 10:00:01 INFO Launching: tests/suites/moe-4n8g.sh",
    ],
)
def test_a_launcher_names_the_script(tmp_path: Path, said: str) -> None:
    found = first("\n".join([said, ROW, "1 of 2 checks failed"]), SUITE, tmp_path)
    assert found.state is PatchState.PATCH, found.reason
    assert found.files == ("tests/suites/moe-4n8g.sh",)


def test_two_scripts_that_a_launcher_names_are_not_chosen_from(tmp_path: Path) -> None:
    files = SUITE | {"tests/suites/other-4n8g.sh": SUITE["tests/suites/moe-4n8g.sh"]}
    said = ["[INFO] tests/suites/other-4n8g.sh", "[INFO] tests/suites/moe-4n8g.sh"]
    found = first("\n".join([*said, ROW.replace("train/loss", "train/other"), "1 of 2 checks failed"]), files, tmp_path)
    assert found.state is not PatchState.PATCH


def test_the_arguments_of_a_traced_script_are_its_own(tmp_path: Path) -> None:
    files = {"run.sh": 'python3 -m train.main trainer.total_epochs=1 "$@"\n', "train/main.py": "print('train')\n"}
    argument = "actor_rollout_ref.rollout.checkpoint_engine.update_weights_bucket_megabytes=2048"
    found = first(f"+ bash run.sh {argument}\n{BUCKET}", files, tmp_path)
    assert found.state is not PatchState.PATCH, "the command that was typed is in no file"


DEFAULTED = {
    "tests/run.sh": """
        set -x
        DEVICES=${DEVICES:-16}
        STEPS=${STEPS:-15}
        per_device=$((STEPS * 2))
        ROLLOUT=(
            actor_rollout_ref.rollout.tensor_model_parallel_size=4
        )
        python3 -m train.main trainer.nnodes=1 trainer.n_gpus_per_node=${DEVICES} "${ROLLOUT[@]}" "$@"
        """,
    "tests/launch.sh": "torchrun --nnodes 1 --nproc_per_node 16 train/main.py --steps 3\n",
    "train/main.py": "print('train')\n",
}
RESOURCES = "ValueError: Total available GPUs 8.0 is less than total desired GPUs 16"


@pytest.mark.parametrize("traced", [[], ["+ DEVICES=16", "+ STEPS=15", "+ per_device=30"]])
def test_a_default_that_the_trace_shows_is_a_default_still(tmp_path: Path, traced: list[str]) -> None:
    found = first("\n".join(["$ bash tests/run.sh", *traced, RESOURCES]), DEFAULTED, tmp_path)
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == ["-DEVICES=${DEVICES:-16}", "+DEVICES=${DEVICES:-8}"]


def test_a_value_that_the_trace_alone_knows_is_not_a_script_s_default(tmp_path: Path) -> None:
    files = DEFAULTED | {"tests/run.sh": DEFAULTED["tests/run.sh"].replace(":-16", ":-4")}
    found = first("\n".join(["$ bash tests/run.sh", "+ DEVICES=16", RESOURCES]), files, tmp_path)
    assert not any("DEVICES=${" in line for line in changed(found))


@pytest.mark.parametrize(
    ("said", "script", "edited"),
    [
        ("RuntimeError: requested 16 GPUs but only 8 available", "tests/launch.sh", "--nproc_per_node 8"),
        (
            "ValueError: World size (4) is larger than the number of available GPUs (2) in this node.",
            "tests/run.sh",
            "tensor_model_parallel_size=2",
        ),
        ("AssertionError: training needs 16 NPUs, only 8 visible", "tests/run.sh", "DEVICES=${DEVICES:-8}"),
    ],
)
def test_devices_that_are_not_there(tmp_path: Path, said: str, script: str, edited: str) -> None:
    found = first(f"$ bash {script}\n{said}", DEFAULTED, tmp_path)
    assert found.state is PatchState.PATCH, found.reason
    assert any(edited in line for line in changed(found) if line.startswith("+"))


def test_a_node_that_has_another_number_than_the_message_is_left_alone(tmp_path: Path) -> None:
    files = DEFAULTED | {"tests/run.sh": DEFAULTED["tests/run.sh"].replace("16", "8").replace("nnodes=1", "nnodes=2")}
    found = first(f"$ bash tests/run.sh\n{RESOURCES}", files, tmp_path)
    assert found.state is not PatchState.PATCH


CONFIGURED = {
    "examples/run.sh": "set -x\npython3 -m pkg.main trainer.epochs=1 $@\n",
    "examples/job.sh": "#!/bin/bash\n#SBATCH -N 1\npython3 -m pkg.main trainer.val_only=True\n",
    "pkg/__init__.py": "",
    "pkg/main.py": """
        import hydra
        from pkg import loop

        @hydra.main(config_path="config", config_name="trainer", version_base=None)
        def main(config):
            loop.fit(config)
        """,
    "pkg/loop.py": "def fit(config):\n    return config.trainer.get('val_only', False)\n",
    "pkg/config/trainer.yaml": "trainer:\n  val_before: true\n  epochs: 3\n",
}
REFUSED = "Could not override 'trainer.val_only'."


@pytest.mark.parametrize(
    "typed",
    [
        ["+ bash examples/run.sh trainer.val_only=True"],
        ["$ python3 -m pkg.main trainer.val_only=True"],
        ["(rl) me@node-1:/data/train$ bash examples/run.sh trainer.val_only=True"],
    ],
)
def test_a_key_that_a_person_sets_and_the_code_reads_gets_the_code_s_default(tmp_path: Path, typed: list[str]) -> None:
    found = first("\n".join([*typed, REFUSED]), CONFIGURED, tmp_path)
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == ["+val_only: False"]


LACKING = [
    "omegaconf.errors.ConfigAttributeError: Key 'clip_range' is not in struct",
    "    full_key: trainer.clip_range",
    "    object_type=dict",
]


def test_a_traced_program_of_hydra_leads_to_its_configuration(tmp_path: Path) -> None:
    files = CONFIGURED | {"pkg/config/math/large.yaml": "trainer:\n  clip: 0.5\n  epochs: 3\n"}
    options = "--config-path /work/train/pkg/config/math/ --config-name large"
    found = first("\n".join(["+ export A=1", f"+ python /work/train/pkg/main.py {options}", *LACKING]), files, tmp_path)
    assert found.state is PatchState.ADVICE
    assert "pkg/config/math/large.yaml" in found.reason
    other = options.replace("large", "none")
    found = first("\n".join(["+ export A=1", f"+ python /work/train/pkg/main.py {other}", *LACKING]), files, tmp_path)
    assert "large.yaml" not in found.reason


def test_two_defaults_are_not_chosen_from(tmp_path: Path) -> None:
    other = {"pkg/eval.py": "def run(config):\n    return config.trainer.get('val_only', True)\n"}
    found = first(f"$ python3 -m pkg.main trainer.val_only=True\n{REFUSED}", CONFIGURED | other, tmp_path)
    assert found.state is PatchState.ADVICE


def test_a_job_script_that_is_submitted(tmp_path: Path) -> None:
    found = first(f"$ sbatch -N 1 --parsable examples/job.sh\n{REFUSED}", CONFIGURED, tmp_path)
    assert found.state is PatchState.PATCH, found.reason
    assert any("+trainer.val_only=True" in line for line in changed(found))


def test_the_frames_of_an_actor_of_a_mesh_are_one_traceback(tmp_path: Path) -> None:
    files = {
        "apps/grpo/a.yaml": "local_batch_size: 16  # per device\nsteps: 3\n",
        "apps/grpo/main.py": "print('train')\n",
    }
    frames = [
        "[Engine-0/2] Capturing CUDA graph shapes:  50%",
        "[Trainer-1/2] Traceback (most recent call last):",
        '[Trainer-1/2]   File "/src/apps/grpo/main.py", line 9, in forward_backward',
        "[Trainer-1/2]     loss = step(x)",
        f"[Trainer-1/2] {OOM}",
    ]
    found = first("\n".join(["$ python -m apps.grpo.main --config apps/grpo/a.yaml", *frames]), files, tmp_path)
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == ["-local_batch_size: 16  # per device", "+local_batch_size: 8  # per device"]


NPU = (
    "RuntimeError: NPU out of memory. Tried to allocate 1.16 GiB (NPU 0; 60.97 GiB total capacity; 40.10 GiB already "
    "allocated; 40.10 GiB current active; 0.90 GiB free; 58.00 GiB reserved in total by PyTorch)"
)


@pytest.mark.parametrize(
    ("value", "edited"), [("False", "free_cache_engine=True"), ("True", "micro_batch_size_per_gpu=1")]
)
@pytest.mark.parametrize("said", [NPU, OOM])
def test_an_engine_that_keeps_its_memory_gives_it_back_first(
    tmp_path: Path, said: str, value: str, edited: str
) -> None:
    script = (
        "python3 -m train.main actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2 "
        f"actor_rollout_ref.rollout.free_cache_engine={value} actor_rollout_ref.actor.use_dynamic_bsz=False\n"
    )
    frames = [
        "(WorkerDict pid=1) Traceback (most recent call last):",
        '(WorkerDict pid=1)   File "/src/train/actor.py", line 400, in update_policy',
        "(WorkerDict pid=1)     loss.backward()",
        f"(WorkerDict pid=1) {said}",
    ]
    files = {"run.sh": script, "train/main.py": ""}
    found = first("\n".join(["[me@npu train]# bash run.sh", *frames]), files, tmp_path)
    assert found.state is PatchState.PATCH, found.reason
    assert any(edited in line for line in changed(found) if line.startswith("+"))
