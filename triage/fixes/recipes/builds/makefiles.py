"""A Makefile of the repository that starts as many compilers as there are cores, whatever the environment says."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from triage.fixes.document import line_of
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.commands.scripts import Script, promised
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.patch import Edit
from triage.model.recipe import FewerJobs

_MADE = re.compile(r"(?<![\w./-])make(?P<words>(?:[ \t]+(?:\\\n[ \t]*)?[^\s;&|]+)*)")
_NAMES = ("GNUmakefile", "makefile", "Makefile")
_RULE = re.compile(r"^(?P<targets>[\w./ -]+?)\s*::?(?!=)(?P<needs>[^=\n]*)$")
_JOBS = re.compile(
    r"\b(?:make|ninja|cmake --build)\b[^\n;&|]*?\s(?P<option>-j|--parallel)"
    r"(?P<jobs>(?:[ =]?(?:\$\(shell[^()\n]*\)|\$\$\(nproc[^()\n]*\)|(?=[\w$])[^\s;&|)]+))?)(?=[\s;&|)]|\Z)"
)
# All cores, or as many as there are files.
_MANY = re.compile(r"(?:[ =]?(?:\$\(shell\s+nproc\b[^()]*\)|\$\$\(nproc\b[^()]*\)))?")


def bounded_makefile(recipe: FewerJobs, here: Situation, texts: Sequence[tuple[Script, str, int]]) -> Outcome | None:
    """The cores that the Makefile counts for the targets that the failed commands make, as a number; None where no
    such Makefile is known. Another number of its own is a refusal: no variable of ours changes it."""
    called = [one for _, text, _ in texts for one in _called(here, text)]
    if len({path for path, _ in called}) != 1:
        return None
    path, text = called[0][0], here.tree.read(called[0][0]).decode("utf-8", "replace")
    found = list(_in_rules(text, [target for _, targets in called for target in targets]))
    if not found or len(text.encode()) != len(here.tree.read(path)):
        return None
    if odd := [hit["jobs"].strip(" =") for _, hit in found if not _MANY.fullmatch(hit["jobs"])]:
        if any(recipe.name in one for one in odd):
            return None
        return Refusal(f"the build tool starts `{odd[0]}` compilers at once, whatever {recipe.name} is", path)
    why = "one compiler a core needs more memory than there is"
    places = [(offset + hit.start("jobs"), offset + hit.end("jobs")) for offset, hit in found]
    news = [_number(hit, recipe.value) for _, hit in found]
    spans = [(len(text[:start].encode()), len(text[:end].encode())) for start, end in places]
    edits = tuple(Edit(path, *span, new.encode(), why) for span, new in zip(spans, news, strict=True))
    settled = replace(recipe, settled=_line(text, places[0], news[0]))
    made = Edited(edits, (path,), promised(here, edits), settled=settled)
    title = f"Run no more than {recipe.value} compilers at once in {path}:{line_of(here.tree.read(path), spans[0][0])}"
    because = "The Makefile starts one compiler a core for these targets, and reads no variable."
    return replace(made, title=title, because=because, blast_radius=blast_radius(here, edits))


def _number(hit: re.Match[str], value: str) -> str:
    """As the option takes it: in one word with `-j`, unless a blank stands there."""
    sign = hit["jobs"][:1] if hit["jobs"][:1] in (" ", "=") else " " if hit["option"] != "-j" else ""
    return f"{sign}{value}"


def _line(text: str, place: tuple[int, int], value: str) -> str:
    start, end = text.rfind("\n", 0, place[0]) + 1, text.find("\n", place[1])
    return f"{text[start : place[0]]}{value}{text[place[1] : end if end >= 0 else len(text)]}".strip()


def in_place(settled: str, here: Situation, texts: Sequence[tuple[Script, str, int]]) -> bool:
    """Whether a Makefile that the commands make holds the line."""
    return any(settled.encode() in here.tree.read(path) for _, text, _ in texts for path, _ in _called(here, text))


def _called(here: Situation, text: str) -> Iterator[tuple[str, list[str]]]:
    """Makefiles of the tree and their targets, of `make` commands that say no number of jobs themselves."""
    for hit in _MADE.finditer(text):
        words = hit["words"].replace("\\\n", " ").split()
        if any(word.startswith(("-j", "--jobs", "-f", "--file")) for word in words):
            continue
        folder = next((words[at + 1] for at, word in enumerate(words[:-1]) if word == "-C"), "")
        paths = (posixpath.normpath(posixpath.join(folder, name)) for name in _NAMES)
        path = next((one for one in paths if folder and one in here.tree), "")
        skipped = {at + 1 for at, word in enumerate(words) if word in ("-C", "-o", "-W", "-I")}
        targets = [
            word for at, word in enumerate(words) if at not in skipped and re.fullmatch(r"[A-Za-z][\w.-]*", word)
        ]
        if path:
            yield path, targets


def _in_rules(text: str, targets: Sequence[str]) -> Iterator[tuple[int, re.Match[str]]]:
    """Build tools in the recipes of the targets (the first where none is named) and of all that they need."""
    rules = list(_rules(text))
    first = [rules[0][0][0]] if rules and rules[0][0] else []
    wanted, queue = set[str](), list(targets) or first
    while queue:
        name = queue.pop()
        if name not in wanted:
            wanted.add(name)
            queue += [need for names, needs, _ in rules if name in names for need in needs]
    for names, _, lines in rules:
        for offset, line in lines if wanted & set(names) else ():
            yield from ((offset, hit) for hit in _JOBS.finditer(line))


def _rules(text: str) -> Iterator[tuple[list[str], list[str], list[tuple[int, str]]]]:
    """Targets, what they need, and the lines of their recipes with their offsets."""
    rule: tuple[list[str], list[str], list[tuple[int, str]]] | None = None
    offset = 0
    for line in text.splitlines(keepends=True):
        found = None if line.startswith("\t") else _RULE.match(line.rstrip("\r\n"))
        if found is not None and not line.startswith("."):
            if rule is not None:
                yield rule
            rule = (found["targets"].split(), found["needs"].split(), [])
        elif line.startswith("\t") and rule is not None and not line.lstrip().startswith("#"):
            rule[2].append((offset, line))
        offset += len(line)
    if rule is not None:
        yield rule
