"""The example for ephemeral runners: its own steps, run against a repository on this machine by two writers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.histories import REPO, opened, outcome
from triage.storage.outcomes import outcome as stored
from triage.storage.outcomes import put

EXAMPLE = Path(__file__).parents[2] / ".github" / "examples" / "weekly-report.yml"
WORKFLOW = yaml.safe_load(EXAMPLE.read_text())
STEPS = {step["name"]: step for step in WORKFLOW["jobs"]["report"]["steps"]}
WHO = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@a.example",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@a.example",
}


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """A bare repository with one commit on main."""
    bare, first = tmp_path / "remote.git", tmp_path / "first"
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", str(bare))
    git(tmp_path, "clone", "--quiet", str(bare), str(first))
    (first / "README").write_text("x")
    git(first, "checkout", "--quiet", "-B", "main")
    git(first, "add", "README")
    git(first, "commit", "--quiet", "-m", "First")
    git(first, "push", "--quiet", "origin", "main")
    return bare


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, text=True, env={**os.environ, **WHO}
    )
    return done.stdout.strip()


class Runner:
    """An ephemeral machine: an empty folder, and what one step hands to the next."""

    def __init__(self, folder: Path, remote: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.output = folder.with_suffix(".output")
        self.output.touch()
        self.environment = {
            **os.environ, "REMOTE": str(remote), "BRANCH": "triage-history", "TRIAGE_DB": "history.db", "GH_TOKEN": "t",
            "GITHUB_OUTPUT": str(self.output), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
        }  # fmt: skip

    def step(self, name: str) -> int:
        found = dict(line.split("=", 1) for line in self.output.read_text().splitlines())
        environment = {**self.environment, "FROM": found.get("from", "")}
        return subprocess.run(
            ["bash", "-e", "-c", STEPS[name]["run"]], cwd=self.folder, env=environment, check=False
        ).returncode

    def take(self) -> int:
        return self.step("Take the history from its branch")

    def collect(self, *jobs: int) -> None:
        with opened(str(self.folder / "history.db")) as history:
            put(history, [outcome(job, run=job) for job in jobs])

    def keep(self) -> int:
        return self.step("Keep the history on its branch")

    def holds(self, job: int) -> bool:
        with opened(str(self.folder / "history.db"), REPO) as history:
            try:
                return stored(history, job).job_id == job
            except LookupError:
                return False


def test_the_history_outlives_the_machine(tmp_path: Path, remote: Path) -> None:
    first = Runner(tmp_path / "one", remote)
    assert first.take() == 0
    first.collect(1)
    assert first.keep() == 0
    second = Runner(tmp_path / "two", remote)
    assert second.take() == 0
    assert second.holds(1)
    second.collect(2)
    assert second.keep() == 0
    third = Runner(tmp_path / "three", remote)
    assert third.take() == 0
    assert third.holds(1)
    assert third.holds(2)
    assert git(remote, "rev-list", "--count", "triage-history") == "1"
    assert git(remote, "ls-tree", "--name-only", "triage-history") == "history.db.gz"
    assert (third.folder / "repository" / "README").is_file()


@pytest.mark.parametrize("kept_before", [False, True])
def test_a_second_writer_is_refused_and_overwrites_nothing(tmp_path: Path, remote: Path, kept_before: bool) -> None:
    if kept_before:
        zeroth = Runner(tmp_path / "zero", remote)
        zeroth.take()
        zeroth.collect(9)
        zeroth.keep()
    one, two = Runner(tmp_path / "one", remote), Runner(tmp_path / "two", remote)
    one.take()
    two.take()
    one.collect(1)
    two.collect(2)
    assert one.keep() == 0
    assert two.keep() != 0
    later = Runner(tmp_path / "later", remote)
    later.take()
    assert later.holds(1)
    assert not later.holds(2)


def test_the_workflow_asks_for_no_more_than_it_needs() -> None:
    assert WORKFLOW["permissions"] == {}
    assert WORKFLOW["concurrency"] == {"group": "triage-history", "cancel-in-progress": False}
    job = WORKFLOW["jobs"]["report"]
    assert job["permissions"] == {"actions": "read", "checks": "read", "contents": "write", "issues": "write"}
    scripts = [step["run"] for step in job["steps"] if "run" in step]
    assert not [script for script in scripts if "${{" in script], "expressions belong in env, not in scripts"
    assert all(
        "@" in step["uses"] and len(step["uses"].partition("@")[2]) == 40 for step in job["steps"] if "uses" in step
    )


def test_the_commands_are_the_ones_that_exist() -> None:
    from typer.main import get_command

    from triage.cli.main import app

    commands = get_command(app)
    for name in ("Collect what runs came to", "Report"):
        words = STEPS[name]["run"].split()
        found = commands
        while words[1] in getattr(found, "commands", {}):
            found = found.commands[words.pop(1)]
        known = {flag for parameter in found.params for flag in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known
