"""Runs the command line in this process, as the shell would see it."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from triage.cli.main import main


@dataclass(frozen=True, slots=True)
class Ran:
    code: int
    out: str
    err: str


def triage(capsys: pytest.CaptureFixture[str], *arguments: str, stdin: bytes = b"") -> Ran:
    before: Any = (sys.argv, sys.stdin)
    sys.argv = ["triage", *arguments]
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
    try:
        with pytest.raises(SystemExit) as ended:
            main()
    finally:
        sys.argv, sys.stdin = before
    printed = capsys.readouterr()
    return Ran(int(ended.value.code or 0), printed.out, printed.err)
