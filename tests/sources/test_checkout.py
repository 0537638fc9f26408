"""A folder brings its own `.git/config`: what it names there is not run, whatever a command asks of the checkout."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from triage.errors import UsageError
from triage.sources import checkout
from triage.sources.trees import git_tree

DIFF = "--- a/x.txt\n+++ b/x.txt\n@@ -1 +1 @@\n-one\n+two\n"


def repository(folder: Path) -> Callable[..., None]:
    """Makes one in `folder`, and runs git in it."""

    def git(*arguments: str) -> None:
        named = ("-c", "user.name=someone", "-c", "user.email=someone@example.com", "-C", str(folder))
        subprocess.run(["git", *named, *arguments], check=True, capture_output=True)

    folder.mkdir()
    git("init", "-q")
    return git


def test_no_program_of_the_folders_configuration_is_started(tmp_path: Path) -> None:
    folder, told = tmp_path / "clone", tmp_path / "told"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{told}'\n")
    program.chmod(0o755)

    git = repository(folder)
    (folder / "x.txt").write_text("one\n")
    git("add", "-A")
    git("commit", "-qm", "x")
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "fsmonitor-watchman"):
        (hooks / hook).hardlink_to(program)
    for name, value in (
        ("core.fsmonitor", str(program)),
        ("core.hooksPath", str(hooks)),
        ("diff.external", str(program)),
        ("filter.odd.name.clean", str(program)),
        ("filter.odd.name.smudge", str(program)),
        ("filter.odd.name.required", "true"),
    ):
        git("config", name, value)
    (folder / ".git" / "info" / "attributes").write_text("* filter=odd.name\n")
    os.utime(folder / "x.txt", (1, 1))  # so that git has to look into it
    checkout.require_clean(folder)
    checkout.remote_repository(folder)
    assert checkout.has_commit(folder, "HEAD")
    assert git_tree(folder, "HEAD").read("x.txt") == b"one\n"
    checkout.apply(folder, DIFF)
    assert (folder / "x.txt").read_text() == "two\n"
    assert not told.exists()


def test_what_is_changed_is_named_and_what_was_only_touched_is_not(tmp_path: Path) -> None:
    folder = tmp_path / "clone"

    git = repository(folder)
    for name in ("edited", "staged", "gone", "touched", "ends", "kept"):
        (folder / name).write_text("one\ntwo\n")
    git("add", "-A")
    git("commit", "-qm", "x")
    (folder / "edited").write_text("one\n")
    (folder / "staged").write_text("three\n")
    git("add", "staged")
    (folder / "gone").unlink()
    os.utime(folder / "touched", (1, 1))
    (folder / "ends").write_bytes(b"one\r\ntwo\r\n")
    (folder / "new").write_text("not tracked\n")
    (folder / "added").write_text("tracked from the next commit on\n")
    git("add", "added")
    assert checkout.uncommitted(folder, git_tree(folder, "HEAD")) == ("added", "edited", "gone", "staged")
    with pytest.raises(UsageError, match=r"not clean \(added is changed\)"):
        checkout.require_clean(folder)
