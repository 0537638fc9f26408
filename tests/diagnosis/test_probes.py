"""Each probe on a line that it is for, and on one that it must not take."""

from __future__ import annotations

import pytest
import re2

from triage.diagnosis import PROBES

CASES = {
    "build_place": ("docker/Dockerfile.ci:37", "main.py:37"),
    "build_line": ("  37 | >>> RUN pip install a && \\", "  37 |     RUN pip install a"),
    "build_step": ("Step 7/20 : RUN pip install a", "Step 7/20 loss 1.0"),
    "build_failed": (
        "The command '/bin/sh -c make' returned a non-zero code: 2",
        "subprocess.CalledProcessError: Command 'make' returned non-zero exit status 2.",
    ),
    "hook_named": ("- hook id: trailing-whitespace", "the hook id: none"),
    "hook_fixed": ("Fixing train/run it.sh", "Fixing: the loss"),
    "yaml_named": (".github/workflows/train.yaml", "a.yaml:3: bad"),
    "yaml_spaced": (
        "  27:9      error    comment not indented like content  (comments-indentation)",
        "  27:9      error    too many blank lines  (empty-lines)",
    ),
    "spaced_line": ("train/run.py:12:80: W291 trailing whitespace", "train/run.py:12:80: E501 Line too long"),
    "job_name": ("Complete job name: train (fsdp2, 8)", "the job name: train"),
    "repository": ("Syncing repository: example/train", "Syncing repository: example/train/x y"),
    "defined_at": (
        "Job defined at: someone/train/.github/workflows/train.yml@refs/heads/main",
        "Job defined at: the top",
    ),
    "secret_source": ("Secret source: None", "the secret source: None"),
    "platform_said": ("INFO Automatically detected platform rocm.", "platform rocm"),
    "platform_cuda": ("| NVIDIA-SMI 550.54   Driver Version: 550.54", "export CUDA_VISIBLE_DEVICES=0"),
    "platform_rocm": ("RuntimeError: HIP error: invalid argument", "RAY_EXPERIMENTAL_NOSET_HIP_VISIBLE_DEVICES"),
    "platform_npu": ("import torch_npu", "npu-smi: command not found"),
    "version": ("vllm==0.8.5.post1", "torch 2 things"),
    "engine_version": ("Initializing a V1 LLM engine (v0.9.1) with config: model='m'", "LLM engine"),
    "python_version": ("platform linux -- Python 3.12.3, pytest-9.1.1", "Python is fun"),
    "driver_version": ("Driver Version: 550.54.15      CUDA Version: 12.4", "Driver Version"),
    "build_version": ("PyTorch version: 2.7.1+cu128", "ROCM used to build PyTorch: N/A"),
    "installed": ("Successfully installed numpy-2.1.0 torch-2.8.0", "Successfully uninstalled numpy-2.1.0"),
    "satisfied": (
        "Requirement already satisfied: pytest in /usr/lib/python3/dist-packages (9.1.1)",
        "Collecting pytest (from -r requirements.txt)",
    ),
    "kit_step": ("#61 [final 6/9] RUN --mount=type=cache uv sync", "#61 [final 6/9] COPY . ."),
    "kit_failed": ('#61 ERROR: process "/bin/sh -c uv sync" did not complete successfully', "#61 1.2 ERROR: process"),
    "build_stage": (" > [build 3/9] RUN pip install .:", " > [build] RUN pip install ."),
    "build_read": (
        "#1 [internal] load build definition from Dockerfile.rocm",
        "#1 [internal] load metadata for docker.io/library/python:3.12",
    ),
    "build_kaniko": ("INFO[0042] RUN pip install .", "INFO[0042] Taking snapshot of full filesystem..."),
    "build_kaniko_failed": ("error building image: error building stage", "ERROR: error building image"),
    "built_run": (
        "#31 [test 4/9] RUN uv pip install --system -r requirements/test.txt",
        "#31 [test 4/9] COPY requirements/test.txt .",
    ),
    "bare_list": (
        "python -m pip install --exists-action=w --no-cache-dir -r docs/requirements.txt",
        "Please run pip install -r requirements.txt",
    ),
    "found_existing": ("    Found existing installation: torch 2.7.1", "Found existing installation: none"),
    "drawn_in": (
        "Collecting torch==2.5.1 (from torchvision==0.20.1->-r requirements.txt (line 20))",
        "Collecting torch (from -r requirements.txt (line 3))",
    ),
    "uv_removed": (" - torch==2.7.1", " - torch is removed"),
    "made_run": ("unit: commands_pre[1]> pip install -U x", "unit: commands[0]> pytest"),
    "asked_by_file": (
        "Collecting openai>=1.52.0 (from -r requirements/common.txt (line 16))",
        "Collecting httpx<1 (from openai>=1.52.0)",
    ),
    "uv_installed": (" + torch==2.8.0", "+ pip install torch==2.8.0"),
    "listed": ("torch                    2.8.0+cu128", "torch is here 2.8.0 times"),
    "engine_config": ("server_args=ServerArgs(model_path='m')", "model config"),
    "config_dump": ("{'actor_rollout_ref': {'actor': {'strategy': 'fsdp2',", "{'a', 'b'}"),
    "allocator": (
        "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
        "is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation",
    ),
    "config_version": ('  "transformers_version": "4.53.0",', '"transformers_version": null'),
    "version_for": (
        "Skipping import of cpp extensions due to incompatible torch version 2.9.1+cu129 for torchao version 0.16.0",
        "no version for torchao",
    ),
    "world_size": ("tensor_parallel_size=4, pipeline_parallel_size=1", "world_size is unknown"),
    "gpu_listed": ("GPU 7: NVIDIA H100 80GB HBM3 (UUID: GPU-0)", "GPU 0 has a total capacity of 79.19 GiB"),
    "out_of_memory": ("CUDA out of memory. Tried to allocate 2.00 GiB.", "Decode out of memory happened."),
    "shared_memory": ("OSError: '/dev/shm/psm_4c0a1e7f'", "docker run --shm-size 16g"),
    "memory_at_step": ("perf/max_memory_allocated_gb:20.27", "memory is allocated: much"),
    "graph_capture": ("Capturing CUDA graph shapes:  50%", "screen capture"),
    "engine_start": ("Starting to load model /models/m...", "model loaded"),
    "exit_code": ("##[error]Process completed with exit code 137.", "exit code unknown"),
    "runner_error": ("##[error]The operation was canceled.", "an ##[error] inside a line"),
    "died": ("./run.sh: line 3: 77 Segmentation fault      python train.py", "killed threads: none"),
    "typed": ("$ pip install -e .", "costs $ 5"),
    "script_named": ("[INFO] COMMAND=tests/suites/moe.sh  commit=1", "tests/suites/moe.sh: line 3: no such thing"),
    "configuration_named": ("[config] Recipe=image_flow  Model=small", "the configuration is read"),
    "section_started": ("##[section]Starting: Unit tests", "Process Starting: now"),
    "tests_failed": ("===== 2 failed, 5 passed in 3.20s =====", "===== 5 passed in 3.20s ====="),
    "stopped": (
        "slurmstepd: error: *** JOB 1 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***",
        "cancelled",
    ),
    "check_failed": ('| FAIL | data["loss"] < 1 | 1.04 | |', '| PASS | data["loss"] < 1 | 0.94 | |'),
    "command_failed": ("make[2]: *** [Makefile:10: all] Error 2", "make: nothing to be done"),
    "succeeded": ("============ 5 passed, 1 skipped in 3.20s ============", "== 1 failed, 2 passed in 5.60s =="),
    "verdict": ("Finished: SUCCESS", "Finished: SUCCESS of 3 stages"),
    "served": ("INFO:     Uvicorn running on http://0.0.0.0:8000", "INFO:     Application startup complete."),
    "run_separator": ("tail: api.log: file truncated", "tail: cannot open 'api.log' for reading"),
    "downloaded": (
        "  Downloading vllm-0.8.5-cp38-abi3-manylinux1_x86_64.whl (326.4 MB)",
        "Downloading vllm (326.4 MB)",
    ),
    "pytest_section": ("=================== FAILURES ===================", "==== 5 passed ===="),
}


def test_every_probe_has_a_case():
    assert CASES.keys() == PROBES.keys()


@pytest.mark.parametrize("name", sorted(CASES))
def test_probe(name):
    for_it, not_for_it = CASES[name]
    assert re2.search(PROBES[name], for_it)
    assert not re2.search(PROBES[name], not_for_it)


@pytest.mark.parametrize(
    ("line", "folder", "command"),
    [
        ("[root@node-3 train]# bash run.sh", "train", "bash run.sh"),
        ("(base) dev@node-03:~/src/train$ python -m train.main --config a.yaml", "~/src/train", "python -m train.main"),
        ("(venv) (base) root@3f2a:/workspace/train# ENGINE=vllm bash run.sh", "/workspace/train", "ENGINE=vllm bash"),
        ("$ VALIDATE=True bash tests/run.sh", None, "VALIDATE=True bash tests/run.sh"),
    ],
)
def test_prompts(line, folder, command):
    found = re2.search(PROBES["typed"], line)
    assert found["folder"] == folder
    assert found["command"].startswith(command)


@pytest.mark.parametrize("line", ["# python comment", "user@host: is away # bash", "mail a@b.example:x $5 paid"])
def test_what_looks_like_a_prompt(line):
    assert not re2.search(PROBES["typed"], line)


@pytest.mark.parametrize(
    "line",
    [
        "[INFO] tests/suites/moe.sh",
        "Running tests/suites/moe.sh",
        "+ bash tests/suites/moe.sh --fast",
        "2026-03-02 10:00:01 INFO Launching: /opt/train/tests/suites/moe.sh",
        "==> tests/suites/moe.sh",
    ],
)
def test_a_launcher_names_its_script(line):
    assert re2.search(PROBES["script_named"], line)["path"].endswith("tests/suites/moe.sh")


@pytest.mark.parametrize("line", ["+ source tests/common.sh", "cp tests/a.sh /opt", "see docs/run.sh and docs/b.sh"])
def test_scripts_that_nothing_runs(line):
    assert not re2.search(PROBES["script_named"], line)


def test_captures_are_those_that_the_facts_read():
    found = re2.search(PROBES["satisfied"], CASES["satisfied"][0])
    assert (found["name"], found["version"]) == ("pytest", "9.1.1")
    found = re2.search(PROBES["driver_version"], CASES["driver_version"][0])
    assert (found["driver"], found["cuda"]) == ("550.54.15", "12.4")
    assert re2.search(PROBES["spaced_line"], "a/b.sh:3: trailing whitespace.")["rule"] == "trailing whitespace"
    assert re2.search(PROBES["stopped"], "Invalid workflow file: .github/workflows/train.yml#L3")
    assert re2.search(PROBES["exit_code"], CASES["exit_code"][0])["code"] == "137"
    assert re2.search(PROBES["allocator"], CASES["allocator"][0])["value"] == "expandable_segments:True"


def test_an_image_that_came_in_the_end_is_a_success():
    assert re2.search(PROBES["succeeded"], "Status: Downloaded newer image for registry.example/train:12")
    assert not re2.search(PROBES["succeeded"], "Status: Downloading")


@pytest.mark.parametrize(
    ("failed", "passed"),
    [
        ("33% tests passed, 2 tests failed out of 3", "100% tests passed, 0 tests failed out of 3"),
        ("Errors while running CTest", "Start CTest"),
        ("test result: FAILED. 3 passed; 1 failed; 0 ignored", "test result: ok. 4 passed; 0 failed"),
        (
            "FAIL Required test coverage of 90% not reached. Total coverage: 35.31%",
            "Required test coverage of 30% reached. Total coverage: 35.31%",
        ),
        ("ERROR: Coverage failure: total of 35 is less than fail-under=90", "TOTAL  9938  6429  35%"),
        ('Jest: "global" coverage threshold for branches (80%) not met: 74.15%', "coverage for branches (80%) met"),
    ],
)
def test_runners_say_that_a_run_failed_each_in_their_own_words(failed, passed):
    assert re2.search(PROBES["tests_failed"], failed)
    assert not re2.search(PROBES["tests_failed"], passed)
