"""A path that the log says is not there, where the repository has that file or folder at one other place."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace

from triage.fixes.document import line_end, line_of, line_start
from triage.fixes.evaluate.values import Site, SiteKind, Value
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.outcome import Edited, Outcome, together
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import replace_value
from triage.fixes.yaml.nodes import child, entries, items, text_of
from triage.fixes.yaml.scalar_edits import replace_scalar
from triage.interfaces import Tree
from triage.model.patch import Expectation

_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*/?")
_CD = re.compile(rb"(?m)^[ \t]*(?:cd|pushd)[ \t]+([\w./-]+)")


def stale_path(missing: str, here: Situation) -> Outcome:
    """`missing` is what the log names: a path as it was written, or an absolute one that ends in it."""
    found = list({site.key: (site, text) for site, text in _written(missing, here)}.values())
    found = [(site, text) for site, text in found if not _is_there(here.tree, text)]
    if not found:
        return Refusal(f"no command of {here.job.id} names {missing}", here.job.path, here.job.line)
    outcomes = [_moved(here, site, text) for site, text in found]
    first = outcomes[0]
    if isinstance(first, Edited):
        outcomes += _filters(here, found[0][1])
    return together(outcomes)


def _written(missing: str, here: Situation) -> Iterator[tuple[Site, str]]:
    """Arguments of the job's commands, then folders that the failed step changes to."""
    for one in here.concerned:
        for word in (*one.argv, *(word for call in one.calls for word in call.words)):
            text = word.text or ""
            if _PATH.fullmatch(text) and _ends(missing, text) and len(word.sites) == 1 and _editable(word):
                yield word.sites[0], text
    step = here.step
    for node in (step.run, step.working_directory) if step is not None else ():
        if node is None:
            continue
        document = here.job.document
        start, end = document.start(node), document.byte(node.end_mark.index)
        data = document.data[start:end]
        whole = [(0, len(data.rstrip()))]
        spans = whole if "\n" not in node.value and not _CD.match(data) else [one.span(1) for one in _CD.finditer(data)]
        for first, last in spans:
            text = data[first:last].decode("utf-8", "replace")
            if _PATH.fullmatch(text) and _ends(missing, text):
                line = line_of(document.data, start + first)
                yield Site(document.path, start + first, start + last, line, SiteKind.INPUT, quote="yaml"), text


def _editable(word: Value) -> bool:
    return word.sites[0].kind not in (SiteKind.COMPUTED, SiteKind.FACT)


def _ends(missing: str, text: str) -> bool:
    one, other = posixpath.normpath(missing), posixpath.normpath(text)
    return one == other or one.endswith(f"/{other}")


def _is_there(tree: Tree, text: str) -> bool:
    path = posixpath.normpath(text)
    return path in tree or any(one.startswith(f"{path}/") for one in tree.paths())


def _place(tree: Tree, text: str) -> str:
    """The one file, or folder, of the same name; "" where there is none or several."""
    path = posixpath.normpath(text)
    name = posixpath.basename(path)
    files = [one for one in tree.paths() if posixpath.basename(one) == name]
    if files or "." in name:
        return files[0] if len(files) == 1 else ""
    folders = {one[: one.index(f"{name}/") + len(name)] for one in tree.paths() if f"/{name}/" in f"/{one}"}
    exact = {one for one in folders if posixpath.basename(one) == name}
    return exact.pop() if len(exact) == 1 else ""


def _moved(here: Situation, site: Site, text: str) -> Outcome:
    place = _place(here.tree, text)
    if not place:
        return Refusal(
            f"the repository has not exactly one `{posixpath.basename(text.rstrip('/'))}`", site.path, site.line
        )
    new = place + "/" * text.endswith("/")
    edits = replace_value(here.tree, site, text, new, why=f"{text} is at {place}")
    if isinstance(edits, Refusal):
        return edits
    data = here.tree.read(site.path)
    after = data[line_start(data, site.start) : site.start] + new.encode() + data[site.end : line_end(data, site.end)]
    held = after.decode("utf-8", "replace").partition(" #")[0].strip()
    step = here.step.index if here.step is not None else -1
    whole = site.path == here.job.path and step >= 0
    declared = declared_at(here, site.path, step).removesuffix(".run") if whole else site.path
    made = Edited(edits, (declared,), (Expectation("line", held, here.target.job, site.path),))
    return replace(made, blast_radius=blast_radius(here, (site,)))


def _filters(here: Situation, old: str) -> list[Outcome]:
    """The same path in the workflow's own path filters, which would miss the file where it is now."""
    outcomes: list[Outcome] = []
    new = _place(here.tree, old)
    for event, _, node in entries(child(here.job.workflow.node, "on")):
        for key in ("paths", "paths-ignore"):
            for at, one in enumerate(items(child(node, key))):
                if text_of(one).strip("/") == posixpath.normpath(old):
                    edits = replace_scalar(here.job.document, one, new, why=f"{old} is at {new}")  # type: ignore[arg-type]
                    place = f"on.{event}.{key}[{at}]"
                    promise = Expectation("value", f"{place}={new}", here.target.job, here.job.path)
                    outcomes += (
                        [] if isinstance(edits, Refusal) else [Edited(edits, (f"{here.job.path}:{place}",), (promise,))]
                    )
    return outcomes
