"""What a program of the repository says must be installed for an option, where a script of the repository gives it that
option and the project that the log installs does not bring it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from triage.fixes.recipes.commands.said.quoting import line_state
from triage.fixes.recipes.commands.scripts import shell_files, text_of_file
from triage.fixes.recipes.dependencies.declarations import run_time
from triage.fixes.recipes.dependencies.importing import package_of
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.dependencies.listing import required_by_project
from triage.fixes.recipes.dependencies.projects import projects
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.whereabouts.naming import shows

_OF_TESTS = re.compile(r"(?:.*/)?(?:tests?/.*|test_\w*\.py|conftest\.py)\Z")


def demanded(
    here: Situation, done: Sequence[Install], module: str, names: Sequence[str], spec: Callable[[], str]
) -> Outcome | None:
    """None where the program that asks for it is none of the project's, or no script that ran gives the option."""
    every = projects(here, done)
    if len(every) != 1 or any(one.files for one in done):
        return None
    own = every[0]
    asking = [path for path in _asking(here, names) if package_of(here.tree, path)[1] == own.folder]
    scripts = list(_giving(here, module))
    if not asking or not scripts:
        return None
    held = next((one.named for one in run_time(here.tree, own.folder, *names) if one.comes_with(own.chosen)), None)
    if held is not None:
        return InPlace(f"{held.path}:{held.line} names {held.spec}: look for an install that failed, or is older")
    wanted = spec()
    made = required_by_project(here, own, wanted) if wanted else None
    if not isinstance(made, Edited):
        return None
    because = (
        f"{asking[0]} asks for it, {scripts[0]} gives the option that needs it, and the project does not bring it."
    )
    return replace(made, title=f"Require {wanted}", because=because)


def _asking(here: Situation, names: Sequence[str]) -> Iterator[str]:
    """Programs that tell people to install it."""
    word = "|".join(re.escape(one) for one in names)
    told = re.compile(rf"\bpip3? install (?:-U |--upgrade )?[\\\"'`]*(?:{word})(?![\w-])".encode(), re.I)
    for path in here.tree.paths():
        if path.endswith(".py") and not _OF_TESTS.match(path) and told.search(here.tree.read(path)):
            yield path


def _giving(here: Situation, module: str) -> Iterator[str]:
    """Scripts that the log's commands run and that name it behind an option."""
    shown = (*here.target.typed, *here.facts.commands)
    option = re.compile(rf"(?<![\w-])--?[A-Za-z][\w-]*[ \t=]+[\"']?{re.escape(module)}(?![\w.-])")
    for path in shell_files(here.tree):
        text = text_of_file(here.tree, path) if shows(shown, path) else ""
        if any(line_state(text, found.start()) != "#" for found in option.finditer(text)):
            yield path
