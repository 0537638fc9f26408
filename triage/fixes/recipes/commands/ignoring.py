"""`ignore_test`: a file of tests for another device, on a job that leaves such files out already."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from dataclasses import replace

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Value
from triage.fixes.recipes.blast import blast_of_calls
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.naming import in_tree
from triage.fixes.workflow.platform import job_platform
from triage.model.diagnosis import Platform
from triage.model.patch import Edit
from triage.model.recipe import IgnoreTest

_OPTION = "--ignore-glob="
# So many files are left out where doing so is the job's habit.
_LEAST = 3
# Where `cuda` is a device that works.
_CUDA = (Platform.CUDA, Platform.ROCM, Platform.UNKNOWN)


def ignore_test(recipe: IgnoreTest, here: Situation) -> Outcome:
    path = in_tree(here.tree, here.captures.get(recipe.test.strip("{}"), ""))
    if not path or not posixpath.basename(path).startswith("test_"):
        return Refusal("the log names no file of tests of the repository")
    platform = Platform(job_platform(here.job) or here.facts.platform)
    if platform in _CUDA or not _asks_for_cuda(here.tree.read(path)):
        return Refusal(f"nothing says that {path} is for another device than the job's", here.job.path, here.job.line)
    own = [one for one in here.concerned if one.calls and _of_pytest(one)]
    patterns = [one for each in own for one in _patterns(each)]
    if any(fnmatch.fnmatch(path, one) or fnmatch.fnmatch(posixpath.basename(path), one) for one in patterns):
        return InPlace(f"{here.job.id} leaves {path} out")
    if any(in_tree(here.tree, (word.text or "").partition("::")[0]) == path for one in own for word in one.program):
        return Words(f"the command runs {path} by name: take it from there, or `pytest.mark.skipif` in the file")
    if len(own) != 1:
        return Refusal("the failed step does not run pytest just once", here.job.path, here.job.line)
    name = posixpath.basename(path)
    others = [one for one in here.tree.paths() if fnmatch.fnmatch(one, f"*{name}*") and one != path]
    named = [one for one in patterns if "test_" in one]
    given = [word for word in own[0].program if (word.text or "").startswith(_OPTION)]
    if len(given) < _LEAST or not named or others:
        return Words(
            f"skip {path} where there is no such device: `pytest.mark.skipif` in the file, or {_OPTION}'*{name}*'"
        )
    return _one_more(here, own[0], given[-1], path, name)


def _asks_for_cuda(source: bytes) -> bool:
    return any(b"cuda" in line.partition(b"#")[0] for line in source.splitlines())


def _patterns(one: Invocation) -> list[str]:
    return [(word.text or "").removeprefix(_OPTION) for word in one.program if (word.text or "").startswith(_OPTION)]


def _of_pytest(one: Invocation) -> bool:
    words = [word.text or "" for word in one.program[:3]]
    return bool(words) and (posixpath.basename(words[0]) in ("pytest", "py.test") or words[1:3] == ["-m", "pytest"])


def _one_more(here: Situation, one: Invocation, last: Value, path: str, name: str) -> Outcome:
    call, old = one.calls[-1], last.text or ""
    (first, *_), end = last.sites, last.sites[-1]
    data = here.tree.read(call.path)
    stop = end.end + (end.quote in ("'", '"'))
    text = data[first.start : stop].decode("utf-8", "replace")
    pattern = old.removeprefix(_OPTION)
    if not call.insertable or (first.path, end.path) != (call.path, call.path) or text.count(pattern) != 1:
        return Refusal("the command is put together at run time", call.path, call.line)
    new = f" {text.replace(pattern, f'*{name}*')}"
    if not re.fullmatch(r" --ignore-glob=([\"'])\*[\w.-]+\*\1", new):
        return Words(f"leave {path} out as the command leaves others out")
    edit = Edit(call.path, stop, stop, new.encode(), f"{path} asks for a device that the job's machine has not")
    made = Edited((edit,), (declared_at(here, call.path, one.step),), promised(here, (edit,)))
    made = replace(
        made, blast_radius=blast_of_calls(here, (call,)), costs=(f"this job tests nothing of {path} any more",)
    )
    return replace(made, title=f"Leave {path} out of {here.job.id}")
