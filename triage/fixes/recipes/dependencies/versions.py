"""What installing a requirements file would change, against the versions that the log lists."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from triage.fixes.requirements import Named

_BOUND = re.compile(r"(==|!=|<=|>=|<|>|~=)\s*([\w.*+!-]+)")
_MOST = 8


def changes(named: Iterable[Named], installed: Mapping[str, str]) -> str:
    """One sentence for people; "" when the log lists no versions."""
    if not installed:
        return ""
    missing, moved = [], []
    for one in named:
        version = installed.get(one.name)
        if version is None:
            missing.append(one.name)
        elif version and not satisfied(one.pin, version):
            moved.append(f"{one.name} {version} ({one.pin})")
    parts = [f"would install {_listed(missing)}" if missing else "", f"would change {_listed(moved)}" if moved else ""]
    return "against the log's list it " + (" and ".join(part for part in parts if part) or "changes nothing else")


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more


def satisfied(pin: str, version: str) -> bool:
    """Whether a version meets every bound. Only release numbers are compared; what is odd passes."""
    return all(_meets(operator, _release(version), _release(bound), bound) for operator, bound in _BOUND.findall(pin))


def _release(text: str) -> tuple[int, ...]:
    numbers = [int(part[:18]) for part in re.match(r"[0-9.]*", text.partition("+")[0])[0].split(".") if part]  # type: ignore[index]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _meets(operator: str, version: tuple[int, ...], bound: tuple[int, ...], text: str) -> bool:
    if "*" in text:
        return (version[: len(bound)] == bound) is (operator != "!=")
    match operator:
        case "==":
            return version == bound
        case "!=":
            return version != bound
        case "<":
            return version < bound
        case "<=":
            return version <= bound
        case ">":
            return version > bound
        case ">=":
            return version >= bound
        case _:
            numbers = tuple(int(part) for part in re.findall(r"[0-9]+", text.partition("+")[0]))
            series = numbers[:-1] or numbers  # `~=2` is no valid bound: who writes it means the series
            return version >= bound and (*version, *[0] * len(series))[: len(series)] == series
