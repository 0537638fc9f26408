"""The arithmetic of an out-of-memory message: who holds the memory, and what was missing."""

from __future__ import annotations

import re

from triage.model.diagnosis import Memory

# Bounded, so that a line of nothing but digits is read once and not once a digit.
_SIZE = r"(\d{1,15}(?:\.\d{1,15})?) ?(bytes|[KMGT]i?B)"
_MIB = {"bytes": 2.0**-20, "K": 2.0**-10, "M": 1.0, "G": 1024.0, "T": 1024.0**2}

_ASKED = re.compile(rf"Tried to allocate {_SIZE}")
_TOTAL = re.compile(rf"total capacity of {_SIZE}|{_SIZE} total capacity")
_FREE = re.compile(rf"of which {_SIZE} is free|; {_SIZE} free")
_OWN = re.compile(rf"this process has {_SIZE} memory in use")
_PROCESS = re.compile(rf"Process \d+ has {_SIZE} memory in use")
_ALLOCATED = re.compile(rf"{_SIZE} is allocated by PyTorch|{_SIZE} (?:already )?allocated[;)]")
_UNALLOCATED = re.compile(rf"{_SIZE} is reserved by PyTorch but unallocated")
_RESERVED = re.compile(rf"{_SIZE} reserved in total by PyTorch")

# The share of a card from which another process counts as the one that holds it.
_HELD_BY_OTHERS = 0.25
_NEARLY = 0.1
# From the first share on that others hold, up to the second that is this process's own, it was crowded out.
_FILLED, _SMALL = 0.75, 0.1
# From this share on the process that asks has the card to itself.
_WHOLE = 0.9
# Up to this share, a process has not begun to use the card.
_NOTHING = 0.01


def read_memory(text: str) -> Memory | None:
    """The figures of an out-of-memory message, all its wordings since torch 1.x. None when it asks for nothing."""
    asked = _figure(_ASKED, text)
    if asked < 0:
        return None
    total, free, own = _figure(_TOTAL, text), _figure(_FREE, text), _figure(_OWN, text)
    allocated, unallocated = _figure(_ALLOCATED, text), _figure(_UNALLOCATED, text)
    reserved = _figure(_RESERVED, text)
    if unallocated < 0 <= reserved and allocated >= 0:
        unallocated = max(reserved - allocated, 0.0)
    others = [_mib(found) for found in _PROCESS.finditer(text)]
    if own < 0:
        # Inside a container torch does not know its own process by number, and lists it like the others.
        own = min((figure for figure in others if figure >= allocated), default=-1.0)
        if own >= 0:
            others.remove(own)
    by_others = sum(others) if others else (0.0 if own >= 0 else -1.0)
    if by_others < 0 and min(total, free, reserved) >= 0:
        # Messages before torch 2 name no process: what is neither free nor this one's is another's.
        by_others = max(total - free - reserved, 0.0)
    return Memory(asked, total, free, own, by_others, allocated, unallocated)


def memory_signs(memory: Memory) -> tuple[tuple[str, str], ...]:
    """Each sign that the ladder can ask for, with the sentence that says why."""
    signs = []
    if memory.total > 0 and memory.by_others >= _HELD_BY_OTHERS * memory.total:
        signs.append(
            ("others-hold", f"other processes hold {_gib(memory.by_others)} of the card's {_gib(memory.total)}")
        )
        if 0 <= memory.allocated <= _NOTHING * memory.total:
            signs.append(("held-before", "this process had allocated next to nothing"))
        if memory.by_others >= _FILLED * memory.total and 0 <= memory.by_this_process <= _SMALL * memory.total:
            signs.append(("crowded-out", f"this process holds no more than {_gib(memory.by_this_process)}"))
    elif memory.by_this_process >= _WHOLE * memory.total > 0:
        signs.append(("own-fills", f"this process alone holds {_gib(memory.by_this_process)} of {_gib(memory.total)}"))
    if memory.reserved_unallocated >= memory.asked > 0:
        kept = _gib(memory.reserved_unallocated)
        signs.append(("fragmented", f"{kept} were reserved but unallocated, and {_gib(memory.asked)} were asked for"))
    missing = memory.asked - max(memory.free, 0.0)
    if memory.total > 0 and memory.free >= 0 and 0 < missing < _NEARLY * memory.total:
        signs.append(("nearly-fits", f"{_gib(missing)} were missing of {_gib(memory.total)}"))
    return tuple(signs)


def _figure(pattern: re.Pattern[str], text: str) -> float:
    found = pattern.search(text)
    return _mib(found) if found else -1.0


def _mib(found: re.Match[str]) -> float:
    number, unit = (group for group in found.groups() if group is not None)
    return float(number) * _MIB[unit if unit == "bytes" else unit[0]]


def _gib(mib: float) -> str:
    return f"{mib / 1024:.2f} GiB"
