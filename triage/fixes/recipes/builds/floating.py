"""`pin_source`: what a failed build takes from a branch, held at the commit at which the tree holds it elsewhere."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from triage.fixes.document import line_of
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import SiteKind
from triage.fixes.manifests.dockerfile import Default, arguments
from triage.fixes.recipes.dependencies.installs import installs
from triage.fixes.recipes.dependencies.revisions import agreed, named_revisions, nearest
from triage.fixes.recipes.dependencies.sources import fixed, repository_of
from triage.fixes.recipes.dependencies.sourcing import hold_source
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.patch import Edit, Expectation
from triage.model.recipe import PinSource

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
_MOVES = ("checkout", "reset", "switch")


def pin_source(recipe: PinSource, here: Situation) -> Outcome:
    """`here` is a failed build, of whose instruction a checkout of an `ARG`, or an address, follows a branch."""
    if not here.image:
        return Refusal("the log shows no failed build, and the job's image is made elsewhere")
    if here.instruction < 0:
        return _of_image(recipe, here)
    failing = [one for one in here.concerned if one.step == here.instruction]
    filled = here.fill(recipe.distribution, select=True)
    name = filled if isinstance(filled, str) and _NAME.fullmatch(filled) else ""
    checkouts = [] if name else [found for one in failing if (found := _checkout(here, one))]
    names = [name] if name else list(dict.fromkeys(_floating(failing)))
    if len(checkouts) == 1 and not names:
        return _argued(here, *checkouts[0])
    held = [one for one in failing if not name and _held(one)]
    if not names and not checkouts and held:
        return InPlace(f"{here.image}:{held[0].calls[-1].line} takes `{_held(held[0])}`, which does not move")
    if len(names) != 1 or checkouts:
        return Refusal(f"{len(names) + len(checkouts)} sources of the failed instruction float", here.image)
    return hold_source(here, names[0]) or Refusal(f"{here.image} does not build {names[0]} from its sources")


def _of_image(recipe: PinSource, here: Situation) -> Outcome:
    """Of everything that the image takes from a branch, what the log names: `distribution`, or a class called so."""
    said = _squeezed(here.captures.get(recipe.distribution.strip("{}"), recipe.distribution))
    names = [name for name in dict.fromkeys(_sources(here.evaluation.invocations)) if _squeezed(name) in said]
    if len(names) != 1:
        return Refusal(f"{here.image} builds {len(names)} things from their sources that the log names", here.image)
    return hold_source(here, names[0]) or Refusal(f"{here.image} does not build {names[0]} from its sources")


def _squeezed(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _floating(failing: Sequence[Invocation]) -> list[str]:
    """What `git+URL` words install from a branch, by the repository's name."""
    return [name for name, revision in _sources(failing).items() if not fixed(revision)]


def _sources(invocations: Sequence[Invocation]) -> dict[str, str]:
    """Repositories that `git+URL` words install, by name, and the revision that they ask for, "" for none."""
    found = {}
    for install in installs(invocations):
        for value in install.invocation.argv:
            _, sign, address = (value.text or "").rpartition("git+")
            url, revision = repository_of(address) if sign else ("", "")
            if url:
                found[url.rpartition("/")[2]] = revision
    return found


def _held(one: Invocation) -> str:
    """The revision that `git checkout` or an address names, where that is none that moves; "" otherwise."""
    words = [value.text or "" for value in one.program]
    if len(words) >= 3 and posixpath.basename(words[0]) == "git" and words[1] in _MOVES:
        return next((word for word in words[2:] if fixed(word)), "")
    addresses = (repository_of(word.rpartition("git+")[2]) for word in words if "git+" in word)
    return next((revision for url, revision in addresses if url and fixed(revision)), "")


def _checkout(here: Situation, one: Invocation) -> tuple[Invocation, Default] | None:
    """`git checkout ${NAME}`, where the Dockerfile's `ARG NAME` is the name of a branch."""
    words = [str(value) for value in one.program]
    if len(words) < 3 or posixpath.basename(words[0]) != "git" or words[1] not in _MOVES:
        return None
    data = here.tree.read(here.image)
    defaults = arguments(data)
    for value in one.program[2:]:
        names = {piece.name for piece in value.pieces if piece.name} | {site.name for site in value.sites}
        for default in () if isinstance(defaults, Refusal) else defaults:
            assigned = [site for site in value.sites if site.kind is SiteKind.ASSIGN and site.start == default.start]
            if (assigned or default.name in names) and not fixed(default.text):
                return one, default
    return None


def _argued(here: Situation, one: Invocation, default: Default) -> Outcome:
    line = line_of(here.tree.read(here.image), default.start)
    where = f"{here.image}:{line} takes {default.name} from `{default.text}`, which moves"
    value = next((word for word in one.program[2:] if word.text == default.text), None)
    if value is None:
        return Words(f"{where}, unless the build is given another value: hold it at a commit that was good")
    url = next((url for url, folder in _clones(here) if folder == _folder(one)), "")
    known = agreed(nearest(named_revisions(here.tree, url), here.image)) if url else None
    if known is None:
        return Words(f"{where}: hold it at a commit of {url or 'the repository'} that was good")
    why = f"{known.path}:{known.line} holds {url} at {known.revision}"
    promised = " ".join(known.revision if word is value else str(word) for word in one.argv)
    return Edited(
        (Edit(here.image, default.start, default.end, known.revision.encode(), why),),
        (here.image,),
        (Expectation("image", promised, here.target.job, here.image),),
        notes=(why,),
        title=f"Hold {default.name} at {known.revision}",
    )


def _folder(one: Invocation) -> str:
    return (one.inside.folder if one.inside is not None else one.directory) or ""


def _clones(here: Situation) -> Iterator[tuple[str, str]]:
    """Addresses of repositories that the build clones, and the folders of the image that they are cloned into."""
    for one in here.evaluation.invocations:
        words = [value.text or "" for value in one.program]
        if posixpath.basename(words[0] if words else "") == "git" and "clone" in words[1:4]:
            places = [word for word in words[words.index("clone") + 1 :] if word and not word.startswith("-")]
            url = next((url for word in places if (url := repository_of(word)[0])), "")
            target = posixpath.basename(places[-1]).removesuffix(".git") if places and url else ""
            if target:
                last = places[-1] if not repository_of(places[-1])[0] else target
                yield url, posixpath.normpath(posixpath.join(_folder(one), last))
