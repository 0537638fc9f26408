"""A distribution that the project does not name yet, in the list from which the job's install takes what is needed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from triage.fixes.recipes.dependencies.company import list_of_company
from triage.fixes.recipes.dependencies.declarations import read_files, run_time
from triage.fixes.recipes.dependencies.importing import file_of, imports, package_of, uses
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.dependencies.projects import Project, lock_command, projects
from triage.fixes.recipes.dependencies.requiring import extras_of, listed_for
from triage.fixes.recipes.dependencies.supplying import in_requirements_file
from triage.fixes.recipes.outcome import Edited, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import Named, in_file, is_module_of
from triage.interfaces import Tree

# Extras and groups that are there for whoever runs the tests.
OF_TESTS = re.compile(r"(?:group:)?(?:\w+[-_])?(?:tests?|testing|dev|develop|ci)(?:[-_]\w+)?\Z", re.I)
# Folders at the top of a repository whose files no installation of the project brings.
_ASIDE = frozenset(
    ("tests", "test", "testing", "examples", "example", "benchmarks", "benchmark", "scripts", "tools", "ci", "docs")
)
# Requirements files of some purpose, and not of the package.
_ASIDE_FILE = re.compile(
    r"(?:^|[/_.-])(?:tests?|testing|dev|docs?|lint|ci|style|build|examples?|benchmarks?)(?:[/_.-])", re.I
)
_OF_TESTS = re.compile(r"(?:^|[/_.-])(?:tests?|testing|dev|ci)(?:[/_.-])", re.I)


def for_a_purpose(path: str) -> bool:
    return _ASIDE_FILE.search(path) is not None


def lists_for_tests(path: str) -> bool:
    return _OF_TESTS.search(path) is not None


def imported_by(here: Situation, module: str) -> tuple[str, int, str]:
    """The file of a package of the repository whose own import failed, its line, and the folder of its project ("" for
    none).

    "" where something else imports the module, or the file does so only in some cases.
    """
    if here.facts.packages:  # an installed one of the repository is its own too
        own = is_module_of(here.tree, here.facts.packages[0])
        path = file_of(here.tree, here.captures.get("importer", "")) if own else ""
    else:
        path = _failed_file(here)
    package, folder = package_of(here.tree, path) if path else ("", "")
    held = f"{package}/__init__.py" in here.tree
    line = dict(imports(here.tree, path)).get(module.partition(".")[0], 0) if held else 0
    return (path, line, folder) if line and not is_aside(path, folder) else ("", 0, "")


def _failed_file(here: Situation) -> str:
    """The last one of the failure's traceback, else the one that the error names; "" for none of the tree."""
    return file_of(here.tree, here.facts.frames[-1] if here.facts.frames else here.captures.get("importer", ""))


def _failed_test(here: Situation) -> str:
    path = _failed_file(here)
    return path if is_beside_package(here.tree, path) else ""


def is_beside_package(tree: Tree, path: str) -> bool:
    return is_aside(path, package_of(tree, path)[1])


def is_aside(path: str, folder: str) -> bool:
    below = path if folder in ("", ".") else path.removeprefix(f"{folder}/")
    folders = below.split("/")[:-1]
    return not _ASIDE.isdisjoint(folders[:1]) or "tests" in folders


def passes_package(here: Situation, folder: str) -> bool:
    """Whether the failure's traceback passes a file of a package of the project in `folder`."""
    files = (file_of(here.tree, frame) for frame in here.facts.frames)
    return any(package_of(here.tree, path)[1] == folder and not is_aside(path, folder) for path in files if path)


def required_by_package(here: Situation, done: Sequence[Install], module: str, requirement: str) -> Outcome | None:
    """Among what the project always requires, where its own package imports the module; None elsewhere.

    Where the job does not install the project, or that declares nothing, the requirements file that the job installs.
    """
    path, line, folder = imported_by(here, module)
    if not path:
        return None
    every = projects(here, done)
    project = next((one for one in every if one.folder == folder), None)
    made = _in_company(here, project, path, requirement) if project is not None else None
    if made is None and (project is not None or not every):
        read = (one for install in done for one in install.files if one in here.tree and not for_a_purpose(one))
        file = next(read, "")
        made = in_requirements_file(here, file, requirement) if file else None
    return _because(made, f"{path}:{line} imports it, and nothing that {here.job.id} installs requires it")


def _in_company(here: Situation, project: Project, path: str, requirement: str) -> Outcome | None:
    extra = extra_of_company(here, project, path)
    made = required_by_extra(here, project, extra, requirement) if extra else None
    return made or required_by_project(here, project, requirement)


def extra_of_company(here: Situation, project: Project, path: str) -> str:
    """The chosen extra, none for tests, that has what else the file, and those of the project which the traceback
    passes before it, import; "" for what is always required."""
    files = [file for frame in here.facts.frames if (file := file_of(here.tree, frame))]
    own = [one for one in (*files, path) if package_of(here.tree, one)[1] == project.folder]
    extra = list_of_company(here, project, list(dict.fromkeys(own))) if own else ""
    return "" if OF_TESTS.match(extra) else extra


def required_with_tests(here: Situation, done: Sequence[Install], requirement: str) -> Outcome | None:
    """Among what the chosen extra for tests brings; else, for code of the project's package, what it always requires.

    None where the job installs no project so.
    """
    made = required_by_extra_for_tests(here, done, requirement)
    if made is not None:
        return made
    for project in projects(here, done):
        if passes_package(here, project.folder):
            made = required_by_project(here, project, requirement)
            if made is not None:
                return _because(made, "the project's own package needs it through another one that leaves it out")
    return None


def required_as_tested(here: Situation, done: Sequence[Install], module: str, requirement: str) -> Outcome | None:
    """For what a test imports and the package it tests does too, if only in a function: among what the project always
    requires, where that is its only list, or has pytest. None elsewhere."""
    path = _failed_test(here)
    for project in projects(here, done) if path else ():
        has_pytest = any("" in one.extras for one in run_time(here.tree, project.folder, "pytest"))
        if (has_pytest or not extras_of(here, project)) and uses(here.tree, project.folder, module):
            made = required_by_project(here, project, requirement)
            return _because(made, f"{path} imports it, and so does the package that {here.job.id} installs")
    return None


def required_by_extra_for_tests(here: Situation, done: Sequence[Install], requirement: str) -> Outcome | None:
    """Among what the chosen extra for tests brings; None where the job installs no project with one."""
    for project in projects(here, done):
        for extra in sorted(one for one in project.chosen if OF_TESTS.match(one)):
            made = required_by_extra(here, project, extra, requirement)
            if made is not None:
                return _because(made, f"{here.job.id} installs it with the project's extra `{_shown(extra)}`")
    return None


def required_by_list_for_tests(here: Situation, done: Sequence[Install], requirement: str) -> Outcome | None:
    """In the only requirements file for tests that the job installs, for what a test of the repository imports; None
    elsewhere."""
    path, listed = _failed_test(here), _list_for_tests(here, done)
    if not listed or not path:
        return None
    return _because(in_requirements_file(here, listed, requirement), f"{path} imports it")


def as_extra_for_tests(here: Situation, done: Sequence[Install], named: Sequence[Named]) -> Outcome | None:
    """In the only requirements file for tests that the job installs, where the project's extra for tests has one of
    the requirements and that file lacks it; None elsewhere."""
    first = next((one for one in named if OF_TESTS.match(one.extra)), None)
    listed = _list_for_tests(here, done) if first is not None else ""
    if first is None or not listed:
        return None
    made = in_requirements_file(here, listed, first.spec)
    return _because(made, f"{first.path} names {first.spec} for {_shown(first.extra)}, which {listed} stands for here")


def beside_pytest(here: Situation, done: Sequence[Install], requirement: str) -> Outcome | None:
    """In the only requirements file that the job installs which names pytest or a plugin of it; None elsewhere."""
    read = dict.fromkeys(path for one in done for path in one.files if path in here.tree)
    found = [path for path in read if any(one.name.startswith("pytest") for one in in_file(here.tree, path))]
    return in_requirements_file(here, found[0], requirement) if len(found) == 1 else None


def _list_for_tests(here: Situation, done: Sequence[Install]) -> str:
    read = dict.fromkeys(one for install in done for one in install.files if one in here.tree and lists_for_tests(one))
    return next(iter(read)) if len(read) == 1 else ""


def required_by_project(here: Situation, project: Project, requirement: str) -> Outcome | None:
    """Among what the project always requires; None where no list of it holds that."""
    return required_by_extra(here, project, "", requirement)


def required_by_extra(here: Situation, project: Project, extra: str, requirement: str) -> Outcome | None:
    """Among what that extra brings ("" for what is always required): in a requirements file that the project reads for
    it, else in the list of its own that stands for it. None where no list of the project holds it."""
    path = next((path for extras, path in read_files(here.tree, project.folder) if extra in extras), "")
    if path:
        made: Outcome | None = in_requirements_file(here, path, requirement)
    else:
        made = listed_for(here, project, extra, requirement)
    if not isinstance(made, Edited):
        return made
    made = _titled(made, requirement, extra)
    lock, command = lock_command(here.tree, project.folder)
    if not lock or path:
        return made
    add = _command(lock, extra, requirement)
    if project.locked:
        text = f"{here.job.id} installs what {lock} holds: run `{add}`, and commit {made.declared[0].partition(':')[0]}"
        return Words(f"{text} and {lock}", made.notes, shown=made)
    return made.noting(f"{lock} no longer fits: run `{command}` and commit it too")


def _because(made: Outcome | None, why: str) -> Outcome | None:
    return made.noting(why) if isinstance(made, Edited) else made


def _titled(made: Edited, requirement: str, extra: str) -> Edited:
    kind = "in the group" if extra.startswith("group:") else "with the extra"
    with_extra = f" {kind} `{_shown(extra)}`" if extra else ""
    return Edited(
        made.edits,
        made.declared,
        made.expectations,
        made.notes,
        blast_radius=made.blast_radius,
        title=f"Require {requirement}{with_extra}",
        because="What the job installs does not bring it, and nothing else names it.",
    )


def _shown(extra: str) -> str:
    return extra.removeprefix("group:")


def _command(lock: str, extra: str, requirement: str) -> str:
    """What adds the requirement and renews the lock in one go."""
    program = lock.rpartition("/")[2].removesuffix(".lock")
    group, name = extra.startswith("group:"), _shown(extra)
    option = ""
    match program:
        case "uv" if extra:
            option = f"--group {name} " if group else f"--optional {name} "
        case "pdm" if extra:
            option = f"-dG {name} " if group else f"-G {name} "
        case "poetry" if extra:
            option = f"--group {name} " if group else f"--optional {name} "
    return f"{program} add {option}{shlex.quote(requirement)}"
