"""What is missing where no workflow is known: in the list that the log installs, else in that of what imports it."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

from triage.fixes.recipes.dependencies.bundles import with_bundle
from triage.fixes.recipes.dependencies.commands_in_tree import add_in_commands
from triage.fixes.recipes.dependencies.contested import in_settled_list
from triage.fixes.recipes.dependencies.declarations import Declaration, read_files, run_time
from triage.fixes.recipes.dependencies.demanded import demanded
from triage.fixes.recipes.dependencies.features import common_extra, feature_extra
from triage.fixes.recipes.dependencies.guarded import behind_guard
from triage.fixes.recipes.dependencies.importing import imports, last_of, package_of
from triage.fixes.recipes.dependencies.installs import Install, installs
from triage.fixes.recipes.dependencies.listing import (
    OF_TESTS,
    extra_of_company,
    for_a_purpose,
    is_beside_package,
    required_by_extra,
    required_by_project,
    required_with_tests,
)
from triage.fixes.recipes.dependencies.log_installs import of_the_log
from triage.fixes.recipes.dependencies.namespaces import is_shared, of_part, part_of
from triage.fixes.recipes.dependencies.projects import Project, projects
from triage.fixes.recipes.dependencies.sibling_scripts import installed_as_siblings
from triage.fixes.recipes.dependencies.supplying import APART, in_requirements_file
from triage.fixes.recipes.held import knows_distribution
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import (
    Named,
    distributions,
    in_file,
    is_module_of,
    is_shadowed,
    naming,
    normalised,
    requirement_files,
)
from triage.model.recipe import PipInstall

# What is built for one device, or is the device's own stack: that it is missing is a matter of the environment.
BUILT = frozenset(
    ("torch", "torchvision", "torchaudio", "vllm", "sglang", "tensorflow", "jax", "jaxlib", "torch-npu", "triton",
     "flash-attn", "apex", "transformer-engine", "deepspeed", "megatron-core", "xformers", "mpi4py", "cupy", "pip",
     "setuptools", "wheel", "tensorrt", "tensorrt-llm", "flashinfer-python", "amd-aiter", "sgl-kernel", "mamba-ssm",
     "causal-conv1d", "grouped-gemm", "onnxruntime", "nvidia-cutlass-dsl", "intel-extension-for-pytorch",
     "oneccl-bind-pt", "torch-xla", "libtpu")
)  # fmt: skip
# Where people list what everybody needs, in a repository that declares nothing.
_USUAL = ("requirements.txt", "requirements/requirements.txt", "requirements/base.txt", "requirements/common.txt",
          "requirements/core.txt")  # fmt: skip


def lacking(
    recipe: PipInstall, here: Situation | Refusal, lone: Situation | Refusal, *, unplaced: bool
) -> Outcome | None:
    """In the script that the log names; else, for `unplaced` ones, in a list. None for jobs of a workflow."""
    beside = installed_as_siblings(recipe, here) if not isinstance(here, Refusal) and here.typed else None
    return beside or (_required_in_list(recipe, lone, here) if unplaced else None)


def _required_in_list(recipe: PipInstall, lone: Situation | Refusal, shown: Situation | Refusal) -> Outcome | None:
    """`lone` is the tree without a job, `shown` the commands that the log's steps announce. None where nothing says
    which list is the one."""
    if isinstance(lone, Refusal) or not recipe.module or recipe.plugin or recipe.coinstall or recipe.ahead:
        return None
    guarded = behind_guard(lone) if recipe.guarded else lone
    if isinstance(guarded, Refusal):
        return guarded
    lone = guarded
    module = lone.fill(recipe.module, select=True)
    shadowed = is_shadowed(lone.tree, lone.facts.imported)
    if isinstance(module, Refusal) or (is_module_of(lone.tree, module) and not shadowed):
        return None
    logged = of_the_log(lone)
    if isinstance(logged, Refusal) and not isinstance(shown, Refusal) and shown.typed:
        logged = shown
    here = lone if isinstance(logged, Refusal) else logged
    done = () if isinstance(logged, Refusal) else installs(here.evaluation.invocations)
    if (extra := here.captures.get("extra", "")) and (made := with_bundle(here, done, module, extra)) is not None:
        return made
    names = _names(here, module)
    if not names or BUILT & {*names} or any(one in here.facts.installed for one in names):
        return None
    if not last_of(here.tree, here.facts.frames):
        asked = demanded(here, done, module, names, lambda: _spec(here, "", names, module))
        if asked is not None:
            return asked
    return _in_the_list(here, done, module, names) or _beside_shown(here, done, module, names)


def _names(here: Situation, module: str) -> tuple[str, ...]:
    """Normalised, and only such as the tree or the tables know: the log alone introduces none."""
    part = part_of(here, module)
    if is_shared(module) or part:
        return of_part(here, part)
    known = (one for one in distributions(module, here.tables) if knows_distribution(here.tree, here.tables, one))
    return tuple(known)


def _in_the_list(here: Situation, done: Sequence[Install], module: str, names: Sequence[str]) -> Outcome | None:
    importer = last_of(here.tree, here.facts.frames)
    every = projects(here, done)
    place = _list_of(here, done, importer)
    own = place if isinstance(place, Project) else None
    listed = place if isinstance(place, str) else ""
    if own is None and not listed:
        return None
    feature, extra = _is_feature(here, importer, module), ""
    named = run_time(here.tree, own.folder, *names) if own is not None else []
    if own is not None and feature:
        extra = feature_extra(here, done, own, importer)
    elif own is not None and importer:
        extra = common_extra(here, own, named)
        if not extra and not _of_tests(importer):
            extra = extra_of_company(here, own, importer)
    own = replace(own, chosen=own.chosen | {extra}) if own is not None and extra else own
    if own is not None and not extra and not _needs(here, importer, own, module):
        return None
    if (standing := _standing(here, own, listed, names)) is not None:
        return standing
    spec = _spec(here, listed, names, module)
    if not spec:
        return None
    if own is not None and extra:
        left = named and feature
        made = None if left else required_by_extra(here, own, extra, named[0].named.spec if named else spec)
    elif own is not None and importer and _of_tests(importer):
        made = required_with_tests(here, done, spec)
        made = made or (required_by_project(here, own, spec) if _is_passed(here, own) else None)
    elif own is not None:
        made = required_by_project(here, own, spec)
    else:
        made = in_requirements_file(here, listed, spec)
    made = made if done or extra else in_settled_list(here, made, importer, names, spec)
    said = _why(here, importer, module, bool(every or done), listed)
    if not isinstance(made, Edited):
        return made
    because = "The job's own files do not say what it installs; the list is the one that brings what is beside it."
    title = f"Require {spec} with the extra `{extra}`" if extra else f"Require {spec}"
    return replace(made, title=title, because=because, notes=(said,))


def _beside_shown(here: Situation, done: Sequence[Install], module: str, names: Sequence[str]) -> Outcome | None:
    """In the last command that names what the job needs, where a file of the tree holds it as the log shows it; None
    for what a package of the project always imports, and where the project or a list is installed."""
    importer = last_of(here.tree, here.facts.frames)
    own = bool(importer) and not _of_tests(importer) and bool(package_of(here.tree, importer)[1])
    own = own and not _is_feature(here, importer, module)
    plain = [one for one in done if one.named and not (APART & {*one.flags} or one.files or one.local)]
    spec = _spec(here, "", names, module) if plain and not own and len(plain) == len(done) else ""
    if not spec or shlex.quote(spec) != spec:
        return None
    words = _without_wrappers([value.text or "" for value in plain[-1].invocation.argv])
    why = f"the log shows that `{' '.join(words)}` ran, and nothing that it installs brings {spec}"
    return add_in_commands(here, words, plain[-1].named[-1][1].text or "", spec, why)


def _without_wrappers(words: Sequence[str]) -> Sequence[str]:
    """From pip, or what leads to it, on: a script may have what runs it in a variable."""
    at = next(at for at, word in enumerate(words) if word.rpartition("/")[2].startswith("pip"))
    lead = 2 if words[at - 1 : at] == ["-m"] else 1 if words[at - 1 : at] == ["uv"] else 0
    return words[at - lead :]


def _list_of(here: Situation, done: Sequence[Install], importer: str) -> Project | str | None:
    """The project whose declaration, or the requirements file, that has to bring what the importer needs."""
    every = projects(here, done)
    files = list(dict.fromkeys(path for one in done for path in one.files if path in here.tree))
    passed = [one for one in every if _is_passed(here, one)]
    if not importer:
        alone = len(files) == 1 and all(_reads(here, one, files[0]) for one in every)
        return passed[0] if len(passed) == 1 else files[0] if alone else None
    if _of_tests(importer):
        tested = [one for one in every if any(OF_TESTS.match(extra) for extra in one.chosen)]
        purposed = [path for path in files if for_a_purpose(path)] or files
        found = tested or purposed or passed
        return found[0] if len(found) == 1 else None
    aside = is_beside_package(here.tree, importer)
    folder = package_of(here.tree, importer)[1]
    own = [one for one in every if one.folder == folder and not aside]
    if own and folder:
        return own[0]
    near = _nearest([path for path in files if not for_a_purpose(path) or aside], importer)
    if near or files or every:
        return near or None
    return _by_place(here, importer, folder, aside=aside)


def _reads(here: Situation, project: Project, path: str) -> bool:
    """Whether the project takes what it always requires from that file."""
    return any("" in extras and one == path for extras, one in read_files(here.tree, project.folder))


def _by_place(here: Situation, importer: str, folder: str, *, aside: bool) -> Project | str | None:
    """Where the log shows no install at all."""
    lists = [one for one in requirement_files(here.tree) if not for_a_purpose(posixpath.basename(one))]
    if aside:
        return _nearest([one for one in lists if posixpath.dirname(one)], importer) or None
    if folder and _declares(here, Project(folder, frozenset({""}))):
        return Project(folder, frozenset({""}))
    root = "" if folder in ("", ".") else folder
    usual = (posixpath.join(root, name) for name in _USUAL)
    return next((path for path in usual if path in here.tree and len(in_file(here.tree, path)) > 1), None)


def _declares(here: Situation, project: Project) -> bool:
    return isinstance(required_by_project(here, project, "x"), Edited)


def _nearest(paths: Sequence[str], importer: str) -> str:
    """The only list in the deepest folder that holds the importer as well; "" where several or none do."""
    above = [path for path in paths if _holds(posixpath.dirname(path), importer)]
    deepest = max((len(posixpath.dirname(path)) for path in above), default=-1)
    found = [path for path in above if len(posixpath.dirname(path)) == deepest]
    return found[0] if len(found) == 1 else ""


def _holds(folder: str, path: str) -> bool:
    return not folder or path.startswith(f"{folder}/") or folder == "requirements"


def _of_tests(path: str) -> bool:
    name = posixpath.basename(path)
    folders = path.split("/")[:-1]
    return "tests" in folders or "test" in folders or name.startswith("test_") or name == "conftest.py"


def _is_passed(here: Situation, project: Project) -> bool:
    """Whether the failure passes a package that the project in that folder holds, as it is installed."""
    folders = ("", "src/", "python/")
    root = "" if project.folder == "." else f"{project.folder}/"
    places = (f"{root}{folder}{one}/__init__.py" for one in here.facts.packages for folder in folders)
    return any(place in here.tree for place in places)


def _needs(here: Situation, importer: str, project: Project, module: str) -> bool:
    """Whether everybody who imports the file, or runs these tests, needs it: an import in a function, or one that an
    extra of the project brings, is a matter of some feature."""
    if not importer or _of_tests(importer):
        return True
    if module.partition(".")[0] not in dict(imports(here.tree, importer)) and not here.facts.packages:
        return False
    named = run_time(here.tree, project.folder, *distributions(module, here.tables))
    return all(_is_of_tests(one) for one in named)


def _is_feature(here: Situation, importer: str, module: str) -> bool:
    """Whether the package's own code does without the module as long as nobody uses what needs it."""
    own = bool(importer) and not _of_tests(importer)
    return own and module.partition(".")[0] not in dict(imports(here.tree, importer))


def _is_of_tests(one: Declaration) -> bool:
    return "" in one.extras or all(OF_TESTS.match(extra) for extra in one.extras)


def _standing(here: Situation, project: Project | None, listed: str, names: Sequence[str]) -> InPlace | None:
    found: Iterator[Named] = iter(naming(in_file(here.tree, listed), names)) if listed else iter(())
    if project is not None:
        every = run_time(here.tree, project.folder, *names)
        found = (one.named for one in every if one.comes_with(project.chosen))
    first = next(found, None)
    if first is None:
        return None
    return InPlace(f"{first.path}:{first.line} names {first.spec}: look for an install that failed, or is older")


def _spec(here: Situation, listed: str, names: Sequence[str], module: str) -> str:
    """As a list in the same folder has it, else by the name that the tree or the table gives it."""
    folder = posixpath.dirname(listed)
    every = [one for path in requirement_files(here.tree) for one in in_file(here.tree, path)]
    found = naming(every, names)
    beside = [one for one in found if posixpath.dirname(one.path) == folder and "@" not in one.spec]
    if beside:  # what a list of tools pins exactly is no bound for everybody
        exact = beside[0].pin.startswith("==") and not listed
        return beside[0].written if exact else beside[0].spec
    table = [one for one in here.tables.distributions.get(module, ()) if normalised(one) in names]
    if len(table) == 1:
        return table[0]
    return found[0].written if found else names[0] if len(names) == 1 else ""


def _why(here: Situation, importer: str, module: str, logged: bool, listed: str) -> str:
    line = dict(imports(here.tree, importer)).get(module.partition(".")[0], 0) if importer else 0
    place = f"{importer}:{line} imports it" if line else f"{importer} needs it" if importer else "the failure needs it"
    if logged:
        return f"{place}, and nothing that the log installs brings it"
    return f"{place}, and {listed or 'what its project requires'} does not name it"
