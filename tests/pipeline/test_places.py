"""A failed job whose workflow nobody names: the log alone leads to the line that decides the setting."""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from triage.model.configuration import Configuration
from triage.model.patch import Patch, PatchState
from triage.pipeline.log import triage_logs
from triage.pipeline.prescription import Trees
from triage.pipeline.triage import Knowledge, Triaged
from triage.sources.catalogue import load
from triage.sources.logs import collect
from triage.sources.unreadable import UnreadableLog

OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 5.21 GiB. GPU 4 has a total capacity of 79.11 GiB of "
    "which 3.62 GiB is free. Including non-PyTorch memory, this process has 75.47 GiB memory in use. Of the allocated "
    "memory 70.80 GiB is allocated by PyTorch, and 0.94 GiB is reserved by PyTorch but unallocated."
)
FRAGMENTED = OOM.replace("70.80", "48.80").replace("0.94", "22.94")


@pytest.fixture(autouse=True)
def mandatory_gates_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triage.gates.linters.LINTERS", ())
    monkeypatch.setattr("triage.gates.composes.find_spec", lambda name: None)


@lru_cache(maxsize=1)
def knowledge() -> Knowledge:
    return Knowledge.of(load(cache=False), Configuration())


def header(script: str) -> list[str]:
    lines = script.split("\n")
    echoed = [f"\x1b[36;1m{line}\x1b[0m" for line in lines]
    return [f"##[group]Run {lines[0]}", *echoed, "shell: /usr/bin/bash -e {0}", "##[endgroup]"]


def job_log(*lines: str, job: str = "") -> str:
    named = [f"Complete job name: {job}"] if job else []
    whole = ["Current runner version: '2.331.0'", *named, *lines, "##[error]Process completed with exit code 1."]
    return "".join(f"2026-11-20T04:10:{at:02}.1234567Z {line}\n" for at, line in enumerate(whole))


def triaged(log: str, files: Mapping[str, str], tmp_path: Path, workflow: str = "", job: str = "") -> Triaged:
    (tmp_path / "job.log").write_text(log, encoding="utf-8")
    sources = [one for one in collect([str(tmp_path / "job.log")], io.BytesIO()) if not isinstance(one, UnreadableLog)]
    repository: MemoryTree = tree(files)
    return triage_logs(
        sources,
        knowledge(),
        lambda _sha: Trees(repository, repository),
        job=job,
        workflow_path=workflow,
    )


def first(log: str, files: Mapping[str, str], tmp_path: Path, **place: str) -> Patch:
    found = triaged(log, files, tmp_path, **place).result
    assert found.patches, [cause.signature for cause in found.causes]
    return found.patches[0]


def changed(patch: Patch) -> list[str]:
    lines = patch.diff.splitlines()
    return [line[0] + line[1:].strip() for line in lines if line[:1] in "+-" and not line.startswith(("+++ ", "--- "))]


LLAMA = {
    "recipes/configs/llama/13B_lora.yaml": """
        tokenizer:
          path: /models/llama
        batch_size: 32  # per device
        gradient_accumulation_steps: 1
        epochs: 1
        """,
    "recipes/configs/llama/7B_lora.yaml": "batch_size: 2\ngradient_accumulation_steps: 8\n",
    ".github/workflows/unit.yml": """
        on: push
        jobs:
          unit:
            runs-on: ubuntu-latest
            steps:
              - uses: actions/checkout@v4
              - run: pytest tests
        """,
}


def test_a_configuration_that_a_typed_command_names_by_its_short_name(tmp_path: Path) -> None:
    log = job_log(*header("tune run --nproc_per_node 4 lora_finetune --config llama/13B_lora max_steps=10"), OOM)
    found = first(log, LLAMA, tmp_path)
    assert found.state is PatchState.PATCH, found.reason
    assert found.files == ("recipes/configs/llama/13B_lora.yaml",)
    assert changed(found) == [
        "-batch_size: 32  # per device",
        "-gradient_accumulation_steps: 1",
        "+batch_size: 16  # per device",
        "+gradient_accumulation_steps: 2",
    ]
    assert any("no workflow" in note for note in found.notes)


def test_an_override_on_the_command_beats_the_file_and_cannot_be_edited(tmp_path: Path) -> None:
    log = job_log(*header("tune run lora_finetune --config llama/13B_lora batch_size=8"), OOM)
    found = first(log, LLAMA, tmp_path)
    assert (found.state, found.diff) == (PatchState.ADVICE, "")
    assert "Halve the micro-batch" in found.reason


def test_a_name_that_two_configurations_have_is_not_chosen_from(tmp_path: Path) -> None:
    files = LLAMA | {"other/llama/13B_lora.yaml": "batch_size: 4\n"}
    found = first(job_log(*header("tune run lora_finetune --config llama/13B_lora"), OOM), files, tmp_path)
    assert found.state is not PatchState.PATCH


SUITE = {
    "tests/suites/common.env": """
        SCRIPT_DIR=$( cd -- "$( dirname -- "${BASH_SOURCE[0]}" )" &> /dev/null && pwd)
        PROJECT_ROOT=$(realpath $SCRIPT_DIR/../..)
        NAME=$(basename $0 .sh)
        CONFIG_PATH=$(echo $SCRIPT_DIR/$NAME.yaml | sed 's#tests/suites#configs/recipes#')
        """,
    "tests/suites/moe-4n8g.sh": """
        SCRIPT_DIR=$( cd -- "$( dirname -- "${BASH_SOURCE[0]}" )" &> /dev/null && pwd)
        source $SCRIPT_DIR/common.env
        NUM_MINUTES=150
        cd $PROJECT_ROOT
        uv run examples/run.py --config $CONFIG_PATH grpo.max_num_steps=30 $@ 2>&1 | tee run.log
        uv run tests/check_metrics.py metrics.json \\
            'data["train/loss"]["200"] < 0.1' \\
            'data["train/reward"]["200"] > 0.9'
        """,
    "configs/base.yaml": """
        policy:
          train_micro_batch_size: 4
          dtensor_cfg:
            enabled: false
            activation_checkpointing: false
          megatron_cfg:
            enabled: true
            empty_unused_memory_level: 0
        """,
    "configs/recipes/moe-4n8g.yaml": """
        defaults: ../base.yaml
        policy:
          train_micro_batch_size: 1
          megatron_cfg:
            expert_model_parallel_size: 4
        cluster:
          num_nodes: 4
        """,
    "examples/run.py": "print('run')\n",
}
RUN = header("bash tests/suites/moe-4n8g.sh")


def test_a_key_that_the_file_inherits_is_set_in_the_file_itself(tmp_path: Path) -> None:
    found = first(job_log(*RUN, FRAGMENTED, job="moe-4n8g"), SUITE, tmp_path)
    assert found.state is PatchState.PATCH, found.reason
    assert found.files == ("configs/recipes/moe-4n8g.yaml",)
    assert changed(found) == ["+empty_unused_memory_level: 1"]


def test_a_section_that_is_switched_off_is_left_alone(tmp_path: Path) -> None:
    files = SUITE | {"configs/base.yaml": SUITE["configs/base.yaml"].replace("enabled: true", "enabled: false")}
    found = triaged(job_log(*RUN, FRAGMENTED), files, tmp_path).result
    assert all("empty_unused_memory_level" not in patch.diff for patch in found.patches)


def test_the_job_s_name_leads_to_the_script_when_the_log_shows_no_command(tmp_path: Path) -> None:
    found = first(job_log(FRAGMENTED, job="moe-4n8g"), SUITE, tmp_path, job="moe-4n8g")
    assert found.state is PatchState.PATCH, found.reason
    assert any("the one script of the job's name" in note for note in found.notes)


def test_a_parent_that_is_not_there_says_nothing_of_what_the_program_gets(tmp_path: Path) -> None:
    files = {path: text for path, text in SUITE.items() if path != "configs/base.yaml"}
    found = triaged(job_log(*RUN, FRAGMENTED), files, tmp_path).result
    assert all(patch.state is not PatchState.PATCH or "configs" not in patch.diff for patch in found.patches)


@pytest.mark.parametrize(("value", "state"), [("0.10381542891263962", PatchState.PATCH), ("0.31", PatchState.ADVICE)])
def test_a_check_that_failed_is_moved_only_by_a_little(tmp_path: Path, value: str, state: PatchState) -> None:
    row = f' │ FAIL   │ data["train/loss"]["200"] < 0.1   │ {value} │         │'
    found = first(job_log(*RUN, row, "1 of 2 checks failed"), SUITE, tmp_path)
    assert found.state is state
    assert "tests/suites/moe-4n8g.sh" in (found.diff or found.reason)


def test_a_value_of_exactly_zero_is_no_matter_of_bounds(tmp_path: Path) -> None:
    row = ' │ FAIL   │ data["train/reward"]["200"] > 0.9 │ 0.0                 │         │'
    causes = triaged(job_log(*RUN, row, "1 of 2 checks failed"), SUITE, tmp_path).result.causes
    assert "metric-check-failed" not in [cause.signature for cause in causes]


def test_a_scheduler_s_bound_goes_where_the_launcher_reads_it(tmp_path: Path) -> None:
    files = SUITE | {
        "tools/launch": """
            eval "$(grep = "$1")"
            sbatch --time=0:$NUM_MINUTES:0 ray.sub
            """,
        "tests/suites/moe-4n8g.sh": SUITE["tests/suites/moe-4n8g.sh"].replace("=150", "=300"),
    }
    said = "sbatch: error: Time limit of job exceeds the limit of partition batch (240 minutes)"
    log = job_log(*header("bash tools/launch tests/suites/moe-4n8g.sh"), said)
    found = first(log, files, tmp_path)
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == ["-NUM_MINUTES=300", "+NUM_MINUTES=240"]


def test_a_script_that_asks_for_less_than_the_bound_is_not_the_culprit(tmp_path: Path) -> None:
    said = "sbatch: error: Time limit of job exceeds the limit of partition batch (240 minutes)"
    found = first(job_log(*RUN, said), SUITE, tmp_path)
    assert found.state is PatchState.IN_PLACE


SUBMIT = {
    "examples/sft.sh": r"""
        export NO_PROXY=localhost
        RUNTIME_ENV_JSON="{
          \"env_vars\": {
            \"MODE\": \"${MODE}\"
          }
        }"
        ray job submit --address=http://127.0.0.1:8265 \
           --runtime-env-json="${RUNTIME_ENV_JSON}" \
           -- python3 train_async.py --lr 1e-5
        """,
    "examples/plain.sh": """
        set -eu
        export NO_PROXY=localhost
        MODE=fast

        torchrun --nproc_per_node 8 train.py --lr 1e-5
        """,
    "train.py": "print('train')\n",
}


def test_a_variable_goes_into_the_runtime_environment_of_a_submitted_program(tmp_path: Path) -> None:
    found = first(job_log(*header("bash examples/sft.sh"), FRAGMENTED), SUBMIT, tmp_path)
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == [
        r"-\"MODE\": \"${MODE}\"",
        r"+\"MODE\": \"${MODE}\",",
        r"+\"PYTORCH_CUDA_ALLOC_CONF\": \"expandable_segments:True\"",
    ]


def test_a_variable_is_exported_behind_the_script_s_other_exports(tmp_path: Path) -> None:
    found = first(job_log(*header("bash examples/plain.sh"), FRAGMENTED), SUBMIT, tmp_path)
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == ["+export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"]
    assert "\n export NO_PROXY=localhost\n+export" in found.diff


def test_the_allocator_s_variable_is_the_one_that_the_message_names(tmp_path: Path) -> None:
    hint = (
        " If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid"
    )
    found = first(job_log(*header("bash examples/plain.sh"), FRAGMENTED + hint), SUBMIT, tmp_path)
    assert changed(found) == ["+export PYTORCH_ALLOC_CONF=expandable_segments:True"]


CASES = {
    "tests/launch.py": "",
    "tests/cases/gpt/gpt_small_tp2/model_config.yaml": """
        ENV_VARS:
          NCCL_ALGO: Ring
        MODEL_ARGS:
          --tensor-model-parallel-size: 1
          --micro-batch-size: 4
          --global-batch-size: 32
        """,
    "tests/cases/gpt/gpt_large_tp8/model_config.yaml": "MODEL_ARGS:\n  --micro-batch-size: 2\n",
}


def test_the_case_of_a_harness_is_the_one_configuration_in_the_folder_of_its_name(tmp_path: Path) -> None:
    log = job_log("+ uv run python tests/launch.py --model gpt --test-case gpt_small_tp2", OOM)
    found = first(log, CASES, tmp_path)
    assert found.state is PatchState.PATCH, found.reason
    assert found.files == ("tests/cases/gpt/gpt_small_tp2/model_config.yaml",)
    assert changed(found) == ["---micro-batch-size: 4", "+--micro-batch-size: 2"]


HARNESS = {
    "tests/launch.sh": "set -eu\ntorchrun train.py --config /opt/train/${CONFIG_PATH}\n",
    "cases/gpt/gpt_small_pp.yaml": "micro_batch_size: 4\n",
    "cases/gpt/gpt_large_pp.yaml": "micro_batch_size: 8\n",
    "train.py": "print('train')\n",
}


@pytest.mark.parametrize(
    ("remark", "said"),
    [
        ("  # CONFIG_PATH=cases/gpt/gpt_small_pp.yaml", ""),
        ("", "cfg-path: /runs/46230118/gpt_small_pp/own_config.yaml"),
    ],
)
def test_the_configuration_of_a_launcher_that_is_only_told(tmp_path: Path, remark: str, said: str) -> None:
    found = first("\n".join([f"$ bash tests/launch.sh{remark}", said, OOM]), HARNESS, tmp_path)
    assert found.state is PatchState.PATCH, found.reason
    assert found.files == ("cases/gpt/gpt_small_pp.yaml",)


def test_a_variable_goes_into_the_configuration_that_holds_the_program_s_variables(tmp_path: Path) -> None:
    log = job_log("+ uv run python tests/launch.py --model gpt --test-case gpt_small_tp2", FRAGMENTED)
    found = first(log, CASES, tmp_path)
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == ["+PYTORCH_CUDA_ALLOC_CONF: expandable_segments:True"]


def test_a_branch_that_does_not_matter_is_not_assumed(tmp_path: Path) -> None:
    script = """
        COUNT=$(nvidia-smi topo -m | grep -c NV)
        if [ "$COUNT" -gt 0 ]; then LINKED=1; else LINKED=0; fi
        torchrun train.py --linked $LINKED --max-tokens-per-gpu 9216
        """
    found = first(job_log(*header("bash examples/plain.sh"), OOM), SUBMIT | {"examples/plain.sh": script}, tmp_path)
    assert found.state is PatchState.PATCH, found.reason
    assert "--max-tokens-per-gpu 4608" in found.diff
    assert not any(note.startswith("assumed") for note in found.notes)


def test_a_branch_that_decides_the_value_is_not_guessed(tmp_path: Path) -> None:
    script = """
        COUNT=$(nvidia-smi topo -m | grep -c NV)
        if [ "$COUNT" -gt 0 ]; then TOKENS=9216; else TOKENS=4096; fi
        torchrun train.py --max-tokens-per-gpu $TOKENS
        """
    files = SUBMIT | {"examples/plain.sh": script}
    found = triaged(job_log(*header("bash examples/plain.sh"), OOM), files, tmp_path).result
    assert all("TOKENS" not in patch.diff for patch in found.patches)


def test_an_engine_beside_the_trainer_forbids_growing_segments(tmp_path: Path) -> None:
    files = SUBMIT | {
        "examples/sft.sh": SUBMIT["examples/sft.sh"].replace("--lr 1e-5", "--sglang-mem-fraction-static 0.7")
    }
    found = triaged(job_log(*header("bash examples/sft.sh"), FRAGMENTED), files, tmp_path).result
    assert all("PYTORCH_CUDA_ALLOC_CONF" not in patch.diff for patch in found.patches)


WORKFLOW = """
    on: push
    jobs:
      small:
        runs-on: gpu-1
        timeout-minutes: 30
        steps:
          - uses: actions/checkout@v4
          - run: |
              python prepare.py --size ${{ matrix.size }}
              python train.py
      large:
        runs-on: gpu-8
        timeout-minutes: 60
        steps:
          - uses: actions/checkout@v4
          - run: bash tests/large.sh
    """
STEPS = [*header("actions/checkout@v4")[:1], "##[endgroup]"]


def test_the_steps_of_the_log_tell_the_workflow_and_the_job(tmp_path: Path) -> None:
    files = {".github/workflows/train.yml": WORKFLOW, "tests/large.sh": "python train.py\n", "train.py": ""}
    ran = header("python prepare.py --size 4\npython train.py")
    timeout = "##[error]The job running on runner gpu-9 has exceeded the maximum execution time of 30 minutes."
    found = first(job_log(*STEPS, *ran, timeout), files, tmp_path)
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == ["-timeout-minutes: 30", "+timeout-minutes: 45"]
    assert any("told from the step headers" in note for note in found.notes)


def test_steps_that_two_jobs_have_tell_nothing(tmp_path: Path) -> None:
    again = WORKFLOW.replace("small:", "twin:").replace("large:", "other:")
    files = {".github/workflows/train.yml": WORKFLOW, ".github/workflows/again.yml": again}
    ran = header("python prepare.py --size 4\npython train.py")
    timeout = "##[error]The job running on runner gpu-9 has exceeded the maximum execution time of 30 minutes."
    found = first(job_log(*STEPS, *ran, timeout), files, tmp_path)
    assert found.state is not PatchState.PATCH


CONTAINER = {
    ".github/workflows/tests.yml": """
        on: push
        jobs:
          functional:
            runs-on: gpu-2
            steps:
              - uses: actions/checkout@v4
              - name: Test
                run: docker exec box bash -c "$SCRIPT"
        """,
    "tests/all.sh": "set -x\nbash ./tests/distill.sh\n",
    "tests/distill.sh": """
        python run.py --config configs/distill.yaml \\
            policy.dtensor_cfg.context_parallel_size=2 policy.make_sequence_length_divisible_by=2 "$@"
        """,
    "configs/distill.yaml": """
        policy:
          make_sequence_length_divisible_by: 1
          dtensor_cfg: {enabled: true, tensor_parallel_size: 1, context_parallel_size: 1}
        """,
    "run.py": "",
}


def test_a_traced_command_leads_into_the_container_that_the_workflow_starts(tmp_path: Path) -> None:
    log = job_log(
        *header('docker exec box bash -c "$SCRIPT"'),
        "+ bash tests/all.sh",
        "+ bash ./tests/distill.sh",
        "AssertionError: input_ids sequence length 1319 is not divisible by 4",
        job="functional",
    )
    place = {"workflow": ".github/workflows/tests.yml", "job": "functional"}
    found = first(log, CONTAINER, tmp_path, **place)
    assert found.state is PatchState.PATCH, found.reason
    assert found.files == ("tests/distill.sh",)
    assert "policy.make_sequence_length_divisible_by=4" in found.diff
    assert any("a traced command" in note for note in found.notes)


READY = (
    "E       TimeoutError: Timed out waiting for engine core processes to start. Waited 600s (configured by "
    "VLLM_ENGINE_READY_TIMEOUT_S)."
)
PODS = {
    ".github/workflows/nightly.yml": """
        on: push
        jobs:
          pods:
            runs-on: controller
            steps:
              - run: kubectl logs -f leader
        """,
    "tests/pods/run.sh": """
        export HF_HUB_OFFLINE=1
        run_tests() {
            pytest -sv tests/pods/test_pods.py
        }
        run_tests
        """,
    "tests/pods/test_pods.py": "",
}


@pytest.mark.parametrize("others", [{}, {"tests/pods/local.sh": "pytest tests/pods/test_pods.py\n"}])
def test_the_one_script_that_runs_the_failed_test(others: dict[str, str], tmp_path: Path) -> None:
    log = job_log(
        *header("kubectl logs -f leader"),
        READY,
        "FAILED tests/pods/test_pods.py::test_pods",
        "=================== 1 failed in 651.22s (0:10:51) ===================",
    )
    found = first(log, PODS | others, tmp_path, workflow=".github/workflows/nightly.yml", job="pods")
    if others:
        assert found.state is not PatchState.PATCH
        return
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == ["+export VLLM_ENGINE_READY_TIMEOUT_S=1800"]
    assert found.files == ("tests/pods/run.sh",)


SERVING = {
    ".github/workflows/nightly.yml": PODS[".github/workflows/nightly.yml"],
    "tests/pods/run.sh": "pytest -sv tests/pods/test_pods.py\n",
    "tests/pods/test_pods.py": "",
    "tests/pods/config/Large-W8A8.yaml": """
        _envs: &envs
          HCCL_BUFFSIZE: "1024"
          VLLM_ENGINE_READY_TIMEOUT_S: "600"
        _server_cmd: &server_cmd
          - "--max-model-len"
          - "36864"
          - "--gpu-memory-utilization"
          - "0.95"
        cases:
          - envs: *envs
            server_cmd: *server_cmd
          - envs: *envs
            server_cmd: *server_cmd
        """,
}


def test_a_variable_that_the_job_s_own_configuration_holds_is_changed_there(tmp_path: Path) -> None:
    log = job_log(*header("kubectl logs -f leader"), READY, "FAILED tests/pods/test_pods.py::test_pods", job="x")
    place = {"workflow": ".github/workflows/nightly.yml", "job": "pods"}
    steps = log.replace("shell: /usr/bin/bash -e {0}", "env:").replace(
        "##[endgroup]", "  CONFIG_YAML_PATH: Large-W8A8.yaml\n2026-11-20T04:10:09.1234567Z ##[endgroup]", 1
    )
    found = first(steps, SERVING, tmp_path, **place)
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == ['-VLLM_ENGINE_READY_TIMEOUT_S: "600"', '+VLLM_ENGINE_READY_TIMEOUT_S: "1800"']
    assert any("anchor" in note for note in found.notes)


def test_an_item_before_its_value_in_the_list_of_a_server_s_arguments(tmp_path: Path) -> None:
    said = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB. GPU 0 has a total capacity of 63.42 GiB"
    frame = '  File "/opt/vllm/v1/worker/gpu_worker.py", line 310, in determine_available_memory'
    log = job_log(
        *header("kubectl logs -f leader"),
        "Traceback (most recent call last):",
        frame,
        "    self.model_runner.profile_run()",
        said + " of which 0.20 GiB is free.",
        "FAILED tests/pods/test_pods.py::test_pods",
        job="Large-W8A8.yaml",
    )
    files = SERVING | {
        ".github/workflows/nightly.yml": SERVING[".github/workflows/nightly.yml"].replace(
            "runs-on: controller", "name: ${{ matrix.case }}\n        runs-on: controller"
        )
    }
    found = first(log, files, tmp_path, workflow=".github/workflows/nightly.yml", job="Large-W8A8.yaml")
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == ['-- "0.95"', '+- "0.85"']


def test_text_of_a_log_means_nothing_but_itself(tmp_path: Path) -> None:
    """A header that tries to break out of the workflow that it is laid out as."""
    hostile = 'bash tests/suites/moe-4n8g.sh "\n      - uses: evil\n\t${{ secrets.TOKEN }} \\" # {'
    found = triaged(job_log(*header(hostile.replace("\n", " ")), FRAGMENTED), SUITE, tmp_path).result
    assert all(set(patch.files) <= set(SUITE) for patch in found.patches)


def test_without_a_place_in_the_tree_the_log_alone_is_answered(tmp_path: Path) -> None:
    files = {path: text for path, text in LLAMA.items() if path.startswith(".github")}
    said = triaged(job_log(*header("./launch.sh"), OOM), files, tmp_path).result.patches
    assert {patch.state for patch in said} == {PatchState.ADVICE}
    assert len(said) > 1
    assert said[0].reason.startswith("the workflow of the failed job is not known")


MATRIX = {
    ".github/workflows/unit.yml": """
        on: push
        jobs:
          unit:
            runs-on: ubuntu-latest
            timeout-minutes: 30
            strategy:
              matrix:
                part: [0, 1]
            steps:
              - run: pytest --part ${{ matrix.part }}
        """
}
STOPPED = "##[error]The job has exceeded the maximum execution time of 0h30m0s"


@pytest.mark.parametrize(("own", "given"), [("unit (0)", "unit"), ("unit (1)", "unit (0)"), ("", "unit (0)")])
def test_the_cell_that_the_log_or_the_person_names_is_the_one_that_is_worked_on(
    own: str, given: str, tmp_path: Path
) -> None:
    log = job_log(*header("pytest --part 0"), STOPPED, job=own)
    patch = first(log, MATRIX, tmp_path, workflow=".github/workflows/unit.yml", job=given)
    assert patch.reproduce == "pytest --part 0"
    assert not [note for note in patch.notes if "cell of a matrix" in note]


def test_a_cell_that_the_tree_does_not_have_is_said(tmp_path: Path) -> None:
    log = job_log(*header("pytest --part 7"), STOPPED)
    patch = first(log, MATRIX, tmp_path, workflow=".github/workflows/unit.yml", job="unit (7)")
    assert "no cell of a matrix is called `unit (7)` at this commit: all cells of the job were looked at" in patch.notes


TWINS = {
    ".github/workflows/unit.yml": """
        on: push
        jobs:
          unit:
            runs-on: ubuntu-latest
            steps:
              - name: With saving
                run: |
                  ray stop --force
                  SAVE=1 bash run.sh
              - name: Without saving
                run: |
                  ray stop --force
                  SAVE=0 bash run.sh
          other:
            runs-on: ubuntu-latest
            steps:
              - run: bash run.sh
        """,
    "run.sh": """
        share=${SHARE:-0.7}
        python3 -m train.main_ppo actor_rollout_ref.rollout.gpu_memory_utilization=$share save=$SAVE
        """,
}
TOO_LITTLE = (
    "ValueError: Free memory on device (30.11/79.11 GiB) on startup is less than desired GPU memory utilization (0.7, "
    "55.4 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes."
)


def test_a_step_is_found_again_though_its_script_was_edited_and_another_begins_alike(tmp_path: Path) -> None:
    log = job_log(*header("ray stop --force\nSAVE=0 bash run.sh"), TOO_LITTLE)
    patch = first(log, TWINS, tmp_path, workflow=".github/workflows/unit.yml", job="unit")
    assert patch.state is PatchState.PATCH, patch.reason
    assert changed(patch) == ["-SAVE=0 bash run.sh", "+SHARE=0.35 SAVE=0 bash run.sh"]


def test_a_pipeline_of_another_service_is_no_workflow_and_the_step_is_found_by_its_name(tmp_path: Path) -> None:
    pipeline = "steps:\n- label: Long tests\n  timeout_in_minutes: 60\n  command: pytest long\n"
    made = first(
        job_log("$ pytest long", "Job timed out after 60 minutes"),
        {".buildkite/areas/long.yaml": pipeline, ".github/workflows/ci.yml": "on: push\njobs: {}\n"},
        tmp_path,
        workflow=".buildkite/areas/long.yaml",
        job="Long tests",
    )
    assert made.state is PatchState.PATCH, made.reason
    assert "+  timeout_in_minutes: 90" in made.diff
    assert any("is no workflow of GitHub's" in note for note in made.notes)


SAME_TEXT = """
on: push
jobs:
  build:
    runs-on: gpu
    steps:
      - name: Get the tools
        shell: bash -e {0}
        run: |
          apt-get update
          apt-get install -y jq
      - run: make data
      - name: Get the tools
        run: |
          apt-get update
          apt-get install -y jq
"""
MIRROR = "E: Failed to fetch http://archive.example/ubuntu/Packages.gz  Connection timed out [IP: 192.0.2.1 80]"
GET = "apt-get update\napt-get install -y jq"


@pytest.mark.parametrize(
    ("before", "line"), [((), 9), (("make data", GET), 14), ((GET,), 14), ((GET, GET), 0)], ids=str
)
def test_of_steps_with_the_same_text_the_one_that_ran_last(before: tuple[str, ...], line: int, tmp_path: Path) -> None:
    ran = [one for script in before for one in (*header(script), "done")]
    log = job_log(*ran, *header(GET), MIRROR)
    found = first(
        log, {".github/workflows/ci.yml": SAME_TEXT}, tmp_path, workflow=".github/workflows/ci.yml", job="build"
    )
    assert (found.state is PatchState.PATCH) == bool(line), found.reason
    starts = [int(each.split(",")[0].split("-")[1]) for each in found.diff.splitlines() if each.startswith("@@")]
    assert starts == ([line - 3] if line else [])


def test_a_condition_may_have_left_the_first_of_two_steps_out(tmp_path: Path) -> None:
    text = SAME_TEXT.replace("        shell: bash -e {0}", "        if: matrix.tools")
    log = job_log(*header(GET), MIRROR)
    found = first(log, {".github/workflows/ci.yml": text}, tmp_path, workflow=".github/workflows/ci.yml", job="build")
    assert found.state is not PatchState.PATCH
