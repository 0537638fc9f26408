"""A distribution for a job whose environment conda alone makes: in the file that conda makes it from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import yaml

from triage.fixes.recipes.blast import jobs_that_install
from triage.fixes.recipes.dependencies.environments import Entry, documents, entries
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import normalised
from triage.fixes.yaml.edits import insert_after
from triage.fixes.yaml.nodes import YamlDocument, child, items, parse_yaml
from triage.model.patch import Expectation


def kept_by_conda(here: Situation, done: Sequence[Install], name: str) -> Outcome | None:
    """One more entry of the only environment file that the job reads: of pip's list there; where it has none, of
    conda's own where another file of the repository has the distribution under that name, else of a new list of pip's,
    for a channel may call it otherwise. None where pip installs something of its own as well."""
    read = {one.path: one for one in documents(here)}
    if here.image or len(read) != 1 or any(one.named or one.files or one.places for one in done):
        return None
    document = next(iter(read.values()))
    own = [*entries(document)]
    standing = next((one.named for one in own if one.named.name == normalised(name)), None)
    if standing is not None:
        place = f"{standing.path}:{standing.line}"
        return InPlace(f"{place} names it for conda's environment: look for a wrong interpreter")
    by_pip = [one for one in own if one.by_pip]
    last = (by_pip or own)[-1] if own else None
    if last is None or id(last.node) in document.aliased:
        return None
    if by_pip or _known_to_conda(here, name):
        return _behind(here, document, last, [f"- {name}"], f"{_list_of(last)}={name}")
    return _with_pip(here, document, own, name)


def _list_of(last: Entry) -> str:
    """The semantic path of the entry behind the last one."""
    place, _, number = last.place.rpartition("[")
    return f"{place}[{int(number.rstrip(']')) + 1}]"


def _with_pip(here: Situation, document: YamlDocument, own: Sequence[Entry], name: str) -> Edited | None:
    every = items(child(document.root, "dependencies"))
    if len(own) != len(every):  # something else stands among the names
        return None
    there = any(one.named.name == "pip" for one in own)
    at = len(every) + (not there)
    lines = [*([] if there else ["- pip"]), "- pip:", f"  - {name}"]
    return _behind(here, document, own[-1], lines, f"dependencies[{at}].pip[0]={name}")


def _behind(here: Situation, document: YamlDocument, last: Entry, lines: list[str], promise: str) -> Edited | None:
    node = last.node
    column = node.start_mark.column - 2
    line = document.text.split("\n")[node.start_mark.line]
    if column < 0 or line[column : column + 2] != "- ":
        return None
    path = document.path
    why = f"{path} is what {here.job.id} makes its environment from"
    edits = insert_after(document, node, lines, column, why=why)
    count = len(items(child(document.root, "dependencies")))
    new = [f"dependencies[{count + number}]" for number in range(len(lines) - 1)]
    return Edited(
        edits,
        tuple(f"{path}:{one}" for one in (*new, promise.partition("=")[0])),
        (Expectation("value", promise, here.target.job, path),),
        (why,),
        blast_radius=jobs_that_install(here, path),
        title=f"Require {promise.partition('=')[2]} in {path}",
    )


def _known_to_conda(here: Situation, name: str) -> bool:
    return any(one.named.name == normalised(name) and not one.by_pip for one in _elsewhere(here))


def _elsewhere(here: Situation) -> Iterator[Entry]:
    """What environment files of the repository name, whoever reads them."""
    for path in here.tree.paths():
        if path.endswith((".yml", ".yaml")) and "env" in path and b"\ndependencies:" in here.tree.read(path):
            document = parse_yaml(path, here.tree.read(path))
            if isinstance(document, YamlDocument) and isinstance(document.root, yaml.MappingNode):
                yield from entries(document)
