"""`repair_workflow`: a step without `run:`, `needs` of no job, a path that is no longer there."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace

import yaml

from triage.fixes.document import eol_at, line_end, line_start, splice
from triage.fixes.recipes.outcome import Edited, Outcome, Words, together
from triage.fixes.recipes.wiring.bare_words import bare_words
from triage.fixes.recipes.wiring.called import called_workflows, gone_callees, untyped_inputs
from triage.fixes.recipes.wiring.callings import calls, inputs_beside
from triage.fixes.recipes.wiring.commented import comments_in_conditions
from triage.fixes.recipes.wiring.contexts import foreign_formats, secrets_in_conditions, unknown_in_jobs
from triage.fixes.recipes.wiring.functions import unknown_functions
from triage.fixes.recipes.wiring.misfits import like_key, misfits, renamed
from triage.fixes.recipes.wiring.misplaced import misplaced
from triage.fixes.recipes.wiring.needed import needs_of_no_job
from triage.fixes.recipes.wiring.outdented import bodies_beside_jobs, indent_comments, steps_beside_jobs
from triage.fixes.recipes.wiring.references import slips_of_jobs
from triage.fixes.recipes.wiring.scopes import empty_scopes
from triage.fixes.recipes.wiring.unparsed import repair_unparsed
from triage.fixes.recipes.wiring.without_env import without_env
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.fixes.wellformed import check
from triage.fixes.workflow.keys import STEP
from triage.fixes.yaml.nodes import YamlDocument, child, entries, items, parse_yaml
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation

# As other systems and habits call what a step runs.
_RUNS = ("command", "commands", "cmd", "script", "scripts", "shell-script", "bash", "exec", "execute", "action", "use")
_ACTION = re.compile(r"[\w.-]+/[\w./-]+@[\w./-]+\Z")
_PATH = re.compile(r"(?<![\w./-])((?:[\w.-]+/)+[\w.-]+\.(?:sh|py|ya?ml|txt))(?![\w/])")


def repair_workflow(tree: Tree, target: Target, *, missing: str = "", paths: bool = True) -> Outcome:
    """Works on the file alone: an invalid workflow has no jobs to evaluate. `paths`: whether one that is not there may
    be what is wrong; GitHub reads no script when it calls a workflow invalid. `missing`: the one that the log names."""
    path = target.workflow_path
    if path not in tree:
        return Refusal("there is no such file", path)
    document = parse_yaml(path, tree.read(path))
    if isinstance(document, Refusal):
        made = indent_comments(path, tree.read(path))
        return made if isinstance(made, Edited) else repair_unparsed(path, tree.read(path), document.line or 1)
    repairs = [*_steps_without_run(document), *needs_of_no_job(document), *steps_beside_jobs(document)]
    repairs += [*bodies_beside_jobs(document), *secrets_in_conditions(document)]
    repairs += [*misfits(document), *misplaced(document), *empty_scopes(document), *inputs_beside(document)]
    repairs += [*calls(tree, document), *gone_callees(tree, document), *comments_in_conditions(document)]
    repairs += [*untyped_inputs(document), *bare_words(document), *without_env(document)]
    repairs += [*unknown_functions(document)]
    left = _left(document, repairs)
    if left:
        return Refusal(f"there is no mechanical repair for: {left}", path)
    repairs += _stale_paths(tree, document, missing) if paths else ()
    if not repairs and not paths:
        for called in called_workflows(tree, document):
            made = repair_workflow(tree, replace(target, workflow_path=called), paths=False)
            if not isinstance(made, Refusal):
                return made
        if (slips := slips_of_jobs(tree, document)) is not None:
            return slips
        unknown = unknown_in_jobs(document) or foreign_formats(document)
        return (
            Words(unknown) if unknown else Refusal("nothing in the file itself says why GitHub does not take it", path)
        )
    if not repairs:
        return Refusal("the workflow is valid and every script that it names is there", path)
    return together(repairs)


def _left(document: YamlDocument, repairs: list[Outcome]) -> str:
    """The first defect that the repairs leave, or why they cannot be made; "" when the workflow is valid then."""
    whole = together(repairs) if repairs else None
    if isinstance(whole, Refusal):
        return str(whole)
    made = splice(document.data, whole.edits) if isinstance(whole, Edited) else document.data
    defects = check(document.path, made) if isinstance(made, bytes) else ()
    return str(defects[0]) if defects else ""


def _steps_without_run(document: YamlDocument) -> Iterator[Outcome]:
    """`- name: Check` with the command on the next line: YAML folds both into the name."""
    for job, _, node in entries(child(document.root, "jobs")):
        for index, step in enumerate(items(child(node, "steps"))):
            keys = [name for name, _, _ in entries(step)]
            name = child(step, "name")
            if "run" in keys or "uses" in keys:
                continue
            if (meant := _under_other_key(document, step, f"jobs.{job}.steps[{index}]", job)) is not None:
                yield meant
            elif isinstance(name, yaml.ScalarNode) and not any(like_key(key, STEP) in ("run", "uses") for key in keys):
                yield _unfold(document, step, name, f"jobs.{job}.steps[{index}]", job)


def _under_other_key(document: YamlDocument, step: yaml.Node, place: str, job: str) -> Outcome | None:
    """`command: make test`: the one entry that no step has is what it should run, by its value."""
    strange = [(key, value) for name, key, value in entries(step) if name not in STEP and not like_key(name, STEP)]
    texts = [(key, value.value) for key, value in strange if isinstance(value, yaml.ScalarNode) and value.value.strip()]
    if len(strange) != 1 or not texts or (key := texts[0][0]).value not in _RUNS:
        return None
    return renamed(document, key, "uses" if _ACTION.match(texts[0][1]) else "run", place, job)


def _unfold(document: YamlDocument, step: yaml.Node, name: yaml.ScalarNode, place: str, job: str) -> Outcome:
    start, end = document.start(name), document.byte(name.end_mark.index)
    text = document.data[start:end]
    if name.style or b"\n" not in text:
        return Refusal("a step without `run`, and nothing says what it should run", document.path, document.line(step))
    first_end = line_end(document.data, start)
    column = document.start(step) - line_start(document.data, document.start(step))
    body = document.data[first_end:end]
    shallow = [line for line in body.splitlines() if line.strip() and len(line) - len(line.lstrip()) <= column]
    if shallow:
        return Refusal("the command is not indented below its step", document.path, document.line(step))
    eol = eol_at(document.data, start)
    new = eol + b" " * column + b"run: |"
    why = "the command had become part of the step's name"
    edit = Edit(document.path, first_end, first_end, new, why)
    title = document.data[start:first_end].decode().strip()
    promise = Expectation("value", f"{place}.name={title}", job, document.path)
    return Edited((edit,), (f"{document.path}:{place}",), (promise,))


def _stale_paths(tree: Tree, document: YamlDocument, missing: str) -> Iterator[Outcome]:
    """Scripts in run blocks that the tree lacks while exactly one file of that name is there."""
    by_name: dict[str, list[str]] = {}
    for path in tree.paths():
        by_name.setdefault(posixpath.basename(path), []).append(path)
    for job, _, node in entries(child(document.root, "jobs")):
        for index, step in enumerate(items(child(node, "steps"))):
            run = child(step, "run")
            if isinstance(run, yaml.ScalarNode):
                place = f"jobs.{job}.steps[{index}].run"
                yield from _stale_in(document, run, place, job, tree, by_name, missing)


def _stale_in(
    document: YamlDocument,
    run: yaml.ScalarNode,
    place: str,
    job: str,
    tree: Tree,
    by_name: dict[str, list[str]],
    missing: str,
) -> Iterator[Outcome]:
    if re.search(r"(?m)^[ \t]*(?:cd|pushd|git clone)\b", run.value):
        return  # paths are relative to another folder
    start, end = document.start(run), document.byte(run.end_mark.index)
    for found in _PATH.finditer(document.data[start:end].decode("utf-8", "replace")):
        old = found[1]
        homes = by_name.get(posixpath.basename(old), [])
        if old in tree or old.startswith("..") or len(homes) != 1 or not document.data[start:end].isascii():
            continue
        if missing and posixpath.basename(missing) != posixpath.basename(old):
            continue  # another path, whose absence may be as it should
        before = document.data[start + found.start(1) - 1 : start + found.start(1)]
        if before in (b"}", b"$", b"~") or f"{old}" in _written(run.value):
            continue
        edit = Edit(
            document.path, start + found.start(1), start + found.end(1), homes[0].encode(), f"{old} is not in the tree"
        )
        promise = Expectation("value", f"{place}={run.value.replace(old, homes[0]).strip()}", job, document.path)
        yield Edited((edit,), (f"{document.path}:{place}",), (promise,))


def _written(script: str) -> set[str]:
    """Paths that the script itself writes: `> x`, `tee x`, `-o x`."""
    return set(re.findall(r"(?:>|\btee\b|-o)\s*([\w./-]+)", script))
