"""Coverage's data in a file for each process, where several of them write one and spoil it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from triage.fixes.document import eol_at
from triage.fixes.manifests import toml
from triage.fixes.manifests.ini import Section, entry_of, option_of, section_of
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.refusal import Refusal
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation, as_promised

# Where coverage looks for its settings, in its order, with what the section is called there (its documentation,
# "Configuration reference").
_PLACES = {
    ".coveragerc": ("run", "coverage:run"),
    "setup.cfg": ("coverage:run",),
    "tox.ini": ("coverage:run",),
    "pyproject.toml": ("tool.coverage.run",),
}
_KEY = "parallel"
_WHY = "each process then writes a file of its own"
_RUNNERS = (".yml", ".yaml", ".sh", ".bash", "Makefile", ".mk", "tox.ini", "noxfile.py", ".toml")
_TRUE = re.compile(rb"(?i)[\"']?(?:true|yes|on|1)\b")
# coverage run --parallel-mode, and who puts the files together: pytest-cov does, `coverage run` does not.
_RUN = re.compile(rb"\bcoverage3?[\"']?[, ]+[\"']?run\b")
_COMBINE = re.compile(rb"\bcoverage3?[\"']?[, ]+[\"']?combine\b")


def cover_in_parallel(tree: Tree, job: str, captures: Mapping[str, str]) -> Outcome:
    del captures
    places = [
        (path, held) for path in _PLACES if path in tree and (held := section_of(tree.read(path), *_PLACES[path]))
    ]
    if not places:
        return Words("Set `parallel = true` in the `[run]` section of coverage's settings: each process writes its own")
    path, section = places[0]
    if ".coveragerc" in tree and path != ".coveragerc":
        return Words("Set `parallel = true` below a `[run]` of .coveragerc: coverage reads no other file beside it")
    data = tree.read(path)
    if path.endswith(".toml") and isinstance(toml.load(data), Refusal):
        return Refusal("it is no TOML", path)
    table = path.endswith(".toml")
    option = entry_of(data, section, _KEY) if table else option_of(data, section, _KEY, any_case=True)
    if option is not None and _TRUE.match(data, option.at):
        return InPlace(f"{path} sets parallel")
    texts = list(_texts(tree))
    if any(_RUN.search(one) for one in texts) and not any(_COMBINE.search(one) for one in texts):
        more = "and put the files together before the report with `coverage combine`"
        return Words(f"Set `parallel = true` under `[{section.name}]` in {path}, {more}")
    eol = eol_at(data, section.start)
    line = b"parallel = " + (b"True" if _capital(data, section, path.endswith(".toml")) else b"true")
    lead = b"" if data[: section.start].endswith(b"\n") else eol
    edit = Edit(path, section.start, section.start, lead + line + eol, _WHY)
    if option is not None:
        word = re.compile(rb"[^\s#;,]*").match(data, option.at)
        edit = Edit(path, option.at, word.end() if word else option.at, line.partition(b" = ")[2], _WHY)
        line = data[option.start : option.at] + edit.new
    declared = f"{path}:{section.name}.parallel" if path.endswith(".toml") else path
    promise = Expectation("line", as_promised(line), job, path)
    title = f"Let each process write coverage's data to a file of its own ({path})"
    return Edited((edit,), (declared,), (promise,), title=title)


def _capital(data: bytes, section: Section, toml_file: bool) -> bool:
    """As the section, or the file, writes its other switches; else as coverage's documentation does."""
    own = data[section.start : section.end]
    found = re.findall(rb"=[ \t]*([Tt]rue|[Ff]alse)\b", own) or re.findall(rb"=[ \t]*([Tt]rue|[Ff]alse)\b", data)
    return found[0][:1].isupper() if found else not toml_file


def _texts(tree: Tree) -> Iterator[bytes]:
    return (tree.read(path) for path in tree.paths() if path.endswith(_RUNNERS))
