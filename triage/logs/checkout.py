"""The commit under test, as the checkout step prints it."""

from __future__ import annotations

import re

from triage.logs.lines import Seen

_ASKED = re.compile(r"\[command\]\S{0,200}git\b.{0,200}\blog -1 --format=.?%H")
_SHA = re.compile(r"'?([0-9a-f]{40})'?\s*$")
_HEAD = re.compile(r"HEAD is now at ([0-9a-f]{7,40}) ")


class CheckoutCommit:
    """`sha` is the first one printed in full, else the first abbreviated one, else ""."""

    def __init__(self) -> None:
        self.sha = ""
        self._asked_at = 0

    @property
    def attentive(self) -> bool:
        return self._asked_at > 0

    def see(self, seen: Seen) -> None:
        if self._asked_at:
            if (found := _SHA.match(seen.text)) and len(self.sha) < 40:
                self.sha = found[1]
            self._asked_at = 0
        elif _ASKED.match(seen.text):
            self._asked_at = seen.number
        elif not self.sha and (found := _HEAD.match(seen.text)):
            self.sha = found[1]
