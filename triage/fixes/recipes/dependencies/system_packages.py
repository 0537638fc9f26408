"""`system_package`: a program, a library or a header that the system lacks, with what its package manager installs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.recipes.blast import blast_of_calls
from triage.fixes.recipes.builds.own_instruction import own_instruction
from triage.fixes.recipes.commands.deleted import kept_from_deletion
from triage.fixes.recipes.dependencies.sibling_setup import set_up_as_siblings
from triage.fixes.recipes.failing import failing
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.surroundings import in_other_system, timing
from triage.fixes.recipes.wiring.steps import on_bare_machine
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import append_listed, insert_line
from triage.model.patch import Expectation
from triage.model.recipe import SystemPackage

# Programs -> whose packages they install, and the word that says so.
_MANAGERS = {
    **dict.fromkeys(("apt-get", "apt", "aptitude"), ("apt", "install")),
    **dict.fromkeys(("yum", "dnf", "microdnf", "tdnf"), ("dnf", "install")),
    "apk": ("apk", "add"),
}
# What RHEL and its kin have in no repository of their own.
_OF_OTHERS = frozenset(
    [
        "aria2",
        "ccache",
        "espeak",
        "ffmpeg",
        "ffmpeg-free",
        "ffmpeg-libs",
        "gflags",
        "gflags-devel",
        "glog",
        "glog-devel",
        "gperftools",
        "gperftools-libs",
        "htop",
        "jemalloc",
        "libunwind",
        "msgpack-devel",
        "p7zip",
        "parallel",
        "patchelf",
        "rapidjson-devel",
        "rhash",
    ]
)
# Such a repository, by the names that it is turned on with; Fedora has it all itself.
_OTHERS = re.compile(r"epel|rpmfusion|powertools|\bcrb\b|config-manager|fedora", re.I)
_PACKAGE = re.compile(r"[a-z0-9][\w.+-]*(?::[a-z0-9]+)?(?:=[\w.+:~*-]+)?\Z", re.A)
_TAKES = ("-o", "-c", "-t", "--repository", "-X", "--virtual", "--target-release")
# Files in which people write what is installed.
_WRITTEN = re.compile(r"(?:\.ya?ml|\.sh|\.bash|\.txt|(?:^|/)(?:[\w.-]*\.)?(?:Dockerfile|Containerfile)[\w.-]*)\Z", re.I)
_MOST_BYTES = 200_000


@dataclass(frozen=True, slots=True)
class SystemInstall:
    """`apt-get install`, `dnf install` or `apk add`: `manager` is the column of the table that names its packages."""

    invocation: Invocation
    manager: str
    packages: tuple[str, ...]


def system_package(recipe: SystemPackage, here: Situation) -> Outcome:
    needed = here.captures.get(recipe.needed.strip("{}"), "").rpartition("/bin/")[2]
    if (kept := kept_from_deletion(here, needed)) is not None:
        return kept
    known = here.tables.packages.get(needed, {})
    if not known:
        return Refusal(f"`{needed}` is nothing that a package of the system is known to bring")
    every = tuple(system_installs(here.evaluation.invocations))
    is_late = _lateness(here)
    taken = next((one for one in every if set(known.get(one.manager, ())) & set(one.packages)), None)
    if taken is not None and not is_late(taken.invocation):
        place = f"{taken.invocation.calls[-1].path}:{taken.invocation.calls[-1].line}"
        return InPlace(f"{place} installs what brings `{needed}`: look for another PATH, or an install that failed")
    if not here.image and _lacks_elsewhere(here, needed):
        return Words(f"`{needed}` is missing where {here.job.id} hands its commands to: install its package there")
    if not here.image and (alike := set_up_as_siblings(here, needed)) is not None:
        return alike
    before = [one for one in every if not is_late(one.invocation) and _runs_anyway(here, one.invocation)]
    if not before:
        return _on_its_own(here, needed, known)
    managers = {one.manager for one in before}
    if len(managers) > 1 or not known.get(before[-1].manager):
        names = ", ".join(sorted(managers))
        return Words(f"`{needed}` is missing, and {here.job.id} installs with {names}: add its package there")
    whole = [one for one in before if len(one.packages) > 1] or before
    package = _chosen(here, known[whole[-1].manager])
    if whole[-1].manager == "dnf" and package in _OF_OTHERS and not _has_others(here, before):
        place = f"{whole[-1].invocation.calls[-1].path}:{whole[-1].invocation.calls[-1].line}"
        said = "which the system's own repositories do not have: turn on EPEL, or the one that has it, and install it"
        return Words(f"`{needed}` comes with {package}, {said} ({place} installs what the system brings)")
    return _beside(here, whole[-1], package, needed)


def _has_others(here: Situation, before: Sequence[SystemInstall]) -> bool:
    """Whether the job turns on a repository beside the system's, or installed from one that its image has."""
    texts = [one.command_line for one in here.evaluation.invocations]
    image = here.job.image.value if here.job.image is not None else ""
    texts += [image, here.tree.read(here.image).decode("utf-8", "replace") if here.image else ""]
    return any(_OTHERS.search(text) for text in texts) or any(_OF_OTHERS & {*one.packages} for one in before)


def system_installs(invocations: Sequence[Invocation]) -> Iterator[SystemInstall]:
    for one in invocations:
        words = [value.text or "" for value in one.program]
        manager, verb = _MANAGERS.get(words[0].rpartition("/")[2] if words else "", ("", ""))
        if not manager or verb not in words or not one.calls or one.substitution:
            continue
        given = words[words.index(verb) + 1 :]
        pairs = zip(["", *given], given, strict=False)
        packages = tuple(word for before, word in pairs if before not in _TAKES and _PACKAGE.match(word))
        if packages and not {"--only-upgrade", "--download-only", "-d", "-s", "--simulate", "--dry-run"} & {*given}:
            yield SystemInstall(one, manager, tuple(word.partition("=")[0] for word in packages))


def _lacks_elsewhere(here: Situation, needed: str) -> bool:
    """Whether the failed step starts a container, or asks another machine, and does not start the program itself."""
    if here.system:  # what is looked at runs there
        return False
    if here.step is None or any(_starts(one, needed) and not in_other_system(one) for one in here.concerned):
        return False
    failed = failing(here.facts, here.concerned) or here.concerned
    return any(in_other_system(one) for one in failed)


def _lateness(here: Situation) -> Callable[[Invocation], bool]:
    """Whether a command runs only after the failed step or instruction, or after the failed command."""
    index = here.instruction if here.image else here.step.index if here.step is not None else -1
    is_timely = timing(here)
    return lambda one: 0 <= index < one.step or not is_timely(one)


def _runs_anyway(here: Situation, one: Invocation) -> bool:
    """Whether it runs wherever the failed step does, or the log shows that it ran."""
    first = next(iter(here.concerned), None)
    held = set(first.conditions) if first is not None else set()
    if all(condition.decided or condition in held for condition in one.conditions):
        return True
    return one.command_line in here.facts.traced


def _chosen(here: Situation, names: Sequence[str]) -> str:
    """The one that the repository names elsewhere, else the first."""
    return next((name for name in names if len(names) > 1 and _named(here, name)), names[0])


def _named(here: Situation, name: str) -> bool:
    pattern = re.compile(rb"(?<![\w.+-])" + re.escape(name.encode()) + rb"(?![\w.+-])")
    texts = (here.tree.read(path) for path in here.tree.paths() if _WRITTEN.search(path))
    return any(b"install" in data and pattern.search(data) for data in texts if len(data) < _MOST_BYTES)


def _beside(here: Situation, one: SystemInstall, package: str, needed: str) -> Outcome:
    call = one.invocation.calls[-1]
    made = append_listed(here.tree, call, package, why=f"{package} brings `{needed}`")
    if isinstance(made, Refusal):
        return made
    edits, before_last = made
    words = [str(value) for value in one.invocation.argv]
    words.insert(len(words) - before_last, package)
    promise = Expectation("command", " ".join(words), here.target.job, here.target.workflow_path)
    where = f"{call.path}:{call.line} installs what the system brings"
    return Edited(
        edits,
        (declared_at(here, call.path, one.invocation.step),),
        (promise,),
        (where,),
        blast_radius=blast_of_calls(here, (call,)),
        title=f"Install {package}, which brings `{needed}`",
    )


def _on_its_own(here: Situation, needed: str, known: Mapping[str, Sequence[str]]) -> Outcome:
    """GitHub's own Ubuntu machines have apt; what a container has is for its image to say."""
    own = own_instruction(here, _chosen(here, known["apt"]), needed) if here.image and known.get("apt") else None
    if isinstance(own, Edited):
        return own
    if here.image or not on_bare_machine(here) or not known.get("apt"):
        return Words(f"`{needed}` is missing: install the package that brings it in the image", image=not here.image)
    failed = failing(here.facts, here.concerned) or tuple(one for one in here.concerned if _starts(one, needed))
    first = next((one for one in failed or here.concerned if one.calls), None)
    if here.step is None or first is None:
        return Refusal("the failed step is not known, or runs no commands", here.job.path, here.job.line)
    package = _chosen(here, known["apt"])
    run = f"sudo apt-get update && sudo apt-get install -y {package}"
    edits = insert_line(here.tree, first.calls[0], run, why=f"{package} brings `{needed}`", before=True)
    if isinstance(edits, Refusal):
        return edits
    promise = f"sudo apt-get install -y {package}"
    return Edited(
        edits,
        (declared_at(here, first.calls[0].path, first.step),),
        (Expectation("command", promise, here.target.job, here.target.workflow_path),),
        title=f"Install {package}, which brings `{needed}`",
    )


def _starts(one: Invocation, program: str) -> bool:
    return any((value.text or "").rpartition("/")[2] == program for value in one.argv[: one.inner + 1])
