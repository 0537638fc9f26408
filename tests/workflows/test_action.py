"""The reusable action and its example: their own steps, run against the embedded server; permissions; linters."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.test_comment import bodies, world_of_a_red_pull
from tests.github.worlds import REPO, RUN_ID, TOKEN
from triage.demo.server import Server

ROOT = Path(__file__).parents[2] / ".github"
ACTION, EXAMPLE = ROOT / "actions" / "triage" / "action.yml", ROOT / "examples" / "pull-requests.yml"
STEPS = {step["name"].split(" ")[0]: step for step in yaml.safe_load(ACTION.read_text())["runs"]["steps"]}
WORKFLOW = yaml.safe_load(EXAMPLE.read_text())


def run_step(name: str, folder: Path, server: Server, **environment: str) -> subprocess.CompletedProcess[str]:
    output = folder / "output"
    output.touch()
    given = {
        **os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "GITHUB_OUTPUT": str(output),
        "GITHUB_REPOSITORY": REPO, "GITHUB_API_URL": server.api_url, "GH_TOKEN": TOKEN, "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1", "RUN_ID": str(RUN_ID), "PLAN": "", "CHECK": "false", "TRIAGE_DB": "", **environment,
    }  # fmt: skip
    script = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", STEPS[name]["run"]]
    return subprocess.run(script, cwd=folder, env=given, capture_output=True, text=True, timeout=120, check=False)


def test_what_one_job_read_another_writes(tmp_path: Path) -> None:
    with Server(world_of_a_red_pull()) as server:
        read = run_step("Read", tmp_path, server)
        assert read.returncode == 0, read.stderr
        assert bodies(server) == []
        name, _, plan = (tmp_path / "output").read_text().strip().partition("=")
        assert name == "plan"
        assert "\n" not in plan
        assert len(plan) < 100_000
        server.calls.clear()
        written = run_step("Write", tmp_path, server, PLAN=plan, CHECK="true")
        assert written.returncode == 0, written.stderr
        (body,) = bodies(server)
        assert "1 likely yours" in body
        assert server.world.check_runs[-1].name == "triage"
        assert not any("log" in call for call in server.calls)


def test_without_a_pull_request_there_is_no_plan(tmp_path: Path) -> None:
    world = world_of_a_red_pull()
    world.pulls = []
    with Server(world) as server:
        read = run_step("Read", tmp_path, server)
    assert read.returncode == 0, read.stderr
    assert (tmp_path / "output").read_text() == ""


def test_a_rerun_in_ci_is_dry_until_it_is_enabled(tmp_path: Path) -> None:
    with Server(world_of_a_red_pull()) as server:
        done = run_step("Rerun", tmp_path, server, CI="true")
        assert done.returncode == 0, done.stderr
        assert server.world.reruns == []
        assert "is deterministic" in done.stdout


def test_permissions_are_given_job_by_job_and_nothing_is_checked_out() -> None:
    assert WORKFLOW["permissions"] == {}
    jobs: dict[str, Any] = WORKFLOW["jobs"]
    assert set(jobs["read"]["permissions"].values()) == {"read"}
    assert set(jobs["write"]["permissions"]) == {"pull-requests", "checks"}
    assert "contents" not in jobs["write"]["permissions"]
    assert jobs["rerun"]["permissions"] == {"actions": "write", "contents": "read", "pull-requests": "read"}
    for job in jobs.values():
        assert all("checkout" not in step.get("uses", "") and "run" not in step for step in job["steps"])


def test_no_expression_stands_in_a_script() -> None:
    for step in STEPS.values():
        assert "${{" not in step["run"]


@pytest.mark.parametrize("path", [ACTION, *sorted(EXAMPLE.parent.glob("*.yml"))], ids=lambda path: path.name)
def test_linters_have_nothing_to_say(path: Path) -> None:
    kind = "vendor.github-actions" if path == ACTION else "vendor.github-workflows"
    commands = [
        ["zizmor", "--offline", "--no-progress", str(path)],
        ["check-jsonschema", "--builtin-schema", kind, str(path)],
    ]
    for command in commands:
        program = shutil.which(command[0], path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        if program is None:
            pytest.skip(f"{command[0]} is not installed: pip install 'triage[linters]'")
        done = subprocess.run([program, *command[1:]], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_scripts_are_sound_shell(tmp_path: Path) -> None:
    program = shutil.which("shellcheck", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if program is None:
        pytest.skip("shellcheck is not installed")
    for name, step in STEPS.items():
        script = tmp_path / f"{name}.sh"
        script.write_text("#!/usr/bin/env bash\n" + step["run"])
        done = subprocess.run([program, str(script)], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stdout
