"""Fixes where there is no tree to patch: the rungs of the ladder that fit the log, as advice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from triage.model.conditions import objection, without_settings
from triage.model.diagnosis import WITH_SECRETS, Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import (
    ENDS_OF_FILES,
    ENDS_OF_LINES,
    OF_LANGUAGES,
    ActivateEnvironment,
    Advise,
    AsRoot,
    CopyEnv,
    CopyGuard,
    CopyMount,
    DropRef,
    FixWhitespace,
    MendCommand,
    PipInstall,
    QuoteVersion,
    RepairCondition,
    RepairGroup,
    RepairLine,
    Rerun,
    SetUpLanguage,
    SystemPackage,
)
from triage.model.result import CauseGroup, Failure
from triage.model.signature import Applicability, FixStep, Signature, Tables
from triage.pipeline.group import fill

# Words for what a repository holds: who has not looked at one can only assume it.
_OF_A_REPOSITORY = re.compile(
    r"(?i)\b(?:repository|tree|siblings?|other (?:jobs|builds|configurations)|the (?:jobs|job's other|job leaves)"
    r"|present place|the class|install commands?|what installs|group's key|scripts (?:beside|of the same)"
    r"|configurations? (?:beside|has|sets)|of (?:its|their) kind|the command leaves|instructions? of the|made from"
    r"|two steps|the matrix|the settings say|container has|this job gives"
    r"|the job (?:itself )?(?:builds|installs|takes))\b"
)
_ASSUMED = "assumed, as the job's own files were not looked at"
# A number that may have ended in a zero: 3.1, not 3.11.
_ONE_PLACE = re.compile(r"[0-9]{1,3}(?:\.[1-9])?\Z")

# Nobody reads a ladder of thirteen rungs to its end.
MOST_RUNGS = 5


def advise(group: CauseGroup, signature: Signature, failure: Failure, reason: str, tables: Tables) -> tuple[Patch, ...]:
    """One piece of advice for each rung that the log does not rule out, the best first.

    `reason` says why there is no patch; it stands at the first rung that would be one.
    """
    facts = failure.diagnosis.facts
    cause = failure.cause(group.id)
    shown = failure.diagnosis.announced.environment
    had = {fix.title: names for fix in signature.fixes if (names := _had(fix, shown))}
    objections = [
        _objection(fix, facts) or _unknown(fix, cause.captures, tables) or had.get(fix.title, "")
        for fix in signature.fixes
    ]
    fitting = [fix for fix, against in zip(signature.fixes, objections, strict=True) if not against]
    if not fitting:
        first = signature.fixes[0]
        refused = _said(group, first, cause.captures, f"no fix fits this log ({objections[0]})")
        return (replace(refused, state=PatchState.REFUSED),)
    # What only the job's other steps can show is no first thing to say of a log alone; `sorted` keeps the order else.
    ordered = sorted(fitting, key=lambda fix: isinstance(fix.recipe, ActivateEnvironment))
    rungs = list(_rungs(group, ordered[:MOST_RUNGS], cause.captures, reason))
    notes = [f"not offered, as {names}: {title}" for title, names in had.items()]
    if left := len(fitting) - len(rungs):
        more = "1 more fix fits the log" if left == 1 else f"{left} more fixes fit the log"
        notes.append(f"{more}: `triage explain {signature.id}` lists all")
    return (replace(rungs[0], notes=tuple(notes)), *rungs[1:])


def _had(fix: FixStep, environment: Sequence[str]) -> str:
    """What a copy of variables would set and the failed step had already, as its header shows; "" for nothing."""
    if not isinstance(fix.recipe, CopyEnv):
        return ""
    pairs = (pair.partition("=") for pair in environment)
    names = [
        name for name, _, value in pairs if value.strip() and any(fnmatchcase(name, one) for one in fix.recipe.names)
    ]
    return f"the log shows that the step had {', '.join(sorted(names))} already" if names else ""


def _rungs(group: CauseGroup, fixes: list[FixStep], captures: Mapping[str, str], reason: str) -> Iterator[Patch]:
    for fix in fixes:
        match fix.recipe:
            case Advise(text=text):
                yield _said(group, fix, captures, fill(text, captures))
            case Rerun():
                yield _said(group, fix, captures, "")
            case _:
                yield _said(group, fix, captures, reason)
                reason = ""


def _said(group: CauseGroup, fix: FixStep, captures: Mapping[str, str], reason: str) -> Patch:
    return Patch(
        id="",
        causes=(group.id,),
        title=fill(fix.title, captures),
        recipe=fix.recipe.recipe,
        state=PatchState.ADVICE,
        applicability=Applicability.DISPLAY,
        reason=reason,
        because=fill(_grounds(fix), captures),
        costs=fix.costs,
    )


def _grounds(fix: FixStep) -> str:
    """Why the fix helps; what only a tree can show is said as an assumption."""
    if isinstance(fix.recipe, Advise | Rerun) or not _OF_A_REPOSITORY.search(f"{fix.title} {fix.because}"):
        return fix.because
    return f"{_ASSUMED}: {fix.because}" if fix.because else f"{_ASSUMED}."


def _objection(fix: FixStep, facts: Facts) -> str:
    if isinstance(fix.recipe, CopyMount) and facts.build is None:
        return "the log shows no failed build of an image"
    if isinstance(fix.recipe, CopyGuard) and not fix.recipe.repository and facts.secret_source in WITH_SECRETS:
        return "the run had the repository's secrets, so it is not that of a fork"
    # What a setting is, only the tree can say.
    return objection(without_settings(fix.when), facts, lambda _: "")


def _unknown(fix: FixStep, captures: Mapping[str, str], tables: Tables) -> str:
    """Why the fix can come to nothing in any tree: what it is about stands in no table, or not in the log."""
    match fix.recipe:
        case PipInstall(program=program) if program and not tables.programs.get(name := fill(program, captures)):
            return f"`{name}` is no program that a distribution is known to bring"
        case SystemPackage(needed=needed):
            name = fill(needed, captures).rpartition("/bin/")[2]
            return "" if tables.packages.get(name) else f"`{name}` is nothing that a package of the system brings"
        case FixWhitespace(rule=rule) if fill(rule, captures) not in (*ENDS_OF_LINES, *ENDS_OF_FILES):
            return "the check is not about blanks alone"
        case RepairGroup(group=group) if not captures.get(group.strip("{}"), ""):
            return "the log names no concurrency group"
        case RepairCondition(address=address) if not captures.get(address.strip("{}"), ""):
            return "the log names no registry"
        case DropRef(ref=ref) if not captures.get(ref.strip("{}"), ""):
            return "the log names no branch or tag that is gone"
        case AsRoot(program=program) if program and not captures.get(program.strip("{}"), ""):
            return "the log names no command that may not touch a file"
        case RepairLine(fault="called"):
            return "the log does not show that the command is there under another name"
        case MendCommand(fault="in-container"):
            return "the log does not show that the command stands behind one that starts a container"
        case SetUpLanguage(program=program) if fill(program, captures).rpartition("/")[2] not in OF_LANGUAGES:
            return "it is no program of a language that an action sets up"
        case QuoteVersion(version=version) if not _ONE_PLACE.match(fill(version, captures)):
            return "the version has lost no zero"
        case _:
            return ""
