"""Where a workflow's keys and values stand in its text, and what the text is without one or with another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import yaml

from tests.seeded.site import Job, Site, workflows_of

Node = yaml.Node
Entry = tuple[yaml.ScalarNode, Node]


@dataclass(frozen=True, slots=True)
class Text:
    """A workflow's text with its nodes; what it lacks reads as no entries."""

    text: str
    root: Node

    def entries(self, node: Node) -> Iterator[Entry]:
        """Of a mapping in block style; no others can lose a line."""
        if isinstance(node, yaml.MappingNode) and not node.flow_style:
            yield from ((key, value) for key, value in node.value if isinstance(key, yaml.ScalarNode))

    def entry(self, node: Node, *names: str) -> Entry | None:
        found = None
        for name in names:
            found = next((one for one in self.entries(node) if one[0].value == name), None)
            if found is None:
                return None
            node = found[1]
        return found

    def step(self, job: Job, number: int) -> Node | None:
        steps = self.entry(self.root, "jobs", job.id, "steps")
        if steps is None or not isinstance(steps[1], yaml.SequenceNode) or number >= len(steps[1].value):
            return None
        return steps[1].value[number]

    def of_step(self, job: Job, number: int, *names: str) -> Entry | None:
        node = self.step(job, number)
        return self.entry(node, *names) if node else None

    def without(self, entry: Entry) -> str:
        """Without the lines of this entry: of a scalar, or of a block whose end its last line tells."""
        return self.without_lines(entry[0].start_mark.line, _last(entry[1]))

    def without_one(self, whole: Entry, entry: Entry) -> str:
        """Without this entry of `whole`, and without `whole` where it has no other."""
        alone = isinstance(whole[1], yaml.MappingNode) and len(whole[1].value) == 1
        return self.without(whole if alone else entry)

    def without_lines(self, first: int, last: int) -> str:
        lines = self.text.split("\n")
        return "\n".join([*lines[:first], *lines[last + 1 :]])

    def with_scalar(self, node: Node, new: str) -> str:
        """With another scalar of one line in its place, as it is to be written."""
        lines = self.text.split("\n")
        at, start, end = node.start_mark.line, node.start_mark.column, node.end_mark.column
        if node.end_mark.line != at:
            return self.text
        lines[at] = lines[at][:start] + new + lines[at][end:]
        return "\n".join(lines)

    def with_line(self, at: int, new: str) -> str:
        lines = self.text.split("\n")
        lines[at] = new
        return "\n".join(lines)

    def line(self, at: int) -> str:
        return self.text.split("\n")[at]

    def script(self, node: Node) -> Iterator[tuple[int, str]]:
        """The lines of a run script, by the number of their line in the file; none where that cannot be told."""
        if not isinstance(node, yaml.ScalarNode):
            return
        if not node.style and node.start_mark.line == node.end_mark.line:
            yield node.start_mark.line, node.value
        elif node.style == "|":
            lines = self.text.split("\n")
            for number, line in enumerate(node.value.rstrip("\n").split("\n"), start=node.start_mark.line + 1):
                if number < len(lines) and lines[number].strip() == line.strip():
                    yield number, line


def _last(node: Node) -> int:
    """The number of the last line of a value."""
    if isinstance(node, yaml.ScalarNode):
        block = node.style in ("|", ">")
        return node.end_mark.line - 1 if block and node.end_mark.column == 0 else node.end_mark.line
    if not node.value or node.flow_style:
        return node.end_mark.line
    last = node.value[-1]
    return _last(last[1] if isinstance(last, tuple) else last)


@lru_cache(maxsize=64)
def read(text: str) -> Text | None:
    """None where it is no YAML."""
    try:
        root = yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError:
        return None
    return Text(text, root) if isinstance(root, yaml.MappingNode) else None


def workflows(site: Site) -> Iterator[tuple[str, Text]]:
    for path in workflows_of(site.tree):
        text = read(site.text(path))
        if text is not None:
            yield path, text


def of_scripts(site: Site, name: str) -> Iterator[tuple[Job, int, Text, Entry]]:
    """The steps that run a script and have an entry of this name, with that."""
    for job in site.jobs:
        text = read(site.text(job.workflow))
        for number, _script in job.runs() if text else ():
            found = text.of_step(job, number, name)
            if found:
                yield job, number, text, found


def place(node: Node) -> str:
    """As GitHub's messages write it."""
    return f"(Line: {node.start_mark.line + 1}, Col: {node.start_mark.column + 1})"


def misspelt(word: str) -> str:
    """The word with one slip of a hand in its longest part: two letters exchanged, one lost, or one typed twice."""
    parts = sorted(range(len(word)), key=lambda at: (not word[at].isalpha(), at))
    inner = [at for at in parts if 0 < at < len(word) - 2 and word[at : at + 2].isalpha()]
    turns = [at for at in inner if word[at] != word[at + 1]]
    if not inner:
        return word + word[-1:]
    slip = sum(word.encode()) % 3
    if slip == 0 and turns:
        at = turns[len(turns) // 2]
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    at = inner[len(inner) // 2]
    return word[:at] + word[at + 1 :] if slip == 1 and len(word) > 5 else word[:at] + word[at] + word[at:]
