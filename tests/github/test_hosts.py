import pytest

from triage.errors import UsageError
from triage.github.hosts import api_url_for, check_api_url, resolve_api_url, web_host


@pytest.mark.parametrize(
    ("host", "api"),
    [
        ("github.com", "https://api.github.com"),
        ("WWW.GitHub.com", "https://api.github.com"),
        ("acme.ghe.com", "https://api.acme.ghe.com"),
        ("git.example", "https://git.example/api/v3"),
    ],
)
def test_every_kind_of_github_has_its_address(host: str, api: str) -> None:
    assert api_url_for(host) == api
    assert web_host(api) == host.lower().removeprefix("www.")


@pytest.mark.parametrize(
    ("flag", "pasted", "environ", "api"),
    [
        ("", "", {}, "https://api.github.com"),
        ("http://127.0.0.1:9/", "", {}, "http://127.0.0.1:9"),
        ("", "", {"GITHUB_API_URL": "https://git.example/api/v3"}, "https://git.example/api/v3"),
        ("", "", {"GH_HOST": "git.example"}, "https://git.example/api/v3"),
        ("", "github.com", {"GH_HOST": "git.example"}, "https://api.github.com"),
        ("", "acme.ghe.com", {}, "https://api.acme.ghe.com"),
        ("", "git.example", {"GH_HOST": "git.example"}, "https://git.example/api/v3"),
        ("https://git.example/api/v3", "git.example", {}, "https://git.example/api/v3"),
        ("http://127.0.0.1:9", "127.0.0.1:9", {}, "http://127.0.0.1:9"),
    ],
)
def test_which_api_is_asked(flag: str, pasted: str, environ: dict[str, str], api: str) -> None:
    assert resolve_api_url(flag, pasted, environ) == api


@pytest.mark.parametrize("pasted", ["evil.example", "github.com.evil.example", "xghe.com", "127.0.0.1:9"])
def test_a_pasted_address_does_not_decide_where_the_token_goes(pasted: str) -> None:
    with pytest.raises(UsageError, match="no token is sent"):
        resolve_api_url("", pasted, {"GH_HOST": "git.example"})


def test_a_flag_that_contradicts_the_address_is_refused() -> None:
    with pytest.raises(UsageError, match=r"names github\.com"):
        resolve_api_url("https://api.github.com", "git.example", {})


@pytest.mark.parametrize(
    "address", ["", "github", "ftp://x/", "http://git.example", "https://u:p@git.example", "https://x/?a=b", "https://"]
)
def test_addresses_that_cannot_be_an_api(address: str) -> None:
    with pytest.raises(UsageError):
        check_api_url(address)


@pytest.mark.parametrize("host", ["https://git.example", "git.example/", "a b", "git.example:x", "u@git.example"])
def test_what_is_no_host_is_not_asked(host: str) -> None:
    with pytest.raises(UsageError, match="is no host"):
        resolve_api_url("", "", {"GH_HOST": host})
