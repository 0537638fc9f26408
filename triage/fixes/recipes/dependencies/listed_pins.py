"""`pip_pin` in requirements files that people write."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from triage.fixes.document import line_end, line_with, offset_of
from triage.fixes.recipes.blast import jobs_that_install
from triage.fixes.recipes.dependencies.environments import included
from triage.fixes.recipes.dependencies.holding import bounded, standing_of
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.outcome import Edited, Outcome, Words
from triage.fixes.recipes.placing import comment_line
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import Named, compiled_with, in_file, naming, normalised
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import PipPin


def in_requirement_files(
    recipe: PipPin, here: Situation, done: tuple[Install, ...], name: str, spec: str
) -> Iterator[Outcome]:
    """Once a line, whichever of the files that the job installs include the one that it stands in."""
    read = (path for one in done for path in (*one.files, *one.constraints))
    seen: set[tuple[str, int]] = set()
    for path in dict.fromkeys((*read, *included(here))):
        for named in naming(in_file(here.tree, path), (normalised(name),)):
            if (named.path, named.line) in seen:
                continue
            seen.add((named.path, named.line))
            yield _rewritten(recipe, here, named, spec, path)


def _rewritten(recipe: PipPin, here: Situation, named: Named, spec: str, installed: str) -> Outcome:
    standing = standing_of(recipe, here, named, spec)
    if standing is not None:
        return standing
    data = here.tree.read(named.path)
    start = offset_of(data, named.line)
    at = data.find(named.spec.encode(), start, line_end(data, start))
    if at < 0:
        return Refusal(f"{named.spec} is not written as such", named.path, named.line)
    why = f"{installed} is installed by {here.job.id}; {named.written} is held at {spec}"
    text = f"{named.written}{bounded(named.pin, spec)}"
    command = compiled_with(data)
    if command:
        return _compiled(recipe, here, named, spec, installed, command)
    end = at + len(named.spec.encode())
    edits = [Edit(named.path, at, end, text.encode(), why)]
    edits += comment_line(named.path, data, start, recipe.comment, why)
    held = as_promised(line_with(data, at, end, text.encode()))
    promise = Expectation("line", held, here.target.job, named.path)
    return Edited(tuple(edits), (named.path,), (promise,), blast_radius=jobs_that_install(here, installed))


def _compiled(recipe: PipPin, here: Situation, named: Named, spec: str, installed: str, command: str) -> Words:
    """The bound goes where people write requirements; only the compiler can renew what comes of it."""
    text = f"{named.written}{bounded(named.pin, spec)}"
    folder = posixpath.dirname(named.path)
    words = [word for word in command.split() if word.endswith(".in")]
    paths = [path for word in words for path in (word, posixpath.normpath(posixpath.join(folder, word)))]
    source = next((path for path in paths if path in here.tree), "")
    found = naming(in_file(here.tree, source), (named.name,)) if source else ()
    shown = _rewritten(recipe, here, found[0], spec, installed) if found else None
    place = f"{source}:{found[0].line}" if found else source or "what it is compiled from"
    said = f"{named.path}:{named.line} is compiled: hold {text} in {place} and run `{command}`"
    return Words(said, shown=shown if isinstance(shown, Edited) else None)
