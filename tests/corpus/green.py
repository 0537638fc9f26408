"""Runs every signature over real logs in which nothing failed: nothing may match, nothing may be named.

usage: CORPUS_GIT=folder python -m tests.corpus.green [--show]

green.jsonl lists files (or lines of files) of public repositories at pinned commits: training runs that finished,
servers that served, builds and installs that succeeded, and the passing steps of CI jobs. No text of them is here.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.corpus.repositories import MissingRepositoryError, read
from tests.corpus.triaging import Triager
from triage.model.signature import Rank

MANIFEST = Path(__file__).with_name("green.jsonl")


def entries() -> Iterator[dict]:
    with MANIFEST.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


class Silence:
    """How many real green lines were read, and what was not silent on them."""

    def __init__(self) -> None:
        self.logs = 0
        self.lines = 0
        self.absent: set[str] = set()
        self.hits: Counter[str] = Counter()
        self.noise: Counter[str] = Counter()
        self.named: Counter[str] = Counter()
        self.examples: dict[str, str] = {}

    def add(self, entry: dict, content: bytes, triager: Triager) -> None:
        self.logs += 1
        self.lines += content.count(b"\n")
        where = f"{entry['repo']}:{entry['path']}"
        for reading, diagnosis in triager(content):
            for match in reading.matches:
                if triager.catalogue.signatures[match.signature].rank is Rank.WRAPPER:
                    # They know noise, which green logs hold too, and never name a cause.
                    self.noise[match.signature] += 1
                    continue
                self.hits[match.signature] += 1
                self.examples.setdefault(match.signature, f"{where}:{match.line.number}: {match.line.text[:160]}")
            named = [cause.signature for cause in diagnosis.causes]
            if diagnosis.unexplained:
                named.append("(unexplained)")
                text = diagnosis.unexplained.line.text[:160]
                self.examples["(unexplained)"] = f"{where}:{diagnosis.unexplained.line.number}: {text}"
            self.named.update(named)


def silence() -> Silence:
    triager, total = Triager(), Silence()
    for entry in entries():
        try:
            content = read(entry["repo"], entry["commit"], entry["path"], entry.get("lines"))
        except MissingRepositoryError as missing:
            total.absent.add(str(missing))
            continue
        total.add(entry, content, triager)
    return total


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--show", action="store_true")
    chosen = options.parse_args()
    total = silence()
    if chosen.show:
        for name, where in total.examples.items():
            print(f"{name} x{total.hits[name] or total.named[name]}: {where}")
    found = {"hits": dict(total.hits), "named": dict(total.named), "wrappers": dict(total.noise)}
    print(json.dumps({"logs": total.logs, "lines": total.lines, **found}))
    if total.absent:
        print(f"not on this machine: {len(total.absent)} logs, {min(total.absent)}", file=sys.stderr)
    return 0 if not (total.hits or total.named) else 1


if __name__ == "__main__":
    sys.exit(main())
