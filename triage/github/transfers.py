"""Several logs at once: threads that end with the loop that reads them, however it ends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

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
    """Yields in the order of arrival. Any exception, Ctrl-C and an abandoned loop included, cancels all and waits."""
    lock = threading.Lock()

    def fetch(job: Job) -> StoredLog | Unavailable:
        def progress(received: int, total: int) -> None:
            if on_progress is not None:
                with lock:
                    on_progress(Transfer(job, received, total))

        return logs.fetch(job, progress)

    # Two more threads than connections: while those transfer, these ask GitHub where the next logs are.
    pool = ThreadPoolExecutor(connections + 2, thread_name_prefix="triage-log")
    finished = False
    try:
        pending: dict[Future[StoredLog | Unavailable], Job] = {pool.submit(fetch, job): job for job in jobs}
        for done in as_completed(pending):
            yield pending[done], done.result()
        finished = True
    finally:
        if not finished:
            cancellation.cancel()
        pool.shutdown(wait=True, cancel_futures=True)
