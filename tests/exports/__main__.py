"""python -m tests.exports FOLDER: prints the table `exports` from the histories in FOLDER/owner+name/repo."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.exports.changes import gone, since
from tests.exports.history import Release, snapshots
from tests.exports.packages import PACKAGES

FIRST_YEAR = 2022
HEAD = """\
# Distribution -> `gone` or `since` -> release -> the dotted names that it first lacks, or first has. Read from the tagged
# sources of each package by `python -m tests.exports FOLDER`; what is read by hand stands in names.yaml, and wins.
"""


def main(folder: Path) -> None:
    print(HEAD, end="")
    for package in PACKAGES:
        git = folder / package.repository.replace("/", "+") / "repo"
        if not git.is_dir():
            print(f"{package.repository} is not there: left out", file=sys.stderr)
            continue
        taken = snapshots(git, package.folder, FIRST_YEAR)
        if len(taken) < 2:
            print(f"{package.repository}: {len(taken)} releases: left out", file=sys.stderr)
            continue
        lines = [*_lines("gone", gone(taken)), *_lines("since", since(taken))]
        if lines:
            print(f"{package.distribution}:", *lines, sep="\n")


def _lines(kind: str, found: Mapping[str, Release]) -> Iterator[str]:
    by_release = defaultdict(list)
    for name, release in found.items():
        by_release[release].append(name)
    if by_release:
        yield f"  {kind}:"
    for release, names in sorted(by_release.items()):
        yield f'    "{_written(release)}": {" ".join(sorted(names))}'


def _written(release: Release) -> str:
    """As bounds are written: X.Y for X.Y.0."""
    return ".".join(map(str, release[:2] if release[2:] == (0,) else release))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
