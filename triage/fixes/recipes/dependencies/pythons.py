"""Whether a command sees what an install brings: which environment each of them runs in, so far as its words say."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Value
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.surroundings import CLUSTERS, CONDA, CONTAINERS, MAKERS

# (kind, name): what runs a command elsewhere, and which one of its kind; two empty texts for the job's own Python.
Place = tuple[str, str]
_OWN: Place = ("", "")
_PLACED = re.compile(r"(?P<folder>.+)/bin/[^/]+\Z")
_OF_SYSTEM = ("/usr", "/usr/local", "")
_ENTERS = re.compile(r"\bactivate\b|PATH\b")
# What makes those programs use the Python that they are started with.
_SHARES = re.compile(r"virtualenvs[._]create[ =:\"']+(?:false|0)|language: *system|--no-venv|-fb *none", re.I)
_SETTINGS = ("tox.ini", "noxfile.py", "poetry.toml", ".pre-commit-config.yaml")
_OF_ENVIRONMENT = ("PATH", "VIRTUAL_ENV", "CONDA_PREFIX")
# Options of `docker exec` that take a word.
_WITH_WORD = frozenset(("-e", "--env", "-u", "--user", "-w", "--workdir", "--env-file", "-n", "--namespace"))


def place_of(one: Invocation) -> Place:
    for words in (*(call.words for call in one.calls), one.argv):
        texts = [value.text or "" for value in words]
        if CONTAINERS & {posixpath.basename(text) for text in texts[: 1 + (texts[:1] == ["sudo"])]}:
            return ("container", _container(texts, one))
    return _environment(one)


def _container(texts: Sequence[str], one: Invocation) -> str:
    """The name of a container that is entered; of one that is started for a command, that command's place."""
    if "exec" not in texts[:4]:
        return f"{one.calls[0].path}:{one.calls[0].start}" if one.calls else " ".join(texts)
    rest = iter(texts[texts.index("exec") + 1 :])
    for text in rest:
        if not text.startswith("-"):
            return text
        if text in _WITH_WORD:
            next(rest, "")
    return ""


def _environment(one: Invocation) -> Place:
    leading = [value.text or "" for value in one.argv[: one.inner]]
    names = [posixpath.basename(text) for text in leading]
    if CONDA & {*names}:
        options = ("-n", "--name", "-p", "--prefix")
        return (
            "conda",
            next((posixpath.basename(word) for option, word in pairwise(leading) if option in options), ""),
        )
    if "uv" in names:
        return ("uv", "")
    first = (one.program[0] if one.program else Value()).text or ""
    if posixpath.basename(first) in CLUSTERS:
        return ("cluster", posixpath.basename(first))
    made = next((name for name in (*names, posixpath.basename(first)) if name in MAKERS), "")
    if made:
        return ("maker", made)
    found = _PLACED.match(first)
    if found and found["folder"] not in _OF_SYSTEM:
        return ("folder", posixpath.basename(found["folder"]))
    return _OWN


def reaches(here: Situation, install: Install, failed: Invocation) -> bool:
    """Whether the command sees what the install brings; where their words do not say that it does not, it does."""
    ours, theirs = place_of(install.invocation), place_of(failed)
    if ours == theirs or install.invocation is failed:
        return True
    if {"container", "cluster"} & {ours[0], theirs[0]}:
        return False
    if theirs[0] == "maker":
        return ours == _OWN and _shares_python(here)
    if theirs[0] == "uv":
        return install.uv or "pyproject.toml" not in here.tree
    apart, other = (theirs, install.invocation) if theirs != _OWN else (ours, failed)
    return (install.uv and apart[0] == "folder") or _enters(here, other, apart[1])


def _enters(here: Situation, one: Invocation, name: str) -> bool:
    """Whether its step, a step before it or one of its scripts may enter the environment of that name."""
    before = [step for step in here.job.steps if step.index <= one.step]
    scripts = [step.run.value for step in before if step.run is not None]
    scripts += [_read(here, call.path) for call in one.calls if call.path in here.tree and call.path != here.job.path]
    lines = (line for text in scripts for line in text.splitlines() if _ENTERS.search(line))
    nodes = [step.node for step in before if step.uses]
    actions = (here.job.document.text[node.start_mark.index : node.end_mark.index] for node in nodes)
    paths = (str(value) for key, value in one.environment.items() if key in _OF_ENVIRONMENT)
    return any(name in text for text in (*lines, *actions, *paths))


def _shares_python(here: Situation) -> bool:
    return _SHARES.search(here.job.document.text) is not None or any(_SHARES.search(text) for text in _settings(here))


def _settings(here: Situation) -> Iterator[str]:
    run = {call.path for one in here.evaluation.invocations for call in one.calls}
    yield from (_read(here, path) for path in (*_SETTINGS, *sorted(run)) if path in here.tree)


def _read(here: Situation, path: str) -> str:
    return here.tree.read(path).decode("utf-8", "replace")
