"""`fit_python`: a Python that the project's own metadata refuses becomes one that it takes, as other jobs have it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import yaml

from triage.fixes.recipes.dependencies.commanded_pythons import in_commands
from triage.fixes.recipes.dependencies.versions import satisfied
from triage.fixes.recipes.outcome import InPlace, Outcome, Words
from triage.fixes.recipes.siblings import sibling_jobs
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.exact_versions import PYTHONS, asked
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.matrix import key_of_matrix, matrix_values
from triage.fixes.workflow.model import Job
from triage.fixes.yaml.nodes import child, text_of
from triage.model.recipe import FitPython

_SERIES = re.compile(r"([0-9])\.([0-9]{1,2})(?:\.[0-9]{1,2})?\Z")
# What setup-python, and those for uv and conda, call their input.
_ACTIONS = ("actions/setup-python@", "astral-sh/setup-uv@", "conda-incubator/setup-miniconda@")
_INPUT = "python-version"
_OF_ENV = re.compile(r"\$\{\{\s*env\.(\w+)\s*\}\}\Z")

# A scalar with its semantic path.
_Held = tuple[yaml.Node, str]


def fit_python(recipe: FitPython, here: Situation) -> Outcome:
    running, wanted = (here.captures.get(one.strip("{}"), "").strip() for one in (recipe.python, recipe.wanted))
    if not running or not re.match(r"[<>=!~^]", wanted) or "^" in wanted:
        return Refusal("the log does not say which Python ran, and which ones would do")
    every = [*_held(here)]
    held = [(node, place) for node, place in every if _is_series(text_of(node), running)]
    if not held and (
        fits := [place for node, place in every if _SERIES.match(text := text_of(node)) and satisfied(wanted, text)]
    ):
        return InPlace(f"{fits[0]} fits {wanted}")
    if not held and not here.image and (asked_for := in_commands(here, running, wanted, _nearest(wanted))) is not None:
        return asked_for
    if not held:
        return Refusal(f"no step of {here.job.id} asks for Python {running}", here.job.path, here.job.line)
    if len(held) > 1:
        return Words(f"take a Python that fits {wanted} at {', '.join(place for _, place in held)}")
    node, place = held[0]
    key = _matrix_key(here, place)
    others = [text_of(one) for one, _ in matrix_values(here.job.node, here.place, key)] if key else []
    if len(others) > 1:
        return Words(f"leave {text_of(node)} out of `{key}` of the matrix: the project wants {wanted}")
    chosen, why = _fitting(here, wanted)
    if not chosen:
        return Words(f"no release of Python is known that fits {wanted}")
    made = asked(here, node, place, chosen, why=why, quote='"')
    if isinstance(made, Refusal):
        return made
    return replace(made, title=f"Run on Python {chosen}", notes=(f"{chosen}: {why}",))


def _held(here: Situation) -> Iterator[_Held]:
    """What decides the Python of the job: the input itself, or the value of the matrix or of `env` that it names."""
    for step in here.job.steps:
        node = child(step.node, "with", _INPUT) if step.uses.startswith(_ACTIONS) else None
        if node is None:
            continue
        text = text_of(node)
        if "${{" not in text:
            yield node, f"{here.place}.steps[{step.index}].with.{_INPUT}"
        elif key := key_of_matrix(text):
            yield from matrix_values(here.job.node, here.place, key)
        elif found := _OF_ENV.match(text.strip()):
            for owner, place in ((here.job.node, f"{here.place}."), (here.job.document.root, "")):
                if (value := child(owner, "env", found[1])) is not None:
                    yield value, f"{place}env.{found[1]}"
                    break


def _matrix_key(here: Situation, place: str) -> str:
    found = re.match(rf"{re.escape(here.place)}\.strategy\.matrix\.([\w-]+)", place)
    return found[1] if found else ""


def _is_series(text: str, running: str) -> bool:
    return _SERIES.match(text.strip()) is not None and f"{running}.".startswith(f"{text.strip()}.")


def _fitting(here: Situation, wanted: str) -> tuple[str, str]:
    """What most other jobs ask for that would do, of the same file before all others; else the nearest one."""
    jobs = [*sibling_jobs(here, _INPUT.encode())]
    for own in (True, False):
        found = Counter(text for job in jobs if (job.path == here.job.path) is own for text in _asks(job))
        fits = [one for one in found if satisfied(wanted, one) and _SERIES.match(one)]
        if fits:
            best = max(fits, key=lambda one: (found[one], [int(part) for part in one.split(".")]))
            return best, f"as other jobs{' of this workflow' if own else ''} ask for"
    return _nearest(wanted)


def _nearest(wanted: str) -> tuple[str, str]:
    """The oldest release that would do; where only newer ones are refused, the newest one."""
    fitting = [one for one in PYTHONS if satisfied(wanted, one)]
    below = all(one.strip().startswith(("<", "!=")) for one in wanted.split(","))
    chosen = fitting[-1 if below else 0] if fitting else ""
    return chosen, "the newest that it takes" if below else "the oldest that it takes"


def _asks(job: Job) -> Iterator[str]:
    for step in job.steps:
        if step.uses.startswith(_ACTIONS) and (text := text_of(child(step.node, "with", _INPUT)).strip()):
            yield text
