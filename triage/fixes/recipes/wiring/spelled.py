"""A variable that has two names: the one by which the repository calls it."""

from __future__ import annotations

import re

from triage.fixes.recipes.situation import Situation


def as_spelled(name: str, here: Situation) -> str:
    """A variable that got another name is read under its first one too: that one, where the tree sets no other."""
    names = next((one["env"] for one in here.tables.knobs.values() if name in one.get("env", ())), (name,))
    if name == names[0]:
        return name
    held = [one for one in (names[0], name) if _is_set(one, here)]
    return held[0] if held == [names[0]] else name


def _is_set(name: str, here: Situation) -> bool:
    setting = re.compile(rf"(?m)^(?![ \t]*#).*\b{re.escape(name)}[\"']?(?:=|:[ \t])".encode())
    texts = (path for path in here.tree.paths() if path.endswith((".sh", ".yaml", ".yml")))
    return any(setting.search(here.tree.read(path)) for path in texts)
