"""From bytes to a diagnosis, with the built-in catalogue: what must hold whatever a log says."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

FRAGMENTS = (
    "##[group]Run python train.py",
    "##[endgroup]",
    "##[error]Process completed with exit code 1.",
    "Traceback (most recent call last):",
    '  File "/opt/train/main.py", line 3, in <module>',
    '    raise RuntimeError("CUDA out of memory")',
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.00 GiB.",
    "ModuleNotFoundError: No module named 'einops'",
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
    "WARNING 04-16 23:50:04 [utils.py:50] Retrying after ConnectionError",
    "=================== FAILURES ===================",
    "==================== PASSES ====================",
    "===== 2 failed, 5 passed in 3.20s =====",
    "Successfully installed einops-0.8.0",
    "tail: api.log: file truncated",
    "{'actor': {'strategy': 'fsdp2', 'fsdp_size': 1},",
    "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=3, OpType=ALLREDUCE, Timeout(ms)=600000)",
    "Killed",
    "",
)
PREFIXES = ("", "[rank0]: ", "[rank1]: ", "(WorkerDict pid=7, ip=10.0.0.1) ", "2026-08-20T03:11:42.1234567Z ", "E   ")


def test_any_mixture_of_lines_yields_a_sound_diagnosis(whole):
    @given(st.lists(st.tuples(st.sampled_from(PREFIXES), st.sampled_from(FRAGMENTS)), max_size=30))
    @settings(max_examples=60, deadline=None)
    def holds(pieces):
        text = "\n".join(prefix + fragment for prefix, fragment in pieces)
        for said in whole(text):
            assert not (said.causes and said.unexplained)
            identities = [cause.id for cause in said.causes]
            assert len(set(identities)) == len(identities)
            lines = text.split("\n")
            for cause in said.causes:
                assert 1 <= cause.line.number <= len(lines)
                assert cause.line.text[:40].strip() in lines[cause.line.number - 1]
                assert cause.reason
                assert cause.signature not in {each.signature for each in cause.consequences}

    holds()


def test_a_root_before_a_wrapper_in_another_process(whole):
    text = (
        "(EngineCore_DP0 pid=12) ERROR 07-31 15:52:26 [core.py:708] Traceback (most recent call last):\n"
        '(EngineCore_DP0 pid=12) ERROR 07-31 15:52:26 [core.py:708]   File "/x/vllm/v1/worker.py", line 9, in load_model\n'
        "(EngineCore_DP0 pid=12) ERROR 07-31 15:52:26 [core.py:708] torch.OutOfMemoryError: CUDA out of memory. Tried to "
        "allocate 2.00 GiB. GPU 0 has a total capacity of 79.00 GiB of which 1.00 GiB is free.\n"
        "(APIServer pid=1) Traceback (most recent call last):\n"
        '(APIServer pid=1)   File "/x/vllm/v1/utils.py", line 9, in wait_for_engine_startup\n'
        "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above.\n"
    )
    (said,) = whole(text)
    assert said.causes[0].family == "gpu-oom"
    assert said.causes[0].line.number == 3
    assert said.facts.phase == "rollout-start"
    assert said.facts.memory is not None
    assert said.facts.memory.asked == 2048


@pytest.mark.parametrize(
    "said",
    [
        "      CMake Error at CMakeLists.txt:31 (message):\n        torch version 2.8.0+cpu does not match torch_npu 2.7.1\n",
        "ImportError: torchaudio version 2.5.1 is not compatible with torch version 2.6.0\n",
        "RuntimeError: PyTorch version 2.6.0 is incompatible with flash_attn 2.5.8\n",
    ],
)
def test_what_a_package_says_of_torch_explains_what_its_compiler_says(whole, said):
    text = (
        "  /opt/env/site-packages/torch_npu/include/Functions.h:12:10: error: 'SymBool' candidate expects 1 argument\n"
        f"{said}ERROR: Failed building wheel for train_npu\n##[error]Process completed with exit code 1.\n"
    )
    (found,) = whole(text)
    assert [cause.signature for cause in found.causes] == ["built-for-another-torch"]
    assert "compiler-error" in {one.signature for one in found.causes[0].consequences}


@pytest.mark.parametrize(
    ("file", "sure"),
    [("csrc/meta.cpp", "high"), ("/opt/env/lib/python3.11/site-packages/torch/include/c10/core/SymBool.h", "medium")],
)
def test_a_compiler_that_rejects_an_installed_header_names_no_sure_cause(whole, file, sure):
    (found,) = whole(f"{file}:12:10: error: no matching function\n##[error]Process completed with exit code 1.\n")
    assert [(cause.signature, str(cause.confidence)) for cause in found.causes] == [("compiler-error", sure)]


def test_hostile_lines_take_no_time(whole):
    lines = [
        "sig" * 20_000,
        "Error" * 12_000,
        "'a" * 30_000,
        "killed " * 9_000,
        "(" * 60_000,
        "Tried to allocate " * 3_000,
    ]
    text = "\n".join(lines * 10) + "\nTraceback (most recent call last):\nValueError: " + "x" * 60_000 + "\n"
    began = time.perf_counter()
    whole(text)
    assert time.perf_counter() - began < 10


IN_A_DESTRUCTOR = """\
Exception ignored in: <function Engine.__del__ at 0x7f5aeb426c10>
Traceback (most recent call last):
  File "engine.py", line 9, in __del__
    self.free()
{error}
"""


def test_what_a_destructor_raises_is_no_cause_beside_another(whole):
    (said,) = whole(
        IN_A_DESTRUCTOR.format(error="ModuleNotFoundError: No module named 'einops'")
        + 'Traceback (most recent call last):\n  File "train.py", line 3, in main\n    step()\n'
        + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.00 GiB.\n"
        + "##[error]Process completed with exit code 1.\n"
    )
    assert [cause.family for cause in said.causes] == ["gpu-oom"]


def test_a_broken_device_may_first_be_noticed_in_a_destructor(whole):
    (said,) = whole(IN_A_DESTRUCTOR.format(error="RuntimeError: CUDA error: an illegal memory access was encountered"))
    assert [cause.family for cause in said.causes] == ["gpu-kernel-fault"]


def _job_log(*lines):
    header = (
        "##[group]Run ./release.sh",
        "\x1b[36;1m./release.sh\x1b[0m",
        "shell: /usr/bin/bash -e {0}",
        "##[endgroup]",
    )
    every = (*header, *lines, "##[error]Process completed with exit code 1.", "Post job cleanup.")
    return "".join(f"2026-03-04T08:{at // 60:02d}:{at % 60:02d}.0000000Z {line}\n" for at, line in enumerate(every))


REFUSED_PUSH = " ! [rejected]        main -> main (fetch first)"
MISSING_MODULE = ("Traceback (most recent call last):", '  File "a.py", line 3, in <module>', "ModuleNotFoundError: No module named 'einops'")  # fmt: skip


@pytest.mark.parametrize(
    ("between", "cause", "sure"),
    [(0, "push-not-fast-forward", "high"), (60, "python-module-not-found", "high")],
)
def test_what_a_command_says_is_no_root_where_its_script_went_on(whole, between, cause, sure):
    (said,) = whole(_job_log(REFUSED_PUSH, *["compiling"] * between, *MISSING_MODULE))
    assert (said.causes[0].signature, str(said.causes[0].confidence)) == (cause, sure)


def test_what_a_script_outlived_is_named_without_certainty_where_nothing_else_is(whole):
    (said,) = whole(_job_log(REFUSED_PUSH, *["compiling"] * 60))
    assert [(each.signature, str(each.confidence)) for each in said.causes] == [("push-not-fast-forward", "medium")]


def test_a_call_that_does_not_fit_says_not_which_side_is_wrong(whole):
    (said,) = whole(
        _job_log(
            "Traceback (most recent call last):",
            '  File "/opt/env/lib/python3.11/site-packages/engine/attention.py", line 9, in forward',
            "    wrapper.plan(1, 2)",
            "TypeError: plan() got an unexpected keyword argument 'window_left'",
        )
    )
    named = [(each.signature, str(each.confidence)) for each in said.causes]
    assert named == [("call-does-not-fit-installed-package", "medium")]


CLUSTER_STOP = "slurmstepd: error: *** JOB 4471902 ON node-1 CANCELLED AT 2026-06-10T07:31:19 DUE TO TIME LIMIT ***"


@pytest.mark.parametrize(
    "complaint",
    [
        "curl: (7) Failed to connect to metadata.example port 80: Connection refused",
        "jq: error: Could not open metrics.json: No such file or directory",
        "cp: cannot stat '/data/x': No such file or directory",
        "tar: Unexpected EOF in archive",
        "fatal error: Unable to locate credentials",
    ],
)
@pytest.mark.parametrize("named", [True, False], ids=["with steps", "without steps"])
def test_a_script_that_goes_on_for_long_after_a_complaint_is_stopped_by_what_stops_it(whole, complaint, named):
    lines = (complaint, *(f"step {at} loss {2 - at / 100:.3f}" for at in range(60)), CLUSTER_STOP)
    (said,) = whole(_job_log(*lines) if named else "\n".join((*lines, "")))
    assert (said.causes[0].signature, str(said.causes[0].confidence)) == ("cluster-time-limit-reached", "high")


OUT_OF_MEMORY = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.11 GiB"
)


@pytest.mark.parametrize(("steps", "named"), [(3, "gpu-oom"), (60, "time-limit-exceeded")])
def test_an_error_after_which_the_same_process_trains_on_did_not_end_the_job(whole, steps, named):
    stop = "##[error]The action 'Train' has timed out after 30 minutes."
    (said,) = whole(_job_log(OUT_OF_MEMORY, *(f"step {at} loss {2 - at / 100:.3f}" for at in range(steps)), stop))
    assert said.causes[0].signature == named


def test_what_another_process_trains_tells_nothing_of_the_one_that_died(whole):
    steps = (f"[rank1]: step {at} loss {2 - at / 100:.3f}" for at in range(60))
    (said,) = whole(_job_log(f"[rank0]: {OUT_OF_MEMORY}", *steps))
    assert [(each.signature, str(each.confidence)) for each in said.causes] == [("gpu-oom", "high")]


OUT_OF_MEMORY = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1024.00 MiB. GPU 0 has a total capacity of 79.00 GiB."
SESSION = "===== test session starts =====\ntests/test_a.py .x.F\n"
FAILURE = "===== FAILURES =====\n____ test_b ____\n>       assert 1 == 2\nE       assert 1 == 2\ntests/test_a.py:9: AssertionError\n"
SUMMARY = "===== short test summary info =====\n"
END = "FAILED tests/test_a.py::test_b - assert 1 == 2\n===== 1 failed, 3 passed, 1 xfailed in 2.20s =====\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{SESSION}{FAILURE}{SUMMARY}XFAIL tests/test_a.py::test_x - {OUT_OF_MEMORY}\n{END}",
        f"{SESSION}{FAILURE}{SUMMARY}XPASS tests/test_a.py::test_x - {OUT_OF_MEMORY}\n{END}",
        f"{SESSION}{FAILURE}{SUMMARY}SKIPPED [1] tests/test_c.py:3: {OUT_OF_MEMORY}\n{END}",
        f"{SESSION}tests/test_a.py::test_x XFAIL ({OUT_OF_MEMORY}) [ 50%]\n{FAILURE}{SUMMARY}{END}",
        f"{SESSION}===== XFAILURES =====\n____ test_x ____\nE       {OUT_OF_MEMORY}\n{FAILURE}{SUMMARY}{END}",
        f"{SESSION}{FAILURE}===== XPASSES =====\n____ test_x ____\n{OUT_OF_MEMORY}\n{SUMMARY}{END}",
    ],
)
def test_a_test_that_failed_as_it_should_is_no_cause(whole, text):
    for said in whole(text):
        assert [cause.signature for cause in said.causes] == ["pytest-assertion-failed"]


def test_the_source_that_a_linter_shows_is_no_cause(whole):
    text = (
        "mypy: error: train.py:3: error: Name 'x' is not defined  [name-defined]\n"
        f'   15 |         raise RuntimeError("{OUT_OF_MEMORY}")\n'
        "   |         ^^^^^\nFound 1 error in 1 file (checked 3 source files)\n"
        "##[error]Process completed with exit code 1.\n"
    )
    for said in whole(text):
        assert "gpu-oom" not in [cause.signature for cause in said.causes]
