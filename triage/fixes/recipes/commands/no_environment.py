"""uv that finds no environment to install into: as the job's other commands, and its siblings, tell it where."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.manifests.dockerfile import is_dockerfile
from triage.fixes.recipes.blast import blast_of_calls
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.placing import declared_at, set_env
from triage.fixes.recipes.siblings import sibling_jobs
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import insert_line, replace_word
from triage.fixes.yaml.nodes import child
from triage.model.patch import Expectation

_SYSTEM, _VARIABLE, _MADE = "--system", "UV_SYSTEM_PYTHON", "uv venv"
# What says by itself where to install into.
_PLACED = ("--system", "--python", "-p", "--target", "--prefix")
_VARIABLES = (_VARIABLE, "VIRTUAL_ENV", "CONDA_PREFIX", "UV_PYTHON")
_CHANGES = ("install", "sync", "uninstall")
# A command that looks for the environment at its usual place.
_ENTERS = re.compile(r"(?:^|[\s/\\\"'=])\.venv[/\\](?:bin|Scripts)[/\\]")
_INSTALLS = re.compile(r"\buv[ \t]+pip[ \t]+(?:install|sync)\b")
_MAKES = re.compile(r"^\s*(uv venv(?: (?:--python|-p|--seed)(?:[ =][\w.]+)?)*)\s*$", re.M)
# Programs that only the system's Python has where uv made none: whoever calls them bare installs for that.
_PYTHON = re.compile(r"(?:python3?|pytest|torchrun|accelerate|modal|mypy|ruff|pre-commit)\Z")
_SETS_UP = "actions/setup-python@"


def into_environment(here: Situation) -> Outcome:
    """`--system` on the command, `uv venv` before it, or the variable for the job."""
    own = _once([one for one in here.concerned if _changes(one)])
    lacking = [one for one in own if not _placed(one)]
    if not own:
        return Refusal(f"no command of {here.job.id} is `uv pip install`", here.job.path, here.job.line)
    earlier = here.evaluation.invocations[: here.evaluation.invocations.index(lacking[0])] if lacking else ()
    made = [one for one in earlier if one.command_line.startswith(_MADE)]
    if made and any(_elsewhere(one) for one in made):
        return Words(f"`{made[-1].command_line}`: activate it before, or set VIRTUAL_ENV; uv looks for .venv by itself")
    if made:
        return InPlace(f"{here.job.id} runs `{_MADE}` before")
    if not lacking:
        return InPlace(f"`{own[0].command_line}` says where it installs into")
    if late := next((one for one in here.evaluation.invocations if one.command_line.startswith(_MADE)), None):
        return Words(f"run `{late.command_line}` before `{lacking[0].command_line}`: {here.job.id} makes it too late")
    way = _way(here, lacking[0])
    if way == _SYSTEM and not here.image and blast_of_calls(here, [one.calls[-1] for one in lacking]):
        return set_env(here, _VARIABLE, "1", why="uv installs into the Python of this job; others run the script too")
    if way == _SYSTEM:
        return together([_with_system(here, one) for one in lacking])
    if way == _VARIABLE and not here.image:
        return set_env(here, _VARIABLE, "1", why="uv installs into the Python of the job, as other jobs have it")
    return _made(here, lacking[0], way) if way else _either(lacking[0])


def _either(one: Invocation) -> Words:
    call = one.calls[-1]
    return Words(f"{call.path}:{call.line}: run `uv venv` before it, or pass --system for the system's own Python")


def _elsewhere(one: Invocation) -> bool:
    """Whether it makes an environment that uv does not find by itself."""
    return any(not word.head.startswith("-") and "/" in word.head for word in one.argv[2:])


def _changes(one: Invocation) -> bool:
    words = [word.text or "" for word in one.argv]
    named = [at for at, word in enumerate(words[:-2]) if posixpath.basename(word) == "uv" and words[at + 1] == "pip"]
    return bool(one.calls) and not one.substitution and any(words[at + 2] in _CHANGES for at in named)


def _placed(one: Invocation) -> bool:
    said = any((word.text or word.head).partition("=")[0] in _PLACED for word in one.argv)
    return said or any(name in one.environment for name in _VARIABLES)


def _once(commands: Sequence[Invocation]) -> list[Invocation]:
    return list({one.calls[-1].key: one for one in commands}.values())


def _way(here: Situation, failed: Invocation) -> str:
    """What the job's own commands need, else what they do, else what most siblings do; "" where nothing tells."""
    every = here.evaluation.invocations
    scripts = () if here.image else (line for step in here.job.steps for line in step.script)
    if any(map(_ENTERS.search, (*scripts, *(one.command_line for one in every)))):
        return "" if here.image else _way_of_making(here)
    later = here.tree.read(here.image).decode("utf-8", "replace") if here.image else ""
    own = any(_changes(one) and _SYSTEM in [word.text for word in one.argv] for one in every)
    if own or _of_system(later):
        return _SYSTEM
    found = Counter(_ways_of_images(here) if here.image else _ways_of_jobs(here))
    (most, times), (_, others) = [*found.most_common(2), ("", 0), ("", 0)][:2]
    if times > others:
        chosen = _way_of_making(here) if most.startswith(_MADE) else most
        return "" if here.image and most != _SYSTEM else chosen
    return _by_use(here, every[every.index(failed) + 1 :])


def _way_of_making(here: Situation) -> str:
    """As the siblings do, but of the Python that the job itself sets up, where it does."""
    if any(step.uses.startswith(_SETS_UP) for step in here.job.steps):
        return _MADE
    return next((way for way in _ways_of_jobs(here) if way.startswith(_MADE)), _MADE)


def _ways_of_jobs(here: Situation) -> list[str]:
    """Of the jobs of the same workflow, where they tell, else of all."""
    near: list[str] = []
    for job in sibling_jobs(here, b"uv"):
        if near and job.path != here.job.path:
            break
        text = "\n".join(line for step in job.steps for line in (*step.script, ""))
        own = child(job.node, "env", _VARIABLE) or child(job.workflow.node, "env", _VARIABLE)
        way = _VARIABLE if own is not None and "uv pip" in text else _written(text)
        near += [way] if way else []
    return near


def _ways_of_images(here: Situation) -> Iterator[str]:
    for path in here.tree.paths():
        if is_dockerfile(path) and path != here.image:
            text = here.tree.read(path).decode("utf-8", "replace")
            way = _SYSTEM if _of_system(text) else _MADE if "uv venv" in text and "uv pip" in text else ""
            if way:
                yield way


def _written(text: str) -> str:
    made = _MAKES.search(text)
    return made[1] if made and "uv pip" in text[made.end() :] else _SYSTEM if _of_system(text) else ""


def _of_system(text: str) -> bool:
    """Whether a command of the text installs into the system's Python; a remark is none."""
    lines = (line for line in text.replace("\\\n", " ").splitlines() if not line.lstrip().startswith("#"))
    told = ((line, found) for line in lines if (found := _INSTALLS.search(line)) is not None)
    return any(re.search(r"\s--system\b", line[found.end() :]) for line, found in told)


def _by_use(here: Situation, later: Sequence[Invocation]) -> str:
    """Whoever calls Python's programs bare has them in the system's Python; `uv run` looks for an environment."""
    if here.image:
        return "" if re.search(rb"venv", here.tree.read(here.image)) else _SYSTEM
    begun = [(one, posixpath.basename(one.argv[0].text or "")) for one in later if one.argv and one.calls]
    bare = [one for one, name in begun if _PYTHON.fullmatch(name)]
    through = [one for one, name in begun if name == "uv" and "run" in [word.text for word in one.argv[1:4]]]
    if through and not bare:
        return _MADE
    own = here.job.image is not None or any(step.uses.startswith(_SETS_UP) for step in here.job.steps)
    return _SYSTEM if bare and own else ""


def _with_system(here: Situation, one: Invocation) -> Outcome:
    verb = next(word for word in one.argv[1:] if word.text in _CHANGES)
    site = verb.sites[0] if len(verb.sites) == 1 else None
    if site is None or here.tree.read(site.path)[site.start : site.end] != (verb.text or "").encode():
        return _either(one)
    call, why = one.calls[-1], "it installs into the Python of the system, which uv takes only if it is told to"
    edits = replace_word(here.tree, site, f"{verb.text} {_SYSTEM}", why=why)
    if isinstance(edits, Refusal):
        return edits
    declared, blast = (declared_at(here, call.path, one.step),), blast_of_calls(here, (call,))
    title = f"Pass {_SYSTEM}: there is no environment"
    return Edited(tuple(edits), declared, promised(here, edits), blast_radius=blast, title=title)


def _made(here: Situation, one: Invocation, run: str) -> Outcome:
    call = one.calls[-1]
    edits = insert_line(here.tree, call, run, why="uv installs into an environment, and there is none", before=True)
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("command", run, here.target.job, here.target.workflow_path)
    declared, blast = (declared_at(here, call.path, one.step),), blast_of_calls(here, (call,))
    return Edited(tuple(edits), declared, (promise,), blast_radius=blast, title=f"Make the environment first: `{run}`")
