"""Keeps the one comment of a pull request: found by marker and author, edited in place, never two visible.

Several bots may run at once, be killed half-way, or find their comment deleted. What makes it come right: every writing
reads all comments anew, the oldest comment of the newest generation stays, and who finds others of its own takes them
away. A comment that rests on older answers of GitHub never overwrites one that rests on newer ones.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from triage.errors import GitHubError
from triage.model.run import Comment
from triage.output.comment import SUPERSEDED
from triage.output.marker import Marker, is_worse, read, retired

_TRIES = 5
# Seconds by which clocks of runners differ. What claims to be of a later time than that was written by a wrong clock.
AHEAD = 3600


class Board(Protocol):
    """The comments of pull requests (fulfilled by `triage/github`). Each call may raise GitHubError."""

    def list(self, number: int) -> Sequence[Comment]:
        """All of them, oldest first."""
        ...

    def create(self, number: int, body: str, marker: str) -> Comment: ...

    def edit(self, comment_id: int, body: str) -> Comment | None:
        """None when it was deleted."""
        ...

    def delete(self, comment_id: int) -> None: ...

    def minimise(self, comment: Comment) -> None: ...

    def viewer(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Saying:
    """What is to be said. `level` and `yours` as in `Marker`; `at` in seconds since 1970, when GitHub was asked.

    `quiet`: not worth a first comment. `pending`: some runs have not ended, so that what is better now may not last.
    `text` is the comment below its first line; `suggested` is the digest of the suggestions that go with it.
    """

    pull: int
    level: int
    yours: frozenset[str]
    at: int
    text: str
    quiet: bool = False
    pending: bool = False
    suggested: str = ""


class Outcome(StrEnum):
    CREATED = "created"
    EDITED = "edited"
    REPLACED = "replaced by a new one, because things got worse"
    SILENT = "nothing to say"
    OUTDATED = "left as it is: it rests on newer answers"


@dataclass(frozen=True, slots=True)
class Posted:
    """`comment` is what stands now, None when there is none. `suggest`: the suggestions were not posted yet."""

    outcome: Outcome
    comment: Comment | None = None
    suggest: bool = False


def publish(board: Board, saying: Saying) -> Posted:
    """Raises GitHubError; whatever was done until then is put right by the next call."""
    login = board.viewer()
    for _ in range(_TRIES):
        current = _settle(board, saying.pull, login)
        if current is None and saying.quiet:
            return Posted(Outcome.SILENT)
        if current is not None and saying.at < current[1].at < time.time() + AHEAD:
            return Posted(Outcome.OUTDATED, current[0])
        posted = _write(board, saying, current, login)
        if posted is not None:
            return posted
    raise GitHubError(
        f"The comment on #{saying.pull} was changed by others {_TRIES} times in a row.", "Run the command again."
    )


def _write(board: Board, saying: Saying, current: tuple[Comment, Marker] | None, login: str) -> Posted | None:
    """None when another got in between: look again."""
    marker = _marker(saying, current[1] if current else None)
    line = marker.line()
    body = f"{line}\n{saying.text}"
    suggest = bool(saying.suggested) and (current is None or current[1].suggested != saying.suggested)
    if current is not None and marker.generation == current[1].generation:
        edited = board.edit(current[0].id, body)
        stands = _settle(board, saying.pull, login) if edited is not None else None
        # Gone, or a bot with older answers wrote over it just now: GitHub has no edit that asks what was there before.
        if edited is None or (stands is not None and stands[1].at < saying.at):
            return None
        return Posted(Outcome.EDITED, edited, suggest)
    made = board.create(saying.pull, body, line)
    stands = _settle(board, saying.pull, login)
    # A list that does not show what was just made is behind; making it again would make two.
    seen = stands is not None and stands[1].generation >= marker.generation
    if stands is not None and seen and (stands[0].id != made.id or stands[1].at < saying.at):
        return None
    return Posted(Outcome.REPLACED if current else Outcome.CREATED, made, suggest)


def _marker(saying: Saying, old: Marker | None) -> Marker:
    new = Marker(saying.pull, 1, saying.level, saying.at, saying.yours, saying.suggested, secrets.token_hex(8))
    if old is None:
        return new
    worse = is_worse(old, saying.level, saying.yours)
    level, yours = saying.level, saying.yours
    if saying.pending:
        # What the unfinished runs showed last time is not forgotten yet: it would come back as news.
        level, yours = max(level, old.level), yours | old.yours
    generation = old.generation + 1 if worse else old.generation
    return Marker(saying.pull, generation, level, saying.at, yours, saying.suggested or old.suggested, new.id)


def _settle(board: Board, pull: int, login: str) -> tuple[Comment, Marker] | None:
    """The bot's comment as it should be: the oldest of the newest generation, all others of its own out of the way."""
    own = [
        (comment, marker)
        for comment in board.list(pull)
        if comment.author == login and (marker := read(comment.body, pull)) is not None
    ]
    if not own:
        return None
    newest = max(marker.generation for _, marker in own)
    stays = min((pair for pair in own if pair[1].generation == newest), key=lambda pair: pair[0].id)
    for comment, marker in own:
        if comment.id == stays[0].id:
            continue
        if marker.generation == newest:
            board.delete(comment.id)
        else:
            _retire(board, pull, comment)
    return stays


def _retire(board: Board, pull: int, comment: Comment) -> None:
    try:
        board.minimise(comment)
    except GitHubError:
        # Without the right to minimise it would stay visible beside the new one, which says all that it said.
        board.delete(comment.id)
        return
    board.edit(comment.id, f"{retired(pull)}\n{SUPERSEDED}")
