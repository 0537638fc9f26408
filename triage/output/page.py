"""What the HTML pages share: a folder of templates, escaping that is always on, styles and scripts within the page."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from triage.output.links import linkable
from triage.output.plain import plain, shorten

_FOLDER = Path(__file__).parent / "templates"
_WIDEST = 2000


def environment() -> Environment:
    """A new one, for the page's own filters. A name that a template misspells is an error, not an empty place."""
    made = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["plain"] = _one_line
    made.filters["linkable"] = linkable
    return made


@cache
def inlined(*names: str) -> Markup:
    """Our own style sheets or scripts, one after the other, as they are."""
    return Markup("".join((_FOLDER / name).read_text(encoding="utf-8") for name in names))


def _one_line(text: object) -> str:
    return shorten(plain(str(text).replace("\n", " ")), _WIDEST)
