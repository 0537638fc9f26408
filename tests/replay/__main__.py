"""Replays merged fixes: `python -m tests.replay --git DIR [--cases FILE] [--logs DIR] [--half open|held]`.

Each case is a commit that repaired a CI failure. Its parent's tree and a log written from the stated symptom alone go
through the product, and the first choice is scored against the merged change.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from tests.replay.cases import Case, read_cases, write_cases
from tests.replay.running import merged, merged_files, propose
from tests.replay.scoring import Score, score
from tests.replay.table import table

HERE = Path(__file__).parent


def main() -> int:
    options = _options()
    cases = [case for case in read_cases(options.cases, options.logs) if _chosen(case, options)]
    scores, skipped = [], Counter[str]()
    for case in cases:
        reason = missing(case, options.git, options.logs)
        if reason:
            skipped[reason] += 1
            continue
        scores.append(one := replay(options.git, case, options.logs / f"{case.id}.log"))
        if options.verbose:
            print(f"{one.verdict:14} {case.id:24} {one.proposal.signature:34} {one.proposal.words[:160]!r}", flush=True)
    for reason, count in skipped.items():
        print(f"skipped {count}: {reason}", file=sys.stderr)
    print(table(scores))
    if options.record:
        write_cases(options.record, _recorded(cases, options.git))
    return int(any(not one.honest and not one.proposal.applies for one in scores))


def replay(git: Path, case: Case, log: Path) -> Score:
    place = git / case.directory
    files, knobs = merged(place, case)
    proposal = propose(place, case, log)
    return score(case, proposal, files, knobs, merged_files(place, case, proposal.files))


def missing(case: Case, git: Path, logs: Path) -> str:
    """Why a case cannot be replayed here; "" when it can."""
    if not (git / case.directory).exists():
        return f"no clone of {case.repo} in the folder that --git names"
    return "" if (logs / f"{case.id}.log").exists() else "no log has been written for it"


def _chosen(case: Case, options: argparse.Namespace) -> bool:
    half = options.half in ("both", "held" if case.held else "open")
    return half and (not options.only or case.id in options.only)


def _recorded(cases: Iterable[Case], git: Path) -> Iterator[Case]:
    for case in cases:
        files, knobs = merged(git / case.directory, case)
        yield replace(case, files=files[:20], expected=knobs[:12])


def _options() -> argparse.Namespace:
    words = argparse.ArgumentParser(prog="python -m tests.replay", description=__doc__)
    words.add_argument("--git", type=Path, default=Path(os.environ.get("TRIAGE_REPLAY_GIT", "clones")))
    words.add_argument("--cases", type=Path, default=HERE / "cases.json")
    words.add_argument("--logs", type=Path, default=HERE / "logs")
    words.add_argument("--half", choices=("open", "held", "both"), default="both")
    words.add_argument("--only", nargs="*", default=[], metavar="ID")
    words.add_argument("--record", type=Path, help="write the case list with its expected facts")
    words.add_argument("-v", "--verbose", action="store_true")
    return words.parse_args()


if __name__ == "__main__":
    sys.exit(main())
