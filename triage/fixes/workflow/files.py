"""Which files are workflows and which describe an action, by their paths alone."""

from __future__ import annotations

import posixpath

_FOLDER = ".github/workflows/"
_ACTIONS = ("action.yml", "action.yaml")


def is_workflow(path: str) -> bool:
    """Files that Actions reads as workflows: directly in `.github/workflows`, not in folders below it."""
    return path.startswith(_FOLDER) and path.count("/") == 2 and path.endswith((".yml", ".yaml"))


def is_action(path: str) -> bool:
    return posixpath.basename(path) in _ACTIONS


def action_files(folder: str) -> tuple[str, ...]:
    """Where an action's own description may lie in its folder, in the order in which the runner looks."""
    return tuple(posixpath.normpath(f"{folder}/{name}") for name in _ACTIONS)
