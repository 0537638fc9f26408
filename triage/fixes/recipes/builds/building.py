"""The instruction at which the build of an image failed, found in the tree, and a situation inside of that build."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from triage.fixes.document import line_of
from triage.fixes.evaluate.image import evaluate_image
from triage.fixes.evaluate.invocation import Evaluation
from triage.fixes.manifests.dockerfile import MOST, Instruction, instructions, is_dockerfile, stage_start
from triage.fixes.recipes.builds.dockerfiles import Build, builds, of_words
from triage.fixes.recipes.dependencies.installs import words_of
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import NO_WORKFLOW, Refusal
from triage.fixes.target import Target
from triage.fixes.workflow.load import load_job
from triage.fixes.workflow.model import Workflow
from triage.fixes.yaml.nodes import parse_yaml
from triage.interfaces import Tree
from triage.model.diagnosis import BuildStep, Facts
from triage.model.signature import Tables

# What the words of an instruction have in common with those that the log shows: edits since then leave most of them.
_SAME_PLACE, _ELSEWHERE = 0.8, 0.95
# Where no frame shows the file's lines, arguments are filled in: the one that has most in common by far.
_FILLED, _BY_FAR = 0.75, 0.25
_CUT, _TELLS = re.compile(r"\S*\.\.\..*", re.S), 6
# What BuildKit counts of a stage, with its FROM.
_LAYERS = ("RUN", "COPY", "ADD", "WORKDIR")
_LONE = b"on: push\njobs: {build: {runs-on: any, steps: []}}\n"


@dataclass(frozen=True, slots=True)
class Failed:
    """The failed instruction: `index` counts the instructions of `path`."""

    path: str
    index: int
    instruction: Instruction


def failed_build(here: Situation) -> Situation | Refusal | None:
    """The commands of the Dockerfile whose build failed; None where the log shows no failed build."""
    if here.image or here.facts.build is None:
        return None
    made = [*builds(here), *_typed(here)]
    found = locate_build(here.tree, here.facts.build, [one.path for one in made])
    if isinstance(found, Refusal):
        return found
    build = next((one for one in made if one.path == found.path), Build(found.path))
    return inside(here, build, found.index)


def _typed(here: Situation) -> Iterator[Build]:
    """Builds of the commands that the log shows, where the job itself does not say."""
    for text in here.facts.commands:
        for one in of_words(words_of(text), closed="$" not in text):
            if one.path in here.tree:
                yield one


def open_build(
    tree: Tree, target: Target, facts: Facts, tables: Tables, captures: Mapping[str, str]
) -> Situation | Refusal:
    """A failed build whose workflow is not known: what the log shows of it says where it is."""
    if facts.build is None:
        return Refusal(NO_WORKFLOW)
    lone = open_lone(tree, target, facts, tables, captures)
    found = lone if isinstance(lone, Refusal) else failed_build(lone)
    return found if found is not None else Refusal(NO_WORKFLOW)


def open_lone(
    tree: Tree, target: Target, facts: Facts, tables: Tables, captures: Mapping[str, str]
) -> Situation | Refusal:
    """A tree without any job: for what stands in a file of the repository, whoever reads it."""
    document = parse_yaml("", _LONE)
    if isinstance(document, Refusal):
        return document
    workflow = Workflow(document, document.root)  # type: ignore[arg-type] # a mapping, as written above
    job = load_job(workflow, "build", {}, ())
    if isinstance(job, Refusal):
        return job
    return Situation(tree, workflow, job, Evaluation(()), target, facts, tables, captures)


def inside(here: Situation, build: Build, instruction: int = -1) -> Situation | Refusal:
    """What the build runs; of several stages those of the failed instruction, else of the last one."""
    evaluation = evaluate_image(here.tree, build.path, build.context, build.arguments, closed=build.closed)
    found = instructions(here.tree.read(build.path))
    if isinstance(evaluation, Refusal):
        return evaluation
    if isinstance(found, Refusal):
        return Refusal(found.reason, build.path)
    kept = chain(here.tree.read(build.path), found, instruction if instruction >= 0 else len(found) - 1)
    last = instruction if instruction >= 0 else len(found)  # what comes after the failure did not run
    ran = tuple(one for one in evaluation.invocations if one.step in kept and one.step <= last)
    return replace(here, evaluation=Evaluation(ran, evaluation.notes), image=build.path, instruction=instruction)


def locate_build(tree: Tree, build: BuildStep, built: Collection[str]) -> Failed | Refusal:
    """The one instruction that reads as the log shows it; of equal Dockerfiles the one that the job builds."""
    ranked: list[tuple[tuple[bool, float], Failed]] = []
    for path in candidates(tree, build):
        ranked += [(fit, found) for fit, found in _fitting(tree, path, build)]
    ranked = ranked or _by_far(tree, build)
    own = [one for one in ranked if one[1].path in built] or ranked
    best = max((fit for fit, _ in own), default=None)
    chosen = [found for fit, found in own if fit == best]
    if len(chosen) > 1 and len({one.path for one in chosen}) == 1:
        off = {one: (_off_by(tree, one, build), _lines_away(tree, one, build)) for one in chosen}
        chosen = [one for one in chosen if off[one] == min(off.values())]
    if len(chosen) == 1:
        return chosen[0]
    name = build.dockerfile or "Dockerfile"
    if not chosen:
        return Refusal(f"no {name} of the tree holds the instruction at which the build failed")
    return Refusal(f"{', '.join(sorted({one.path for one in chosen}))} hold the failed instruction alike")


def _off_by(tree: Tree, one: Failed, build: BuildStep) -> int:
    """How far the instruction's number in its stage is from BuildKit's count, in which FROM an image is the first and
    what makes no layer is left out. The same for all where the log has no count; far in another stage."""
    data = tree.read(one.path)
    found = instructions(data)
    if isinstance(found, Refusal) or not build.count:
        return 0
    start = stage_start(found, one.index)
    base, name = _names(data, found[start])
    stages = {_names(data, other)[1] for other in found[:start] if other.name == "FROM"} - {""}
    layers = sum(other.name in _LAYERS for other in found[start : one.index + 1])
    elsewhere = bool(build.stage) and not build.stage.startswith("stage-") and build.stage.lower() != name
    return abs(layers + (base not in stages) - build.count) + MOST * elsewhere


def _lines_away(tree: Tree, one: Failed, build: BuildStep) -> int:
    """How far it stands from the first line that the builder's frame numbers; the same for all where there is none."""
    return abs(line_of(tree.read(one.path), one.instruction.named) - min(build.lines)) if build.lines else 0


def candidates(tree: Tree, build: BuildStep) -> list[str]:
    """Files of the name that the builder prints, mostly without a folder; every Dockerfile where it prints none."""
    name = posixpath.normpath(build.dockerfile) if build.dockerfile else ""
    if not name:
        return [path for path in tree.paths() if is_dockerfile(path)]
    return [path for path in tree.paths() if path == name or path.endswith(f"/{name.rpartition('/')[2]}")]


def _by_far(tree: Tree, build: BuildStep) -> list[tuple[tuple[bool, float], Failed]]:
    """The one instruction that most of the words are of, where they are shown with their arguments filled in."""
    if build.lines or not build.text:
        return []
    found = [one for path in candidates(tree, build) for one in _fitting(tree, path, build, least=0)]
    found.sort(key=lambda one: one[0], reverse=True)
    shares = [*(share for (_, share), _ in found[:2]), 0.0, 0.0]
    return found[:1] if shares[0] >= _FILLED and shares[0] - shares[1] >= _BY_FAR else []


def _fitting(
    tree: Tree, path: str, build: BuildStep, least: float = _ELSEWHERE
) -> Iterator[tuple[tuple[bool, float], Failed]]:
    data = tree.read(path)
    found = instructions(data)
    # What is cut short is shown up to the dots.
    head = _CUT.sub("", build.text).split()
    text = head if len(head) >= _TELLS else build.text.split()
    shown = [word for line in build.lines.values() for word in line.split()] or text
    for index, one in enumerate(() if isinstance(found, Refusal) or not shown else found):
        held = set(data[one.named - len(one.name) - 1 : one.end].decode("utf-8", "replace").split()) | {one.name}
        share = sum(word in held for word in shown) / len(shown)
        here = line_of(data, one.named) == min(build.lines, default=0)
        if share >= (_SAME_PLACE if here else least) or (here and len(shown) < 12 and share >= 0.5):
            yield (here, share), Failed(path, index, one)


def chain(data: bytes, found: Sequence[Instruction], index: int) -> frozenset[int]:
    """Instructions of the stage that holds `index`, and of the stages that it is made from."""
    starts = [at for at, one in enumerate(found) if one.name == "FROM"]
    kept: set[int] = set()
    wanted = max((at for at in starts if at <= index), default=-1)
    while wanted >= 0:
        end = next((at for at in starts if at > wanted), len(found))
        kept |= set(range(wanted, end))
        base = _names(data, found[wanted])[0]
        wanted = next((at for at in starts if at < wanted and base and _names(data, found[at])[1] == base), -1)
    return frozenset(kept) if kept else frozenset(range(len(found)))


def _names(data: bytes, one: Instruction) -> tuple[str, str]:
    """What a FROM is made from, and what it calls the stage."""
    words = data[one.start : one.end].decode("utf-8", "replace").lower().split()
    named = words[-1] if len(words) >= 3 and words[-2] == "as" else ""
    return (words[0] if words else "", named)
