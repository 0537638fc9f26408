"""Slips that keep a workflow from being read: what each would be mended by, at the lines where the reader stopped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from triage.fixes.document import indent_of
from triage.fixes.yaml.encode import quoted

_KEY = re.compile(rb"(\s*(?:- +)?)([A-Za-z][\w-]*):(?:\s|$)")
_TAIL = rb"(?P<tail>(?:[ \t]+#[^\n]*)?[ \t]*\r?\n?)\Z"
_ENTRY = re.compile(rb"(?P<head>\s*(?:- )?(?P<key>[\w.-]+):[ \t]+)(?P<value>[^\s#][^\n]*?)" + _TAIL)
_ITEM = re.compile(rb"(?P<head>\s*- )(?P<value>[^\s#\"'][^\n]*?)" + _TAIL)
_NEGATED = re.compile(rb"(?P<head>\s*(?:- )?if:[ \t]+)(?P<value>![^\n]*?)" + _TAIL)
_COMMENTED_KEY = re.compile(rb"(?P<indent>\s*)#\s*(?:- )?[\w-]+:\s*(?:[|>][-+]?)?\s*\Z")
# Keys that stand alone before a value; a colon that is missing behind another word is no slip.
_WORDS = b"|".join(
    b"name on env jobs needs runs-on steps uses with run if id shell branches paths container image strategy matrix"
    b" timeout-minutes".split()
)
_BRACES = re.compile(rb"(?<!\$)\{\{")
HAS_KEY = re.compile(rb"\s*(?:- )?(?:" + _WORDS + rb"):(?:\s|$)")
_LOST_COLON = re.compile(rb"(?P<head>\s*(?:- )?(?:" + _WORDS + rb"))(?P<rest>[ \t]+[^\s:|>][^\n]*\n?|\s*)\Z")
_OPENED = re.compile(rb"\s*(?:- +)?(?:[\w.-]+:[ \t]+)?(?:\[[^\n]*[ ,\[])?(?P<sign>[\"'])(?P<rest>[^\n]*)\Z")
_HEADING = re.compile(rb"[A-Z][a-z]+(?: (?:[A-Za-z]+|[0-9]+))*[ \t]*\r?\n?\Z")
# How many lines above the one at which the reader stopped the slip may stand, and how far a line may have moved.
ABOVE = 3
_MOST_COLUMNS = 4


@dataclass(frozen=True, slots=True)
class Text:
    """A file by its lines; `near` holds the indices of the lines at which the reader stopped, the likeliest first, and
    `open` those on which a quoted value begins that goes on below, the last first."""

    path: str
    lines: tuple[bytes, ...]
    starts: tuple[int, ...]
    near: tuple[int, ...]
    open: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Attempt:
    """Lines that are written anew, by index; a value may hold several lines. `why` is what they were before."""

    new: tuple[tuple[int, bytes], ...]
    why: str
    cost: int = field(default=1)


def _below(text: Text, at: int) -> list[int]:
    """The lines that stand deeper behind a line, blank ones between them included."""
    found, blank = [], []
    for index in range(at + 1, len(text.lines)):
        line = text.lines[index]
        if not line.strip():
            blank.append(index)
        elif indent_of(line) > indent_of(text.lines[at]):
            found += [*blank, index]
            blank = []
        else:
            break
    return found


def _tabs(text: Text) -> Iterator[Attempt]:
    """Indentation by tabs, which YAML forbids: as few lines as need it, as wide as one of the usual widths."""
    tabbed = [at for at, line in enumerate(text.lines) if b"\t" in line[: len(line) - len(line.lstrip())]]
    # Behind spaces a tab may be part of a script, whose here-documents and Makefiles need it.
    first = [at for at in tabbed if text.lines[at].startswith(b"\t")]
    near = [at for at in tabbed if at in text.near]
    level = _level(text, tabbed[0]) if len(tabbed) == 1 else 0
    if level:
        line = b" " * level + text.lines[tabbed[0]].lstrip()
        yield Attempt(((tabbed[0], line),), "YAML allows no tab in an indentation", 0)
    for cost, chosen in enumerate((near, first, tabbed)):
        for width in (2, 4, 8) if chosen else ():
            new = tuple((at, _untabbed(text.lines[at], width)) for at in chosen)
            yield Attempt(new, "YAML allows no tab in an indentation", cost * 10 + abs(width - 2) + 1)


def _level(text: Text, at: int) -> int:
    """The column of the keys before and behind a line, where both are one; behind a key that has nothing yet, that of
    what it holds. 0 where that is not told."""
    live = [one for one in range(len(text.lines)) if _live(text.lines[one]) and one != at]
    before, behind = ([one for one in live if one < at][-1:], [one for one in live if one > at][:1])
    first, last = (_KEY.match(text.lines[one[0]]) if one else None for one in (before, behind))
    if first is None:
        return 0
    column, below = len(first[1]), len(last[1]) if last else 0
    if text.lines[before[0]].rstrip().endswith(b":"):
        return below if below > column else column + 2
    return column if column == below else 0


def _untabbed(line: bytes, width: int) -> bytes:
    body = line.lstrip()
    return line[: len(line) - len(body)].replace(b"\t", b" " * width) + body


def _rest_of_comment(text: Text) -> Iterator[Attempt]:
    """A key that was commented out while what it held was not."""
    for at in text.near:
        for above in range(at, max(at - ABOVE - 1, -1), -1):
            found = _COMMENTED_KEY.match(text.lines[above])
            if found and above < at:
                yield from _commented(text, above, len(found["indent"]))


def _commented(text: Text, header: int, own: int) -> Iterator[Attempt]:
    """The lines behind the header that stand deeper than its `#`, or than its key, up to the first that does not."""
    line = text.lines[header]
    key = own + 1 + indent_of(line.lstrip()[1:])
    for column in sorted({own, key}):
        block = []
        for index in range(header + 1, len(text.lines)):
            one = text.lines[index]
            if one.strip() and not one.lstrip().startswith(b"#") and indent_of(one) <= column:
                break
            block.append(index)
        new = tuple((at, b"#" + text.lines[at]) for at in block if _live(text.lines[at]))
        if new:
            yield Attempt(new, "the key that it belongs to is commented out", len(new))


def _live(line: bytes) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(b"#")


def _block_mark(text: Text) -> Iterator[Attempt]:
    """`run:` whose script stands below it without `|`."""
    above = _last_above(text, re.compile(rb"\s*(?:- )?run:\s*\Z"))
    if above >= 0 and _below(text, above):
        line = text.lines[above]
        yield Attempt(((above, line.rstrip() + b" |" + _eol(line)),), "its script needs `|`")


def _lost_run(text: Text) -> Iterator[Attempt]:
    """Commands in the column of the step's keys, behind its `name`: the line `run: |` is gone."""
    name = _last_above(text, re.compile(rb"\s*- name:"))
    block = [] if name < 0 else _commands_below(text, name)
    if block:
        first, *rest = block
        head = b" " * (indent_of(text.lines[name]) + 2) + b"run: |" + _eol(text.lines[name])
        new = ((first, head + b"  " + text.lines[first]), *((at, b"  " + text.lines[at]) for at in rest))
        yield Attempt(new, "the commands of the step have no `run`", len(block))


def _last_above(text: Text, wanted: re.Pattern[bytes]) -> int:
    """The last line of a kind within a few lines of the stop; -1: none."""
    stop = text.near[0] if text.near else 0
    return next((at for at in range(stop, max(stop - 2 * ABOVE, -1), -1) if wanted.match(text.lines[at])), -1)


def _commands_below(text: Text, name: int) -> list[int]:
    """The lines behind a step's name that are no key of it and no other step."""
    column, found = indent_of(text.lines[name]) + 2, []
    for at in range(name + 1, len(text.lines)):
        line = text.lines[at]
        if _KEY.match(line) or line.lstrip().startswith(b"- ") or (line.strip() and indent_of(line) < column):
            break
        found += [at] if line.strip() else []
    return found


def _eol(line: bytes) -> bytes:
    return b"\r\n" if line.endswith(b"\r\n") else b"\n"


def negations(text: Text) -> Iterator[Attempt]:
    """`if: !cancelled()`: a leading `!` is a tag to YAML."""
    found = {at: one for at, line in enumerate(text.lines) if (one := _NEGATED.match(line))}
    if found:
        new = tuple((at, one["head"] + b"${{ " + one["value"] + b" }}" + one["tail"]) for at, one in found.items())
        yield Attempt(new, "a condition that begins with `!` is a tag to YAML", len(new))


def _quotes(text: Text) -> Iterator[Attempt]:
    """A plain value that is something else to YAML: `: ` inside, or a first `*`, `&`, `@`, `%`, a backtick."""
    for at in text.near:
        found = _ENTRY.match(text.lines[at]) or _ITEM.match(text.lines[at])
        if found is None or found["value"][:1] in b"|>\"'" or _is_open(found["value"]):
            continue
        if found.groupdict().get("key") == b"run":
            yield Attempt(((at, _as_block(text.lines[at], found)),), "YAML reads `: ` in it as a key")
        elif isinstance(written := quoted(found["value"].decode("utf-8", "replace")), str):
            new = found["head"] + written.encode() + found["tail"]
            yield Attempt(((at, new),), "YAML reads it as no text without quotes")


def _is_open(value: bytes) -> bool:
    """A list or a mapping without its end is no text: `[main`, unlike `[CI] Run`."""
    return value[:1] in (b"[", b"{") and (
        value.count(b"[") != value.count(b"]") or value.count(b"{") != value.count(b"}")
    )


def _as_block(line: bytes, found: re.Match[bytes]) -> bytes:
    """`run: |` with the command, whatever it holds, on a line of its own."""
    column = indent_of(line) + 2 + 2 * found["head"].lstrip().startswith(b"- ")
    return found["head"].rstrip() + b" |" + _eol(line) + b" " * column + found["value"] + found["tail"]


def _closings(text: Text) -> Iterator[Attempt]:
    """A bracket or a quote that is opened on the line and not closed."""
    for at in text.near:
        line = text.lines[at]
        body = line.rstrip()
        if b" #" in body:
            continue  # whether a comment begins there depends on the sign that is missing
        for opening, closing in ((b"[", b"]"), (b"{", b"}")):
            if body.count(opening) == body.count(closing) + 1 and b"${{" not in body:
                yield Attempt(((at, body + closing + line[len(body) :]),), f"`{opening.decode()}` is not closed")
        for sign in (b'"', b"'"):
            if body.count(sign) % 2 and re.search(rb"[:-] +" + sign, body):
                yield Attempt(((at, body + sign + line[len(body) :]),), "its quote is not closed")
        if re.search(rb"\$\{\{[^}]*\}\Z", body):
            yield Attempt(((at, body + b"}" + line[len(body) :]),), "`${{` is not closed")


def _runaways(text: Text) -> Iterator[Attempt]:
    """A quote that is not closed on its line takes all in up to the next one of its kind, far below."""
    for at in text.open:
        body = text.lines[at].rstrip()
        found = _OPENED.match(body)
        if found and found["rest"].count(found["sign"]) == 0 and b" #" not in body:
            new = body + found["sign"] + text.lines[at][len(body) :]
            yield Attempt(((at, new),), "its quote is not closed")


def _dollars(text: Text) -> Iterator[Attempt]:
    """`name: {{ matrix.name }}-model`: an expression without its `$`, which to YAML is a mapping with text behind."""
    for at in text.near:
        found = _ENTRY.match(text.lines[at]) or _ITEM.match(text.lines[at])
        if found and found["value"].startswith(b"{{") and b"}}" in found["value"]:
            value = _BRACES.sub(b"${{", found["value"])
            yield Attempt(((at, found["head"] + value + found["tail"]),), "an expression begins with `${{`")


def _colons(text: Text) -> Iterator[Attempt]:
    for at in text.near:
        found = _LOST_COLON.match(text.lines[at])
        if found:
            yield Attempt(((at, found["head"] + b":" + found["rest"]),), "the colon behind the key is missing")


def _headings(text: Text) -> Iterator[Attempt]:
    """A comment that lost its `#`: words that begin like a sentence and hold nothing that a command or a key would."""
    for at in text.near:
        if _HEADING.match(text.lines[at]):
            yield Attempt(((at, b"# " + text.lines[at]),), "it is no key: a comment that has lost its `#`")


def _indentations(text: Text) -> Iterator[Attempt]:
    """A line, alone or with what stands deeper behind it, in the column of a line nearby. The least shift counts."""
    for at in text.near:
        around = text.lines[max(at - 12, 0) : at + 12]
        columns = {indent_of(line) for line in around if line.strip() and not line.lstrip().startswith(b"#")}
        own = indent_of(text.lines[at])
        for column in sorted(columns - {own}, key=lambda one: abs(one - own)):
            shift = column - own
            if abs(shift) > _MOST_COLUMNS:
                continue
            below = [one for one in _below(text, at) if text.lines[one].strip()]
            for block in ([at], [at, *below]) if below else ([at],):
                if all(indent_of(text.lines[one]) + shift >= 0 for one in block):
                    new = tuple((one, _shifted(text.lines[one], shift)) for one in block)
                    yield Attempt(new, "it stands in no column of its neighbours", abs(shift) * 100 + len(block))


def _shifted(line: bytes, shift: int) -> bytes:
    return b" " * shift + line if shift > 0 else line[-shift:]


# How sure a slip is when it explains the error, the surest first.
KINDS: Sequence[Callable[[Text], Iterator[Attempt]]] = (
    negations,
    _tabs,
    _rest_of_comment,
    _block_mark,
    _colons,
    _lost_run,
    _dollars,
    _closings,
    _runaways,
    _quotes,
    _headings,
    _indentations,
)
