"""A log that takes for ever to read, known by name to other processes too."""

import time
from dataclasses import dataclass
from typing import BinaryIO, NoReturn


@dataclass(frozen=True)
class Sleeping:
    name: str

    def open(self) -> BinaryIO:
        return _sleep()


def _sleep() -> NoReturn:
    time.sleep(600)
    raise AssertionError("it slept enough")
