"""One build of an image, as a command, an action or a file of compose asks for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Build:
    """Its Dockerfile, the folder that COPY reads from ("" unknown), what it calls the image.

    `arguments` are names of `ARG`s that it sets; without `closed` it may set any.
    """

    path: str
    context: str = ""
    tags: tuple[str, ...] = ()
    arguments: frozenset[str] = frozenset()
    closed: bool = False
