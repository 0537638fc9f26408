"""The script that a shell names in its message: a file of the repository, or the text of the failed step."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from triage.fixes.document import eol_at, indent_of, lines_of, starts_of
from triage.fixes.recipes.commands.scripts import Script, promised_of, shell_files, text_of_file
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.situation import Situation, steps_of_actions
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.fixes.whereabouts.naming import in_tree
from triage.fixes.workflow.files import action_files
from triage.fixes.yaml.nodes import child, text_of
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation

# What the runner writes a step's text to.
_OF_STEP = re.compile(r"(?:.*/)?_temp/[\w.-]+\.sh\Z")


@dataclass(frozen=True, slots=True)
class Said:
    """`number` is the line of `script` that the log names, from 1; 0: none. `here` is None where no job is known."""

    tree: Tree
    target: Target
    script: Script
    number: int
    subject: str
    here: Situation | None

    @property
    def lines(self) -> list[str]:
        return self.script.text.split("\n")

    @property
    def line(self) -> str:
        return self.lines[self.number - 1] if 0 < self.number <= len(self.lines) else ""

    def start(self, number: int) -> int:
        """Where a line begins, in characters."""
        return sum(len(line) + 1 for line in self.lines[: number - 1])

    def edited(self, spans: Sequence[tuple[int, int, str]], why: str, title: str) -> Outcome:
        """`spans` of characters, each with its new text."""
        edits: list[Edit] = []
        for start, end, new in sorted(spans):
            made = self.script.replace(start, end, new, why=why)
            if isinstance(made, Refusal):
                return made
            edits += made
        return self._whole(edits, title)

    def with_line(self, number: int, new: str, why: str, title: str) -> Outcome:
        """A line more, before the line `number` and as far right as that."""
        return self._lines(number, number - 1, [new], why, title)

    def rewritten(self, number: int, new: Sequence[str], why: str, title: str) -> Outcome:
        """Other lines in place of one, the first of them as far right."""
        return self._lines(number, number, new, why, title)

    def _lines(self, first: int, last: int, new: Sequence[str], why: str, title: str) -> Outcome:
        """`new` in place of the lines from `first` to `last`, which is `first - 1` where none goes."""
        node, data = self.script.node, self.tree.read(self.script.path)
        if node is not None and node.style != "|":
            return Refusal("the step's script is no block that takes another line", self.script.path)
        starts = (*starts_of(lines_of(data)), len(data))
        start, end = (starts[self.script.line(self.start(first)) - 1 + more] for more in (0, last - first + 1))
        indent = data[start : start + indent_of(data[start:])]
        body = b"".join(indent + one.encode() + eol_at(data, start) for one in new)
        return self._whole([Edit(self.script.path, start, end, body, why)], title)

    def reread(self, lines: Sequence[str], promised: Sequence[str], why: str, title: str) -> Outcome:
        """The whole script as these lines, indented as in the script itself; those that stay are not touched. Promised
        are texts of lines that stand behind one another then, and did not before."""
        node, data = self.script.node, self.tree.read(self.script.path)
        if node is not None and node.style != "|":
            return Refusal("the step's script is no block that takes another line", self.script.path)
        starts, offset = (*starts_of(lines_of(data)), len(data)), self.script.line(0) - 1
        first = next((at for at, line in enumerate(self.lines) if line.strip()), 0)
        begins, own = starts[offset + first], self.lines[first]
        base = data[begins : begins + indent_of(data[begins:]) - (len(own) - len(own.lstrip(" \t")))]
        edits = []
        for kind, i1, i2, j1, j2 in SequenceMatcher(None, self.lines, lines, autojunk=False).get_opcodes():
            start = starts[offset + i1]
            new = b"".join((base + one.encode() if one.strip() else b"") + eol_at(data, start) for one in lines[j1:j2])
            edits += [Edit(self.script.path, start, starts[offset + i2], new, why)] if kind != "equal" else []
        made, path = self._whole(edits, title), self.script.path
        promises = tuple(Expectation("lines", one, self.target.job, path) for one in promised)
        return replace(made, expectations=promises) if isinstance(made, Edited) else made

    def _whole(self, edits: Sequence[Edit], title: str) -> Outcome:
        if not edits:
            return Refusal("nothing of it is to be written otherwise", self.script.path)
        declared = self.script.declared(self.here) if self.here is not None else self.script.path
        return Edited(tuple(edits), (declared,), promised_of(self.tree, self.target.job, edits), title=title)


def said(tree: Tree, target: Target, here: Situation | Refusal, named: str, line: str, subject: str) -> Said | Refusal:
    number = int(line) if re.fullmatch(r"[0-9]{1,6}", line) else 0
    job = None if isinstance(here, Refusal) else here
    if _OF_STEP.match(named) or not named:
        step = job.step or job.inner if job is not None else None
        if step is None or step.run is None:
            return Refusal("the step whose script the log names is not known")
        return Said(
            tree, target, Script(step.path, step.run.value, step.index, step.document, step.run), number, subject, job
        )
    path = script_called(tree, named)
    text = text_of_file(tree, path) if path else ""
    if not text:
        return Refusal(f"the repository has no script `{named}`")
    return Said(tree, target, Script(path, text), number, subject, job)


def of_action(tree: Tree, target: Target, here: Situation | Refusal, subject: str) -> list[Said]:
    """The texts that the failed step's action runs, where it is one of this repository."""
    step = None if isinstance(here, Refusal) else here.step
    uses = text_of(child(step.node, "uses")) if step is not None else target.step.removeprefix("Run ")
    if isinstance(here, Refusal) or not uses.startswith("./"):
        return []
    steps = steps_of_actions(tree, [path for path in action_files(uses) if path in tree])
    texts = [Script(one.path, one.run.value, one.index, one.document, one.run) for one in steps if one.run is not None]
    return [Said(tree, target, text, 0, subject, here) for text in texts]


def script_called(tree: Tree, named: str) -> str:
    """The script that a shell calls so in its message; "" for none of the repository, or several."""
    return in_tree(tree, named.removeprefix("./")) or _alone(tree, named)


def _alone(tree: Tree, named: str) -> str:
    """The one script whose path ends so, where the folder that it is called from is not known; or the path behind the
    folder that the repository was cloned to."""
    if named.startswith("/") or ".." in named:
        return ""
    found = [path for path in shell_files(tree) if path.endswith(f"/{named}")]
    parts = named.split("/")
    below = ("/".join(parts[at:]) for at in range(1, len(parts) - 1))
    return found[0] if len(found) == 1 else next((one for one in below if one in tree), "")
