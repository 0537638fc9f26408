"""The texts that a shell reads in a job: scripts of the repository, and the run blocks of the job's own file."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import yaml

from triage.fixes.document import splice
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.job import evaluate_job
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.typed import JOB, is_typed, typed_path, typed_workflow
from triage.fixes.workflow.load import load_job
from triage.fixes.workflow.model import Workflow
from triage.fixes.yaml.edits import Edits, splice_scalar
from triage.fixes.yaml.nodes import YamlDocument, parse_yaml
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.trail import Announced

_SCRIPTS = (".sh", ".bash", ".slurm", ".sbatch")


@dataclass(frozen=True, slots=True)
class Script:
    """`text` as the shell reads it; offsets are characters of it. `step` is that of a run block, -1 for a file."""

    path: str
    text: str
    step: int = -1
    document: YamlDocument | None = None
    node: yaml.ScalarNode | None = None

    def line(self, at: int) -> int:
        """The line of the file; of a run block in another style than a literal one, the line that it starts on."""
        inside = self.text.count("\n", 0, at)
        if self.document is None or self.node is None:
            return inside + 1
        return self.document.line(self.node) + (inside + 1 if self.node.style == "|" else 0)

    def replace(self, start: int, end: int, new: str, *, why: str) -> Edits | Refusal:
        if self.document is not None and self.node is not None:
            return splice_scalar(self.document, self.node, start, end, new, why=why)
        first, last = (len(self.text[:at].encode()) for at in (start, end))
        return (Edit(self.path, first, last, new.encode(), why),)

    def declared(self, here: Situation) -> str:
        return declared_at(here, self.path, self.step)


def scripts_of(here: Situation) -> Iterator[Script]:
    """Of the failed step, else of the whole job: its run blocks, then every script that is run from there."""
    steps = (here.step,) if here.step is not None else here.job.steps
    for step in () if is_typed(here.job.path) or here.image else steps:
        if step.run is not None:
            yield Script(step.path, step.run.value, step.index, step.document, step.run)
    for path in dict.fromkeys(path for one in here.concerned for path in _paths(one)):
        if path in here.tree and path.endswith(_SCRIPTS):
            text = text_of_file(here.tree, path)
            if text:
                yield Script(path, text)


def _paths(one: Invocation) -> Iterator[str]:
    yield from (path for call in one.calls for path in (call.path, call.enters) if path)


def text_of_file(tree: Tree, path: str) -> str:
    """ "" for what is no UTF-8: nothing is edited there."""
    try:
        return tree.read(path).decode()
    except UnicodeDecodeError:
        return ""


def shell_files(tree: Tree) -> Iterator[str]:
    for path in tree.paths():
        if posixpath.basename(path).endswith(_SCRIPTS):
            yield path


def run_of(here: Situation, path: str) -> tuple[Invocation, ...]:
    """What a script of the tree runs when it is run by itself."""
    document = parse_yaml(typed_path(path), typed_workflow((Announced("Run", (f"bash {path}",)),)))
    if isinstance(document, Refusal) or not isinstance(document.root, yaml.MappingNode):
        return ()
    job = load_job(Workflow(document, document.root), JOB, {}, ())
    return () if isinstance(job, Refusal) else evaluate_job(here.tree, job).invocations


def promised(here: Situation, edits: Sequence[Edit]) -> tuple[Expectation, ...]:
    return promised_of(here.tree, here.target.job, edits)


def promised_of(tree: Tree, job: str, edits: Sequence[Edit]) -> tuple[Expectation, ...]:
    """One for each line that is new, reads otherwise or stands there once more afterwards."""
    found: list[Expectation] = []
    for path in dict.fromkeys(edit.path for edit in edits):
        before = tree.read(path)
        after = splice(before, [edit for edit in edits if edit.path == path])
        if isinstance(after, Refusal):
            continue
        held = Counter(before.splitlines())
        for line, count in Counter(after.splitlines()).items():
            text = as_promised(line)
            if count > held[line] and text:
                found.append(Expectation("line", text, job, path))
    return tuple(dict.fromkeys(found))
