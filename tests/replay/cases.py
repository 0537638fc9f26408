"""The cases: merged fixes by commit, what they changed as facts, and the log that stands in for the failed run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, order=True)
class Knob:
    """One setting that a change turned: `kind` is dist, name, key, flag, path, image, file, or command.

    `old` and `new` are its values before and after, "" where it is not there.
    """

    file: str
    kind: str
    name: str
    old: str = ""
    new: str = ""

    @property
    def place(self) -> tuple[str, str, str]:
        return self.file, self.kind, self.name


@dataclass(frozen=True, slots=True)
class Case:
    """`expected` is read from the merged commit, or from the case list where it is recorded.

    `held`: set aside. Nothing is built for it, and of its score only the counts are looked at; what is worked on is
    open from then on.
    """

    id: str
    repo: str
    sha: str
    parent: str
    family: str
    mechanical: str
    held: bool
    files: tuple[str, ...] = ()
    workflow: str = ""
    job: str = ""
    conclusion: str = "failure"
    expected: tuple[Knob, ...] = ()

    @property
    def directory(self) -> str:
        """Where its git directory lies below the folder of clones."""
        return f"{self.repo.replace('/', '+')}/repo"


def read_cases(path: Path, logs: Path) -> tuple[Case, ...]:
    """The cases of a JSON list, with the job that `logs.jsonl` beside the logs names for each."""
    jobs = _jobs(logs)
    return tuple(_case(entry, jobs.get(entry["id"], {})) for entry in json.loads(path.read_text(encoding="utf-8")))


def _jobs(logs: Path) -> dict[str, Mapping[str, str]]:
    for place in (logs / "logs.jsonl", logs.parent / "logs.jsonl"):
        if place.exists():
            lines = place.read_text(encoding="utf-8").splitlines()
            return {entry["id"]: entry for entry in map(json.loads, filter(str.strip, lines))}
    return {}


def _case(entry: Mapping[str, object], job: Mapping[str, str]) -> Case:
    def text(name: str) -> str:
        return str(job.get(name) or entry.get(name) or "")

    files = entry.get("files")
    knobs = entry.get("expected")
    return Case(
        id=str(entry["id"]),
        repo=str(entry["repo"]),
        sha=str(entry["sha"]),
        parent=str(entry["parent"]),
        family=str(entry["family"]),
        mechanical=str(entry["mechanical"]),
        held=bool(entry["held"]),
        files=tuple(files) if isinstance(files, list) else (),
        workflow=text("workflow"),
        job=text("job"),
        conclusion=text("conclusion") or "failure",
        expected=tuple(Knob(**knob) for knob in knobs) if isinstance(knobs, list) else (),
    )


def write_cases(path: Path, cases: Iterable[Case]) -> None:
    """The list that is committed: facts only, one case a line."""
    lines = [json.dumps(_plain(case), ensure_ascii=True) for case in cases]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def _plain(case: Case) -> dict[str, object]:
    plain = asdict(case)
    plain["expected"] = [asdict(knob) for knob in case.expected]
    return {name: value for name, value in plain.items() if value not in ("", [], ())}
