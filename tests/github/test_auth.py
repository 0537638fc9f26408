import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from triage.errors import ConfigurationError, UsageError
from triage.github.auth import AppKey, Credentials, InstallationAuth, app_from, authentication, find_credentials

COM = "https://api.github.com"
SERVER = "https://git.example/api/v3"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\n"


@pytest.fixture(autouse=True)
def no_gh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.parametrize(
    ("api", "flag", "environ", "source", "token"),
    [
        (COM, "flag", {"GH_TOKEN": "a"}, "--token", "flag"),
        (COM, "", {"GH_TOKEN": "a", "GITHUB_TOKEN": "b"}, "GH_TOKEN", "a"),
        (COM, "", {"GH_TOKEN": " ", "GITHUB_TOKEN": "b\n"}, "GITHUB_TOKEN", "b"),
        (COM, "", {"GH_ENTERPRISE_TOKEN": "c"}, "none (anonymous)", ""),
        (SERVER, "", {"GH_TOKEN": "a", "GH_ENTERPRISE_TOKEN": "c"}, "GH_ENTERPRISE_TOKEN", "c"),
        (SERVER, "", {"GITHUB_TOKEN": "b"}, "GITHUB_TOKEN", "b"),
        (COM, "", {"GITHUB_TOKEN": "b", "TRIAGE_APP_ID": "1", "TRIAGE_APP_KEY": PEM}, "GITHUB_TOKEN", "b"),
        (COM, "", {"TRIAGE_APP_ID": "1", "TRIAGE_APP_KEY": PEM}, "GitHub App 1", ""),
        (COM, "", {}, "none (anonymous)", ""),
    ],
)
def test_the_order(api: str, flag: str, environ: dict[str, str], source: str, token: str) -> None:
    found = find_credentials(api, flag, environ)
    assert (found.source, found.token) == (source, token)


def test_gh_is_asked_last_and_for_this_host(tmp_path: Path) -> None:
    program = tmp_path / "gh"
    program.write_text('#!/bin/sh\n[ "$*" = "auth token --hostname git.example" ] && echo from-gh\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    assert find_credentials(SERVER, "", {}) == Credentials("gh auth token", "from-gh")
    assert find_credentials(COM, "", {}).anonymous
    assert find_credentials(SERVER, "", {"GH_TOKEN": "a"}).source == "GH_TOKEN"


def test_secrets_do_not_show() -> None:
    found = Credentials("GH_TOKEN", "very-secret", AppKey("1", "very-secret"))
    assert "very-secret" not in f"{found!r} {found.identity}"
    assert found.identity != Credentials("GH_TOKEN", "other").identity


def test_the_key_may_be_a_file_or_have_its_line_breaks_written_out(tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    file.write_text(PEM)
    for key in (str(file), PEM, PEM.replace("\n", "\\n")):
        assert app_from({"TRIAGE_APP_ID": "9", "TRIAGE_APP_KEY": key}) == AppKey("9", PEM, 0)


@pytest.mark.parametrize(
    "environ",
    [
        {"TRIAGE_APP_ID": "1"},
        {"TRIAGE_APP_KEY": PEM},
        {"TRIAGE_APP_ID": "1", "TRIAGE_APP_KEY": "/no/such/file"},
        {"TRIAGE_APP_ID": "1", "TRIAGE_APP_KEY": PEM, "TRIAGE_APP_INSTALLATION": "x"},
    ],
)
def test_half_an_app_is_refused(environ: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError) as refused:
        app_from(environ)
    assert refused.value.remedy


def test_anonymous_requests_are_not_signed() -> None:
    assert authentication(Credentials("none"), "example/train", COM, True) is None


def test_an_installation_token_is_shared_and_renewed_before_it_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, object]] = []
    moment = datetime.now(UTC)

    class Granted:
        token = "installation-token"
        expires_at = moment + timedelta(seconds=90)

    class Integration:
        def __init__(self, **options: object) -> None:
            assert options["base_url"] == SERVER

        def get_repo_installation(self, owner: str, repo: str) -> object:
            asked.append(("installation", f"{owner}/{repo}"))
            return type("Installation", (), {"id": 5})

        def get_access_token(self, number: int) -> Granted:
            asked.append(("token", number))
            return Granted()

    monkeypatch.setattr("github.GithubIntegration", Integration)
    auth = authentication(Credentials("App", "", AppKey("1", PEM)), "example/train", SERVER, True)
    assert isinstance(auth, InstallationAuth)
    headers: dict[str, str] = {}
    auth.authentication(headers)
    assert headers == {"Authorization": "token installation-token"}
    assert auth.token == "installation-token"
    assert asked == [("installation", "example/train"), ("token", 5)]
    Granted.expires_at = moment + timedelta(hours=1)
    auth._expires = moment + timedelta(seconds=30)
    assert auth.token == "installation-token"
    assert len(asked) == 4


def test_an_app_that_gets_no_token_says_what_to_check() -> None:
    auth = InstallationAuth(AppKey("1", "no key"), "example/train", SERVER, True)
    with pytest.raises(ConfigurationError, match="App 1 gets no token"):
        _ = auth.token


@pytest.mark.parametrize("odd", ["a b", "a\nb", "tök€n", "a\r\nX-Other: 1", "x" * 9000])
@pytest.mark.parametrize("source", ["--token", "GH_TOKEN"])
def test_what_no_header_can_carry_is_refused_and_not_shown(source: str, odd: str) -> None:
    flag, environ = (odd, {}) if source == "--token" else ("", {"GH_TOKEN": odd})
    with pytest.raises(UsageError, match=f"What {source} holds is no token") as raised:
        find_credentials(COM, flag, environ)
    assert odd not in str(raised.value)


def test_blanks_around_a_flag_are_no_part_of_it() -> None:
    assert find_credentials(COM, " token\n", {}).token == "token"
    assert find_credentials(COM, " ", {"GH_TOKEN": "a"}).source == "GH_TOKEN"
