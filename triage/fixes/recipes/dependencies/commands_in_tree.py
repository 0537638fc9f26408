"""An install command that only the log shows, at the lines of the tree that hold the very same words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from triage.fixes.document import eol_at, line_end, line_start, line_with
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.typed import is_typed
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation, as_promised

_HOLDERS = (".sh", ".bash", ".yml", ".yaml", "Makefile", ".mk")
_ENDS = rb"(?=[ \t]*(?:\r?\n|\Z|&&|\|\||;|['\"])|[ \t]+#)"
_SCRIPTS = (".sh", ".bash")
_LARGEST, _MOST = 1_000_000, 8


def hold_in_commands(here: Situation, words: Sequence[str], word: str, text: str, why: str) -> Outcome | None:
    """`word` of the command as `text`, at every line that holds the command; None where no line does."""
    found = list(_lines(here.tree, words, word))
    done = [] if found else list(_lines(here.tree, [text if one == word else one for one in words], text))
    if done:
        return InPlace(f"{done[0][0]} says {text} already")
    if len(found) > _MOST:
        return Refusal(f"{len(found)} lines of the repository run `{' '.join(words)}`, and the log does not say which")
    made = [_held(here, *place, text, why) for place in found]
    whole = together(made) if made else None
    paths = sorted({path for path, _, _ in found})
    several = f"{', '.join(paths)} run the same command, and the log does not say which of them ran"
    return whole.noting(several) if isinstance(whole, Edited) and len(paths) > 1 else whole


def add_in_commands(here: Situation, words: Sequence[str], word: str, more: str, why: str) -> Edited | InPlace | None:
    """`more` behind `word` of the command, at the one line that holds the command; of several at that of the script
    that the log names. None where no line does, or several do."""
    at = words.index(word) + 1
    found, done = (
        [one for one in _lines(here.tree, each, word) if not is_typed(one[0])]
        for each in (words, [*words[:at], more, *words[at:]])
    )
    shown = [one for one in found if _names(here, one[0])]
    standing = next((one[0] for one in done if not found or _names(here, one[0])), "")
    if standing:
        return InPlace(f"{standing} installs {more} already")
    chosen = found if len(found) == 1 else shown
    if len(chosen) != 1:
        return None
    path, _, end = chosen[0]
    data, new = here.tree.read(path), b" " + more.encode()
    promise = Expectation("line", as_promised(line_with(data, end, end, new)), here.target.job, path)
    return Edited((Edit(path, end, end, new, why),), (path,), (promise,), (why,), title=f"Install {more}")


def line_beside(here: Situation, words: Sequence[str], line: str, why: str, *, before: bool = False) -> Outcome:
    """`line` below the command, or above it, at the one line of a script that holds nothing else; of several at that
    of the script that the log names."""
    scripts = [one for one in _lines(here.tree, words, words[-1]) if one[0].endswith(_SCRIPTS)]
    every = [one for one in scripts if _has_its_line(here.tree.read(one[0]), *one[1:], words)]
    named = [one for one in every if _names(here, one[0])]
    chosen = every if len(every) == 1 else named
    if len(chosen) != 1:
        many = "several lines" if every else "no line"
        return Refusal(f"{many} of the repository hold{'' if every else 's'} `{' '.join(words)}` alone")
    path, start, end = chosen[0]
    data = here.tree.read(path)
    first, last = line_start(data, start), line_end(data, end)
    near = data[:first].rstrip().endswith(line.encode()) if before else data[last:].lstrip().startswith(line.encode())
    if near:
        return InPlace(f"{path} runs `{line}` beside it already")
    indent = data[first : len(data) - len(data[first:].lstrip(b" \t"))]
    promise = Expectation("line", as_promised(indent.decode() + line), here.target.job, path)
    own, eol, at = indent + line.encode(), eol_at(data, first), first if before else last
    return Edited((Edit(path, at, at, own + eol if before else eol + own, why),), (path,), (promise,), (why,))


def _has_its_line(data: bytes, start: int, end: int, words: Sequence[str]) -> bool:
    """Whether nothing stands before the command or behind it, and it is no part of a longer one."""
    first = line_start(data, start)
    tail = data[end : line_end(data, end)].strip(b" \t'\"")
    whole = data[first:start].split() == [one.encode() for one in words[:-1]] and not tail.partition(b"#")[0].strip()
    return whole and not data[:first].rstrip(b"\r\n").endswith((b"\\", b"&&", b"||", b"|"))


def _names(here: Situation, path: str) -> bool:
    return any(path in text for text in (*here.facts.traced, *here.facts.commands))


def _lines(tree: Tree, words: Sequence[str], word: str) -> Iterator[tuple[str, int, int]]:
    """Where the word stands in the command, which ends behind it or goes on with the words that follow."""
    parts = [re.escape(one.encode()) for one in words]
    at = words.index(word)
    before, after = (rb"[ \t]+".join(some) for some in (parts[:at], parts[at + 1 :]))
    tail = rb"(?:[ \t]+" + after + rb")" if after else b""
    own = rb"[ \t]+(?P<word>(?P<quote>['\"]?)" + parts[at] + rb"(?P=quote))"
    whole = re.compile(rb"(?<![\w./-])" + before + own + tail + _ENDS)
    for path in tree.paths():
        if path.endswith(_HOLDERS) or "dockerfile" in path.rpartition("/")[2].lower():
            data = tree.read(path)
            for hit in whole.finditer(data) if len(data) <= _LARGEST else ():
                if b"#" not in data[line_start(data, hit.start()) : hit.start()]:
                    yield path, *hit.span("word")


def _held(here: Situation, path: str, start: int, end: int, text: str, why: str) -> Outcome:
    data = here.tree.read(path)
    quote = _free_quote(data, start)
    if not quote:
        return Refusal("the command stands inside of two kinds of quotes", path, data.count(b"\n", 0, start) + 1)
    new = quote + text.encode() + quote
    promise = Expectation("line", as_promised(line_with(data, start, end, new)), here.target.job, path)
    return Edited((Edit(path, start, end, new, why),), (path,), (promise,))


def _free_quote(data: bytes, at: int) -> bytes:
    """A quote in which the place is not; b"" where it is in both. Of a text over several lines all of it counts."""
    before = _own_text(data, at)
    inside = [quote for quote in (b"'", b'"') if before.count(quote) % 2]
    return b"" if len(inside) == 2 else b'"' if inside == [b"'"] else b"'"


def _own_text(data: bytes, at: int) -> bytes:
    """From the item, instruction or block in which the place stands: as far up as no line is less indented."""
    start = line_start(data, at)
    own = _indent(data[start:at])
    kept = [data[start:at]]
    while start > 0 and not kept[0].lstrip().startswith((b"- ", b"RUN ")):
        end, start = start - 1, line_start(data, start - 1)
        line = data[start:end]
        if not line.strip() or _indent(line) < own:
            break
        kept.insert(0, b"" if line.lstrip().startswith(b"#") else line)
    return b"\n".join(kept)


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t"))
