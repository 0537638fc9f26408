"""The list of a project that brings what the same files import besides: what they need more belongs there too."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from triage.fixes.counting import foremost
from triage.fixes.recipes.dependencies.declarations import closure, run_time
from triage.fixes.recipes.dependencies.importing import imports, package_of
from triage.fixes.recipes.dependencies.projects import Project
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import distributions

# Fewer that stand in the list may do so for a reason of their own.
_FEW = 2
# A part of a package has more files, and more reasons.
_FEW_OF_MANY = 3
_MOST_FILES = 400
_AT_MARGIN = re.compile(rb"^(?:import|from)[ \t]+([A-Za-z_]\w*)", re.M)


def list_of_company(here: Situation, project: Project, files: Sequence[str]) -> str:
    """The extra, of those that the job chooses, in which most of what the files always import is declared, else most of
    what the part of the package imports that they stand in; "" for what is always required, and where nothing has
    clearly more."""
    near = _counts(here, project, {name for path in files for name, _ in imports(here.tree, path)})
    if (found := _most(here, project, near, _FEW)) is not None:
        return found
    wide = _counts(here, project, _modules_around(here, files[-1]) if files else ())
    return _most(here, project, wide, _FEW_OF_MANY) or ""


def _counts(here: Situation, project: Project, modules: Iterable[str]) -> Counter[str]:
    """How many of the modules come with each of the chosen extras, and always; of what several bring, none."""
    names = {module: distributions(module, here.tables) for module in modules}
    extras: dict[str, set[str]] = {}
    for one in run_time(here.tree, project.folder, *sorted({name for each in names.values() for name in each})):
        extras.setdefault(one.named.name, set()).update(one.extras)
    own = ({extra for name in each for extra in extras.get(name, ())} & project.chosen for each in names.values())
    return Counter(next(iter(one)) for one in own if len(one) == 1)


def _most(here: Situation, project: Project, counts: Counter[str], few: int) -> str | None:
    """None where nothing has clearly more. Of two extras that have as many the one that the other brings along."""
    most = foremost(counts)
    if most is not None:
        return most[0] if most[1] >= few else None
    first, second = [extra for extra, _ in counts.most_common(2)] or ["", ""]
    if "" in (first, second) or counts[first] < few:
        return None
    inner = [one for one, other in ((first, second), (second, first)) if one in _brought(here, project, other)]
    return inner[0] if len(inner) == 1 else None


def _brought(here: Situation, project: Project, extra: str) -> frozenset[str]:
    return closure(here.tree, project.folder, [extra]) - {extra}


def _modules_around(here: Situation, path: str) -> set[str]:
    """Modules that files of the same part of the package name at the margin: what stands in a `try` is not needed."""
    package = package_of(here.tree, path)[0]
    below = path.removeprefix(f"{package}/").split("/")[:-1]
    part = posixpath.join(package, *below[:1])
    near = [one for one in here.tree.paths() if one.startswith(f"{part}/") and one.endswith(".py")]
    return {found[1].decode() for one in near[:_MOST_FILES] for found in _AT_MARGIN.finditer(here.tree.read(one))}
