"""Edits of shell text where it stands: in a script, or inside a `run:` scalar of any style.

Positions come from the evaluator (`Call`, `Site`) and are bytes of the file; new text is written in the style of the
scalar around it. Each gives `Edit`s or a `Refusal`.
"""

from __future__ import annotations

import re

import yaml

from triage.fixes.document import eol_at, line_end, line_of, line_start, splice
from triage.fixes.evaluate.invocation import Call
from triage.fixes.evaluate.values import Site, SiteKind, Value
from triage.fixes.manifests.dockerfile import is_dockerfile
from triage.fixes.refusal import Refusal
from triage.fixes.shell.chains import insert_in_run, remove_from_run
from triage.fixes.shell.nested import written
from triage.fixes.shell.within import goes_whole, handed_over, join_within, keeps_within, own_line, stays
from triage.fixes.yaml.nodes import YamlDocument, parse_yaml, scalar_at
from triage.fixes.yaml.scalar_edits import Edits, splice_bytes
from triage.interfaces import Tree
from triage.model.patch import Edit

_BARE = re.compile(r"[\w./+:@%,=^~-]*", re.A)
# What may follow a command on its own line without belonging to another one.
_TAIL = re.compile(rb"\s*(?:(?:\d*[<>]|&>|\||&&|#).*)?", re.DOTALL)
# A line that goes on, and not one that ends in a backslash of its own.
_GOES_ON = re.compile(rb"(?<!\\)(?:\\\\)*\\\Z")
_ONLY_SHOWN = "only the log shows the command: no file of the repository holds it"
_YAML_ENDS = (".yml", ".yaml")


def _unheld(call: Call) -> Refusal:
    """Of a command that a log shows and that stands in no file (`whereabouts.typed`)."""
    return Refusal(_ONLY_SHOWN, call.path, call.line)


def append_argument(tree: Tree, call: Call, argument: str, *, why: str) -> Edits | Refusal:
    """One more argument, given as shell text, behind the last one: before pipes, redirections, `&&`, comments."""
    if not call.insertable:
        return Refusal("this command is put together at run time", call.path, call.line)
    if call.path not in tree:
        return _unheld(call)
    return _written(tree, call.path, call.argument_end, call.argument_end, f" {argument}", why, call.nested)


def append_behind(tree: Tree, call: Call, value: Value, argument: str, *, why: str) -> tuple[Edits, int] | Refusal:
    """One more argument behind that word of the command, where the word is written as it is, and how many words stand
    behind it; else behind the last one."""
    if call.path not in tree:
        return _unheld(call)
    at = next((at for at, word in enumerate(call.words) if word is value), len(call.words) - 1)
    after = call.words[at + 1 :]
    site = value.sites[0] if len(value.sites) == 1 else None
    if after and call.insertable and site is not None and site.kind is SiteKind.LITERAL and site.path == call.path:
        quote = tree.read(call.path)[site.end : site.end + 1]
        end = site.end + (1 if site.quote and quote == site.quote.encode() else 0)
        edits = _written(tree, call.path, end, end, f" {argument}", why, call.nested)
        return edits if isinstance(edits, Refusal) else (edits, len(after))
    edits = append_argument(tree, call, argument, why=why)
    return edits if isinstance(edits, Refusal) else (edits, 0)


def append_listed(tree: Tree, call: Call, word: str, *, why: str) -> tuple[Edits, int] | Refusal:
    """One more of the words that a command lists, and how many words stand behind it: on a line of its own before the
    last one where each has its line, else behind the last one."""
    if call.path not in tree:
        return _unheld(call)
    data = tree.read(call.path)
    sites = call.words[-1].sites if call.words and call.insertable else ()
    if len(sites) == 1 and sites[0].path == call.path:
        start = line_start(data, sites[0].start)
        before = data[line_start(data, max(start - 1, 0)) : max(start - 1, 0)]
        body = before.rstrip(b" \t\r")
        held = body.removesuffix(b"\\").split()
        alone = not data[start : sites[0].start].strip() and body.endswith(b"\\") and len(held) == 1
        if alone and start > call.start and _is_literal(tree, call):
            indent = data[start : sites[0].start]
            tail = before[len(body.removesuffix(b"\\").rstrip()) :]
            new = indent + word.encode() + tail + b"\n"
            return (Edit(call.path, start, start, new, why),), 1
    edits = append_argument(tree, call, word, why=why)
    return edits if isinstance(edits, Refusal) else (edits, 0)


def _is_literal(tree: Tree, call: Call) -> bool:
    """Whether the text stands as it runs: in a script, or in a literal block of YAML."""
    scalar = _scalar_at(tree, call.path, call.start)
    return scalar is None or (not isinstance(scalar, Refusal) and scalar[1].style == "|")


def replace_value(tree: Tree, site: Site, old: str, new: str, *, why: str) -> Edits | Refusal:
    """The text that a site decides. Refused unless the file holds `old` there, and `new` fits the quotes around it."""
    if site.kind in (SiteKind.COMPUTED, SiteKind.FACT):
        return Refusal(f"`{old}` is computed, it is written nowhere", site.path, site.line)
    held = tree.read(site.path)[site.start : site.end] if site.path in tree else b""
    shown = written(old, site.nested)
    if isinstance(shown, Refusal) or held != shown.encode() or not old:
        return Refusal(f"`{old}` is not what the file holds there", site.path, site.line)
    if site.kind in (SiteKind.YAML_ENV, SiteKind.MATRIX, SiteKind.INPUT):
        return _written(tree, site.path, site.start, site.end, new, why)
    fits = {"": bool(_BARE.fullmatch(new)), "'": "'" not in new, '"': not set(new) & set('"$`\\')}
    if "\n" in new or not fits.get(site.quote, False):
        return Refusal(f"`{new}` needs other quotes than `{old}`", site.path, site.line)
    return _written(tree, site.path, site.start, site.end, new, why, site.nested)


def replace_word(tree: Tree, site: Site, new: str, *, why: str) -> Edits | Refusal:
    """A whole word of a command becomes `new`, shell text with quotes of its own."""
    if site.path not in tree:
        return Refusal(_ONLY_SHOWN, site.path, site.line)
    return _written(tree, site.path, site.start, site.end, new, why, site.nested)


def replace_at(tree: Tree, path: str, start: int, old: str, new: str, *, why: str) -> Edits | Refusal:
    """Shell text `old`, which the file holds from byte `start` on, becomes `new`."""
    end = start + len(old.encode())
    if tree.read(path)[start:end] != old.encode():
        return Refusal(f"`{old}` is not what the file holds there", path)
    return _written(tree, path, start, end, new, why)


def replace_command(tree: Tree, call: Call, old: str, new: str, *, why: str) -> Edits | Refusal:
    """Text `old` of a command becomes `new`, both shell text on one line. Refused unless it holds `old` just once."""
    if not call.insertable:
        return Refusal("this command is put together at run time", call.path, call.line)
    if call.path not in tree:
        return _unheld(call)
    text, shown = tree.read(call.path)[call.start : call.end], written(old, call.nested)
    if isinstance(shown, Refusal) or text.count(shown.encode()) != 1:
        return Refusal(f"the command does not hold `{old}` once", call.path, call.line)
    at = call.start + text.index(shown.encode())
    return _written(tree, call.path, at, at + len(shown.encode()), new, why, call.nested)


def insert_line(tree: Tree, call: Call, line: str, *, why: str, before: bool = False) -> Edits | Refusal:
    """A command on a line of its own, after (or before) the line of another, at its indentation. A `run:` of one line
    becomes a literal block; in a RUN instruction `&&` joins it. A command that a container runs is put before the
    container's again, and one inside a quoted script stays in its quotes."""
    if call.path not in tree:
        return _unheld(call)
    if is_dockerfile(call.path):
        return insert_in_run(tree.read(call.path), call, line, why=why, before=before)
    if call.lead >= 0:
        handed = handed_over(tree.read(call.path), call, line)
        whole = own_line(call)
        return handed if isinstance(handed, Refusal) else insert_line(tree, whole, handed, why=why, before=before)
    if call.nested:
        return _insert_within(tree, call, line, why=why, before=before)
    alone = _alone(tree, call)
    if isinstance(alone, Refusal):
        return alone
    scalar = _scalar_at(tree, call.path, call.start)
    if isinstance(scalar, Refusal):
        return scalar
    if scalar is not None and scalar[1].style != "|":
        return _restyled(scalar[0], scalar[1], line, why=why, before=before)
    return _line_beside(tree.read(call.path), call.path, *alone, line, why=why, before=before)


def _line_beside(data: bytes, path: str, start: int, end: int, line: str, *, why: str, before: bool) -> Edits:
    first = line_start(data, start)
    indent = data[first:start]
    eol = eol_at(data, start)
    at = first if before else line_end(data, end)
    new = indent + line.encode() + eol if before else eol + indent + line.encode()
    return (Edit(path, at, at, new, why),)


def _insert_within(tree: Tree, call: Call, line: str, *, why: str, before: bool) -> Edits | Refusal:
    """On a line of its own where the quotes hold it, else joined to the command."""
    data, alone, shown = tree.read(call.path), _alone(tree, call), written(line, call.nested)
    scalar = _scalar_at(tree, call.path, call.start)
    if isinstance(shown, Refusal):
        return Refusal(shown.reason, call.path, call.line)
    block = not isinstance(scalar, Refusal) and (scalar is None or scalar[1].style == "|")
    if block and not isinstance(alone, Refusal) and keeps_within(data, call, *alone, before=before):
        return _line_beside(data, call.path, *alone, shown, why=why, before=before)
    joined = join_within(data, call, line, before=before)
    if isinstance(joined, Refusal):
        return joined
    return _written(tree, call.path, joined[0], joined[0], joined[1], why, call.nested)


def remove_command(tree: Tree, call: Call, *, why: str) -> Edits | Refusal:
    """A command that has its lines to itself, with them. The only line of a `run:` is not removed."""
    if call.path not in tree:
        return _unheld(call)
    if is_dockerfile(call.path):
        return remove_from_run(tree.read(call.path), call, why=why)
    call = own_line(call)
    alone = _alone(tree, call)
    if isinstance(alone, Refusal):
        return alone
    data, (start, end) = tree.read(call.path), alone
    if not goes_whole(data[call.end : end]):
        return Refusal("another command of its line would go with it", call.path, call.line)
    if call.nested and not stays(data, call, start, end):
        return Refusal("the script would be left without a command", call.path, call.line)
    scalar = _scalar_at(tree, call.path, call.start)
    if isinstance(scalar, Refusal):
        return scalar
    if scalar is not None and (scalar[1].style != "|" or len(scalar[1].value.split("\n")) <= 2):
        return Refusal("it is the only command of its step", call.path, call.line)
    after = data.find(b"\n", end)
    return (Edit(call.path, line_start(data, start), len(data) if after < 0 else after + 1, b"", why),)


def _alone(tree: Tree, call: Call) -> tuple[int, int] | Refusal:
    """Start of the command and end of its last line, when nothing else of importance stands on its lines."""
    if not call.insertable:
        return Refusal("this command is put together at run time", call.path, call.line)
    data = tree.read(call.path)
    end = line_end(data, call.end)
    tail = data[call.end : end]
    head = data[line_start(data, call.start) : call.start]
    one_line = re.fullmatch(rb"\s*(?:- +)?run: *[\"']?", head)
    if (head.strip() and not one_line) or not _TAIL.fullmatch(tail.strip(b"\"'") if one_line else tail):
        return Refusal("the command shares its line with others", call.path, call.line)
    while _GOES_ON.search(data[call.start : end]) and end < len(data):
        end = line_end(data, min(end + 1 + (data[end : end + 1] == b"\r"), len(data)))
    if b"<<" in data[call.end : end]:
        return Refusal("a here-document belongs to the command", call.path, call.line)
    return call.start, end


def _written(
    tree: Tree, path: str, start: int, end: int, text: str, why: str, nested: tuple[str, ...] = ()
) -> Edits | Refusal:
    shown = written(text, nested)
    if isinstance(shown, Refusal):
        return Refusal(shown.reason, path, line_of(tree.read(path), start))
    text = shown
    scalar = _scalar_at(tree, path, start)
    if isinstance(scalar, Refusal):
        return scalar
    if scalar is None:
        return (Edit(path, start, end, text.encode(), why),)
    return splice_bytes(*scalar, start, end, text, why=why)


def _scalar_at(tree: Tree, path: str, offset: int) -> tuple[YamlDocument, yaml.ScalarNode] | Refusal | None:
    """The scalar of a YAML file that holds a byte; None for other files."""
    if not path.endswith(_YAML_ENDS):
        return None
    document = parse_yaml(path, tree.read(path))
    if isinstance(document, Refusal):
        return document
    node = scalar_at(document, offset)
    if node is None:
        return Refusal("there is no text at this place", path, line_of(document.data, offset))
    return document, node


def _restyled(document: YamlDocument, node: yaml.ScalarNode, line: str, *, why: str, before: bool) -> Edits | Refusal:
    """`run: a` becomes a literal block of two lines; a comment behind it stays behind the block's header."""
    data, start, end = document.data, document.start(node), document.end(node)
    stop = line_end(data, end)
    comment = data[end:stop]
    if node.start_mark.line != node.end_mark.line or "\n" in node.value or id(node) in document.aliased:
        return Refusal("a script of this style cannot take another line", document.path, document.line(node))
    if comment.strip() and not comment.lstrip().startswith(b"#"):
        return Refusal("the script shares its line with others", document.path, document.line(node))
    first = line_start(data, start)
    column = len(data[first:start]) - len(data[first:start].lstrip(b" -"))
    eol, indent = eol_at(data, start), b" " * (column + 2)
    lines = [line, node.value] if before else [node.value, line]
    body = b"".join(eol + indent + one.encode() for one in lines)
    edits = (Edit(document.path, start, end, b"|", why), Edit(document.path, stop, stop, body, why))
    edited = splice(data, edits)
    again = edited if isinstance(edited, Refusal) else parse_yaml(document.path, edited)
    block = None if isinstance(again, Refusal) else scalar_at(again, start)
    if block is None or block.value.rstrip("\n") != "\n".join(lines):
        return Refusal("the script cannot become a block here", document.path, document.line(node))
    return edits
