"""What parses and is no workflow: an expression without its `$`, a name that is no identifier, a key one level deep."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from triage.fixes.document import line_after, line_end, line_start
from triage.fixes.recipes.outcome import Edited, Outcome, together
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.keys import JOB, STEP
from triage.fixes.yaml.edits import splice_scalar
from triage.fixes.yaml.nodes import YamlDocument, child, content_end, entries, every_node, items, text_of
from triage.model.patch import Edit, Expectation, as_promised

_BRACES = re.compile(r"\{\{[^{}\n]+\}\}\Z")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
_MOST = 99  # characters of an identifier
# What each of them may hold; a key of the mapping around it that stands inside is one level too deep.
_STRATEGY = ("matrix", "fail-fast", "max-parallel")
_CONTAINER = ("image", "credentials", "env", "ports", "volumes", "options")
_CONCURRENCY = ("group", "cancel-in-progress", "queue")


def misplaced(document: YamlDocument) -> list[Outcome]:
    """One outcome for each of these defects, or for what stands where a repair would be."""
    return [*_undollared(document, document.root, "", ""), *_identifiers(document), *_deep_keys(document)]


def _undollared(
    document: YamlDocument, node: yaml.Node | None, place: str, job: str, *, flow: bool = False
) -> Iterator[Outcome]:
    """`TOKEN: {{ secrets.TOKEN }}`: to YAML a mapping whose key is a mapping, which a workflow never holds. `flow`:
    whether it stands in brackets, where an expression needs quotes."""
    if node is not None and _is_braced(document, node):
        start, end = document.start(node), document.end(node)
        written = f"${document.data[start:end].decode()}"
        shown = f'"{written}"' if flow else written
        if flow and '"' in written:
            yield Refusal("the expression needs quotes, and holds some", document.path, document.line(node))
            return
        edit = Edit(document.path, start, end, shown.encode(), "an expression begins with `${{`")
        promise = Expectation("value", f"{place}={written}", job, document.path)
        yield Edited((edit,), (f"{document.path}:{place}",), (promise,))
        return
    inside = flow or bool(isinstance(node, yaml.CollectionNode) and node.flow_style)
    for index, one in enumerate(node.value if isinstance(node, yaml.SequenceNode) else ()):
        yield from _undollared(document, one, f"{place}[{index}]", job, flow=inside)
    for name, _, value in entries(node):
        own = name if place == "jobs" else job
        yield from _undollared(document, value, f"{place}.{name}".lstrip("."), own, flow=inside)


def _is_braced(document: YamlDocument, node: yaml.Node) -> bool:
    if not isinstance(node, yaml.MappingNode) or not node.flow_style or len(node.value) != 1:
        return False
    text = document.data[document.start(node) : document.end(node)].decode("utf-8", "replace")
    return isinstance(node.value[0][0], yaml.MappingNode) and _BRACES.match(text) is not None


def _identifiers(document: YamlDocument) -> Iterator[Outcome]:
    """Ids of jobs and steps, which hold letters, digits, `_` and `-`; with them what names them elsewhere."""
    jobs = child(document.root, "jobs")
    ids = [name for name, _, _ in entries(jobs)]
    for name, key, node in entries(jobs):
        if not _is_identifier(name):
            yield _renamed(document, name, key, ids, f"jobs.{_as_identifier(name)}", name)
        steps = items(child(node, "steps"))
        own = [text_of(child(step, "id")) for step in steps]
        for step in steps:
            held = child(step, "id")
            if held is not None and text_of(held) and not _is_identifier(text_of(held)):
                yield _renamed(document, text_of(held), held, own, "", name, within=node)


def _is_identifier(name: str) -> bool:
    return _IDENTIFIER.match(name) is not None and len(name) <= _MOST


def _as_identifier(name: str) -> str:
    made = re.sub(r"[^A-Za-z0-9_-]+", "-", name)
    return made if _IDENTIFIER.match(made) else f"_{made}"


def _renamed(
    document: YamlDocument,
    old: str,
    node: yaml.Node,
    taken: list[str],
    place: str,
    job: str,
    within: yaml.Node | None = None,
) -> Outcome:
    """`within`: the job whose step it is; None for a job, which the whole file may name."""
    new, written = _as_identifier(old), document.data[document.start(node) : document.end(node)]
    if len(new) > _MOST or new in taken or old.encode() not in written or "${{" in old:
        return Refusal(f"`{old}` is no identifier, and it is not plain which one is meant", document.path)
    why = "an id holds letters, digits, `_` and `-`, and begins with a letter or `_`"
    start = document.start(node)
    edit = Edit(document.path, start, document.end(node), written.replace(old.encode(), new.encode()), why)
    line = document.data[line_start(document.data, start) : start] + edit.new
    line += document.data[edit.end : line_end(document.data, edit.end)]
    # A job's name is part of every path below it: the new path is the promise.
    declared = (f"{document.path}:{place or f'jobs.{job}'}", *([f"{document.path}:jobs.{old}"] if place else []))
    promise = Expectation("line", as_promised(line), new if place else job, document.path)
    parts: list[Outcome] = [Edited((edit,), declared, (promise,))]
    parts += _named_elsewhere(document, old, new, why, within)
    return together(parts)


def _named_elsewhere(
    document: YamlDocument, old: str, new: str, why: str, within: yaml.Node | None
) -> Iterator[Outcome]:
    """In expressions, and in `needs` of the jobs that wait for it."""
    scopes = "needs|jobs" if within is None else "steps"
    named = re.compile(rf"\b(?:{scopes})(?:\.|\[['\"])({re.escape(old)})(?![\w-])")
    for one in every_node(document.root if within is None else within):
        for found in named.finditer(one.value) if isinstance(one, yaml.ScalarNode) else ():
            yield _spliced(document, one, *found.span(1), new, why)
    for _, _, other in entries(child(document.root, "jobs")) if within is None else ():
        for need in items(child(other, "needs")):
            if text_of(need) == old:
                yield _spliced(document, need, 0, len(old), new, why)


def _spliced(document: YamlDocument, node: yaml.Node, start: int, end: int, new: str, why: str) -> Outcome:
    edits = splice_scalar(document, node, start, end, new, why=why)  # type: ignore[arg-type]
    return edits if isinstance(edits, Refusal) else Edited(edits, (document.path,), ())


def _deep_keys(document: YamlDocument) -> Iterator[Outcome]:
    """`fail-fast` in the matrix, `runs-on` in the strategy, `env` in `with`: they belong to the mapping around it."""
    for job, _, node in entries(child(document.root, "jobs")):
        place, strategy = f"jobs.{job}", child(node, "strategy")
        switches = [name for name in _STRATEGY[1:] if isinstance(child(strategy, "matrix", name), yaml.ScalarNode)]
        yield from _lifted(document, strategy, "matrix", switches, f"{place}.strategy", job)
        for name, known in (("strategy", _STRATEGY), ("container", _CONTAINER), ("concurrency", _CONCURRENCY)):
            deep = [one for one, _, _ in entries(child(node, name)) if one not in known and one in JOB]
            yield from _lifted(document, node, name, deep, place, job)
        for index, step in enumerate(items(child(node, "steps"))):
            for name in ("with", "env"):
                held = entries(child(step, name))
                deep = [one for one, _, value in held if one in STEP and isinstance(value, yaml.MappingNode)]
                yield from _lifted(document, step, name, deep, f"{place}.steps[{index}]", job)


def _lifted(
    document: YamlDocument, outer: yaml.Node | None, name: str, deep: list[str], place: str, job: str
) -> Iterator[Outcome]:
    inner = child(outer, name)
    for key, node, value in entries(inner):
        if key in deep:
            yield _out(document, outer, inner, node, value, f"{place}.{key}", job)


def _out(
    document: YamlDocument,
    outer: yaml.Node | None,
    inner: yaml.Node | None,
    key: yaml.Node,
    value: yaml.Node,
    place: str,
    job: str,
) -> Outcome:
    """The entry's lines, in the column of the outer mapping, behind the inner one."""
    data, name = document.data, text_of(key)
    where = f"`{name}` stands one level too deep"
    if not isinstance(outer, yaml.MappingNode) or not isinstance(inner, yaml.MappingNode):
        return Refusal(where, document.path, document.line(key))
    shared = {id(outer), id(inner), id(value)} & set(document.aliased)
    if outer.flow_style or inner.flow_style or shared or len(inner.value) == 1 or child(outer, name) is not None:
        return Refusal(f"{where}, and cannot be moved by lines alone", document.path, document.line(key))
    start = line_start(data, document.start(key))
    end = line_after(data, document.byte(content_end(document.text, value)))
    by = key.start_mark.column - outer.value[0][0].start_mark.column
    lines = data[start:end].splitlines(keepends=True)
    if (
        data[start : document.start(key)].strip()
        or by <= 0
        or any(line.strip() and line[:by].strip() for line in lines)
    ):
        return Refusal(f"{where}, and cannot be moved by lines alone", document.path, document.line(key))
    moved = b"".join(line[by:] if line.strip() else line for line in lines)
    moved = moved if moved.endswith(b"\n") else moved + b"\n"
    why = f"`{name}` belongs to the mapping around it"
    last = inner.value[-1][1]
    at = line_after(data, document.byte(content_end(document.text, last)))
    edits = (Edit(document.path, start, end, b"", why), Edit(document.path, at, at, moved, why))
    whole = (Edit(document.path, start, end, moved, why),)
    promise = Expectation("line", as_promised(moved.splitlines()[0]), job, document.path)
    inner_place = place.rpartition(".")[0]
    declared = (f"{document.path}:{place}", f"{document.path}:{inner_place}")
    if isinstance(value, yaml.ScalarNode):
        promise = Expectation("value", f"{place}={value.value}", job, document.path)
    return Edited(whole if last is value else edits, declared, (promise,))
