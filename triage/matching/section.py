"""One job's part of an input: feeds the reader of the log and the hits of the patterns, then decides the matches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import replace

from triage.interfaces import LogSource
from triage.logs.ends import Ends
from triage.logs.headers import Header
from triage.logs.landmarks import Mark
from triage.logs.lines import LONGEST_TEXT, Seen
from triage.logs.reading import Part, Placed, Reader
from triage.matching.deciding import captured, decide
from triage.matching.engine import Candidate, Skipped
from triage.matching.hits import Hits, SequenceTracker
from triage.matching.patterns import Patterns, pattern_of
from triage.model.log import Line, LineKind, LogReading, Match, Probed
from triage.model.run import Job
from triage.model.signature import Contains, Occurrence, Regex, Sequence, Signature

_MOST_HELD = 2000
# Of the hits of one probe, how many of the last are kept.
_LAST_PROBED = 100
# Blocks that are held for lines that were skipped, twice 64 KiB each.
_MOST_SKIPPED = 64
# Lines looked at one by one behind the first lines of sequences.
_MOST_ATTENDED = 200_000
_NO_EVIDENCE = (LineKind.SCRIPT, LineKind.HEADER)
_NO_HITS = Hits()


class Section:
    def __init__(self, patterns: Patterns, first: Line) -> None:
        self.first = first
        self.job = ""
        self.started = False
        self._patterns = patterns
        self._reader = Reader()
        self._hits: defaultdict[int, Hits] = defaultdict(Hits)
        self._probed: defaultdict[int, Ends[Seen]] = defaultdict(lambda: Ends(150, _LAST_PROBED))
        # Probes that have more hits than are kept, and the lines that were not looked at for that, oldest first.
        self.full = frozenset[int]()
        self._skipped: list[Skipped] = []
        self._skipped_blocks = 0
        self._trackers = [
            SequenceTracker(parts, one.within_lines, one.evidence is Occurrence.FIRST)
            for one, parts in patterns.sequences.items()
        ]
        self._places = {sequence: place for place, sequence in enumerate(patterns.sequences)}
        self._last = self._attended = self._attended_until = 0
        # Hits inside a header that is still open: dropped when it closes, counted when it turns out to be none.
        self._held: list[tuple[Seen, tuple[int, ...]]] = []

    @property
    def attentive(self) -> bool:
        """Whether every line is wanted: the reader asks, or a sequence has begun whose next line may be any."""
        return self._last < self._attended_until or self._reader.attentive

    def see(self, candidate: Candidate, marks: Collection[Mark]) -> None:
        seen = candidate.seen
        self._last = seen.number
        if seen.column:
            self._reader.column(seen)
        if not candidate.located:
            self._count(seen, candidate.numbers, probes_only=False)
            return
        kind, header = self._reader.see(seen, marks)
        wanted = candidate.numbers
        if header is Header.CLOSED:
            self._held.clear()
        elif header is Header.ABANDONED:
            self._release()
        if header is Header.OPEN or (header is Header.ABANDONED and self._reader.in_header):
            if wanted and len(self._held) < _MOST_HELD:
                self._held.append((seen, wanted))
        elif wanted and kind not in _NO_EVIDENCE:
            self._count(seen, wanted, probes_only=kind is LineKind.XTRACE)

    def _release(self) -> None:
        for seen, wanted in self._held:
            if not seen.script:
                self._count(seen, wanted, probes_only=False)
        self._held.clear()

    def _count(self, seen: Seen, numbers: tuple[int, ...], probes_only: bool) -> None:
        mark = len(self._reader.marks)
        patterns, is_long = self._patterns, len(seen.parsed.text) > LONGEST_TEXT
        for number in numbers:
            kept = self._kept(seen, number) if is_long else seen
            if number in patterns.probe_names:
                probed = self._probed[number]
                probed.add(kept)
                if probed.capped and number not in self.full and number in patterns.only_probed:
                    # The weak ones are always possible; where one may match is looked at for that.
                    self.full |= {number, *patterns.weak}
            if number in patterns.leaf_numbers and not probes_only:
                self._hits[number].add((kept,), mark)
        if self._trackers and not probes_only and (places := patterns.sequences_of(numbers)):
            present, kept = frozenset(numbers), seen.kept()
            for place in places:
                tracker = self._trackers[place]
                tracker.see(kept, present, mark)
                if place in self._patterns.attended and tracker.begins_with(present):
                    self._attend(seen.number, tracker.within)

    def skip(self, skipped: Skipped) -> None:
        self._skipped_blocks += not self._skipped or self._skipped[-1].block is not skipped.block
        self._skipped.append(skipped)
        if self._skipped_blocks >= _MOST_SKIPPED:
            self._settle()

    def _settle(self) -> None:
        """Of the lines that were skipped, keeps the last hits. The newest are looked at first: they may be enough."""
        last: defaultdict[int, list[Seen]] = defaultdict(list)
        for skipped in reversed(self._skipped):
            wanted = {n for n in skipped.possible if n in self._probed and len(last[n]) < _LAST_PROBED}
            if not wanted:
                continue
            for seen, numbers in reversed(list(skipped.lines(self._patterns))):
                is_long = len(seen.parsed.text) > LONGEST_TEXT
                for number in wanted.intersection(numbers):
                    last[number].append(self._kept(seen, number) if is_long else seen)
        for number, found in last.items():
            self._probed[number].merge(found[::-1], lambda seen: seen.number)
        self._skipped.clear()
        self._skipped_blocks = 0

    def _attend(self, number: int, lines: int) -> None:
        more = number + lines - max(number, self._attended_until)
        if more > 0 and self._attended + more <= _MOST_ATTENDED:
            self._attended += more
            self._attended_until = number + lines

    def _kept(self, seen: Seen, number: int) -> Seen:
        found = self._patterns.single(number).search(seen.parsed.text)
        return seen.kept(found.start() if found else 0)

    def hits_of(self, leaf: Contains | Regex | Sequence) -> Hits:
        if isinstance(leaf, Sequence):
            return self._trackers[self._places[leaf]].hits
        return self._hits.get(self._patterns.numbers[pattern_of(leaf)], _NO_HITS)

    def reading(self, source: LogSource, name: str, part: Part, job: Job | None, stamped: bool) -> LogReading:
        self._release()
        self._settle()
        self._reader.release()
        steps = self._reader.spans(job.steps if job else (), part.end.number - 1)
        placed = Placed(steps)
        matches = [
            match
            for signature in self._seen()
            if isinstance(match := decide(signature, self.hits_of, self._patterns, placed, job), Match)
        ]
        reading = self._reader.reading(source, name, part, steps)
        return replace(
            reading,
            matches=tuple(sorted(matches, key=lambda match: (match.line.number, match.signature))),
            probed=tuple(sorted(self._all_probed(placed), key=lambda probed: probed.line.number)),
            is_job_log=stamped,
            capped=(*reading.capped, *self._capped()),
        )

    def _seen(self) -> Iterator[Signature]:
        """The signatures whose evidence may be there; the others, nearly all of them, cannot hold."""
        hit = {number for number, hits in self._hits.items() if hits.counts}
        begun = {place for place, tracker in enumerate(self._trackers) if tracker.hits.counts}
        for signature in self._patterns.signatures:
            single, sequences = self._patterns.evidence[signature.id]
            if not (single.isdisjoint(hit) and sequences.isdisjoint(begun)):
                yield signature

    def _all_probed(self, placed: Placed) -> Iterator[Probed]:
        for number, kept in self._probed.items():
            for seen in kept:
                found = captured(self._patterns, number, seen)
                line = placed.line(replace(seen.line(), start=found.start, end=found.end))
                for name in self._patterns.probe_names[number]:
                    yield Probed(name, line, found.groups)

    def _capped(self) -> list[str]:
        cut = ["matches"] if any(hits.beyond for hits in self._hits.values()) else []
        return cut + (["probed"] if any(kept.capped for kept in self._probed.values()) else [])
