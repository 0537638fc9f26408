"""Seeds faults into the repositories of a folder: `python -m tests.seeded --git DIR [--kind NAME …] [--half open|held]`.

Each fault spoils one thing of a real tree (a requirement is taken out, a limit is cut, a path is misspelt) and writes the
log that the job then prints. The product is right when its first choice turns the same knob of the same file back, or
writes there what the fault accepts as well.
Half of the repositories, by their name's hash, are held: of their score only the counts are looked at.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.replay.cases import Case
from tests.replay.knobs import turned
from tests.replay.running import propose_on
from tests.replay.scoring import Score, score
from tests.replay.table import table
from tests.seeded.kinds import KINDS
from tests.seeded.log import written
from tests.seeded.seed import Seed
from tests.seeded.site import Job, Site, jobs_of, site_of
from triage.fixes.overlay import Overlay
from triage.interfaces import Tree
from triage.sources.trees import git_tree

# A repository with fewer workflows is seldom one whose jobs install and run things.
_WORKFLOWS = 3


def main() -> int:
    options = _options()
    scores = []
    for site in _sites(options):
        for kind in options.kind or KINDS:
            for number, seed in enumerate(islice(KINDS[kind](site), options.most)):
                name = f"{kind}:{site.repo}:{number}"
                if options.only and name not in options.only:
                    continue
                scores.append(one := replay(site, seed, name, kind, options.keep))
                if options.verbose:
                    words = f"{seed.job.workflow} {seed.job.id} [{seed.about}] {one.proposal.words[:200]!r}"
                    print(f"{one.verdict:14} {name} {one.proposal.signature} {words}", flush=True)
    print(table(scores))
    return int(any(not one.honest and not one.proposal.applies for one in scores))


def replay(site: Site, seed: Seed, name: str, kind: str, keep: Path | None = None) -> Score:
    """The product's first choice on the spoilt tree, against the tree as it was. `keep`: a folder for the logs."""
    case = Case(name, site.repo, site.tree.sha, site.tree.sha, kind, "yes", held(site.repo))
    whole = {path: site.tree.read(path) for path in seed.spoilt if path in site.tree}
    whole.update(seed.mended)
    with TemporaryDirectory(prefix="seeded-") as folder:
        log = (keep or Path(folder)) / f"{name.replace('/', '+')}.log"
        tree = Overlay(site.tree, seed.spoilt)
        log.write_text(written(spoilt_job(seed, tree), seed), encoding="utf-8")
        proposal = propose_on(tree, seed.job.id, seed.job.workflow, log)
    turning = tuple(path for path, text in seed.spoilt.items() if text != whole.get(path))
    scored = score(case, proposal, turning, turned(seed.spoilt, whole), whole)
    if scored.right_file and not scored.right_knob and _said(seed, proposal.new):
        return dataclasses.replace(scored, right_knob=True, right_direction=True)
    return scored


def _said(seed: Seed, new: Mapping[str, bytes]) -> bool:
    """Whether a line that is new in the spoilt files says it in words that the seed accepts."""
    lines = [
        line
        for path, content in new.items()
        for line in Counter(content.splitlines()) - Counter(seed.spoilt.get(path, b"").splitlines())
    ]
    return bool(seed.accepts) and any(re.search(seed.accepts, line.decode()) for line in lines)


def spoilt_job(seed: Seed, tree: Tree) -> Job:
    """The job as the spoilt tree has it: that is what ran."""
    if not seed.job.workflow:
        return seed.job
    jobs = jobs_of(seed.job.workflow, tree.read(seed.job.workflow))
    return next((job for job in jobs if job.id == seed.job.id), seed.job)


def held(repo: str) -> bool:
    return hashlib.sha256(repo.encode()).digest()[0] % 2 == 1


def _sites(options: argparse.Namespace) -> Iterator[Site]:
    for place in sorted(options.git.glob("*+*/repo")):
        repo = place.parent.name.replace("+", "/", 1)
        if options.repo and repo not in options.repo:
            continue
        if options.half not in ("both", "held" if held(repo) else "open"):
            continue
        tree = git_tree(place, "HEAD")
        if sum(path.startswith(".github/workflows/") for path in tree.paths()) >= _WORKFLOWS:
            yield site_of(repo, tree)


def _options() -> argparse.Namespace:
    words = argparse.ArgumentParser(prog="python -m tests.seeded", description=__doc__)
    words.add_argument("--git", type=Path, default=Path(os.environ.get("TRIAGE_REPLAY_GIT", "clones")))
    words.add_argument("--kind", nargs="*", choices=KINDS, default=[])
    words.add_argument("--half", choices=("open", "held", "both"), default="open")
    words.add_argument("--most", type=int, default=3, help="faults of a kind in one repository")
    words.add_argument("--repo", nargs="*", default=[], metavar="OWNER/NAME")
    words.add_argument("--only", nargs="*", default=[], metavar="KIND:OWNER/NAME:NUMBER")
    words.add_argument("--keep", type=Path, help="a folder in which the logs stay")
    words.add_argument("-v", "--verbose", action="store_true")
    return words.parse_args()


if __name__ == "__main__":
    sys.exit(main())
