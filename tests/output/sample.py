"""One result with something of everything, for the presenters' golden files."""

from datetime import UTC, datetime

from triage.model.diagnosis import (
    Cause,
    Consequence,
    Evidence,
    Facts,
    JobDiagnosis,
    Nearest,
    Platform,
    Unexplained,
    Verdict,
    VerdictValue,
)
from triage.model.log import Confidence, Line, StepSpan
from triage.model.patch import Gate, GateStatus, Hunk, Patch, PatchState, Sibling
from triage.model.result import CauseGroup, Failure, TriageResult
from triage.model.run import Job, Run, Unavailable, UnavailableReason
from triage.model.signature import Applicability, Category, Rank

STEP = StepSpan(5, "Running E2E training", 40, 90, "failure", Confidence.HIGH)
WHEN = datetime(2026, 8, 18, 6, 42, 52, tzinfo=UTC)


def line(number: int, text: str, stream: str = "") -> Line:
    return Line(number=number, text=text, time=WHEN, stream=stream, step=STEP)


def job(number: int, name: str, conclusion: str = "failure") -> Job:
    return Job(number, 4711, 1, name, "completed", conclusion, runner_name="mi300-runner-03")


def sample() -> TriageResult:
    evidence = line(88, "Failed: Cuda error /app/csrc/custom_all_reduce.cuh:455 'invalid argument'", "Server pid=7")
    cause = Cause(
        id="custom-all-reduce-crash",
        signature="custom-all-reduce-crash",
        title="vLLM's custom all-reduce fails at graph capture",
        family="custom-all-reduce",
        category=Category.DETERMINISTIC,
        rank=Rank.ROOT,
        line=evidence,
        reason="the only root; it explains engine-core-died",
        confidence=Confidence.HIGH,
        captures={"error": "invalid argument"},
        context=(line(87, "Capturing CUDA graphs:   3%"), evidence, line(89, "Worker proc died unexpectedly")),
        ranks=(0, 1),
        consequences=(Consequence("engine-core-died", line(90, "EngineCore failed to start.")),),
        hits=2,
    )
    named = Failure("job-1", JobDiagnosis(job(1, "trainer_rocm"), "Running E2E training", (cause,)), run())
    also = Failure("job-2", JobDiagnosis(job(2, "trainer_rocm_moe"), "Running E2E training", (cause,)), run())
    lost = Failure(
        "job-3",
        JobDiagnosis(
            job(3, "unit"), unavailable=Unavailable(UnavailableReason.EXPIRED, "GitHub keeps logs for 90 days.")
        ),
        run(),
    )
    guess = Failure(
        "job-4",
        JobDiagnosis(
            job(4, "odd `name` @someone"),
            unexplained=Unexplained(
                line(12, "fatal: \x1b]0;evil\x07 the flux capacitor <b>is</b> \u202egnorw"),
                0.71,
                "the last error-shaped line",
                nearest=Nearest("some-signature", 61.0),
            ),
            facts=Facts(platform=Platform.ROCM),
        ),
        run(),
    )
    return TriageResult(
        repo="example/train",
        runs=(run(),),
        failures=(named, also, lost, guess),
        causes=(group(),),
        patches=(patch(), advice()),
        notices=("signature left out: signatures/x.yaml:3: SIG001: unknown key",),
        triage_version="0.1.0",
        catalogue_version="abc",
    )


def run() -> Run:
    return Run(
        4711, 1, "example/train", "e2e_trainer_rocm", ".github/workflows/e2e_trainer_rocm.yml", "pull_request",
        "completed", "failure", "f" * 40, "feature",
    )  # fmt: skip


def group() -> CauseGroup:
    return CauseGroup(
        id="custom-all-reduce-crash",
        signature="custom-all-reduce-crash",
        family="custom-all-reduce",
        title="vLLM's custom all-reduce fails at graph capture",
        failures=("job-1", "job-2"),
        verdict=Verdict(VerdictValue.UNKNOWN, (Evidence("no base evidence"),)),
        fixes=("p1", "p2"),
        owner="rollout",
        what="The kernel prints its error and exits, so no Python exception names it.",
    )


def patch() -> Patch:
    return Patch(
        id="p1",
        causes=("custom-all-reduce-crash",),
        title="Disable the custom all-reduce in every training command of the job",
        recipe="hydra_override",
        state=PatchState.PATCH,
        applicability=Applicability.UNSAFE,
        base_sha="f" * 40,
        files=(".github/workflows/e2e_trainer_rocm.yml",),
        diff="--- a/w.yml\n+++ b/w.yml\n@@ -1 +1,2 @@\n   HOME: /root\n+  OVERRIDE: +disable_custom_all_reduce=True\n",
        hunks=(Hunk("w.yml", 2, "holds the override"),),
        gates=(
            Gate("applies", GateStatus.OK),
            Gate("bash -n", GateStatus.OK),
            Gate("composes", GateStatus.SKIPPED, "hydra-core is not installed", mandatory=False),
        ),
        because="First aid: the root lies in ROCm or the image.",
        notes=("the reward model's engine keeps it",),
        costs=("throughput",),
        siblings=(Sibling(".github/workflows/other.yml", "train", "same image, same script"),),
        blast_radius=("job trainer_npu runs the same script",),
        reproduce="bash tests/e2e/run_trainer.sh",
    )


def advice() -> Patch:
    return Patch(
        id="p2",
        causes=("custom-all-reduce-crash",),
        title="Take a newer image",
        recipe="image",
        state=PatchState.ADVICE,
        applicability=Applicability.DISPLAY,
        reason="no sibling job has a newer one",
        alternative_of="p1",
    )
