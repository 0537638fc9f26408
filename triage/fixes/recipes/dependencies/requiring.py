"""A bound on what came in through something else: the project that the job installs requires it from now on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from triage.fixes.document import eol_at, line_end, line_of, line_start
from triage.fixes.manifests import setup_py, toml
from triage.fixes.recipes.dependencies.bounding import TOOLS
from triage.fixes.recipes.dependencies.declarations import ALWAYS, beside
from triage.fixes.recipes.dependencies.declaring import locked_with
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.dependencies.projects import Project, projects
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import distributions, normalised, parsed
from triage.model.patch import Edit, Expectation, as_promised

# Shorter beginnings are shared by chance.
_STEM = 3
_MOST_BLANKS = 200


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of requirements for one extra, "" for always. Of its `items` each has the bytes between its quotes.

    In TOML, `place` is the list's semantic path, and `last` the index of the last item: groups that it includes count,
    and are none. `whose` says in words what it is for, where that is no extra.
    """

    path: str
    extra: str
    items: tuple[tuple[str, int, int], ...]
    place: str = ""
    whose: str = ""
    last: int = -1


def required(here: Situation, done: Sequence[Install], name: str, spec: str) -> Outcome | None:
    """One more entry in a list that the job installs; None where no project of the job has one.

    The list that brings a relative of the distribution comes first (`dvc` with `dvclive`), then those of extras that
    the job chooses: they bind fewer people than what is always required.
    """
    for project in projects(here, done):
        lists = [*_in_pyproject(here, project), *_in_setup(here, project)]
        unclear = next((one for one in lists if isinstance(one, Refusal)), None)
        best = _best([one for one in lists if isinstance(one, Listed)], project, normalised(name))
        if best is not None:
            made = appended(here, best, f"{name}{spec}")
            return locked_with(here, project, made) if isinstance(made, Edited) else made
        if unclear is not None:
            return unclear
    return None


def beside_users(here: Situation, done: Sequence[Install], name: str, spec: str) -> Outcome | None:
    """One more entry in the list of an extra that the job chooses and that names a package which the traceback passes:
    what brought the distribution. Else in what the job chooses of its own project, where it installs nothing else and
    names what the traceback passes, if that is known. None where the log shows what came in with it."""
    passed = [one for module in here.facts.packages for one in distributions(module, here.tables)]
    users = frozenset(passed) - {normalised(name)}
    for project in projects(here, done):
        lists = _lists(here, project)
        chosen = [one for one in lists if one.extra and one.extra in project.chosen and _names(one) & users]
        if len(chosen) == 1:
            made = appended(here, chosen[0], f"{name}{spec}")
            return locked_with(here, project, made) if isinstance(made, Edited) else made
    named = [_names(one) for project in projects(here, done) for one in _lists(here, project) if _used(one, project)]
    foreign = bool(users) and not any(one & users for one in named)
    shown = any(normalised(name) in one for one in here.facts.batches)
    return None if foreign or shown or here.image or not _only_projects(done) else required(here, done, name, spec)


def _used(listed: Listed, project: Project) -> bool:
    return bool(listed.items) and listed.extra in {*project.chosen, *ALWAYS}


def _only_projects(done: Sequence[Install]) -> bool:
    """Whether the commands install folders of the repository, and else only what installs or builds packages."""
    others = [
        one for one in done if not one.projects and not (one.named and all(n.name in TOOLS for n, _ in one.named))
    ]
    return any(one.projects for one in done) and not others and not any(one.files for one in done)


def _names(listed: Listed) -> frozenset[str]:
    return frozenset(named.name for text, _, _ in listed.items for named in parsed(text, ""))


def required_always(here: Situation, folder: str, text: str) -> Outcome | None:
    """One more entry in what the project in `folder` always requires; None where no list holds that."""
    project = Project(folder, ALWAYS)
    made = listed_for(here, project, "", text)
    return locked_with(here, project, made) if isinstance(made, Edited) else made


def listed_for(here: Situation, project: Project, extra: str, text: str) -> Outcome | None:
    """One more entry in the list of that extra, "" for what is always required; None where no list holds that."""
    found = next((one for one in _lists(here, project) if one.items and one.extra == extra), None)
    return None if found is None else appended(here, found, text)


def extras_of(here: Situation, project: Project) -> tuple[str, ...]:
    """The extras that hold a list of their own, each once; dependency groups are none."""
    found = (one.extra for one in _lists(here, project) if one.items)
    return tuple(dict.fromkeys(one for one in found if one and ":" not in one))


def _lists(here: Situation, project: Project) -> list[Listed]:
    every = (*_in_pyproject(here, project), *_in_setup(here, project))
    return [one for one in every if isinstance(one, Listed)]


def _best(lists: Sequence[Listed], project: Project, wanted: str) -> Listed | None:
    used = [one for one in lists if _used(one, project)]
    related = [one for one in used if any(_related(text, wanted) for text, _, _ in one.items)]
    chosen = [one for one in used if one.extra]
    ordered = sorted(related or chosen or used, key=lambda one: (one.extra == "", len(one.items), one.extra))
    return ordered[0] if ordered else None


def _related(text: str, wanted: str) -> bool:
    names = (one.name for one in parsed(text, ""))
    return any(len(wanted) >= _STEM and name != wanted and name.startswith(wanted) for name in names)


def _in_pyproject(here: Situation, project: Project) -> Iterator[Listed | Refusal]:
    path = beside(project.folder, "pyproject.toml")
    placed = toml.strings(here.tree.read(path)) if path in here.tree else ()
    if isinstance(placed, Refusal):
        yield Refusal(placed.reason, path)
        return
    found: dict[toml.Place, list[tuple[str, int, int]]] = {}
    last: dict[toml.Place, int] = {}
    for one in placed:
        if one.place and isinstance(one.place[-1], int):
            found.setdefault(one.place[:-1], []).append((one.value, one.start, one.end))
            last[one.place[:-1]] = one.place[-1]
    for place, items in found.items():
        extra = _extra_of(place)
        if extra is not None:
            yield Listed(path, extra, tuple(items), toml.shown(place), last=last[place])


def _extra_of(place: toml.Place) -> str | None:
    match place:
        case ("project", "dependencies"):
            return ""
        case ("project", "optional-dependencies", str(extra)):
            return extra
        case ("dependency-groups", str(group)):
            return f"group:{group}"
        case _:
            return None


def _in_setup(here: Situation, project: Project) -> Iterator[Listed]:
    path = beside(project.folder, "setup.py")
    for extra, items in setup_py.lists(here.tree.read(path)) if path in here.tree else ():
        yield Listed(path, extra, tuple((item.text, item.start, item.end) for item in items))


def appended(here: Situation, listed: Listed, text: str) -> Outcome:
    """Behind the last entry, as the others are written."""
    data, (_, begin, end) = here.tree.read(listed.path), listed.items[-1]
    quote, after = data[end : end + 1], end + 1
    written = quote + text.encode() + quote
    start = line_start(data, begin)
    indent = data[start : begin - 1]
    rest = data[after : line_end(data, after)]
    why = (
        f"{here.job.id} installs {_of(listed)} of {listed.path}, and nothing else holds {text.rstrip('<>=.0123456789')}"
    )
    if indent.strip():  # the list stands on one line
        edit = Edit(listed.path, after, after, b", " + written, why)
    elif rest.lstrip().startswith(b","):
        at = line_end(data, after)
        edit = Edit(listed.path, at, at, eol_at(data, start) + indent + written + b",", why)
    elif not rest.strip() or rest.lstrip().startswith(b"#"):  # a remark behind the last entry stays with it
        edit = Edit(listed.path, after, after + len(rest), b"," + rest + eol_at(data, start) + indent + written, why)
    else:
        return Refusal(
            "the list of requirements ends in a way that is not understood", listed.path, line_of(data, begin)
        )
    declared, promise = _promised(here, listed, edit, text)
    radius = (f"everyone who installs {_of(listed)} of {listed.path}",)
    return Edited((edit,), (f"{listed.path}:{declared}",), (promise,), blast_radius=radius)


def _of(listed: Listed) -> str:
    if listed.whose:
        return listed.whose
    return f"the extra `{listed.extra}`" if listed.extra else "the project"


def _goes_on(data: bytes, end: int) -> bool:
    """Whether something else than a string stands behind the last one: what it includes moves on by one."""
    return data[end + 1 : end + 1 + _MOST_BLANKS].lstrip(b", \t\r\n").startswith(b"{")


def _promised(here: Situation, listed: Listed, edit: Edit, text: str) -> tuple[str, Expectation]:
    """In TOML the new place, in Python the new string and the line that holds it."""
    if listed.place:
        place = f"{listed.place}[{max(listed.last + 1, len(listed.items))}]"
        mixed = listed.last >= len(listed.items) or _goes_on(here.tree.read(listed.path), listed.items[-1][2])
        return listed.place if mixed else place, Expectation("value", f"{place}={text}", here.target.job, listed.path)
    data = here.tree.read(listed.path)
    new = data[: edit.start] + edit.new + data[edit.end :]
    at = edit.start + edit.new.rfind(text.encode())
    line = as_promised(new[line_start(new, at) : line_end(new, at)])
    return text, Expectation("line", line, here.target.job, listed.path)
