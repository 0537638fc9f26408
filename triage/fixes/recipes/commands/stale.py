"""A path that the log says is not there, where the repository has that file or folder at one other place."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace

import yaml

from triage.fixes.document import line_of
from triage.fixes.evaluate.values import Site, SiteKind, Value, cut
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.builds.copied_sources import copied
from triage.fixes.recipes.commands.copies import copy_called
from triage.fixes.recipes.commands.entered import entered
from triage.fixes.recipes.commands.homes import folder_called, is_there, misspelt, other_ending, slipped
from triage.fixes.recipes.commands.listed import named_alone
from triage.fixes.recipes.commands.moved_folder import changed_folder
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.commands.subfolder import under_the_checkout
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, together
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import replace_value
from triage.fixes.yaml.nodes import child, entries, items, text_of
from triage.fixes.yaml.scalar_edits import replace_scalar
from triage.interfaces import Tree
from triage.model.patch import Expectation

_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*/?")
# So many candidates are listed where several files have the name.
_MOST = 5
_CD = re.compile(rb"(?m)^[ \t]*(?:cd|pushd)[ \t]+([\w./-]+)")


def stale_path(missing: str, here: Situation) -> Outcome:
    """`missing` is what the log names: a path as it was written, or an absolute one that ends in it."""
    found = list(
        {site.key: (site, text) for site, text in (*_written(missing, here), *_inputs(missing, here))}.values()
    )
    found = [(site, text) for site, text in found if not _is_there(here.tree, text)]
    job = here.job
    if not found and (listed := named_alone(here.tree, job.workflow, job.node, here.target.job, missing)) is not None:
        return listed
    if not found:
        if here.facts.build is None:
            return under_the_checkout(missing, here)
        made = copied(missing, here, lambda old: _place(here, old))
        return made or Refusal(f"no command of {job.id} names {missing}", job.path, job.line)
    outcomes = [_moved(here, site, text) for site, text in found]
    first = outcomes[0]
    if isinstance(first, Edited):
        outcomes += _filters(here, found[0][1])
    return together(outcomes)


def _written(missing: str, here: Situation) -> Iterator[tuple[Site, str]]:
    """Arguments of the job's commands, then folders that the failed step changes to."""
    for one in here.concerned:
        program = one.program[0] if one.program else None
        for word in (*one.argv, *(word for call in one.calls for word in call.words)):
            text = word.text or ""
            if word is program and "/" not in text:
                continue  # a program that the shell looks up, whatever folder has its name
            if _PATH.fullmatch(text) and _ends(missing, text) and len(word.sites) == 1 and _editable(word):
                yield word.sites[0], text
            yield from _below_unknown(missing, word)
            yield from _of_option(missing, word)
    step = here.step
    # The header of a step does not show the folder that it runs in.
    unsaid = [one.working_directory for one in here.job.steps] if step is None and missing.startswith("/") else []
    for node in (step.run, step.working_directory) if step is not None else unsaid:
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


def _below_unknown(missing: str, word: Value) -> Iterator[tuple[Site, str]]:
    """`${ROOT}/configs/a.yaml`, where only the run knows the root: the part behind it, the end of the log's path."""
    last = word.pieces[-1] if len(word.pieces) > 1 and not word.known else None
    text = (last.text or "").lstrip("/") if last is not None else ""
    if last is None or "/" not in text or not (last.text or "").startswith("/"):
        return
    site = cut(last, 1, len(last.text or "")).site
    if site is not None and _PATH.fullmatch(text) and _ends(missing, text) and _editable(Value((last,))):
        yield site, text


def _of_option(missing: str, word: Value) -> Iterator[tuple[Site, str]]:
    """`--map=configs/map.json`, which no variable has a part in: what stands behind the sign."""
    (text, at) = (word.text or "", (word.text or "").find("=") + 1)
    if len(word.pieces) == 1 and at and text.startswith("--") and _PATH.fullmatch(text, at) and "/" in text[at:]:
        site = cut(word.pieces[0], at, len(text)).site
        if site is not None and _ends(missing, text[at:]) and _editable(word):
            yield site, text[at:]


def _inputs(missing: str, here: Situation) -> Iterator[tuple[Site, str]]:
    """What the failed step gives its action, or any step where none is known to have failed."""
    for step in (here.step,) if here.step is not None else here.job.steps:
        for _, _, node in entries(child(step.node, "with")):
            text = text_of(node)
            if isinstance(node, yaml.ScalarNode) and _PATH.fullmatch(text) and "/" in text and _ends(missing, text):
                document = step.document
                start = document.start(node) + (node.style in ("'", '"'))
                yield Site(document.path, start, start + len(text.encode()), document.line(node), SiteKind.INPUT), text


def _editable(word: Value) -> bool:
    return word.sites[0].kind not in (SiteKind.COMPUTED, SiteKind.FACT)


def _ends(missing: str, text: str) -> bool:
    one, other = posixpath.normpath(missing), posixpath.normpath(text)
    return one == other or one.endswith(f"/{other}")


def _is_there(tree: Tree, text: str) -> bool:
    return is_there(tree, posixpath.normpath(text))


def _place(here: Situation, text: str) -> str:
    """The one file, or folder, of the same name; of several the one whose folder the job is about; else the one file
    of the same folder that is spelled nearly alike; "" for none."""
    path = posixpath.normpath(text)
    name = posixpath.basename(path)
    files = [one for one in here.tree.paths() if posixpath.basename(one) == name]
    if files or "." in name:
        found = files[0] if len(files) == 1 else _told_apart(here, path, files)
        return found if files else other_ending(here.tree, path) or misspelt(here.tree, path)
    return folder_called(here.tree, name)


def _told_apart(here: Situation, old: str, files: list[str]) -> str:
    """The one file below the old folder (or one above it) whose further folders the job's and the step's names say."""
    step = here.step
    names = [here.job.name, here.job.id, here.target.job, *([step.name] if step is not None else [])]
    names += [text_of(node) for one in ([step] if step else []) for _, _, node in entries(child(one.node, "with"))]
    spoken = " ".join(_bare(name.replace(old, "")) for name in names)
    folder = posixpath.dirname(old)
    fitting = [one for one in files if one.startswith(f"{folder}/") and folder]
    fitting = [one for one in fitting if all(_bare(part) in spoken for part in _between(folder, one))]
    return fitting[0] if len(fitting) == 1 else ""


def _between(folder: str, path: str) -> list[str]:
    return posixpath.dirname(path)[len(folder) + 1 :].split("/")


def _bare(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _moved(here: Situation, site: Site, text: str) -> Outcome:
    running = _running(here, site)
    place = _place(here, text) or slipped(here.tree, posixpath.normpath(posixpath.join(running, text)))
    place = place or entered(here.tree, _script(here, site), text)
    if not place:
        name = posixpath.basename(text.rstrip("/"))
        homes = [one for one in here.tree.paths() if posixpath.basename(one) == name]
        listed = f": {', '.join(homes[:_MOST])}" if homes else ""
        return Refusal(f"the repository has not exactly one `{name}`{listed}", site.path, site.line)
    folder, name = posixpath.split(text)
    # In the folder that was named it is the name alone, wherever the command runs.
    beside = bool(folder and name) and posixpath.dirname(place) == posixpath.normpath(folder)
    renamed = f"{folder}/{posixpath.basename(place)}"
    if not beside and not is_there(here.tree, running):
        return Refusal(f"{running} is made by a run, and what stands in it may be", site.path, site.line)
    new = renamed if beside else posixpath.relpath(place, running) + "/" * text.endswith("/")
    if new == text:
        return InPlace(f"{place} is there")
    if new.startswith("../") and (changed := changed_folder(here, text, place)) is not None:
        return changed
    edits = replace_value(here.tree, site, text, new, why=f"{text} is at {place}")
    if isinstance(edits, Refusal):
        return edits
    copies = copy_called(here.tree, site, name, posixpath.basename(new)) if beside else ()
    step = here.step.index if here.step is not None else -1
    whole = site.path == here.job.path
    declared = _declared(here, site, step) if whole else site.path
    made = Edited((*edits, *copies), (declared,), promised(here, (*edits, *copies)))
    return replace(made, blast_radius=blast_radius(here, (site,)))


def _running(here: Situation, site: Site) -> str:
    """The folder that the command runs in which names the path."""
    running = {
        one.directory
        for one in here.concerned
        for word in (*one.argv, *(word for call in one.calls for word in call.words))
        if word.known and any(_within(site, own) for own in word.sites)
    }
    return (running.pop() if len(running) == 1 else "") or "."


def _within(part: Site, whole: Site) -> bool:
    return part.path == whole.path and whole.start <= part.start and part.end <= whole.end


def _script(here: Situation, site: Site) -> str:
    """The script that the path stands in."""
    run = here.step.run if here.step is not None else None
    if site.path == here.job.path:
        return run.value if run is not None else ""
    return here.tree.read(site.path).decode("utf-8", "replace")


def _declared(here: Situation, site: Site, step: int) -> str:
    """The step, or that of its inputs which holds the path."""
    for one in here.job.steps:
        for key, _, node in entries(child(one.node, "with")):
            if one.document.start(node) <= site.start < one.document.end(node) and one.path == site.path:
                return f"{site.path}:{here.place}.steps[{one.index}].with.{key}"
    return declared_at(here, site.path, step).removesuffix(".run") if step >= 0 else site.path


def _filters(here: Situation, old: str) -> list[Outcome]:
    """The same path in the workflow's own path filters, which would miss the file where it is now."""
    outcomes: list[Outcome] = []
    new = _place(here, old)
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
