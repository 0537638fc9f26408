"""Platform, phase, layout, settings, installed distributions, signs: read from what the scan noted."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from triage.diagnosis import diagnose
from triage.diagnosis.facts import facts_at, facts_of
from triage.diagnosis.phases import phase_of
from triage.diagnosis.settings import command_settings, config_settings, dump_settings
from triage.model.diagnosis import Layout, Phase, Platform
from triage.model.log import Command, Frame, Line, LineKind, StepSpan, Traceback


def facts(log, job, **more):
    return facts_of(log.reading, job(**more), lambda line, before, after: tuple(log.lines[line.number - 1 :]))


def test_what_a_framework_detected_beats_what_words_suggest(log, job):
    log.probe(log.says("CUDA Version: 12.4"), "platform_cuda")
    log.probe(log.says("Automatically detected platform rocm."), "platform_said", platform="rocm")
    assert facts(log, job).platform is Platform.ROCM


def test_rocm_words_beat_the_cuda_words_that_rocm_builds_print_too(log, job):
    log.probe(log.says("CUDA out of memory"), "platform_cuda")
    log.probe(log.says("hipErrorInvalidValue on gfx942"), "platform_rocm")
    assert facts(log, job).platform is Platform.ROCM


@pytest.mark.parametrize(
    ("labels", "platform"),
    [
        (("self-hosted", "mi300x"), Platform.ROCM),
        (("linux-aarch64-a2-8", "npu"), Platform.NPU),
        (("gpu-8-h100",), Platform.CUDA),
        (("ubuntu-latest",), Platform.UNKNOWN),
    ],
)
def test_labels_decide_when_the_log_is_silent(log, job, labels, platform):
    log.says("nothing")
    assert facts(log, job, labels=labels).platform is platform


def test_settings_of_a_traced_command():
    text = (
        "python3 -m train.main algo=ppo +rollout.engine_kwargs.vllm.disable_custom_all_reduce=True "
        "'actor.strategy=fsdp2' --tensor-parallel-size 2 --port=8000 --enforce-eager --seed -1 HF_HUB_OFFLINE=1 x:=y"
    )
    assert dict(command_settings(Command(text, Line(1, text)))) == {
        "algo": "ppo",
        "rollout.engine_kwargs.vllm.disable_custom_all_reduce": "True",
        "actor.strategy": "fsdp2",
        "--tensor-parallel-size": "2",
        "--port": "8000",
        "--enforce-eager": "",
        "--seed": "-1",
        "HF_HUB_OFFLINE": "1",
    }


@pytest.mark.parametrize(
    "text",
    [
        (
            "Initializing a V1 LLM engine (v0.8.5) with config: model='m', tp={'a': 1, 'b': [2, 3]}, "
            "disable_custom_all_reduce=True, note='a, b=c'"
        ),
        "server_args=ServerArgs(model='m', tp={'a': 1, 'b': [2, 3]}, disable_custom_all_reduce=True, note='a, b=c') up=1",
        (
            "non-default args: {'model': 'm', 'tp': {'a': 1, 'b': [2, 3]}, 'disable_custom_all_reduce': True, "
            "'note': 'a, b=c'}"
        ),
    ],
)
def test_settings_that_an_engine_prints(text):
    assert dict(config_settings(text)) == {
        "model": "m",
        "tp": "{'a': 1, 'b': [2, 3]}",
        "disable_custom_all_reduce": "True",
        "note": "a, b=c",
    }


def test_settings_of_a_dump_keep_their_path():
    dump = [
        "{'actor_rollout_ref': {'actor': {'checkpoint': {'async_save': False,",
        "                                              'contents': ['model']},",
        "                                'fsdp_config': {'fsdp_size': 1}},",
        "                       'rollout': {'name': 'vllm'}},",
        " 'trainer': {'nnodes': 2}}",
        "INFO something else: 'key': 1",
        " 'never': 'read'",
    ]
    found = dict(dump_settings(dump))
    assert found["actor_rollout_ref.actor.checkpoint.async_save"] == "False"
    assert found["actor_rollout_ref.rollout.name"] == "vllm"
    assert found["trainer.nnodes"] == "2"
    assert "never" not in found


def test_the_last_setting_before_the_failure_is_the_effective_one(log, job):
    log.extra["commands"] = tuple(
        Command(f"python train.py batch={size}", Line(number, "")) for number, size in ((1, 8), (3, 16), (9, 32))
    )
    log.matched(log.says("CUDA out of memory", at=5), "oom")
    log.exits()
    said = diagnose(log.reading, log.catalogue, job())
    assert said.facts.settings["batch"] == "16"
    assert said.facts.commands == ("python train.py batch=8", "python train.py batch=16")


def test_installed_distributions_are_normalised(log, job):
    log.probe(log.says(""), "installed", list="TransferQueue-0.1.1 flash_attn-2.7.4.post1 python-dateutil-2.9.0")
    log.probe(log.says(""), "satisfied", name="Ray.Core", version="2.44.0")
    log.probe(log.says(""), "uv_installed", name="torch", version="2.8.0+cu128")
    assert facts(log, job).installed == {
        "transferqueue": "0.1.1",
        "flash-attn": "2.7.4.post1",
        "python-dateutil": "2.9.0",
        "ray-core": "2.44.0",
        "torch": "2.8.0+cu128",
    }


@pytest.mark.parametrize(
    ("frames", "phase"),
    [
        (["update_actor", "forward_backward_batch", "optimizer_step"], Phase.OPTIMIZER_STEP),
        (["update_actor", "forward_backward_batch"], Phase.ACTOR_UPDATE),
        (["compute_ref_log_prob", "_forward_micro_batch"], Phase.REFERENCE),
        (["fit", "compute_log_prob"], Phase.LOG_PROB),
        (["update_weights_from_ipc", "load_weights"], Phase.WEIGHT_SYNC),
        (["generate_sequences"], Phase.ROLLOUT),
        (["__init__", "from_pretrained"], Phase.MODEL_LOAD),
        (["nothing", "known"], Phase.UNKNOWN),
    ],
)
def test_phase_of_a_trainers_frames(frames, phase):
    assert phase_of([Frame("/opt/train/workers.py", 1, name) for name in frames]) is phase


@pytest.mark.parametrize(
    ("functions", "phase"),
    [
        (["initialize_from_config", "load_model"], Phase.ROLLOUT_START),
        (["determine_available_memory", "profile_run", "execute_model"], Phase.ROLLOUT_START),
        (["compile_or_warm_up_model", "capture_model"], Phase.GRAPH_CAPTURE),
        (["run_busy_loop", "execute_model"], Phase.ROLLOUT),
    ],
)
def test_phase_of_an_engines_frames(functions, phase):
    frames = [Frame("/usr/lib/python3/dist-packages/vllm/v1/worker.py", 1, name) for name in functions]
    assert phase_of(frames) is phase


def test_a_message_names_its_phase_before_frames_do():
    frames = [Frame("x.py", 1, "update_actor")]
    message = "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"
    assert phase_of(frames, "RuntimeError", message) is Phase.CUBLAS_HANDLE


def test_an_install_step_is_a_phase(log, job):
    step = StepSpan(2, "Install requirements", 1, 9, "failure")
    line = log.matched(log.says("No matching distribution found for x", step=step), "dist")
    assert facts_of(log.reading, job(), lambda *_: (), line).phase is Phase.INSTALL


def test_another_process_on_a_trainers_card_means_colocated(log, job):
    text = (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. GPU 1 has a total capacity of 80.00 GiB "
        "of which 2.50 GiB is free. Process 559 has 50.00 GiB memory in use. Including non-PyTorch memory, this process "
        "has 27.50 GiB memory in use."
    )
    log.probe(log.says("world_size=2"), "world_size", gpus="2")
    for value in ("10", "20", "28"):
        log.probe(log.says(f"memory_allocated_gb:{value}"), "memory_at_step", name="memory_allocated_gb", value=value)
    error = log.matched(log.says(text, stream="rank1"), "oom")
    log.traceback(error, "torch.OutOfMemoryError", frames=(Frame("actor.py", 9, "update_policy"),))
    log.exits()
    found = diagnose(log.reading, log.catalogue, job()).facts
    assert found.layout is Layout.COLOCATED
    assert found.phase is Phase.ACTOR_UPDATE
    assert found.signs == ("others-hold", "nearly-fits", "one-rank", "growing")
    assert found.notes[2] == "only rank 1 of 2 ran out of memory"
    assert found.memory is not None
    assert found.memory.by_others == 50 * 1024


def test_a_flag_of_the_layout_beats_a_guess(log, job):
    text = "python -m train.fully_async trainer.hybrid_engine=True"
    log.extra["commands"] = (Command(text, Line(1, text)),)
    log.says("x")
    assert facts(log, job).layout is Layout.COLOCATED
    log.extra["commands"] = (Command("python -m train.fully_async", Line(1, "")),)
    assert facts(log, job).layout is Layout.SEPARATE


def test_minutes_count_from_the_first_stamp_that_the_scan_noted(log, job):
    began, ended = datetime(2026, 11, 30, 10, 0, 4), datetime(2026, 11, 30, 10, 20, 10)
    log.probe(replace(log.says("Complete job name: train"), time=began), "job_name", name="train")
    end = replace(log.says("##[error]The operation was canceled."), time=ended)
    assert facts_of(log.reading, job(), lambda *_: (), end).minutes == pytest.approx(20.1)
    assert facts_of(log.reading, job(), lambda *_: (), log.says("unstamped")).minutes == 0


def test_what_a_shell_traced_is_told_from_what_a_header_shows(log, job):
    shown, traced = log.says("python a.py"), log.says("+ python b.py")
    log.extra["commands"] = (
        Command("python a.py", replace(shown, kind=LineKind.SCRIPT)),
        Command("python b.py", replace(traced, kind=LineKind.XTRACE)),
    )
    assert facts(log, job).traced == ("python b.py",)
    assert facts(log, job).commands == ("python a.py", "python b.py")


def test_files_of_the_traceback_are_those_of_the_repository(log, job):
    line = log.says("ModuleNotFoundError: No module named 'example'")
    files = ["<frozen runpy>", "/w/train/run.py", "/opt/venv/lib/python3.12/site-packages/torch/x.py", "/w/train/a.py"]
    frames = tuple(Frame(path, 1, "main") for path in (*files, "/w/train/run.py"))
    log.tracebacks.append(Traceback(line.number, line.number, line.stream, line, "ModuleNotFoundError", "", frames))
    found = facts_of(log.reading, job(), lambda line, before, after: (), line)
    assert found.frames == ("/w/train/run.py", "/w/train/a.py")
    assert facts(log, job).frames == ()


def test_what_shares_memory_is_told(log, job):
    assert "shares-memory" not in facts(log, job).signs
    log.probe(log.says("leaked shared_memory objects"), "shared_memory")
    assert "shares-memory" in facts(log, job).signs


def test_checks_that_failed_are_counted_once_each(log, job):
    first = 'data["loss"] < 1'
    log.probe(log.says("x"), "check_failed", check=first, value="2")
    log.probe(log.says("x"), "check_failed", check=first, value="2")
    assert "several-checks" not in facts(log, job).signs
    log.probe(log.says("x"), "check_failed", check='data["kl"] < 1', value="2")
    assert "several-checks" in facts(log, job).signs


@pytest.mark.parametrize(
    ("stream", "path", "engine"),
    [
        ("vLLMHttpServer pid=9 Worker_TP0 pid=10", "/w/train/rollout.py", True),
        ("EngineCore_DP0 pid=9", "/w/train/rollout.py", True),
        ("", "/usr/lib/python3/dist-packages/sglang/srt/model_runner.py", True),
        ("WorkerDict pid=9", "/w/train/checkpoint_engine/nccl.py", False),
        ("rank1", "/w/train/workers/vllm_rollout.py", False),
    ],
)
def test_whether_an_engine_asked_for_the_memory(log, job, stream, path, engine):
    text = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. GPU 1 has a total capacity of 80.00 GiB"
    error = log.matched(log.says(text, stream=stream), "oom")
    log.traceback(error, "torch.OutOfMemoryError", frames=(Frame(path, 9, "receive_weights"),))
    log.exits()
    assert ("engine-asked" in diagnose(log.reading, log.catalogue, job()).facts.signs) is engine


@pytest.mark.parametrize(
    ("lines", "minutes"),
    [
        (("INFO 07-21 16:52:04 a", "x", "[2026-07-21 18:22:04] b", "canceled"), 90.0),
        (("INFO 07-21 23:30:00 a", "W0722 00:10:00.500 b", "canceled"), 40.0),
        (("a", "b", "canceled"), 0.0),
        (("INFO 07-21 18:00:00 a", "INFO 07-21 17:00:00 b", "canceled"), 0.0),
    ],
)
def test_the_clocks_of_programs_say_how_long_a_log_without_stamps_ran(log, job, lines, minutes):
    for text in lines:
        log.says(text)
    evidence = log.lines[-1]

    def context(line, before, after):
        return tuple(one for one in log.lines if line.number - before <= one.number <= line.number + after)

    background = facts_of(log.reading, job(), context)
    found = facts_at(background, log.reading, context, evidence)
    assert (found.minutes, pytest.approx(found.clocked, abs=0.1)) == (0.0, minutes)
