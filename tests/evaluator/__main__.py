"""`python -m tests.evaluator`: the evaluator against real bash, on the commits of a fetched repository.

TRIAGE_REPLAY_GIT names the folder with fetched repositories (`owner+name/repo` or `name`).
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tests.evaluator.agreement import Agreement, compare
from tests.evaluator.real_bash import Bash
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.load import load_workflow, workflow_paths
from triage.fixes.workflow.names import jobs_of
from triage.fixes.workflow.platform import job_platform
from triage.sources.trees import git_tree

REPOSITORY = "verl-project/verl"
COMMITS = ("611a61cd1", "cb8211095", "1dda039b9")


def repository(root: str, name: str) -> Path | None:
    places = (Path(root, name.replace("/", "+"), "repo"), Path(root, name), Path(root, name.rpartition("/")[2]))
    return next((place for place in places if place.is_dir()), None)


def agreement_at(git: Path, commit: str, *, only_scripts: bool = True, told: bool = True) -> Agreement:
    """Every job of every workflow at a commit."""
    tree, agreement = git_tree(git, commit), Agreement()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)
        bash = Bash(root, skip_missing=True)
        archive = subprocess.run(["git", "archive", commit], cwd=git, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as members:
            members.extractall(bash.tree, filter="data")
        bash.prepare()
        for path in workflow_paths(tree):
            workflow = load_workflow(tree, path)
            if isinstance(workflow, Refusal):
                continue
            for job in jobs_of(tree, workflow):
                compare(tree, job, bash, job_platform(job) or "cuda", agreement, only_scripts=only_scripts, told=told)
    return agreement


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all-steps", action="store_true", help="also steps that call no script")
    parser.add_argument("--untold", action="store_true", help="the evaluator knows nothing of the machine")
    parser.add_argument("--misses", type=int, default=20)
    parser.add_argument("commits", nargs="*", default=COMMITS)
    chosen = parser.parse_args()
    git = repository(os.environ.get("TRIAGE_REPLAY_GIT", ""), REPOSITORY)
    if git is None:
        print("TRIAGE_REPLAY_GIT names no folder that holds", REPOSITORY, file=sys.stderr)
        return 2
    for commit in chosen.commits:
        agreement = agreement_at(git, commit, only_scripts=not chosen.all_steps, told=not chosen.untold)
        print(
            commit,
            dict(agreement.counts),
            f"{agreement.unreached} not reached,",
            f"{agreement.counts['equal'] / max(agreement.total, 1):.1%} equal",
        )
        for miss in agreement.misses[: chosen.misses]:
            print("   ", miss)
    return 0


if __name__ == "__main__":
    sys.exit(main())
