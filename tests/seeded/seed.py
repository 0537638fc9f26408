"""One seeded fault: files that were spoilt, and what the job then prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tests.seeded.site import Job, Site


@dataclass(frozen=True, slots=True)
class Seed:
    """`spoilt`: the whole new contents of the files with the fault; the way back is the file as it was.

    `step`: the number of the step that fails. `lines`: what it prints, as the program at fault words it, without stamps
    and without its header; a line that begins with `##[error]` is the runner's, and ends the step. A `step` below 0 is
    no step at all: the run has no job, and `lines` are all that GitHub says of it.
    `setting_up`: the job is there, and ends before its first step: `step` is below 0.
    `accepts`: what a line that a patch adds may say as well, where the same thing has several wordings, as a regular
    expression; "" where only the knob that was turned counts.
    `mended`: the way back where it is not the file as it was: the tree was right until a new release came.
    `earlier`: what steps before it print, by their number.
    `way`: what the traceback passes: file, line and its text.
    """

    job: Job
    step: int
    spoilt: Mapping[str, bytes] = field(repr=False)
    lines: tuple[str, ...] = field(repr=False)
    about: str = ""
    code: int = 1
    way: tuple[tuple[str, int, str], ...] = field(default=(), repr=False)
    accepts: str = ""
    setting_up: bool = False
    mended: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    earlier: Mapping[int, Sequence[str]] = field(default_factory=dict, repr=False)


# A kind of fault: every way to seed it into a repository, most telling first.
Kind = Callable[[Site], Iterator[Seed]]
