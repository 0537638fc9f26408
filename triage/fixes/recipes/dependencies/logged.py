"""`pip_pin` where no workflow is known: in the requirements files, or the commands, that the log's installs show."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import replace

from triage.fixes.project import MANIFESTS
from triage.fixes.recipes.dependencies.bounding import TOOLS
from triage.fixes.recipes.dependencies.commands_in_tree import hold_in_commands
from triage.fixes.recipes.dependencies.declarations import ANY, Declaration, declarations, in_requirements
from triage.fixes.recipes.dependencies.declaring import redeclared, rewritten
from triage.fixes.recipes.dependencies.holding import bounded, from_log, keeps_out, open_above, standing_of
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.dependencies.known_names import gone_with
from triage.fixes.recipes.dependencies.log_installs import lacks_installs
from triage.fixes.recipes.dependencies.moving import asks_above, came_before
from triage.fixes.recipes.dependencies.projects import projects
from triage.fixes.recipes.dependencies.requiring import listed_for, required
from triage.fixes.recipes.dependencies.sibling_files import pin_beside
from triage.fixes.recipes.dependencies.supplying import in_requirements_file
from triage.fixes.recipes.dependencies.versions import satisfied
from triage.fixes.recipes.held import knows_distribution
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import compiled_with, distributions, in_file, naming, normalised, requirement_files
from triage.model.recipe import PipPin

_MOST = 200
_DEVELOPERS = ("dev", "develop", "development", "test", "tests", "testing")


def hold_by_log(recipe: PipPin, here: Situation, done: Sequence[Install], name: str, spec: str) -> Outcome | None:
    """None where a workflow is known, and for what is done there as everywhere else."""
    wanted = normalised(name)
    fitting = keeps_out(recipe) or from_log(recipe) or (spec.startswith(("==", "<", ">=")) and not recipe.from_spec)
    if not lacks_installs(here) or not fitting:
        return None
    commands = [(one, value.text or "") for one in done for named, value in one.named if named.name == wanted]
    if any(declarations(here.tree, one.folder, wanted) for one in projects(here, done)):
        unwritten = commands and not isinstance(together(_in_commands(recipe, here, commands, spec)), Edited | InPlace)
        return together([*redeclared(recipe, here, done, name, spec)]) if unwritten else None
    files = list(dict.fromkeys(path for one in done for path in (*one.files, *one.constraints) if path in here.tree))
    places = [one for path in files for one in in_requirements(here.tree, path, wanted)]
    if any(compiled_with(here.tree.read(one.path)) for one in places):
        return None
    kept = [one for one in places if isinstance(one, Refusal) or _keeps(here, one, spec)]
    if kept and keeps_out(recipe) and came_before(here, done, name):
        listed = here.facts.installed[wanted]
        return Words(f"{name} {listed} was there before, and the installs left it: what asks for more is newer than it")
    if kept:
        return _in_files(recipe, here, kept, spec)
    if commands:
        made = together(_in_commands(recipe, here, commands, spec))
        fallen = None if isinstance(made, Edited) or files else _in_project(here, done, name, spec)
        return fallen or made
    known = wanted in here.facts.installed or bool(gone_with(recipe, here, name))
    if came_before(here, done, name) or not known:
        return None
    every = [] if done or not keeps_out(recipe) else _everywhere(here, wanted)
    lone = [one for one in every if spec in one.named.pin.split(",") or open_above(one.named.pin, spec)]
    if len({one.path for one in lone}) == 1:
        return _in_only_file(recipe, here, lone, every, spec)
    if not done and not lone:
        return None
    return (None if files else _in_project(here, done, name, spec)) or _with_others(here, files, name, spec)


def _in_only_file(
    recipe: PipPin, here: Situation, lone: Sequence[Declaration], every: Sequence[Declaration], spec: str
) -> Outcome:
    """Which of the repository's lists the job reads is not known: the one that leaves the release open may be another
    one's, where others ask for more than the bound leaves."""
    name = lone[0].named.name
    above = next((one for one in every if asks_above(one.named.pin, spec)), None)
    if above is not None:
        asked = f"{above.path}:{above.named.line} asks for {above.named.spec}"
        return Words(f"{asked}, and {name}{spec} leaves none: hold what imports it, or move that to a newer release")
    made = _in_files(recipe, here, lone, spec)
    only = f"{lone[0].path} is the only file of the repository that lets new releases of {name} in"
    return made.noting(only) if isinstance(made, Edited) else made


def _in_project(here: Situation, done: Sequence[Install], name: str, spec: str) -> Outcome | None:
    """In what the project requires whose install the log shows; None where it shows none, and for unknown names. What
    builds or runs other packages is for those who work on the project."""
    if not knows_distribution(here.tree, here.tables, name):
        return None
    made = _for_developers(here, done, f"{name}{spec}") if name in TOOLS else required(here, done, name, spec)
    if not isinstance(made, Edited):
        return made
    because = "The log shows the project's install, and nothing else of the repository names it."
    return replace(made, title=f"Hold {name} at `{spec}`", because=because)


def _for_developers(here: Situation, done: Sequence[Install], text: str) -> Outcome | None:
    """One more entry in the extra for them, of a project that is installed with it or with all."""
    for project in projects(here, done):
        for extra in _DEVELOPERS if project.chosen & {*_DEVELOPERS, "all", ANY} else ():
            if (made := listed_for(here, project, extra, text)) is not None:
                return made
    return None


def _everywhere(here: Situation, wanted: str) -> list[Declaration]:
    """Where people write requirements: the lists, and the projects."""
    lists = (path for path in requirement_files(here.tree) if not compiled_with(here.tree.read(path)))
    found = [one for path in lists for one in in_requirements(here.tree, path, wanted)]
    own = (posixpath.dirname(path) or "." for path in here.tree.paths() if posixpath.basename(path) in MANIFESTS)
    folders = tuple(dict.fromkeys(own))[:_MOST]
    every = (*found, *(one for folder in folders for one in declarations(here.tree, folder, wanted)))
    return list(dict.fromkeys(one for one in every if isinstance(one, Declaration)))


def _keeps(here: Situation, one: Declaration, spec: str) -> bool:
    """Whether the requirement allows the installed release, or did before it said `spec`: else something else brought
    it."""
    pin = one.named.pin.replace(" ", "")
    return "==" in pin or spec in pin.split(",") or satisfied(pin, here.facts.installed.get(one.named.name, ""))


def _in_files(recipe: PipPin, here: Situation, places: Sequence[Declaration | Refusal], spec: str) -> Outcome:
    """At the release of a list beside the only one, where that keeps an older one."""
    first = places[0]
    lone = len(places) == 1 and keeps_out(recipe)
    if lone and not isinstance(first, Refusal) and not gone_with(recipe, here, first.named.name):
        pin, beside = pin_beside(here.tree, first.path, first.named.name, spec)
        within = pin and satisfied(first.named.pin, pin.removeprefix("=="))
        if within and not standing_of(recipe, here, first.named, spec):
            made = rewritten(here, first, pin, f"{beside} holds it so")
            title = f"Hold {first.named.name} at `{pin}`, as {beside} does"
            return replace(made, settled=PipPin(first.named.name, pin), title=title)
    return together([_in_file(recipe, here, one, spec) for one in places])


def _in_file(recipe: PipPin, here: Situation, one: Declaration | Refusal, spec: str) -> Outcome:
    if isinstance(one, Refusal):
        return one
    standing = standing_of(recipe, here, one.named, spec)
    why = f"the log installs {one.path}, which leaves {one.named.name} open"
    return standing or rewritten(here, one, bounded(one.named.pin, spec), why)


def _in_commands(
    recipe: PipPin, here: Situation, commands: Sequence[tuple[Install, str]], spec: str
) -> Iterator[Outcome]:
    for one, word in commands:
        named = next(named for named, value in one.named if value.text == word)
        standing = standing_of(recipe, here, named, spec)
        words = [value.text or "" for value in one.invocation.argv]
        why = f"the log shows that the job runs `{' '.join(words)}`"
        made = standing or hold_in_commands(here, words, word, f"{named.written}{bounded(named.pin, spec)}", why)
        yield made or Refusal(f"no file of the repository holds the command `{' '.join(words)}`")


def _with_others(here: Situation, files: Sequence[str], name: str, spec: str) -> Outcome:
    """What came in with something else, in the list that brought it: the only one, else the one that names a package
    which the failure passes."""
    written = [path for path in files if not compiled_with(here.tree.read(path))]
    chosen = written if len(set(written)) == 1 else [path for path in written if _brings(here, path)]
    if len(chosen) != 1:
        said = f"{', '.join(written)} are installed" if written else "the log names no list of the repository's"
        return Words(f"{said}, and nothing says which of them brought {name}: hold it at `{spec}`")
    if not knows_distribution(here.tree, here.tables, name):
        return Words(f"only the log names {name}: where {chosen[0]} is meant to bring it, hold it at `{spec}` there")
    pin, beside = pin_beside(here.tree, chosen[0], name, spec)
    made = in_requirements_file(here, chosen[0], f"{name}{pin or spec}")
    if not isinstance(made, Edited):
        return made
    said = f"{beside} holds it so" if pin else "nothing in the repository holds it"
    settled = PipPin(name, pin) if pin else None
    return replace(made, title=f"Hold {name} at `{pin or spec}`", because=f"It came in with {chosen[0]}, and {said}.",
                   settled=settled)  # fmt: skip


def _brings(here: Situation, path: str) -> bool:
    passed = [name for module in here.facts.packages for name in distributions(module, here.tables)]
    return bool(naming(in_file(here.tree, path), passed))
