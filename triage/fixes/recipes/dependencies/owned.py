"""Where a missing distribution goes that only lists of others name: among what the failing job installs itself."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from triage.fixes.project import project_name
from triage.fixes.recipes.dependencies.beside import files_of
from triage.fixes.recipes.dependencies.declarations import beside, read_files, run_time
from triage.fixes.recipes.dependencies.fitting import for_hardware
from triage.fixes.recipes.dependencies.importing import file_of, imports, last_of
from triage.fixes.recipes.dependencies.installs import Install, without_required
from triage.fixes.recipes.dependencies.listing import for_a_purpose, is_beside_package, lists_for_tests
from triage.fixes.recipes.dependencies.projects import Project, projects
from triage.fixes.recipes.dependencies.supplying import in_requirements_file, joinable, takes_more
from triage.fixes.recipes.dependencies.unaided import of_the_job
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import Named, compiled_with, distributions, in_file, normalised
from triage.interfaces import Tree

# What everybody needs, in a folder of lists.
_USUAL = ("base.txt", "common.txt", "core.txt", "main.txt", "runtime.txt")
# So many distributions that a job names out of a list are no accident.
_PICKED = 4
# So many files beside the one that fails tell what else a list would bring.
_BESIDE = 40


def in_own_list(here: Situation, done: Sequence[Install], module: str, requirement: str) -> Outcome | None:
    """One more line of the list that the job installs for what failed; None where it has none, or several alike."""
    file = last_of(here.tree, here.facts.frames)
    listed = list_for(here, done, file) if file and not here.image else ""
    if listed and not _belongs(here, done, listed, file, module):
        return None
    made = in_requirements_file(here, listed, requirement) if listed else None
    if not isinstance(made, Edited):
        return made
    return made.noting(f"{file} imports it, and {listed} is what {here.job.id} installs for it")


def list_for(here: Situation, done: Sequence[Install], file: str) -> str:
    """The job's list for tests where a test imports it, else the one without a purpose, else its only one; "" for none,
    and where several are alike."""
    own = [path for path in dict.fromkeys(_lists(here, done)) if not _is_aside(path)]
    if len(own) < 2:
        return own[0] if own else ""
    tested = is_test(here.tree, file)
    fitting = [one for one in own if _fits(one, file, tested=tested)]
    plain = [one for one in own if not for_a_purpose(one)]
    return fitting[0] if len(fitting) == 1 else plain[0] if len(plain) == 1 and not fitting else ""


def _is_above(listed: str, file: str) -> bool:
    """Whether it is the usual list of a folder that holds the file too."""
    folder, name = posixpath.split(listed)
    usual = name == "requirements.txt" or (folder == "requirements" and name in _USUAL)
    return usual and (folder in ("", "requirements") or file.startswith(f"{folder}/"))


def _fits(listed: str, file: str, *, tested: bool) -> bool:
    return _is_for_tests(listed, file) == tested


def _is_for_tests(listed: str, file: str) -> bool:
    """By its name, or as it stands with the tests."""
    folder = posixpath.dirname(listed)
    return lists_for_tests(listed) or bool(folder and file.startswith(f"{folder}/"))


def _belongs(here: Situation, done: Sequence[Install], listed: str, file: str, module: str) -> bool:
    """Whether what the file imports goes into that list: what tests alone import does not, where a command brings their
    tools beside a list of what the project runs with, and what an image holds for the project not, into one for tests.
    """
    if not is_test(here.tree, file):
        return not (lists_for_tests(listed) and without_required(done))
    tools = any(named.name.startswith("pytest") for one in joinable(of_the_job(here, done)) for named, _ in one.named)
    return _is_for_tests(listed, file) or not tools or _uses(here.tree, module)


def _uses(tree: Tree, module: str) -> bool:
    """Whether code of the tree imports it that is no test."""
    wanted = re.compile(rb"^[ \t]*(?:import|from)[ \t]+" + re.escape(module.encode()) + rb"(?!\w)", re.M)
    every = (path for path in tree.paths() if path.endswith(".py") and not is_test(tree, path))
    return any(wanted.search(tree.read(path)) for path in every if "tests" not in path.split("/"))


def is_test(tree: Tree, path: str) -> bool:
    name = posixpath.basename(path)
    return name.startswith("test_") or name == "conftest.py" or (is_beside_package(tree, path) and "test" in path)


def _lists(here: Situation, done: Sequence[Install]) -> Iterator[str]:
    for path in (path for one in of_the_job(here, done) if takes_more(one) for path in one.files):
        if path in here.tree and for_hardware(path, here.facts.platform) and not compiled_with(here.tree.read(path)):
            yield path


def _is_aside(path: str) -> bool:
    """Whether it is for documents, checks or builds alone."""
    return for_a_purpose(path) and not lists_for_tests(path)


def has_own_place(here: Situation, done: Sequence[Install], other: str, names: Iterable[str]) -> bool:
    """Whether the job installs something else of its own, a list, named distributions or the project, and the list
    `other` would bring nothing but the one distribution that is missing."""
    file = last_of(here.tree, here.facts.frames)
    if here.image or other in files_of(done):
        return False
    if _published(here, done) and not any(one.files for one in done):
        return True  # with what it declares
    if not file:
        return False
    tested, listed = is_test(here.tree, file), list_for(here, done, file)
    if without_required(done) and not (tested and listed):
        return False  # an image holds the rest
    installed = projects(here, done)
    owner = next((one for one in installed if other == beside(one.folder, "requirements.txt")), None)
    if owner is not None and (tested or not _declares_alike(here, owner, other, names)):
        return False  # that is the project's own list
    fits = _fits(listed, file, tested=tested) or not _fits(other, file, tested=tested)
    if listed and fits and not _is_above(other, file):
        return True
    own = [*_lists(here, done), *joinable(of_the_job(here, done)), *installed]
    return bool(own) and (_picks(here, done, other) or not _lacks_more(here, done, other, {*names}))


def _published(here: Situation, done: Sequence[Install]) -> bool:
    """Whether the job installs the repository's own distribution by its name, as others do."""
    own = normalised(project_name(here.tree))
    return bool(own) and any(own == named.name for one in done for named, _ in one.named)


def _picks(here: Situation, done: Sequence[Install], other: str) -> bool:
    """Whether the job names so many distributions of that list one by one that it wants no more of it than it needs."""
    listed = {one.name for one in in_file(here.tree, other)}
    picked = {named.name for one in joinable(of_the_job(here, done)) for named, _ in one.named} & listed
    return len(picked) >= _PICKED and not any(one.files for one in of_the_job(here, done))


def _declares_alike(here: Situation, project: Project, other: str, lacking: Iterable[str]) -> bool:
    """Whether the project declares most of that list itself, and not what is missing: both are kept, and an
    installation reads the one alone."""
    if run_time(here.tree, project.folder, *lacking):
        return False
    names = {one.name for one in in_file(here.tree, other)}
    declared = {one.named.name for one in run_time(here.tree, project.folder, *sorted(names)) if "" in one.extras}
    return not _is_read(here, project.folder, other) and 2 * len(declared) >= len(names)


def _is_read(here: Situation, folder: str, path: str) -> bool:
    """Whether the project reads what it requires from that file."""
    return any(path == read for _, read in read_files(here.tree, folder))


def _lacks_more(here: Situation, done: Sequence[Install], other: str, names: set[str]) -> bool:
    """Whether what failed, and what stands beside it, imports more of the list that nothing brings."""
    brought = {one.name for path in files_of(done) if path in here.tree for one in in_file(here.tree, path)}
    brought |= {named.name for one in done for named, _ in one.named} | {*here.facts.installed} | names
    lacking = {one.name for one in in_file(here.tree, other)} - brought
    for one in projects(here, done):
        required = run_time(here.tree, one.folder, *sorted(lacking))
        lacking -= {found.named.name for found in required if found.comes_with(one.chosen)}
    needed = (name for module in _modules(here) for name in distributions(module, here.tables))
    return any(name in lacking for name in needed)


def _modules(here: Situation) -> set[str]:
    files = [file for frame in here.facts.frames if (file := file_of(here.tree, frame))]
    folder = posixpath.dirname(files[0]) if files else ""
    near = [one for one in here.tree.paths() if folder and posixpath.dirname(one) == folder and one.endswith(".py")]
    return {module for path in (*files, *near[:_BESIDE]) for module, _ in imports(here.tree, path)}


def as_own(here: Situation, done: Sequence[Install], chosen: Named) -> str:
    """The requirement of another list as the job's own would have it: with its bound where that is none for one
    environment, or where the job's own lists hold exact releases."""
    if not chosen.pin or "@" in chosen.spec:
        return chosen.written
    own = [one for path in dict.fromkeys(_lists(here, done)) for one in in_file(here.tree, path)]
    exact = [one for one in own if one.pin.startswith("==")]
    return chosen.alone if not chosen.pin.startswith("==") or 2 * len(exact) > len(own) else chosen.written
