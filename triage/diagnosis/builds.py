"""At which instruction the build of an image ended, from what BuildKit, the classic builder and buildah print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from triage.model.diagnosis import BuildStep
from triage.model.log import LogReading, Probed

BUILD_PROBES: Mapping[str, str] = {
    # BuildKit names the file and shows the instruction, each of its lines marked.
    "build_place": r"^(?P<path>[\w./+@-]*(?:[Dd]ocker|[Cc]ontainer)file[\w.+@-]*):(?P<line>\d{1,5})$",
    "build_line": r"^ *(?P<number>\d{1,5}) \| >>> ?(?P<text>.*)$",
    # The classic builder and buildah number the instructions instead.
    "build_step": r"^(?:Step \d{1,4}/\d{1,4} : |STEP \d{1,4}/\d{1,4}: )(?P<text>[A-Z]+ \S.*)$",
    # BuildKit's own lines, where a log holds no frame of the file: an instruction, and the number of the failed one.
    # It pads the numbers: `[ 6/28]`.
    "kit_step": r"^#(?P<id>\d{1,4}) \[ {0,3}(?:[^\]\n]{1,80} )?\d{1,3}/\d{1,3}\] (?P<text>RUN \S.*)$",
    "kit_failed": r"^#(?P<id>\d{1,4}) ERROR: process ",
    "build_failed": r"^The command '.*' returned a non-zero code: \d+|^Error: (?:error )?building at STEP \"",
    # BuildKit's summary names the stage, and the instruction on one line; a log need not hold the frame below it.
    "build_stage": r"^ > \[ *(?:(?P<stage>[\w.+-]{1,120}) +)?(?P<count>\d{1,4})/\d{1,4}\] (?P<text>[A-Z]+ \S.*?):?$",
    "build_read": r"^#\d{1,4} \[[\w .-]{0,80}internal\] load build definition from (?P<file>[\w.+@-]{1,120})$",
    # Kaniko logs each instruction as it comes to it.
    "build_kaniko": r"^(?:\x1b\[\d+m)?INFO(?:\x1b\[0m)?\[\d{4,6}\] (?P<text>(?:RUN|COPY|ADD) \S.*)$",
    "build_kaniko_failed": r"^error building image: ",
}


def build_step_of(reading: LogReading) -> BuildStep | None:
    """The last one: earlier builds of the job succeeded."""
    hits = [hit for hit in reading.probed if hit.probe in BUILD_PROBES]
    shown = _last(hits, "build_place")
    stage = _last(hits, "build_stage")
    given = hits[stage].captures if stage >= 0 else {}
    kit = _of_kit(hits)
    text = _longer(given.get("text", ""), kit)
    named, count = given.get("stage") or "", int(given.get("count") or 0)
    if shown >= 0:
        lines = _marked(hits[shown + 1 :])
        path, line = hits[shown].captures.get("path", ""), int(hits[shown].captures.get("line") or 0)
        if lines:
            return BuildStep(path, lines, stage=named, count=count)
        if text:
            return BuildStep(path, {line: ""}, text, named, count)
        return BuildStep(path, text=kit) if kit else None
    if stage >= 0:
        return BuildStep(_read(hits), text=text, stage=named, count=count)
    for numbered, failed in (("build_step", "build_failed"), ("build_kaniko", "build_kaniko_failed")):
        ended = _last(hits, failed)
        steps = [hit for hit in hits[:ended] if hit.probe == numbered] if ended >= 0 else []
        if steps:
            return BuildStep(text=steps[-1].captures.get("text", ""))
    return BuildStep(text=kit) if kit else None


def _longer(text: str, whole: str) -> str:
    """What another line shows of an instruction that this one cuts short."""
    head = text.partition("...")[0].strip()
    return whole if "..." in text and whole.startswith(head) and len(whole) > len(text) else text


def _of_kit(hits: Sequence[Probed]) -> str:
    """The instruction that BuildKit's own numbers say failed; "" for none."""
    failed = [hit.captures.get("id", "") for hit in hits if hit.probe == "kit_failed"]
    steps = [hit.captures for hit in hits if hit.probe == "kit_step"]
    texts = [one.get("text", "") for one in steps if one.get("id", "") in failed[-1:]]
    return texts[-1] if texts else ""


def _last(hits: Sequence[Probed], probe: str) -> int:
    return max((at for at, hit in enumerate(hits) if hit.probe == probe), default=-1)


def _read(hits: Sequence[Probed]) -> str:
    """The file that BuildKit says that it reads, where it says so of one alone."""
    names = {hit.captures.get("file", "") for hit in hits if hit.probe == "build_read"}
    return next(iter(names)) if len(names) == 1 else ""


def _marked(hits: Sequence[Probed]) -> dict[int, str]:
    """Lines of one frame: their numbers rise. What a log leaves out between them is left out here too."""
    lines: dict[int, str] = {}
    for hit in hits:
        number = int(hit.captures.get("number") or 0)
        if hit.probe != "build_line" or number <= max(lines, default=0):
            break
        lines[number] = hit.captures.get("text", "")
    return lines
