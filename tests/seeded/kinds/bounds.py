"""An upper bound that is gone, and the release that the job then gets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from tests.seeded.kinds.breaks import BREAKS, PLACE
from tests.seeded.kinds.lines import home
from tests.seeded.kinds.places import UNBOUND, Place, installed, named_elsewhere, places, spoilt
from tests.seeded.seed import Seed
from tests.seeded.site import Site
from triage.interfaces import Tree

# Distributions whose module is named otherwise; for all others both names are one, up to case and dashes.
_MODULES: Mapping[str, str] = {
    "pyyaml": "yaml",
    "pillow": "PIL",
    "scikit-learn": "sklearn",
    "opencv-python": "cv2",
    "opencv-python-headless": "cv2",
    "beautifulsoup4": "bs4",
    "python-dotenv": "dotenv",
    "protobuf": "google.protobuf",
    "gitpython": "git",
    "pygithub": "github",
    "pyzmq": "zmq",
}
_TESTS = re.compile(r"\b(?:pytest|python3? [\w/.-]+\.py|torchrun)\b")


def known_break(site: Site) -> Iterator[Seed]:
    """The bound under a release whose break everybody has met."""
    for place in places(site):
        first, version, lines = BREAKS.get(place.dist, ((), "", ()))
        if first and _holds(place, first):
            yield from _seeds(site, place, version, lines)


def known_break_comes(site: Site) -> Iterator[Seed]:
    """No bound yet, and the release whose break everybody has met comes."""
    for place in places(site, UNBOUND):
        first, version, lines = BREAKS.get(place.dist, ((), "", ()))
        floors = [tuple(int(part) for part in re.findall(r"[0-9]+", one)) for one in re.findall(r"[\d.]+", place.bound)]
        if first and all(one < first for one in floors):
            yield from _seeds(site, place, version, lines, _below(place, ".".join(map(str, first))))


def name_goes(site: Site) -> Iterator[Seed]:
    """No bound yet, and a release comes that lacks what the repository imports."""
    for place in places(site, UNBOUND):
        said = _imported(site, place)
        if not said:
            continue
        floors = [int(one) for one in re.findall(r"(?:>=|>)\s*(\d+)", place.bound)]
        version = f"{max([*floors, 6]) + 1}.0.0"
        yield from _seeds(site, place, version, _import_error(site, *said), _below(place, version))


def _below(place: Place, release: str) -> str:
    """Its bound, and this release held off too."""
    held = place.bound.strip()
    return f"{held.rstrip(',')},<{release}" if held else f"<{release}"


def name_gone(site: Site) -> Iterator[Seed]:
    """The bound under a release that the repository's own import does not outlive."""
    for place in places(site):
        sign, held = place.upper()
        said = _imported(site, place)
        if not held or not said:
            continue
        new = held if sign == "<" else (*held[:-1], held[-1] + 1) if sign == "<=" else (held[0], (*held, 0)[1] + 1)
        version = ".".join(str(part) for part in (*new, 0, 0)[: max(3, len(new))])
        yield from _seeds(site, place, version, _import_error(site, *said))


def _imported(site: Site, place: Place) -> tuple[str, int, str, str, str] | None:
    """File, line, its words, module and name of the first `from X import Y` of it."""
    used = _importers(site.tree).get(_MODULES.get(place.dist, place.dist.replace("-", "_")).split(".")[0])
    said = re.match(r"from ([\w.]+) import (\w+)", used[2]) if used and place.dist not in BREAKS else None
    return (*used, said[1], said[2]) if used and said else None


def _import_error(site: Site, file: str, at: int, line: str, module: str, name: str) -> tuple[str, ...]:
    path = f"{PLACE}/{module.replace('.', '/')}{'/__init__' if '.' not in module else ''}.py"
    return (
        "Traceback (most recent call last):",
        f'  File "{home(site)}/{file}", line {at}, in <module>',
        f"    {line}",
        f"ImportError: cannot import name '{name}' from '{module}' ({path})",
    )


def _holds(place: Place, first: tuple[int, ...]) -> bool:
    sign, held = place.upper()
    if not held:
        return False
    if sign == "~=":
        held = (*held[:-2], held[-2] + 1) if len(held) > 1 else held
    return held <= (*first, 0, 0) if sign in ("<", "~=") else held[: len(first)] < first


def _seeds(site: Site, place: Place, version: str, lines: tuple[str, ...], bound: str = "") -> Iterator[Seed]:
    """`bound`: what is to come, where nothing is taken off."""
    runs = dict(place.job.runs())
    failing = next((n for n, script in runs.items() if n > place.step and _TESTS.search(script)), None)
    if (
        failing is None
        or re.search(r"docker(?:-| )(?:run|exec|compose)", runs[failing])
        or named_elsewhere(site, place)
    ):
        return
    floor = re.findall(r"(?:>=|!=|>)\s*[\w.*]+", place.bound)
    files = spoilt(site, place, bound or ",".join(floor))
    if files:
        told = {place.step: installed(place, version)}
        mended = files if bound else {}
        given = {path: site.tree.read(path) for path in files} if bound else files
        about = f"{place.whole} in {place.path}"
        yield Seed(place.job, failing, given, lines, about, mended=mended, earlier=told)


@lru_cache(maxsize=4)
def _importers(tree: Tree) -> Mapping[str, tuple[str, int, str]]:
    """By module the first file of the tree that imports it at its top, tests first."""
    found: dict[str, tuple[str, int, str]] = {}
    paths = [one for one in tree.paths() if one.endswith(".py")]
    own = {one.split("/")[0].removesuffix(".py") for one in paths}
    for path in sorted(paths, key=lambda one: ("test" not in one, one))[:3000]:
        for at, line in enumerate(tree.read(path).decode("utf-8", "replace").splitlines()[:80], start=1):
            said = re.match(r"(?:import|from) (\w+)", line)
            if said and said[1] not in own:
                found.setdefault(said[1], (path, at, line))
    return found
