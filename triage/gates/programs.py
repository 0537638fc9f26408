"""Runs a program of this machine on bytes that we wrote: time-limited, with an empty environment, and never a shell."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

SECONDS = 20
# Answers that are kept: those of a run's patches, and not all that a long-lived process ever asked.
_MOST = 256


@dataclass(frozen=True, slots=True)
class Ended:
    code: int
    output: str
    errors: str


@dataclass(frozen=True, slots=True)
class NotRun:
    reason: str


_answers: dict[bytes, Ended] = {}
_answering = Lock()


def ask(
    command: Sequence[str], files: Mapping[str, bytes], *, stdin: bytes = b"", seconds: float = SECONDS
) -> Ended | NotRun:
    """What a program that only reads says of `files`, by path, in a folder that holds nothing else.

    The same question is asked once in a process: patches of one run share their head, and starting a linter takes
    longer than reading. A program that did not end is asked again.
    """
    question = _question(command, files, stdin)
    with _answering:
        known = _answers.get(question)
    if known is not None:
        return known
    with TemporaryDirectory(prefix="triage-") as folder:
        write(Path(folder), files)
        answer = execute(command, Path(folder), stdin=stdin, seconds=seconds)
    if isinstance(answer, Ended):
        with _answering:
            _answers[question] = answer
            if len(_answers) > _MOST:
                del _answers[next(iter(_answers))]
    return answer


def _question(command: Sequence[str], files: Mapping[str, bytes], stdin: bytes) -> bytes:
    """Everything that the answer depends on: which program, what it is told, what it reads."""
    digest = hashlib.sha256()
    named = (part for path, content in sorted(files.items()) for part in (path.encode(), content))
    for part in (_program(command[0]).encode(), *(word.encode() for word in command[1:]), b"", stdin, *named):
        digest.update(b"%d " % len(part))
        digest.update(part)
    return digest.digest()


def write(root: Path, files: Mapping[str, bytes]) -> None:
    for path, content in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


def execute(
    command: Sequence[str],
    directory: Path,
    *,
    stdin: bytes = b"",
    seconds: float = SECONDS,
    environment: Mapping[str, str] | None = None,
) -> Ended | NotRun:
    """The program's end, or why there is none. `command[0]` is looked up on PATH, then beside this interpreter."""
    program = _program(command[0])
    if not program:
        return NotRun(f"{command[0]} is not installed")
    try:
        done = subprocess.run(
            [program, *command[1:]],
            cwd=directory,
            input=stdin,
            capture_output=True,
            timeout=seconds,
            env=_environment(directory, environment or {}),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return NotRun(f"{command[0]} did not end within {seconds:g} s")
    except OSError as error:
        return NotRun(f"{command[0]} cannot be started: {error}")
    return Ended(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


def _program(name: str) -> str:
    """Its path, "" when it is not installed."""
    return shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent)) or ""


def _environment(directory: Path, extra: Mapping[str, str]) -> dict[str, str]:
    """PATH and nothing personal: no tokens, no git configuration, no proxies."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(directory),
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CEILING_DIRECTORIES": str(directory.parent),
        **extra,
    }
