"""A key is written into the YAML file of a program's configuration, beside what its mapping has."""

from __future__ import annotations

import yaml

from triage.fixes.recipes.outcome import Edited, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.edits import insert_after
from triage.fixes.yaml.nodes import child, entries, parse_yaml
from triage.model.patch import Expectation


def add_key(here: Situation, path: str, key: str, text: str, why: str, before: tuple[str, ...] = ()) -> Outcome:
    """Behind the first of the names `before` that the mapping has, else behind the last that begins with the same
    word, else at its end."""
    *parents, leaf = key.split(".")
    document = parse_yaml(path, here.tree.read(path)) if path in here.tree else Refusal("it is not there", path)
    if isinstance(document, Refusal):
        return document
    mapping = child(document.root, *parents)
    if not isinstance(mapping, yaml.MappingNode) or mapping.flow_style or not mapping.value:
        return Words(f"add `{leaf}` to `{'.'.join(parents)}`, which {path} takes from another file")
    names = {name: value for name, _, value in entries(mapping)}
    alike = [value for name, value in names.items() if name.partition("_")[0] == leaf.partition("_")[0]]
    last = alike[-1] if alike else mapping.value[-1][1]
    anchor = next((names[name] for name in before if name in names), last)
    edits = insert_after(document, anchor, [f"{leaf}: {text}"], mapping.value[0][0].start_mark.column, why=why)
    return Edited(edits, (path,), (Expectation("line", f"{leaf}: {text}", here.target.job, path),))
