"""What setup.py of the repository imports, in the instruction of an image that runs it: right before it runs there."""

from __future__ import annotations

import posixpath

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.recipes.dependencies.beside import Source, effect_of
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import insert_line
from triage.model.patch import Expectation

_NAME = "setup.py"


def or_ahead_of_setup(here: Situation, source: Source, made: Outcome) -> Outcome:
    """Where no other install takes one beside it (`made`), right before the first `python setup.py` of the failed
    instruction, by the same Python. `made` where that runs none of the tree's root, or nothing failed in it."""
    frame = here.facts.frames[-1] if here.facts.frames else ""
    ran = [one for one in here.concerned if one.step == here.instruction]
    own = [one for one in ran if _runs_setup(one)]
    lacking = here.image and own and posixpath.basename(frame) == _NAME and _NAME in here.tree
    if not isinstance(made, Refusal) or not lacking:
        return made
    call = own[0].calls[-1]
    arguments = f"-r {source.file}" if source.file else source.arguments  # setup.py lies at the root, and so it runs
    line = f"{own[0].argv[0]} -m pip install {arguments}"
    promised = line.replace('"', "")
    if any(one.command_line == promised for one in ran):
        return InPlace(f"{here.image}:{call.line} installs it before: look for an install that failed")
    why = f"{here.image}:{call.line} runs {_NAME}, which imports it; {source.why}"
    edits = insert_line(here.tree, call, line, why=why, before=True)
    if isinstance(edits, Refusal):
        return made
    promise = Expectation("command", promised, here.target.job, here.target.workflow_path)
    because = f"{source.why}; {effect_of(arguments)}"
    return Edited(edits, (here.image,), (promise,), (why,), title=f"Install {arguments} first", because=because)


def _runs_setup(one: Invocation) -> bool:
    """`python setup.py ...`, in the folder that holds it."""
    words = [value.text or "" for value in one.argv[:2]]
    python = posixpath.basename(words[0]).startswith("python") if words else False
    return bool(one.calls) and python and words[1:] == [_NAME]
