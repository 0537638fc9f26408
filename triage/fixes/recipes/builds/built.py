"""Recipes that act inside of an image's build: the promises they make there, and what they write differently there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import SiteKind
from triage.fixes.manifests.dockerfile import is_dockerfile
from triage.fixes.project import project_name
from triage.fixes.recipes.builds.building import inside
from triage.fixes.recipes.builds.dockerfiles import Build
from triage.fixes.recipes.builds.images import Made, image_source
from triage.fixes.recipes.dependencies.installs import Install, Place, installs, verb_at
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.values import new_value, same
from triage.fixes.recipes.wiring.environment import assignment_of
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import normalised
from triage.fixes.shell.edits import append_argument
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation
from triage.model.recipe import EffectiveValue, SetEnv

_BUILDERS = frozenset({"pip", "pip3", "uv", "make", "cmake", "ninja", "python", "python3", "cargo", "bazel", "conda"})
# Variables that one program reads, by the start of their names.
_READERS = {
    "UV_": ("uv",),
    "PIP_": ("pip", "pip3", "python", "python3"),
    "DEBIAN_": ("apt", "apt-get", "add-apt-repository", "dpkg"),
}
_FROM_SOURCE = re.compile(
    r"(?:(?P<name>[\w.-]+)(?P<extras>\[[\w,. -]*\])? ?@ ?)?git\+[a-z]+://[^\s#]+(?:#egg=(?P<egg>[\w.-]+)(?P<chosen>\[[\w,.-]*\])?)?"
)
_PLAIN = re.compile(r"[\w.+:/@%,=-]+")


def promised(outcome: Outcome, here: Situation) -> Outcome:
    """Commands are promised of the Dockerfile, where no step of the job runs them."""
    if not isinstance(outcome, Edited):
        return outcome
    kept = tuple(
        replace(one, kind="image", workflow_path=here.image) if one.kind == "command" else one
        for one in outcome.expectations
    )
    return replace(outcome, expectations=kept)


def image_of_job(here: Situation) -> tuple[Situation, str] | Refusal:
    """What the build of the job's image runs, and why this Dockerfile is the one."""
    made = image_source(here)
    if isinstance(made, Refusal):
        made = _only_image(here) or made
    if isinstance(made, Refusal):
        return made
    found = inside(here, made.build)
    return (
        found if isinstance(found, Refusal) else (found, f"{made.how}: the image has to be built and pushed anew first")
    )


def _only_image(here: Situation) -> Made | None:
    """A runner of the project's own that has everything: it is made from the one Dockerfile that the repository has."""
    called = [path for path in here.tree.paths() if is_dockerfile(path)]
    itself = here.job.image is not None or "self-hosted" not in here.job.labels
    if itself or len(called) != 1 or installs(here.evaluation.invocations):
        return None
    how = f"{here.job.id} installs nothing on a runner of its own, and {called[0]} is the only Dockerfile"
    return Made("", Build(called[0]), how)


def in_image_of_job(made: Outcome, here: Situation, how: str, otherwise: Outcome) -> Outcome:
    """What a recipe comes to in the Dockerfile of the job's image; the job sees it only when the image is made anew."""
    match promised(made, here):
        case Edited() as edited:
            sooner = "a step of the job that installs it decides sooner, and for this job alone"
            return edited.noting(how, *_alike(here, edited.edits), sooner)
        case InPlace(reason):
            return InPlace(f"{reason}; {how}")
        case other:
            return otherwise if isinstance(otherwise, Words) and otherwise.text else other


def _alike(here: Situation, edits: Sequence[Edit]) -> Iterator[str]:
    """Other Dockerfiles that hold the text which is replaced."""
    olds = [here.tree.read(one.path)[one.start : one.end] for one in edits if one.end > one.start]
    for path in here.tree.paths() if olds else ():
        data = here.tree.read(path) if is_dockerfile(path) and path != here.image else b""
        if any(old in data for old in olds):
            yield f"{path} holds the same and is left as it is"


def with_own_project(tree: Tree, done: Sequence[Install]) -> tuple[Install, ...]:
    """Images get the repository's own project from its address: `NAME[extra]@git+URL`, `git+URL#egg=NAME[extra]`."""
    name = normalised(project_name(tree))
    return tuple(replace(one, places=(*one.places, *_own_places(one, name))) for one in done) if name else tuple(done)


def _own_places(one: Install, name: str) -> Iterator[Place]:
    for word in one.invocation.argv if "--no-deps" not in one.flags else ():
        found = _FROM_SOURCE.fullmatch(word.text or "")
        if found and normalised(found["name"] or found["egg"] or "") == name:
            extras = (found["extras"] or found["chosen"] or "").strip("[]").split(",")
            yield Place(".", tuple(extra.strip() for extra in extras if extra.strip()), word)


def required_with(here: Situation, done: Sequence[Install], requirement: str) -> Outcome:
    """The failed install command asks for the bound itself: what runs after it comes too late, what runs before it is
    undone by it."""
    mine = [one for one in done if one.invocation.step == here.instruction and (one.named or one.files or one.local)]
    line = mine[0].call.line if mine else 0
    if len(mine) != 1:
        where = f"{here.image}:{_line_of(here)}"
        count = f"{len(mine)} commands of the instruction at {where}" if mine else f"no pip command of {where}"
        return Words(f"{count} may bring it where the build fails: ask for `{requirement}` in the one that does")
    quoted = requirement if shlex.quote(requirement) == requirement else f'"{requirement}"'
    why = f"the install at {here.image}:{line} brings what breaks the build"
    edits = append_argument(here.tree, mine[0].call, quoted, why=why)
    if isinstance(edits, Refusal):
        return edits
    promise = f"{mine[0].invocation.command_line} {requirement}"
    return Edited(edits, (here.image,), (Expectation("image", promise, here.target.job, here.image),))


def _line_of(here: Situation) -> int:
    calls = [one.calls[0] for one in here.concerned if one.step == here.instruction]
    return min((call.line for call in calls), default=0)


def set_in_build(recipe: SetEnv, here: Situation) -> Outcome:
    """`NAME=value` before the commands of the failed instruction that read it: the image itself does not keep it."""
    pair = assignment_of(recipe, here)
    if isinstance(pair, Refusal):
        return pair
    name, value = pair
    concerned = [one for one in here.concerned if one.step == here.instruction and _reads(one, name)]
    if not concerned or not _PLAIN.fullmatch(value):
        return Refusal(f"no command of the failed instruction is one that reads {name}", here.image)
    shown = _last_shown(here.facts.commands, concerned)
    return together([_placed(here, one, name, value) for one in shown or concerned])


def scaled_in_build(recipe: EffectiveValue, here: Situation, name: str) -> Outcome:
    """A limit that a variable holds: as the failed instruction has it, else the default that the log tells."""
    held = [one.environment[name].text for one in here.concerned if name in one.environment]
    told = (held[0] if held else here.fill(recipe.default)) or Refusal(f"{name} is not known here", here.image)
    wanted = told if isinstance(told, Refusal) else new_value(recipe, told, lambda _value: "")
    if isinstance(wanted, Refusal):
        return wanted
    if wanted is None:
        return InPlace(f"{name} is {told} already in the instruction at which the build fails")
    made = set_in_build(SetEnv(name, wanted), here)
    return replace(made, settled=replace(recipe, to=wanted, factor="")) if isinstance(made, Edited) else made


def _last_shown(commands: Sequence[str], concerned: Sequence[Invocation]) -> list[Invocation]:
    """The command that ran last before the failure, where the log shows commands and one fits it best."""
    for text in reversed(commands):
        words = text.lstrip("+ ").split()
        fit = [sum(1 for _ in takewhile(_equal, zip(_texts(one), words, strict=False))) for one in concerned]
        best = max(fit, default=0)
        if best >= 2 and fit.count(best) == 1:
            return [concerned[fit.index(best)]]
    return []


def _texts(one: Invocation) -> list[str]:
    return [word.text or "" for word in one.argv]


def _equal(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1]


def _reads(one: Invocation, name: str) -> bool:
    words = [word.text or "" for word in one.program]
    first = words[0].rpartition("/")[2] if words else ""
    readers = next((found for start, found in _READERS.items() if name.startswith(start)), _BUILDERS)
    asks = any(verb_at(words, verb) >= 0 for verb in ("uninstall", "cache", "config", "list", "freeze", "show"))
    return first in readers and not asks and words[1:2] not in (["venv"], ["-c"], ["--version"], ["-V"])


def _placed(here: Situation, one: Invocation, name: str, value: str) -> Outcome:
    call, held = one.calls[-1], one.environment.get(name)
    promise = Expectation("image", f"{name}={value} {one.command_line}", here.target.job, here.image)
    if held is not None and held.text is not None and same(held.text, value):
        return InPlace(f"{here.image}:{call.line} runs with {name}={value} already")
    site = held.sites[0] if held is not None and len(held.sites) == 1 else None
    why = f"`{one.argv[0]}` reads {name} in the instruction at which the build fails"
    if site is not None and site.path == here.image and site.kind in (SiteKind.ASSIGN, SiteKind.CALL_ENV):
        return Edited((Edit(site.path, site.start, site.end, value.encode(), why),), (here.image,), (promise,))
    if len(one.calls) != 1 or not call.insertable:
        return Refusal("the command is put together at run time", call.path, call.line)
    edit = Edit(call.path, call.start, call.start, f"{name}={value} ".encode(), why)
    return Edited((edit,), (here.image,), (promise,))
