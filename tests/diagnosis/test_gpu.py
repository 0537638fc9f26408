"""Logs of real programs that failed on one GPU: what they printed, without the machine's own paths."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

LOGS = Path(__file__).with_name("gpu")
# The log -> the line that says why, and the family.
SAID = {
    "child_segv": (r"^Root Cause|exitcode  : -11|Signal 11 \(SIGSEGV\)|failed \(exitcode: -11\)", "segfault"),
    "device_assert_embedding": (r"Assertion `[^`]+` failed", "gpu-kernel-fault"),
    "gloo_sizes": (r"op\.preamble\.length <= op\.nbytes\. 12 vs 4", "code-error"),
    "hf_offline": (r"httpx\.ConnectError: \[Errno -3\] Temporary failure in name resolution", "hf-hub"),
    "jax_indivisible": (r"does not evenly divide the dimension size 6", "parallelism-constraint"),
    "jax_oom": (r"RESOURCE_EXHAUSTED", "gpu-oom"),
    "lightning_devices": (r"MisconfigurationException: You requested gpu", "config-error"),
    "nccl_dup": (r"Duplicate GPU detected : rank 1 and rank 0", "nccl-error"),
    "nccl_ifname": (r"Bootstrap : no socket interface found|no socket interface found", "nccl-error"),
    "oom_one_rank": (r"OutOfMemoryError: CUDA out of memory", "gpu-oom"),
    "pickle_spawn": (r"Can't pickle local object 'main\.<locals>\.w'", "code-error"),
    "safetensors_tied": (r"^\s+Some tensors share memory", "code-error"),
    "sdpa_no_kernel": (r"No available kernel\. Aborting execution", "attention-backend"),
    "triton_arange": (r"arange's range must be a power of 2", "triton-compile"),
    "worker_killed": (r"DataLoader worker \(pid 1218\) is killed by signal: Killed", "host-oom"),
}


@pytest.mark.parametrize("name", sorted(SAID))
def test_the_line_that_says_why_is_named(whole, name) -> None:
    line, family = SAID[name]
    (said,) = whole((LOGS / f"{name}.log").read_text())
    first = said.causes[0]
    assert re.search(line, first.line.text)
    assert first.family == family


def test_each_log_is_looked_at() -> None:
    assert {path.stem for path in LOGS.iterdir()} == set(SAID)
