import random
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.github.worlds import NOW, archive_of, make_job
from triage.github.zips import _is_log_of, extract_job_log
from triage.model.run import Step, Unavailable


@pytest.mark.parametrize(
    ("member", "job"),
    [
        ("0_build.txt", "build"),
        ("3_build (x) _ lint.txt", "build (x) / lint"),
        ("3_build (x)  lint.txt", "build (x) / lint"),
        ("12_a_b.txt", "a_b"),
        ("1_" + "x" * 90 + ".txt", "x" * 120),
        ("1_" + "é" * 88 + "😀.txt", "é" * 88 + "😀 and more"),
        # 90 UTF-16 units end in the middle of the emoji.
        ("1_" + "é" * 89 + ".txt", "é" * 89 + "😀"),
    ],
)
def test_names_are_recognised_in_old_and_new_archives(member: str, job: str) -> None:
    assert _is_log_of(member, job)


@pytest.mark.parametrize(
    "member",
    ["build.txt", "0_build/1_Set up job.txt", "-2147483648_build.txt", "0_build.log", "0_build2.txt", "../0_build.txt"],
)
def test_other_members_are_not_the_log(member: str) -> None:
    assert not _is_log_of(member, "build")


def test_the_log_is_written_out(tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    archive.write_bytes(
        archive_of({"0_train (1).txt": b"one", "1_train (2).txt": b"two", "train (1)/1_x.txt": b"step"})
    )
    assert extract_job_log(archive, make_job(2), tmp_path / "out") is None
    assert (tmp_path / "out").read_bytes() == b"two"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"no zip at all", "damaged"),
        (archive_of({"0_other.txt": b"x"}), "no files"),
        (archive_of({"0_train (1).txt": b"x", "1_train (1).txt": b"y"}), "2 files"),
        (archive_of({"0_train (1).txt": bytes(20_000_000)}), "too large"),
        (archive_of({"0_train (1).txt": b"x" * 500})[:-40], "damaged"),
    ],
    ids=["no zip", "no member", "two members", "bomb", "cut"],
)
def test_what_cannot_be_trusted_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    archive = tmp_path / "a.zip"
    archive.write_bytes(content)
    refused = extract_job_log(archive, make_job(1), tmp_path / "out")
    assert isinstance(refused, Unavailable)
    assert says in refused.detail


# The flag of a file's own header says UTF-8, and its name is none.
@example(b"\x00\x08" + b"\x00" * 18 + b"\x10", 6)
@given(st.binary(max_size=200), st.integers(0, 400))
def test_damage_is_a_value(tmp_path_factory: pytest.TempPathFactory, noise: bytes, place: int) -> None:
    folder = tmp_path_factory.mktemp("zip")
    whole = archive_of({"0_train (1).txt": b"line\n" * 50})
    archive = folder / "a.zip"
    archive.write_bytes(whole[:place] + noise + whole[place + len(noise) :])
    found = extract_job_log(archive, make_job(1), folder / "out")
    assert found is None or found.detail


def test_the_steps_of_a_job_without_a_file_of_its_own_are_joined_in_their_order(tmp_path: Path) -> None:
    members = {
        "train (1)/10_Post.txt": b"2026-03-04T05:06:09.0000000Z bye",
        "train (1)/1_Set up job.txt": b"2026-03-04T05:06:07.0000000Z hello\nmore of it\n",
        "train (1)/4_x.txt": b"",
        "train (1)/system.txt": b"not a step",
        "train (2)/4_Train.txt": b"another job",
    }
    archive = tmp_path / "a.zip"
    archive.write_bytes(archive_of(members))
    job = make_job(1, steps=(Step(10, "Post\tRun: it", "completed", "success", NOW, NOW),))
    assert extract_job_log(archive, job, tmp_path / "out") is None
    assert (tmp_path / "out").read_bytes() == (
        b"train (1)\tSet up job\t2026-03-04T05:06:07.0000000Z hello\n"
        b"train (1)\tSet up job\tmore of it\n"
        b"train (1)\tPost Run: it\t2026-03-04T05:06:09.0000000Z bye\n"
    )


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"a_b/1_x.txt": b"1", "a b/1_x.txt": b"2"}, "no files"),
        ({"a_b/x.txt": b"1", "a_b/deeper/1_x.txt": b"1", "../a_b/1_x.txt": b"1"}, "no files"),
        ({"a_b/1_x.txt": bytes(20_000_000)}, "too large"),
    ],
    ids=["two folders", "no step", "bomb"],
)
def test_steps_that_cannot_be_trusted_are_refused(tmp_path: Path, members: dict[str, bytes], says: str) -> None:
    archive = tmp_path / "a.zip"
    archive.write_bytes(archive_of(members))
    refused = extract_job_log(archive, make_job(1, "a/b"), tmp_path / "out")
    assert isinstance(refused, Unavailable)
    assert says in refused.detail


def test_a_step_whose_file_is_one_long_line_is_one_line(tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    archive.write_bytes(archive_of({"train (1)/1_x.txt": random.Random(1).randbytes(200_000).replace(b"\n", b"")}))
    assert extract_job_log(archive, make_job(1), tmp_path / "out") is None
    written = (tmp_path / "out").read_bytes()
    assert (written.count(b"\n"), written.count(b"train (1)\t")) == (1, 1)
