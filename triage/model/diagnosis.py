"""What went wrong in one job: causes with their evidence, or the best unexplained line, and the facts for the fixes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from triage.model.log import Confidence, Line
from triage.model.replaced import Replaced as Replaced
from triage.model.run import Annotation, Job, Unavailable
from triage.model.signature import Category, Rank, Signature
from triage.model.trail import Announced, Trail


class Platform(StrEnum):
    CUDA = "cuda"
    ROCM = "rocm"
    NPU = "npu"
    CPU = "cpu"
    UNKNOWN = "unknown"


class Phase(StrEnum):
    """What the job was doing when it failed, from the frames of the traceback."""

    ROLLOUT_START = "rollout-start"
    GRAPH_CAPTURE = "graph-capture"
    ROLLOUT = "rollout"
    WEIGHT_SYNC = "weight-sync"
    ACTOR_UPDATE = "actor-update"
    CRITIC_UPDATE = "critic-update"
    OPTIMIZER_STEP = "optimizer-step"
    LOG_PROB = "log-prob"
    REFERENCE = "reference"
    MODEL_LOAD = "model-load"
    CHECKPOINT = "checkpoint"
    NCCL_INIT = "nccl-init"
    CUBLAS_HANDLE = "cublas-handle"
    INSTALL = "install"
    IMPORT = "import"
    UNKNOWN = "unknown"


class Layout(StrEnum):
    """Whether rollout and training share GPUs."""

    COLOCATED = "colocated"
    SEPARATE = "separate"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Memory:
    """The figures of an out-of-memory message, in MiB; -1 where the message does not say."""

    asked: float = -1
    total: float = -1
    free: float = -1
    by_this_process: float = -1
    by_others: float = -1
    allocated: float = -1
    reserved_unallocated: float = -1


@dataclass(frozen=True, slots=True)
class BuildStep:
    """The instruction at which the build of an image ended, as the builder shows it.

    `dockerfile` is the file as the builder names it, mostly without its folder; "" where it is not named. `lines` are
    the instruction's numbered lines, as far as the log shows them. `text` is the instruction on one line, "" unknown.
    `count` is the instruction's number in `stage`, by the builder's own count; 0 unknown.
    """

    dockerfile: str = ""
    lines: Mapping[int, str] = field(default_factory=dict)
    text: str = ""
    stage: str = ""
    count: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """Steps that a training had begun, of how many, as it counts them itself; both from 1. `left` are the minutes that
    the others would take at the same speed; -1 where the log has no stamps to say so."""

    done: int
    total: int
    left: float = -1


# What the runner names as the source of secrets that a run did get.
WITH_SECRETS = frozenset({"Actions", "Codespaces", "Dependabot"})


@dataclass(frozen=True, slots=True)
class Spaced:
    """A file in which a check of blanks, `rule`, found some; `line` from 1, 0: the check names the file alone."""

    path: str
    rule: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Facts:
    """What the log says that the fixes need. `settings` are effective ones: what programs really got."""

    platform: Platform = Platform.UNKNOWN
    phase: Phase = Phase.UNKNOWN
    layout: Layout = Layout.UNKNOWN
    frameworks: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    # Normalised distribution -> version ("" unknown), from whatever an installer, or a list of packages, says.
    installed: Mapping[str, str] = field(default_factory=dict)
    # Of these, what the job's own commands brought, the rest was there before; None where there is no log to say so.
    brought: frozenset[str] | None = None
    # What each of these commands put in, in the log's order, as far as it says so in one line.
    batches: tuple[frozenset[str], ...] = ()
    replaced: tuple[Replaced, ...] = ()
    # Normalised distribution -> the releases of it that pip tried one after the other, ever older ones.
    retreats: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    # Those of pip, in whatever way the log shows them, are `installs`.
    commands: tuple[str, ...] = ()
    installs: tuple[str, ...] = ()
    # Of the commands, what shells traced (xtrace); and the files of the failure's traceback, the outermost first,
    # without those of installed packages.
    traced: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()
    # Import names of the installed packages that the failure's traceback passes, the innermost first; none where the
    # innermost frame is no package's. `parts`: the folders and modules of theirs that it passes, normalised.
    packages: tuple[str, ...] = ()
    parts: frozenset[str] = frozenset()
    imported: str = ""  # by the statement right above the failure: "pkg.part"
    memory: Memory | None = None
    tested_sha: str = ""
    repository: str = ""  # whose run it was, as its checkout says it: "owner/name"
    secret_source: str = ""  # as the runner says it: "Actions", "Dependabot", "None" (a fork's pull request)
    gpus: int = 0
    # Minutes from the first stamped line to that of the cause; `clocked`, by programs' clocks, where no line has one.
    minutes: float = 0.0
    clocked: float = 0.0
    # What the memory figures say, for `when: {sign: [...]}`: "others-hold" (another process holds the card),
    # "held-before" (and this one had not begun to use it), "crowded-out" (and this one holds little), "own-fills"
    # (this process alone holds nearly all of the card), "engine-asked" (it is an inference engine's), "fragmented"
    # (reserved but unallocated would have been enough), "one-rank" (the other ranks did not fail), "growing" (use grew
    # over steps), "in-loss" (a loss asked for it), "nearly-fits" (less than a tenth of the card was missing). Of the
    # job: "image-build" (the build of an image failed in it), "limit-reached" (it ended when the time that the tree
    # allows it, or its step, was over), "silent" (long before that nothing was printed any more), "little-done" (half
    # as much time again would not have led to the last of its training's steps), "failed-before" (a test had failed by
    # then), "compiling" (pip compiled until then), "own-limit" (not GitHub's six hours), "several-checks" (more than
    # one check of its metrics failed), "shares-memory" (what shares memory stands in the log), "uses-uv".
    signs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    # None where the lines before the failure count no steps.
    progress: Progress | None = None
    # None where the log shows no failed build of an image.
    build: BuildStep | None = None
    spaced: tuple[Spaced, ...] = ()
    # The names of the tasks that another service than GitHub says it started.
    started: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Consequence:
    """What a cause brought about: a symptom or wrapper that matched too."""

    signature: str
    line: Line


@dataclass(frozen=True, slots=True)
class Cause:
    """A named cause. `id` is stable over jobs: the signature and its fingerprint."""

    id: str
    signature: str
    title: str
    family: str
    category: Category
    rank: Rank
    line: Line
    reason: str
    confidence: Confidence
    captures: Mapping[str, str] = field(default_factory=dict)
    context: tuple[Line, ...] = ()
    ranks: tuple[int, ...] = ()
    streams: tuple[str, ...] = ()
    consequences: tuple[Consequence, ...] = ()
    hits: int = 1

    @classmethod
    def of(
        cls,
        signature: Signature,
        line: Line,
        reason: str,
        confidence: Confidence,
        captures: Mapping[str, str] | None = None,
    ) -> Cause:
        """What `signature` names at `line`, without a fingerprint: `id` is the signature's."""
        return cls(
            id=signature.id,
            signature=signature.id,
            title=signature.title,
            family=signature.family,
            category=signature.category,
            rank=signature.rank,
            line=line,
            reason=reason,
            confidence=confidence,
            captures=captures or {},
        )


@dataclass(frozen=True, slots=True)
class Nearest:
    signature: str
    similarity: float  # 0..100


@dataclass(frozen=True, slots=True)
class Unexplained:
    """The best line when no signature matched: a place to look, never a verdict."""

    line: Line
    score: float
    why: str
    context: tuple[Line, ...] = ()
    nearest: Nearest | None = None


@dataclass(frozen=True, slots=True)
class JobDiagnosis:
    """One failed job. Exactly one of: causes, `unexplained`, `unavailable`, or nothing (the log holds no failure)."""

    job: Job
    step: str = ""
    causes: tuple[Cause, ...] = ()
    unexplained: Unexplained | None = None
    unavailable: Unavailable | None = None
    annotations: tuple[Annotation, ...] = ()
    facts: Facts = Facts()
    notices: tuple[str, ...] = ()
    trail: Trail = Trail()

    @property
    def announced(self) -> Announced:
        """The failed step as its header shows it, the last one of that title; empty where the log has none."""
        return next((one for one in reversed(self.trail.announced) if one.title == self.step), Announced(""))


class VerdictValue(StrEnum):
    YOURS = "yours"
    TRUNK = "trunk"
    FLAKE = "flake"
    INFRA = "infra"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One observation behind a verdict: a sentence and where to see it."""

    text: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    value: VerdictValue
    evidence: tuple[Evidence, ...] = ()
    confidence: Confidence = Confidence.LOW
