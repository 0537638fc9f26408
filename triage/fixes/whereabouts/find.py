"""Puts together what a log tells of its place: the job, or the script or configuration that its commands name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from triage.fixes.recipes.builds.composed import composed
from triage.fixes.recipes.builds.dockerfiles import of_words
from triage.fixes.recipes.dependencies.installs import is_local, verb_at, words_of
from triage.fixes.refusal import NO_WORKFLOW, Refusal
from triage.fixes.target import Target
from triage.fixes.whereabouts.configured import configured, with_configuration
from triage.fixes.whereabouts.contradiction import doubt
from triage.fixes.whereabouts.entered import ENTERED, at_the_root
from triage.fixes.whereabouts.headers import told_by_headers, told_by_name
from triage.fixes.whereabouts.naming import (
    CONFIGURATIONS,
    SCRIPTS,
    ending,
    in_tree,
    named_files,
    of_name,
    of_stem,
    running,
    starts_module,
)
from triage.fixes.whereabouts.typed import JOB, is_typed, typed_path, typed_workflow
from triage.interfaces import Tree
from triage.model.trail import Announced, Trail

# What a script reads in is a part of it, and not what runs.
_READ_IN = ("source", ".")
_SHELLS = ("bash", "sh")
_VARIABLE = re.compile(r"\$\{?(?P<name>[A-Za-z_]\w*)\}?")
_RUNS = re.compile(r"(?<![\w.-])(?:bash|sh)\s")
# A script by its name, with arguments; nothing before it that could lead to another folder.
_ALONE = re.compile(
    r"\s*(?:[A-Za-z_]\w*=\S* )*(?:(?:bash|sh)(?: -\w+)* )?(?:\./)?"
    r"(?P<name>[\w.-]+\.(?:sh|bash|slurm))(?: [^;&|<>$`]*)?\Z"
)
_CONFIG_NAME = re.compile(r"(?:--config-name|-cn)[= ][\"']?(?P<name>[\w./-]+)")
_PROGRAMS = (*SCRIPTS, ".py", *CONFIGURATIONS)
# What installers and tools read, whichever program of the repository they act for.
_PROJECT = ("pyproject.toml", "Cargo.toml", "ruff.toml", "taplo.toml", "uv.toml", "typos.toml")


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """`files` are laid over the tree before `target` is looked at; `note` says how the place was found."""

    target: Target
    note: str
    files: Mapping[str, bytes] = field(default_factory=dict)


def whereabouts(tree: Tree, target: Target, trail: Trail, name: str) -> Whereabouts | Refusal:
    """For a job whose workflow nobody names: its workflow by its steps, else the program that its log shows.

    `name` tells the commands of several failed jobs apart.
    """
    told = told_by_headers(tree, trail.announced, target.job)
    if not isinstance(told, Refusal):
        found = replace(target, workflow_path=told.workflow_path, job=told.job)
        return Whereabouts(found, f"told from the step headers: job {told.job} of {told.workflow_path}")
    alone = told_by_name(tree, target.job)
    found = target if isinstance(alone, Refusal) else replace(target, workflow_path=alone.workflow_path)
    if not isinstance(alone, Refusal) and not doubt(tree, found, trail.announced).lost:
        return Whereabouts(found, f"{alone.workflow_path} is the only workflow with a job {target.job[:80]}")
    steps = at_the_root(tree, trail.announced)
    if any(_names_something(tree, line) for step in steps for line in _from_root(step.script)):
        note = "the log names no workflow; the commands of its step headers were followed into the repository"
        return _typed(tree, with_configuration(tree, trail, trail.announced), target, name, note)
    found_program = program_of(tree, target, trail, name)
    if isinstance(found_program, Refusal):
        return Refusal(f"{NO_WORKFLOW} ({told.reason}), and {found_program.reason}")
    return found_program


def program_of(tree: Tree, target: Target, trail: Trail, name: str) -> Whereabouts | Refusal:
    """The script or configuration that the log names, for a job whose own shell does not lead to it: inside a
    container, on a cluster, in a pod."""
    case = _case(tree, target, trail)
    shown = [_shown(tree, step) for step in trail.announced if step.title == target.step]
    own = shown[-1] if shown and len(shown[-1]) == 1 else ()
    for command in reversed(trail.traced):
        scripts = named_files(tree, command, SCRIPTS)
        if scripts and command.lstrip("+ ").split()[0] not in _READ_IN:
            return _script(
                tree, trail, scripts[-1], target, name, "which a traced command of the log runs", case, command
            )
        # The script that the step runs is where such a command stands.
        if not own and named_files(tree, command, (".py",)) and configured(tree, command):
            step = Announced(f"Run {command}", (command,))
            return _typed(tree, (step,), target, name, "worked out for the command that the log traced last")
    if own:
        return _script(tree, trail, own[0], target, name, "which the failed step of the log runs", case)
    said = tuple(dict.fromkeys(path for one in trail.named for path in named_files(tree, one, SCRIPTS)))
    if len(said) == 1:
        return _script(tree, trail, said[0], target, name, "which the log says that it runs", case)
    scripts = tuple(running(tree, trail.tests))
    if len(scripts) == 1:
        return _script(tree, trail, scripts[0], target, name, "the one script that runs the failed test", case)
    beside = _beside(tree, trail)
    if beside is not None:
        return _typed(tree, (beside,), target, name, f"worked out for the log's `{beside.script[-1][:80]}`")
    words = [target.job, *target.job.replace("/", " ").split()]
    for word in dict.fromkeys(words):
        script = of_stem(tree, word.removesuffix(".sh"), SCRIPTS)
        if script:
            return _script(tree, trail, script, target, name, "the one script of the job's name")
    composing = next((one for one in reversed(trail.traced) if _composes(tree, one)), "")
    if composing:
        step = Announced(f"Run {composing}", (composing,))
        return _typed(tree, (step,), target, name, "worked out for the command that the log traced last")
    return Refusal("the log names no script or configuration of the repository")


def _composes(tree: Tree, command: str) -> bool:
    """Whether it runs a program of the tree with a configuration that Hydra composes and that the tree has."""
    found = _CONFIG_NAME.search(command)
    name = found["name"].removesuffix(".yaml") if found else ""
    known = bool(name) and any(f"/{path}".endswith(f"/{name}.yaml") for path in tree.paths())
    return known and bool(named_files(tree, command, (".py",)) or starts_module(tree, command))


def _beside(tree: Tree, trail: Trail) -> Announced | None:
    """The last command that runs a script by its name alone, in the folder of the one script that is called so."""
    for step in reversed(trail.announced):
        for line in reversed(step.script):
            found = _ALONE.match(line)
            path = ending(tree, found["name"]) if found and found["name"] not in tree else ""
            if path:
                return replace(step, script=(f"cd {posixpath.dirname(path)}", line))
    return None


def _shown(tree: Tree, step: Announced) -> tuple[str, ...]:
    """Scripts that the lines of a step run, a variable read as its header prints it."""
    given = {key: value for key, _, value in (entry.partition("=") for entry in step.environment)}
    lines = [_VARIABLE.sub(lambda found: given.get(found["name"], found[0]), line) for line in step.script]
    ran = [line for line in lines if _RUNS.search(line)]
    return tuple(dict.fromkeys(path for line in ran for path in named_files(tree, line, SCRIPTS)))


def _case(tree: Tree, target: Target, trail: Trail) -> str:
    """The configuration that the job is named after, or that a variable of its steps names; "" for none or several."""
    given = [entry.partition("=")[2] for step in trail.announced for entry in step.environment]
    found = {path for word in (*target.job.split(), *given) if (path := of_name(tree, word))}
    return found.pop() if len(found) == 1 else ""


def _script(
    tree: Tree, trail: Trail, path: str, target: Target, name: str, why: str, case: str = "", command: str = ""
) -> Whereabouts:
    """`case` is the configuration that the script gets from outside, through a variable whose name is not known.
    `command` is what a shell traced: the arguments of a script that it runs itself are the script's."""
    words = command.lstrip("+ ").split(" ")
    given = words[2:] if words[0] in _SHELLS and in_tree(tree, words[1]) == path else []
    run = " ".join([f"bash {path}", *given])
    step = Announced(f"Run {run}", (run,), (f"CONFIGURATION={case}",) if case else ())
    steps = with_configuration(tree, trail, (step,))
    return _typed(tree, steps, target, name, f"worked out for {path}, {why}")


def _typed(tree: Tree, steps: Sequence[Announced], target: Target, name: str, note: str) -> Whereabouts:
    path = typed_path(name)
    step = target.step if any(one.title == target.step for one in steps) else ""
    found = Target(path, JOB, step, target.labels, typed=target.typed)
    return Whereabouts(found, note, {path: typed_workflow(at_the_root(tree, steps))})


def _from_root(script: Sequence[str]) -> Iterator[str]:
    """The lines, and those behind a `cd` once more with their relative paths as the root of the checkout has them."""
    folder = ""
    for line in script:
        yield line
        for part in line.split("&&"):
            words = part.split()
            if words[:1] == ["cd"] and part.strip().startswith(ENTERED):
                folder = part.strip().removeprefix(ENTERED).strip('/"')
            elif words[:1] == ["cd"] and len(words) == 2 and not words[1].startswith(("/", "$", "~", "-")):
                folder = posixpath.normpath(posixpath.join(folder, words[1]))
            elif folder and words:
                yield " ".join(posixpath.join(folder, word) if word.endswith(_PROGRAMS) else word for word in words)


def _names_something(tree: Tree, line: str) -> bool:
    if named_files(tree, line, _PROGRAMS) or starts_module(tree, line):
        return True
    if any(not path.endswith(_PROJECT) for path in named_files(tree, line, (".toml",))):
        return True
    return configured(tree, line) or _installs_or_builds(tree, line)


def _installs_or_builds(tree: Tree, line: str) -> bool:
    """Whether the command installs what the repository requires, or builds one of its Dockerfiles."""
    if _builds(tree, line):
        return True
    words = words_of(line)
    at = verb_at(words, "install")
    files = (after for word, after in pairwise(words) if word in ("-r", "--requirement"))
    return at > 0 and (any(is_local(word.strip("\"'")) for word in words[at:]) or any(path in tree for path in files))


def _builds(tree: Tree, line: str) -> bool:
    """Whether a part of the line builds a Dockerfile of the tree, in the folder that the parts before it enter."""
    folder = "."
    for part in line.split("&&"):
        words = words_of(part)
        if words[:1] == ["cd"] and len(words) == 2:
            folder = posixpath.normpath(posixpath.join(folder, words[1]))
        builds = (*of_words(words, folder, closed=False), *composed(tree, words, folder))
        if any(build.path in tree for build in builds):
            return True
    return False


__all__ = ["Whereabouts", "is_typed", "program_of", "whereabouts"]
