"""`pip_release`: a pinned version that the index no longer has gives way to its release, where the log lists that one.

What is built for single releases of it, and pinned in the same job, moves with it by the reviewed table of companions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from triage.fixes.evaluate.values import Piece, SiteKind, Value
from triage.fixes.recipes.dependencies.declarations import Declaration, declarations, in_requirements
from triage.fixes.recipes.dependencies.declaring import rewritten
from triage.fixes.recipes.dependencies.installs import Install, brought_along, installs
from triage.fixes.recipes.dependencies.lowering import lowered
from triage.fixes.recipes.dependencies.misnamed import respelled
from triage.fixes.recipes.dependencies.projects import projects
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.placing import declared_at, env_place, remove_assignment
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import Named, compiled_with, parsed
from triage.fixes.shell.edits import replace_value
from triage.model.patch import Edit, Expectation
from triage.model.recipe import PipRelease

_EXACT = re.compile(r"={2,3}\s*([\w.!+-]+)")
_PARTS = re.compile(
    r"(?P<release>[0-9]+(?:\.[0-9]+)*)(?P<pre>(?:\.?(?:dev|rc|a|b|post)[0-9]*)*)(?:\+(?P<local>[\w.]+))?", re.ASCII
)
_WRITTEN = frozenset({SiteKind.LITERAL, SiteKind.ASSIGN, SiteKind.DEFAULT, SiteKind.YAML_ENV})
_DAY = re.compile(r"\.dev20[0-9]{6}", re.ASCII)
# A number that begins with a nought, where a dot is missing.
_SLIP = re.compile(r"[0-9]+(?:\.[0-9]+)*\.0[0-9]+", re.ASCII)
_BARE = re.compile(r"[\w.+]+")


@dataclass(frozen=True, slots=True)
class _Word:
    """A distribution that an install command names."""

    install: Install
    named: Named
    value: Value


def pip_release(recipe: PipRelease, here: Situation) -> Outcome:
    """Refused for what is no exact pin; the release comes from the list of the log and must follow from the pin."""
    asked = next(parsed(here.captures.get(recipe.requirement.strip("{}"), ""), ""), None)
    pinned = _EXACT.fullmatch(asked.pin) if asked is not None else None
    done = installs(here.evaluation.invocations)
    listed = re.split(r",\s*", here.captures.get(recipe.listed.strip("{}"), ""))
    if asked is not None and pinned is None and (excluded := here.captures.get(recipe.excluded.strip("{}"), "")):
        return lowered(here, asked, listed, excluded, [*_declared(here, done, asked.name)])
    if asked is not None and (meant := respelled(here, done, asked, listed, _declared)) is not None:
        return meant
    if asked is None or pinned is None:
        return Refusal("what the index does not have is no exact version")
    words = [_Word(one, *both) for one in (*done, *brought_along(here.evaluation.invocations)) for both in one.named]
    mine = [word for word in words if word.named.name == asked.name and _version(word.named) == pinned[1]]
    named = list(_declared(here, done, asked.name))
    held = [one for one in named if _version(one.named) == pinned[1]]
    release = nearest(pinned[1], listed)
    if not mine and not held:
        every = [*(word.named for word in words if word.named.name == asked.name), *(one.named for one in named)]
        moved = next((one for one in every if release and _version(one) == release), None)
        if moved is not None:
            return InPlace(f"{moved.path}:{moved.line} says {moved.spec}")
        return Refusal(f"nothing that {here.job.id} installs names {asked.spec} as such")
    places = [f"{word.install.call.path}:{word.install.call.line}" for word in mine]
    where = ", ".join(dict.fromkeys([*places, *(f"{one.path}:{one.named.line}" for one in held)]))
    if not release:
        return Words(f"{where} names {asked.spec}, and no release of its series is listed: choose one there")
    moves = _moves(here.tables.companions, asked.name, release, words)
    if isinstance(moves, Refusal):
        return Words(f"{where} names {asked.spec}; the index has {release}, but {moves.reason}")
    return _replaced(here, words, held, {**moves, asked.name: release}, f"the index has no {asked.spec} any more")


def _declared(here: Situation, done: Sequence[Install], name: str) -> Iterator[Declaration]:
    """Requirements files and projects that the job installs, as far as people write them."""
    for path in dict.fromkeys(path for one in done for path in (*one.files, *one.constraints)):
        if path in here.tree and not compiled_with(here.tree.read(path)):
            yield from (one for one in in_requirements(here.tree, path, name) if isinstance(one, Declaration))
    for project in projects(here, done):
        every = declarations(here.tree, project.folder, name)
        yield from (one for one in every if isinstance(one, Declaration) and one.comes_with(project.chosen))


def _version(named: Named) -> str:
    found = _EXACT.fullmatch(named.pin)
    return found[1] if found else ""


def nearest(version: str, listed: Sequence[str]) -> str:
    """The release that `version` became, the next later patch of the same series, else the last one before it, of those
    listed; "" for none.

    A local part (`+cu128`) has to be listed with it, and is kept; without one, builds with any of them count.
    """
    wanted = _PARTS.fullmatch(version)
    if wanted is None:
        return ""
    base, found = _numbers(wanted["release"]), dict[tuple[int, ...], str]()
    for text in listed:
        one = _PARTS.fullmatch(text.strip())
        fits = one is not None and not one["pre"] and (not wanted["local"] or one["local"] == wanted["local"])
        if one is not None and fits and _numbers(one["release"])[:2] == base[:2]:
            found.setdefault(_numbers(one["release"]), one["release"])
    later = sorted(numbers for numbers in found if numbers > base or (numbers == base and wanted["pre"]))
    local = f"+{wanted['local']}" if wanted["local"] else ""
    if later:
        return f"{found[later[0]]}{local}"
    # A patch that never came, or was taken back: the last one before it.
    before = f"{found[max(found)]}{local}" if found and not wanted["pre"] else ""
    return _next_build(wanted, listed) or _without_slip(version, listed) or before


def _without_slip(version: str, listed: Sequence[str]) -> str:
    """Of `0.04`, which no project counts like, the only release listed that has the same digits: `0.0.4`."""
    if not _SLIP.fullmatch(version):
        return ""
    alike = {text.strip() for text in listed if text.strip().replace(".", "") == version.replace(".", "")}
    return alike.pop() if len(alike) == 1 else ""


def _next_build(wanted: re.Match[str], listed: Sequence[str]) -> str:
    """Of builds of a day (`.dev20250122`), which an index keeps for some months only: the next later one listed."""
    if not _DAY.fullmatch(wanted["pre"] or ""):
        return ""
    every = [one for text in listed if (one := _PARTS.fullmatch(text.strip())) is not None]
    alike = [one for one in every if one["release"] == wanted["release"] and one["local"] == wanted["local"]]
    return min((one[0] for one in alike if _DAY.fullmatch(one["pre"] or "") and one["pre"] > wanted["pre"]), default="")


def _numbers(release: str) -> tuple[int, ...]:
    numbers = [int(part) for part in release.split(".")]
    return (*numbers, *[0] * (3 - len(numbers)))


def _moves(
    tables: Mapping[str, Mapping[str, Mapping[str, str]]], name: str, release: str, words: Sequence[_Word]
) -> dict[str, str] | Refusal:
    """What else is pinned exactly and built for one release: name -> its release. A Refusal where no table says it."""
    base = next((one for one, kept in tables.items() if name == one or any(name in each for each in kept.values())), "")
    if not base:
        return {}
    bare, _, local = release.partition("+")
    kept = tables[base]
    fitting = [one for one, others in kept.items() if (one if name == base else others.get(name)) == bare]
    family = {base, *(other for others in kept.values() for other in others)} - {name}
    beside = {word.named.name for word in words if word.named.name in family and _version(word.named)}
    if len(fitting) != 1:
        return Refusal(f"which {', '.join(sorted(beside))} fits it is not known") if beside else {}
    built = {base: fitting[0], **kept[fitting[0]]}
    unknown = sorted(one for one in beside if one not in built)
    if unknown:
        return Refusal(f"which {', '.join(unknown)} fits it is not known")
    return {one: f"{built[one]}+{local}" if local else built[one] for one in beside}


def _replaced(
    here: Situation, words: Sequence[_Word], held: Sequence[Declaration], moves: Mapping[str, str], why: str
) -> Outcome:
    """All words that name one of them exactly, and the declarations of the one that failed."""
    concerned = [word for word in words if word.named.name in moves and _version(word.named)]
    concerned = [word for word in concerned if _version(word.named) != moves[word.named.name]]
    parts: list[Outcome] = [_in_word(here, word, moves[word.named.name], why) for word in concerned]
    parts += [rewritten(here, one, f"=={moves[one.named.name]}", why) for one in held]
    whole = together(parts)
    if not isinstance(whole, Edited):
        return whole
    by_command = {id(word.install): word.install for word in concerned}
    promises = tuple(_promise(here, one, moves) for one in by_command.values())
    shown = ", ".join(f"{name} {release}" for name, release in moves.items())
    unread = list(_unread(here, concerned, whole.edits))
    edits = tuple(dict.fromkeys((*whole.edits, *unread)))
    declared = tuple(dict.fromkeys((*whole.declared, *(edit.path for edit in unread))))
    found = replace(whole, edits=edits, declared=declared, expectations=(*whole.expectations, *promises))
    return replace(found, title=f"Install {shown}")


def _unread(here: Situation, words: Sequence[_Word], edits: Sequence[Edit]) -> Iterator[Edit]:
    """Takes away assignments of a script that only the replaced versions read."""
    sites = [piece.site for word in words for piece in _of_version(word).pieces if piece.via and piece.site is not None]
    for site in dict.fromkeys(one for one in sites if one.kind is SiteKind.ASSIGN and one.name):
        text = here.tree.read(site.path)
        mine = [edit for edit in edits if edit.path == site.path]
        reads = re.finditer(rb"\$\{?" + re.escape(site.name.encode()) + rb"\b", text)
        read = any(not any(edit.start <= one.start() < edit.end for edit in mine) for one in reads)
        changed = any(edit.start < site.end and site.start < edit.end for edit in mine)
        gone = () if read or changed else remove_assignment(here, site, why=f"nothing reads {site.name} any more")
        yield from () if isinstance(gone, Refusal) else gone


def _promise(here: Situation, one: Install, moves: Mapping[str, str]) -> Expectation:
    new = {id(value): _spelled(named, moves) for named, value in one.named}
    words = [new.get(id(word)) or str(word) for word in one.invocation.argv]
    return Expectation("command", " ".join(words), here.target.job, here.target.workflow_path)


def _spelled(named: Named, moves: Mapping[str, str]) -> str:
    return f"{named.written}=={moves[named.name]}" if named.name in moves and _version(named) else ""


def _of_version(word: _Word) -> Value:
    """The pieces that hold the version, behind the name and the signs."""
    text = word.value.text or ""
    return word.value.after(text[: len(text) - len(_version(word.named))])


def _in_word(here: Situation, word: _Word, release: str, why: str) -> Outcome:
    call, step, pieces = word.install.call, word.install.invocation.step, _of_version(word).pieces
    sites = [piece.site for piece in pieces]
    if not _BARE.fullmatch(release) or not sites or any(site is None or site.path not in here.tree for site in sites):
        return Refusal(f"`{word.value}` is put together where it cannot be replaced", call.path, call.line)
    site = sites[0]
    if len(pieces) == 1 and site is not None and site.kind in _WRITTEN:
        edits = replace_value(here.tree, site, pieces[0].text or "", release, why=why)
        if isinstance(edits, Refusal):
            return edits
        place = env_place(here, site) if site.kind is SiteKind.YAML_ENV else declared_at(here, site.path, step)
        return Edited(edits, (place,), ())
    span = _span(pieces)
    if span is None:
        return Refusal(f"`{word.value}` is put together where it cannot be replaced", call.path, call.line)
    return Edited((Edit(*span, release.encode(), why),), (declared_at(here, span[0], step),), ())


def _span(pieces: Sequence[Piece]) -> tuple[str, int, int] | None:
    """Path and bytes of a version that stands in the command itself, with variables as parts of it."""
    first = [piece.via[0] if piece.via else piece.site for piece in pieces]
    sites = [site for site in first if site is not None and site.kind is SiteKind.LITERAL]
    joined = len(sites) == len(pieces) and all(
        one.path == other.path and one.end == other.start for one, other in pairwise(sites)
    )
    return (sites[0].path, sites[0].start, sites[-1].end) if joined and sites else None
