"""A script of the machine that reads unset variables, read in by a script of the repository that forbids it."""

from __future__ import annotations

import re
from collections import Counter

from triage.fixes.recipes.commands.said.named import Said
from triage.fixes.recipes.commands.scripts import Script, shell_files, text_of_file
from triage.fixes.recipes.outcome import InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.interfaces import Tree

_STRICT = re.compile(r"(?m)^[ \t]*set[ \t]+(?:-(?P<letters>[a-z]*u)|-o[ \t]+nounset)|^#![^\n]*[ \t]-[a-z]*u")
_LOOSENS = re.compile(r"(?m)^[ \t]*set[ \t]+\+(?P<flags>[a-z]*u[a-z]*)[ \t]*$")
_TIGHTENS = re.compile(r"[ \t]*set[ \t]+-[a-z]*u")


def around_foreign(tree: Tree, target: Target, here: Situation | Refusal, named: str) -> Outcome:
    """`set +u` before the line that reads it in, `set -u` behind it: with the letters that the script sets, for what is
    not written for `-u` is seldom written for `-e`; or as another script of the repository does it."""
    if not named.startswith("/") or "_temp/" in named:
        return Refusal(f"`{named}` is no script of the machine")
    line = re.compile(rf"(?m)^(?P<indent>[ \t]*)(?:source|\.)[ \t]+[\"']?{re.escape(named)}[\"']?[ \t]*$")
    texts = [(path, text_of_file(tree, path)) for path in shell_files(tree)]
    found = [
        (path, text, hit) for path, text in texts for hit in line.finditer(text) if _STRICT.search(text[: hit.start()])
    ]
    if not found:
        return Refusal(f"no script of the repository reads {named} in under `set -u`")
    if all(_loosened(text, hit.start()) for _, text, hit in found):
        return InPlace(f"{found[0][0]} allows unset variables where it reads {named} in")
    if len(found) > 1:
        places = ", ".join(path for path, _, _ in found)
        return Words(f"put `set +u` before and `set -u` behind the line that reads {named} in, in {places}")
    (path, text, hit) = found[0]
    flags = Counter(one["flags"] for _, own in texts for one in _LOOSENS.finditer(own)).most_common(1)
    set_by = next((one["letters"] for one in _STRICT.finditer(text) if one["letters"]), "u")
    letters = flags[0][0] if flags else "".join(one for one in set_by if one in "eu")
    made = Said(tree, target, Script(path, text), 0, named, None if isinstance(here, Refusal) else here)
    indent = hit["indent"]
    spans = [
        (hit.start(), hit.start(), f"{indent}set +{letters}\n"),
        (hit.end(), hit.end(), f"\n{indent}set -{letters}"),
    ]
    return made.edited(
        spans, f"{named} reads variables that nothing has set", f"Allow unset variables where {path} reads {named} in"
    )


def _loosened(text: str, at: int) -> bool:
    before = text[:at].rstrip("\n").rsplit("\n", 1)[-1]
    return bool(_LOOSENS.match(before)) and not _TIGHTENS.match(before)
