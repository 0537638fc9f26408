"""`update_lists`: apt's lists of packages are brought up to date before the install that they let down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from triage.fixes.document import line_start
from triage.fixes.evaluate.invocation import Call, Invocation
from triage.fixes.manifests.dockerfile import is_dockerfile
from triage.fixes.recipes.blast import blast_of_calls
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.steps import on_bare_machine
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import insert_line, replace_word
from triage.model.patch import Edit, Expectation
from triage.model.recipe import UpdateLists

_PROGRAMS = ("apt-get", "apt")
# On Ubuntu they update the lists themselves.
_UPDATES = ("add-apt-repository", "apt-add-repository")
# What may stand before a command on its line, so that one more joins it by `&&` and nothing else changes.
_JOINS = (b"&&", b";", b"then", b"do", b"else", b"{")


def update_lists(recipe: UpdateLists, here: Situation) -> Outcome:
    package = here.captures.get(recipe.package.strip("{}"), "") if recipe.package else ""
    installs = [one for one in here.concerned if _own(here, one) and _subcommand(one) == "install"]
    named = [one for one in installs if any((word.text or "").partition("=")[0] == package for word in one.program)]
    installs = named if package else installs
    if not installs:
        return Refusal(f"no command of {here.job.id} is `apt-get install {package}`".rstrip("` ") + "`", here.job.path)
    stale = [one for one in installs if not _updated(here, one)]
    if not stale:
        return InPlace(f"the lists are updated before `{_line(installs[0])}`")
    if package and not here.image and on_bare_machine(here):
        return Words(f"GitHub's machines come with lists: look for the name of {package} in this release")
    return together([_updating(here, one) for one in _first(stale)])


def _own(here: Situation, one: Invocation) -> bool:
    return bool(one.calls) and not one.substitution and (not here.image or one.step == here.instruction)


def _subcommand(one: Invocation) -> str:
    """`install` of `apt-get -y -o Name=value install`, "" for other programs."""
    words = [word.text or "" for word in one.program]
    if not words or words[0].rpartition("/")[2] not in _PROGRAMS:
        return "update" if words and words[0].rpartition("/")[2] in _UPDATES else ""
    return next((word for word in words[1:] if word in ("install", "update")), "")


def _updated(here: Situation, one: Invocation) -> bool:
    """Whether the job updates them before it wherever it runs; in a build each instruction counts for itself, as an
    earlier one may be an old layer, or have its lists removed."""
    every = here.evaluation.invocations
    earlier = every[: every.index(one)]
    return any(
        _subcommand(before) == "update" and set(before.conditions) <= set(one.conditions)
        for before in earlier
        if not here.image or before.step == one.step
    )


def _first(stale: Sequence[Invocation]) -> list[Invocation]:
    """Those behind which the others run anyway: the first of each branch."""
    chosen: list[Invocation] = []
    for one in stale:
        if not any(set(before.conditions) <= set(one.conditions) for before in chosen):
            chosen.append(one)
    return chosen


def _updating(here: Situation, one: Invocation) -> Outcome:
    call, words = one.calls[-1], [word.text for word in (*one.argv[: one.inner], one.program[0])]
    if any(word is None for word in words):
        return Refusal(f"`{_line(one)}` is put together at run time", call.path, call.line)
    sudo = "sudo " if "sudo" in words else ""
    run = f"{sudo}{one.program[0].text} update"
    edits = _written(here, call, run)
    if isinstance(edits, Refusal):
        return edits
    kind = "image" if is_dockerfile(call.path) else "command"
    promise = Expectation(kind, run, here.target.job, call.path if kind == "image" else here.target.workflow_path)
    made = Edited(tuple(edits), (declared_at(here, call.path, one.step),), (promise,))
    return replace(made, blast_radius=blast_of_calls(here, (call,)))


def _written(here: Situation, call: Call, run: str) -> Sequence[Edit] | Refusal:
    """On a line of its own, else joined by `&&` where what stands before it on its line allows that."""
    why = "the lists name archives that are not there any more, or nothing at all"
    edits = insert_line(here.tree, call, run, why=why, before=True)
    if not isinstance(edits, Refusal) or not call.insertable or is_dockerfile(call.path):
        return edits
    data = here.tree.read(call.path)
    head = data[line_start(data, call.start) : call.start].rstrip()
    if b"|" in head or not head.endswith(_JOINS):
        return edits
    first = next((site for word in call.words[:1] for site in word.sites if site.start == call.start), None)
    if first is None or first.path != call.path:
        return edits
    text = data[first.start : first.end].decode("utf-8", "replace")
    return replace_word(here.tree, first, f"{run} && {text}", why=why)


def _line(one: Invocation) -> str:
    return " ".join(str(word) for word in one.program[:4])
