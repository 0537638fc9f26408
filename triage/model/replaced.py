"""A distribution that a job moved from one release to another."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Replaced:
    """A distribution (normalised) that the job moved from `old` to `new`. `by`: the exact requirement ("name==release")
    that drew it in, "" where it was asked for by itself or the log does not say."""

    name: str
    old: str
    new: str
    by: str = ""
