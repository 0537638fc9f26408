"""`copy_override`: what the configuration demands (`???`) and the command does not give, as siblings give it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from triage.fixes.document import eol_at, line_end, line_of, line_start
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Site, SiteKind
from triage.fixes.hydra.entry import find_entry
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.overrides.hits import key_of
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import append_argument
from triage.model.patch import Edit, Expectation
from triage.model.recipe import CopyOverride

_KEY = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z")
# What can be written anywhere without a quote, and means the same in every script.
_LITERAL = re.compile(r"[\w./+:-]{1,120}\Z")
_COMMENT = re.compile(r"(?m)(?:^|(?<=[ \t]))#[^\n]*$")
_PYTHON = re.compile(r"(?<![\w.-])(?:python[0-9.]*|torchrun|accelerate)[ \t]")
_SCRIPTS = (".sh", ".bash")


def copy_override(recipe: CopyOverride, here: Situation) -> Outcome:
    key = here.captures.get(recipe.key.strip("{}"), "")
    if not _KEY.match(key):
        return Refusal("the log names no key by its path")
    programs = [one for one in here.concerned if one.calls and not isinstance(find_entry(here.tree, one), Refusal)]
    if not programs:
        return Refusal("no command of the failed step is a program whose configuration can be read")
    lacking = [one for one in programs if not any(key_of(word.head) == key for word in one.program)]
    if not lacking:
        return InPlace(f"every such command of {here.job.id} sets `{key}`")
    given = dict(_given(here, lacking[0], key))
    values = sorted(set(given.values()))
    if len(values) != 1:
        return Words(f"set `{key}`, which has no value by default: siblings set {', '.join(values) or 'nothing'}")
    places = {one.calls[-1].key: one for one in lacking}
    whole = together([_with(here, one, f"{key}={values[0]}") for one in places.values()])
    if not isinstance(whole, Edited):
        return whole
    return whole.noting(f"its value is that of {', '.join(list(given)[:4])}")


def _given(here: Situation, one: Invocation, key: str) -> Iterator[tuple[str, str]]:
    """Scripts of the same folder that start the same module and give the key a plain value."""
    own = one.calls[-1].path
    wanted = re.compile(rf"(?<![\w.+~]){re.escape(key)}=(?P<value>\S+)")
    for path in here.tree.paths():
        if path != own and path.endswith(_SCRIPTS) and posixpath.dirname(path) == posixpath.dirname(own):
            text = here.tree.read(path).decode("utf-8", "replace")
            held = "\n".join(_without_others(_COMMENT.sub("", text), one)) if _starts(text, one) else ""
            found = {match["value"].strip("\"'") for match in wanted.finditer(held)}
            if len(found) == 1 and _LITERAL.match(value := found.pop()):
                yield path, value


def _without_others(text: str, one: Invocation) -> Iterator[str]:
    """Its commands and what else it writes, but no command that starts another program."""
    for line in text.replace("\r", "").replace("\\\n", " ").splitlines():
        if _starts(line, one) or not _PYTHON.search(line):
            yield line


def _starts(text: str, one: Invocation) -> bool:
    name = one.module or next((word.text or "" for word in one.program[1:] if (word.text or "").endswith(".py")), "")
    return bool(name) and re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w./-])", text) is not None


def _with(here: Situation, one: Invocation, argument: str) -> Outcome:
    """On a line of its own behind the override that it has most in common with, else behind the last argument."""
    why = "the configuration demands it, and siblings set it so"
    call = one.calls[-1]
    promise = Expectation("argument", argument, here.target.job, here.target.workflow_path, "", one.step)
    edit = _beside(here, one, argument, why)
    if edit is not None:
        radius = blast_radius(here, (edit,))
        return Edited((edit,), (declared_at(here, edit.path, one.step),), (promise,), blast_radius=radius)
    edits = append_argument(here.tree, call, argument, why=why)
    if isinstance(edits, Refusal):
        return edits
    return Edited(edits, (declared_at(here, call.path, one.step),), (promise,))


def _beside(here: Situation, one: Invocation, argument: str, why: str) -> Edit | None:
    key = key_of(argument)
    near = [(_shared(key, key_of(word.head)), at, word.sites[0]) for at, word in enumerate(one.program) if word.sites]
    best = max((each for each in near if each[0]), default=None, key=lambda each: each[:2])
    return None if best is None else _after(here, best[2], argument, why)


def _shared(key: str, other: str) -> int:
    """How many parts the two keys begin with together."""
    pairs = zip(key.split(".")[:-1], other.split(".")[:-1], strict=False)
    return next((at for at, (own, its) in enumerate(pairs) if own != its), min(key.count("."), other.count(".")))


def _after(here: Situation, site: Site, argument: str, why: str) -> Edit | None:
    """A line like the one of the site, where that holds one argument and nothing else."""
    if site.kind not in (SiteKind.LITERAL, SiteKind.ASSIGN) or site.path not in here.tree or site.path == here.job.path:
        return None
    data = here.tree.read(site.path)
    first, last = line_start(data, site.start), line_end(data, site.end)
    line = data[first:last]
    text = line.strip().removesuffix(b"\\").strip()
    indent = line[: len(line) - len(line.lstrip())]
    if b" " in text or b"=" not in text or line_of(data, site.start) != line_of(data, max(site.start, site.end - 1)):
        return None
    goes_on = line.rstrip().endswith(b"\\")
    went_on = data[:first].rstrip().endswith(b"\\")
    if not goes_on and went_on:  # the last argument of a command
        return Edit(site.path, last, last, b" \\" + eol_at(data, last) + indent + argument.encode(), why)
    new = eol_at(data, last) + indent + argument.encode() + (b" \\" if goes_on else b"")
    return Edit(site.path, last, last, new, why)
