"""Markdown as GitHub shows it, near enough: CommonMark and GFM from a parser, GitHub's own links by their patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

PARSER = MarkdownIt("gfm-like", {"html": True})
# GitHub links addresses with a scheme, with www and of mail (GFM, section 6.9); not every word with a dot in it, as the
# library does (`0.AL` lies below a country's domain). What stands without a scheme is looked for below.
PARSER.linkify.set({"fuzzy_link": False, "fuzzy_email": False})
OUR_HTML = re.compile(
    r"(?:<details(?: open)?><summary>[A-Za-z ,:0-9]+</summary>|</?details>|</?sub>|<!-- triage:v1 [a-z0-9=, ]+-->)\s*"
)
# What GitHub makes of rendered text outside of code: mentions, references to issues, commits, addresses.
AUTOLINKS = {
    "mention": re.compile(r"(?<![\w`])@[A-Za-z0-9]"),
    "issue": re.compile(r"(?i)(?:#|\bgh-)\d"),
    "commit": re.compile(r"\b[0-9a-f]{7,40}\b"),
    "address": re.compile(r"(?i)\b(?:https?|ftp)://\w|\b(?:xmpp|mailto):\w|\bwww\.\w"),
    "mail": re.compile(r"[A-Za-z0-9._+-]@[A-Za-z0-9_-]+\.[A-Za-z0-9_-]"),
}


@dataclass
class Found:
    """What a text turned into beyond words. `headings` are their words."""

    links: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    html: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    autolinks: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)


def tokens(text: str) -> Iterator[Token]:
    for token in PARSER.parse(text):
        yield token
        yield from token.children or []


def look_at(text: str) -> Found:
    found = Found()
    heading = False
    for token in tokens(text):
        match token.type:
            case "link_open":
                found.links.append(str(token.attrs.get("href", "")))
            case "image":
                found.images.append(str(token.attrs.get("src", "")))
            case "html_block" | "html_inline":
                rest = "\n".join(line for line in token.content.split("\n") if line and not OUR_HTML.fullmatch(line))
                found.html += [rest] if rest else []
            case "heading_open":
                heading = True
            case "inline" if heading:
                found.headings.append(token.content)
                heading = False
            case "fence" | "code_inline" | "code_block":
                found.code.append(token.content)
            case "text":
                found.autolinks += [
                    f"{name}: {token.content}" for name, pattern in AUTOLINKS.items() if pattern.search(token.content)
                ]
            case _:
                pass
    return found
