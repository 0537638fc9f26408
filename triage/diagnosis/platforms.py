"""Which accelerator the job ran on, which frameworks it used and in which versions, and what was installed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from triage.model.diagnosis import Platform
from triage.model.log import LogReading, Probed
from triage.model.run import Job

_SAID = {
    "cuda": Platform.CUDA,
    "rocm": Platform.ROCM,
    "npu": Platform.NPU,
    "ascend": Platform.NPU,
    "cpu": Platform.CPU,
}
_LABEL_WORDS = (
    (re.compile(r"rocm|\bamd|mi[23]\d\d|gfx9"), Platform.ROCM),
    (re.compile(r"npu|ascend|910b"), Platform.NPU),
    (re.compile(r"cuda|nvidia|gpu|[ahb][12]00\b|\bl[24]0?\b|\bt4\b"), Platform.CUDA),
)
_PACKAGE = re.compile(r"(?:site|dist)-packages/([A-Za-z]\w*)/|/(vllm|sglang)/(?:vllm|python/sglang|v1|srt)/")
_PINNED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*?)-(\d[\w.+!]*)\Z")
_NO_FRAMEWORK = ("importlib", "torch", "pip", "setuptools")


def platform_of(reading: LogReading, job: Job) -> Platform:
    """What a framework says it detected, else the runner's labels, else what devices, wheels and libraries show.

    A label is what people pay for; libraries print each other's names. The job's own name decides last.
    """
    said = [_SAID.get(hit.captures.get("platform", "").lower()) for hit in _hits(reading, "platform_said")]
    for platform in said:
        if platform is not None:
            return platform
    labelled = _named(job.labels)
    if labelled is not Platform.UNKNOWN:
        return labelled
    count = Counter(hit.probe for hit in reading.probed if hit.probe.startswith("platform_"))
    cuda, rocm, npu = count["platform_cuda"], count["platform_rocm"], count["platform_npu"]
    # ROCm builds print CUDA's words as well (their macros are shared); the reverse hardly occurs.
    if rocm and rocm >= cuda and rocm >= npu:
        return Platform.ROCM
    if npu and npu >= cuda:
        return Platform.NPU
    if cuda:
        return Platform.CUDA
    return _named((job.name,))


def platform_of_job(job: Job) -> Platform:
    """What the runner's labels say, else the job's own name: for a job without a log."""
    labelled = _named(job.labels)
    return _named((job.name,)) if labelled is Platform.UNKNOWN else labelled


def _named(names: Iterable[str]) -> Platform:
    text = " ".join(names).lower()
    return next((platform for words, platform in _LABEL_WORDS if words.search(text)), Platform.UNKNOWN)


def versions_of(reading: LogReading) -> dict[str, str]:
    """Framework -> the version that the log names last: what an install step ended with."""
    versions: dict[str, str] = {}
    printed = ""
    for hit in reading.probed:
        captures = hit.captures
        match hit.probe:
            case "config_version":
                printed = captures.get("version", "")
            case "version" | "version_for" | "build_version":
                versions[normalised(captures.get("name", ""))] = captures.get("version", "")
            case "engine_version":
                versions["vllm"] = captures.get("version", "")
            case "python_version":
                versions["python"] = captures.get("version") or captures.get("plain") or ""
            case "driver_version":
                versions["nvidia-driver"] = captures.get("driver", "")
            case _:
                pass
    if printed:
        versions.setdefault("transformers", printed)
    return {name: version.rstrip(".") for name, version in versions.items() if name and version}


def frameworks_of(reading: LogReading, versions: dict[str, str]) -> tuple[str, ...]:
    """Packages in whose code a traceback went, most frames first, then those that the log gives a version of."""
    count: Counter[str] = Counter()
    for traceback in reading.tracebacks:
        for frame in traceback.frames:
            found = _PACKAGE.search(frame.path)
            if found:
                count[normalised(found[1] or found[2])] += 1
    named = [name for name, _ in count.most_common()] + list(versions)
    return tuple(name for name in dict.fromkeys(named) if name not in _NO_FRAMEWORK)


def installed_of(reading: LogReading) -> dict[str, str]:
    """Normalised distribution -> version ("" where unknown), from every way an installer says so."""
    installed: dict[str, str] = {}
    for hit in reading.probed:
        name, version = hit.captures.get("name", ""), hit.captures.get("version", "")
        match hit.probe:
            case "installed":
                installed.update(pinned(hit.captures.get("list", "")))
            case "satisfied":
                installed.setdefault(normalised(name), version or "")
            case "uv_installed":
                installed[normalised(name)] = version
            case "listed":
                installed.setdefault(normalised(name), version)
            case _:
                pass
    return installed


def brought_of(reading: LogReading) -> frozenset[str]:
    """Normalised distributions that an install command of the job put in, or replaced."""
    names: set[str] = set()
    for hit in reading.probed:
        if hit.probe == "installed":
            names |= {name for name, _ in pinned(hit.captures.get("list", ""))}
        elif hit.probe == "uv_installed":
            names.add(normalised(hit.captures.get("name", "")))
    return frozenset(names)


def batches_of(reading: LogReading) -> tuple[frozenset[str], ...]:
    """Normalised distributions of each "Successfully installed", in the log's order."""
    lists = (hit.captures.get("list", "") for hit in _hits(reading, "installed"))
    return tuple(frozenset(name for name, _ in pinned(listed)) for listed in lists)


def normalised(name: str) -> str:
    """A distribution's name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned(listed: str) -> Iterator[tuple[str, str]]:
    """Normalised names and versions of what stands behind "Successfully installed"."""
    for word in listed.split():
        found = _PINNED.match(word)
        if found:
            yield normalised(found[1]), found[2]


def _hits(reading: LogReading, probe: str) -> Iterator[Probed]:
    return (hit for hit in reading.probed if hit.probe == probe)
