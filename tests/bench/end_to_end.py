"""`triage log` as a person runs it (wall time), one long scan (processor time), two at once (wall time)."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.hostile import measure
from tests.bench.texts import MB, noise

_ROUNDS = 5


def run(quick: bool) -> Iterator[list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        small, large = _log(folder, "small.log", MB), _log(folder, "large.log", (20 if quick else 100) * MB)
        yield _row("triage log, cold", small, _first(small))
        yield _row("triage log, warm", small, min(_triage(small) for _ in range(_ROUNDS)))
        yield _row("triage log", large, min(_triage(large) for _ in range(2)))
        for what, files in (("scan of one log", [large]), ("scan of two, both cores", [large, _copy(large)])):
            yield _measured(what, measure("file", *map(str, files)))
    yield _measured("scan of a streamed log", measure("noise", "500" if quick else "5000"))


def _log(folder: str, name: str, size: int) -> Path:
    path = Path(folder, name)
    path.write_bytes(noise(size))
    return path


def _copy(path: Path) -> Path:
    copied = path.with_name("copy.log")
    copied.write_bytes(path.read_bytes())
    return copied


def _first(log: Path) -> float:
    """With an empty cache of the catalogue, and the package's files out of the page cache where the system allows."""
    if hasattr(os, "posix_fadvise"):
        for file in Path(sys.prefix).rglob("*.pyc"):
            with file.open("rb") as opened:
                os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    with tempfile.TemporaryDirectory() as cache:
        return _triage(log, {"XDG_CACHE_HOME": cache})


def _triage(log: Path, environment: dict[str, str] | None = None) -> float:
    started = time.perf_counter()
    ran = subprocess.run(
        [sys.executable, "-c", "from triage.cli.main import main; main()", "log", log, "--format", "json"],
        capture_output=True,
        check=False,
        env={**os.environ, **(environment or {})},
    )
    if ran.returncode:
        raise RuntimeError(ran.stderr.decode())
    return time.perf_counter() - started


def _row(what: str, log: Path, seconds: float) -> list[str]:
    size = log.stat().st_size / MB
    return [what, f"{size:.0f}", f"{seconds:.2f}", f"{size / seconds:.0f}", ""]


def _measured(what: str, result: dict[str, float]) -> list[str]:
    size, seconds = result["size"] / MB, result["seconds"]
    return [what, f"{size:.0f}", f"{seconds:.2f}", f"{size / seconds:.0f}", f"{result['memory']:.0f}"]
