"""What a change of pyproject.toml, setup.py or setup.cfg changes, as the format's own parser sees it."""

from __future__ import annotations

import configparser
from difflib import SequenceMatcher

from triage.fixes.manifests import setup_py, toml
from triage.fixes.refusal import Refusal


def changed_values(path: str, old: bytes, new: bytes) -> tuple[str, ...] | Refusal:
    """Semantic paths of TOML and `section.option`s whose value differs; of Python the strings that are new.

    A Refusal when one of the two does not parse, or when a program changes in more than its strings.
    """
    if path.endswith(".py"):
        return _of_python(old, new)
    read = toml.scalars if path.endswith(".toml") else _options
    before, after = read(old), read(new)
    if isinstance(before, Refusal):
        return before
    if isinstance(after, Refusal):
        return Refusal(f"afterwards it {after.reason}")
    return tuple(place for place in {**before, **after} if before.get(place) != after.get(place))


def _of_python(old: bytes, new: bytes) -> tuple[str, ...] | Refusal:
    before, after = setup_py.shape(old), setup_py.shape(new)
    if isinstance(before, Refusal):
        return before
    if isinstance(after, Refusal):
        return Refusal(f"afterwards it {after.reason}")
    if before[0] != after[0]:
        return Refusal("the program changes in more than its strings")
    matcher = SequenceMatcher(None, before[1], after[1], autojunk=False)
    changed = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    if any(i2 - i1 > j2 - j1 for _, i1, i2, j1, j2 in changed):
        return Refusal("a string is lost")
    return tuple(text for _, _, _, j1, j2 in changed for text in after[1][j1:j2])


def _options(data: bytes) -> dict[str, str] | Refusal:
    parser = configparser.RawConfigParser(strict=True)
    try:
        parser.read_string(data.decode())
    except (configparser.Error, UnicodeDecodeError) as error:
        return Refusal(f"is no configuration file: {error}")
    return {f"{section}.{option}": value for section in parser.sections() for option, value in parser.items(section)}
