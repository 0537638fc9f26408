"""A GitHub Enterprise Server has its API below a path, and a GitHub App has tokens that it must ask for."""

from pathlib import Path

import pytest

from tests.github.worlds import HEAD, REPO, RUN_ID, TOKEN, log_of, make_job, make_world, options, private_key
from triage.demo.server import Server
from triage.errors import ConfigurationError
from triage.github import AppKey, connect
from triage.model.run import Unavailable

PREFIX = "/api/v3"


def test_everything_is_found_below_the_path(tmp_path: Path) -> None:
    world = make_world(failed=130)
    with (
        Server(world, prefix=PREFIX) as server,
        connect(REPO, server.api_url, TOKEN, options=options(tmp_path)) as github,
    ):
        assert server.api_url.endswith(PREFIX)
        run = github.run(RUN_ID)
        assert len(github.jobs(run)) == 132
        log = github.log(make_job(1))
        assert not isinstance(log, Unavailable)
        assert log.path.read_bytes() == log_of(1)
        assert isinstance(github.snapshot(HEAD), Path)
        assert github.comments.viewer() == "triage[bot]"


def test_a_renamed_repository_keeps_the_path(tmp_path: Path) -> None:
    world = make_world(failed=130)
    world.former_name = "example/old"
    with (
        Server(world, prefix=PREFIX) as server,
        connect("example/old", server.api_url, TOKEN, options=options(tmp_path)) as github,
    ):
        assert len(github.jobs(github.run(RUN_ID))) == 132
        assert github.repo == REPO


@pytest.mark.parametrize("prefix", ["", PREFIX])
@pytest.mark.parametrize("installation", [0, 5])
def test_an_app_asks_for_a_token_once(tmp_path: Path, prefix: str, installation: int) -> None:
    world = make_world()
    world.installation = 5
    key = AppKey("1", private_key(), installation)
    with (
        Server(world, prefix=prefix) as server,
        connect(REPO, server.api_url, app=key, options=options(tmp_path)) as github,
    ):
        found = dict(github.fetch_logs([make_job(number) for number in (1, 2, 3)]))
        assert not [log for log in found.values() if isinstance(log, Unavailable)]
        assert server.calls.count("installation token") == 1
        assert server.calls.count("installation") == (0 if installation else 1)


def test_an_app_that_is_not_installed(tmp_path: Path) -> None:
    with (
        Server(make_world()) as server,
        connect(REPO, server.api_url, app=AppKey("1", private_key()), options=options(tmp_path)) as github,
        pytest.raises(ConfigurationError, match="App 1 gets no token for example/train"),
    ):
        github.run(RUN_ID)
