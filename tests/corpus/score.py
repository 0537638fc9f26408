"""Scores diagnosis on labelled real logs that lie outside this repository, and says what it confuses.

usage: TRIAGE_CORPUS=folder CORPUS_GIT=folder python -m tests.corpus.score [--show] [--only ID] [--process]

TRIAGE_CORPUS holds cases.jsonl, loader.py and score.py; CORPUS_GIT the repositories that its cases lie in. With
--process the corpus's own scorer runs `triage log` once a case; without it the same counts are taken in this process.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

from tests.corpus.triaging import Triager

_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def corpus() -> Path | None:
    folder = os.environ.get("TRIAGE_CORPUS", "")
    return Path(folder) if folder and (Path(folder) / "cases.jsonl").is_file() else None


def loader_of(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("corpus_loader", folder / "loader.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", _ESCAPES.sub("", text)).strip()


class Score:
    """Counts as the corpus's scorer takes them, and the confusions behind them."""

    def __init__(self) -> None:
        self.count: Counter[str] = Counter()
        self.confusions: list[str] = []
        self.absent: set[str] = set()

    def add(self, case: dict, text: str, triager: Triager) -> None:
        diagnoses = [diagnosis for _, diagnosis in triager(text.encode())]
        causes = [cause for each in diagnoses for cause in each.causes]
        guesses = [each.unexplained for each in diagnoses if each.unexplained]
        first = causes[0] if causes else None
        self.count["cases"] += 1
        match case["family"]:
            case "no-failure":
                self._quiet(case, first, "healthy", "healthy silent")
            case "unknown":
                self._quiet(case, first, "unknowable", "unknowable left unknown")
            case _:
                self._failed(case, first, guesses[0] if guesses else None, text)

    def _quiet(self, case: dict, first: object, total: str, silent: str) -> None:
        self.count[total] += 1
        self.count[silent] += first is None
        if first is not None:
            self.confusions.append(f"{case['id']}: want silence, got {first.signature} | {first.line.text[:90]}")

    def _failed(self, case: dict, first: object, guess: object, text: str) -> None:
        wanted, said = squeezed(case["root_cause_line"] or ""), first or guess
        raw = text.split("\n")
        spoken = squeezed(raw[said.line.number - 1]) if said and 0 < said.line.number <= len(raw) else ""
        line_ok = bool(wanted and wanted in spoken)
        family_ok = bool(first and first.family == case["family"])
        self.count["failed"] += 1
        self.count["right line"] += line_ok
        self.count["right family"] += family_ok
        self.count["named"] += first is not None
        self.count["wrong family"] += bool(first and not family_ok)
        self.count["both wrong"] += bool(first and not line_ok and not family_ok)
        self.count["forbidden"] += bool(first and first.family in case["is_negative_for"])
        if not (line_ok and family_ok):
            got = f"{first.family} by {first.signature}" if first else f"nothing ({guess.why if guess else 'silent'})"
            number = f"{said.line.number}" if said else "-"
            self.confusions.append(
                f"{case['id']}: want {case['family']} | {wanted[:100]} @{case['root_line_no']}\n"
                f"    got {got} {'line ok' if line_ok else ''} | {spoken[:110] or '-'} @{number}"
                + (f"\n    because {first.reason}" if first else "")
            )


def score(folder: Path, only: str = "") -> Score:
    """Over all cases whose text is on this machine."""
    loader, triager, total = loader_of(folder), Triager(), Score()
    for case in loader.cases():
        if only and only not in case["id"]:
            continue
        try:
            text = loader.text_of(case)
        except loader.MissingRepository as repository:
            total.absent.add(str(repository))
            continue
        if text is not None:
            total.add(case, text, triager)
    return total


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--show", action="store_true")
    options.add_argument("--only", default="")
    options.add_argument("--process", action="store_true")
    chosen = options.parse_args()
    folder = corpus()
    if folder is None:
        print("TRIAGE_CORPUS names no folder with cases.jsonl: nothing to score", file=sys.stderr)
        return 2
    if chosen.process:
        command = [sys.executable, str(folder / "score.py"), *(["--show"] if chosen.show else [])]
        return subprocess.run(command, check=False).returncode
    total = score(folder, chosen.only)
    if chosen.show:
        print("\n".join(total.confusions))
    print(json.dumps(total.count))
    if total.absent:
        print(f"not on this machine: {', '.join(sorted(total.absent))}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
