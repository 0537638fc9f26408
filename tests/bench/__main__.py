"""`python -m tests.bench`: the benchmark's tables. `--quick` takes about two minutes, the full one about ten.

Set CORPUS_CASES and CORPUS_GIT for real failing text (see `texts.real_failures`); otherwise the text is self-made.
Ratios inside one run mean something; absolute speeds depend on the machine and on what else it does.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable

from tests.bench import end_to_end, hostile, matching_alone
from tests.bench.texts import MB, cleaned, noise, real_failures


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("--quick", action="store_true", help="smaller samples, no 5 GB log")
    parser.add_argument("--only", choices=("matching", "hostile", "end-to-end"), help="one part alone")
    chosen = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", flush=True)
    if chosen.only in (None, "matching"):
        _matching(chosen.quick)
    if chosen.only in (None, "end-to-end"):
        _rows("End to end", ["what", "MB", "seconds", "MB/s", "peak MiB"], end_to_end.run(chosen.quick))
    if chosen.only in (None, "hostile"):
        ran = (
            [
                r.what,
                f"{r.size / MB:.0f}",
                f"{r.seconds:.2f}",
                f"{r.size / MB / r.seconds:.0f}",
                f"{r.memory:.0f}",
                f"{r.growth:.1f}",
            ]
            for r in hostile.run_all(0.2 if chosen.quick else 1.0)
        )
        _rows("Hostile input", ["what", "MB", "seconds", "MB/s", "peak MiB", "twice the size takes"], ran)


def _matching(quick: bool) -> None:
    real = real_failures()
    text = cleaned(real or noise(8 * MB))
    budget = (60 if quick else 300) * MB
    speeds = list(matching_alone.compare(text, (100, 500, 1500), budget))
    ours = {speed.rules: speed.rate for speed in speeds if speed.what == "engine"}
    rows = (
        [s.what, str(s.rules), f"{s.size / MB:.1f}", f"{s.rate:.2f}", f"{s.hits}", f"{ours[s.rules] / s.rate:.1f}x"]
        for s in speeds
    )
    named = "real failing text" if real else "self-made training noise"
    _rows(f"Matching alone, on cleaned {named}", ["what", "patterns", "MB", "MB/s", "hits", "the engine is"], rows)


def _rows(title: str, head: list[str], rows: Iterable[list[str]]) -> None:
    print(f"\n{title}\n{'  '.join(_cells(head))}", flush=True)
    for row in rows:
        print("  ".join(_cells(row)), flush=True)


def _cells(row: list[str]) -> list[str]:
    return [f"{row[0]:34}", *(f"{cell:>10}" for cell in row[1:])]


if __name__ == "__main__":
    main()
