"""Scans several logs, on several cores where that pays.

Cleaning holds the interpreter's lock about half of the time, so threads gain little; a process costs its start and its
own automata, so small logs stay in this one.
"""

from __future__ import annotations

import io
import os
import pickle
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from triage.errors import UsageError
from triage.interfaces import LogSource
from triage.matching.patterns import Patterns
from triage.matching.scanning import scan
from triage.model.log import LogReading
from triage.model.run import Job

# Bytes in all beyond which starting processes pays (measured by tests/bench).
WORTH_PROCESSES = 96 << 20
# What a source counts whose size cannot be told without unpacking it.
_UNKNOWN_SIZE = 16 << 20

Scanned = tuple[LogReading, ...] | UsageError


def scan_all(
    sources: Sequence[LogSource], patterns: Patterns, jobs: Sequence[Job | None] = (), processes: int | None = None
) -> tuple[Scanned, ...]:
    """`scan` of every source, in their order; a source that cannot be read gives its error.

    `jobs` are those of the sources, one each, or none at all. `processes` is at most how many to use; by default as
    many as this process may run on, and only one for little text.
    """
    work = list(zip(sources, jobs or [None] * len(sources), strict=True))
    portable = [index for index, (source, _) in enumerate(work) if _is_portable(source)]
    sizes = {index: _size(work[index][0]) for index in portable}
    count = min(processes or _cores(), len(portable))
    if count < 2 or (processes is None and sum(sizes.values()) < WORTH_PROCESSES):
        return tuple(_scan(source, patterns, job) for source, job in work)
    return _scan_in_processes(work, patterns, sorted(portable, key=lambda index: -sizes[index]), count)


def _scan_in_processes(
    work: Sequence[tuple[LogSource, Job | None]], patterns: Patterns, portable: Sequence[int], count: int
) -> tuple[Scanned, ...]:
    import multiprocessing  # costs more to import than a small log to scan
    from concurrent.futures import ProcessPoolExecutor

    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, context, _begin, (patterns,)) as pool:
        try:
            with _unheard_interrupts():
                # The largest first, so that no core is left with it at the end.
                running = {index: pool.submit(_scan_there, *work[index]) for index in portable}
            here = {
                index: _scan(source, patterns, job) for index, (source, job) in enumerate(work) if index not in running
            }
            return tuple(running[index].result() if index in running else here[index] for index in range(len(work)))
        except BaseException:
            # Nobody waits for their results any more.
            for one in set(multiprocessing.active_children()) - others:
                one.terminate()
            raise


@contextmanager
def _unheard_interrupts() -> Iterator[None]:
    """Processes that are started in here never hear Ctrl-C, which a terminal sends to them too: this one ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_patterns: Patterns | None = None


def _begin(patterns: Patterns) -> None:
    global _patterns
    _patterns = patterns


def _scan_there(source: LogSource, job: Job | None) -> Scanned:
    assert _patterns is not None
    return _scan(source, _patterns, job)


def _scan(source: LogSource, patterns: Patterns, job: Job | None) -> Scanned:
    try:
        return scan(source, patterns, job)
    except UsageError as error:
        return error


def _is_portable(source: LogSource) -> bool:
    try:
        pickle.dumps(source)
    except (pickle.PicklingError, TypeError, AttributeError):
        return False
    return True


def _size(source: LogSource) -> int:
    try:
        with source.open() as stream:
            return stream.seek(0, io.SEEK_END)
    except OSError:  # io.UnsupportedOperation is one
        return _UNKNOWN_SIZE


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
