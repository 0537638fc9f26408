"""Several logs at once: threads that end with the loop that reads them, however it ends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

from triage.github.blobs import AHEAD
from triage.github.cancellation import Cancellation
from triage.github.logs import JobLogs, StoredLog
from triage.model.run import Job, Transfer, Unavailable

Transferred = Callable[[Transfer], None]


def fetch_side_by_side(
    logs: JobLogs,
    jobs: Sequence[Job],
    connections: int,
    cancellation: Cancellation,
    on_progress: Transferred | None = None,
) -> Iterator[tuple[Job, StoredLog | Unavailable]]:
    """In the order of arrival; all are on their way when this returns, whether or not the loop has begun.

    Any exception in the loop, Ctrl-C and an abandoned loop included, cancels all and waits; without a loop,
    `cancellation` ends them.
    """
    lock = threading.Lock()

    def fetch(job: Job) -> StoredLog | Unavailable:
        def progress(received: int, total: int) -> None:
            if on_progress is not None:
                with lock:
                    on_progress(Transfer(job, received, total))

        return logs.fetch(job, progress)

    # More threads than connections: while those transfer, these ask GitHub where the next logs are, and the store.
    pool = ThreadPoolExecutor(connections + AHEAD, thread_name_prefix="triage-log")
    return _arriving(pool, {pool.submit(fetch, job): job for job in jobs}, cancellation)


def _arriving(
    pool: ThreadPoolExecutor, pending: dict[Future[StoredLog | Unavailable], Job], cancellation: Cancellation
) -> Iterator[tuple[Job, StoredLog | Unavailable]]:
    finished = False
    try:
        for done in as_completed(pending):
            yield pending[done], done.result()
        finished = True
    finally:
        if not finished:
            cancellation.cancel()
        pool.shutdown(wait=True, cancel_futures=True)
