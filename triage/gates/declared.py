"""The gate that holds a draft to its word: nothing changed that it did not declare."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import yaml

from triage.fixes.manifests.dockerfile import is_dockerfile, names_of
from triage.fixes.refusal import Refusal
from triage.fixes.wellformed import compose
from triage.gates.change import Change, failed, ok
from triage.gates.manifests import changed_values
from triage.model.patch import Gate

NAME = "only declared paths changed"
# A file may lose at most this share of its lines, or this many: a whole file overwritten by another is no edit.
_SHARE = 0.5
_LINES = 20
_INSERTION = re.compile(r"(?P<list>.+)\[\+(?P<after>-?[0-9]+)\]\Z")


def declared(change: Change) -> Gate:
    """Declared paths read `<file>` (no structure is known) or `<file>:<semantic path>`.

    A semantic path covers what lies below it. `jobs.a.steps[+3]` is one new step after the old step 3; [+-1] the first.
    Of Python it is the text of a string that is new.
    """
    for path in sorted(change.new):
        own = [entry[len(path) :].lstrip(":") for entry in change.draft.declared if _names(entry, path)]
        surprise = _surprise(change.old.get(path, b""), change.new[path], own, path)
        if surprise:
            return failed(NAME, f"{path}: {surprise}")
    count = len(change.draft.declared)
    return ok(NAME, f"{count} path{'s' if count != 1 else ''}")


def _names(entry: str, path: str) -> bool:
    return entry == path or entry.startswith(f"{path}:")


def _surprise(old: bytes, new: bytes, own: Sequence[str], path: str) -> str:
    if not own:
        return "changed without being declared"
    lost = len(set(old.splitlines()) - set(new.splitlines()))
    if lost > _LINES and lost > _SHARE * len(old.splitlines()):
        return f"{lost} lines would go: that is a replacement, not an edit"
    if path.endswith((".toml", "setup.py", "setup.cfg")):
        return _stray_value(changed_values(path, old, new), own)
    if is_dockerfile(path) and (others := _other_instructions(old, new, own)):
        return others
    if "" in own or not path.endswith((".yml", ".yaml")):
        return ""
    try:
        changed = changed_paths(old, new, own)
    except yaml.YAMLError as error:
        return f"cannot be compared: {error}"
    strays = [place for place in changed if not any(_covers(entry, place) for entry in own)]
    return f"`{strays[0]}` changed without being declared" if strays else ""


def _other_instructions(old: bytes, new: bytes, own: Sequence[str]) -> str:
    """Edits stand inside of instructions: none becomes another one; those that come or go are declared, `+ENV` and
    `-COPY`."""
    before, after = names_of(old), names_of(new)
    if isinstance(before, Refusal) or isinstance(after, Refusal):
        return "its instructions cannot be read"
    come, go = ({entry[1:] for entry in own if entry.startswith(sign)} for sign in "+-")
    lost, gained = Counter(before) - Counter(after), Counter(after) - Counter(before)
    if before == after or ((come or go) and {*lost} == go and {*gained} == come and sum(lost.values()) <= len(go)):
        return ""
    return f"its instructions become {' '.join(after)}"


def _stray_value(changed: tuple[str, ...] | Refusal, own: Sequence[str]) -> str:
    if isinstance(changed, Refusal):
        return str(changed)
    strays = [] if "" in own else [place for place in changed if not any(_covers(entry, place) for entry in own)]
    return f"`{strays[0]}` changed without being declared" if strays else ""


def _covers(entry: str, place: str) -> bool:
    return place == entry or place.startswith((f"{entry}.", f"{entry}["))


def changed_paths(old: bytes, new: bytes, own: Iterable[str] = ()) -> tuple[str, ...]:
    """Semantic paths whose scalar differs, declared insertions apart. Raises yaml.YAMLError."""
    before, after = flatten(old), flatten(new, _insertions(own))
    return tuple(place for place in {**before, **after} if before.get(place) != after.get(place))


def _insertions(own: Iterable[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for entry in own:
        found = _INSERTION.match(entry)
        if found:
            places.setdefault(found["list"], []).append(int(found["after"]))
    return places


def flatten(content: bytes, inserted: Mapping[str, Sequence[int]] | None = None) -> dict[str, str]:
    """Scalars by semantic path, as strings (no YAML 1.1 surprises). Steps declared as inserted are left out."""
    scalars: dict[str, str] = {}
    node = compose(content)
    if node is not None:
        _walk(node, "", inserted or {}, scalars)
    return scalars


def _walk(node: yaml.Node, place: str, inserted: Mapping[str, Sequence[int]], scalars: dict[str, str]) -> None:
    match node:
        case yaml.MappingNode():
            scalars[place] = "{}"
            for key, value in node.value:
                name = key.value if isinstance(key, yaml.ScalarNode) else f"<{key.tag}>"
                _walk(value, f"{place}.{name}" if place else name, inserted, scalars)
        case yaml.SequenceNode():
            scalars[place] = "[]"
            for index, value in enumerate(_kept(node.value, inserted.get(place, ()))):
                _walk(value, f"{place}[{index}]", inserted, scalars)
        case _:
            scalars[place] = node.value


def _kept(items: Sequence[yaml.Node], after: Sequence[int]) -> list[yaml.Node]:
    gone = {old + 1 + earlier for earlier, old in enumerate(sorted(after))}
    return [item for index, item in enumerate(items) if index not in gone]
