"""The demo's planted truths: jobs, what goes wrong in them from when to when, one bad runner, and the ledger of fixes.

Days are counted back from the end of the half-year. What a report must find is in TRUTHS.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from triage.model.configuration import Configuration, RunnerLabel
from triage.model.outcome import FixState

REPO = "example/train"
PUSHES_A_DAY = 7
PULL_REQUESTS_A_DAY = 11
RERUN_SHARE = 0.7


@dataclass(frozen=True, slots=True)
class Fault:
    """What a failed attempt shows; `signature` "" is a line that nothing explains."""

    signature: str
    family: str
    category: str
    text: str
    line: int = 1

    @property
    def persists(self) -> bool:
        """Fails again when the same commit is rerun."""
        return self.category == "deterministic"


@dataclass(frozen=True, slots=True)
class Chance:
    """A fault that strikes `share` of the attempts, from `since` days before the end until `until` days before it."""

    fault: Fault
    share: float
    since: int = 10_000
    until: int = 0


@dataclass(frozen=True, slots=True)
class JobSpec:
    workflow: str
    workflow_path: str
    name: str
    pool: str
    platform: str
    gpus: int
    minutes: float
    queue_seconds: float
    runners: tuple[str, ...] = ()
    chances: tuple[Chance, ...] = ()


@dataclass(frozen=True, slots=True)
class BadRunner:
    runner: str
    chance: Chance


@dataclass(frozen=True, slots=True)
class PlantedFix:
    id: str
    signature: str
    title: str
    workflow_path: str
    job: str
    state: FixState
    merged_days_ago: int
    pull_request: int
    recipe: str
    expectation_kind: str = ""
    expectation: str = ""
    expires_in_days: int | None = None
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Truths:
    flaky_job: str
    regressed_job: str
    regressed_days_ago: int
    recovered_job: str
    recovered_days_ago: int
    new_signature: str
    bad_runner: str
    held_fix: str
    failed_fix: str


_NCCL = Fault("nccl-watchdog-timeout", "nccl-timeout", "flaky", "Watchdog caught collective operation timeout", 4120)
_RAY = Fault("ray-actor-died", "ray-actor-died", "flaky", "The actor is temporarily unavailable", 2210)
_HUB = Fault("hf-hub-unreachable", "hf-hub", "infra", "We couldn't connect to the hub to load this file", 310)
_OOM = Fault("gpu-oom-actor-update", "gpu-oom", "deterministic", "CUDA out of memory. Tried to allocate 2.50 GiB", 5871)
_HCCL = Fault("hccl-error", "hccl-error", "flaky", "the socket connection between ranks timed out", 1904)
_KV = Fault("kv-cache-below-model-len", "kv-cache-too-small", "deterministic", "max seq len exceeds the KV cache", 980)
_ECC = Fault("gpu-ecc-error", "gpu-hardware", "infra", "uncorrectable ECC error encountered", 640)
_ASSERT = Fault("pytest-test-failed", "pytest-failure", "deterministic", "AssertionError: rewards differ", 777)
_IMPORT = Fault("python-module-not-found", "missing-requirement", "deterministic", "No module named 'example'", 95)
_ODD = Fault("", "", "", "RuntimeError: rollout worker 3 returned 0 samples", 3301)
_SHAPE = Fault("", "", "", "ValueError: expected 1024 tokens but got 1009", 2874)

_UNIT, _GPU, _NPU, _NIGHTLY = (
    f".github/workflows/{name}.yml" for name in ("unit", "e2e_ppo", "e2e_ascend", "multi_node")
)
_L20 = tuple(f"l20-{number:02}" for number in range(1, 9))
_A2 = tuple(f"a2-{number:02}" for number in range(1, 5))
_H200 = ("h200-01", "h200-02", "h200-03")

# Made-up prices; the NPUs have none, as machines of one's own often have.
CONFIGURATION = Configuration(
    runners=(RunnerLabel("L20x8", "cuda", 8, price=0.9), RunnerLabel("H200x8", "cuda", 16, price=3.4)), currency="EUR"
)

JOBS = (
    JobSpec("unit", _UNIT, "cpu_unit", "ubuntu-latest", "cpu", 0, 9, 12, (), (Chance(_SHAPE, 0.004),)),
    JobSpec("unit", _UNIT, "lint", "ubuntu-latest", "cpu", 0, 3, 10),
    JobSpec(
        "e2e_ppo", _GPU, "ppo_vllm", "L20x8", "cuda", 8, 38, 420, _L20, (Chance(_NCCL, 0.06), Chance(_ODD, 0.008))
    ),
    JobSpec("e2e_ppo", _GPU, "ppo_sglang", "L20x8", "cuda", 8, 34, 420, _L20, (Chance(_KV, 0.11, since=6),)),
    JobSpec(
        "e2e_ppo", _GPU, "grpo_megatron", "L20x8", "cuda", 8, 46, 420, _L20,
        (Chance(_OOM, 0.015, until=5), Chance(_OOM, 0.45, since=5)),
    ),
    JobSpec(
        "e2e_ascend", _NPU, "ppo_npu", "linux-aarch64-a2-8", "npu", 8, 55, 900, _A2,
        (Chance(_HCCL, 0.30, until=7), Chance(_ODD, 0.01)),
    ),
    JobSpec(
        "multi_node", _NIGHTLY, "grpo_2x8", "H200x8", "cuda", 16, 62, 1300, _H200, (Chance(_RAY, 0.05),)
    ),
)  # fmt: skip
NETWORK = (Chance(_HUB, 0.012),)
BAD_RUNNER = BadRunner("l20-05", Chance(_ECC, 0.22, since=24))
# What an author's own mistake breaks.
BREAKAGES = (_ASSERT, _IMPORT)
HANGS_TOGETHER: Mapping[str, frozenset[str]] = {
    _ASSERT.signature: frozenset({"cpu_unit", "ppo_vllm"}),
    _IMPORT.signature: frozenset(job.name for job in JOBS if job.name != "lint"),
}

FIXES = (
    PlantedFix(
        "fix-hccl", _HCCL.signature, "Raise HCCL_CONNECT_TIMEOUT to 1800", _NPU, "ppo_npu", FixState.MERGED, 7, 881,
        "env", "environment", "HCCL_CONNECT_TIMEOUT=1800", 84, "infra",
    ),
    PlantedFix(
        "fix-nccl", _NCCL.signature, "Raise the collectives' timeout", _GPU, "ppo_vllm", FixState.MERGED, 40, 834,
        "effective_value", "argument", "actor_rollout_ref.nccl_timeout=1800", -9, "rollout",
    ),
    PlantedFix(
        "fix-oom", _OOM.signature, "Offload the optimizer's state", _GPU, "grpo_megatron", FixState.PROPOSED, 1, 902,
        "hydra_override", "argument", "actor_rollout_ref.actor.megatron.optimizer_offload=True",
    ),
)  # fmt: skip

TRUTHS = Truths(
    flaky_job="ppo_vllm",
    regressed_job="grpo_megatron",
    regressed_days_ago=5,
    recovered_job="ppo_npu",
    recovered_days_ago=7,
    new_signature=_KV.signature,
    bad_runner=BAD_RUNNER.runner,
    held_fix="fix-hccl",
    failed_fix="fix-nccl",
)
