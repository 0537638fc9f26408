from __future__ import annotations

import gzip
import io
import os
import pickle
import random
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from triage.errors import ExitCode
from triage.interfaces import LogSource
from triage.matching import compile_patterns, scan
from triage.model.run import Job
from triage.sources import logs as collecting
from triage.sources.logs import collect
from triage.sources.members import JobLog, job_logs, normalised, unique_jobs
from triage.sources.unreadable import UnreadableLog

TEXT = b"line one\nValueError: boom\n"


def only(*paths: Path | str, stdin: bytes = b"") -> LogSource | UnreadableLog:
    (found,) = collect([str(path) for path in paths], io.BytesIO(stdin))
    return found


def content(source: LogSource | UnreadableLog) -> bytes:
    assert not isinstance(source, UnreadableLog), source
    with source.open() as stream:
        parts = iter(lambda: stream.read(7), b"")
        return b"".join(parts)


def zip_of(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


@pytest.mark.parametrize("name", ["job.log", "job.log.gz", "-"])
def test_files_gzip_and_standard_input_can_be_opened_twice(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(TEXT) if name.endswith(".gz") else TEXT)
    source = only("-" if name == "-" else path, stdin=TEXT)
    assert content(source) == content(source) == TEXT
    with source.open() as stream:  # type: ignore[union-attr]
        stream.seek(5)
        assert stream.read(3) == b"one"
        stream.seek(0)
        assert stream.read(4) == b"line"


def test_a_large_standard_input_goes_to_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collecting, "_IN_MEMORY", 1000)
    source = only("-", stdin=TEXT * 1000)
    assert content(source) == TEXT * 1000
    assert content(pickle.loads(pickle.dumps(source))) == TEXT * 1000


def test_a_pipe_is_read_once_and_kept(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(TEXT,))
    writer.start()
    source = only(pipe)
    writer.join()
    assert content(source) == content(source) == TEXT


def test_a_folder_gives_its_logs_by_name_and_follows_no_links(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for name in ("z.log", "b/a.txt", "image.png", ".hidden.log"):
        (tmp_path / name).write_bytes(TEXT)
    (tmp_path / "link.log").symlink_to("/etc/passwd")
    found = collect([str(tmp_path)], io.BytesIO())
    assert [Path(source.name).name for source in found] == ["z.log", "a.txt"]


def test_bad_inputs_are_one_line_each_and_the_others_are_still_there(tmp_path: Path) -> None:
    (tmp_path / "empty.log").touch()
    (tmp_path / "binary.log").write_bytes(bytes(range(8)) * 500)
    (tmp_path / "nothing").mkdir()
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 no zip")
    (tmp_path / "good.log").write_bytes(TEXT)
    names = ["missing.log", "empty.log", "binary.log", "nothing", "broken.zip", "good.log"]
    found = collect([str(tmp_path / name) for name in names], io.BytesIO())
    bad = [one for one in found if isinstance(one, UnreadableLog)]
    assert [one.name.rsplit("/", 1)[1] for one in bad] == names[:-1]
    assert all("\n" not in one.message and one.message.startswith(one.name) for one in bad)
    assert [one.code for one in bad if one.code is not ExitCode.USAGE] == [ExitCode.NOTHING_TO_TRIAGE]
    assert content(found[-1]) == TEXT


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_says_so(tmp_path: Path) -> None:
    path = tmp_path / "secret.log"
    path.write_bytes(TEXT)
    path.chmod(0)
    assert "Permission denied" in only(path).message  # type: ignore[union-attr]


def test_a_name_with_a_nul_is_an_unreadable_input() -> None:
    assert isinstance(only("a\0b"), UnreadableLog)


def test_a_cut_gzip_is_read_up_to_the_cut(tmp_path: Path) -> None:
    text = b"".join(b"line %d %s\n" % (n, os.urandom(8).hex().encode()) for n in range(5000))
    path = tmp_path / "cut.log.gz"
    path.write_bytes(gzip.compress(b"ValueError: boom\n" + text)[:40_000])
    (reading,) = scan(only(path), compile_patterns([], {}))  # type: ignore[arg-type]
    assert [line.text for line in reading.suspects] == ["ValueError: boom"]
    assert "ends early: it is damaged" in reading.notices[0]
    assert reading.tail


RUN_ZIP = {
    "0_build (x) _ lint.txt": b"whole job\n",
    "-2147483648_build.txt": b"##[section]Starting: Prepare job\n",
    "build (x) _ lint/1_Set up job.txt": b"a step\n",
    "build (x) _ lint/system.txt": b"system\n",
    "only steps/10_Last.txt": b"ten\n",
    "only steps/2_Test.txt": b"two\n",
    "only steps/system.txt": b"system\n",
    "lost/system.txt": b"all that is left\n",
}


def test_a_run_zip_gives_one_log_a_job(tmp_path: Path) -> None:
    found = collect([str(zip_of(tmp_path / "run.zip", **RUN_ZIP))], io.BytesIO())
    assert [source.name.partition(": ")[2] for source in found] == ["build (x) _ lint", "only steps", "lost"]
    assert [content(source) for source in found] == [b"whole job\n", b"two\nten\n", b"all that is left\n"]


def test_any_other_zip_gives_its_texts(tmp_path: Path) -> None:
    found = collect([str(zip_of(tmp_path / "z.zip", **{"../../a.log": TEXT, "b.bin": TEXT}))], io.BytesIO())
    assert [content(source) for source in found] == [TEXT]
    assert [path.name for path in tmp_path.iterdir()] == ["z.zip"]


def test_zips_that_explode_or_are_locked_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from triage.sources import archives

    monkeypatch.setattr(archives, "_SMALL", 1000)
    bomb = only(zip_of(tmp_path / "bomb.zip", **{"0_a.txt": b"\0" * 1_000_000}))
    assert "times its size" in bomb.message  # type: ignore[union-attr]
    locked = zip_of(tmp_path / "locked.zip", **{"0_a.txt": TEXT})
    raw = bytearray(locked.read_bytes())
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    locked.write_bytes(raw)
    assert "is encrypted" in only(locked).message  # type: ignore[union-attr]
    monkeypatch.setattr(archives, "_MOST_MEMBERS", 1)
    assert "more than 1 members" in only(zip_of(tmp_path / "m.zip", a=b"", b=b"")).message  # type: ignore[union-attr]


def test_a_gzip_bomb_is_stopped_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from triage.sources import archives

    monkeypatch.setattr(archives, "_SMALL", 1 << 16)
    monkeypatch.setattr(archives, "_MOST_RATIO", 2)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b"x\n" * 1_000_000))
    (reading,) = scan(only(path), compile_patterns([], {}))  # type: ignore[arg-type]
    assert reading.size <= 2 << 16
    assert "unpacks to more than" in reading.notices[0]


def test_names_in_zips_and_names_of_jobs_meet() -> None:
    long = "test (ubuntu-latest, " + "x" * 100 + ")"
    jobs = [
        Job(n, 1, 1, name, "completed", "failure") for n, name in enumerate(["build / lint: all", long, "same", "same"])
    ]
    found = unique_jobs(["build _ lint_ all", "build  lint all", long[:90]], jobs)
    assert "build _ lint_ all" not in found  # two names for one job: neither is sure
    assert found[long[:90]] is jobs[1]
    assert unique_jobs(["build _ lint_ all", "same"], jobs) == {"build _ lint_ all": jobs[0]}
    assert normalised("a/b:c") == normalised("a_b_c") == "abc"


def test_members_that_only_look_alike() -> None:
    assert job_logs(["readme.md"]) == ()
    assert job_logs(["1_a.txt", "1_a.txt/x.txt"]) == (JobLog("a", (0,)),)


@pytest.mark.parametrize("contents", [(b"green\n", TEXT), (TEXT, b"green\n")])
@pytest.mark.parametrize("name", ["0_train.txt", "train/1_Run.txt", "other.log"])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_members_of_one_name_are_all_read(tmp_path: Path, name: str, contents: tuple[bytes, bytes]) -> None:
    """By name, each would be the last one: the log of a red job could not be seen behind a green one's."""
    path = tmp_path / "run.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for one in contents:
            archive.writestr(name, one)
    found = collect([str(path)], io.BytesIO())
    assert b"".join(content(source) for source in found) == b"".join(contents)


def test_a_zip_with_many_members_is_read_in_time_linear_in_their_number(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "logs.zip", **{f"{number}_job {number}.txt": TEXT for number in range(3000)})
    started = time.process_time()
    assert {content(source) for source in collect([str(path)], io.BytesIO())} == {TEXT}
    # To read the list of members anew for each took a minute.
    assert time.process_time() - started < 10


def test_a_pipe_in_a_folder_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "job.log").write_bytes(TEXT)
    os.mkfifo(tmp_path / "pipe.log")
    (tmp_path / "zero.log").symlink_to("/dev/zero")
    assert content(only(tmp_path)) == TEXT


@pytest.mark.parametrize("packed", [gzip.compress, lambda text: b"PK\x03\x04" + text])
def test_what_is_compressed_twice_is_no_quiet_log(tmp_path: Path, packed: Callable[[bytes], bytes]) -> None:
    (tmp_path / "twice.gz").write_bytes(gzip.compress(packed(TEXT)))
    within = zip_of(tmp_path / "logs.zip", **{"0_job.txt": packed(TEXT)})
    for found in (only(tmp_path / "twice.gz"), only(within), only("-", stdin=packed(TEXT))):
        assert isinstance(found, UnreadableLog)
        assert found.message.endswith("is compressed.")


def test_random_bytes_are_no_text_and_another_encoding_of_text_is(tmp_path: Path) -> None:
    (tmp_path / "noise.log").write_bytes(random.Random(1).randbytes(10_000))
    (tmp_path / "gbk.log").write_bytes("内存不足\n".encode("gbk") * 100)
    assert isinstance(only(tmp_path / "noise.log"), UnreadableLog)
    assert not isinstance(only(tmp_path / "gbk.log"), UnreadableLog)
