"""Settings among a program's arguments: `key=value` of Hydra with its prefixes, `--flag value` of command lines."""

from __future__ import annotations

import re
from dataclasses import dataclass

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import ONE_WORD, Site, Value

_PREFIXES = ("++", "+", "~", "")
# Names of files, which a run may have made.
_PATTERN = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class Setting:
    """`index` counts in `invocation.program`; `value` is what stands after `=`, with its sites. The last one counts:
    `earlier` are the indices of those before it."""

    index: int
    value: Value
    prefix: str = ""
    earlier: tuple[int, ...] = ()

    @property
    def sites(self) -> tuple[Site, ...]:
        return self.value.sites


def find_setting(invocation: Invocation, key: str) -> Setting | None:
    """The setting of a Hydra key or, for a `key` that starts with a dash, of a flag. None when no argument sets it;
    ask `may_hide` whether an unknown argument could."""
    words = invocation.program  # a copy of the words behind a wrapper: taken once, not for each word
    found = [setting for at in range(1, len(words)) if (setting := _setting(words, at, key))]
    if not found:
        return None
    last = found[-1]
    return Setting(last.index, last.value, last.prefix, tuple(one.index for one in found[:-1]))


def may_hide(invocation: Invocation, key: str) -> bool:
    """Whether an argument whose beginning is not known could set `key`."""
    return any(
        value.many or (not value.known and key.startswith(value.head.lstrip("+"))) for value in invocation.program[1:]
    )


def may_follow(invocation: Invocation, setting: Setting, key: str) -> str:
    """An argument behind a setting that is not known and could set `key` again, which would win; "" when none could."""
    words = invocation.program
    for at in range(setting.index + 1, len(words)):
        before = words[at - 1].text or ""
        valued = before.startswith("-") and "=" not in before and not words[at].many
        if not valued and _may_set(words[at], key):
            return str(words[at])
    return ""


def _may_set(value: Value, key: str) -> bool:
    if value.text is not None or not value.pieces:
        return False
    first, *rest = value.pieces
    if first.text is not None:
        return key.startswith(value.head.lstrip("+"))
    if first.name in ONE_WORD or (rest and (rest[0].text or "").startswith("/")):
        return False  # a path or a number
    return not first.many or _PATTERN.search(first.name) is None or "$" in first.name


def deletes(invocation: Invocation, key: str) -> int:
    """The index of the last argument by which Hydra takes `key`, or what holds it, away; 0: none."""
    parts = key.split(".")
    gone = {"~" + ".".join(parts[:count]) for count in range(1, len(parts) + 1)}
    words = invocation.program
    return max(
        (at for at in range(1, len(words)) if str(words[at]).replace("${~}", "~").partition("=")[0] in gone), default=0
    )


def _setting(words: tuple[Value, ...], at: int, key: str) -> Setting | None:
    word, head = words[at], words[at].head
    if key.startswith("-"):
        if head.startswith(f"{key}="):
            return Setting(at, word.after(f"{key}="))
        return Setting(at + 1, words[at + 1]) if word.text == key and at + 1 < len(words) else None
    prefix = next((one for one in _PREFIXES if head.startswith(f"{one}{key}=")), None)
    return None if prefix is None else Setting(at, word.after(f"{prefix}{key}="), prefix)
