"""How long a sync of many job attempts takes against the embedded server: python -m tests.bench.sync_scale [RUNS]

No contract checks, latency 0, ten jobs a run of which 8 % fail, half of the red runs rerun; at the pace that GitHub
allows (900 points a minute). Logs are fetched, matched with the whole catalogue and diagnosed on the way.
Budget: 10,000 attempts within 10 minutes on 2 cores.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from tests.histories import REPO
from tests.pipeline.made_up_github import busy
from tests.pipeline.served import world_of
from triage.cli import history as command
from triage.demo.server import Server


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 965
    github = busy(runs, days=8, jobs=10, failing=0.08)
    attempts = sum(len(jobs) for jobs in github.jobs_of.values())
    failed = sum(job.conclusion == "failure" for jobs in github.jobs_of.values() for job in jobs)
    with tempfile.TemporaryDirectory() as folder, Server(world_of(github)) as server:
        os.environ["XDG_CACHE_HOME"] = str(Path(folder) / "cache")
        started = time.perf_counter()
        command.sync("2026-11-01", str(Path(folder) / "history.db"), REPO, server.api_url, "token")
        print(f"{attempts:,} attempts of {runs:,} runs, {failed:,} logs: {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
