"""Gates that ask git: the diff applies to the head's files, yields the edited bytes, and does not apply twice."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from triage.gates.change import Change, failed, ok, skipped
from triage.gates.programs import Ended, NotRun, ask, execute, write
from triage.model.patch import Gate

NAME = "applies"
# Outside a repository: git is let look for none above the folder, and making one takes longer than the question.
_GIT = ("git", "-c", "core.autocrlf=false", "-c", "core.quotepath=true", "-c", "apply.whitespace=nowarn", "apply")


def applies(change: Change) -> Gate:
    """`git apply --check`, and the real thing, in a folder of its own that holds only the files to be edited.

    The user's checkout is never touched: the bytes come from the head's tree.
    """
    if not change.diff:
        return failed(NAME, "the edits change nothing")
    unsafe = [path for path in change.new if not is_safe(path)]
    if unsafe:
        return failed(NAME, f"`{unsafe[0]}` is no path that a patch may touch")
    with TemporaryDirectory(prefix="triage-") as folder:
        root = Path(folder)
        write(root, change.old)
        return _apply(change, root)


def _apply(change: Change, root: Path) -> Gate:
    ended = execute((*_GIT, "--check", "--apply", "-"), root, stdin=change.diff)
    if isinstance(ended, NotRun):
        return skipped(NAME, ended.reason)
    if ended.code != 0:
        return failed(NAME, f"git apply: {_first_line(ended)}")
    differing = [path for path, content in change.new.items() if (root / path).read_bytes() != content]
    if differing:
        return failed(NAME, f"git apply yields other bytes than the edits in {differing[0]}")
    return ok(NAME, f"git apply --check, {len(change.new)} file{'s' if len(change.new) != 1 else ''}")


def misfit(diff: str, files: Mapping[str, bytes]) -> str:
    """Why the diff does not apply to other versions of its files, in git's words; "" when it does."""
    unsafe = [path for path in files if not is_safe(path)]
    if unsafe:
        return f"`{unsafe[0]}` is no path that a patch may touch"
    ended = ask((*_GIT, "--check", "-"), files, stdin=diff.encode())
    if isinstance(ended, NotRun):
        return ended.reason
    return _first_line(ended) if ended.code != 0 else ""


def is_safe(path: str) -> bool:
    """Relative, without `..`, and not inside git's own folder."""
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and "\\" not in path and not {"..", ".git"} & set(parts)


def _first_line(ended: Ended) -> str:
    return (ended.errors.strip() or ended.output.strip() or f"exit code {ended.code}").splitlines()[0]
