"""`uv_source`: an entry of `[tool.uv.sources]` for a distribution whose companions come from an index of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from triage.fixes.document import eol_at, line_end
from triage.fixes.manifests import toml
from triage.fixes.recipes.dependencies.declarations import beside
from triage.fixes.recipes.dependencies.installs import installs
from triage.fixes.recipes.dependencies.projects import lock_command, projects
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import normalised
from triage.model.patch import Edit, Expectation
from triage.model.recipe import CopySource

_SOURCES = ("tool", "uv", "sources")
_HEADER = re.compile(rb"^\[tool\.uv\.sources\][ \t]*(?:#[^\n]*)?\r?$", re.M)
# Shorter beginnings are shared by chance.
_STEM = 4


def copy_source(recipe: CopySource, here: Situation) -> Outcome:
    """In the project that the job installs; where an image brings that, in the one that the root's lock is for."""
    wanted = here.fill(recipe.distribution, select=True)
    if isinstance(wanted, Refusal):
        return wanted
    found = [project.folder for project in projects(here, installs(here.evaluation.invocations))]
    found += ["."] if not found and "uv.lock" in here.tree else []
    for folder in found:
        path = beside(folder, "pyproject.toml")
        if path in here.tree:
            return _in_project(here, path, folder, normalised(wanted))
    return Refusal(f"{here.job.id} installs no project with a pyproject.toml", here.job.path, here.job.line)


def _in_project(here: Situation, path: str, folder: str, wanted: str) -> Outcome:
    data = here.tree.read(path)
    sources = sources_of(data)
    if wanted in {normalised(name) for name in sources}:
        return InPlace(f"{path} already says where {wanted} comes from")
    companions = [name for name in sources if _companion(name, wanted)]
    values = {repr(sources[name]) for name in companions}
    if len(values) != 1 or "index" not in next(iter(values)):
        return Refusal(f"no companion of {wanted} comes from an index of its own", path)
    span = _entry(data, companions[-1])
    if span is None:
        return Refusal(f"the entry of {companions[-1]} is laid out in a way that is not understood", path)
    why = f"{' and '.join(companions)} come from this index, and {wanted} is built for them there"
    text = data[span[0] : span[1]]
    new = eol_at(data, span[0]) + wanted.encode() + text[len(companions[-1].encode()) :]
    after = sources_of(data[: span[1]] + new + data[span[1] :])
    if after != {**sources, wanted: sources[companions[-1]]}:
        return Refusal(f"the entry of {companions[-1]} cannot be copied as it stands", path)
    _, command = lock_command(here.tree, folder)
    place = toml.shown((*_SOURCES, wanted))
    made = Edited(
        (Edit(path, span[1], span[1], new, why),),
        (f"{path}:{place}",),
        tuple(_promises(here, path, place, sources[companions[-1]])),
        title=f"Take {wanted} from the index of {companions[0]}",
    )
    return made.noting(f"the lock has to be renewed with it: `{command}`" if command else "")


def sources_of(data: bytes) -> Mapping[str, object]:
    table: object = toml.load(data)
    for key in _SOURCES:
        table = table.get(key) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else {}


def _companion(name: str, wanted: str) -> bool:
    """`torch` of `torchaudio`: one name is the beginning of the other."""
    one, other = sorted((normalised(name), wanted), key=len)
    return len(one) >= _STEM and other.startswith(one)


def _entry(data: bytes, name: str) -> tuple[int, int] | None:
    """From the key to the end of its value, where the table has a section of its own."""
    header = _HEADER.search(data)
    found = (
        re.compile(rb"^" + re.escape(name.encode()) + rb"[ \t]*=", re.M).search(data, header.end()) if header else None
    )
    if found is None:
        return None
    stop = line_end(data, found.end())
    while _incomplete(data[found.start() : stop]) and stop < len(data):
        stop = line_end(data, min(stop + 2, len(data)))
    return found.start(), stop


def _incomplete(text: bytes) -> bool:
    return isinstance(toml.load(text), Refusal)


def _promises(here: Situation, path: str, place: str, value: object) -> Iterator[Expectation]:
    match value:
        case dict():
            for key, inner in value.items():
                yield from _promises(here, path, f"{place}.{key}", inner)
        case list():
            for at, inner in enumerate(value):
                yield from _promises(here, path, f"{place}[{at}]", inner)
        case str():
            yield Expectation("value", f"{place}={value}", here.target.job, path)
        case _:
            pass
