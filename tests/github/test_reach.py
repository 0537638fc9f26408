"""Ways to GitHub that are not straight: authorities of one's own, and proxies."""

import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path

import pytest
import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.github.worlds import REPO, RUN_ID, TOKEN, log_of, make_job, make_world, options
from triage.demo.server import Server
from triage.errors import GitHubError
from triage.github import connect
from triage.model.run import Unavailable

PLAIN = serialization.NoEncryption()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Key and self-signed certificate of 127.0.0.1 in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    encoded = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, PLAIN)
    file.write_bytes(encoded + made.public_bytes(serialization.Encoding.PEM))
    return file


@pytest.fixture
def secure(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with Server(make_world(), tls=context) as server:
        yield server


@pytest.mark.parametrize("way", ["option", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
def test_authorities_of_ones_own(
    secure: Server, certificate: Path, tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = options(tmp_path, ca_bundle=str(certificate)) if way == "option" else options(tmp_path)
    if way == "SSL_CERT_FILE":
        chosen = options(tmp_path, environ={"SSL_CERT_FILE": str(certificate)})
    if way == "REQUESTS_CA_BUNDLE":
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))
    with connect(REPO, secure.api_url, TOKEN, options=chosen) as github:
        assert github.run(RUN_ID).id == RUN_ID
        log = github.log(make_job(1))
        assert not isinstance(log, Unavailable)
        assert log.path.read_bytes() == log_of(1)


def test_a_certificate_that_nobody_trusts(secure: Server, tmp_path: Path) -> None:
    with (
        connect(REPO, secure.api_url, TOKEN, options=options(tmp_path)) as github,
        pytest.raises(GitHubError, match="certificate is not trusted") as refused,
    ):
        github.run(RUN_ID)
    assert "--ca-bundle" in refused.value.remedy
    assert secure.calls == []


def test_a_log_is_not_fetched_without_encryption(secure: Server, certificate: Path, tmp_path: Path) -> None:
    secure.place.store.origin = "http://127.0.0.1:9"
    with connect(REPO, secure.api_url, TOKEN, options=options(tmp_path, ca_bundle=str(certificate))) as github:
        found = github.log(make_job(1))
        assert isinstance(found, Unavailable)
        assert "not https" in found.detail


class Forwarding(BaseHTTPRequestHandler):
    """A proxy for plain GET requests; `seen` keeps what it was asked for."""

    seen: list[str]

    def do_GET(self) -> None:
        self.seen.append(self.path)
        kept = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "proxy-connection")}
        session = requests.Session()
        session.trust_env = False
        with session:
            answer = session.get(self.path, headers=kept, allow_redirects=False, timeout=5)
        self.send_response(answer.status_code)
        for name in ("Location", "Content-Type", "Link", "ETag"):
            if name in answer.headers:
                self.send_header(name, answer.headers[name])
        self.send_header("Content-Length", str(len(answer.content)))
        self.end_headers()
        self.wfile.write(answer.content)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        """Quiet."""


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    seen: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Forwarding,), {"seen": seen}))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    for name in ("NO_PROXY", "no_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.server_address[1]}")
    yield seen
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_proxy_is_used_for_the_api_and_for_logs(proxy: list[str], tmp_path: Path) -> None:
    with Server(make_world()) as server, connect(REPO, server.api_url, TOKEN, options=options(tmp_path)) as github:
        github.run(RUN_ID)
        log = github.log(make_job(1))
        assert not isinstance(log, Unavailable)
        assert log.path.read_bytes() == log_of(1)
    assert [path.startswith(server.api_url) for path in proxy] == [True, True, False]
    assert proxy[2].startswith(server.blob_url)


def test_a_proxy_that_is_not_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", "http://user:hidden-word@127.0.0.1:9")
    with (
        Server(make_world()) as server,
        connect(REPO, server.api_url, TOKEN, options=options(tmp_path)) as github,
        pytest.raises(GitHubError, match="proxy does not let it through") as refused,
    ):
        github.run(RUN_ID)
    assert "HTTPS_PROXY" in refused.value.remedy
    assert "hidden-word" not in str(refused.value)
