"""`timeout`: raise the limit that ended the job, within a cap, and the limits around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from triage.fixes.document import line_with
from triage.fixes.evaluate.values import Site
from triage.fixes.recipes.blast import blast_of_calls, blast_radius
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.values import decimal
from triage.fixes.recipes.wiring.handed_limits import hand_limit
from triage.fixes.recipes.wiring.kept_limits import kept_limits
from triage.fixes.recipes.wiring.limits import (
    Limit,
    inner_limits,
    job_limit,
    job_limits,
    rounded,
    seconds_of,
    spoken_minutes,
    step_limit,
)
from triage.fixes.recipes.wiring.program_limits import coded_limits, default_limits
from triage.fixes.recipes.wiring.written_limits import written_limits
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import append_argument, replace_value
from triage.model.patch import Expectation, as_promised
from triage.model.recipe import Timeout

# GitHub's own limit for a job that names none, and the most that its hosted runners allow.
DEFAULT_MINUTES = 360
# What a step needs, as a part of its limit, besides the one command that may take all of its own.
_ROOM = Decimal("0.1")


def raise_timeout(recipe: Timeout, here: Situation) -> Outcome:
    if recipe.settled and recipe.settled in (_mark(one, one.text) for one in _every(here)):
        return InPlace(f"{recipe.settled} stands already")
    if (handed := hand_limit(recipe, here)) is not None:
        return handed
    ended = _ended(recipe, here)
    if isinstance(ended, Refusal):
        return ended
    outcomes = [_whole(recipe, here, limit) for limit in ended]
    whole = together(outcomes)
    settled = next((one.settled for one in outcomes if isinstance(one, Edited)), None)
    return replace(whole, settled=settled) if isinstance(whole, Edited) else whole


def _whole(recipe: Timeout, here: Situation, limit: Limit) -> Outcome:
    """One limit and those around it."""
    if (decimal(recipe.factor) or Decimal(1)) < 1:
        return Words(f"{limit.name} is {limit.text} at {limit.where}: where green runs end long before it, lower it")
    raised = _raised(recipe, here, limit)
    if not isinstance(raised, Edited):
        return raised
    parts: list[Outcome] = [raised]
    inner = limit
    grown = _seconds(raised, limit)
    for outer in _around(here, limit):
        wider = _wider(recipe, here, inner, outer, grown)
        if wider is None:
            break
        parts.append(wider)
        if not isinstance(wider, Edited):
            break
        grown, inner = _seconds(wider, outer), outer
    whole = together(parts)
    return replace(whole, settled=raised.settled) if isinstance(whole, Edited) else whole


def _mark(limit: Limit, text: str) -> str:
    path = limit.site.path if limit.passed is None else limit.passed.call.path
    return f"{limit.name} {text} of the {limit.kind} in {path}"


def _every(here: Situation) -> list[Limit]:
    own = (*inner_limits(here), *written_limits(here), *coded_limits(here), *kept_limits(here))
    step = step_limit(here)
    return [*own, *([] if step is None else [step]), *job_limits(here)]


def _ended(recipe: Timeout, here: Situation) -> tuple[Limit, ...] | Refusal:
    """The limit that the log speaks of: of the step that it names, of the job, or the one of that many seconds. Several
    are one where a client submits a job and waits for it: both commands are given the same number."""
    spoken = here.captures.get("limit", "")
    if recipe.level == "step" or here.captures.get("step"):
        own = step_limit(here)
        missing = Refusal("the failed step has no timeout-minutes of its own", here.job.path, here.job.line)
        return missing if own is None else (own,)
    inner = list({limit.site.key: limit for limit in inner_limits(here)}.values())
    seconds = seconds_of(here.captures)
    if seconds is not None:
        lasting = [_in_units(limit, seconds) for limit in inner if limit.lasts(seconds)]
        clients = {limit.client for limit in lasting}
        if len(clients) == 1 and "" not in clients:
            return tuple(lasting)
        return _one(lasting or _elsewhere(here, seconds), f"of {seconds.normalize():f} s")
    if here.captures.get("waited"):
        waiting = [limit for limit in inner if limit.client]
        return tuple(waiting) if len({limit.text for limit in waiting}) == 1 else _one(waiting, "of a wait")
    if here.captures.get("status") and not spoken:
        return _one([limit for limit in inner if limit.kind == "command"], "that `timeout` sets")
    of_job = _of_job(here, spoken)
    return of_job if isinstance(of_job, Refusal) else (of_job,)


def _elsewhere(here: Situation, seconds: Decimal) -> list[Limit]:
    """Where no command that can be followed is given that limit: in the text of what runs, in an option's default, in
    the code of the program, in a variable or a configuration of the command."""
    written = {limit.site.key: limit for limit in written_limits(here) if limit.lasts(seconds)}
    found = list(written.values()) or default_limits(here, seconds)
    found = found or [limit for limit in coded_limits(here) if limit.lasts(seconds)]
    found = found or [limit for limit in kept_limits(here) if limit.lasts(seconds)]
    return [_in_units(limit, seconds) for limit in found]


def _in_units(limit: Limit, seconds: Decimal) -> Limit:
    """Where the name does not say the unit, the log's figure does."""
    return limit if limit.unit else replace(limit, unit=1 if decimal(limit.text) == seconds else 60)


def _of_job(here: Situation, spoken: str) -> Limit | Refusal:
    limit = job_limit(here)
    if limit is not None:
        return limit
    node = here.job.timeout_minutes
    if node is not None:
        return Refusal(
            f"timeout-minutes is `{node.value}`, which is no number", here.job.path, node.start_mark.line + 1
        )
    known = f" (the log says {spoken})" if spoken else ""
    return Refusal(f"{here.job.id} has no timeout-minutes: GitHub's own {DEFAULT_MINUTES} minutes apply{known}")


def _one(found: Sequence[Limit], which: str) -> tuple[Limit, ...] | Refusal:
    if len(found) == 1:
        return (found[0],)
    if found:
        return Refusal(f"several limits {which}: {', '.join(limit.where for limit in found)}")
    return Refusal(f"nothing in the step, its commands or pytest's settings is a limit {which}")


def _around(here: Situation, limit: Limit) -> list[Limit]:
    """The limits outside of one, from the inside out."""
    outer = [step_limit(here), job_limit(here)]
    at = {"step": 1, "job": 2}.get(limit.kind, 0)
    return [one for one in outer[at:] if one is not None and one.site.key != limit.site.key]


def _raised(recipe: Timeout, here: Situation, limit: Limit) -> Outcome:
    old, factor, unit = decimal(limit.text), decimal(recipe.factor), Decimal(limit.unit or 60)
    if old is None or factor is None:
        return Refusal(f"{limit.name} is `{limit.text}`, which is no number", limit.site.path, limit.site.line)
    changed = _changed_since(here, limit, old)
    if changed is not None:
        return changed
    most = Decimal(recipe.at_most_minutes * 60) / unit
    if old >= most:
        return InPlace(f"{limit.name} is {limit.text} already, the most that is allowed is {most.normalize():f}")
    wanted = min(rounded(old * factor, unit), most)
    made = _set(here, limit, f"{wanted.normalize():f}")
    settled = replace(recipe, settled=_mark(limit, f"{wanted.normalize():f}"))
    return replace(made, settled=settled) if isinstance(made, Edited) else made


def _changed_since(here: Situation, limit: Limit, now: Decimal) -> InPlace | Refusal | None:
    """A limit of a step or a job that the log names with another number. None where it is the same, or not named."""
    then = spoken_minutes(here)
    if then is None or then == now or limit.kind not in ("step", "job"):
        return None
    said = (
        f"the log's run was ended after {then.normalize():f} minutes, and {limit.name} is {limit.text} at {limit.where}"
    )
    return InPlace(said) if now > then else Refusal(f"{said}: that run had another file")


def _seconds(made: Edited, limit: Limit) -> Decimal:
    """What a limit has grown to, in seconds."""
    new = decimal(made.edits[-1].new.decode().rpartition(" ")[2].strip("\"'smhd")) or Decimal(0)
    return new * (limit.unit or 60)


def _wider(recipe: Timeout, here: Situation, inner: Limit, outer: Limit, grown: Decimal) -> Outcome | None:
    """A part that may take longer than the whole changes nothing. None where there is room."""
    old = decimal(outer.text)
    room = _ROOM if inner.kind not in ("step", "job") else Decimal(0)
    if old is None or grown < old * 60 * (1 - room):
        return None
    before = (decimal(inner.text) or Decimal(0)) * (inner.unit or 60)
    wanted = min(rounded(old + (grown - before) / 60), Decimal(max(recipe.at_most_minutes, int(old))))
    return _set(here, outer, f"{wanted.normalize():f}") if wanted > old else None


def _set(here: Situation, limit: Limit, value: str) -> Outcome:
    unit = {1: "seconds", 60: "minutes", 3600: "hours"}.get(limit.unit, "")
    why = f"{limit.text} {unit} were not enough".replace("  ", " ")
    if limit.passed is not None:
        edits = append_argument(here.tree, limit.passed.call, f"{limit.name} {value}", why=f"{why} (its default)")
    else:
        edits = replace_value(here.tree, _digits(limit), limit.text, value, why=why)
    if isinstance(edits, Refusal):
        return edits
    cost = f"a hang now holds the runner for up to {value} {unit or 'units'} instead of {limit.text}"
    if limit.passed is not None:
        declared = declared_at(here, limit.passed.call.path, limit.passed.step)
        radius = blast_of_calls(here, (limit.passed.call,))
        return Edited(edits, (declared,), promised(here, edits), costs=(cost,), blast_radius=radius)
    promise = Expectation("value", f"{limit.place}={value}", here.target.job, here.job.path)
    if not limit.place:
        promise = Expectation("line", _line_after(here, limit, value), here.target.job, limit.site.path)
    made = Edited(edits, (limit.declared,), (promise,), costs=(cost,))
    return replace(made, blast_radius=() if limit.place else blast_radius(here, (limit.site,)))


def _digits(limit: Limit) -> Site:
    """The bytes of the number alone, without a unit behind it."""
    return replace(limit.site, end=limit.site.start + len(limit.text.encode()))


def _line_after(here: Situation, limit: Limit, value: str) -> str:
    data, start = here.tree.read(limit.site.path), limit.site.start
    end = start + len(limit.text.encode())
    return as_promised(line_with(data, start, end, value.encode()))
