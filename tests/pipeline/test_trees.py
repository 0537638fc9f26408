"""A tree that cannot be had costs the patch, not the diagnosis."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.fakes import MISSING, FakeGitHub, TextLog, a_job, a_run, built_in, job_log
from triage.model.patch import PatchState
from triage.pipeline.prescription import NoTrees
from triage.pipeline.run import triage_run
from triage.pipeline.trees import trees_of_run


@dataclass
class Snapshots:
    path: Path

    def snapshot(self, sha: str) -> Path:
        return self.path


@pytest.mark.parametrize("body", [b"", b"no tarball" * 100, b"\x1f\x8b\x08\x00" + bytes(90)])
def test_a_tarball_that_cannot_be_read_is_advice_and_is_not_kept(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "tree.tar.gz"
    path.write_bytes(body)
    source: Any = Snapshots(path)
    access = trees_of_run(source, a_run())
    found = access("")
    assert isinstance(found, NoTrees)
    assert "cannot be read as a tarball" in found.reason
    assert not path.exists()
    github = FakeGitHub([a_job(1, "train")], {1: TextLog("train", job_log(MISSING))})
    result = triage_run(github, a_run(), built_in(), access).result
    assert result.causes
    assert {patch.state for patch in result.patches} <= {PatchState.ADVICE, PatchState.REFUSED}
