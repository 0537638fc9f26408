"""How much longer a run takes than its bytes (issue 6): python -m tests.bench.transfers

The server runs in this process, on the same cores as the command that it serves. Nothing is taken off for that: the
ratio is the command's wall time, from its start to its end, over what the bytes need at the store's speed. What the
server and the command spend of the processors is printed beside it, for on a busy machine both wait for them.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
import tracemalloc
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.github.worlds import BASE, REPO, RUN_ID, TOKEN, log_of, make_job, make_run, make_world, served
from triage.demo.server import Server, Traffic, World
from triage.github import GitHub
from triage.model.run import Unavailable

_ROUNDS = 3


@dataclass(frozen=True)
class Load:
    """`size` bytes of logs in all, over `failed` of `jobs` jobs; the store's limits as in issue 6."""

    jobs: int
    failed: int
    size: int
    bytes_per_second: float
    connections: int = 4
    latency: float = 0.05

    @property
    def transfers_alone(self) -> float:
        """Seconds that the bytes need when nothing else takes time."""
        return self.size / (self.connections * self.bytes_per_second)


@dataclass(frozen=True)
class Measured:
    seconds: float
    requests: int
    most_transfers: int


def world_of(load: Load) -> World:
    world = make_world(failed=load.failed, passed=load.jobs - load.failed)
    each = load.size // load.failed
    pattern = log_of(0, 2000)
    content = (pattern * (each // len(pattern) + 1))[:each]
    world.logs = dict.fromkeys(range(1, load.failed + 1), content)
    return world


FAILURE = b"""2026-03-04T05:06:08.1234567Z ModuleNotFoundError: No module named 'transfer_queue'
2026-03-04T05:06:09.1234567Z ##[error]Process completed with exit code 1.
"""


def judged_world_of(load: Load) -> World:
    """The same with a cause in every log, and with runs of the base branch and of others to compare with."""
    world = world_of(load)
    world.logs = {job: log[: -len(FAILURE) - 1] + b"\n" + FAILURE for job, log in world.logs.items()}
    for number in range(1, 6):
        run = make_run(number, event="push", head_branch="main", head_repo=REPO, head_sha=BASE, pull_requests=())
        world.runs.append(replace(run, conclusion="success"))
        jobs = range(1, load.jobs + 1)
        world.jobs[number, 1] = [make_job(1000 * number + job, f"train ({job})", failed=False) for job in jobs]
    return world


def fetch(github: GitHub, load: Load) -> None:
    """From nothing to all logs of the failed jobs, as `triage run` does it, without matching."""
    jobs = github.jobs(github.run(RUN_ID))
    found = dict(github.fetch_logs([job for job in jobs if job.failed]))
    assert len(found) == load.failed
    assert not [log for log in found.values() if isinstance(log, Unavailable)]


def measure(load: Load, folder: Path) -> Measured:
    traffic = Traffic(load.latency, load.bytes_per_second, load.connections)
    with served(world_of(load), folder, traffic) as (server, github):
        started = time.monotonic()
        fetch(github, load)
        return Measured(time.monotonic() - started, github.requests_sent, server.most_transfers)


def memory(load: Load, folder: Path) -> int:
    """Bytes that Python holds at most while it fetches, above what it held before; the server's are among them."""
    with served(world_of(load), folder) as (_, github):
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            fetch(github, load)
            return tracemalloc.get_traced_memory()[1] - before
        finally:
            tracemalloc.stop()


class TimedServer(Server):
    """Knows when the store began its first transfer and ended its last one."""

    def transfer(self, change: int) -> None:
        moments.append(time.monotonic())
        Server.transfer(self, change)


moments: list[float] = []


@dataclass(frozen=True)
class Whole:
    """Seconds of a whole `triage run`: from start to end, between first and last transfer, and of processors."""

    seconds: float
    transferring: float
    processor: float
    servers_processor: float
    requests: int


def command(load: Load, world: World, folder: Path, *flags: str) -> Whole:
    """`triage run` with nothing in its caches: Python's start, the catalogue, matching and diagnosis are in it."""
    traffic = Traffic(load.latency, load.bytes_per_second, load.connections)
    moments.clear()
    with TimedServer(world, traffic) as server:
        arguments = ["run", str(RUN_ID), "-R", REPO, "--api-url", server.api_url, "--token", TOKEN]
        environment = {**os.environ, "XDG_CACHE_HOME": str(folder), "NO_PROXY": "127.0.0.1"}
        spent, own, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time(), time.monotonic()
        subprocess.run(
            [sys.executable, "-m", "triage", *arguments, *flags, "--format", "json"],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        seconds, servers = time.monotonic() - started, time.process_time() - own
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = after.ru_utime + after.ru_stime - spent.ru_utime - spent.ru_stime
        asked = sum(call != "blob" for call in server.calls)
        return Whole(seconds, moments[-1] - moments[0], processor, servers, asked)


def main() -> None:
    load = Load(jobs=120, failed=20, size=100_000_000, bytes_per_second=8_000_000)
    with TemporaryDirectory() as folder:
        found = measure(load, Path(folder, "time"))
        held = memory(load, Path(folder, "memory"))
        plain = [
            command(load, world_of(load), Path(folder, f"plain-{number}"), "--no-evidence") for number in range(_ROUNDS)
        ]
        judged = [command(load, judged_world_of(load), Path(folder, f"judged-{number}")) for number in range(_ROUNDS)]
    print(f"{load.size / 1e6:.0f} MB in {load.failed} logs, {load.connections} connections of 8 MB/s, 50 ms latency")
    print(f"transfers alone {load.transfers_alone:.2f} s, all {found.seconds:.2f} s: "
          f"ratio {found.seconds / load.transfers_alone:.2f} (at most 1.3)")  # fmt: skip
    print(f"{found.requests} requests (at most {load.jobs / 100 + load.failed + 10:.0f}), "
          f"{found.most_transfers} transfers at a time, {held / 1e6:.1f} MB held")  # fmt: skip
    print(f"{judged[0].requests} requests with evidence, {plain[0].requests} without "
          f"(at most {load.jobs // 100 + load.failed + 10})")  # fmt: skip
    _print("nothing named, no evidence", load, plain)
    _print("a cause in every log, evidence and a tree", load, judged)


def _print(what: str, load: Load, wholes: list[Whole]) -> None:
    print(f"the whole command ({what}):")
    for whole in sorted(wholes, key=lambda one: one.seconds):
        print(f"  {whole.seconds:.2f} s: ratio {whole.seconds / load.transfers_alone:.2f} (at most 1.3), "
              f"{whole.seconds / whole.transferring:.2f} of its own {whole.transferring:.2f} s of transfers, "
              f"{whole.requests} requests; processors: its own {whole.processor:.2f} s, "
              f"the server's {whole.servers_processor:.2f} s")  # fmt: skip


if __name__ == "__main__":
    main()
