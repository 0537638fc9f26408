"""Dockerfiles that a job builds, and the requirements that their install commands name."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from triage.fixes.document import line_of
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.manifests.dockerfile import Default, arguments, run_commands
from triage.fixes.recipes.declarations import Declaration
from triage.fixes.recipes.installs import TAKES, verb_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import normalised, parsed
from triage.fixes.shell.syntax import Literal, Parameter, Word
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.nodes import child, text_of
from triage.interfaces import Tree

_ACTION = "docker/build-push-action@"


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


def in_dockerfile(tree: Tree, path: str, wanted: str) -> Iterator[Declaration | Refusal]:
    """Words of `pip install` commands that name the distribution; a version that an `ARG` holds stands there."""
    data = tree.read(path)
    commands = run_commands(data)
    if isinstance(commands, Refusal):
        yield Refusal(commands.reason, path)
        return
    for words in commands:
        for word in _installed(words):
            yield from _declared(data, path, word, wanted)


def _declared(data: bytes, path: str, word: Word, wanted: str) -> Iterator[Declaration | Refusal]:
    text = data[word.start : word.end]
    bare = text.strip(b"\"'")
    start = word.start + text.find(bare)
    for named in parsed(bare.decode("utf-8", "replace"), path, line_of(data, start)):
        if named.name != wanted:
            continue
        if word.literal is not None and word.literal.encode() == bare == named.spec.encode():
            yield Declaration(path, start, start + len(bare), named)
        else:
            yield Refusal(f"{named.spec} is put together where it cannot be replaced", path, named.line)


def _installed(words: Sequence[Word]) -> Iterator[Word]:
    """What follows `install`, options and what they take left out."""
    texts = [word.literal or "" for word in words]
    at = verb_at(texts, "install")
    for before, text, word in zip(texts[at:], texts[at + 1 :], words[at + 1 :], strict=False) if at > 0 else ():
        if before not in TAKES and not text.startswith("-"):
            yield word


def held_by_argument(data: bytes, wanted: str) -> Default | None:
    """The `ARG` that a word such as `name==${VERSION}` takes the whole version from."""
    commands, defaults = run_commands(data), arguments(data)
    if isinstance(commands, Refusal) or isinstance(defaults, Refusal):
        return None
    by_name = {one.name: one for one in defaults}
    for word in (word for words in commands for word in _installed(words)):
        match word.parts:
            case (Literal(text=text), Parameter(name=name, operator="")) if text.endswith("=="):
                if normalised(text[:-2].partition("[")[0]) == wanted and name in by_name:
                    return by_name[name] if sum(one.name == name for one in defaults) == 1 else None
            case _:
                pass
    return None
