"""Effective settings: what programs were really given, from traced commands, engine configurations and dumps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest

from triage.model.log import Command, Line, LogReading

Context = Callable[[Line, int, int], tuple[Line, ...]]

_CAP = 64 * 1024
_DUMP_LINES = 1500
_KEY = re.compile(r"[A-Za-z_][\w.\-/]*\Z")
_DUMP_KEY = re.compile(r"'(\w+)': ")
_OPENING, _CLOSING, _QUOTES = "([{", ")]}", "'\""
# What an engine prints before its settings, longest first.
_CONFIG_HEADS = ("with config: ", "server_args=ServerArgs(", "args: Namespace(", "non-default args: ")


def settings_of(reading: LogReading, until: int, context: Context) -> dict[str, str]:
    """Key, flag or variable -> value, as of raw line `until`; what a program reports of itself wins over its command.

    Overrides keep their dotted key without `+`, flags their dashes (`--tensor-parallel-size`), variables their name.
    """
    settings: dict[str, str] = {}
    for command in reading.commands:
        if command.line.number <= until:
            settings.update(command_settings(command))
    for hit in reading.probed:
        if hit.line.number > until:
            continue
        match hit.probe:
            case "config_dump":
                settings.update(dump_settings(line.text for line in _block(hit.line, context)))
            case "engine_config":
                settings.update(config_settings(hit.line.text))
            case "allocator":
                settings[hit.captures.get("key", "")] = hit.captures.get("value", "")
            case _:
                pass
    settings.pop("", None)
    return settings


def command_settings(command: Command) -> Iterator[tuple[str, str]]:
    """`key=value`, `+key=value`, `--flag value`, `--flag=value` and `NAME=value` of one command."""
    words = [word.strip("'\"") for word in command.text[:_CAP].split()]
    for word, following in zip_longest(words, words[1:], fillvalue=""):
        key, equals, value = word.partition("=")
        if key.startswith("--"):
            if equals:
                yield key, value.strip("'\"")
            else:
                yield key, "" if following.startswith("-") and not _is_number(following) else following
        elif equals and _KEY.match(bare := key.lstrip("+")):
            yield bare, value.strip("'\"")


def config_settings(text: str) -> Iterator[tuple[str, str]]:
    """`key=value` or `'key': value` pairs at the top level of the one line in which an engine prints its settings."""
    text = text[:_CAP]
    head = next((head for head in _CONFIG_HEADS if head in text), "")
    if not head:
        return
    for piece in _top_level(text[text.index(head) + len(head) :].strip().strip("{}")):
        key, equals, value = piece.strip().partition("=")
        if not equals or not _KEY.match(key):
            key, equals, value = piece.strip().partition(":")
        key = key.strip().strip("'\"")
        if equals and _KEY.match(key):
            yield key, value.strip().strip("'\"")


def dump_settings(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Dotted keys of a configuration that Python pretty-printed: a key's column says what it belongs to."""
    path: list[tuple[int, str]] = []
    depth = 0
    for text in lines:
        found = list(_DUMP_KEY.finditer(text[:_CAP]))
        for key, following in zip_longest(found, found[1:]):
            while path and path[-1][0] >= key.start():
                path.pop()
            path.append((key.start(), key[1]))
            value = text[key.end() : following.start() if following else len(text)].strip().rstrip(",}").strip()
            if value and not value.startswith(("{", "[")):
                yield ".".join(name for _, name in path), value.strip("'\"")
        depth += text.count("{") - text.count("}")
        if depth <= 0:
            return


def _block(line: Line, context: Context) -> Iterator[Line]:
    lines = context(line, 0, _DUMP_LINES) or (line,)
    return (each for each in lines if each.stream == line.stream)


def _top_level(text: str) -> Iterator[str]:
    """Splits at commas outside brackets and quotes, and ends where an unopened bracket closes. Linear."""
    depth, start, quote = 0, 0, ""
    for place, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in _QUOTES:
            quote = character
        elif character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
            if depth < 0:
                yield text[start:place]
                return
        elif character == "," and depth == 0:
            yield text[start:place]
            start = place + 1
    yield text[start:]


def _is_number(word: str) -> bool:
    return word.lstrip("-").replace(".", "", 1).isdigit()
