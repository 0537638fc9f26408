import io
import re
import sys

import pytest

from triage.cli.options import wants_color
from triage.cli.progress import watching
from triage.cli.status_line import StatusLine
from triage.errors import GitHubError
from triage.model.run import Job, Transfer


class _Screen(io.StringIO):
    """A terminal of one line: what is left to see of what was written."""

    def isatty(self) -> bool:
        return True

    def seen(self) -> list[str]:
        return [re.split(r"\r\x1b\[K", line)[-1] for line in self.getvalue().split("\n")]


def look(monkeypatch: pytest.MonkeyPatch) -> _Screen:
    """Not a fixture: pytest's own capture takes stderr back before the test begins."""
    found = _Screen()
    monkeypatch.setattr(sys, "stderr", found)
    return found


def test_the_line_is_drawn_over_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = look(monkeypatch)
    with StatusLine() as line:
        line.draw("read 1 of 2 runs")
        line.draw("read 2")
        assert screen.seen() == ["read 2"]
    assert screen.seen() == [""]


def test_a_dumb_terminal_gets_neither_the_line_nor_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    screen = look(monkeypatch)
    monkeypatch.setattr(sys, "stdout", screen)
    with StatusLine() as line:
        line.draw("read 1 of 2 runs")
    assert screen.getvalue() == ""
    assert not wants_color()


def _lose_the_network(screen: _Screen) -> None:
    job = Job(1, 1, 1, "train", "completed", "failure")
    with watching() as watch:
        watch.transferred(Transfer(job, 2_500_000, 0))
        watch.examined(1, 4, job)
        assert screen.seen() == ["1/4 jobs  2.5 MB"]
        raise GitHubError("the network is gone.", "")


def test_an_error_finds_an_empty_line(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = look(monkeypatch)
    with pytest.raises(GitHubError):
        _lose_the_network(screen)
    print("triage: the network is gone.", file=sys.stderr)
    assert screen.seen() == ["triage: the network is gone.", ""]


def test_what_comes_late_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = look(monkeypatch)
    job = Job(1, 1, 1, "train", "completed", "failure")
    with watching() as watch:
        pass
    watch.transferred(Transfer(job, 2_500_000, 0))
    assert screen.seen() == [""]


def test_nothing_is_drawn_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with StatusLine() as line:
        line.draw("read 1 of 2 runs")
    assert capsys.readouterr().err == ""
