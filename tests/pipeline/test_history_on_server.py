"""The whole way of a sync: the command, the adapter, HTTP, the catalogue, the database."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.histories import REPO, opened
from tests.pipeline.made_up_github import START, busy
from tests.pipeline.served import world_of
from triage.cli import history as command
from triage.cli.main import app
from triage.demo.server import Server
from triage.model.history import Period, day_of
from triage.storage import aggregates
from triage.storage.outcomes import outcome

PERIOD = Period(day_of(START), day_of(START) + 3)


def test_a_sync_over_http_matches_logs_on_the_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    github = busy(40)
    db = str(tmp_path / "history.db")
    with Server(world_of(github)) as server:
        code = command.sync("2026-11-20", db, REPO, server.api_url, "token")
        first = capsys.readouterr().out
        command.sync("2026-11-20", db, REPO, server.api_url, "token")
        second = capsys.readouterr().out
    assert code == 0
    assert first.startswith("40 runs read (")
    assert second.startswith("no new run to read; 0 listed on 1 day that may have changed")
    with opened(db) as history:
        (logs,) = aggregates.log_counts(history, PERIOD)
        assert (logs.log, logs.failed, logs.explained) == ("read", logs.failed, logs.failed)
        failed = next(job for jobs in github.jobs_of.values() for job in jobs if job.conclusion == "failure")
        row = outcome(history, failed.id)
        assert row.causes[0].family == "gpu-oom"
        assert "Tried to allocate 2.50 GiB" in row.causes[0].text
        assert row.pool.gpus == 8
        assert row.on_base


def test_rescore_says_what_a_new_rule_changes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "loss-printed.yaml").write_text(_RULE)
    db = str(tmp_path / "history.db")
    with Server(world_of(busy(12))) as server:
        command.sync("2026-11-20", db, REPO, server.api_url, "token")
        capsys.readouterr()
        for dry_run, changed in ((True, True), (False, True), (False, False)):
            command.rescore("2026-11-20", db, REPO, server.api_url, "token", dry_run=dry_run, signatures=[own])
            said = capsys.readouterr().out
            assert ("-> loss-printed  job-" in said) is changed
            assert said.splitlines()[-1].startswith("0 changed") is not changed


_RULE = """\
title: The loss was printed
owner: test
family: code-error
category: deterministic
severity: high
rank: root
status: experimental
added: "2026-11-01"
review_by: "2027-11-01"
match:
  contains: "step 7: loss"
explains: [gpu-oom-actor-update]
explain:
  what: A line of the test's own log.
examples:
  match: ["step 7: loss 0.1429"]
"""


def test_the_report_of_what_was_synced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = str(tmp_path / "history.db")
    with Server(world_of(busy(40))) as server:
        command.sync("2026-11-20", db, REPO, server.api_url, "token")
    capsys.readouterr()
    written = [str(tmp_path / name) for name in ("r.html", "r.md")]
    command_line = ["report", "--since", "2026-11-20", "--db", db, "--out", written[0], "--out", written[1]]
    assert CliRunner().invoke(app, command_line, standalone_mode=False).return_value == 0
    assert "gpu-oom" in (tmp_path / "r.md").read_text()
    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")
