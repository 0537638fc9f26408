"""A command line that reproduces the failing step by hand."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import SiteKind, Value
from triage.fixes.recipes.failing import failing, is_chore
from triage.fixes.recipes.situation import Situation

_GIVEN = (SiteKind.YAML_ENV, SiteKind.CALL_ENV, SiteKind.MATRIX, SiteKind.INPUT)
_LONGEST = 2000


def reproduce(here: Situation) -> str:
    """The workflow's own line behind the command that failed, as far as the log tells it, else behind the last program
    of the failed step; with the `env` that the workflow gives it.

    Empty when the step is not known and the job runs more than one such line, and for a step of nothing but chores:
    who copies the line is to lose no file by it. What only GitHub knows stays `${NAME}`.
    """
    able = [one for one in here.concerned if one.calls and not one.substitution and not is_chore(one)]
    lines = {one.calls[0].key: one for one in failing(here.facts, able) or able}
    if not lines or (here.step is None and len(lines) > 1):
        scripts = {key: one for key, one in lines.items() if one.calls[0].enters}
        if len(scripts) != 1:
            return ""
        lines = scripts
    last = list(lines.values())[-1]
    words = [_word(value) for value in last.calls[0].words]
    text = " ".join([*_environment(here, last, words), *words])
    return text if len(text) <= _LONGEST else ""


def _scripts(here: Situation, invocation: Invocation) -> str:
    """The text of the scripts that lead to the program."""
    paths = {call.enters for call in invocation.calls if call.enters in here.tree}
    return "\n".join(here.tree.read(path).decode("utf-8", "replace") for path in sorted(paths))


def _environment(here: Situation, invocation: Invocation, words: Sequence[str]) -> list[str]:
    """Names that the scripts mention; without scripts, those of the job and of the line itself."""
    scripts, document = _scripts(here, invocation), here.job.document
    own = range(document.start(here.job.node), document.end(here.job.node))
    given = []
    for name, value in invocation.environment.items():
        if not value.known or not value.sites or not all(site.kind in _GIVEN for site in value.sites):
            continue
        local = all(site.path == document.path and site.start in own for site in value.sites)
        if name in scripts or (not scripts and local and _word(value) not in words):
            given.append(f"{name}={_word(value)}")
    return given


def _word(value: Value) -> str:
    return shlex.quote(value.text) if value.text is not None else '"' + str(value).replace('"', '\\"') + '"'
