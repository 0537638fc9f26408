"""The Python that a job's commands ask for, where no setup action does: `conda create python=3.9`, `uv venv -p 3.9`,
`pyenv local 3.9`, or a variable of that name that its scripts read."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from triage.fixes.document import line_with
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Site, SiteKind, Value
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.dependencies.versions import satisfied
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at, env_place
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import replace_value
from triage.fixes.workflow.matrix import matrix_values
from triage.model.patch import Edit, Expectation, as_promised

_SERIES = re.compile(r"[0-9]\.[0-9]{1,2}(?:\.[0-9]{1,2})?\Z")
_CONDA = ("conda", "mamba", "micromamba")
_SPEC = re.compile(r"python={1,2}")
_OPTIONS = ("--python", "-p")
# Names of variables that say nothing but the release of Python: PYTHON_VERSION, PY_VER, python.
_NAMED = re.compile(r"(?i)(?:[a-z]+_)?py(?:thon)?_?(?:ver(?:sion)?)?\Z")
_OF_YAML = (SiteKind.YAML_ENV, SiteKind.MATRIX, SiteKind.INPUT)
_IN_SHELL = (SiteKind.LITERAL, SiteKind.ASSIGN, SiteKind.DEFAULT, SiteKind.CALL_ENV)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The text of a release of Python, and the only place that decides it."""

    text: str
    site: Site
    step: int


def in_commands(here: Situation, running: str, wanted: str, nearest: tuple[str, str]) -> Outcome | None:
    """None where no command and no variable asks for the release that ran. `nearest`: a release that would do, and what
    it is, for where the file has no other job that names one."""
    every = [*_every(here)]
    held = {one.site.key: one for one in every if f"{running}.".startswith(f"{one.text}.")}
    fits = next((one for one in every if satisfied(wanted, one.text)), None)
    if not held:
        return InPlace(f"{fits.site.path}:{fits.site.line} asks for {fits.text}, which fits {wanted}") if fits else None
    if len(held) > 1:
        places = ", ".join(f"{one.site.path}:{one.site.line}" for one in held.values())
        return Words(f"take a Python that fits {wanted} at {places}")
    one = next(iter(held.values()))
    values = [*matrix_values(here.job.node, here.place, one.site.name)] if one.site.kind is SiteKind.MATRIX else []
    if len(values) > 1:
        return Words(f"leave {one.text} out of `{one.site.name}` of the matrix: {wanted} is wanted")
    beside = _beside(here, one.site, wanted)
    chosen = beside or nearest[0]
    if not chosen:
        return Words(f"no release of Python is known that fits {wanted}")
    why = f"as other jobs of {posixpath.basename(one.site.path)} ask for" if beside else nearest[1]
    return _written(here, one, chosen, why)


def _every(here: Situation) -> Iterator[_Asked]:
    for one in here.evaluation.invocations:
        named = [value for name, value in one.environment.items() if _NAMED.match(name)]
        for value in (*_by_words(one), *named):
            site = value.sites[0] if len(value.sites) == 1 else None
            text = (value.text or "").strip()
            if site is not None and _SERIES.match(text) and site.path in here.tree:
                yield _Asked(text, site, one.step)


def _by_words(one: Invocation) -> Iterator[Value]:
    """The releases that a command itself names."""
    texts = [value.text or "" for value in one.program]
    program = posixpath.basename(texts[0]) if texts else ""
    if program in _CONDA and {"create", "install"} & {*texts[1:3]}:
        yield from (value.after(found[0]) for value in one.program if (found := _SPEC.match(value.text or "")))
    elif program == "pyenv" and {"install", "local", "global", "shell"} & {*texts[1:2]}:
        yield from one.program[2:]
    elif program in ("uv", "virtualenv"):
        yield from (value for option, value in pairwise(one.program) if option.text in _OPTIONS)
        yield from (value.after("--python=") for value in one.program if value.startswith("--python="))
        yield from one.program[3:] if texts[1:3] in (["python", "install"], ["python", "pin"]) else ()


def _beside(here: Situation, site: Site, wanted: str) -> str:
    """What the same variable, or the same word of conda's, most often is in the same file, of what would do."""
    name = re.escape(site.name) if site.name else "python"
    read = re.compile(rf"(?<![\w-]){name}[\"']?\s*[:=]=?\s*\[?[\"']?([0-9]\.[0-9]{{1,2}})(?![\w.])")
    text = here.tree.read(site.path).decode("utf-8", "replace")
    found = Counter(one for line in text.splitlines() if "#" not in line[:9] for one in read.findall(line))
    return max((one for one in found if satisfied(wanted, one)), key=lambda one: found[one], default="")


def _written(here: Situation, one: _Asked, chosen: str, why: str) -> Outcome:
    site, data = one.site, here.tree.read(one.site.path)
    held = data[site.start : site.end]
    if site.kind not in (*_OF_YAML, *_IN_SHELL) or held.strip(b"'\"") != one.text.encode():
        return Refusal(f"Python {one.text} is put together where it cannot be replaced", site.path, site.line)
    quoted = held[:1] in (b"'", b'"') or data[site.start - 1 : site.start] in (b"'", b'"')
    if site.kind in _OF_YAML and not quoted:  # YAML reads 3.10 as the number 3.1
        edits: tuple[Edit, ...] | Refusal = (Edit(site.path, site.start, site.end, f'"{chosen}"'.encode(), why),)
    else:
        edits = replace_value(here.tree, site, one.text, chosen, why=why)
    if isinstance(edits, Refusal):
        return edits
    place = env_place(here, site) if site.kind is SiteKind.YAML_ENV else declared_at(here, site.path, one.step)
    edit = edits[0]
    line = as_promised(line_with(data, edit.start, edit.end, edit.new))
    promise = Expectation("line", line, here.target.job, site.path)
    made = Edited(edits, (place,), (promise,), (f"{chosen}: {why}",), title=f"Run on Python {chosen}")
    return replace(made, blast_radius=blast_radius(here, (site,)))
