"""A job's time limit that is too short for its work."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.seeded.kinds.lines import block_of
from tests.seeded.seed import Seed
from tests.seeded.site import Site

_LIMIT = re.compile(r"^    timeout-minutes: (\d+)$", re.M)


def cut(site: Site) -> Iterator[Seed]:
    """`timeout-minutes` of a job at two thirds of what it was."""
    for job in site.jobs:
        limit = job.body.get("timeout-minutes")
        text = site.text(job.workflow)
        block = block_of(text, job)
        if not isinstance(limit, int) or limit < 15 or not block:
            continue
        short = limit * 2 // 3
        spoilt = _LIMIT.sub(f"    timeout-minutes: {short}", block, count=1)
        last = max((number for number, _ in job.runs()), default=-1)
        if spoilt == block or last < 0:
            continue
        yield Seed(
            job,
            last,
            {job.workflow: text.replace(block, spoilt, 1).encode()},
            (
                "collected 214 items",
                "tests/test_one.py ........................................................ [ 26%]",
                f"##[error]The job has exceeded the maximum execution time of {short // 60}h{short % 60}m0s",
                "##[error]The operation was canceled.",
            ),
            f"{limit} -> {short}",
        )
