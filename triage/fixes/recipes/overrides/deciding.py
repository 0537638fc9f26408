"""Where one value is decided, and how to change it there, or where that is not possible at the command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.passing import Manner, Verdict, pass_through
from triage.fixes.evaluate.settings import Setting
from triage.fixes.evaluate.values import Site, SiteKind
from triage.fixes.recipes.blast import blast_of_calls, blast_radius
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.placing import declared_at, env_place
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.settings.readers import readers
from triage.fixes.settings.setting import set_in_file
from triage.fixes.shell.edits import append_argument, replace_value
from triage.fixes.workflow.files import is_workflow
from triage.model.patch import Edit, Expectation

# Where a text may be replaced: it stands in the file as the program gets it.
_REPLACEABLE = frozenset(
    {
        SiteKind.LITERAL,
        SiteKind.ASSIGN,
        SiteKind.DEFAULT,
        SiteKind.CALL_ENV,
        SiteKind.YAML_ENV,
        SiteKind.MATRIX,
        SiteKind.INPUT,
    }
)


@dataclass(frozen=True, slots=True)
class Change:
    """`setting` is None when the command does not set the key: then it is set in `file`, the configuration that the
    command names, or appended where there is none."""

    invocation: Invocation
    key: str
    setting: Setting | None
    old: str
    new: str
    prefix: str = ""
    file: str = ""

    @property
    def text(self) -> str:
        return f"{self.key}={self.new}"


def place_value(here: Situation, change: Change) -> Outcome:
    """At the deciding site; a default in a script that other jobs read is overridden by its variable at the call."""
    if change.setting is None and change.file:
        return _in_file(here, change)
    site = _site(here, change)
    if site is None:
        return _append(here, change)
    fed = others_fed(change, site)
    if any(_is_knob(here, key) and not _one_switch(change, key) for key in fed):
        return _narrowly(here, change, site)
    if site.kind is SiteKind.DEFAULT and blast_radius(here, (site,)):
        narrow = _by_variable(here, change, site, site.name)
        if not isinstance(narrow, Refusal):
            return narrow.noting(*_also(fed, site))
    why = f"{change.key} is {change.old} here in this job{_under(site)}; it becomes {change.new}"
    edits = replace_value(here.tree, site, change.old, change.new, why=why)
    if isinstance(edits, Refusal):
        return edits
    return Edited(edits, (_declared(here, change, site),), _promise(here, change)).noting(*_also(fed, site))


def _in_file(here: Situation, change: Change) -> Outcome:
    """In the file itself, also where it inherits the key: its parents are shared."""
    why = f"{change.key} is {change.old or 'not set'} for this program; it becomes {change.new}"
    made = set_in_file(here.tree, change.file, change.key, change.new, job=here.target.job, why=why)
    if not isinstance(made, Edited):
        return made
    return replace(made, blast_radius=readers(here.tree, change.file))


def others_fed(change: Change, site: Site) -> tuple[str, ...]:
    """Other settings of the same command that take their text from the same place."""
    words = [word for word in change.invocation.program if "=" in word.head]
    keys = [word.head.partition("=")[0].lstrip("+") for word in words if any(one.key == site.key for one in word.sites)]
    return tuple(dict.fromkeys(key for key in keys if key != change.key))


def _is_knob(here: Situation, key: str) -> bool:
    """Whether a key is a knob of its own: a common default of several roles must not be turned for one of them."""
    return any(key in keys for dialects in here.tables.knobs.values() for keys in dialects.values())


def _one_switch(change: Change, other: str) -> bool:
    """Whether a variable turns both on or off for one role, as `offload=False` that is given to its parameters and its
    optimizer."""
    (role, _, own), (of, _, name) = change.key.rpartition("."), other.rpartition(".")
    alike = own.rpartition("_")[2] == name.rpartition("_")[2]
    return role == of and alike and {change.old.lower(), change.new.lower()} == {"true", "false"}


def _also(fed: Sequence[str], site: Site) -> Iterator[str]:
    if fed:
        yield f"{', '.join(fed)} take their value from {site.path}:{site.line} too"


def _narrowly(here: Situation, change: Change, site: Site) -> Outcome:
    """A variable nearer to the command whose default leads to the site, else an argument of this command alone."""
    pieces = change.setting.value.pieces if change.setting is not None else ()
    scripts = {call.enters for call in change.invocation.calls if call.enters in here.tree}
    text = b"".join(here.tree.read(path) for path in scripts)
    for name in (via.name for piece in pieces for via in piece.via):
        if name and name != site.name and f"${{{name}:-".encode() in text:
            return _by_variable(here, change, site, name)
    return _append(here, change)


def _under(site: Site) -> str:
    """The branches that lead to the site, so that a reader sees why this one of several is meant."""
    tests = [f"{one.test}: {'true' if one.holds else 'false'}" for one in site.conditions]
    return f" ({'; '.join(tests)})" if tests else ""


def _site(here: Situation, change: Change) -> Site | None:
    """The one place that holds the whole value as the file has it; None when it is computed or put together."""
    sites = change.setting.value.sites if change.setting is not None else ()
    if len(sites) != 1 or sites[0].kind not in _REPLACEABLE or sites[0].path not in here.tree:
        return None
    content = here.tree.read(sites[0].path)[sites[0].start : sites[0].end]
    return sites[0] if content == change.old.encode() and content else None


def _declared(here: Situation, change: Change, site: Site) -> str:
    if not is_workflow(site.path):
        return site.path
    if site.kind is SiteKind.YAML_ENV:
        return env_place(here, site)
    return declared_at(here, site.path, change.invocation.step) if site.path == here.job.path else site.path


def _promise(here: Situation, change: Change) -> tuple[Expectation, ...]:
    name = change.invocation.module or (change.invocation.program[0].text or "")
    where = (here.target.job, here.target.workflow_path)
    return (Expectation("setting", change.text, *where, name, change.invocation.step),)


def _by_variable(here: Situation, change: Change, site: Site, name: str) -> Edited | Refusal:
    """`NAME=value` before the command in the workflow that leads to the script, for this job alone."""
    call = change.invocation.calls[0]
    closed = here.typed or not call.insertable or change.invocation.system
    if call.path != here.job.path or closed or not name:
        return Refusal("the script is not called from the workflow")
    why = f"the script reads {name} (default from {site.path}:{site.line}), on which others rely"
    edit = Edit(call.path, call.start, call.start, f"{name}={change.new} ".encode(), why)
    declared = declared_at(here, call.path, change.invocation.step)
    return Edited((edit,), (declared,), _promise(here, change))


def _append(here: Situation, change: Change) -> Outcome:
    """The command gets the argument at its end, where it wins; in the workflow when the script forwards arguments."""
    if change.key.startswith("-"):
        return Refusal(f"{change.key} is decided by text that stands nowhere as such")
    calls = change.invocation.calls
    call = calls[0]
    if len(calls) > 1:
        module = change.invocation.module
        passing = pass_through(here.tree, here.job, call, here.facts, lambda one: one.module == module)
        wins = not any(word.lstrip("+").startswith(f"{change.key}=") for word in passing.trailing)
        forwards = passing.verdict is Verdict.ALL and passing.manner in (Manner.QUOTED, Manner.UNQUOTED)
        call = call if forwards and wins and not here.typed else calls[-1]
    why = f"{change.key} is {change.old or 'not set'} in this command; the last one wins"
    edits = append_argument(here.tree, call, f"{change.prefix}{change.text}", why=why)
    if isinstance(edits, Refusal):
        return edits
    made = Edited(edits, (declared_at(here, call.path, change.invocation.step),), _promise(here, change))
    return replace(made, blast_radius=blast_of_calls(here, (call,)))
