"""The commands, as a person types them."""

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tests.github.worlds import BASE, REPO, TOKEN, make_world
from triage.cli import cache, doctor
from triage.demo.server import Server, World
from triage.errors import UsageError

APP = typer.Typer()
APP.command("doctor")(doctor.doctor)
APP.add_typer(cache.app, name="cache")


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("TRIAGE_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def run_doctor(world: World, *further: str) -> tuple[int, str]:
    with Server(world) as server:
        command = ["doctor", "--repo", REPO, "--api-url", server.api_url, "--token", TOKEN, *further]
        done = CliRunner().invoke(APP, command, standalone_mode=False)
    assert done.exception is None, done.output
    return int(done.return_value), done.output


def test_everything_is_in_order() -> None:
    code, said = run_doctor(make_world())
    assert code == 0
    assert "!!  " not in said
    assert said.endswith("so:     nothing stands in the way\n")
    assert "the defaults are in force" in said
    assert TOKEN not in said


def test_without_a_repository_it_checks_what_it_can_and_names_what_it_skipped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    with Server(make_world()) as server:
        command = ["doctor", "--api-url", server.api_url, "--token", TOKEN]
        done = CliRunner().invoke(APP, command, standalone_mode=False)
    assert done.return_value == 2
    for said in ("!!  repository", "ok  GitHub", "ok  token", "--  skipped           repository, runs, logs"):
        assert said in done.output


def test_a_broken_configuration_is_found() -> None:
    world = make_world()
    world.trees[BASE] = {".github/triage.toml": b"colour = 'red'\n"}
    code, said = run_doctor(world)
    assert code == 4
    assert "!!  configuration" in said


def test_the_persons_own_file_is_checked(tmp_path: Path) -> None:
    file = tmp_path / "triage.toml"
    file.write_text("minimum_n = 'many'\n")
    code, said = run_doctor(make_world(), "--config", str(file))
    assert code == 2
    assert "minimum_n" in said


def test_a_wrong_token_is_told_with_its_remedy() -> None:
    world = make_world()
    world.token = "ghp_another0123456789"
    code, said = run_doctor(world)
    assert code == 4
    assert "give another one with --token" in " ".join(said.split())
    assert said.endswith("so:     to be put right: token\n")


def test_tools_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    code, said = run_doctor(make_world())
    assert code == 2
    assert "!!  git               not found; without it no patch" in said
    assert "--  zizmor" in said


def test_the_cache_is_shown_and_cleared(own_cache: Path) -> None:
    file = own_cache / "logs" / "host" / "repo" / "1-1-1-0.log"
    file.parent.mkdir(parents=True)
    file.write_bytes(bytes(2_500_000))
    shown = CliRunner().invoke(APP, ["cache", "show"]).output
    assert str(own_cache) in shown
    assert "2.5 MB" in shown
    assert "2.5 MB freed" in CliRunner().invoke(APP, ["cache", "clear"]).output
    assert not file.exists()
    assert "in all        0 files" in CliRunner().invoke(APP, ["cache", "show"]).output


def test_what_cannot_be_cleared_is_said(own_cache: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine.txt").write_text("keep")
    own_cache.mkdir()
    (own_cache / "logs").symlink_to(elsewhere)
    ended = CliRunner().invoke(APP, ["cache", "clear"])
    assert isinstance(ended.exception, UsageError)
    assert "1 file in" in ended.exception.message
    assert (elsewhere / "mine.txt").exists()
