import pytest

from tests.cli.command import triage
from triage.cli import doctor

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    """A machine that has nothing but triage, in a folder that is no repository."""
    monkeypatch.chdir(str(tmp_path))
    monkeypatch.setattr("shutil.which", lambda name, path=None: None)
    monkeypatch.setattr(doctor, "find_spec", lambda name: None)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:9")


@pytest.mark.usefixtures("bare")
def test_what_is_missing_is_named_with_how_to_get_it(capsys: Capture) -> None:
    ran = triage(capsys, "doctor")
    assert ran.code == 2
    said = " ".join(ran.out.split())
    assert "!! git not found; without it no patch can be proved: install git" in said
    assert "-- zizmor not found; checks the security of edited workflows: pip install zizmor" in said
    assert "!! repository no repository is named, and this folder is no clone of one on GitHub. Add --repo" in said
    assert "!! GitHub 127.0.0.1:9 could not be asked" in said
    assert "!! token none" in said
    assert "-- skipped repository, runs, logs" in said
    assert "marks: ok in order, -- optional or worth knowing, !! to be put right" in said
    assert said.endswith("so: to be put right: git, bash, repository, GitHub, token")


@pytest.mark.usefixtures("bare")
def test_it_advises_only_what_can_be_done_here(capsys: Capture) -> None:
    said = triage(capsys, "doctor").out
    for useless in ("run's URL", "`triage doctor`", "gh auth login"):
        assert useless not in said


@pytest.mark.usefixtures("bare")
def test_it_fits_the_terminal(capsys: Capture) -> None:
    lines = triage(capsys, "doctor").out.splitlines()
    assert [line for line in lines if len(line) > 80 and "/" not in line] == []


@pytest.mark.usefixtures("bare")
def test_no_index_is_asked_for_our_own_name(capsys: Capture) -> None:
    assert "install 'triage" not in triage(capsys, "doctor").out
