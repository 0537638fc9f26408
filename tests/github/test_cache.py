import json
import os
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.github.worlds import NOW, make_job
from triage.errors import UsageError
from triage.github.cache import Cache, clear, default_folder, measure
from triage.github.etags import EtagCache
from triage.github.replies import Reply


def put(cache: Cache, name: str, size: int, age: float) -> Path:
    path = cache.folder / "logs" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(size))
    moment = time.time() - age
    os.utime(path, (moment, moment))
    return path


def test_the_least_recently_used_go_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c", limit=250)
    old, middle, new = (put(cache, name, 100, age) for name, age in (("a", 300), ("b", 200), ("c", 100)))
    assert cache.prune() == 100
    assert (old.exists(), middle.exists(), new.exists()) == (False, True, True)


def test_what_is_in_use_stays(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c", limit=0)
    used, other = put(cache, "a", 100, 300), put(cache, "b", 100, 200)
    assert cache.hit(used)
    cache.prune()
    assert (used.exists(), other.exists()) == (True, False)


def test_a_look_makes_it_young(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c", limit=150)
    first, second = put(cache, "a", 100, 300), put(cache, "b", 100, 200)
    assert cache.hit(first)
    Cache(tmp_path / "c", limit=150).prune()
    assert (first.exists(), second.exists()) == (True, False)
    assert not cache.hit(second)


def test_leftovers_of_killed_processes_go(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    stale, fresh = put(cache, "a.part", 10, 100_000), put(cache, "b.part", 10, 10)
    cache.prune()
    assert (stale.exists(), fresh.exists()) == (False, True)


def test_the_key_holds_what_makes_a_log_another_one(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    base = cache.log_path("github.com", "example/train", make_job(1))
    others = [
        cache.log_path("git.example", "example/train", make_job(1)),
        cache.log_path("github.com", "example/other", make_job(1)),
        cache.log_path("github.com", "example/train", make_job(2)),
        cache.log_path("github.com", "example/train", make_job(1, attempt=2)),
        cache.log_path("github.com", "example/train", make_job(1, run_id=7)),
        cache.log_path("github.com", "example/train", make_job(1, completed_at=NOW + timedelta(hours=1))),
    ]
    assert len({base, *others}) == 7
    assert base == cache.log_path("github.com", "example/train", make_job(1))


def test_names_cannot_leave_the_folder(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for host, repo in (("..", "../.."), ("a/../../b", "x/../../y"), ("", ".."), ("a\0b", "é/ü")):
        path = cache.log_path(host, repo, make_job(1)).resolve()
        assert path.is_relative_to(tmp_path / "logs")


def test_a_download_that_fails_leaves_nothing(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    path = cache.log_path("github.com", "example/train", make_job(1))
    with cache.filling(path) as part:
        part.write_bytes(b"half")
    assert not path.exists()
    assert list(tmp_path.rglob("*.part")) == []
    with cache.filling(path) as part:
        part.write_bytes(b"whole")
        cache.keep(part, path)
    assert path.read_bytes() == b"whole"


def test_a_folder_that_cannot_be_written_is_replaced_for_this_time(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    cache = Cache(blocked / "cache")
    path = cache.log_path("github.com", "example/train", make_job(1))
    with cache.filling(path) as part:
        cache.keep(part, path)
    assert cache.folder.exists()
    cache.close()
    assert not cache.folder.exists()


def test_measuring_and_clearing_touch_our_own_files_alone(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    put(cache, "a.log", 1000, 50)
    EtagCache(tmp_path / "answers", "me").keep("/x", Reply(200, {"etag": '"1"'}, "{}"))
    (tmp_path / "mine.txt").write_text("keep")
    sizes = {area.name: (area.files, area.size) for area in measure(tmp_path)}
    assert sizes["logs"] == (1, 1000)
    assert sizes["answers"][0] == 1
    assert sizes["trees"] == (0, 0)
    assert clear(tmp_path) == 1000 + sizes["answers"][1]
    assert all(area.files == 0 for area in measure(tmp_path))
    assert (tmp_path / "mine.txt").read_text() == "keep"


def test_where_it_lies() -> None:
    assert default_folder({"TRIAGE_CACHE_DIR": "/x"}) == Path("/x")
    assert default_folder({"XDG_CACHE_HOME": "/c"}) == Path("/c/triage/github")
    assert default_folder({}) == Path("~/.cache/triage/github").expanduser()


def test_answers_are_kept_for_one_identity_and_only_with_an_etag(tmp_path: Path) -> None:
    mine, other = EtagCache(tmp_path, "me"), EtagCache(tmp_path, "other")
    answer = Reply(200, {"etag": '"1"', "link": "<x>", "set-cookie": "no"}, '{"a": 1}')
    mine.keep("/x", answer)
    mine.keep("/y", Reply(200, {}, "{}"))
    mine.keep("/z", Reply(404, {"etag": '"1"'}, "{}"))
    kept = mine.find("/x")
    assert kept is not None
    assert (kept.status, kept.text, dict(kept.headers)) == (200, answer.text, {"etag": '"1"', "link": "<x>"})
    assert [other.find("/x"), mine.find("/y"), mine.find("/z")] == [None, None, None]
    (file,) = tmp_path.iterdir()
    assert file.stat().st_mode & 0o077 == 0
    file.write_text("{broken")
    assert mine.find("/x") is None


@pytest.mark.parametrize(
    "spoil",
    [
        {"headers": {}},
        {"headers": {"etag": 5}},
        {"headers": {"etag": "a\nb"}},
        {"headers": {"etag": '"1"', "link": None}},
        {"headers": []},
        {"text": ""},
        {"text": '{"a": 2}'},
        {"text": None},
        {"sum": "0"},
    ],
)
def test_an_answer_that_was_spoilt_and_still_decodes_is_no_hit(tmp_path: Path, spoil: dict[str, Any]) -> None:
    answers = EtagCache(tmp_path, "me")
    answers.keep("/x", Reply(200, {"etag": '"1"', "link": "<\ud800>"}, '{"a": 1}'))
    (file,) = tmp_path.iterdir()
    kept = json.loads(file.read_text())
    assert answers.find("/x") is not None
    file.write_text(json.dumps({**kept, **spoil}))
    assert answers.find("/x") is None


def test_a_home_that_nobody_has_is_said() -> None:
    with pytest.raises(UsageError, match="no such home folder"):
        default_folder({"TRIAGE_CACHE_DIR": "~nobody-of-this-name/x"})


@pytest.mark.parametrize("spoil", [lambda raw: raw[:-1], lambda raw: b"x" + raw[1:], lambda raw: b""])
def test_what_was_spoilt_after_it_was_kept_is_no_hit(tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    """Half of a log would be triaged as the job's, again and again."""
    cache = Cache(tmp_path, limit=0)
    path = cache.log_path("github.com", "example/train", make_job(1))
    with cache.filling(path) as part:
        part.write_bytes(b"whole" * 1000)
        cache.keep(part, path)
    assert cache.hit(path)
    assert measure(tmp_path)[0].files == 1
    cache.prune()
    assert cache.hit(path)
    path.write_bytes(spoil(path.read_bytes()))
    assert not cache.hit(path)
    with cache.filling(path) as part:
        part.write_bytes(b"")
        cache.keep(part, path)
    assert cache.hit(path)


@pytest.mark.parametrize(("told", "as_kept"), [(None, True), (b"\xff", False), (b"5 0", False), (b"", False)])
def test_a_sum_that_is_lost_costs_nothing_and_a_wrong_one_a_download(
    tmp_path: Path, told: bytes | None, as_kept: bool
) -> None:
    cache = Cache(tmp_path)
    path = cache.log_path("github.com", "example/train", make_job(1))
    with cache.filling(path) as part:
        part.write_bytes(b"whole")
        cache.keep(part, path)
    sums = path.with_name(f"{path.name}.sum")
    sums.unlink()
    if told is not None:
        sums.write_bytes(told)
    assert cache.hit(path) is as_kept
