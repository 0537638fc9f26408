"""What the repository says of the lines that a patch changes, asked of real clones and of an API that counts."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.fixes.memory_tree import MemoryTree
from triage.errors import GitHubError
from triage.fixes.document import unified_diff
from triage.model.patch import Draft, Edit, Patch, PatchState
from triage.model.run import Commit
from triage.model.signature import Applicability
from triage.pipeline.related import moved, related
from triage.pipeline.surroundings import OfCheckout, OfGitHub
from triage.pipeline.trees import trees_of_checkout
from triage.sources import lineage

CI = ".github/workflows/ci.yml"


def git(folder: Path, *arguments: str, day: int = 1) -> str:
    moment = (datetime(2026, 2, 28, 12, tzinfo=UTC) + timedelta(days=day)).isoformat()
    named = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
             for what, value in (("NAME", "a"), ("EMAIL", "a@train.invalid"), ("DATE", moment))}  # fmt: skip
    environment = {**os.environ, **named, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    ran = subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


def workflow(minutes: int, note: str = "") -> str:
    filler = "".join(f"# {number}\n" for number in range(20))
    return f"{note}on: push\njobs:\n  test:\n    timeout-minutes: {minutes} # raise\n{filler}"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    return tmp_path


def commit(clone: Path, text: str, title: str, day: int = 1) -> str:
    (clone / CI).parent.mkdir(parents=True, exist_ok=True)
    (clone / CI).write_text(text)
    git(clone, "add", CI)
    git(clone, "commit", "-q", "-m", title, day=day)
    return git(clone, "rev-parse", "HEAD")


def raising(data: bytes, new: bytes = b"90") -> tuple[Patch, Draft, MemoryTree]:
    at = data.index(b"timeout-minutes: ") + len(b"timeout-minutes: ")
    edit = Edit(CI, at, data.index(b" ", at), new, "more")
    after = data[:at] + new + data[edit.end :]
    draft = Draft("t", "timeout", PatchState.PATCH, Applicability.UNSAFE, edits=(edit,))
    patch = Patch("p1", (), "t", "timeout", PatchState.PATCH, Applicability.UNSAFE, files=(CI,))
    return _with_diff(patch, data, after), draft, MemoryTree({CI: data})


def _with_diff(patch: Patch, before: bytes, after: bytes) -> Patch:
    return replace(patch, diff=unified_diff(CI, before, after).decode())


def notes(clone: Path, sha: str) -> tuple[str, ...]:
    return related(*raising((clone / CI).read_bytes()), OfCheckout(clone, sha))


def test_the_commit_that_changed_the_line_last_is_named(clone: Path) -> None:
    commit(clone, workflow(30), "Add")
    raised = commit(clone, workflow(40), "Give `the` test\tmore time", day=2)
    sha = commit(clone, workflow(40, "# note\n"), "Say what it is", day=3)
    assert notes(clone, sha) == (f"{CI}:5 was last changed by {raised[:9]} (2026-03-02) `Give 'the' test more time`",)


def test_a_limit_that_was_raised_twice_in_a_month_is_a_ratchet(clone: Path) -> None:
    commit(clone, workflow(30), "Add")
    first = commit(clone, workflow(40), "Raise", day=5)
    commit(clone, workflow(40, "# note\n"), "Say what it is", day=6)
    second = commit(clone, workflow(60, "# note\n"), "Raise again", day=20)
    assert notes(clone, second)[1] == (
        f"{CI}:5 was raised 2 times within 30 days already (30 to 40 in {first[:9]}, 40 to 60 in {second[:9]}): "
        "split the work, or find what grows, instead of moving the limit again"
    )


@pytest.mark.parametrize(("steps", "days"), [((30, 40, 60), (1, 2, 40)), ((30, 20, 60), (1, 2, 3))])
def test_no_ratchet_long_ago_or_in_both_directions(clone: Path, steps: Sequence[int], days: Sequence[int]) -> None:
    for minutes, day in zip(steps, days, strict=True):
        sha = commit(clone, workflow(minutes), "Set", day=day)
    assert len(notes(clone, sha)) == 1


def test_a_patch_that_lowers_is_no_part_of_a_ratchet(clone: Path) -> None:
    for day, minutes in enumerate((30, 40, 60), start=1):
        sha = commit(clone, workflow(minutes), "Raise", day=day)
    lowering = raising((clone / CI).read_bytes(), b"5")
    assert len(related(*lowering, OfCheckout(clone, sha))) == 1


def test_whether_the_patch_fits_the_base_branch(clone: Path) -> None:
    sha = commit(clone, workflow(30), "Add")
    git(clone, "checkout", "-q", "-b", "base")

    def at_base(text: str | None) -> str:
        if text is None:
            git(clone, "rm", "-q", CI)
            git(clone, "commit", "-q", "-m", "Remove")
        else:
            commit(clone, text, "Change")
        git(clone, "update-ref", "refs/remotes/origin/main", "HEAD")
        git(clone, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
        return related(*raising(workflow(30).encode()), OfCheckout(clone, sha))[-1]

    assert "too, though the files differ there" in at_base(workflow(30) + "# later\n")
    assert "does not apply to origin/main (" in at_base(workflow(45))
    assert "derive it there anew, with `triage run --onto`" in at_base(workflow(50))
    assert f"has no {CI}" in at_base(None)
    git(clone, "checkout", "-q", "main")
    git(clone, "commit", "-q", "--allow-empty", "-m", "Nothing")
    git(clone, "update-ref", "refs/remotes/origin/main", "HEAD")
    assert "are the same there" in related(*raising(workflow(30).encode()), OfCheckout(clone, sha))[-1]
    git(clone, "update-ref", "refs/remotes/origin/main", sha)
    assert lineage.base_branch(clone) == "origin/main"
    assert OfCheckout(clone, sha).base([CI]) is None


def test_a_checkout_gives_its_surroundings_to_the_fixes(clone: Path) -> None:
    sha = commit(clone, workflow(30), "Add")
    trees = trees_of_checkout(clone)("")
    assert trees.around == OfCheckout(clone, sha)  # type: ignore[union-attr]


def test_what_git_cannot_say_is_not_said(tmp_path: Path) -> None:
    assert lineage.line_changes(tmp_path, "HEAD", CI, 1) == ()
    assert lineage.base_branch(tmp_path) == ""
    assert lineage.file_at(tmp_path, "HEAD", CI) is None


@dataclass
class Counted:
    """A repository on GitHub that counts what it is asked."""

    data: bytes | None
    fails: bool = False
    asked: list[str] = field(default_factory=list)

    def read(self, path: str, ref: str = "") -> bytes | None:
        self.asked.append(f"read {path} {ref}")
        if self.fails:
            raise GitHubError("no.", "Wait.")
        return self.data

    def commits(self, path: str = "", ref: str = "", limit: int = 20) -> tuple[Commit, ...]:
        self.asked.append(f"commits {path} {ref}")
        if self.fails:
            raise GitHubError("no.", "Wait.")
        return (Commit("c" * 40, "Raise it\n\nmore", date=datetime(2026, 3, 2, tzinfo=UTC)),)


def test_two_requests_tell_the_last_change_of_the_file_and_the_default_branch() -> None:
    data = workflow(30).encode()
    contents = Counted(data)
    around = OfGitHub(contents, "a" * 40)
    first = related(*raising(data), around)
    assert first == (
        f"{CI} was last changed by ccccccccc (2026-03-02) `Raise it`",
        "it applies to the default branch too: the files that it changes are the same there",
    )
    assert related(*raising(data), around) == ()
    assert contents.asked == [f"commits {CI} {'a' * 40}", f"read {CI} "]


def test_requests_that_fail_cost_the_notes_alone() -> None:
    assert related(*raising(workflow(30).encode()), OfGitHub(Counted(None, fails=True), "a" * 40)) == ()


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("t: 30 # a", "t: 40 # a", 1),
        ("x >= 0.70", "x >= 0.68", -1),
        ("t: 30", "t:  30", 0),
        ("t: 30", "u: 40", 0),
        ("a 1 b 2", "a 2 b 3", 0),
        ("", "t: 30", 0),
    ],
)
def test_which_way_one_number_moved(before: str, after: str, expected: int) -> None:
    assert moved(before, after) == expected
