"""A distribution for a command that makes the environment in which it runs the tests: in the list from which it makes
that, as tox, nox and hatch keep it. What the job's own pip installs is not seen there."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from triage.fixes.document import eol_at, line_end, line_start
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.programs import PYTHON
from triage.fixes.manifests import noxfile, toml, tox_ini
from triage.fixes.manifests.setup_py import Item
from triage.fixes.recipes.dependencies.declarations import beside, run_time
from triage.fixes.recipes.dependencies.installs import is_local
from triage.fixes.recipes.dependencies.listing import lists_for_tests, required_by_extra
from triage.fixes.recipes.dependencies.projects import Project
from triage.fixes.recipes.dependencies.requiring import Listed, appended
from triage.fixes.recipes.dependencies.supplying import in_requirements_file
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import Named, parsed
from triage.model.patch import Edit, Expectation

_INI = ("tox.ini", "setup.cfg")
_FILE = re.compile(r"(?:-r|--requirement)[ =]?\s*(?:\{toxinidir\}/|\{tox_root\}/|\./)*(?P<path>[\w./-]+)\Z")
_READS = ("-r", "--requirement")
_FACTOR = re.compile(r"\A[\w.{},!-]+:\s+")
# Where hatch has an environment, and its lists of what that installs.
_ENVS = (("tool", "hatch", "envs"), ("envs",))
_LISTS = ("extra-dependencies", "dependencies")
_HATCH_TEST = "hatch-test"


def in_made_environment(here: Situation, requirement: str) -> Outcome | None:
    """One more line of what the failed command's environment is made from; None for other commands, and where no list
    of its own says that."""
    one = _maker(here)
    wanted = next(parsed(requirement, ""), None)
    if one is None or one.directory is None or wanted is None:
        return None
    words = [value.text or "" for value in one.argv]
    match _program(one):
        case "tox":
            return _in_tox(here, *_configured(here, one.directory, words), _option(words, "-e"), wanted)
        case "nox":
            path = beside(one.directory, _option(words, "-f", "--noxfile") or "noxfile.py")
            return _in_nox(here, path, _option(words, "-s", "--session", "--sessions", "-e"), wanted)
        case "hatch":
            return _in_hatch(here, one.directory, words, wanted)
        case _:
            return None


def _maker(here: Situation) -> Invocation | None:
    """The only command of the failed step that starts such a program, where none beside it starts Python itself."""
    if here.image or here.step is None:
        return None
    own = [one for one in here.concerned if one.argv and one.calls and not one.substitution]
    found = {one.calls[-1].key: one for one in own if _program(one)}
    others = [one for one in own if not _program(one) and one.module != "pip" and _starts(one)]
    return next(iter(found.values())) if len(found) == 1 and not others else None


def _program(one: Invocation) -> str:
    words = [*one.argv[: one.inner + 1]]
    names = [posixpath.basename(value.text or "") for value in words]
    found = next((name for name in names if name in ("tox", "nox", "hatch")), "")
    return found or (one.module if one.module in ("tox", "nox") else "")


def _starts(one: Invocation) -> bool:
    name = posixpath.basename((one.program[0].text if one.program else "") or "")
    return name in PYTHON or name == "pytest"


def _option(words: Sequence[str], *names: str) -> str:
    """The value of the first of the options, "" where it has none or several."""
    given = [after for word, after in pairwise(words) if word in names]
    given += [word.partition("=")[2] for word in words if word.partition("=")[0] in names and "=" in word]
    return given[0] if len(given) == 1 and "," not in given[0] else ""


def _configured(here: Situation, folder: str, words: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Where tox is told to look, and the names of the files in which it does."""
    told = _option(words, "-c", "--conf", "--root")
    path = beside(folder, told) if told else ""
    return (posixpath.dirname(path), (posixpath.basename(path),)) if path in here.tree else (path or folder, _INI)


def _in_tox(here: Situation, folder: str, names: Sequence[str], name: str, wanted: Named) -> Outcome | None:
    for path in (beside(folder, one) for one in names):
        data = here.tree.read(path) if path in here.tree else b""
        found = tox_ini.environment(data, name) if b"testenv" in data else Refusal("")
        if not isinstance(found, Refusal) and (found.deps or found.extras or found.groups):
            return _in_environment(here, path, found, name, wanted)
    for path, place in (("tox.toml", ()), ("pyproject.toml", ("tool", "tox"))):
        if names != _INI and path not in names:
            continue
        lists = [(*place, "env", name, "deps"), (*place, "env_run_base", "deps")]
        if (made := _in_toml(here, beside(folder, path), lists, f"tox's environment `{name}`", wanted)) is not None:
            return made
    return None


def _in_environment(here: Situation, path: str, found: tox_ini.Environment, name: str, wanted: Named) -> Outcome | None:
    folder = posixpath.dirname(path) or "."
    named = [one for one in found.deps if _FILE.match(_plain(one)) is None and [*parsed(_plain(one), path)]]
    standing = [one for one in named if any(each.name == wanted.name for each in parsed(_plain(one), path))]
    if meant := [one for one in standing if _applies(one, name)]:
        return InPlace(f"[{found.section}] of {path} has {meant[0].text}: look for another environment")
    if named:
        every = [one for one in named if _plain(one) == one.text]
        return _behind(here, path, found, (every or named)[-1], wanted)
    files = [beside(folder, read["path"]) for one in found.deps if (read := _FILE.match(one.text))]
    return _in_file(here, files, wanted) or _in_extra(here, folder, found.extras, found.groups, wanted)


def _plain(dep: tox_ini.Dep) -> str:
    """Without the factors before it: `gpu: torch` is of the environments that have that word in their names."""
    return _FACTOR.sub("", dep.text, count=1)


def _applies(dep: tox_ini.Dep, name: str) -> bool:
    factors, own = _FACTOR.match(dep.text), name.split("-")
    alternatives = factors[0].rstrip(": \t").split(",") if factors else ()
    fits = (all((one[:1] == "!") != (one.lstrip("!") in own) for one in each.split("-")) for each in alternatives)
    return factors is None or any(fits)


def _behind(here: Situation, path: str, found: tox_ini.Environment, last: tox_ini.Dep, wanted: Named) -> Edited:
    data = here.tree.read(path)
    text = wanted.spec
    begin, at = line_start(data, last.start), line_end(data, last.end)
    eol = eol_at(data, begin)
    why = f"{here.job.id} runs in the environment that tox makes from [{found.section}] of {path}"
    if last.inline:
        new = eol + b"    " + data[last.start : last.end] + eol + b"    " + text.encode()
        start = last.start - len(data[begin : last.start]) + len(data[begin : last.start].rstrip())
        edit = Edit(path, start, last.end, new, why)
    else:
        edit = Edit(path, at, at, eol + data[begin : last.start] + text.encode(), why)
    promise = Expectation("line", text, here.target.job, path)
    radius = (f"everyone who runs [{found.section}] of {path}",)
    return Edited((edit,), (path,), (promise,), (why,), blast_radius=radius, title=f"Require {wanted.spec} in {path}")


def _in_file(here: Situation, files: Sequence[str], wanted: Named) -> Outcome | None:
    """In the only requirements file, else in the only one for tests."""
    there = [one for one in dict.fromkeys(files) if one in here.tree]
    chosen = there if len(there) == 1 else [one for one in there if lists_for_tests(one)]
    return in_requirements_file(here, chosen[0], wanted.spec) if len(chosen) == 1 else None


def _in_extra(
    here: Situation, folder: str, extras: Sequence[str], groups: Sequence[str], wanted: Named
) -> Outcome | None:
    chosen = [*extras, *(f"group:{one}" for one in groups)]
    project = Project(folder, frozenset(("", *chosen)))
    there = [one for one in run_time(here.tree, folder, wanted.name) if one.comes_with(project.chosen)]
    if there:
        return InPlace(f"{there[0].path}:{there[0].named.line} names it for that environment")
    return required_by_extra(here, project, chosen[0], wanted.spec) if len(chosen) == 1 else None


def _in_nox(here: Situation, path: str, name: str, wanted: Named) -> Outcome | None:
    folder = posixpath.dirname(path) or "."
    found = noxfile.sessions(here.tree.read(path)) if path in here.tree else ()
    every = [] if isinstance(found, Refusal) else [one for one in found if one.installs]
    bare = re.split(r"[(]|-[0-9]", name)[0]
    named = [one for one in every if name and one.name in (name, bare)]
    chosen = named or ([] if name else every)
    return _in_session(here, path, folder, chosen[0], wanted) if len(chosen) == 1 else None


def _in_session(here: Situation, path: str, folder: str, one: noxfile.Session, wanted: Named) -> Outcome | None:
    plain = [each for each in one.installs if each is not None]
    if any(named.name == wanted.name for items in plain for item in items for named in parsed(item.text, path)):
        return InPlace(f"the session `{one.name}` of {path} installs it: look for another environment")
    lists = [items for items in plain if _names(items)]
    if lists:
        longest = max(lists, key=len)
        items = tuple((item.text, item.start, item.end) for item in longest)
        return _titled(appended(here, Listed(path, "", items, whose=f"the session `{one.name}`"), wanted.spec), wanted)
    words = [[item.text for item in items] for items in plain]
    files = [beside(folder, after) for each in words for word, after in pairwise(each) if word in _READS]
    local = [word for each in words for word in each if is_local(word)]
    extras = [extra for word in local for extra in word.partition("[")[2].rstrip("]").split(",") if extra]
    return _in_file(here, files, wanted) or _in_extra(here, folder, extras, (), wanted)


def _names(items: Sequence[Item]) -> bool:
    """Whether a call is given nothing but distributions."""
    return all(not is_local(one.text) and [*parsed(one.text, "")] for one in items)


def _in_hatch(here: Situation, folder: str, words: Sequence[str], wanted: Named) -> Outcome | None:
    name = _hatch_environment(words)
    for path in ("hatch.toml", "pyproject.toml"):
        lists = [(*place, name, kind) for place in _ENVS for kind in _LISTS]
        if (made := _in_toml(here, beside(folder, path), lists, f"hatch's environment `{name}`", wanted)) is not None:
            return made
    return None


def _hatch_environment(words: Sequence[str]) -> str:
    """`hatch run ENV:script`, `hatch -e ENV run script`, `hatch run script` in "default", `hatch test` in its own."""
    rest = [posixpath.basename(word) for word in words]
    rest = rest[rest.index("hatch") + 1 :] if "hatch" in rest else rest
    verb = next((at for at, word in enumerate(rest) if word in ("run", "test")), -1)
    if verb < 0:
        return ""
    if rest[verb] == "test":
        return _HATCH_TEST
    script = next((word for word in rest[verb + 1 :] if not word.startswith("-")), "")
    return _option(rest[:verb], "-e", "--env") or script.rpartition(":")[0] or "default"


def _in_toml(here: Situation, path: str, lists: Sequence[toml.Place], whose: str, wanted: Named) -> Outcome | None:
    """In the first of the lists that the file has."""
    placed = toml.strings(here.tree.read(path)) if path in here.tree else ()
    if isinstance(placed, Refusal):
        return None
    for place in lists:
        items = tuple(_below(placed, place))
        if any(named.name == wanted.name for text, _, _ in items for named in parsed(text, path)):
            return InPlace(f"{toml.shown(place)} of {path} has it: look for another environment")
        if items:
            return _titled(appended(here, Listed(path, "", items, toml.shown(place), whose), wanted.spec), wanted)
    return None


def _below(placed: Sequence[toml.Placed], place: toml.Place) -> Iterator[tuple[str, int, int]]:
    for one in placed:
        if one.place[:-1] == place and isinstance(one.place[-1], int):
            yield one.value, one.start, one.end


def _titled(made: Outcome, wanted: Named) -> Outcome:
    return replace(made, title=f"Require {wanted.spec} in {made.edits[0].path}") if isinstance(made, Edited) else made
