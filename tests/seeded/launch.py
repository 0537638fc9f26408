"""The commands that a job runs, and scripts that are run by hand: the lines of the tree that hold them, read by plain
text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from tests.seeded.seed import Seed
from tests.seeded.site import Job, Site

_CALLED = re.compile(r"(?:^|[\s;&|])(?:bash|sh|source)\s+(?:-\w+ )*[\"']?(?:\./)?([\w./-]+\.(?:sh|bash))")
# A script that somebody runs by hand; how many of them are looked at in one repository.
_BY_HAND = re.compile(
    r"^\s*(?:exec |uv run |nohup |\w+=\S+ )*(?:python3?|torchrun|accelerate|deepspeed|vllm|ray job)\b", re.M
)
_MOST = 60
_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a file, its continuation lines with it. `lines`: their numbers from 0 in `text`, and themselves."""

    job: Job
    step: int
    path: str
    text: str = field(repr=False)
    lines: Sequence[tuple[int, str]]

    @property
    def joined(self) -> str:
        return " ".join(line.strip().removesuffix("\\").strip() for _, line in self.lines)

    def with_line(self, number: int, line: str) -> bytes:
        """The file with another line of this number; without it where `line` is empty."""
        own = self.text.split("\n")
        own[number : number + 1] = [line] if line else []
        return "\n".join(own).encode()

    def seed(self, number: int, line: str, printed: Sequence[str], about: str) -> Seed:
        return Seed(self.job, self.step, {self.path: self.with_line(number, line)}, tuple(printed), about)


def commands(site: Site) -> Iterator[Command]:
    """Of jobs first, in an order of their own in every repository; then of scripts that no workflow names."""
    seen: set[str] = set()
    for job in _shuffled(site.jobs, lambda job: f"{job.workflow} {job.id}"):
        text = site.text(job.workflow)
        for step, script in job.runs():
            yield from _split(job, step, job.workflow, text, list(_placed(text, script)))
            for path in _CALLED.findall(script):
                if path in site.tree and path not in seen:
                    seen.add(path)
                    own = site.text(path)
                    yield from _split(job, step, path, own, list(enumerate(own.split("\n"))))
    yield from _by_hand(site, seen)


def _by_hand(site: Site, seen: set[str]) -> Iterator[Command]:
    named = "\n".join(site.text(path) for path in {job.workflow for job in site.jobs})
    paths = [
        one for one in site.tree.paths() if one.endswith(".sh") and one not in seen and one.split("/")[-1] not in named
    ]
    for path in _shuffled(paths, str)[:_MOST]:
        text = site.text(path)
        if _BY_HAND.search(text):
            job = Job("", "", {"steps": [{"run": _typed(site, path, text)}]})
            yield from _split(job, 0, path, text, list(enumerate(text.split("\n"))))


def _typed(site: Site, path: str, text: str) -> str:
    """How it is started: in its own folder where it names a program that only lies beside it."""
    folder, _, name = path.rpartition("/")
    script = re.search(r"(?:python3?|uv run)\s(?:-\w+ )*(\w+\.py)\b", text)
    beside = script is not None and script[1] not in site.tree and f"{folder}/{script[1]}" in site.tree
    return f"cd {folder} && bash {name}" if beside else f"bash {path}"


def _placed(text: str, script: str) -> Iterator[tuple[int, str]]:
    """The lines of a step's script, where its workflow holds them once."""
    lines = text.split("\n")
    for own in script.split("\n"):
        at = [
            number
            for number, line in enumerate(lines)
            if own.strip() and re.sub(r"^\s*(?:- )?run: ", "", line).strip() == own.strip()
        ]
        if len(at) == 1:
            yield at[0], lines[at[0]]


def _split(job: Job, step: int, path: str, text: str, lines: list[tuple[int, str]]) -> Iterator[Command]:
    group: list[tuple[int, str]] = []
    for number, line in lines:
        if line.strip().startswith("#") and not group:
            continue
        group.append((number, line))
        if not line.rstrip().endswith("\\"):
            if any(one.strip() for _, one in group):
                yield Command(job, step, path, text, tuple(group))
            group = []


def _shuffled(items: Iterable[_Item], key: Callable[[_Item], str]) -> list[_Item]:
    return sorted(items, key=lambda one: hashlib.sha256(key(one).encode()).digest())


def pick(items: Sequence[tuple[int, str]], salt: str) -> tuple[int, str] | None:
    """One of the lines, another one for each salt."""
    return min(items, key=lambda one: hashlib.sha256(f"{salt}{one[1]}".encode()).digest(), default=None)


def misspelt(word: str) -> str:
    """`word` as a slip of the hand leaves it: two letters in its middle swapped, or one left out where they are equal."""
    at = len(word) // 2
    while at < len(word) - 2 and not (word[at].isalpha() and word[at + 1].isalpha()):
        at += 1
    if word[at] == word[at + 1]:
        return word[:at] + word[at + 1 :]
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
