"""Recipes about the image that a job runs in: a part of the vocabulary of `recipe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

_STRICT: dict[str, object] = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class Image:
    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["image"] = "image"
    from_image: str = ""
    to: str = ""
    copy_from_sibling: bool = False
    comment: str = ""


@dataclass(frozen=True, slots=True)
class ContainerOption:
    """An option of the job's container, such as `--shm-size=16g`; without one, of the failing `docker` commands.

    `factor`: a size that is there and large enough already is multiplied, up to `at_most`. `enough`: one that has been
    given as much is not what is wrong. `settled` is the size that was chosen, once it is.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    option: str
    value: str
    recipe: Literal["container_option"] = "container_option"
    factor: int = 1
    at_most: str = ""
    enough: str = ""
    settled: str = ""
