from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.command import Ran, triage
from tests.histories import opened
from triage.cli.since import DEFAULT_DB
from triage.demo.runs import REPO, build_world, make_clone
from triage.demo.server import LogState, Server, World
from triage.model.outcome import FixState
from triage.model.run import Commit
from triage.storage.database import History
from triage.storage.ledger import all_fixes, put_fixes

Capture = pytest.CaptureFixture[str]
FAST = ("--no-evidence", "--no-cache")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return tmp_path / "train"


@pytest.fixture
def world(clone: Path) -> World:
    head, merge = make_clone(clone)
    world = build_world(head, merge)
    world.commits |= {head: Commit(head, "A made-up repository"), merge: Commit(merge, "Merge", parents=(head,))}
    world.executables.add("tests/e2e/run_fully_async.sh")
    return world


@pytest.fixture
def server(world: World) -> Iterator[Server]:
    with Server(world) as running:
        yield running


def run(capsys: Capture, server: Server, *arguments: str) -> Ran:
    return triage(capsys, "run", *arguments, "--api-url", server.api_url, "--repo", REPO, "--token", "t0ken", *FAST)


def test_a_patch_file_is_written_and_applies(capsys: Capture, server: Server, clone: Path) -> None:
    patch = clone.parent / "fix.patch"
    ran = run(capsys, server, "7003", "--patch", str(patch))
    assert ran.code == 0, ran.err
    subprocess.run(["git", "-C", str(clone), "apply", "--check", str(patch)], check=True)


def test_json_names_the_run_and_its_job(capsys: Capture, server: Server) -> None:
    document = json.loads(run(capsys, server, "7003", "--format", "json").out)
    (failure,) = document["failures"]
    assert (failure["run"], failure["job"], failure["workflow"]) == (7003, "model_rmpad", ".github/workflows/model.yml")
    assert failure["step"] == "Running rmpad model tests on 8 L20 GPUs"


def test_a_checkout_gives_the_tree_and_is_left_alone(capsys: Capture, server: Server, clone: Path) -> None:
    ran = run(capsys, server, "7003", "--checkout", str(clone), "--format", "json")
    assert json.loads(ran.out)["patches"][0]["state"] == "patch"
    status = subprocess.run(["git", "-C", str(clone), "status", "--porcelain"], capture_output=True, check=True)
    assert status.stdout == b""
    applied = run(capsys, server, "7003", "--checkout", str(clone), "--apply")
    assert applied.code == 0
    assert "+          pip3 install -r requirements.txt" in applied.out
    diff = subprocess.run(["git", "-C", str(clone), "diff"], capture_output=True, text=True, check=True).stdout
    assert "+          pip3 install -r requirements.txt" in diff


def test_a_checkout_that_lacks_the_commit_is_told_how_to_get_it(
    capsys: Capture, server: Server, clone: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    ran = run(capsys, server, "7003", "--checkout", str(other))
    assert ran.code == 2
    assert "fetch" in ran.err
    assert "Traceback" not in ran.err


def test_open_pr_makes_a_branch_a_commit_and_a_pull_request(capsys: Capture, server: Server, world: World) -> None:
    ran = run(capsys, server, "7002", "--open-pr")
    assert ran.code == 0, ran.err
    branch = world.branches["triage/run-7002"]
    assert b"    fsdp_size=2\n" in world.trees[branch]["tests/e2e/run_fully_async.sh"]
    assert world.pulls[-1].head_ref == "triage/run-7002"
    assert world.pulls[-1].base_ref == "main"
    again = run(capsys, server, "7002", "--open-pr")
    assert again.code == 0, again.err
    assert len(world.pulls) == 2


def test_what_is_opened_is_in_the_ledger_of_a_history_that_is_there(
    capsys: Capture, server: Server, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "ledger" not in run(capsys, server, "7001", "--open-pr").err
    History.open(DEFAULT_DB, REPO).close()
    ran = run(capsys, server, "7002", "--open-pr")
    assert ran.code == 0, ran.err
    number = world.pulls[-1].number
    assert f"recorded pr-{number}-p1 in the ledger: `triage verify` follows them." in ran.err
    with opened(DEFAULT_DB, REPO) as history:
        (fix,) = all_fixes(history)
    assert (fix.signature, fix.job, fix.pull_request) == ("gpu-oom-optimizer-step", "fully_async_fsdp2", number)
    assert fix.workflow_path == ".github/workflows/e2e_fully_async.yml"
    assert (fix.state, fix.expectation_kind) == (FixState.PROPOSED, "setting")


def test_a_fix_that_is_merged_stays_so_when_it_is_proposed_again(
    capsys: Capture, server: Server, world: World, tmp_path: Path
) -> None:
    db = str(tmp_path / "history.db")
    History.open(db, REPO).close()
    assert run(capsys, server, "7002", "--open-pr", "--db", db).code == 0
    with opened(db, REPO) as history:
        (fix,) = all_fixes(history)
        put_fixes(history, [replace(fix, state=FixState.MERGED, merged_at=fix.proposed_at)])
    assert run(capsys, server, "7002", "--open-pr", "--db", db).code == 0
    with opened(db, REPO) as history:
        assert [one.state for one in all_fixes(history)] == [FixState.MERGED]


def test_a_ledger_that_cannot_be_written_fails_no_pull_request(
    capsys: Capture, server: Server, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(DEFAULT_DB).write_text("no database at all, whatever its name says" * 99)
    ran = run(capsys, server, "7002", "--open-pr")
    assert ran.code == 0, ran.err
    assert world.pulls[-1].head_ref == "triage/run-7002"
    assert "the fixes are not in the ledger: " in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["999"], 4, "999"),
        (["nonsense"], 2, "nonsense"),
        (["7003", "--attempt", "x"], 2, "--attempt x"),
        (["7003", "--apply"], 2, "--apply needs a checkout"),
        (["7003", "--job", "zzz"], 3, "no failed job"),
    ],
)
def test_bad_input(capsys: Capture, server: Server, arguments: list[str], code: int, said: str) -> None:
    ran = run(capsys, server, *arguments)
    assert ran.code == code, ran.err
    assert said in ran.err
    assert ran.out == ""
    assert "Traceback" not in ran.err


def test_no_permission_names_what_is_lacking(capsys: Capture, server: Server, world: World) -> None:
    world.token = "another"
    ran = run(capsys, server, "7003")
    assert ran.code == 4
    assert "t0ken" not in ran.err


def test_an_expired_log_is_a_result(capsys: Capture, server: Server, world: World) -> None:
    world.logs[70030] = LogState.EXPIRED
    ran = run(capsys, server, "7003", "--format", "json")
    assert ran.code == 0
    assert json.loads(ran.out)["failures"][0]["unavailable"]["reason"] == "expired"


def test_without_a_run_the_newest_failed_one_is_taken(capsys: Capture, server: Server) -> None:
    document = json.loads(run(capsys, server, "--format", "json").out)
    assert document["runs"][0]["id"] == 7003
    narrowed = json.loads(run(capsys, server, "--workflow", "e2e_fully_async.yml", "--format", "json").out)
    assert narrowed["runs"][0]["id"] == 7002


def test_evidence_is_asked_for_by_default(capsys: Capture, server: Server) -> None:
    ran = triage(capsys, "run", "7003", "--api-url", server.api_url, "-R", REPO, "--token", "t", "-f", "json")
    verdict = json.loads(ran.out)["causes"][0]["verdict"]
    assert verdict["value"] == "unknown"


def test_a_pull_request_is_triaged_as_one(capsys: Capture, server: Server) -> None:
    ran = triage(
        capsys, "pr", "41", "--api-url", server.api_url, "-R", REPO, "--token", "t", "-f", "json", "--no-evidence"
    )
    document = json.loads(ran.out)
    assert {one["id"] for one in document["runs"]} == {7001, 7002, 7003}
    assert len(document["causes"]) == 3
