"""verl at the commits of the goldens, read from a folder of fetched repositories that TRIAGE_REPLAY_GIT names.

The folder holds `<owner>+<name>/repo`, a git directory. Logs and signatures of the goldens are written by us.
"""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import pytest

from tests.fixes.memory_tree import MemoryTree
from triage.catalogue import decode
from triage.diagnosis import PROBES, diagnose
from triage.fixes import Target, prescribe
from triage.gates import prove
from triage.matching import compile_patterns, scan
from triage.model.diagnosis import Cause, JobDiagnosis
from triage.model.patch import Draft, Patch, PatchState
from triage.model.run import Job
from triage.model.signature import Catalogue, Signature
from triage.sources.catalogue import load
from triage.sources.logs import collect

HERE = Path(__file__).parent
VARIABLE = "TRIAGE_REPLAY_GIT"


def git_directory() -> Path:
    folder = os.environ.get(VARIABLE, "")
    place = Path(folder) / "verl-project+verl" / "repo"
    if not folder or not place.exists():
        pytest.skip(f"{VARIABLE} names no folder that holds verl-project+verl/repo")
    return place


def git(*arguments: str) -> bytes:
    command = ["git", "--git-dir", str(git_directory()), *arguments]
    return subprocess.run(command, check=True, capture_output=True).stdout


@lru_cache(maxsize=4)
def tree_at(revision: str) -> MemoryTree:
    archive = tarfile.open(fileobj=io.BytesIO(git("archive", revision)))  # noqa: SIM115 - in memory
    files = {member.name: archive.extractfile(member) for member in archive if member.isfile()}
    content = {name: reader.read() for name, reader in files.items() if reader is not None}
    return MemoryTree(content, git("rev-parse", revision).decode().strip())


def merged(revision: str, path: str) -> bytes:
    return git("show", f"{revision}:{path}")


@lru_cache(maxsize=1)
def built_in() -> Catalogue:
    return load(cache=False)


def local(name: str) -> Signature:
    """A signature as a repository would add it."""
    return decode((HERE / "signatures" / f"{name}.yaml").read_text(), f"signatures/local/{name}.yaml")


def diagnosed(log: str, job: str, extra: Signature | None = None) -> JobDiagnosis:
    """What the log comes to. A repository's own signature is read alone, so that it is the one to be named."""
    catalogue = built_in()
    signatures = {extra.id: extra} if extra is not None else dict(catalogue.signatures)
    known = Catalogue(signatures, catalogue.tables)
    (source,) = collect([str(HERE / "logs" / log)], io.BytesIO())
    readings = scan(source, compile_patterns(signatures.values(), PROBES))
    return diagnose(readings[0], known, Job(0, 0, 1, job, "completed", "failure"))


def drafted(
    found: JobDiagnosis, tree: MemoryTree, workflow: str, extra: Signature | None = None, *, siblings: bool = False
) -> tuple[Draft, ...]:
    cause = found.causes[0]
    signature = extra or built_in().signatures[cause.signature]
    target = Target(workflow, found.job.name, found.step)
    return prescribe(cause, signature, found.facts, target, tree, tree, built_in().tables, siblings)


def first(drafts: Sequence[Draft]) -> Draft:
    """The rung that a reader meets first: one that is refused stands behind those that are not."""
    return next((one for one in drafts if one.state is not PatchState.REFUSED), drafts[0])


def proved(draft: Draft, found: JobDiagnosis, tree: MemoryTree, workflow: str) -> Patch:
    target = Target(workflow, found.job.name, found.step)
    return prove(draft, tree, "p1", (found.causes[0].id,), target, found.facts, built_in().tables)


def named(found: JobDiagnosis) -> Cause:
    return found.causes[0]
