"""Dockerfiles that a job builds, and the requirements that their install commands name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from triage.fixes.document import line_of
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.recipes.declarations import Declaration
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import parsed
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.nodes import child, text_of
from triage.interfaces import Tree

_ACTION = "docker/build-push-action@"
_WORD = re.compile(rb"[^\s\\]+")
_INSTALLERS = re.compile(rb"pip(?:3(?:\.\d+)?)?\Z")
_ENDS = (b"&&", b";", b"||", b"|")


def dockerfiles(here: Situation) -> tuple[str, ...]:
    """Those of `docker build` commands and of the build action, as far as the tree holds them."""
    named = [path for one in here.evaluation.invocations for path in _of_command(one)]
    named += [path for step in here.job.steps for path in _of_action(step)]
    return tuple(path for path in dict.fromkeys(named) if path in here.tree)


def _of_command(invocation: Invocation) -> Iterator[str]:
    words = [value.text or "" for value in invocation.program]
    if not words or posixpath.basename(words[0]) not in ("docker", "podman") or "build" not in words[1:3]:
        return
    files = [words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-f", "--file")]
    files += [word.partition("=")[2] for word in words if word.startswith("--file=")]
    for path in files or [f"{words[-1]}/Dockerfile"]:
        yield posixpath.normpath(posixpath.join(invocation.directory or ".", path))


def _of_action(step: Step) -> Iterator[str]:
    if step.uses.startswith(_ACTION):
        context = text_of(child(step.node, "with", "context")) or "."
        given = text_of(child(step.node, "with", "file"))
        yield posixpath.normpath(given or f"{context}/Dockerfile")


def in_dockerfile(tree: Tree, path: str, wanted: str) -> Iterator[Declaration]:
    """Words of `pip install` commands that name the distribution, quotes and their bounds included."""
    data = tree.read(path)
    for start, end in _arguments(data):
        text = data[start:end]
        bare = text.strip(b"\"'")
        inner = start + text.find(bare)
        for named in parsed(bare.decode("utf-8", "replace"), path, line_of(data, start)):
            if named.name == wanted and named.spec.encode() == bare:
                yield Declaration(path, inner, inner + len(bare), named)


def _arguments(data: bytes) -> Iterator[tuple[int, int]]:
    """Spans of the words after `pip install`, up to the end of the command. Comment lines belong to no command."""
    installing, before, offset = False, b"", 0
    for line in data.split(b"\n"):
        if not line.lstrip().startswith(b"#"):
            for found in _WORD.finditer(line):
                word = found[0]
                if word in _ENDS or word.endswith(b";"):
                    installing = False
                elif word == b"install" and _INSTALLERS.search(before):
                    installing = True
                elif installing and not word.startswith(b"-"):
                    yield offset + found.start(), offset + found.end()
                before = word
            installing = installing and line.rstrip().endswith(b"\\")
        offset += len(line) + 1
