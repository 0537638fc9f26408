"""Runs a program of this machine on bytes that we wrote: time-limited, with an empty environment, and never a shell."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SECONDS = 20


@dataclass(frozen=True, slots=True)
class Ended:
    code: int
    output: str
    errors: str


@dataclass(frozen=True, slots=True)
class NotRun:
    reason: str


def execute(
    command: Sequence[str],
    directory: Path,
    *,
    stdin: bytes = b"",
    seconds: float = SECONDS,
    environment: Mapping[str, str] | None = None,
) -> Ended | NotRun:
    """The program's end, or why there is none. `command[0]` is looked up on PATH, then beside this interpreter."""
    program = shutil.which(command[0]) or shutil.which(command[0], path=str(Path(sys.executable).parent))
    if program is None:
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
