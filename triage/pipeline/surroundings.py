"""What a repository knows beyond one snapshot: the history of a line, and the base branch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from triage.errors import GitHubError
from triage.model.lineage import LineChange
from triage.model.run import Commit
from triage.sources import lineage


@dataclass(frozen=True, slots=True)
class Base:
    """Another commit's files, of those asked for that it has. `name` is what people call it."""

    name: str
    files: Mapping[str, bytes]


class Surroundings(Protocol):
    """What a repository knows beyond one snapshot. Answers are empty, or None, where they are not cheap to get."""

    def changes(self, path: str, line: int) -> Sequence[LineChange]:
        """Newest first, up to the commit that patches are made for. Without texts they are changes of the file."""
        ...

    def base(self, paths: Sequence[str]) -> Base | None:
        """The tip of the base branch; None when it is the commit that patches are made for, or not known."""
        ...


@dataclass(frozen=True, slots=True)
class OfCheckout:
    """Fulfils `Surroundings` for the commit `sha` of a clone."""

    folder: Path
    sha: str

    def changes(self, path: str, line: int) -> Sequence[LineChange]:
        return lineage.line_changes(self.folder, self.sha, path, line)

    def base(self, paths: Sequence[str]) -> Base | None:
        branch = lineage.base_branch(self.folder)
        tip = lineage.tip_of(self.folder, branch) if branch else ""
        if not tip or tip == self.sha:
            return None
        found = {path: lineage.file_at(self.folder, tip, path) for path in paths}
        return Base(f"{branch} ({tip[:9]})", {path: data for path, data in found.items() if data is not None})


class Contents(Protocol):
    """Files and commits of a repository on GitHub."""

    def read(self, path: str, ref: str = "") -> bytes | None: ...

    def commits(self, path: str = "", ref: str = "", limit: int = 20) -> Sequence[Commit]: ...


@dataclass(slots=True)
class OfGitHub:
    """Fulfils `Surroundings` with one request for each question, the first time that it is asked."""

    contents: Contents
    sha: str
    asked: set[str] = field(default_factory=set)

    def changes(self, path: str, line: int) -> Sequence[LineChange]:
        if "changes" in self.asked:
            return ()
        self.asked.add("changes")
        try:
            found = self.contents.commits(path, self.sha, 1)
        except GitHubError:  # a note is not worth the result
            return ()
        return tuple(LineChange(one.sha, one.title, one.date) for one in found)

    def base(self, paths: Sequence[str]) -> Base | None:
        if "base" in self.asked or len(paths) != 1:
            return None
        self.asked.add("base")
        try:
            data = self.contents.read(paths[0])
        except GitHubError:
            return None
        return Base("the default branch", {} if data is None else {paths[0]: data})
