"""Some files hold many runs of a program, one after the other: only the last one that failed counts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace

from triage.diagnosis.clocks import Order
from triage.diagnosis.ending import mild
from triage.diagnosis.shapes import is_hollow
from triage.model.log import LogReading, Traceback
from triage.model.signature import Catalogue, Rank

# Without any separator: so many scripts that died of so many different errors are no single run.
_MANY_DEATHS, _MANY_ERRORS = 6, 4
# Slurm ended a job here. What its other nodes still print is shorter than the next job that writes into the file.
_ENDED_BY_SLURM = "slurmstepd: error: *** JOB "
_NEXT_JOB = 500
_ENDS = frozenset({"stopped", "died", "tests_failed", "exit_code", "command_failed"})


def last_attempt(reading: LogReading, catalogue: Catalogue, order: Order) -> LogReading:
    """The reading without what earlier runs left in the same file; unchanged when the file holds one run."""
    if not order.newest_first and (ended := _ended_before(reading)):
        probed = (hit for hit in reading.probed if hit.line.number > ended or hit.probe not in _ENDS)
        reading = replace(_only_since(reading, ended), probed=tuple(probed))
    starts = [] if order.newest_first else sorted(set(_starts(reading)))
    failing = [bisect_left(starts, number) for number in _failing(reading, catalogue)]
    if not starts or not failing or max(failing) == 0:
        return reading
    return _only_since(reading, starts[max(failing) - 1])


def _ended_before(reading: LogReading) -> int:
    """The line at which an earlier job of the file ended, whatever became of it; 0 for none."""
    stops = (hit.line for hit in reading.probed if hit.probe == "stopped")
    ended = (line.number for line in stops if line.text.startswith(_ENDED_BY_SLURM))
    return max((number for number in ended if reading.lines - number > _NEXT_JOB), default=0)


def _only_since(reading: LogReading, first: int) -> LogReading:
    return replace(
        reading,
        matches=tuple(kept for match in reading.matches if (kept := match.only(lambda line: line.number > first))),
        tracebacks=tuple(t for t in reading.tracebacks if t.last > first),
        failed_ranks=tuple(rank for rank in reading.failed_ranks if rank.line > first),
        suspects=tuple(line for line in reading.suspects if line.number > first),
        tail=tuple(line for line in reading.tail if line.number > first),
        notices=(*reading.notices, f"the log holds several runs: only what follows line {first} counts"),
    )


def _starts(reading: LogReading) -> Iterator[int]:
    yield from (hit.line.number for hit in reading.probed if hit.probe == "run_separator")
    deaths = [t for t in reading.tracebacks if _is_a_scripts(t)]
    if len(deaths) >= _MANY_DEATHS and len({t.error_type for t in deaths}) >= _MANY_ERRORS:
        yield from (t.last for t in deaths)


def _is_a_scripts(traceback: Traceback) -> bool:
    """Whether a script died of it: it reached the top of the file that was started."""
    outermost = traceback.frames[0] if traceback.frames else None
    return (
        outermost is not None
        and not traceback.stream
        and outermost.function == "<module>"
        and not outermost.path.startswith("<")
    )


def _failing(reading: LogReading, catalogue: Catalogue) -> Iterator[int]:
    """Lines that say what failed. A runner's last words stand behind the last run, whichever run failed."""
    wrapped: set[int] = set()
    for match in reading.matches:
        numbers = [line.number for line in (match.line, *match.occurrences)]
        signature = catalogue.signatures.get(match.signature)
        if signature is None or signature.rank is Rank.WRAPPER:
            wrapped.update(numbers)
        else:
            yield from numbers
    yield from (traceback.last for traceback in reading.tracebacks)
    suspects = (line for line in reading.suspects if line.number not in wrapped)
    yield from (line.number for line in suspects if not is_hollow(line) and not mild(line))
