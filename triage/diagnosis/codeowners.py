"""Who owns a path, by the text of a CODEOWNERS file: the last rule that fits wins, as on GitHub."""

from __future__ import annotations

from fnmatch import fnmatchcase

_LONGEST = 1000


def owners_of(path: str, codeowners: str) -> tuple[str, ...]:
    """Handles and teams as written; empty when no rule fits, or the last one that does names nobody."""
    owners: tuple[str, ...] = ()
    for line in codeowners.splitlines()[:5000]:
        fields = line[:_LONGEST].partition(" #")[0].split()
        if fields and not fields[0].startswith("#") and _fits(path, fields[0]):
            owners = tuple(fields[1:])
    return owners


def _fits(path: str, rule: str) -> bool:
    """Gitignore's rules without negation: `/` anchors, a folder covers what is in it, `*` stops at `/` only in a name.

    A rule without a slash fits at any depth.
    """
    anchored = "/" in rule.rstrip("/")
    pattern = rule.strip("/")
    parts = path.split("/")
    if not anchored:
        within = parts[:-1] if rule.endswith("/") else parts
        return any(fnmatchcase(part, pattern) for part in within)
    wanted = pattern.split("/")
    if wanted and wanted[-1] == "*" and not rule.endswith("/"):
        return len(parts) == len(wanted) and _along(parts, wanted)
    return any(_along(parts[:end], wanted) for end in range(1, len(parts) + 1))


def _along(parts: list[str], wanted: list[str]) -> bool:
    if not wanted or not parts:
        return not wanted and not parts
    if wanted[0] == "**":
        return any(_along(parts[start:], wanted[1:]) for start in range(len(parts) + 1)) or len(wanted) == 1
    return fnmatchcase(parts[0], wanted[0]) and _along(parts[1:], wanted[1:])
