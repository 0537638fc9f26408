"""The second level of cleaning: what one visible line says, who says it, and when."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from triage.logs.progress import after_bar, is_bar
from triage.model.log import Line, LineKind

# How much of a line is kept, in bytes.
LONGEST_TEXT = 4096

_STAMP = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z(?: |$)")
_PREFIXES = re.compile(
    # Ray, vLLM: (WorkerDict pid=1, ip=10.0.0.1), (EngineCore_DP0 pid=1), (raylet), (Worker[rank=3] pid=1)
    rb"\(((?:[\w.:<>-]{1,80}(?:\[[\w=,-]{1,40}\])?[ ,]{1,2})?"
    rb"(?:(?:pid|ip|rank|tp_rank|node_rank)=[\w.:-]{1,45}[, ]{0,2}){1,4}"
    rb"|raylet(?:, ip=[\w.:-]{1,45})?)\)(?: |$)"
    # What ray itself, or the client of a cluster's job, says, with the time since its start
    rb"|\([a-z][\w-]{0,30} \+\d[\w.]{0,11}\) "
    # What such a client passes on of the job's log: (client) [job-logs]
    rb"|\(([a-z][\w-]{0,30})\) \[[a-z][\w-]{0,30}\] "
    # torch's excepthook, torchrun --tee
    rb"|\[((?:rank|default)\d{1,6})\]: ?"
    # sglang: [2026-01-31 10:00:00 TP0]; others, and wrappers that stamp each line, without the rank
    rb"|\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d{1,6})?(?: ((?:[DTPE]P\d{1,4} ?){1,3}))?\](?: |$)"
    # vLLM's logger
    rb"|(?:ERROR|WARNING|INFO|DEBUG|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d \[?[\w./-]{1,100}:\d{1,6}\]:?(?: |$)"
    # docker build
    rb"|(#\d{1,4}) \d{1,6}\.\d{1,6}(?: |$)"
    # Actors of a mesh of processes, by name, rank and how many there are; not a count of steps
    rb"|\[((?!Epoch|Step|Iter|Train-|Test-|Eval|Batch)[A-Z][A-Za-z]{2,60}-\d{1,5}/\d{1,5})\](?: |$)"
    # Buildkite
    rb"|\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z\](?: |$)"
)
# What passed the line on, once and in front of all else: syslog's date, host (or none) and process, a compose service,
# what a parent says of its child's output, Jenkins' clock, the left edge of a table from which Buildkite's lines were
# copied, BuildKit's seconds; `ts`, which sets date and clock before each line.
_RELAYED = re.compile(
    rb"(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (?:[\w.-]{1,64} )?([\w./-]{1,64}\[\d{1,9}\]):"
    rb"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?= |$)"
    rb"|([a-z][\w.-]{0,60}) {2,20}\||(std(?:err|out)):|\d\d:\d\d:\d\d(?:\.\d{1,3})?"
    rb"|(?:\xc2\xa0| ){0,4}\|(?= \[\d{4}-\d\d-\d\dT)"
    # What a parent's logger says of each line of its child: date, clock, name and level, and the child's name
    rb"|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} - (?:[\w.-]{1,40} - )?(?:INFO|DEBUG|WARNING|ERROR) -(?: [\w.-]{1,40}:)?"
    rb"(?= (?:Traceback \(most recent call last\):|  File \"|    \S|[\w.]{1,80}(?:Error|Exception)(?::|$)"
    rb"|(?:ERROR|CRITICAL) \d\d-\d\d ))"
    # A cluster's log service, by container, with the level that it took from the stream; kubectl's `--prefix`
    rb"|(?:DEFAULT|DEBUG|INFO|NOTICE|WARNING|ERROR|CRITICAL) \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z"
    rb" \[resource\.labels\.\w{1,40}: ([\w.-]{1,64})\]"
    rb"|\[(pod/[\w.-]{1,160}(?:/[\w.-]{1,64})?)\]"
    # mpirun --tag-output, which sets no blank behind it
    rb"|\[\d{1,9},(\d{1,6})\]<std(?:err|out)>:"
    # srun --label by rank, pdsh by host: only where an exception's own lines follow
    rb"|(\d{1,6}|[a-z][\w.-]{0,40}[\d-][\w.-]{0,40}|\d{1,3}(?:\.\d{1,3}){3}):"
    rb"(?= (?:Traceback \(most recent call last\):|  File \""
    rb"|(?:[a-z_]\w{0,40}\.){0,8}[A-Z]\w{1,60}(?:Error|Exception)(?::|$)))"
    # BuildKit's repetition of the step that failed: seconds in four digits, without the step's number
    rb"|(?:\d\.\d{3}|\d\d\.\d\d|\d{3}\.\d)(?= (?: |\xc3\x97|\xe2[\x94\x95]"
    rb"|(?:ERROR|[Ee]rror|fatal|FAILED|CMake|Traceback|E)\b|[\w.]{1,80}(?:Error|Exception)\b)))(?:(?<=>:)| |$)"
)
# What a test runner wrote without ending the line, before something went wrong: pytest's `collecting ...`, the file
# or the test that it is at, its marks of earlier tests; the name of a test of unittest's.
_UNENDED = re.compile(
    rb"collecting \.\.\. (?=ERROR: )"
    rb"|(?:[^\n]{1,300} \.\.\. |(?:[\w./-]{1,200}\.py(?:::[^\n]{1,300}?)? {1,3})?[.FEsxX]{0,80})"
    rb"(?=Fatal Python error\b|Segmentation fault\b|Windows fatal exception\b|terminate called\b"
    rb"|Traceback \(most recent call last\):)"
)
# Not its mark of a test that could not be set up, before the percentage.
_PYTEST = re.compile(rb"E {3,}(?!\[ {0,2}\d{1,3}%\])(?=\S)|E {3,}$")
_MARK = (b".", b"F", b"E", b"s", b"x", b"X")
_MOST_PREFIXES = 5
_MOST_TRIES = 8


@dataclass(frozen=True, slots=True)
class Parsed:
    """`text` lies inside the visible line. `stamp` is b"" when there is none.

    `pytest` marks the lines that pytest prefixes with `E   `, `progress` a bare bar.
    """

    text: bytes
    stamp: bytes = b""
    stream: str = ""
    pytest: bool = False
    progress: bool = False
    # Streams and a logger's level and clock, as they stood before `text`.
    prefix: bytes = b""


def parse(line: bytes, at: int = 0) -> Parsed:
    """Reads one visible line without its newline, from `at` on (behind gh's columns).

    At most one stamp is taken off: a second one is the program's.
    """
    stamp = _STAMP.match(line, at)
    at = stamp.end() if stamp else at
    said, at, stream = _prefixes(line, at)
    prefix = line[said:at]
    pytest = line.startswith(b"E  ", at) and _PYTEST.match(line, at)
    at = pytest.end() if pytest else at
    if (line[at : at + 1] in _MARK or b".py" in line or b" ... " in line) and (unended := _UNENDED.match(line, at)):
        at = unended.end()
    text = _without_repetition(line[at:].rstrip())
    glued = after_bar(text) if b"%|" in text else None
    return Parsed(
        glued or text,
        stamp[0].rstrip() if stamp else b"",
        stream,
        bool(pytest),
        not glued and is_bar(text),
        prefix,
    )


def _prefixes(line: bytes, at: int) -> tuple[int, int, str]:
    """Where the program's own prefixes begin and end, and the stream. A level in front of them is that of a parent,
    which says nothing of how grave the line is."""
    streams: list[str] = []
    if relayed := _RELAYED.match(line, at):
        streams += [group.decode() for group in relayed.groups() if group]
        at = relayed.end()
    said = at
    for _ in range(_MOST_PREFIXES):
        if line[at : at + 1] not in b"([EWIDC#":
            break
        found = _PREFIXES.match(line, at)
        if found is None or found.end() == at:
            break
        streams += [group.decode().strip(" ,") for group in found.groups() if group]
        at = found.end()
    return said, at, " ".join(dict.fromkeys(streams))


def _without_repetition(text: bytes) -> bytes:
    """Takes off Ray's `[repeated 5x across cluster]`."""
    at = text.rfind(b" [repeated ", max(0, len(text) - 400))
    return text[:at] if at >= 0 and b"x across cluster]" in text[at:] else text


def is_stamped(line: bytes) -> bool:
    return _STAMP.match(line) is not None


def last_stamp(shown: bytes, start: int, end: int) -> bytes:
    """The stamp of the last stamped line in a part of a block; b"" when none is near its end."""
    for _ in range(_MOST_TRIES):
        found = shown.rfind(b"Z ", start, end)
        if found < 0:
            break
        at = shown.rfind(b"\n", start, found) + 1 or start
        if stamp := _STAMP.match(shown, at):
            return stamp[0].rstrip()
        end = at
    return b""


def time_of(stamp: bytes) -> datetime | None:
    """UTC, to the microsecond. None where the digits are no date."""
    if not stamp:
        return None
    try:
        return datetime.fromisoformat(stamp.decode().rstrip("Z")[:26]).replace(tzinfo=UTC)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Seen:
    """A line that something asked for. `script` is whether the runner coloured it as a step's own source.

    `stamp` is the line's own, or for a line without one that of the line it belongs to. `job` and `column` are gh's
    columns.
    """

    number: int
    offset: int
    parsed: Parsed
    stamp: bytes = b""
    script: bool = False
    job: str = ""
    column: str = ""

    def kept(self, around: int = 0) -> Seen:
        """The line for keeping: of a very long text only a part, with the byte `around` inside."""
        text = self.parsed.text
        if len(text) <= LONGEST_TEXT:
            return self
        start = max(0, min(around - LONGEST_TEXT // 4, len(text) - LONGEST_TEXT))
        return replace(self, parsed=replace(self.parsed, text=text[start : start + LONGEST_TEXT]))

    @property
    def text(self) -> str:
        """Of a very long text, its start."""
        return self.parsed.text[:LONGEST_TEXT].decode("utf-8", "replace")

    def line(self, kind: LineKind | None = None) -> Line:
        return Line(
            self.number,
            self.text,
            self.offset,
            time_of(self.stamp),
            self.parsed.stream,
            kind=kind or self.kind,
            prefix=self.parsed.prefix.decode("utf-8", "replace"),
        )

    @property
    def kind(self) -> LineKind:
        """What the line is when it stands outside a step's header."""
        if self.parsed.text.startswith(b"##["):
            return LineKind.MARKER
        return LineKind.PROGRESS if self.parsed.progress else LineKind.OUTPUT
