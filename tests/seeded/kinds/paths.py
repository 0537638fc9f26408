"""Paths with a slip in them: of a script, of the tests, of a folder to work in, of an action of the repository."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

from tests.seeded.seed import Seed
from tests.seeded.site import HOME, SHELL, Job, Site
from tests.seeded.text import Text, misspelt, of_scripts, read

_PYTHON = re.compile(r"(?:^|[\s;&(])python3?(?: -u)? (?:\./)?(?P<path>[\w./-]+\.py)\b")
_BASH = re.compile(r"(?:^|[\s;&(])(?:bash|sh) (?:-\w+ )*(?P<path>(?:\./)?[\w./-]+\.sh)\b")
_DIRECT = re.compile(r"(?:^|&& |; )(?P<path>\./[\w./-]+\.(?:sh|py))\b")
_PYTEST = re.compile(
    r"(?:^|[\s;&(])(?:python3? -m )?pytest (?:-\w+ |--[\w-]+(?:=\S+)? )*(?P<path>[\w./-]*[\w-]/?)(?=\s|$)"
)


def script(site: Site) -> Iterator[Seed]:
    """The name of a script that Python or a shell runs."""
    yield from _slips(site, _misnamed)


def folder(site: Site) -> Iterator[Seed]:
    """A folder on the way to a script."""
    yield from _slips(site, _misplaced)


def tests(site: Site) -> Iterator[Seed]:
    """The folder or file of the tests that pytest is given."""
    for job, number, text, at, line in _lines(site):
        if found := _PYTEST.search(line):
            path = found["path"]
            bare = path.rstrip("/")
            if not _is_there(site, job, number, bare) or bare == ".":
                continue
            wrong = _misnamed(bare) if bare.endswith(".py") else _misspelt_last(bare)
            if wrong + path[len(bare) :] in line or _is_there(site, job, number, wrong):
                continue
            printed = (
                "============================= test session starts ==============================",
                "platform linux -- Python 3.11.9, pytest-8.3.5, pluggy-1.5.0",
                f"rootdir: {HOME}",
                "collected 0 items",
                "",
                "============================ no tests ran in 0.01s =============================",
                f"ERROR: file or directory not found: {wrong}{path[len(bare) :]}",
                "",
            )
            spoilt = _replaced(text, at, found.start("path"), line, path, wrong + path[len(bare) :])
            if spoilt:
                yield Seed(job, number, {job.workflow: spoilt}, printed, wrong, code=4)


def working_directory(site: Site) -> Iterator[Seed]:
    """`working-directory` of a step."""
    for job, number, text, found in of_scripts(site, "working-directory"):
        path = found[1].value.rstrip("/")
        if not re.fullmatch(r"(?:\./)?[\w-][\w./-]*", found[1].value) or not _has_folder(site, path.removeprefix("./")):
            continue
        wrong = _misspelt_last(path)
        if _has_folder(site, wrong.removeprefix("./")):
            continue
        words = (
            f"##[error]An error occurred trying to start process '/usr/bin/bash' with working directory"
            f" '{HOME}/{wrong}'. No such file or directory"
        )
        yield Seed(job, number, {job.workflow: text.with_scalar(found[1], wrong).encode()}, (words,), wrong)


def action(site: Site) -> Iterator[Seed]:
    """`uses: ./path` of a step."""
    for job in site.jobs:
        text = read(site.text(job.workflow))
        for number, step in enumerate(job.steps):
            used = str(step.get("uses", ""))
            path = used.removeprefix("./").rstrip("/")
            if not used.startswith("./") or not any(f"{path}/action.{end}" in site.tree for end in ("yml", "yaml")):
                continue
            found = text.of_step(job, number, "uses") if text else None
            wrong = _misspelt_last(path)
            if not found or _has_folder(site, wrong):
                continue
            words = (
                f"##[error]Can't find 'action.yml', 'action.yaml' or 'Dockerfile' under '{HOME}/{wrong}'. Did you forget"
                " to run actions/checkout before running your local action?"
            )
            yield Seed(job, number, {job.workflow: text.with_scalar(found[1], f"./{wrong}").encode()}, (words,), wrong)


def _slips(site: Site, slip: Callable[[str], str]) -> Iterator[Seed]:
    for job, number, text, at, line in _lines(site):
        for kind, pattern in (("python", _PYTHON), ("bash", _BASH), ("direct", _DIRECT)):
            found = pattern.search(line)
            if not found or found["path"].startswith("/"):
                continue
            path = found["path"]
            home = _folder(job, number)
            whole = posixpath.normpath(posixpath.join(home, path))
            wrong = slip(path)
            if whole not in site.tree or wrong == path or posixpath.normpath(posixpath.join(home, wrong)) in site.tree:
                continue
            number_in_script = next(
                (n for n, one in enumerate(job.filled(job.steps[number]["run"]).split("\n"), 1) if path in one), 1
            )
            printed = {
                "python": f"python: can't open file '{posixpath.normpath(posixpath.join(HOME, home, wrong))}':"
                " [Errno 2] No such file or directory",
                "bash": f"bash: {wrong}: No such file or directory",
                "direct": f"{SHELL}: line {number_in_script}: {wrong}: No such file or directory",
            }[kind]
            spoilt = _replaced(text, at, found.start("path"), line, path, wrong)
            if spoilt:
                code = 2 if kind == "python" else 127
                yield Seed(job, number, {job.workflow: spoilt}, (printed,), f"{path} -> {wrong}", code=code)
            break


def _lines(site: Site) -> Iterator[tuple[Job, int, Text, int, str]]:
    """Lines of scripts in jobs that check the repository out and stay in its folder."""
    for job, number, text, found in of_scripts(site, "run"):
        script = job.steps[number]["run"]
        if not any("actions/checkout" in str(step.get("uses", "")) for step in job.steps):
            continue
        if re.search(r"(?m)^\s*(?:cd|pushd|git clone)\b|\bcd ", script) or _folder(job, number) == "?":
            continue
        for at, line in text.script(found[1]):
            yield job, number, text, at, line


def _folder(job: Job, number: int) -> str:
    """Where the step works, "?" where that is not written."""
    own = job.steps[number].get("working-directory")
    job_wide = ((job.body.get("defaults") or {}).get("run") or {}).get("working-directory")
    said = str(own or job_wide or "")
    checkout = next((one for one in job.steps if "actions/checkout" in str(one.get("uses", ""))), {})
    given = checkout.get("with")
    if "${{" in said or (isinstance(given, dict) and given.get("path", ".") != ".") or said.startswith("/"):
        return "?"
    return posixpath.normpath(said) if said else ""


def _replaced(text: Text, at: int, start: int, line: str, old: str, new: str) -> bytes:
    """The file with the word at `start` of the script's line replaced; empty where that cannot be told."""
    written = text.line(at)
    begin = written.find(line) if line in written else written.find(line.strip())
    if begin < 0:
        return b""
    begin += start if line in written else start - (len(line) - len(line.lstrip()))
    if written[begin : begin + len(old)] != old:
        return b""
    return text.with_line(at, written[:begin] + new + written[begin + len(old) :]).encode()


def _misnamed(path: str) -> str:
    stem, dot, ending = posixpath.basename(path).rpartition(".")
    wrong = f"{misspelt(stem)}{dot}{ending}"
    return f"{path[: len(path) - len(posixpath.basename(path))]}{wrong}"


def _misspelt_last(path: str) -> str:
    return posixpath.join(posixpath.dirname(path), misspelt(posixpath.basename(path)))


def _misplaced(path: str) -> str:
    parts = path.split("/")
    at = next((n for n, part in enumerate(parts[:-1]) if len(part) > 3), None)
    return path if at is None else "/".join([*parts[:at], misspelt(parts[at]), *parts[at + 1 :]])


def _is_there(site: Site, job: Job, number: int, path: str) -> bool:
    whole = posixpath.normpath(posixpath.join(_folder(job, number), path))
    return whole in site.tree or _has_folder(site, whole)


def _has_folder(site: Site, path: str) -> bool:
    return bool(path) and any(one.startswith(f"{path}/") for one in site.tree.paths())
