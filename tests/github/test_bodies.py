"""Bodies that arrive otherwise than they were sent: compressed on the way, cut inside the compression, pages, parts."""

from __future__ import annotations

import errno
import gzip
import json
import os
import zlib
from pathlib import Path

import pytest

from tests.github.test_logs import content
from tests.github.worlds import HEAD, RUN_ID, archive_of, log_of, make_job, make_run, make_world, served
from triage.demo.server import Fault, payloads
from triage.errors import GitHubError
from triage.github.cache import Cache
from triage.github.connection import CHUNK, chunks
from triage.model.run import Unavailable

GZIP = (("Content-Encoding", "gzip"),)
PAGE = b"\n<!DOCTYPE html>\n<html><title>Error: blocked</title></html>"


def packed(raw: bytes) -> Fault:
    return Fault("blob", times=99, status=200, headers=GZIP, body=raw)


@pytest.mark.parametrize("log", [log_of(1), b"x\n"], ids=["a log", "shorter than compressed"])
def test_what_a_proxy_compressed_is_unpacked(tmp_path: Path, log: bytes) -> None:
    with served(make_world(), tmp_path) as (server, github):
        server.inject(packed(gzip.compress(log)))
        assert content(github, make_job(1)) == log


@pytest.mark.parametrize(
    "spoilt", [lambda raw: raw[:-60], lambda raw: raw[:30] + b"x" * 20 + raw[50:]], ids=["cut", "damaged"]
)
def test_a_log_whose_compression_does_not_end_is_none(tmp_path: Path, spoilt) -> None:
    """Taken for whole, the half of a log would be triaged as the job's, and kept."""
    with served(make_world(), tmp_path) as (server, github):
        server.inject(packed(spoilt(gzip.compress(log_of(1, 2000)))))
        found = content(github, make_job(1))
        assert isinstance(found, Unavailable)
        assert "could not be transferred" in found.detail


def test_an_answer_cut_inside_its_compression_is_asked_for_again(tmp_path: Path) -> None:
    with served(make_world(), tmp_path, use_cache=False) as (server, github):
        body = gzip.compress(json.dumps(payloads.run(server.api_url, server.world, make_run())).encode())
        server.inject(Fault("run", status=200, headers=GZIP, body=body[:-40]))
        assert github.run(RUN_ID).id == RUN_ID
        assert server.calls.count("run") == 2


@pytest.mark.parametrize("coding", ["deflate", "br", "ZSTD", "gzip, gzip", "deflate,gzip", "gzip,br"])
def test_a_compression_whose_end_nobody_checks_is_not_taken(tmp_path: Path, coding: str) -> None:
    with served(make_world(), tmp_path, use_cache=False) as (server, github):
        headers = (("Content-Encoding", coding),)
        server.inject(Fault("blob", times=99, status=200, headers=headers, body=zlib.compress(log_of(1, 2000))[:-60]))
        found = content(github, make_job(1))
        assert isinstance(found, Unavailable)
        assert "its body's compression" in found.detail
        server.inject(Fault("run", times=99, status=200, headers=headers, body=b"{}"))
        with pytest.raises(GitHubError, match="its body's compression"):
            github.run(RUN_ID)


@pytest.mark.parametrize("coding", ["identity", "utf-8", "aws-chunked"])
def test_what_is_no_compression_is_read_as_it_is(tmp_path: Path, coding: str) -> None:
    with served(make_world(), tmp_path) as (server, github):
        server.inject(Fault("blob", status=200, headers=(("Content-Encoding", coding),), body=log_of(1)))
        assert content(github, make_job(1)) == log_of(1)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/json; charset=utf-8", b'{"message": "expired"}'),
        ("application/xml", b"\n<Error><Code>AuthenticationFailed</Code></Error>"),
        ("application/octet-stream", b'\xef\xbb\xbf<?xml version="1.0"?><Error/>'),
    ],
)
def test_the_words_of_a_stores_error_are_no_log(tmp_path: Path, kind: str, body: bytes) -> None:
    with served(make_world(), tmp_path) as (server, github):
        server.inject(Fault("blob", times=99, status=200, headers=(("Content-Type", kind),), body=body))
        found = content(github, make_job(1))
        assert isinstance(found, Unavailable)
        assert "came instead" in found.detail


class Body:
    """What `chunks` reads of a response."""

    def __init__(self, sent: bytes) -> None:
        self.headers = {"Content-Encoding": "gzip"}
        self.raw = self
        self._left = [sent[:5], sent[5:], b""]

    def read1(self, size: int, decode_content: bool) -> bytes:
        return self._left.pop(0)


@pytest.mark.parametrize("after", [b"", gzip.compress(b"more"), b"\0\0"], ids=["alone", "a second member", "padding"])
def test_compressed_members_come_one_after_the_other_in_pieces_that_fit(after: bytes) -> None:
    raw = bytes(20 << 20)
    found = list(chunks(Body(gzip.compress(raw) + after)))  # type: ignore[arg-type]
    assert b"".join(found) == raw + (b"more" if after.startswith(b"\x1f") else b"")
    assert max(map(len, found)) <= CHUNK


@pytest.mark.parametrize("kind", ["text/plain", "TEXT/HTML; charset=utf-8", ""])
def test_a_page_is_no_log_whatever_it_is_called(tmp_path: Path, kind: str) -> None:
    with served(make_world(), tmp_path) as (server, github):
        server.inject(Fault("blob", times=99, status=200, headers=(("Content-Type", kind),), body=PAGE))
        found = content(github, make_job(1))
        assert isinstance(found, Unavailable)
        assert "a page came instead" in found.detail


def test_a_part_that_nobody_asked_for_is_not_the_whole(tmp_path: Path) -> None:
    whole = log_of(1)
    with served(make_world(), tmp_path) as (server, github):
        part = (("Content-Range", f"bytes 0-9/{len(whole)}"),)
        server.inject(Fault("blob", status=206, headers=part, body=whole[:10]))
        assert content(github, make_job(1)) == whole


@pytest.mark.parametrize("address", ["http://[::1", "https://[x]/", "http://x:y:z@[/"])
def test_an_address_that_is_none_loses_one_log(tmp_path: Path, address: str) -> None:
    with served(make_world(), tmp_path) as (server, github):
        server.inject(Fault("job log", times=99, status=302, headers=(("Location", address),)))
        found = content(github, make_job(1))
        assert isinstance(found, Unavailable)
        assert "no address" in found.detail
        with pytest.raises(GitHubError, match="cannot find"):
            github.run(1)


@pytest.mark.parametrize("archive", [None, archive_of({"0_other.txt": b"x"})], ids=["none", "of others"])
def test_an_archive_in_vain_leaves_no_file(tmp_path: Path, archive: bytes | None) -> None:
    world = make_world()
    if archive is not None:
        world.archives[RUN_ID, 1] = archive
    with served(world, tmp_path) as (server, github):
        server.inject(packed(b"no gzip"))
        assert isinstance(content(github, make_job(1)), Unavailable)
    assert [path.name for path in tmp_path.rglob("*.part")] == []


def test_a_disk_that_takes_no_new_file_loses_logs_and_tree_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Cache, path: Path) -> object:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Cache, "filling", full)
    with served(make_world(), tmp_path) as (_, github):
        for found in (content(github, make_job(1)), github.snapshot(HEAD)):
            assert isinstance(found, Unavailable)
            assert "No space left on device" in found.detail
            assert "triage cache clear" in found.detail
