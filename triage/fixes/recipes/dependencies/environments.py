"""Environment files of conda that a job reads: `dependencies`, and the list of pip's among them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from triage.fixes.recipes.blast import jobs_that_install
from triage.fixes.recipes.dependencies.conda import as_conda, by_conda, read_spec
from triage.fixes.recipes.dependencies.elsewhere import files_read
from triage.fixes.recipes.dependencies.holding import bounded, standing_of
from triage.fixes.recipes.outcome import Edited, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import Named, normalised, parsed
from triage.fixes.yaml.edits import insert_after, replace_scalar
from triage.fixes.yaml.nodes import YamlDocument, child, items, parse_yaml, text_of
from triage.model.patch import Expectation
from triage.model.recipe import PipPin

# A shorter list is there for one special case.
_LIST = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """One requirement of such a file. `place` is its semantic path; `by_pip`: pip reads it, not conda."""

    named: Named
    document: YamlDocument
    node: yaml.ScalarNode
    place: str
    by_pip: bool


def in_environments(here: Situation) -> Iterator[Entry]:
    """What the environment files of the job's commands and setup actions name, in the words of pip's bounds."""
    for document in documents(here):
        yield from entries(document)


def included(here: Situation) -> Iterator[str]:
    """Requirements files that the pip lists of environment files include, from the repository's root."""
    for document in documents(here):
        folder = posixpath.dirname(document.path)
        for node in items(child(document.root, "dependencies")):
            words = (text_of(one).split() for one in items(child(node, "pip")))
            yield from (
                posixpath.normpath(posixpath.join(folder, two[1])) for two in words if two[:1] == ["-r"] and two[1:]
            )


def environment_lists(here: Situation) -> Iterator[tuple[YamlDocument, yaml.SequenceNode]]:
    """What pip installs of the environment files. Conda's own lists are none of them: a channel may call a
    distribution otherwise."""
    for document in documents(here):
        for one in items(child(document.root, "dependencies")):
            if isinstance(node := child(one, "pip"), yaml.SequenceNode):
                yield document, node


def documents(here: Situation) -> Iterator[YamlDocument]:
    """The environment files that the job reads and the tree holds."""
    for path in dict.fromkeys(path for path, reader in files_read(here) if reader == "conda"):
        document = parse_yaml(path, here.tree.read(path)) if path in here.tree else None
        if isinstance(document, YamlDocument) and path.endswith((".yml", ".yaml")):
            yield document


def entries(document: YamlDocument) -> Iterator[Entry]:
    """The requirements of one such file, in its order."""
    for at, node in enumerate(items(child(document.root, "dependencies"))):
        place = f"dependencies[{at}]"
        if isinstance(node, yaml.ScalarNode):
            read = read_spec(node.value, document.path, document.line(node))
            yield from (Entry(named, document, node, place, by_pip=False) for named in read)
        for inner, one in enumerate(items(child(node, "pip"))):
            if isinstance(one, yaml.ScalarNode):
                read = parsed(one.value, document.path, document.line(one))
                yield from (Entry(named, document, one, f"{place}.pip[{inner}]", by_pip=True) for named in read)


def added_to_environment(here: Situation, requirement: str) -> Edited | None:
    """One more entry of the longest list that an environment file of the job hands to pip; None where it has none."""
    every = [one for one in in_environments(here) if one.by_pip]
    lists = {one.place.rpartition("[")[0]: one for one in every if one.named.path == every[-1].named.path}
    place, last = next(reversed(lists.items()), ("", None))
    count = sum(one.place.startswith(f"{place}[") for one in every)
    if last is None or count < _LIST or id(last.node) in last.document.aliased:
        return None
    column = last.node.start_mark.column - 2
    line = last.document.text.split("\n")[last.node.start_mark.line]
    if column < 0 or line[column : column + 2] != "- ":
        return None
    why = f"{last.named.path} is what {here.job.id} makes its environment from"
    path, at = last.named.path, int(last.place.rpartition("[")[2].rstrip("]")) + 1
    edits = insert_after(last.document, last.node, [f"- {requirement}"], column, why=why)
    promise = Expectation("value", f"{place}[{at}]={requirement}", here.target.job, path)
    radius = jobs_that_install(here, path)
    title = f"Require {requirement} in {path}"
    return Edited(edits, (f"{path}:{place}[{at}]",), (promise,), (why,), blast_radius=radius, title=title)


def pinned_in_environments(recipe: PipPin, here: Situation, name: str, spec: str) -> Iterator[Outcome]:
    """Conda knows no local versions (`+cu128`): of those only the line is named."""
    for one in in_environments(here):
        if one.named.name == normalised(name) and (one.by_pip or "+" not in spec):
            yield _pinned(recipe, here, one, spec)


def _pinned(recipe: PipPin, here: Situation, one: Entry, spec: str) -> Outcome:
    standing = standing_of(recipe, here, one.named, spec)
    if standing is not None:
        return standing
    text = f"{one.named.written}{bounded(one.named.pin, spec)}"
    text = text if one.by_pip else as_conda(text)
    path = one.named.path
    why = f"{path} is installed by {here.job.id}; {one.named.written} is held at {spec}"
    edits = replace_scalar(one.document, one.node, text, why=why)
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("value", f"{one.place}={text}", here.target.job, path)
    return Edited(edits, (f"{path}:{one.place}",), (promise,), blast_radius=jobs_that_install(here, path))


def left_to_conda(here: Situation, what: str) -> Words | None:
    """Where conda alone installs: its environment would not see what a pip line of another or an image brings."""
    done = by_conda(here.evaluation.invocations)
    files = [path for path, reader in files_read(here) if reader == "conda" and path in here.tree]
    if not done and not files:
        return None
    place = files[-1] if files else f"{done[-1].call.path}:{done[-1].call.line}"
    said = f"{here.job.id} installs nothing with pip, and conda installs what {place} names"
    return Words(f"{said}: {what} there, under the name that the channel gives it")
