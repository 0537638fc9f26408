"""`repair_requirement`: a slip of the keyboard in a requirement that no installer can read, where it has one reading.

The text comes from the log and only selects among the words that the job installs; the new text follows from it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from triage.fixes.document import line_of
from triage.fixes.evaluate.values import Value
from triage.fixes.project import MANIFESTS
from triage.fixes.recipes.blast import jobs_that_install
from triage.fixes.recipes.commands.scripts import promised, promised_of
from triage.fixes.recipes.dependencies.declarations import read_files
from triage.fixes.recipes.dependencies.installs import Install, installs
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import requirement_files
from triage.fixes.shell.edits import replace_at, replace_value
from triage.fixes.target import Target
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation
from triage.model.recipe import RepairRequirement

# https://packaging.python.org/en/latest/specifications/version-specifiers/
_RELEASE = r"[0-9]+(?:\.[0-9]+)*(?:\.?(?:a|b|rc|dev|post)[0-9]+)?(?:\+[\w.]+)?"
_SIGN = r"(?:==|!=|<=|>=|~=(?![0-9]+(?:,|$))|<|>)"
_SOUND = re.compile(rf"[A-Za-z0-9][\w.-]*(?:\[[\w,.-]+\])?(?:{_SIGN}{_RELEASE}(?:,(?!$)|$))*", re.ASCII)
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(?:\[[\w,.-]+\])?", re.ASCII)
_EXTRAS = re.compile(r"\[[A-Za-z0-9][\w.-]*(?:,[A-Za-z0-9][\w.-]*)*\]", re.ASCII)
_NAME_FOR_SYSTEM = re.compile(
    r"(?P<name>(?!(?:git|hg|svn|bzr)\+)[A-Za-z][A-Za-z0-9_.-]{1,60})\+(?P<address>https://[\w./@-]{1,160}\.git(?:@[\w./-]{1,80})?)",
    re.ASCII,
)
# As pip says where a requirement stands: `(from line 3 of requirements/base.txt)`.
_NAMED_FILE = re.compile(r"line [0-9]+ of ([\w./-]+)", re.ASCII)
# Each slip with what it stands for; of several that lead to something sound none is chosen.
_SLIPS = (
    (re.compile(r"(?<===)([0-9]+(?:\.[0-9]+)?),(?=[0-9]+$)"), r"\1."),  # ==0.6,2; after `>=` two bounds may be meant
    (re.compile(r"(?<=~=)([0-9]+)\.?(?=,|$)"), r"\1.0"),  # ~=1. or ~=1: a compatible release has two parts
    (re.compile(r"(?<=[0-9])\.+(?=,|$)"), ""),  # ==0.6.
    (re.compile(r"(?<=[0-9])\.\.(?=[0-9])"), "."),  # ==0..6
    (re.compile(r"(?<![=<>!~])=(?![=<>])"), "=="),  # =0.6
    (re.compile(r"=([<>])"), r"\1="),  # =>0.6
    (re.compile(r"={1,2}(?=[<>!~]=)"), ""),  # ==>=0.6
    (re.compile(r"===="), "=="),
    (re.compile(r"(?<=[0-9])(?=[<>!~=]{1,2}[0-9])"), ","),  # >=0.6<0.7
    (re.compile(r",$"), ""),  # >=0.6,
    (re.compile(r",,"), ","),
)


def mended(text: str) -> str:
    """What a requirement was meant to be; "" where it is sound, or where no single slip explains it."""
    bare = text.replace(" ", "")
    if _EXTRAS.fullmatch(bare):
        return f".{bare}"  # `pip install -e [test]` lost the folder that the extras are of
    if source := _NAME_FOR_SYSTEM.fullmatch(bare):
        return f"git+{source['address']}#egg={source['name']}"  # the name stands where `git` belongs
    if len(bare) > 120 or _SOUND.fullmatch(bare):
        return ""
    name = _NAME.match(bare)
    at = name.end() if name else 0  # a name may end in a digit as a release does
    sound = {new for slip, meant in _SLIPS if _SOUND.fullmatch(new := bare[:at] + slip.sub(meant, bare[at:]))}
    return sound.pop() if len(sound) == 1 else ""


def repair_requirement(recipe: RepairRequirement, here: Situation) -> Outcome:
    """Every command, and every requirements file, that holds it to the letter."""
    text = here.captures.get(recipe.requirement.strip("{}"), "").partition(" (from ")[0].strip("'\" ")
    new = mended(text)
    if _SOUND.fullmatch(text):
        return Refusal(f"`{text}` is a requirement: something else is wrong with it")
    words, lines = _holding(here, text, new)
    if not words and not lines:
        held = [*filter(None, _holding(here, new, new))]
        return InPlace(f"it says {new}") if held else Refusal(f"nothing that {here.job.id} installs is written like it")
    if not new:
        where = [f"{one.call.path}:{one.call.line}" for one, _ in words]
        where += [f"{edit.path}:{line_of(here.tree.read(edit.path), edit.start)}" for edit in lines]
        return Words(f"`{text}` at {', '.join(dict.fromkeys(where))} is no requirement: write a name, then bounds")
    made = [in_word(here, one, value, text, new) for one, value in words]
    return together([*made, *([_files(here, lines, new)] if lines else [])])


def repair_in_lists(recipe: RepairRequirement, tree: Tree, target: Target, captures: Mapping[str, str]) -> Outcome:
    """Where no job is known: the requirements files that hold it to the letter, or the one that the log names."""
    text, _, place = captures.get(recipe.requirement.strip("{}"), "").partition(" (from ")
    text, named = text.strip("'\" "), _NAMED_FILE.search(place)
    new = mended(text)
    held = (*requirement_files(tree), *_manifests(tree))
    found = [edit for path in held if new for edit in _lines(tree, path, text, new)]
    told = [one for one in found if named is None or posixpath.basename(one.path) == posixpath.basename(named[1])]
    if not told:
        if any([*_lines(tree, path, new, new)] for path in held if new):
            return InPlace(f"it says {new}")
        return Refusal(f"no list of the repository holds `{text[:60]}` and says what was meant")
    paths = tuple(dict.fromkeys(one.path for one in told))
    return Edited(tuple(told), paths, promised_of(tree, target.job, told), title=f"Write {new}")


def _holding(here: Situation, text: str, new: str) -> tuple[list[tuple[Install, Value]], list[Edit]]:
    """Words of install commands, and places in the files that they read."""
    done = installs(here.evaluation.invocations) if text else ()
    read = (path for _, path in read_files(here.tree, ".")) if text else ()
    every = (*(path for one in done for path in one.files), *read)
    manifests = _manifests(here.tree) if text else ()
    files = [path for path in dict.fromkeys((*every, *manifests)) if path in here.tree]
    words = [(one, value) for one in done for value in one.invocation.argv if value.text == text]
    return words, [edit for path in files for edit in _lines(here.tree, path, text, new)]


def in_word(here: Situation, one: Install, value: Value, text: str, new: str) -> Outcome:
    """One word of an install command, written otherwise."""
    if len(value.sites) != 1:
        return Refusal(f"`{text}` is put together where it cannot be replaced", one.call.path, one.call.line)
    site, why = value.sites[0], f"`{text}` is no requirement"
    if _EXTRAS.fullmatch(text) and not site.quote:
        edits = replace_at(here.tree, site.path, site.start, text, f'"{new}"', why=why)  # brackets are a pattern too
    else:
        edits = replace_value(here.tree, site, text, new, why=why)
    if isinstance(edits, Refusal):
        return edits
    declared = declared_at(here, value.sites[0].path, one.invocation.step)
    if any(word.text is None for word in one.invocation.argv):  # then only the line can be compared
        return Edited(edits, (declared,), promised(here, edits), title=f"Write {new}")
    words = " ".join(new if word is value else word.text or "" for word in one.invocation.argv)
    promise = Expectation("command", words, here.target.job, here.target.workflow_path)
    return Edited(edits, (declared,), (promise,), title=f"Write {new}")


def _manifests(tree: Tree) -> Iterator[str]:
    """What describes a project, with the lists of what it requires."""
    return (path for path in tree.paths() if posixpath.basename(path) in MANIFESTS)


def _lines(tree: Tree, path: str, text: str, new: str) -> Iterator[Edit]:
    data = tree.read(path)
    if posixpath.basename(path) in MANIFESTS and not path.endswith(".cfg"):
        for found in re.finditer(rb"([\"'])(" + re.escape(text.encode()) + rb")\1", data):
            yield Edit(path, *found.span(2), new.encode(), f"`{text}` is no requirement")
        return
    for found in re.finditer(rb"(?m)^[ \t]*(" + re.escape(text.encode()) + rb")[ \t]*(?:#.*|;.*)?\r?$", data):
        yield Edit(path, *found.span(1), new.encode(), f"`{text}` is no requirement")


def _files(here: Situation, edits: Sequence[Edit], new: str) -> Outcome:
    paths = tuple(dict.fromkeys(edit.path for edit in edits))
    promises = promised(here, edits)
    radius = tuple(job for path in paths for job in jobs_that_install(here, path))
    return Edited(tuple(edits), paths, promises, title=f"Write {new}", blast_radius=radius)
