"""Settings among a program's arguments: `key=value` of Hydra with its prefixes, `--flag value` of command lines."""

from __future__ import annotations

from dataclasses import dataclass

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Site, Value

_PREFIXES = ("++", "+", "~", "")


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


def _setting(words: tuple[Value, ...], at: int, key: str) -> Setting | None:
    word, head = words[at], words[at].head
    if key.startswith("-"):
        if head.startswith(f"{key}="):
            return Setting(at, word.after(f"{key}="))
        return Setting(at + 1, words[at + 1]) if word.text == key and at + 1 < len(words) else None
    prefix = next((one for one in _PREFIXES if head.startswith(f"{one}{key}=")), None)
    return None if prefix is None else Setting(at, word.after(f"{prefix}{key}="), prefix)
