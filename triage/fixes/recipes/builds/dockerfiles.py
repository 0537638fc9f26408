"""Dockerfiles that a job builds, and the requirements that their install commands name."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from itertools import pairwise

from triage.fixes.document import line_of
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.manifests import bake
from triage.fixes.manifests.dockerfile import Default, arguments, run_commands
from triage.fixes.recipes.builds.build import Build as Build
from triage.fixes.recipes.builds.composed import composed
from triage.fixes.recipes.dependencies.declarations import Declaration
from triage.fixes.recipes.dependencies.installs import TAKES, verb_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import normalised, parsed
from triage.fixes.shell.syntax import Literal, Parameter, Word
from triage.fixes.workflow.displayed import displayed
from triage.fixes.workflow.load import job_layers, step_layers
from triage.fixes.workflow.model import Combination, Job, Step
from triage.fixes.yaml.nodes import child, text_of
from triage.interfaces import Tree

# Options of `docker build` that take the next word.
_VALUED = frozenset(
    (
        *("-f", "--file", "-t", "--tag", "--build-arg", "--target", "--platform", "--label", "--secret", "--ssh", "-o"),
        *(
            "--network",
            "--progress",
            "--cache-from",
            "--cache-to",
            "--shm-size",
            "--ulimit",
            "--memory",
            "-m",
            "--iidfile",
        ),
        *("--output", "--builder", "--build-context", "--add-host", "--cpuset-cpus", "--metadata-file", "--allow"),
    )
)
_ACTION = "docker/build-push-action@"


def dockerfiles(here: Situation) -> tuple[str, ...]:
    """Those of `docker build` commands and of the build action, as far as the tree holds them."""
    return tuple(dict.fromkeys(one.path for one in builds(here)))


def builds(here: Situation) -> tuple[Build, ...]:
    """Of the job's commands, and of the build action in its steps, as far as the tree holds the Dockerfiles."""
    found = [build for one in here.evaluation.invocations for build in _of_command(here.tree, one)]
    cells = here.job.combinations
    found += [build for step in here.job.steps for cell in cells for build in of_action(here.job, cell, step)]
    if _bakes(here):
        found += baked(here.tree)
    return tuple(build for build in dict.fromkeys(found) if build.path in here.tree)


def _bakes(here: Situation) -> bool:
    words = ([value.text or "" for value in one.program[:4]] for one in here.evaluation.invocations)
    action = any(step.uses.startswith("docker/bake-action@") for step in here.job.steps)
    return action or any("docker" in one[:1] and "bake" in one for one in words)


def baked(tree: Tree) -> list[Build]:
    """What the bake files of the repository build, whichever targets are chosen."""
    paths = [path for path in tree.paths() if posixpath.basename(path) in bake.NAMES]
    return [build for path in paths for one in bake.targets(path, tree.read(path)) for build in _baked(path, one)]


def _baked(path: str, one: bake.Target) -> Iterator[Build]:
    for folder in dict.fromkeys((".", posixpath.dirname(path) or ".")):
        context = posixpath.normpath(posixpath.join(folder, one.context))
        yield Build(posixpath.normpath(posixpath.join(context, one.dockerfile)), context, one.tags)


def _of_command(tree: Tree, invocation: Invocation) -> Iterator[Build]:
    words = [value.text or "" for value in invocation.program]
    closed = all(value.text is not None for value in invocation.program)
    yield from of_words(words, invocation.directory or ".", closed=closed)
    yield from composed(tree, words, invocation.directory or ".")


def of_words(words: Sequence[str], folder: str = ".", *, closed: bool = True) -> Iterator[Build]:
    """Of a command line that runs in a folder of the repository. `closed`: every word of it is known."""
    if not is_build(words):
        return
    places = positional(words)
    given = places[0] if places else "."
    context = posixpath.normpath(posixpath.join(folder, given)) if given not in ("", "-") else ""
    tags, arguments = options(words, "-t", "--tag"), options(words, "--build-arg")
    for path in options(words, "-f", "--file") or [f"{given}/Dockerfile"]:
        file = posixpath.normpath(posixpath.join(folder, path))
        yield Build(file, context, tags, frozenset(one.partition("=")[0] for one in arguments), closed)


def is_build(words: Sequence[str]) -> bool:
    """Whether it is a `docker build` or `docker buildx build`, or podman's."""
    return bool(words) and posixpath.basename(words[0]) in ("docker", "podman") and "build" in words[1:3]


def positional(words: Sequence[str]) -> list[str]:
    """What is no option of `docker build`, and no value of one."""
    found, before = [], ""
    for word in words[words.index("build") + 1 :]:
        if not word.startswith("-") and before not in _VALUED:
            found.append(word)
        before = word
    return found


def options(words: Sequence[str], *names: str) -> tuple[str, ...]:
    """Values that a command line gives an option, behind a blank or `=`."""
    spaced = [after for word, after in pairwise(words) if word in names]
    return (*spaced, *(word.partition("=")[2] for word in words if word.partition("=")[0] in names and "=" in word))


def of_action(job: Job, cell: Combination, step: Step) -> Iterator[Build]:
    """`docker/build-push-action` with its inputs; expressions that only a run decides stay open."""
    if not step.uses.startswith(_ACTION):
        return
    layers = step_layers(job_layers(job, cell), step)

    def given(name: str) -> str:
        return displayed(text_of(child(step.node, "with", name)), layers.context)

    context = given("context").removeprefix("{{defaultContext}}").lstrip(":/") or "."
    lines = [line.strip() for line in given("build-args").splitlines() if line.strip()]
    arguments = frozenset(line.partition("=")[0] for line in lines)
    known = "://" not in context and "${" not in context
    folder = posixpath.normpath(context) if known else ""
    file = given("file") or posixpath.join(folder or ".", "Dockerfile")
    tags = tuple(tag.strip() for tag in given("tags").replace(",", "\n").splitlines() if tag.strip())
    yield Build(posixpath.normpath(file), folder, tags, arguments, all("=" in line for line in lines))


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
