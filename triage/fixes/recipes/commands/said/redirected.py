"""A requirement whose version the shell takes for a redirection: `pip install torch<2.0` reads a file called `2.0`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from triage.fixes.recipes.commands.said.named import Said
from triage.fixes.recipes.commands.said.quoting import in_here_document, line_state
from triage.fixes.recipes.commands.scripts import shell_files, text_of_file
from triage.fixes.recipes.outcome import InPlace, Outcome
from triage.fixes.refusal import Refusal
from triage.interfaces import Tree

_BOUND = r"(?:[<>]=?|[=~!]=)[0-9][\w.*+!]*"
# A distribution, its extras, and bounds of which one at least begins with `<` or `>`.
_REQUIREMENT = re.compile(
    rf"(?<![^\s=])[A-Za-z][\w.-]*(?:\[[\w.,-]+\])?(?P<bounds>{_BOUND}(?:,{_BOUND})*)(?![^\s;&|)])"
)
_INSTALLS = re.compile(
    r"\b(?:pip[0-9.]*|uv(?:[ \t]+pip)?|pipx|conda|mamba|micromamba|poetry)\b[^\n]*\b(?:install|add|download|wheel)\b"
)
_FILE = re.compile(r"=?[0-9][\w.*+!,]*\Z")


def quote_requirement(said: Said) -> Outcome:
    """In the script that the log names: in each command that reads the file, with what else it would redirect."""
    if not _FILE.match(said.subject):
        return Refusal(f"`{said.subject}` is no version")
    text = said.script.text
    found = [one for one in redirecting(text) if not in_here_document(text, one[0])]
    lines = {text.count("\n", 0, start) + 1 for start, _, bounds in found if reads(bounds, said.subject)}
    if not lines and any(
        reads(one["bounds"], said.subject) for one in _REQUIREMENT.finditer(re.sub("[\"']", " ", text))
    ):
        return InPlace(f"{said.script.path} quotes the requirement")
    if not lines:
        return Refusal(f"no command of {said.script.path} reads `{said.subject}`", said.script.path)
    spans = [(start, end, f'"{text[start:end]}"') for start, end, _ in found if text.count("\n", 0, start) + 1 in lines]
    why = f"the shell takes `<{said.subject}` for a file to read"
    return said.edited(spans, why, f"Quote the requirement at {said.script.path}:{said.script.line(spans[0][0])}")


def reading_script(tree: Tree, named: str, file: str) -> str:
    """Of several scripts that are called as the shell names it, the one that reads `file`; "" for none, or several."""
    name = posixpath.normpath(named) if named and not named.startswith("/") else ""
    alike = [path for path in shell_files(tree) if name and f"/{path}".endswith(f"/{name}")]
    found = [
        path for path in alike if any(reads(bounds, file) for _, _, bounds in redirecting(text_of_file(tree, path)))
    ]
    return found[0] if len(found) == 1 and ".." not in name else ""


def redirecting(text: str) -> Iterator[tuple[int, int, str]]:
    """Where unquoted requirements of install commands stand whose bounds begin with `<` or `>`, and their bounds."""
    for found in _REQUIREMENT.finditer(text):
        start, end = found.span()
        if "<" not in found["bounds"] and ">" not in found["bounds"]:
            continue
        if _INSTALLS.search(_command(text, start)) and not line_state(text, start):
            yield start, end, found["bounds"]


def _command(text: str, at: int) -> str:
    """What stands before it of its command, whose lines may go on."""
    start = text.rfind("\n", 0, at) + 1
    while start > 1 and text[:start].rstrip("\r\n").endswith("\\"):
        start = text.rfind("\n", 0, start - 1) + 1
    return re.split(r"&&|\|\||;", text[start:at].replace("\\\n", " "))[-1]


def reads(bounds: str, file: str) -> bool:
    """Whether the shell reads this file: what follows the first `<`, up to the next sign of its own."""
    _, sign, rest = bounds.partition("<")
    return bool(sign) and re.split(r"[<>]", rest)[0] == file
