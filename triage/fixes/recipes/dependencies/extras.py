"""An extra of the repository's own project that brings what is missing, chosen where the job installs the project."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Site, SiteKind, Value
from triage.fixes.manifests import setup_py
from triage.fixes.recipes.dependencies.declarations import Declaration, beside, declarations, read_files, run_time
from triage.fixes.recipes.dependencies.imaged import left_to_images
from triage.fixes.recipes.dependencies.installs import Install, Place
from triage.fixes.recipes.dependencies.listing import OF_TESTS
from triage.fixes.recipes.dependencies.projects import Project, lock_command, projects, syncs
from triage.fixes.recipes.dependencies.uv import in_uv_run
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import Named, in_pyproject, locked, normalised, parsed
from triage.model.patch import Edit, Expectation

# An extra of more requirements serves a purpose of its own: one module is no reason to install all of it.
_FEW = 4
_WRITTEN = frozenset({SiteKind.LITERAL, SiteKind.ASSIGN, SiteKind.DEFAULT})


@dataclass(frozen=True, slots=True)
class _Offer:
    """An extra that names the distribution, and where."""

    extra: str
    found: Declaration
    # How many requirements come with it.
    size: int


def with_extra(here: Situation, names: Iterable[str], done: Sequence[Install]) -> Outcome:
    """The smallest extra that names one of the distributions, chosen by the command that installs the project."""
    wanted = tuple(names)
    for project in projects(here, done):
        named = run_time(here.tree, project.folder, *wanted)
        brought = next((one for one in named if one.comes_with(project.chosen)), None)
        if brought is not None:
            place = f"{brought.path}:{brought.named.line}"
            return InPlace(f"{here.job.id} installs the project, and {place} requires {brought.named.spec}")
        ranked = _offers(here, project, named)
        found = sorted(ranked, key=lambda one: (normalised(one.extra) not in wanted, one.size, one.extra))
        offers = [one for one in found if one.size <= _FEW or _is_for(one.extra, wanted)]
        left = left_to_images(here, offers[0].extra, wanted) if offers else ""
        if left:
            return Words(
                f"{left} installs it where an image is built, and no job of its hardware chooses the extra "
                f"`{offers[0].extra}`, which names it too: install it in the image of {here.job.id}",
                image=True,
            )
        if offers:
            return _chosen(here, project, offers, done)
        if found:
            return Refusal(
                f"the extra `{found[0].extra}` provides it, but brings {found[0].size - 1} other requirements"
            )
    return Refusal("no extra of a project that the job installs provides it")


def with_named_extra(here: Situation, extra: str, done: Sequence[Install]) -> Outcome:
    """The extra of the repository's own project that the error itself asks for, as the tree spells it."""
    for project in projects(here, done):
        for written, found in _declared(here, project.folder):
            if normalised(written) == normalised(extra):
                if written in project.chosen:
                    place = f"{found.path}:{found.named.line}"
                    return InPlace(f"{here.job.id} installs the project with its extra `{written}` ({place})")
                return _chosen(here, project, [_Offer(written, found, 0)], done)
    return Refusal(f"no project that {here.job.id} installs has an extra `{extra[:60]}`")


def _declared(here: Situation, folder: str) -> Iterator[tuple[str, Declaration]]:
    """The extras of the project in `folder`, each with a requirement that it brings."""
    every = [(one.extra, one.name) for one in in_pyproject(here.tree, beside(folder, "pyproject.toml"))]
    setup = beside(folder, "setup.py")
    for extra, listed in setup_py.lists(here.tree.read(setup)) if setup in here.tree else ():
        every += [(extra, one.name) for item in listed for one in parsed(item.text, setup)]
    for extra, name in every:
        places = declarations(here.tree, folder, name) if extra else ()
        yield from ((extra, one) for one in places if isinstance(one, Declaration) and extra in one.extras)


def _is_for(extra: str, wanted: Sequence[str]) -> bool:
    """Whether the extra is named after one of the distributions, or is for tests: then all of it belongs there."""
    name = normalised(extra)
    return OF_TESTS.match(extra) is not None or any(name in one or one in name for one in map(normalised, wanted))


def read_by_project(here: Situation, done: Sequence[Install], files: Iterable[Named]) -> InPlace | None:
    """Where one of the requirements stands in a file that a project which the job installs reads."""
    named = tuple(files)
    for project in projects(here, done):
        for extras, path in read_files(here.tree, project.folder):
            found = next((one for one in named if one.path == path), None)
            if found is not None and extras & project.chosen:
                place = f"{found.path}:{found.line}"
                return InPlace(f"{here.job.id} installs the project, which reads {place}: it requires {found.spec}")
    return None


def _offers(here: Situation, project: Project, named: Iterable[Declaration]) -> Iterator[_Offer]:
    every = in_pyproject(here.tree, f"{project.folder}/pyproject.toml".removeprefix("./"))
    for one in named:
        for extra in sorted(one.extras):
            if extra and ":" not in extra and extra != "*":
                yield _Offer(extra, one, sum(other.extra == extra for other in every))


def _chosen(here: Situation, project: Project, offers: Sequence[_Offer], done: Sequence[Install]) -> Outcome:
    best = offers[0]
    why = f"{best.found.path}:{best.found.named.line} names {best.found.named.spec} for the extra `{best.extra}`"
    others = sorted({one.extra for one in offers} - {best.extra})
    made: Outcome | None = None
    for install in done:
        for place in install.places:
            if place.folder == project.folder:
                made = made or _in_word(here, install, place, best.extra, why)
    made = made or next((_in_sync(here, one, project, best, why) for one in syncs(here, project.folder)), None)
    lock, _ = lock_command(here.tree, project.folder)
    if not lock.endswith("uv.lock") or best.found.named.name in locked(here.tree, lock):
        made = made or in_uv_run(here, project.folder, best.extra, why)
    if not isinstance(made, Edited):
        return made or Words(f"install the project with its extra `{best.extra}`: {why}")
    also = f"it comes with {', '.join(f'`{one}`' for one in others)} too" if others else ""
    return made.noting(why, also)


def _in_word(here: Situation, install: Install, place: Place, extra: str, why: str) -> Outcome:
    """`.` becomes `.[extra]`, `.[test]` becomes `.[test,extra]`."""
    site = _site(here, place.word)
    if site is None:
        return Refusal(
            f"`{place.word}` is put together where it cannot be replaced", install.call.path, install.call.line
        )
    text = _with(place.word.text or "", extra)
    bracket = "[" in (place.word.text or "")
    new = text if site.quote or bracket or shlex.quote(text) == text else f'"{text}"'
    words = [text if word is place.word else str(word) for word in install.invocation.argv]
    return Edited(
        (Edit(site.path, site.start, site.end, new.encode(), why),),
        (declared_at(here, site.path, install.invocation.step),),
        (Expectation("command", " ".join(words), here.target.job, here.target.workflow_path),),
        title=f"Install the project with its extra `{extra}`",
    )


def _with(word: str, extra: str) -> str:
    """The extra among those that the word chooses: in brackets behind a path or a name, before where it comes from."""
    path, bracket, rest = word.partition("[")
    if bracket:
        return f"{path}[{rest.partition(']')[0]},{extra}]{rest.partition(']')[2]}"
    name, sign, source = word.partition("@")
    plain = sign and "/" not in name  # NAME@URL, not a path or an address that holds an @
    return f"{name.rstrip()}[{extra}]{word[len(name.rstrip()) :]}" if plain and source else f"{word}[{extra}]"


def _in_sync(here: Situation, command: Invocation, project: Project, offer: _Offer, why: str) -> Outcome:
    lock, renew = lock_command(here.tree, project.folder)
    if lock.endswith("uv.lock") and offer.found.named.name not in locked(here.tree, lock):
        return Words(
            f"{why}, but {lock} does not hold it: run `{renew}` and commit {lock}, then add `--extra {offer.extra}`"
        )
    word = next(value for value in command.argv if value.text == "sync")
    site = _site(here, word)
    if site is None:
        return Refusal(f"`{command.command_line}` is put together where nothing can be inserted")
    words = [part for value in command.argv for part in _after(value, word, offer.extra)]
    return Edited(
        (Edit(site.path, site.end, site.end, f" --extra {offer.extra}".encode(), why),),
        (declared_at(here, site.path, command.step),),
        (Expectation("command", " ".join(words), here.target.job, here.target.workflow_path),),
        title=f"Sync the project with its extra `{offer.extra}`",
    )


def _after(value: Value, word: Value, extra: str) -> list[str]:
    return [value.text or "", *(["--extra", extra] if value is word else [])]


def _site(here: Situation, word: Value) -> Site | None:
    """Where the whole word is written as it reads."""
    sites = word.sites
    if len(sites) != 1 or sites[0].kind not in _WRITTEN or sites[0].path not in here.tree:
        return None
    written = here.tree.read(sites[0].path)[sites[0].start : sites[0].end]
    return sites[0] if written == (word.text or "").encode() else None
