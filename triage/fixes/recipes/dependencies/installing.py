"""`pip_install`: provide a distribution that the repository itself names, beside the job's other install lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from triage.fixes.project import project_name
from triage.fixes.recipes.builds.built import with_own_project
from triage.fixes.recipes.dependencies.ahead_of_setup import or_ahead_of_setup
from triage.fixes.recipes.dependencies.beside import Source, anchor_of, beside, files_of, quoted, started_from
from triage.fixes.recipes.dependencies.bundles import with_bundle
from triage.fixes.recipes.dependencies.coinstalling import coinstall
from triage.fixes.recipes.dependencies.conda import by_conda
from triage.fixes.recipes.dependencies.copied import SiblingInstall, sibling_install
from triage.fixes.recipes.dependencies.environments import in_environments, left_to_conda
from triage.fixes.recipes.dependencies.extras import read_by_project, with_extra, with_named_extra
from triage.fixes.recipes.dependencies.fitting import for_hardware, for_job, is_foundation, moves_foundations
from triage.fixes.recipes.dependencies.installs import Install, installs, installs_one
from triage.fixes.recipes.dependencies.isolation import ahead_of_builds, builds_without_isolation, built_with_torch
from triage.fixes.recipes.dependencies.itself import own_module
from triage.fixes.recipes.dependencies.kept import ENGINES, in_its_environment
from triage.fixes.recipes.dependencies.left_to_image import image_has_rest, left_to_image
from triage.fixes.recipes.dependencies.listing import as_extra_for_tests
from triage.fixes.recipes.dependencies.namespaces import is_shared, of_part, part_of, undecided
from triage.fixes.recipes.dependencies.owned import as_own, has_own_place
from triage.fixes.recipes.dependencies.plugins import install_plugins
from triage.fixes.recipes.dependencies.projects import projects
from triage.fixes.recipes.dependencies.reaching import before_failure, in_a_branch, reaching, sent_elsewhere, too_late
from triage.fixes.recipes.dependencies.supplying import joinable, supplied
from triage.fixes.recipes.dependencies.unaided import before_command, of_the_job
from triage.fixes.recipes.dependencies.unnamed import by_itself
from triage.fixes.recipes.dependencies.uv import uses_uv_run, with_uv
from triage.fixes.recipes.dependencies.whole_project import with_requirements
from triage.fixes.recipes.outcome import InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.steps import on_bare_machine
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import (
    Named,
    distributions,
    in_file,
    in_pyproject,
    is_module_of,
    is_shadowed,
    locked,
    naming,
    normalised,
    requirement_files,
)
from triage.model.recipe import PipInstall

_FROM_TABLE = "the repository does not name the distribution: triage's own table says which one provides the module"
# What builds against a library of the system that no install of pip's brings.
_AGAINST_SYSTEM = frozenset(("mpi4py",))


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is missing: its names (normalised, best first), and every place where the tree names it."""

    title: str
    names: tuple[str, ...]
    files: tuple[Named, ...]
    extras: tuple[Named, ...]
    version: str
    # How a sibling job installs it.
    sibling: SiblingInstall | None = None

    @property
    def named(self) -> tuple[Named, ...]:
        return (*self.files, *self.extras)


def pip_install(recipe: PipInstall, here: Situation) -> Outcome:
    every = installs(here.evaluation.invocations)
    done = reaching(here, every)
    return sent_elsewhere(here, every, done, _installed(recipe, here, done))


def _installed(recipe: PipInstall, here: Situation, done: tuple[Install, ...]) -> Outcome:
    whole = done = with_own_project(here.tree, done) if here.image else done
    if here.image and here.instruction >= 0:
        done = tuple(before_failure(here, done))
    if recipe.ahead or builds_without_isolation(here, done):
        done = ahead_of_builds(here, whole)
        if not done:
            return Refusal(f"{here.job.id} has no command that installs before one that builds without isolation")
    if recipe.plugin:
        return install_plugins(recipe, here, done)
    if recipe.coinstall:
        return coinstall(recipe, here, done)
    if not isinstance(wanted := _wanted(recipe, here, done), Wanted):
        return wanted
    if uses_uv_run(here) and all(one.uv for one in done):
        return with_uv(here, wanted.title, wanted.named, wanted.version, recipe.form)
    return _with_pip(recipe, here, wanted, done)


def _wanted(recipe: PipInstall, here: Situation, done: Sequence[Install]) -> Wanted | Outcome:
    """Where the repository names it; the outcome itself where that is nowhere, or only in what a project declares."""
    title = here.fill(recipe.module or recipe.program or recipe.distribution, select=True)
    if isinstance(title, Refusal):
        return title
    if (extra := here.captures.get("extra", "")) and normalised(title) == normalised(project_name(here.tree)):
        return with_named_extra(here, extra, done)
    if extra and (bundled := with_bundle(here, done, title, extra)) is not None:
        return bundled
    if recipe.module and is_module_of(here.tree, title) and not is_shadowed(here.tree, here.facts.imported):
        return own_module(here, title, done)
    if recipe.program and not here.tables.programs.get(title):
        return Refusal(f"`{title}` is no program that a distribution is known to bring: the system has it, or an image")
    part = part_of(here, title) if recipe.module else ""
    names = of_part(here, part) if part else _names(recipe, here, title)
    if not names:
        return undecided(title, part)
    present = next((name for name in names if name in here.facts.installed), "")
    if present:
        return _present(here, present)
    files = naming((one for path in requirement_files(here.tree) for one in in_file(here.tree, path)), names)
    extras = naming(in_pyproject(here.tree), names)
    if (kept := in_its_environment(recipe, here, done, title, (*files, *extras))) is not None:
        return kept
    if recipe.module and (whole := with_requirements(here, done, names)) is not None:
        return whole
    version = next((version for name in names if (version := locked(here.tree).get(name, ""))), "")
    sibling = sibling_install(here, names)
    if not files and not extras and not version and sibling is None:
        return _unnamed(recipe, here, done, title, names, part)
    return Wanted(title, names, tuple(dict.fromkeys(files)), extras, version, sibling)


def _unnamed(
    recipe: PipInstall, here: Situation, done: Sequence[Install], title: str, names: tuple[str, ...], part: str
) -> Outcome:
    """What no requirements file, extra, lock or sibling names."""
    declared = with_extra(here, names, done)
    if not isinstance(declared, Refusal):
        return declared
    if recipe.reviewed and "{" not in recipe.distribution:
        return supplied(here, done, recipe.distribution)
    known = (here.tables.programs if recipe.program else here.tables.distributions).get(title, ())
    known = (names if part else known) if recipe.module or recipe.program else ()
    if {*known} & {*ENGINES}:
        return Words(f"nothing of the repository names {known[0]} here, and it moves everything that is built for it")
    if {*known} & _AGAINST_SYSTEM:
        return Words(f"nothing of the repository names {known[0]}, which is built for the system's own library: "
                     "install both where the job's environment is made", image=True)  # fmt: skip
    if recipe.module and is_shared(title) and not part:
        return undecided(title, "")
    if (taken := next((one for one in done if installs_one(one, names)), None)) is not None:
        place = f"{taken.call.path}:{taken.call.line}"
        return in_a_branch(here, taken) or InPlace(f"{place} installs it: look for a wrong interpreter")
    if len(known) == 1 and (done or projects(here, done)):
        if recipe.form == "extra":
            return declared
        apart = built_with_torch(here, done, title, known[0]) or left_to_image(here, done, known[0])
        return apart or by_itself(recipe, here, done, title, known[0], _FROM_TABLE)
    unaided = before_command(here, known[0], _FROM_TABLE) if len(known) == 1 and recipe.form != "extra" else None
    if unaided is not None and built_with_torch(here, done, title, known[0]) is None:
        return unaided
    return Words(
        f"no requirements file, extra, lock or job of the repository names a distribution for `{title}`: if it is "
        "wanted, add it there first; triage does not install what the repository does not know",
        image=True,
    )


def _names(recipe: PipInstall, here: Situation, title: str) -> tuple[str, ...]:
    if recipe.program:
        return tuple(normalised(name) for name in here.tables.programs[title])
    return distributions(title, here.tables) if recipe.module else (normalised(title),)


def _present(here: Situation, name: str) -> Refusal:
    listed = f"{name} {here.facts.installed[name]}".strip()
    why = "a wrong interpreter, an ABI or a version problem, not a missing requirement"
    return Refusal(f"the log lists {listed} as installed: {why}")


def _with_pip(recipe: PipInstall, here: Situation, wanted: Wanted, done: Sequence[Install]) -> Outcome:
    if recipe.form == "extra":
        return with_extra(here, wanted.names, done)
    if (read := read_by_project(here, done, wanted.files)) is not None:
        return read
    source = _source(recipe, here, wanted, done)
    if source is None:
        return _without_source(recipe, here, wanted, done)
    if (own := _among_own(recipe, here, wanted, done)) is not None:
        return own
    every = (*done, *by_conda(here.evaluation.invocations), *too_late(here))
    taken = next((one for one in every if source.file in one.files or installs_one(one, wanted.names)), None)
    if taken is not None and (step := here.step) is not None and taken.invocation.step > step.index:
        return Words(
            f"{taken.call.path}:{taken.call.line} installs it (`{taken.invocation.command_line}`), but only after the "
            f"failed step (line {step.line}): move the install before it"
        )
    if taken is not None:
        return in_a_branch(here, taken) or InPlace(
            f"{taken.call.path}:{taken.call.line} already installs it (`{taken.invocation.command_line}`): look for a "
            "wrong interpreter, a failed install or a version problem"
        )
    in_use = next((one for one in wanted.files if one.path in files_of(done)), None)
    if in_use is not None:
        return InPlace(f"{in_use.path}:{in_use.line} names it, and {here.job.id} installs that file")
    listed = next((one.named for one in in_environments(here) if one.named.name in wanted.names), None)
    if listed is not None:
        return InPlace(f"{listed.path}:{listed.line} names it for conda's environment: look for a wrong interpreter")
    anchor = anchor_of(of_the_job(here, done))
    apart = built_with_torch(here, done, wanted.title, wanted.names[0])
    if anchor is None and apart is None and (unaided := before_command(here, _alone(wanted), source.why)) is not None:
        return unaided
    anchor = anchor or anchor_of(done)
    if anchor is None:
        image = Words(
            f"{here.job.id} installs nothing with pip, so its image should provide `{wanted.title}`: rebuild it, "
            f"or add `pip install {source.arguments}` to the job ({source.why})",
            image=True,
        )
        return left_to_conda(here, f"add `{wanted.title}`") or image
    return or_ahead_of_setup(here, source, beside(here, anchor, source))


def _among_own(recipe: PipInstall, here: Situation, wanted: Wanted, done: Sequence[Install]) -> Outcome | None:
    """Where only lists of others name what is missing, and the job has a place of its own for it."""
    fits = recipe.module and recipe.form == "file" and wanted.sibling is None
    if not fits or (chosen := _choose(here, wanted, done)) is None:
        return None
    taken = any(installs_one(one, wanted.names) for one in (*done, *by_conda(here.evaluation.invocations)))
    if taken or not has_own_place(here, done, chosen.path, wanted.names):
        return None
    if isinstance(standing := with_extra(here, wanted.names, done), InPlace):
        return standing
    why, written = f"{chosen.path}:{chosen.line} names it, for other jobs", as_own(here, done, chosen)
    return by_itself(recipe, here, done, wanted.title, written, why)


def _without_source(recipe: PipInstall, here: Situation, wanted: Wanted, done: Sequence[Install]) -> Outcome:
    """What no file for this job's hardware and no sibling names."""
    if not isinstance(extra := with_extra(here, wanted.names, done), Refusal):
        return extra
    if (listed := as_extra_for_tests(here, done, wanted.extras)) is not None:
        return listed
    if wanted.files and done:
        first = wanted.files[0]
        return left_to_image(here, done, first.written) or by_itself(
            recipe, here, done, wanted.title, first.written, f"{first.path}:{first.line} names it, for other jobs"
        )
    if wanted.extras and not projects(here, done) and on_bare_machine(here) and joinable(of_the_job(here, done)):
        first = wanted.extras[0]
        why = f"{first.path}:{first.line} names it, and {here.job.id} does not install that project"
        return by_itself(recipe, here, done, wanted.title, first.written, why)
    places = ", ".join(sorted({one.path for one in wanted.named}) or ["uv.lock"])
    apart = not wanted.named or built_with_torch(here, done, wanted.title, wanted.names[0])
    unaided = None if apart else before_command(here, _alone(wanted), f"{places} names it")
    return unaided or Words(
        f"`{wanted.title}` comes with {wanted.names[0]}, which only {places} names: "
        "no requirements file for this job's hardware. Install it in the image, or name it for this job"
    )


def _alone(wanted: Wanted) -> str:
    """The distribution with its exact pin, where the repository has one: what else it asks for is for other jobs."""
    first = wanted.named[0] if wanted.named else None
    exact = first is not None and first.pin.startswith("==") and " " not in first.spec
    return wanted.names[0] if first is None else first.spec if exact else first.written


def _source(recipe: PipInstall, here: Situation, wanted: Wanted, done: Sequence[Install]) -> Source | None:
    """The requirements file, or from it the one distribution; else what siblings do, also where no file fits."""
    chosen, sibling = _choose(here, wanted, done), wanted.sibling
    if sibling is not None and (chosen is None or recipe.form == "pinned" or chosen.path not in files_of(done)):
        words = " ".join(quoted(word) for word in sibling.arguments)
        return Source(words, f"{sibling.job} of {sibling.path} installs it so")
    if chosen is None:
        return None
    why = f"{chosen.path}:{chosen.line} names {chosen.written}, which provides `{wanted.title}`"
    whole = not moves_foundations(here.tree, chosen.path) and not image_has_rest(here, done, chosen.path)
    if recipe.form == "file" and (chosen.path in files_of(done) or whole):
        return Source(f"-r {started_from(anchor_of(done), chosen.path)}", why, chosen.path)
    # A tool runs with what it requires, an image's libraries have theirs; a framework that lacks has none of its own.
    alone = "" if recipe.program or is_foundation(chosen.name) else "--no-deps "
    return Source(f"{alone}{quoted(_pinned(chosen, wanted))}", why)


def _choose(here: Situation, wanted: Wanted, done: Sequence[Install]) -> Named | None:
    """The requirement to install from: one that the job installs already, else plain files for this hardware."""
    used = files_of(done)
    hardware = here.facts.platform
    fitting = [one for one in wanted.files if for_hardware(one.path, hardware) and for_job(here, one.path, used)]
    ordered = sorted(fitting, key=lambda one: (one.path not in used, one.path.count("/"), len(one.path), one.path))
    return ordered[0] if ordered else None


def _pinned(chosen: Named, wanted: Wanted) -> str:
    """The requirement as the tree pins it: its own `==`, else the lock's version, else as written."""
    if chosen.pin or not wanted.version:
        return chosen.alone
    return f"{chosen.written}=={wanted.version}"
