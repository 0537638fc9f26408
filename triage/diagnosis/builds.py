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
    "kit_step": r"^#(?P<id>\d{1,4}) \[[^\]\n]{1,80} \d{1,3}/\d{1,3}\] (?P<text>RUN \S.*)$",
    "kit_failed": r"^#(?P<id>\d{1,4}) ERROR: process ",
    "build_failed": r"^The command '.*' returned a non-zero code: \d+|^Error: (?:error )?building at STEP \"",
}


def build_step_of(reading: LogReading) -> BuildStep | None:
    """The last one: earlier builds of the job succeeded."""
    hits = [hit for hit in reading.probed if hit.probe in BUILD_PROBES]
    shown = max((at for at, hit in enumerate(hits) if hit.probe == "build_place"), default=-1)
    if shown >= 0:
        lines = _marked(hits[shown + 1 :])
        path = hits[shown].captures.get("path", "")
        return BuildStep(path, lines) if lines else _of_kit(hits, path)
    ended = max((at for at, hit in enumerate(hits) if hit.probe == "build_failed"), default=-1)
    steps = [hit for hit in hits[:ended] if hit.probe == "build_step"] if ended >= 0 else []
    return BuildStep(text=steps[-1].captures.get("text", "")) if steps else _of_kit(hits, "")


def _of_kit(hits: Sequence[Probed], path: str) -> BuildStep | None:
    failed = [hit.captures.get("id", "") for hit in hits if hit.probe == "kit_failed"]
    steps = [hit.captures for hit in hits if hit.probe == "kit_step"]
    texts = [one.get("text", "") for one in steps if one.get("id", "") in failed[-1:]]
    return BuildStep(path, text=texts[-1]) if texts else None


def _marked(hits: Sequence[Probed]) -> dict[int, str]:
    """Lines of one frame: their numbers rise. What a log leaves out between them is left out here too."""
    lines: dict[int, str] = {}
    for hit in hits:
        number = int(hit.captures.get("number") or 0)
        if hit.probe != "build_line" or number <= max(lines, default=0):
            break
        lines[number] = hit.captures.get("text", "")
    return lines
