"""Why no answer came, in words that lead to what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from triage.errors import GitHubError
from triage.github import Options, connect


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"HTTPS_PROXY": "http://"}, "the proxy's address is none"),
        ({"HTTPS_PROXY": "ftp://x"}, "address, or the proxy's, is none"),
        ({"REQUESTS_CA_BUNDLE": "/none/such.pem"}, "the file of trusted certificates is not there"),
    ],
)
def test_what_is_set_wrong_is_named(
    environ: dict[str, str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_PROXY", "no_proxy", "https_proxy", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    options = Options(tmp_path, backoff=0.01, environ=environ)
    made = connect("example/train", "https://127.0.0.1:1", "t", options=options)
    with made as github, pytest.raises(GitHubError) as raised:
        github.run(1)
    assert said in str(raised.value)
