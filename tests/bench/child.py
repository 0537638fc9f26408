"""One measured scan in a process of its own; prints seconds, bytes and peak memory as JSON.

`repeated WHAT SCALE` a hostile input, `noise MB` training noise made while it is read, `file PATH...` real inputs.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from io import BytesIO
from pathlib import Path

from tests.bench.hostile import INPUTS
from tests.bench.texts import MB, Repeated, noise
from triage.interfaces import LogSource
from triage.matching import compile_patterns, scan_all
from triage.sources.catalogue import load
from triage.sources.logs import collect
from triage.sources.unreadable import UnreadableLog


def main(kind: str, *arguments: str) -> None:
    patterns = compile_patterns(load(cache=False).signatures.values(), _probes())
    sources, refused = _sources(kind, arguments)
    started, used = time.perf_counter(), time.process_time()
    readings = scan_all(sources, patterns)
    seconds, cpu = time.perf_counter() - started, time.process_time() - used
    size = sum(reading.size for one in readings if isinstance(one, tuple) for reading in one)
    print(
        json.dumps(
            {
                "seconds": cpu if len(sources) == 1 else seconds,
                "wall": seconds,
                "size": size,
                "memory": _peak(),
                "refused": refused,
            }
        )
    )


def _peak() -> float:
    """MiB. Linux's ru_maxrss is that of the parent when that was larger, so the process's own mark comes first."""
    status = Path("/proc/self/status")
    if status.exists():
        mark = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM:"))
        return int(mark.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def _probes() -> dict[str, str]:
    from triage.diagnosis import PROBES

    return dict(PROBES)


def _sources(kind: str, arguments: tuple[str, ...]) -> tuple[list[LogSource], int]:
    if kind == "repeated":
        what, scale = arguments
        part, size = INPUTS[what]
        block = part * max(1, MB // len(part))
        return [Repeated(what, block, max(1, round(size * float(scale) * MB / len(block))))], 0
    if kind == "noise":
        block = noise(4 * MB, failing=False) + b"\n"
        return [Repeated("noise", block, round(float(arguments[0]) / 4))], 0
    found = collect([str(Path(path)) for path in arguments], BytesIO())
    return [one for one in found if not isinstance(one, UnreadableLog)], sum(
        isinstance(o, UnreadableLog) for o in found
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
