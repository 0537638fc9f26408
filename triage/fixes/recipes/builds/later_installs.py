"""What a build would fail at next: pip commands of the instructions below the failed one, which no run has reached."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from triage.fixes.manifests.dockerfile import instructions, simple_commands
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.syntax import Word
from triage.model.patch import Edit

_PIP = re.compile(r"pip(?:3(?:\.[0-9]+)?)?\Z")
# What makes, or enters, an environment whose pip is nobody else's.
_OWN = re.compile(rb"\bvenv\b|\bvirtualenv\b|\bconda\b|/bin/activate\b|^\s*PATH[= ]", re.M)


def option_for_later(here: Situation, option: str) -> tuple[Edit, ...]:
    """The option at each `pip install` and `pip uninstall` below in the stage: one guard stands before them all.

    Nothing where something below makes an environment of its own: what pip belongs to then is not known.
    """
    if not here.image or here.instruction < 0:
        return ()
    data = here.tree.read(here.image)
    found = instructions(data)
    if isinstance(found, Refusal):
        return ()
    end = next((at for at, one in enumerate(found) if at > here.instruction and one.name == "FROM"), len(found))
    below = found[here.instruction + 1 : end]
    if any(one.name in ("RUN", "ENV", "SHELL") and _OWN.search(data, one.start, one.end) for one in below):
        return ()
    verbs = (verb for one in below for words in simple_commands(data, one) for verb in _verbs(words, option))
    why = f"the image's Python stays as it is: pip asks for {option} here too"
    return tuple(Edit(here.image, verb.end, verb.end, f" {option}".encode(), why) for verb in verbs)


def _verbs(words: Sequence[Word], option: str) -> Iterator[Word]:
    """The word `install`, or `uninstall`, of a pip command that lacks the option."""
    texts = [word.literal or "" for word in words]
    pip = next((at for at, text in enumerate(texts) if _PIP.match(posixpath.basename(text))), len(texts))
    verb = next((later for later in words[pip + 1 :] if later.literal in ("install", "uninstall")), None)
    if verb is not None and option not in texts:
        yield verb
