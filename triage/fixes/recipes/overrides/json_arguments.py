"""`repair_json`: an argument that is JSON inside of shell text, and that the program could not read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from triage.fixes.json_text import Change, mended, where_it_stops
from triage.fixes.recipes.commands.scripts import (
    Script,
    promised,
    promised_of,
    scripts_of,
    shell_files,
    text_of_file,
)
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.interfaces import Tree
from triage.model.patch import Edit
from triage.model.recipe import RepairJson

_ENDS = " \t\n;|&<>()"
# What may come before the JSON in its word: an option, or the name of a variable.
_HEAD = re.compile(r"(?:-{0,2}[A-Za-z_][\w.-]*=)?(?=\s*[{\[])")
_PROGRAM = re.compile(r"(?<![\w./-])[\w./-]+\.py(?![\w.])")
_PLACE = re.compile(r"[0-9]{1,6}")
_INNER = re.compile(r"(?:=|(?<![\w-])--?[A-Za-z][\w-]* )'(\s*[{\[][^']*)'")
_BARE = re.compile(r"(?<=[:\[,])(\s*)\$(?:\w+|\{\w+\})")


@dataclass(frozen=True, slots=True)
class Char:
    """One character as the program gets it, at `start`..`end` of the script; `quote` is what stands around it."""

    text: str
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class Argument:
    script: Script
    chars: tuple[Char, ...]

    @property
    def text(self) -> str:
        return "".join(char.text for char in self.chars)

    @property
    def line(self) -> int:
        return self.script.line(self.chars[0].start)


def repair_json(recipe: RepairJson, here: Situation) -> Outcome:
    """The one argument of the job's scripts that stops being JSON where the log says, and what makes it JSON."""
    found = _broken(recipe, scripts_of(here), here.captures, here.job.id)
    made = _mended(found) if isinstance(found, Argument) else found
    if not isinstance(made, Edited) or not isinstance(found, Argument):
        return made
    return replace(made, declared=(found.script.declared(here),), expectations=promised(here, made.edits))


def repair_json_of_scripts(
    recipe: RepairJson, tree: Tree, target: Target, captures: Mapping[str, str], ran: Sequence[str] = ()
) -> Outcome:
    """Where no job is known: the one script of the repository that has such an argument, among those that start what
    the log's commands (`ran`) started with JSON."""
    scripts = [Script(path, text) for path in shell_files(tree) if (text := text_of_file(tree, path))]
    programs = {name for text in ran if "json" in text for name in _PROGRAM.findall(text)}
    starting = [one for one in scripts if programs and all(name in one.text for name in programs)]
    found = _broken(recipe, starting or scripts, captures, "the repository's scripts")
    made = _mended(found) if isinstance(found, Argument) else found
    if not isinstance(made, Edited) or not isinstance(found, Argument):
        return made
    promises = promised_of(tree, target.job, made.edits)
    return replace(made, declared=(found.script.path,), expectations=promises)


def _broken(
    recipe: RepairJson, scripts: Iterable[Script], captures: Mapping[str, str], whose: str
) -> Argument | InPlace | Refusal:
    """The one argument that stops being JSON where the log says."""
    places = [captures.get(name.strip("{}"), "") for name in (recipe.line, recipe.column)]
    if not all(_PLACE.fullmatch(place) for place in places):
        return Refusal("the log does not say where the JSON ends")
    wanted = (int(places[0]), int(places[1]))
    every = [one for script in scripts for one in arguments(script)]
    broken = [one for one in every if where_it_stops(_readable(one.text)) is not None]
    fitting = [one for one in broken if _stops_at(one.text, wanted)]
    if not broken and every:
        return InPlace(f"every JSON argument of {whose} can be read")
    if len(fitting) != 1:
        return Refusal(f"{len(fitting)} arguments of {whose} stop being JSON at line {wanted[0]}")
    return fitting[0]


def _mended(one: Argument) -> Outcome:
    changes = mended(one.text)
    where = f"{one.script.path}:{one.line}"
    if isinstance(changes, Refusal):
        return Words(f"the JSON that {where} passes cannot be read: {changes.reason}")
    edits: list[Edit] = []
    for change in changes:
        made = _edit(one, change, f"the JSON that begins at {where} cannot be read without it")
        if isinstance(made, Refusal):
            return made
        edits += made
    if not edits:
        return Refusal(f"the JSON at {where} can be read: what a variable puts into it is at fault")
    return Edited(tuple(edits), (), (), title=f"Make the argument at {where} JSON")


def _edit(one: Argument, change: Change, why: str) -> Sequence[Edit] | Refusal:
    chars = one.chars
    first = chars[change.start] if change.start < len(chars) else chars[-1]
    start = first.start if change.start < len(chars) else first.end
    if change.start == change.end and change.start:  # right behind the character before, inside of its quotes
        start = chars[change.start - 1].end
    end = chars[change.end - 1].end if change.end > change.start else start
    quote = chars[max(change.start - 1, 0)].quote if change.start == change.end else first.quote
    new = change.new.replace('"', '\\"') if quote != "'" else change.new
    return one.script.replace(start, end, new, why=why)


def _stops_at(text: str, wanted: tuple[int, int]) -> bool:
    """Behind a `$` the log counts what the shell put there: only the line tells then."""
    stops = _stops(text)
    behind = "$" in text.split("\n")[wanted[0] - 1][: wanted[1]] if wanted[0] <= text.count("\n") + 1 else False
    return wanted in stops or (behind and any(line == wanted[0] for line, _ in stops))


def _stops(text: str) -> set[tuple[int, int]]:
    """Where readers give up: Python before 3.13 behind a comma too many, later ones at it."""
    readable = _readable(text)
    changes = mended(readable)
    found = {stop for stop in (where_it_stops(readable),) if stop is not None}
    first = changes[0] if isinstance(changes, tuple) and changes else None
    if first is not None and not first.new:
        for at in (first.start, first.end + len(readable[first.end :]) - len(readable[first.end :].lstrip())):
            found.add((readable.count("\n", 0, at) + 1, at - readable.rfind("\n", 0, at)))
    return found


def _readable(text: str) -> str:
    """A bare `$NAME` stands for a number that is as long."""
    return _BARE.sub(lambda found: found[1] + "0" * (len(found[0]) - len(found[1])), text)


def arguments(script: Script) -> Iterator[Argument]:
    """Values of options and variables that are JSON in quotes, and what stands so inside of a command that is a text
    itself (`bash -c "..."`)."""
    before = ""
    for word in words(script.text):
        text = "".join(char.text for char in word)
        head = _HEAD.match(text)
        given, before = before.startswith("-"), text
        if head and (head[0] or given) and len(word) > head.end() and word[head.end()].quote:
            yield Argument(script, tuple(word[head.end() :]))
            continue
        for inner in _INNER.finditer(text) if any(char.quote == '"' for char in word) else ():
            part = word[inner.start(1) : inner.end(1)]
            if part and all(char.quote == '"' for char in part):
                yield Argument(script, tuple(part))


def words(text: str) -> Iterator[list[Char]]:
    """The words of a script, quotes taken off. Substitutions are read as text: what they hold is not looked at."""
    at, word = 0, list[Char]()
    while at < len(text):
        sign = text[at]
        if sign in _ENDS or (sign == "#" and not word):
            if word:
                yield word
                word = []
            at = text.find("\n", at) if sign == "#" else at + 1
            if at < 0:
                return
        elif sign == "'":
            end = _or_end(text, text.find("'", at + 1))
            word += [Char(text[i], i, i + 1, "'") for i in range(at + 1, end)]
            at = end + 1
        elif sign == '"':
            at = _double(text, at + 1, word)
        elif sign == "\\" and at + 1 < len(text):
            word += [] if text[at + 1] == "\n" else [Char(text[at + 1], at, at + 2, "")]
            at += 2
        else:
            word.append(Char(sign, at, at + 1, ""))
            at += 1
    if word:
        yield word


def _double(text: str, at: int, word: list[Char]) -> int:
    """Reads on inside of double quotes, up to the offset behind them."""
    while at < len(text) and text[at] != '"':
        if text[at] == "\\" and text[at + 1 : at + 2] in ('"', "\\", "$", "`"):
            word.append(Char(text[at + 1], at, at + 2, '"'))
            at += 2
        elif text[at : at + 2] == "\\\n":
            at += 2
        else:
            word.append(Char(text[at], at, at + 1, '"'))
            at += 1
    return at + 1


def _or_end(text: str, at: int) -> int:
    return at if at >= 0 else len(text)
