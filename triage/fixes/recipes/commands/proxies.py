"""`drop_proxy`: the options and the lines that name the proxy which refuses the job's connections."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from triage.fixes.document import splice
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.typed import is_typed
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import DropProxy

_HOST, _PORT = re.compile(r"[A-Za-z0-9.-]{1,120}\Z"), re.compile(r"[0-9]{2,5}\Z")


def drop_proxy(recipe: DropProxy, here: Situation) -> Outcome:
    host, port = (here.captures.get(one.strip("{}"), "") for one in (recipe.host, recipe.port))
    if not _HOST.match(host) or not _PORT.match(port):
        return Refusal("the log does not say which address refused the connection")
    calls = {call.path: one.step for one in here.evaluation.invocations for call in one.calls}
    paths = {here.job.path: -1, **calls, **({here.image: -1} if here.image else {})}
    for path, step in paths.items():
        edits = () if is_typed(path) or path not in here.tree else tuple(_edits(here, path, f"{host}:{port}"))
        if edits and (left := _left(here, path, edits, f"{host}:{port}")):
            return Words(f"take the proxy {host}:{port} away in {path}, also from `{left}`")
        if edits:
            steps = [one.index for one in here.job.steps if path == here.job.path and _within(here, one.index, edits)]
            declared = declared_at(here, path, steps[0]) if len(steps) == 1 else path
            title = f"Do not go through the proxy {host}:{port}, which refuses connections"
            promises = promised(here, edits) or _kept(here, path, edits)
            made = Edited(edits, (declared,), promises, title=title, settled=replace(recipe, settled=True))
            return made if path == here.job.path or step < 0 else made.noting(*blast_radius(here, edits))
    if recipe.settled:
        return InPlace(f"nothing names the proxy {host}:{port}")
    return Refusal(f"no file that {here.job.id} runs names the proxy {host}:{port}", here.job.path, here.job.line)


def _kept(here: Situation, path: str, edits: tuple[Edit, ...]) -> tuple[Expectation, ...]:
    """Where whole lines go, the one before them stays."""
    before = here.tree.read(path)[: edits[0].start].rstrip().rpartition(b"\n")[2]
    return (Expectation("line", as_promised(before), here.target.job, path),) if before.strip() else ()


def _left(here: Situation, path: str, edits: tuple[Edit, ...], address: str) -> str:
    """A line that would still name the proxy, or is the end of one that goes on; "" for none."""
    data = here.tree.read(path)
    for edit in edits:
        before = data[: edit.start].rstrip(b"\r\n")
        if data[edit.start - 1 : edit.start] == b"\n" and before.endswith(b"\\"):
            return data[edit.start : edit.end].decode("utf-8", "replace").strip()
    rest = splice(data, edits)
    lines = [] if isinstance(rest, Refusal) else rest.decode("utf-8", "replace").splitlines()
    return next((line.strip() for line in lines if address in line and not line.lstrip().startswith("#")), "")


def _within(here: Situation, index: int, edits: tuple[Edit, ...]) -> bool:
    step = here.job.steps[index]
    start, end = step.document.start(step.node), step.document.end(step.node)
    return all(start <= edit.start and edit.end <= end for edit in edits)


def _edits(here: Situation, path: str, address: str) -> Iterator[Edit]:
    """Options go alone, assignments with their line. Comments stay."""
    data = here.tree.read(path)
    place = re.escape(address.encode()) + rb"/?[\"']?(?=[\s\\;&]|\Z)"
    option = re.compile(rb"[ \t]+--(?:build-arg[= ]\w*proxy=|proxy[= ])[\"']?\S{0,60}" + place, re.I)
    line = re.compile(
        rb"(?m)^[ \t]*(?:export[ \t]+|ENV[ \t]+)?(?:\w+_)?proxy[=: ][ \t]*[\"']?[^\s#]{0,60}" + place + rb"[ \t]*\r?\n",
        re.I,
    )
    for found in [*option.finditer(data), *line.finditer(data)]:
        yield Edit(path, found.start(), found.end(), b"", f"{address} refuses connections")
