from __future__ import annotations

import io
import os
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from triage.errors import UsageError
from triage.interfaces import Tree
from triage.sources import git as sources_git
from triage.sources.trees import FILE_CAP, folder_tree, git_tree, tar_tree


def git(folder: Path, *arguments: str) -> str:
    names = ("user.name=Made Up", "user.email=made.up@example.invalid", "init.defaultBranch=main")
    settings = [part for name in names for part in ("-c", name)]
    return subprocess.run(
        ["git", *settings, *arguments], cwd=folder, capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    (folder / "scripts").mkdir(parents=True)
    (folder / "scripts" / "run ü.sh").write_bytes(b"#!/bin/bash\r\nprog\xff")
    (folder / "empty.txt").write_bytes(b"")
    (folder / "link").symlink_to("/etc/passwd")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    return folder


def test_a_commit_is_read_without_touching_the_work_tree(checkout: Path) -> None:
    (checkout / "empty.txt").write_text("changed")
    (checkout / "new.txt").write_text("untracked")
    before = sorted(path.name for path in checkout.iterdir())
    tree = git_tree(checkout, "HEAD")
    assert tree.sha == git(checkout, "rev-parse", "HEAD")
    assert list(tree.paths()) == ["empty.txt", "scripts/run ü.sh"]
    assert tree.read("empty.txt") == b""
    assert tree.read("scripts/run ü.sh") == b"#!/bin/bash\r\nprog\xff"
    assert "link" not in tree
    assert sorted(path.name for path in checkout.iterdir()) == before
    assert (checkout / "empty.txt").read_text() == "changed"
    with pytest.raises(KeyError):
        tree.read("no such file")


def test_files_that_are_searched_through_come_many_at_a_time(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for at in range(300):
        (checkout / f"m{at:03}.py").write_text(f"x = {at}\n")
    git(checkout, "add", "-A")
    git(checkout, "commit", "-qm", "modules")
    tree = git_tree(checkout, "HEAD")
    asked: list[tuple[str, ...]] = []
    ask = sources_git.ask

    def counted(folder: Path, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        asked.append(arguments)
        return ask(folder, *arguments, given=given)

    monkeypatch.setattr(sources_git, "ask", counted)
    assert [tree.read(path) for path in tree.paths() if path.endswith(".py")] == [b"x = %d\n" % at for at in range(300)]
    assert len(asked) <= 3


def test_abbreviated_and_older_commits_are_found(checkout: Path) -> None:
    first = git(checkout, "rev-parse", "--short", "HEAD")
    (checkout / "later.txt").write_text("x")
    git(checkout, "add", "later.txt")
    git(checkout, "commit", "-qm", "second")
    assert "later.txt" in git_tree(checkout, "HEAD")
    assert "later.txt" not in git_tree(checkout, first)


@pytest.mark.parametrize("rev", ["0123456789012345678901234567890123456789", "no-branch", "--help", ""])
def test_a_missing_commit_says_how_to_get_it(checkout: Path, rev: str) -> None:
    with pytest.raises(UsageError) as raised:
        git_tree(checkout, rev)
    assert "has no commit" in raised.value.message
    assert f"git fetch origin {rev}" in raised.value.remedy


def test_a_missing_folder_and_a_folder_without_git_are_usage_errors(tmp_path: Path) -> None:
    for folder in (tmp_path / "no", tmp_path):
        with pytest.raises(UsageError):
            git_tree(folder, "HEAD")


def test_a_partial_clone_says_what_it_lacks(checkout: Path, tmp_path: Path) -> None:
    git(checkout, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{checkout}", "partial")
    tree = git_tree(tmp_path / "partial", "HEAD")
    assert "empty.txt" in tree
    with pytest.raises(UsageError, match=r"partial clone without empty\.txt"):
        tree.read("empty.txt")


def test_an_object_that_the_clone_lacks_is_no_file_of_the_tree(checkout: Path) -> None:
    blob = git(checkout, "rev-parse", "HEAD:empty.txt").strip()
    (checkout / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    tree = git_tree(checkout, "HEAD")
    assert "empty.txt" not in tree
    assert tree.paths()


def test_configuration_of_the_repository_runs_nothing(checkout: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    hook = tmp_path / "monitor"
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    git(checkout, "config", "core.fsmonitor", str(hook))
    git(checkout, "config", "core.pager", str(hook))
    assert git_tree(checkout, "HEAD").read("empty.txt") == b""
    assert not ran.exists()


def test_a_plain_folder_is_read_as_it_lies(tmp_path: Path) -> None:
    (tmp_path / "a" / ".git").mkdir(parents=True)
    (tmp_path / "a" / ".git" / "config").write_text("x")
    (tmp_path / "a" / "b.yml").write_text("a: 1\n")
    (tmp_path / "outside").symlink_to("/etc")
    (tmp_path / "link.yml").symlink_to(tmp_path / "a" / "b.yml")
    tree = folder_tree(tmp_path)
    assert list(tree.paths()) == ["a/b.yml"]
    assert tree.read("a/b.yml") == b"a: 1\n"
    assert tree.sha == ""
    with pytest.raises(UsageError):
        folder_tree(tmp_path / "no")


def archive(path: Path, members: list[tuple[tarfile.TarInfo, bytes]], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as tar:  # type: ignore[call-overload]
        for info, data in members:
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


@pytest.mark.parametrize("kind", ["git", "partial", "folder", "tar"])
def test_every_tree_leaves_out_the_same_large_files(
    checkout: Path, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triage.sources.trees.FILE_CAP", 100)
    (checkout / "link").unlink()
    (checkout / "just.sh").write_bytes(b"x" * 100)
    (checkout / "huge.sh").write_bytes(b"x" * 101)
    git(checkout, "add", "-A")
    git(checkout, "commit", "-qm", "sizes")
    git(checkout, "archive", "--prefix=example-train-0a1b/", "-o", str(tmp_path / "t.tar.gz"), "HEAD")
    git(checkout, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{checkout}", "partial")
    git(tmp_path / "partial", "cat-file", "-e", "HEAD:huge.sh")  # fetched, while the others are not there
    made: dict[str, Callable[[], Tree]] = {
        "git": lambda: git_tree(checkout, "HEAD"),
        "partial": lambda: git_tree(tmp_path / "partial", "HEAD"),
        "folder": lambda: folder_tree(checkout),
        "tar": lambda: tar_tree(tmp_path / "t.tar.gz", "0a1b"),
    }
    tree = made[kind]()
    assert list(tree.paths()) == ["empty.txt", "just.sh", "scripts/run ü.sh"]
    assert "huge.sh" not in tree
    with pytest.raises(KeyError):
        tree.read("huge.sh")


def test_a_tarball_is_read_without_its_top_folder(tmp_path: Path) -> None:
    path = archive(
        tmp_path / "t.tar.gz",
        [
            (member("example-train-0a1b/", tarfile.DIRTYPE), b""),
            (member("example-train-0a1b/z.sh"), b"prog\n"),
            (member("example-train-0a1b/.github/workflows/ci.yml"), b"jobs: {}\n"),
            (member("example-train-0a1b/link", tarfile.SYMTYPE, "/etc/passwd"), b""),
            (member("example-train-0a1b/hard", tarfile.LNKTYPE, "../../etc/passwd"), b""),
            (member("example-train-0a1b/huge.bin"), b"x" * (FILE_CAP + 1)),
        ],
    )
    tree = tar_tree(path, "0a1b")
    assert tree.sha == "0a1b"
    assert list(tree.paths()) == [".github/workflows/ci.yml", "z.sh"]
    assert tree.read("z.sh") == b"prog\n"


@pytest.mark.parametrize("name", ["/etc/passwd", "top/../../etc/passwd", "top\\..\\x", "../x", "top/a\\..\\..\\x"])
def test_members_that_lead_out_are_refused(tmp_path: Path, name: str) -> None:
    path = archive(tmp_path / "t.tar.gz", [(member(name), b"x")])
    with pytest.raises(UsageError, match="leads out of it"):
        tar_tree(path, "0a1b")


def test_a_file_with_a_backslash_in_its_name_is_left_out_and_the_others_are_there(tmp_path: Path) -> None:
    members = [(member(f"top/{name}"), b"x") for name in ("a\\b.txt", "run.sh")]
    assert list(tar_tree(archive(tmp_path / "t.tar.gz", members), "0a1b").paths()) == ["run.sh"]


def test_what_is_no_tarball_is_a_usage_error(tmp_path: Path) -> None:
    path = tmp_path / "t.tar.gz"
    for data in (
        b"",
        b"not a tarball",
        archive(tmp_path / "u.tar.gz", [(member("a/b"), os.urandom(5000))]).read_bytes()[:-2000],
    ):
        path.write_bytes(data)
        with pytest.raises(UsageError, match="cannot be read as a tarball"):
            tar_tree(path, "0a1b")
    with pytest.raises(UsageError):
        tar_tree(tmp_path / "no", "0a1b")


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triage.sources.trees.TOTAL_CAP", 1000)
    path = archive(tmp_path / "t.tar.gz", [(member(f"top/{number}"), b"0" * 600) for number in range(5)])
    with pytest.raises(UsageError, match="holds too much"):
        tar_tree(path, "0a1b")
