"""The facts that the fixes need, as of the line at which the job failed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from triage.diagnosis.builds import build_step_of
from triage.diagnosis.clocks import clock_of
from triage.diagnosis.importing import imported_at
from triage.diagnosis.memory import memory_signs, read_memory
from triage.diagnosis.passed import packages_of, parts_of, traceback_of
from triage.diagnosis.phases import phase_of, phase_of_message
from triage.diagnosis.platforms import batches_of, brought_of, frameworks_of, installed_of, platform_of, versions_of
from triage.diagnosis.progress import before_the_end, progress_of, time_signs
from triage.diagnosis.replacements import replaced_of, retreats_of
from triage.diagnosis.settings import Context, settings_of
from triage.diagnosis.shown_installs import shown_installs
from triage.diagnosis.spacing import spaced_of
from triage.model.diagnosis import Facts, Layout, Memory, Phase
from triage.model.log import Line, LineKind, LogReading
from triage.model.run import Job

_COMMANDS = 20
# Lines at the head of a log in which its first clock is looked for.
_HEAD = 200
# A leap year.
_ANY_YEAR = 2000
# Folders of packages and of Python itself.
_INSTALLED = ("/site-packages/", "/dist-packages/", "/lib/python")
_TRUE, _FALSE = ("true", "1"), ("false", "0")
_SEPARATE_WORDS = ("fully_async", "one_step_off", "separate_async", "disaggregat", "colocate=false")
_COLOCATED_WORDS = ("colocate",)
_TRAINER_PHASES = (Phase.ACTOR_UPDATE, Phase.OPTIMIZER_STEP, Phase.CRITIC_UPDATE, Phase.LOG_PROB, Phase.REFERENCE)
_INSTALL_WORDS = ("pip install", "pip3 install", "uv sync", "uv pip", "apt-get", "conda install", "docker build")
_UV = re.compile(r"\buv (?:run|sync)\b")
# Processes and folders of inference engines.
_ENGINE = re.compile(r"(?i)vllm|sglang|\bEngineCore|\bWorker_(?:TP|PP|DP)\d")
_ENGINE_FOLDERS = ("/vllm/", "/sglang/", "/tensorrt_llm/", "/lmdeploy/")
# Files that compute a loss.
_LOSS = re.compile(r"(?:^|/)(?:loss|losses|loss_functions?)/|(?:cross_entropy|_ce|loss|losses)\.py$")
# Functions of torch itself that a loss calls on its logits.
_OF_LOSSES = ("cross_entropy", "nll_loss", "log_softmax", "kl_div")
_PHASE_PROBES = {"graph_capture": Phase.GRAPH_CAPTURE, "engine_start": Phase.ROLLOUT_START}
# A rise of a tenth over the readings counts as growth; fewer than three readings prove none.
_GROWTH, _READINGS = 1.1, 3


def facts_of(
    reading: LogReading, job: Job, context: Context, evidence: Line | None = None, ranks: Sequence[int] = ()
) -> Facts:
    """`evidence` is the line of the first cause, `ranks` those that it hit; without them the whole log counts."""
    return facts_at(background_of(reading, job), reading, context, evidence, ranks)


def background_of(reading: LogReading, job: Job) -> Facts:
    """The facts that do not depend on where the job failed."""
    versions = versions_of(reading)
    return Facts(
        platform=platform_of(reading, job),
        frameworks=frameworks_of(reading, versions),
        versions=versions,
        installed=installed_of(reading),
        brought=brought_of(reading),
        batches=batches_of(reading),
        replaced=replaced_of(reading),
        retreats=retreats_of(reading),
        tested_sha=reading.tested_sha,
        repository=_said(reading, "repository") or _said(reading, "defined_at"),
        secret_source=_said(reading, "secret_source"),
        gpus=_gpus(reading),
        build=build_step_of(reading),
        spaced=spaced_of(reading),
        started=tuple(
            dict.fromkeys(hit.captures.get("name", "") for hit in reading.probed if hit.probe == "section_started")
        ),
    )


def facts_at(
    background: Facts, reading: LogReading, context: Context, evidence: Line | None = None, ranks: Sequence[int] = ()
) -> Facts:
    """`background` of the same reading, and what depends on the place."""
    until = evidence.number if evidence else reading.lines
    settings = settings_of(reading, until, context)
    commands = tuple(command.text for command in reading.commands if command.line.number <= until)[-_COMMANDS:]
    traced = (one.text for one in reading.commands if one.line.kind is LineKind.XTRACE and one.line.number <= until)
    phase = _phase(reading, evidence)
    memory = _memory(reading, evidence)
    minutes = _minutes(reading, evidence)
    lines = before_the_end(evidence, context) if evidence is not None else ()
    progress = progress_of(lines)
    signs = (
        dict(_signs(reading, memory, ranks))
        | dict(_engine_signs(reading, evidence, memory))
        | ({"image-build": ""} if background.build else {})
    )
    signs |= {"in-loss": "it was the loss that asked for the memory"} if memory and _in_loss(reading, evidence) else {}
    signs |= time_signs(evidence, lines, progress, minutes) if evidence is not None else {}
    signs |= {"several-checks": ""} if _checks_failed(reading) > 1 else {}
    signs |= {"shares-memory": ""} if any(hit.probe == "shared_memory" for hit in reading.probed) else {}
    signs |= {"uses-uv": ""} if any(_UV.search(one.text) for one in reading.commands) else {}
    return replace(
        background,
        phase=phase,
        layout=_layout(settings, commands, phase, memory),
        settings=settings,
        commands=commands,
        traced=tuple(traced)[-_COMMANDS:],
        installs=shown_installs(reading, until),
        frames=tuple(_files(reading, evidence)),
        packages=packages_of(reading, evidence),
        parts=parts_of(reading, evidence),
        imported=imported_at(evidence, lines),
        memory=memory,
        minutes=minutes,
        clocked=_clocked(evidence, lines, context),
        progress=progress,
        signs=tuple(signs),
        notes=tuple(filter(None, signs.values())),
    )


def _files(reading: LogReading, evidence: Line | None) -> Iterator[str]:
    """The files of the traceback that holds the evidence, without the interpreter's and those of packages."""
    traceback = traceback_of(reading, evidence) if evidence is not None else None
    paths = dict.fromkeys(frame.path for frame in traceback.frames) if traceback is not None else ()
    return (path for path in paths if not path.startswith("<") and not any(part in path for part in _INSTALLED))


def _phase(reading: LogReading, evidence: Line | None) -> Phase:
    if evidence is None:
        return Phase.UNKNOWN
    traceback = traceback_of(reading, evidence)
    if traceback is not None:
        phase = phase_of(traceback.frames, traceback.error_type, traceback.message)
    else:
        phase = phase_of_message(evidence.text)
    if phase is not Phase.UNKNOWN:
        return phase
    step = evidence.step.name.lower() if evidence.step else ""
    before = [command.text for command in reading.commands if command.line.number <= evidence.number]
    if "install" in step or (before and any(words in before[-1] for words in _INSTALL_WORDS)):
        return Phase.INSTALL
    last = [hit.probe for hit in reading.probed if hit.probe in _PHASE_PROBES and hit.line.number <= evidence.number]
    return _PHASE_PROBES[last[-1]] if last else Phase.UNKNOWN


def _minutes(reading: LogReading, evidence: Line | None) -> float:
    """The runner's first lines are probed or announce commands, whatever the job runs."""
    if evidence is None or evidence.time is None:
        return 0.0
    lines = [*(hit.line for hit in reading.probed), *(command.line for command in reading.commands)]
    began = min((line.time for line in lines if line.time is not None), default=evidence.time)
    return max((evidence.time - began).total_seconds() / 60, 0.0)


def _clocked(evidence: Line | None, before: Sequence[Line], context: Context) -> float:
    """From the first clock of the log to the last one before the evidence."""
    if evidence is None or evidence.time is not None:
        return 0.0
    first = next(_clocks(context(Line(1, ""), 0, _HEAD)), None)
    last = next(_clocks(reversed(before)), None)
    return max((last - first).total_seconds() / 60, 0.0) if first is not None and last is not None else 0.0


def _clocks(lines: Iterable[Line]) -> Iterator[datetime]:
    """Without their years, which some programs print and others do not."""
    yield from (at.replace(year=_ANY_YEAR) for line in lines if (at := clock_of(line)) is not None)


def _memory(reading: LogReading, evidence: Line | None) -> Memory | None:
    """The figures of the evidence itself, else of the first message with figures."""
    lines = [evidence] if evidence else []
    lines += [hit.line for hit in reading.probed if hit.probe == "out_of_memory"]
    return next((memory for line in lines if (memory := read_memory(line.text)) is not None), None)


def _signs(reading: LogReading, memory: Memory | None, ranks: Sequence[int]) -> Iterator[tuple[str, str]]:
    if memory is None:
        return
    yield from memory_signs(memory)
    world = max(_figures(reading, "world_size", "gpus"), default=0)
    if len(ranks) == 1 and world > 1:
        yield "one-rank", f"only rank {ranks[0]} of {world} ran out of memory"
    readings: dict[str, list[float]] = {}
    for hit in reading.probed:
        if hit.probe == "memory_at_step":
            readings.setdefault(hit.captures.get("name", ""), []).append(float(hit.captures.get("value") or 0))
    for name, values in readings.items():
        if len(values) >= _READINGS and values == sorted(values) and values[-1] > values[0] * _GROWTH:
            yield "growing", f"{name} grew from {values[0]:g} to {values[-1]:g} over the steps"
            return


def _engine_signs(reading: LogReading, evidence: Line | None, memory: Memory | None) -> Iterator[tuple[str, str]]:
    """Whether it was an inference engine's process that asked for the memory."""
    if evidence is None or memory is None:
        return
    traceback = traceback_of(reading, evidence)
    frames = traceback.frames if traceback is not None else ()
    if _ENGINE.search(evidence.stream) or any(part in frame.path for frame in frames for part in _ENGINE_FOLDERS):
        yield "engine-asked", "an inference engine's process asked for the memory"


def _in_loss(reading: LogReading, evidence: Line | None) -> bool:
    """Whether the innermost frame of the failure computes a loss, whose logits are as wide as the vocabulary."""
    traceback = traceback_of(reading, evidence) if evidence is not None else None
    if traceback is None or not traceback.frames:
        return False
    last = traceback.frames[-1]
    return _LOSS.search(last.path) is not None or ("/torch/" in last.path and last.function in _OF_LOSSES)


def _checks_failed(reading: LogReading) -> int:
    return len({tuple(sorted(hit.captures.items())) for hit in reading.probed if hit.probe == "check_failed"})


def _layout(settings: Mapping[str, str], commands: Sequence[str], phase: Phase, memory: Memory | None) -> Layout:
    for key, value in settings.items():
        if key.rpartition(".")[2] in ("hybrid_engine", "colocate", "colocated"):
            if value.lower() in _TRUE:
                return Layout.COLOCATED
            if value.lower() in _FALSE:
                return Layout.SEPARATE
    said = " ".join(commands).lower()
    if any(word in said for word in _SEPARATE_WORDS):
        return Layout.SEPARATE
    if any(word in said for word in _COLOCATED_WORDS):
        return Layout.COLOCATED
    # A trainer that shares its card with another process that holds much of it.
    shared = memory is not None and dict(memory_signs(memory)).get("others-hold")
    return Layout.COLOCATED if shared and phase in _TRAINER_PHASES else Layout.UNKNOWN


def _gpus(reading: LogReading) -> int:
    listed = max((index + 1 for index in _figures(reading, "gpu_listed", "index")), default=0)
    return max([listed, *_figures(reading, "world_size", "gpus")])


def _said(reading: LogReading, probe: str) -> str:
    return next((hit.captures.get("name", "") for hit in reading.probed if hit.probe == probe), "")


def _figures(reading: LogReading, probe: str, capture: str) -> list[int]:
    return [int(hit.captures.get(capture) or 0) for hit in reading.probed if hit.probe == probe]
