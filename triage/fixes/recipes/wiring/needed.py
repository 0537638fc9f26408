"""`needs` of a job that the workflow does not have: it was renamed, or it is gone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

import yaml

from triage.fixes.document import line_end, line_start
from triage.fixes.recipes.outcome import Edited, Outcome, together
from triage.fixes.refusal import Refusal
from triage.fixes.resembling import one_slip, reordered, resembling
from triage.fixes.yaml.edits import splice_scalar
from triage.fixes.yaml.nodes import YamlDocument, child, entries, every_node, items, text_of
from triage.model.patch import Edit, Expectation

_WORDS = re.compile(r"[a-z]{3,}")
# A list of that many jobs that lacks one is of a cleanup, which waits for all of them.
_LONG = 3
# A job that runs whatever became of those before it: a report, a notice. How many jobs it may be made to wait for.
_ANYWAY = re.compile(r"\s*(?:\$\{\{)?\s*(?:always\(\)|!cancelled\(\))")
_MOST = 4


def needs_of_no_job(document: YamlDocument) -> Iterator[Outcome]:
    jobs = [name for name, _, _ in entries(child(document.root, "jobs"))]
    for job, _, node in entries(child(document.root, "jobs")):
        listed = [text_of(one) for one in items(child(node, "needs"))]
        for need in items(child(node, "needs")):
            if text_of(need) not in jobs:
                others = [name for name in jobs if name != job and name not in listed]
                yield _mended(document, node, need, job, others)


def _mended(document: YamlDocument, node: yaml.Node, need: yaml.Node, job: str, others: list[str]) -> Outcome:
    """The job of a similar name that is not listed yet; in a list of all other jobs, the one that it lacks when the two
    have a word in common. A job that resembles none is gone, and leaves the list; what waits for it alone waits for the
    one job that there is, and what runs last, whatever becomes of the others, for all of them."""
    old, needs = text_of(need), child(node, "needs")
    listed = len(items(needs))
    slip = one_slip(old, others) or reordered(old, others)
    close = [slip] if slip else get_close_matches(old, others, n=2, cutoff=0.75)
    if len(close) == 1 and (resembling(old, close) or (len(others) == 1 and listed >= _LONG)):
        return _renamed(document, node, need, job, close[0])
    if (giver := _giver(document, node, old, others)) and set(_WORDS.findall(old)) & set(_WORDS.findall(giver)):
        return _renamed(document, node, need, job, giver)
    alone = not close and len(others) == 1 and isinstance(needs, yaml.SequenceNode)
    if alone and set(_WORDS.findall(old.lower())) & set(_WORDS.findall(others[0].lower())):
        return _renamed(document, node, need, job, others[0])
    if not close and isinstance(needs, yaml.ScalarNode):
        return _only(document, node, need, job, others)
    if close or not isinstance(needs, yaml.SequenceNode) or len(needs.value) < 2 or len(others) > 1:
        return Refusal(f"`{old}` resembles no one job", document.path, document.line(need))
    if any(_uses(one, old) for one in every_node(node)):
        return Refusal(f"{job} reads what `{old}` gave", document.path, document.line(need))
    return _dropped(document, needs, need, job)


def _giver(document: YamlDocument, node: yaml.Node, old: str, others: list[str]) -> str:
    """The one job that gives every output which the job reads of the lost one; "" where it reads none."""
    found = re.compile(rf"\bneeds\.{re.escape(old)}\.outputs\.([\w-]+)")
    texts = [one.value for one in every_node(node) if isinstance(one, yaml.ScalarNode)]
    read = {name for text in texts for name in found.findall(text)}
    given = {one: {name for name, _, _ in entries(child(document.root, "jobs", one, "outputs"))} for one in others}
    giving = [one for one, names in given.items() if read and read <= names]
    return giving[0] if len(giving) == 1 else ""


def _only(document: YamlDocument, node: yaml.Node, need: yaml.Node, job: str, others: list[str]) -> Outcome:
    free = [one for one in others if job not in _waited_for(document, one)]
    if len(free) == 1:
        return _renamed(document, node, need, job, free[0])
    waited = {name for one in free for name in _waited_for(document, one)}
    last = [one for one in free if one not in waited]
    anyway = _ANYWAY.match(text_of(child(node, "if")))
    if not anyway or not 1 < len(last) <= _MOST or any(_uses(one, text_of(need)) for one in every_node(node)):
        return Refusal(f"`{text_of(need)}` resembles no one job", document.path, document.line(need))
    why = f"there is no job `{text_of(need)}`, and {job} runs when all others have ended"
    new = f"[{', '.join(last)}]".encode()
    edit = Edit(document.path, document.start(need), document.end(need), new, why)
    promises = tuple(
        Expectation("value", f"jobs.{job}.needs[{at}]={one}", job, document.path) for at, one in enumerate(last)
    )
    return Edited((edit,), (f"{document.path}:jobs.{job}.needs",), promises)


def _uses(node: yaml.Node, job: str) -> list[tuple[int, int]]:
    """Where expressions of a scalar name the job behind `needs.`."""
    if not isinstance(node, yaml.ScalarNode):
        return []
    return [found.span(1) for found in re.finditer(rf"\bneeds(?:\.|\[['\"])({re.escape(job)})(?![\w-])", node.value)]


def _renamed(document: YamlDocument, node: yaml.Node, need: yaml.Node, job: str, new: str) -> Outcome:
    """In the list, and in the expressions of the job that read its outputs or its result."""
    if job in _waited_for(document, new):
        return Refusal(f"`{new}` itself waits for {job}", document.path, document.line(need))
    start, end, old = document.start(need), document.end(need), text_of(need)
    why = f"there is no job `{old}`"
    edit = Edit(document.path, start, end, document.data[start:end].replace(old.encode(), new.encode()), why)
    place = _place(document, need, job)
    parts: list[Outcome] = [
        Edited(
            (edit,),
            (f"{document.path}:jobs.{job}.needs",),
            (Expectation("value", f"{place}={new}", job, document.path),),
        )
    ]
    for one in every_node(node):
        for first, last in _uses(one, old):
            edits = splice_scalar(document, one, first, last, new, why=why)  # type: ignore[arg-type]
            parts += [edits if isinstance(edits, Refusal) else Edited(edits, (f"{document.path}:jobs.{job}",), ())]
    return together(parts)


def _waited_for(document: YamlDocument, job: str) -> set[str]:
    """The jobs that must end before it, through others too."""
    found: set[str] = set()
    left = [job]
    while left:
        needs = {text_of(one) for one in items(child(document.root, "jobs", left.pop(), "needs"))} - found
        found |= needs
        left += needs
    return found


def _place(document: YamlDocument, need: yaml.Node, job: str) -> str:
    node = child(document.root, "jobs", job, "needs")
    if isinstance(node, yaml.SequenceNode):
        return f"jobs.{job}.needs[{node.value.index(need)}]"
    return f"jobs.{job}.needs"


def _dropped(document: YamlDocument, needs: yaml.SequenceNode, need: yaml.Node, job: str) -> Outcome:
    """The item with its line where it stands alone there, else with one comma."""
    data, start, end = document.data, document.start(need), document.end(need)
    first, last = line_start(data, start), line_end(data, end)
    before, after = data[first:start].strip(), data[end:last].split(b"#")[0].strip()
    if before in (b"", b"-") and after in (b"", b",") and last < len(data):
        start, end = first, last + 1
    elif not needs.flow_style:
        return Refusal("the item shares its line", document.path, document.line(need))
    elif found := re.match(rb"\s*,[ \t]*", data[end:]):
        end += found.end()
    elif found := re.search(rb",\s*\Z", data[:start]):
        start = found.start()
    at = needs.value.index(need)
    kept = [text_of(one) for one in needs.value if one is not need]
    edit = Edit(document.path, start, end, b"", f"there is no job `{text_of(need)}` any more")
    held = min(at, len(kept) - 1)
    promise = Expectation("value", f"jobs.{job}.needs[{held}]={kept[held]}", job, document.path)
    return Edited((edit,), (f"{document.path}:jobs.{job}.needs",), (promise,))
