"""What a pull request can look like: one result a situation, for the comment's golden files and for pictures of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

from tests.output.sample import advice, group, job, line, patch, run, sample
from triage.model.diagnosis import Cause, Evidence, JobDiagnosis, Nearest, Unexplained, Verdict, VerdictValue
from triage.model.evidence import Breakage, Observation, Record, Sight
from triage.model.finding import Rate
from triage.model.log import Confidence
from triage.model.patch import Hunk
from triage.model.result import CauseGroup, Failure, Mute, TriageResult
from triage.model.run import Commit, Job
from triage.model.signature import Category, Rank
from triage.output.comment import Context

SITE = "https://github.com/example/train"
LOOKED_AT = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
CONTEXT = Context("f" * 40, "main", LOOKED_AT, "b" * 40, 12, 0, datetime(2026, 11, 30, 11, 48, tzinfo=UTC),
                  (("network", "it costs about 4.0 GPU-hours (8 x 30 minutes)"),), 3)  # fmt: skip


def a_job(number: int, name: str) -> Job:
    return replace(job(number, name), url=f"{SITE}/actions/runs/4711/job/{number}")


def cause(name: str, title: str, text: str, category: Category = Category.DETERMINISTIC, family: str = "") -> Cause:
    found = line(88, text)
    return Cause(name, name, title, family or name, category, Rank.ROOT, found, "the only root", Confidence.HIGH,
                 context=(line(87, "the line before"), found, line(89, "the line after")))  # fmt: skip


def failed(number: int, name: str, *causes: Cause) -> Failure:
    return Failure(
        f"job-{number}", JobDiagnosis(a_job(number, name), "Train", causes), run(), workflow_path=run().workflow_path
    )


def judged(of: Cause, ids: tuple[str, ...], value: VerdictValue, *said: Evidence, **more: object) -> CauseGroup:
    confidence = Confidence.HIGH if value is not VerdictValue.UNKNOWN else Confidence.LOW
    base = CauseGroup(of.id, of.signature, of.family, of.title, ids, Verdict(value, said, confidence))
    return replace(base, **more)  # type: ignore[arg-type]


MISSING = cause("python-module-not-found", "The module transfer_queue is not installed",
                "ModuleNotFoundError: No module named 'transfer_queue'", family="missing-requirement")  # fmt: skip
REDUCE = cause("custom-all-reduce-crash", "vLLM's custom all-reduce fails at graph capture",
               "Failed: Cuda error /app/csrc/custom_all_reduce.cuh:455 'invalid argument'")  # fmt: skip
NETWORK = cause(
    "network", "A download was cut off", "ConnectionResetError: [Errno 104] Connection reset by peer", Category.INFRA
)
HANG = cause(
    "nccl-timeout",
    "A collective timed out",
    "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12)",
    Category.FLAKY,
)


def yours() -> TriageResult:
    fix = replace(patch(), id="p1", title="Install the requirement in the job that imports it",
                  diff="--- a/.github/workflows/e2e.yml\n+++ b/.github/workflows/e2e.yml\n@@ -40,3 +40,4 @@\n       - run: |\n"
                       "           pip3 install -e .\n+          pip3 install -r requirements.txt\n           python train.py\n",
                  hunks=(Hunk(".github/workflows/e2e.yml", 42, "installs what the import needs"),), recipe="pip_install",
                  because="The tree names the requirement, and no step of this job installs it.", costs=(), notes=(), blast_radius=(),
                  siblings=(), reproduce="python train.py")  # fmt: skip
    said = (Evidence("5 of 5 runs of the base branch passed this job", f"{SITE}/actions/runs/4700"),
            Evidence("the change edits train/queue.py, which the traceback names"))  # fmt: skip
    found = judged(MISSING, ("job-1", "job-2", "job-3"), VerdictValue.YOURS, *said, fixes=("p1",), owner="build",
                   code_owners=("@example/ci",), what="The job imports a module that no install step installs.")  # fmt: skip
    jobs = tuple(failed(number, f"train ({number} gpus)", MISSING) for number in (1, 2, 3))
    return _result(jobs, (found,), (fix,))


def trunk() -> TriageResult:
    red = Observation(Sight.SAME_CAUSE, "run 4690 of 2026-11-28", f"{SITE}/actions/runs/4690", "c" * 40, run=4690)
    green = Observation(Sight.PASSED, "run 4688 of 2026-11-27", f"{SITE}/actions/runs/4688", "d" * 40, run=4688)
    commits = (Commit("c1" * 20, "Take the nightly image", "ada"), Commit("c2" * 20, "Fix #12 @someone", "bob"))
    found = judged(REDUCE, ("job-1",), VerdictValue.TRUNK,
                   Evidence("4 of 4 runs of the base branch show the same cause", red.url),
                   since=Breakage(red, green, commits), fixes=("p1",), owner="rollout",
                   known_issue=f"{SITE}/issues/9")  # fmt: skip
    return _result((failed(1, "trainer_rocm", REDUCE),), (found,), (patch(),))


def flake() -> TriageResult:
    record = Record(28, 14, 6, Rate(3, 40, 0.026, 0.199, True), Rate(9, 11, 0.523, 0.949, True), 1800,
                    date(2026, 11, 3), date(2026, 11, 29), date(2026, 11, 30))  # fmt: skip
    found = judged(HANG, ("job-1",), VerdictValue.FLAKE,
                   Evidence("attempt 2 of run 4711 of the same commit passed", f"{SITE}/actions/runs/4711/attempts/2"),
                   record=record, retry=True, owner="infra")  # fmt: skip
    return _result((failed(1, "e2e (8, fsdp2)", HANG),), (found,))


def infra() -> TriageResult:
    few = Record(28, 2, 0, Rate(0, 3, 0.0, 0.56, False), Rate(1, 2, 0.09, 0.9, False), 1800)
    muted = Mute(date(2026, 12, 31), f"{SITE}/issues/3")
    groups = (
        judged(NETWORK, ("job-1",), VerdictValue.INFRA, Evidence("the cause lies in runners, network or services by its nature"),
               retry=True, record=few, owner="infra"),
        judged(HANG, ("job-2",), VerdictValue.UNKNOWN, Evidence("no base evidence"), mute=muted, known_issue=muted.url),
    )  # fmt: skip
    return _result((failed(1, "download", NETWORK), failed(2, "e2e", HANG)), groups)


def unclassified() -> TriageResult:
    guess = Unexplained(line(12, "fatal: the flux capacitor is empty"), 0.7, "the last error-shaped line",
                        nearest=Nearest("python-module-not-found", 61.0))  # fmt: skip
    silent = Failure("job-2", JobDiagnosis(a_job(2, "unit"), unexplained=guess), run())
    found = judged(
        REDUCE, ("job-1",), VerdictValue.UNKNOWN, Evidence("the job did not run on the base branch"), fixes=("p1", "p2")
    )
    return _result((failed(1, "trainer_rocm", REDUCE), silent), (found,), (patch(), advice()))


def mixed() -> TriageResult:
    parts = [yours(), trunk(), flake(), infra(), unclassified()]
    failures, groups, patches = [], [], []
    for place, part in enumerate(parts, start=1):
        new = {one.id: f"{one.id}-{place}" for one in part.failures}
        ids = {one.id: f"{one.id}.{place}" for one in part.patches}
        failures += [replace(one, id=new[one.id]) for one in part.failures]
        patches += [replace(one, id=ids[one.id]) for one in part.patches]
        groups += [
            replace(one, failures=tuple(new[f] for f in one.failures), fixes=tuple(ids[f] for f in one.fixes))
            for one in part.causes
        ]
    return _result(tuple(failures), tuple(groups), tuple(patches))


def _result(failures: tuple[Failure, ...], groups: tuple[CauseGroup, ...], patches: tuple = ()) -> TriageResult:  # type: ignore[type-arg]
    return TriageResult("example/train", (run(),), failures, groups, patches, (), "0.1.0", "abcdef0123456789")


SITUATIONS = {
    "yours": yours, "trunk": trunk, "flake": flake, "infra": infra, "unclassified": unclassified, "mixed": mixed,
    "sample": sample,
}  # fmt: skip
__all__ = ["CONTEXT", "SITUATIONS", "group"]
