"""Whether a rung of the ladder applies: globs over facts, where what is unknown passes unless it must be known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase

from triage.model.diagnosis import Facts

KNOWN = "known"
UNKNOWN = "unknown"

# The effective value of a logical knob in the failing job, by its log or its tree; "" when it is not known.
ReadSetting = Callable[[str], str]


def objection(when: Mapping[str, Sequence[str]], facts: Facts, setting: ReadSetting) -> str:
    """Why the rung does not apply; "" when it does."""
    for name, globs in when.items():
        values = _values(name, facts, setting)
        if values is None:
            return f"`{name}` is no fact that a condition can ask for"
        if not allows(globs, values):
            return f"{name} is {' and '.join(values) or UNKNOWN}, and the fix is for {' or '.join(globs)}"
    return ""


def without_settings(when: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """The conditions that do not ask for the value of a setting."""
    return {name: globs for name, globs in when.items() if not name.startswith("setting:")}


def allows(globs: Sequence[str], values: Sequence[str]) -> bool:
    """`!glob` excludes and `known` asks for a value; without any other glob, everything that is left passes."""
    real = [value for value in values if value not in ("", UNKNOWN)]
    if not real:
        return KNOWN not in globs
    forbidden = [glob[1:] for glob in globs if glob.startswith("!")]
    wanted = [glob for glob in globs if not glob.startswith("!") and glob != KNOWN]
    if any(_fits(value, forbidden) for value in real):
        return False
    return not wanted or any(_fits(value, wanted) for value in real)


def _fits(value: str, globs: Sequence[str]) -> bool:
    return any(fnmatchcase(value.lower(), glob.lower()) for glob in globs)


def _values(name: str, facts: Facts, setting: ReadSetting) -> tuple[str, ...] | None:
    kind, _, rest = name.partition(":")
    match kind:
        case "platform":
            return (facts.platform.value,)
        case "phase":
            return (facts.phase.value,)
        case "layout":
            return (facts.layout.value,)
        case "framework":
            return facts.frameworks
        case "sign":
            return facts.signs
        case "passes":  # the packages, and the folders of the repository, that the traceback leads through
            return (*facts.packages, *(part for frame in facts.frames for part in frame.split("/")[:-1]))
        case "setting" if rest:
            return (setting(rest),)
        case "version" if rest:
            return (facts.versions.get(rest, ""),)
        case "installed" if rest:
            return (facts.installed.get(rest, ""),)
        case _:
            return None
