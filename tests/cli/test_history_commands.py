"""`triage history`, `report` and `verify`, as a shell sees them."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.cli.command import triage
from tests.histories import OOM, REPO, opened, outcome
from tests.pipeline.made_up_github import busy
from tests.sources.test_archive import keep
from triage.cli.since import since
from triage.demo.server import Server, World
from triage.errors import GitHubError, UsageError
from triage.github.webhook import post
from triage.model.run import Repository
from triage.sources.catalogue import load
from triage.storage.ledger import all_fixes
from triage.storage.outcomes import put

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7d", NOW - timedelta(days=7)),
        ("4w", NOW - timedelta(days=28)),
        ("2026-11-01", datetime(2026, 11, 1, tzinfo=UTC)),
        ("2026-11-01T00:30+02:00", datetime(2026, 10, 31, 22, 30, tzinfo=UTC)),
        ("2026-11-01T08:00Z", datetime(2026, 11, 1, 8, tzinfo=UTC)),
    ],
)
def test_spans(text: str, expected: datetime) -> None:
    assert since(text, NOW) == expected


@pytest.mark.parametrize(
    "text", ["", "0d", "7", "7h", "soon", "2027-01-01", "-7d", "0001-01-01", "0001-01-01T00:00+14:00", "9999w", "１d"]
)
def test_odd_spans_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--since"):
        since(text, NOW)


@pytest.fixture
def db(tmp_path: Path) -> str:
    """Twelve runs of the last days, a third of them failed."""
    target = str(tmp_path / "history.db")
    yesterday = datetime.now(UTC) - timedelta(days=1)
    rows = [
        outcome(
            n,
            "failure" if n % 3 == 0 else "success",
            run=n,
            at=yesterday - timedelta(hours=n),
            causes=(OOM,) if n % 3 == 0 else (),
        )
        for n in range(1, 13)
    ]
    with opened(target) as history:
        put(history, rows)
    return target


def test_report_prints_one_form_and_writes_others(db: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / "out" / f"week.{suffix}" for suffix in ("md", "html", "json", "csv")]
    ran = triage(capsys, "report", "--db", db, "--format", "json", *(f"--out={file}" for file in files))
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["costs"][0]["signature"] == "gpu-oom"
    assert json.loads(files[2].read_text())["schema"] == "triage.report/1"
    assert all(file.stat().st_size > 100 for file in files)
    assert triage(capsys, "report", "--db", db).out.startswith("# example/train")


@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "--db", "nowhere.db"),
        ("report", "--db", "nowhere.db", "--repo", "example/train"),
        ("report", "--format", "xml"),
        ("report", "--out", "week.doc"),
        ("report", "--since", "soon"),
        ("verify", "--db", "nowhere.db", "--offline"),
        ("verify", "--db", "nowhere.db", "--repo", "example/train", "--offline"),
        ("history", "export", "out", "--db", "nowhere.db", "--repo", "example/train"),
        ("history", "export", "out", "--format", "xml"),
        ("history", "import", "out", "--db", "nowhere.db"),
        (
            "verify",
            "record",
            "f1",
            "--signature",
            "gpu-oom",
            "--title",
            "t",
            "--workflow",
            "w.yml",
            "--job",
            "j",
            "--expect",
            "OFFLOAD=1",
        ),
        ("history", "sync", "--from-dir", "nowhere", "--repo", "a/b"),
        ("history", "sync", "--from-dir", "."),
    ],
)
def test_bad_input_is_one_line_and_a_remedy(
    arguments: tuple[str, ...],
    db: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRIAGE_DB", db)
    ran = triage(capsys, *arguments)
    assert ran.code == 2
    assert len(ran.err.strip().splitlines()) == 2, ran.err
    assert not (tmp_path / "nowhere.db").exists()


def test_a_history_without_runs_makes_no_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target, page = str(tmp_path / "new.db"), tmp_path / "week.html"
    with opened(target):
        pass
    ran = triage(capsys, "report", "--db", target, "--repo", "example/train", "--out", str(page))
    assert (ran.code, ran.out) == (3, "")
    assert "holds no run of example/train" in ran.err
    assert not page.exists()


def test_the_report_is_kept_in_one_issue(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    world = World(Repository(REPO, "main"))
    with Server(world) as server:
        for _ in range(2):
            ran = triage(capsys, "report", "--db", db, "--issue", "--api-url", server.api_url, "--token", "t")
            assert ran.code == 0, ran.err
    (issue,) = world.issues
    assert issue.title.startswith("CI report: example/train")
    assert issue.body.startswith("<!-- triage:v1 key=weekly-report -->\n# example/train")


@contextmanager
def chat(status: int = 200) -> Iterator[tuple[str, list[dict[str, str]]]]:
    received: list[dict[str, str]] = []

    class Chat(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Chat) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/services/secret", received
        finally:
            server.shutdown()
            thread.join()


def test_three_lines_go_to_the_webhook(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    with chat() as (address, received):
        ran = triage(capsys, "report", "--db", db, "--slack-webhook", address)
    assert ran.code == 0, ran.err
    assert ran.out == ""
    assert "secret" not in ran.err
    (message,) = received
    assert len(message["text"].splitlines()) == 3


def test_a_webhook_that_refuses_is_named_without_its_address() -> None:
    with chat(404) as (address, _), pytest.raises(GitHubError) as caught:
        post(address, "x")
    assert "HTTP 404" in caught.value.message
    assert "secret" not in str(caught.value)
    with pytest.raises(UsageError, match="not https"):
        post("http://chat.example/services/secret", "x")
    with pytest.raises(GitHubError, match="did not answer"):
        post("http://127.0.0.1:9/services/secret", "x")


@pytest.mark.parametrize("address", ["https://[secret", "https://secret/\ud800:x", "https://h:port/secret"])
def test_an_address_that_is_none_is_no_bug(address: str) -> None:
    with pytest.raises((UsageError, GitHubError)) as caught:
        post(address, "x")
    assert caught.value.remedy
    assert "secret:" not in str(caught.value)


def test_a_host_that_no_name_server_can_know_is_no_bug() -> None:
    with pytest.raises(GitHubError, match=r"webhook on a\.\.b did not answer") as caught:
        post("https://a..b/secret", "x")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("code", [202, 204])
def test_a_chat_that_only_says_that_it_has_it_has_it(code: int) -> None:
    with chat(code) as (address, received):
        post(address, "x")
    assert len(received) == 1


@pytest.mark.parametrize(
    ("merged", "stands"), [("2026-11-20T08:00+02:00", "2026-11-20T06:00"), ("2026-11-20T08:00", "2026-11-20T08:00")]
)
def test_the_offset_of_a_time_counts(db: str, merged: str, stands: str, capsys: pytest.CaptureFixture[str]) -> None:
    add = ("verify", "record", "f1", "--signature", "gpu-oom", "--title", "t", "--workflow", "w", "--job", "j")
    assert triage(capsys, *add, "--merged", merged, "--db", db).code == 0
    with opened(db) as history:
        (fix,) = all_fixes(history)
    assert fix.merged_at == datetime.fromisoformat(f"{stands}+00:00")
    for odd in ("0001-01-01", "9999-12-31", "soon"):
        ran = triage(capsys, *add, "--merged", odd, "--db", db)
        assert (ran.code, "is no time" in ran.err) == (2, True)


def test_the_ledger_is_written_and_judged(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    add = ("verify", "record", "f1", "--signature", "gpu-oom", "--title", "Offload", "--workflow", ".github/workflows/e2e.yml",
           "--job", "ppo", "--expect", "environment:OFFLOAD=1", "--db", db)  # fmt: skip
    assert triage(capsys, "verify", "--db", db, "--offline").out.startswith("No fix is in the ledger")
    added = triage(capsys, *add, "--pr", "7")
    assert (added.code, added.out) == (0, "f1 is in the ledger as proposed: `triage verify` judges it.\n")
    assert triage(capsys, "verify", "--db", db, "--offline").out.startswith("not merged: Offload (ppo, gpu-oom)")
    assert triage(capsys, *add, "--merged", "2026-11-01", "--expires", "2026-11-02").code == 0
    said = triage(capsys, "verify", "--db", db, "--offline")
    assert said.code == 0, said.err
    assert said.out.startswith("did not hold: Offload")
    assert "past its date: 2026-11-02" in said.out
    found = json.loads(triage(capsys, "verify", "--db", db, "--offline", "--json").out)
    assert [(row["id"], row["held"], row["after"]["k"]) for row in found["fixes"]] == [("f1", "did not hold", 4)]


def test_what_needs_github_says_how_to_do_without(
    db: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:9")
    triage(capsys, "verify", "record", "f1", "--signature", "gpu-oom", "--title", "t", "--workflow", "w.yml", "--job", "j",
           "--pr", "7", "--db", db)  # fmt: skip
    ran = triage(capsys, "verify", "--db", db, "--token", "t")
    assert ran.code == 4
    assert "Or add --offline" in ran.err


def test_export_and_import(db: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, other = str(tmp_path / "files"), str(tmp_path / "other.db")
    for form in ("csv", "parquet"):
        assert triage(capsys, "history", "export", folder, "--db", db, "--format", form).code == 0
        ran = triage(capsys, "history", "import", folder, "--db", other, "--repo", REPO, "--format", form)
        assert (ran.code, ran.out) == (0, "16 rows\n")
    assert (
        triage(capsys, "report", "--db", other, "--format", "csv").out
        == triage(capsys, "report", "--db", db, "--format", "csv").out
    )


def test_sync_and_rescore_from_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = str(tmp_path / "history.db")
    keep(busy(10), tmp_path / "kept")
    common = ("--from-dir", str(tmp_path / "kept"), "--repo", REPO, "--db", db, "--since", "2026-11-20")
    ran = triage(capsys, "history", "sync", *common)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("10 runs read (")
    again = triage(capsys, "history", "rescore", *common)
    assert again.code == 0, again.err
    assert again.out.startswith("0 changed, ")
    assert again.out.endswith(" the same, 0 without a log.\n")


def test_a_sync_from_a_folder_says_which_runs_it_leaves_out_and_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept"
    keep(busy(11), kept)
    # Of one attempt each.
    first, second, third, fourth, fifth, sixth = (kept / number / "1" for number in ("10", "11", "3", "6", "7", "8"))
    for folder, change in (
        (first, {"created_at": "2026-09-01T00:00:00Z"}),
        (second, {"created_at": None}),
        (third, {"status": "in_progress"}),
        (fourth, {"repository": {"full_name": "example/other"}}),
    ):
        answer = json.loads((folder / "run.json").read_text())
        (folder / "run.json").write_text(json.dumps(answer | change))
    (fifth / "jobs.json").unlink()
    (sixth / "run.json").unlink()
    common = ("--from-dir", str(kept), "--repo", REPO, "--db", str(tmp_path / "h.db"), "--since", "2026-11-20")
    ran = triage(capsys, "history", "sync", *common)
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[1:] == [
        "left out: run 10: created before 2026-11-20, where --since begins",
        "left out: run 11: run.json has no created_at, so its day is not known",
        "left out: run 3: not finished when it was kept",
        "left out: run 6: of example/other, not of example/train",
        "left out: run 7: no jobs.json beside run.json, so no job is known",
        "left out: 8/1: no run.json there",
    ]
    assert "request" not in ran.out, "a folder is asked nothing"
    again = triage(capsys, "history", "sync", *common).out
    assert again.startswith("no new run to read; ")
    assert "1 days" not in again


@pytest.mark.parametrize("arguments", [("sync", "--from-dir"), ("import",)])
def test_what_fails_before_anything_is_recorded_leaves_no_history_behind(
    arguments: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    db = tmp_path / "new.db"
    ran = triage(capsys, "history", *arguments, str(tmp_path / "empty"), "--repo", REPO, "--db", str(db))
    assert ran.code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]
    with opened(str(db)):
        pass
    triage(capsys, "history", *arguments, str(tmp_path / "empty"), "--repo", REPO, "--db", str(db))
    assert db.exists(), "one that was there stays"


def test_the_demos_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    temporary, page = tmp_path / "temporary", tmp_path / "week.html"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)
    others = (str(page.with_suffix(suffix)) for suffix in (".csv", ".md"))
    ran = triage(capsys, "demo", "--report", *(f"--out={path}" for path in (page, *others)))
    assert ran.code == 0, ran.err
    assert ran.out == ""
    assert list(temporary.iterdir()) == []
    assert "degraded" in page.read_text()
    first = load().signatures["gpu-oom-actor-update"].fixes[0].title
    assert first in page.read_text(), "the catalogue's fixes are recommended"
    assert ">Cost in EUR<" in page.read_text()
    assert "{" not in page.with_suffix(".csv").read_text()
    assert "l20-05" in page.with_suffix(".md").read_text()
    assert "silent" not in page.with_suffix(".md").read_text().partition("## Method")[0]


def test_the_demos_report_is_shown_where_no_file_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("triage.demo.history.DAYS", 30)
    ran = triage(capsys, "demo", "--report")
    assert ran.out.startswith("# example/train: ")
    assert list(tmp_path.iterdir()) == []
    assert triage(capsys, "demo", "--out", "week.html").code == 2
