"""`repair_script`: blocks of a script that are never ended, and ends that end nothing, told by the indentation."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from triage.fixes.document import eol_at, indent_of, line_end, lines_of, starts_of
from triage.fixes.recipes.commands.scripts import Script, promised, scripts_of, text_of_file
from triage.fixes.recipes.commands.unquoted import unquoted
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.parse import has_errors
from triage.fixes.whereabouts.naming import in_tree
from triage.fixes.yaml.edits import Edits
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import RepairScript

_ENDS = {"if": "fi", "for": "done", "while": "done", "until": "done", "case": "esac"}
_FIRST = re.compile(r"[ \t]*(?P<word>[A-Za-z]+)\b")
_HEAD = re.compile(r"[ \t]*(?P<word>if|elif|while|until|for)\b")
_BEGUN = re.compile(r"(?:^|[;&|\s])(?:then|do)\b")
_HEREDOC = re.compile(r"(?<!<)<<-?(?!<)\s*([\"']?)(\w+)\1")
_EXPRESSION = re.compile(r"\$\{\{.*?\}\}")
_ARITHMETIC = re.compile(r"\(\(.*?\)\)")
# What stands behind an end belongs to the block whose beginning is lost.
_ALONE = re.compile(r"\s*\w+\s*;?\s*(?:#.*)?\Z")
# What stands in a block's own column without ending it.
_PARTS = ("then", "elif", "else", "do")
# Where the runner puts the script of a step.
_OF_RUNNER = "/_temp/"
_MOST = 4
# Each is tried out on the whole script.
_MOST_HEADS = 20


@dataclass(slots=True)
class _Block:
    word: str
    column: int
    # The last line of what it holds, and the column of what stands in it.
    last: int
    inside: int = -1


@dataclass(slots=True)
class _Reading:
    """`missing` are (line behind which it goes, column, word); `stray` the lines of ends that end nothing."""

    open: list[_Block] = field(default_factory=list)
    missing: list[tuple[int, int, str]] = field(default_factory=list)
    stray: list[int] = field(default_factory=list)
    unsure: bool = False

    def end(self) -> None:
        block = self.open.pop()
        self.unsure |= block.inside < 0
        self.missing.append((block.last, block.column, _ENDS[block.word]))


def repair_script(recipe: RepairScript, here: Situation) -> Outcome:
    named = here.captures.get(recipe.script.strip("{}"), "")
    script = _meant(here, named)
    if isinstance(script, Refusal):
        return script
    lines = script.text.split("\n")
    if recipe.settled and recipe.settled in lines:
        return InPlace(f"{script.path} closes the quote")
    found = unended(lines)
    count = len(found.missing) + len(found.stray)
    # To the grammar an end that is a word alone is a command; a block without its end is an error, but in a quote.
    if not found.stray and not _errors(script.text):
        return InPlace(f"{script.path} parses")
    for slip in (_closed, _opened):
        mended = slip(recipe, here, script, lines)
        if not isinstance(mended, Refusal):
            return mended
    if not 0 < count <= _MOST or found.unsure or (found.missing and found.stray):
        return Refusal("its indentation does not say which block is not ended", script.path)
    made = _mended(lines, found)
    if _errors(made):
        return Refusal("something else keeps the script from being read too", script.path)
    return _edited(here, script, lines, found)


def _closed(recipe: RepairScript, here: Situation, script: Script, lines: list[str]) -> Outcome:
    """The one double quote that is never closed, closed; an end that it took in goes into its block's column."""
    fitting, swallowing = [], []
    for at, closed, end, ended in unquoted(lines):
        new = {at: closed} | ({end: ended} if end >= 0 else {})
        if end >= 0:
            swallowing.append(new)
        if not _errors("\n".join(new.get(number, line) for number, line in enumerate(lines))):
            fitting.append(new)
    # Nobody hands a lone end to a command: there `bash -n` alone is the proof.
    fitting = swallowing if len(swallowing) == 1 else fitting
    if len(fitting) != 1:
        return Refusal("no single quote lets the shell read the script when it is closed", script.path)
    edits: list[Edit] = []
    for number, text in fitting[0].items():
        made = _rewritten(script, lines, number, text, why="a quote is never closed")
        if isinstance(made, Refusal):
            return made
        edits += made
    title = f"Close the quote that {script.path} leaves open"
    because = (
        "Of all lines with an open quote this is the one at whose end a closing one lets the shell read the script."
    )
    settled = replace(recipe, settled=min(fitting[0].items())[1])
    declared, promises = (script.declared(here),), promised(here, edits)
    return Edited(tuple(edits), declared, promises, settled=settled, title=title, because=because)


def _opened(recipe: RepairScript, here: Situation, script: Script, lines: list[str]) -> Outcome:
    """The one head of a block without its `then` or `do`, which it gets."""
    fitting, heads = [], _heads(lines)
    # A word in a quote begins nothing: where the shell reads the script as it is, it mends nothing.
    for at, word in heads if len(heads) <= _MOST_HEADS and _errors(script.text) else ():
        new = f"{lines[at].rstrip().rstrip(';').rstrip()}; {word}"
        if not _errors("\n".join([*lines[:at], new, *lines[at + 1 :]])):
            fitting.append((at, word, new))
    if len(fitting) != 1:
        return Refusal("no one block lacks its `then` or `do`", script.path)
    ((at, word, new),) = fitting
    edits = _rewritten(script, lines, at, new, why=f"the block has no `{word}`")
    if isinstance(edits, Refusal):
        return edits
    title = f"Write the `{word}` that {script.path} lacks"
    because = "The head of the block has none, and with it the shell reads the script."
    settled = replace(recipe, settled=new)
    declared = (script.declared(here),)
    return Edited(edits, declared, promised(here, edits), settled=settled, title=title, because=because)


def _heads(lines: list[str]) -> list[tuple[int, str]]:
    """The heads of blocks without `then` or `do`, on their line or the next, with the word that they lack."""
    found, heredoc, joined = [], "", False
    for at, line in enumerate(lines):
        head, inside = _HEAD.match(line), heredoc or joined
        opened = _HEREDOC.search(_ARITHMETIC.sub("", line))
        heredoc = ("" if line.strip() == heredoc else heredoc) if heredoc else opened[2] if opened else ""
        joined = line.rstrip().endswith("\\")
        if head is None or inside or joined or _BEGUN.search(line):
            continue
        word = "then" if head["word"] in ("if", "elif") else "do"
        behind = next((one.split()[0] for one in islice(lines, at + 1, None) if one.strip()), "")
        if behind.rstrip(";") != word and not line.rstrip().endswith(("&&", "||", "|", "(")):
            found.append((at, word))
    return found


def _rewritten(script: Script, lines: list[str], at: int, new: str, *, why: str) -> Edits | Refusal:
    """Behind what the line has in common with the new one."""
    start, old = sum(len(line) + 1 for line in lines[:at]), lines[at]
    same = len(posixpath.commonprefix([old, new]))
    return script.replace(start + same, start + len(old), new[same:], why=why)


def _errors(text: str) -> bool:
    """What GitHub puts in before the shell reads the script is a word like another."""
    return has_errors(_EXPRESSION.sub("x", text).encode())


def _meant(here: Situation, named: str) -> Script | Refusal:
    """The file that the shell names, or the failed step's own script."""
    if _OF_RUNNER in named:
        own = [one for one in scripts_of(here) if one.step >= 0] if here.step is not None else []
        return own[0] if len(own) == 1 else Refusal("the failed step's script is not known", here.job.path)
    path = in_tree(here.tree, named)
    text = text_of_file(here.tree, path) if path else ""
    return Script(path, text) if text else Refusal(f"the repository has no script `{named}`")


def unended(lines: Sequence[str]) -> _Reading:
    found, heredoc, joined = _Reading(), "", False
    for at, line in enumerate(lines):
        text = line.strip()
        if heredoc or joined or not text or text.startswith("#"):
            heredoc = "" if text == heredoc else heredoc
            if joined and found.open and text:
                found.open[-1].last = at
            joined = joined and text.endswith("\\")
            continue
        _read(found, at, line)
        opened = _HEREDOC.search(_ARITHMETIC.sub("", text))
        heredoc, joined = (opened[2] if opened else ""), text.endswith("\\")
    while found.open:
        found.end()
    return found


def _read(found: _Reading, at: int, line: str) -> None:
    column = len(line) - len(line.lstrip())
    word = first["word"] if (first := _FIRST.match(line)) else ""
    ends = word in _ENDS.values()
    while found.open and found.open[-1].inside >= 0 and _outside(found.open[-1], column, word, ends=ends):
        found.end()
    if ends:
        if found.open and found.open[-1].column == column and _ENDS[found.open[-1].word] == word:
            found.open.pop()
        else:
            found.stray.append(at)
            found.unsure |= _ALONE.match(line) is None
    elif word in _ENDS and not re.search(rf"\b{_ENDS[word]}\b", line):
        found.open.append(_Block(word, column, at))
        return
    for block in found.open:
        if column > block.column:
            block.last, block.inside = at, column


def _outside(block: _Block, column: int, word: str, *, ends: bool) -> bool:
    """Whether the line stands behind the block: further left, or in its column as no part and no end of it."""
    if column != block.column:
        return column < block.column
    return word not in _PARTS and not (ends and word == _ENDS[block.word]) and block.word != "case"


def _mended(lines: Sequence[str], found: _Reading) -> str:
    made = [line for at, line in enumerate(lines) if at not in found.stray]
    for at, column, word in sorted(found.missing, key=lambda one: (-one[0], one[1])):  # inner ends first
        made.insert(at + 1, " " * column + word)
    return "\n".join(made)


def _edited(here: Situation, script: Script, lines: Sequence[str], found: _Reading) -> Outcome:
    data = here.tree.read(script.path)
    file = lines_of(data)
    starts = starts_of(file)
    edits: list[Edit] = []
    ended: dict[int, bytes] = {}
    for at, column, word in sorted(found.missing, key=lambda one: (one[0], -one[1])):
        own = script.line(sum(len(line) + 1 for line in lines[:at])) - 1
        margin = indent_of(file[own]) - indent_of(lines[at].encode())
        blank = file[own][: margin + column]
        blank = blank if len(blank) == margin + column and not blank.strip() else b" " * (margin + column)
        ended[own] = ended.get(own, b"") + eol_at(data, starts[own]) + blank + word.encode()
    for own, new in ended.items():
        end = line_end(data, starts[own])
        edits.append(Edit(script.path, end, end, new, "the block above is never ended"))
    for at in found.stray:
        own = script.line(sum(len(line) + 1 for line in lines[:at])) - 1
        edits.append(Edit(script.path, starts[own], starts[own] + len(file[own]), b"", "it ends no block"))
    if script.node is not None and script.node.style != "|":
        return Refusal("a script of this style cannot take another line", script.path)
    words = sorted({word for *_, word in found.missing})
    title = (
        f"Write the `{'`, `'.join(words)}` that {script.path} lacks"
        if words
        else f"Take a stray end from {script.path}"
    )
    # `bash -n` proves the rest: that the shell reads the script then.
    ends = words or [next(line for line in lines if line.strip())]
    promises = tuple(Expectation("line", as_promised(one.encode()), here.target.job, script.path) for one in ends)
    return Edited(tuple(edits), (script.declared(here),), promises, title=title)
