"""Which distribution a pin is for, and the bound that it gets: a release that the log lists is kept out with `<`."""

from __future__ import annotations

import re
import sys

from triage.fixes.numbers import whole
from triage.fixes.recipes.dependencies.known_names import gone_with, listed_release
from triage.fixes.recipes.dependencies.versions import satisfied
from triage.fixes.recipes.held import is_name
from triage.fixes.recipes.outcome import InPlace, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import Named, distributions, is_module_of, normalised
from triage.model.recipe import INSTALLED, INSTALLED_MAJOR, PipPin

_RELEASE = re.compile(r"[0-9]+(?:\.[0-9]+)*(?:(?:a|b|rc)[0-9]+)?(?:\.(?:post|dev)[0-9]+)?", re.ASCII)
_BOUND = r"(?:===?|!=|<=|>=|~=|<|>)[0-9][0-9.*]*(?:(?:a|b|rc)[0-9]+)?(?:\.(?:post|dev)[0-9]+)?"
BOUNDS = re.compile(rf"{_BOUND}(?:,{_BOUND})*", re.ASCII)
# A bound at a later release of a series.
_PATCH = re.compile(r"<([1-9][0-9]*\.[0-9]+)\.[1-9][0-9]*(?:\.post[0-9]+)?", re.ASCII)
_FROM = re.compile(r"(>=|~=|(?<![<~=!])>)([\w.]+)")


def which(recipe: PipPin, here: Situation) -> str | Refusal:
    """The distribution's name: of several that provide the module, the one that the log lists as installed."""
    title = here.fill(recipe.module or recipe.distribution, select=True)
    if isinstance(title, Refusal):
        return title
    # Of a module, only the package that it stands in has to be one: `urllib3.util.ssl_` may end as it likes.
    if not is_name(title.partition(".")[0] if recipe.module else title):
        return Refusal(f"`{title[:80]}` is no name of a package")
    if not recipe.module:
        return title
    if title.partition(".")[0] in sys.stdlib_module_names:
        return Refusal(f"`{title}` comes with Python: its release decides what it holds")
    if is_module_of(here.tree, title):
        return Refusal(f"`{title}` is a module of the repository itself")
    names = distributions(title, here.tables)
    every = (*names, *_spelled(title.partition(".")[0])) if len(names) == 1 else names
    return next((name for name in every if name in here.facts.installed), names[0])


def _spelled(module: str) -> tuple[str, ...]:
    """Under which names the package of a module is distributed, where the bare name is taken."""
    name = normalised(module)
    return (f"{name}-py", f"{name}-python", f"python-{name}", f"py-{name}", f"py{name}")


def held_at(recipe: PipPin, here: Situation, name: str) -> str | Refusal | Words:
    """The spec to write. Of an untrusted log only a release number may enter it."""
    if not keeps_out(recipe):
        return _filled(recipe.spec, here)
    if gone := gone_with(recipe, here, name):
        return f"<{gone}"
    listed = listed_release(here, name)
    release = _RELEASE.match(listed)
    if release is None or listed[release.end() :][:1] not in ("", "+"):
        return Words(f"the log does not list the installed {name}: hold it below the release that broke this")
    if ".dev" in release[0]:
        return Words(f"{name} {listed} is built from its sources, which no pin holds: check out a release instead")
    major = release[0].partition(".")[0]
    # `<3.0` keeps 3.0rc1 out; `<3.0rc1` lets 3.0b2 in.
    final = re.sub(r"(?:a|b|rc)[0-9]+.*", "", release[0]) if recipe.spec == f"<{{{INSTALLED}}}" else release[0]
    return recipe.spec.replace(f"{{{INSTALLED_MAJOR}}}", major).replace(f"{{{INSTALLED}}}", final)


def below_series(recipe: PipPin, here: Situation, spec: str) -> str:
    """`<3.1` for `<3.1.2`, where a public name is gone: such a thing goes with the first release of a series, which the
    nearer bound would let in. "" where the log does not say that a name is gone, and before the first major release,
    of which every release may take something away."""
    found = _PATCH.fullmatch(spec)
    names = (here.captures.get(recipe.module.strip("{}"), ""), here.captures.get("name", ""))
    public = all(names) and not any(part.startswith("_") for name in names for part in name.split("."))
    return f"<{found[1]}" if found and public and recipe.spec == f"<{{{INSTALLED}}}" else ""


def _filled(spec: str, here: Situation) -> str | Refusal:
    """A capture that is nothing but bounds, or a release's number, brings no package in, so that it may be written."""
    for name in re.findall(r"\{(\w+)\}", spec):
        if _RELEASE.fullmatch(here.captures.get(name, "")):
            spec = spec.replace(f"{{{name}}}", here.captures[name])
    bounds = here.captures.get(spec.strip("{}"), "") if spec.startswith("{") and spec.endswith("}") else ""
    return bounds if BOUNDS.fullmatch(bounds) else here.fill(spec)


def from_log(recipe: PipPin) -> bool:
    """Whether the bounds themselves are the log's: they may only replace an exact pin that violates them."""
    return recipe.spec.startswith(("{", ">={")) and recipe.spec.endswith("}")


def keeps_out(recipe: PipPin) -> bool:
    """Whether the pin is against a release that came in by itself."""
    return any(f"{{{one}}}" in recipe.spec for one in (INSTALLED, INSTALLED_MAJOR))


def open_above(pin: str, spec: str) -> bool:
    """Whether the requirement lets new releases in, as far as the one that `spec` keeps out."""
    if any(_exact(part.strip()) for part in pin.split(",")) or "://" in pin:
        return False
    release = _RELEASE.search(spec)
    return release is None or satisfied(pin, release[0])


def _exact(part: str) -> bool:
    return part.startswith(("===", "@")) or (part.startswith("==") and "*" not in part)


def bounded(pin: str, spec: str) -> str:
    """An upper bound joins what the requirement asks for from below, and a lower one what it asks for from above; any
    other spec replaces it."""
    parts = [part.strip() for part in pin.split(",") if part.strip()]
    if any(_exact(part) for part in parts):
        return spec
    if spec.startswith((">=", ">")) and "," not in spec:
        above = [part for part in parts if part.startswith(("<", "!=")) and satisfied(part, spec.lstrip(">="))]
        return ",".join([spec, *above])
    if not spec.startswith(("<", "!=")):
        return spec
    return ",".join([*(part for part in parts if not part.startswith("<")), spec])


def _keeps_as_much_out(pin: str, spec: str) -> bool:
    """Whether an upper bound of the requirement is at least as low as the one to write, which would loosen it."""
    wanted = re.fullmatch(r"<([0-9][\w.]*)", spec)
    if wanted is None:
        return False
    least = {"<": f"<={wanted[1]}", "<=": f"<{wanted[1]}"}
    return any(satisfied(least[sign], bound) for sign, bound in re.findall(r"(<=?)([0-9][\w.]*)", pin))


def held_to_series(pin: str, spec: str) -> bool:
    """Whether the requirement lets in the release that `spec` names, and nothing after its series (X.Y)."""
    release = _RELEASE.search(spec)
    if release is None or "<" not in pin or not satisfied(pin, release[0]):
        return False
    major, _, rest = release[0].partition(".")
    minor = whole(rest.partition(".")[0])
    return minor is not None and not satisfied(pin, f"{major}.{minor + 1}")


def _lower(pin: str) -> list[str]:
    """The releases at which its lower bounds are."""
    return [release for _, release in _FROM.findall(pin)]


def _shut_out(pin: str, spec: str) -> bool:
    """Whether an upper bound of the requirement keeps out the least release that `spec` asks for."""
    return "<" in pin and any(not satisfied(pin, release) for release in _lower(spec))


def _leaves_none(pin: str, spec: str) -> bool:
    """Whether no release is above a lower bound of the requirement and below the upper one that is to join it."""
    strictly = spec.replace("<=", "<")
    return any(not satisfied(strictly if sign == ">" else spec, low) for sign, low in _FROM.findall(pin))


def _asks_for_less(recipe: PipPin, here: Situation, named: Named, spec: str) -> bool:
    """Whether a program's own check names the least release that it takes, and the requirement takes older ones: it
    leaves what none of the job's installs brought as it is."""
    least = _RELEASE.search(spec)
    if not recipe.spec.startswith(">={") or least is None or normalised(named.name) in (here.facts.brought or ()):
        return False
    return all(satisfied(f"<{least[0]}", one) for one in _lower(named.pin.replace(" ", "")))


def standing_of(recipe: PipPin, here: Situation, named: Named, spec: str) -> InPlace | Refusal | None:
    """None when the requirement is to be changed."""
    pin = named.pin.replace(" ", "")
    if spec == pin or set(spec.replace(" ", "").split(",")) <= set(pin.split(",")):
        return InPlace(f"{named.path}:{named.line} already says {named.spec}")
    if _keeps_as_much_out(pin, spec):
        return InPlace(f"{named.path}:{named.line} says {named.spec}, which keeps as much out")
    if (keeps_out(recipe) or recipe.only_named) and not open_above(named.pin, spec):
        return Refusal(
            f"{named.path}:{named.line} says {named.spec}, which a new release does not change: something else moved"
        )
    fits = not _shut_out(pin, spec) and not _asks_for_less(recipe, here, named, spec)
    if from_log(recipe) and "==" not in pin and fits:
        return Refusal(f"{named.path}:{named.line} says {named.spec}: what pip complains of came in otherwise")
    if keeps_out(recipe) and any(not satisfied(spec, lower) for lower in _lower(pin)):
        return Refusal(f"{named.path}:{named.line} asks for {named.spec}: there is no older release to go back to")
    if spec.startswith("<") and _leaves_none(pin, spec):
        return Refusal(f"{named.path}:{named.line} asks for {named.spec}, and {spec} leaves no release of it")
    if recipe.from_spec and pin != recipe.from_spec.replace(" ", ""):
        return Refusal(f"{named.path}:{named.line} says {named.spec}, and the fix is for {recipe.from_spec}")
    return None
