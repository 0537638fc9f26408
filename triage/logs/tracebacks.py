"""Assembles Python tracebacks, each inside one stream, however much the lines of other streams interleave."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TypeVar

from triage.logs.lines import Seen
from triage.model.log import Frame, Traceback

_START = "Traceback (most recent call last):"
_FRAME = re.compile(r'File "([^"\n]{1,500})", line (\d{1,9})(?:, in (\S{1,200}))?')
_ERROR = re.compile(r"([A-Za-z_]\w{0,100}(?:\.\w{1,100}){0,12})(\([\w.]{1,200}\))?(?:: ?(.*)|$)")
# IPython heads a traceback with the exception's name, far left of the words, which no colon ends.
_NOTEBOOK = re.compile(r"[A-Za-z_][\w.]{0,100} {2,100}Traceback \(most recent call last\)\s{0,20}$")
# rich draws a box: its head, the place of a frame, and its foot, behind which the error stands.
_BOX = re.compile(r"[\s|]{0,200}(?:╭─|\+--)[─-]{0,400} Traceback \(most recent call last\) [─-]{1,400}[╮+]\s{0,400}$")
_BOXED_FRAME = re.compile(r"[│|] (\S[^\n]{0,400}?):(\d{1,9}) in (\S{1,200})\s{0,400}[│|]?$")
_BOX_SIDES = ("│", "|")
_BOX_FOOT = ("╰─", "+--")
# How its lines of source and of places begin: "----> 3 ", "~/train.py in f()", "File /a.py:3, in f()", "Cell In[2]".
_SHOWN = ("-", "~", "/", "<", "File ", "Cell ", "Input ")
# A worker's exception, raised again where its result is awaited (torch/_utils.py, `ExceptionWrapper`): the first line
# of its message, and what stands before the first line of the worker's own traceback, which follows.
_RAISED_AGAIN = re.compile(r"\bCaught \w{1,100} in (?:DataLoader worker process|pin memory thread|replica)\b")
_ORIGINAL = "Original"
_RECORD = re.compile(r"(?:[DTPE]P\d{1,4} ?){1,3}")
_IGNORED = "ignored"
_CHAINS = {
    "The above exception was the direct cause": "cause",
    "During handling of the above exception": "context",
    "Exception ignored in": _IGNORED,
}
_MOST = 400
_MOST_FRAMES = 120
# A traceback whose stream stays silent for so many lines, or that shows so many lines that do not belong, has ended.
_PATIENCE = 4000
_MOST_STRAY = 40
# Streams of which a bare error or a chain's sentence is remembered; the one that spoke first is forgotten first.
_MOST_STREAMS = 1000
# A log may begin inside a traceback, whose head is not in it: its first frame stands in one of so many lines.
_CUT_OFF = 12
# Lines between an error and the sentence that chains it, and between that and the next traceback.
_CLOSE = 10

_Kept = TypeVar("_Kept")


@dataclass(slots=True)
class _Open:
    first: int
    indent: int
    chain: str
    last_seen: int
    frames: list[Frame] = field(default_factory=list)
    stray: int = 0
    notebook: bool = False
    boxed: bool = False


class TracebackAssembler:
    """See every line while `attentive`; see the lines that start or chain tracebacks always."""

    def __init__(self) -> None:
        self.found: list[Traceback] = []
        self.capped = False
        # In the order in which they last spoke, so that those that fell silent stand first.
        self._open: dict[str, _Open] = {}
        self._chains: dict[str, tuple[int, str]] = {}
        self._bare: dict[str, tuple[Seen, re.Match[str]]] = {}
        # A remote traceback may follow RayTaskError's line at once, without a first line of its own.
        self._after_ray: dict[str, int] = {}
        # The place in `found` of an error whose message begins on the next line.
        self._headed: dict[str, int] = {}
        self._at_the_top = True

    @property
    def attentive(self) -> bool:
        return self._at_the_top or bool(self._open) or bool(self._after_ray) or bool(self._headed)

    def see(self, seen: Seen) -> None:
        text, stream = seen.text, seen.parsed.stream
        self._at_the_top = self._at_the_top and seen.number <= _CUT_OFF
        start = text.find(_START)
        before = text[:start].rstrip() if start >= 0 else ""
        if stream in self._headed and text.strip():
            self._take_message(seen, text, self._headed.pop(stream))
        if start >= 0 and not before.strip(" |+"):
            self._begin(seen, stream, start)
        elif before.strip() == _ORIGINAL:
            if self._is_raised_again(seen.number, stream):
                _remember(self._chains, stream, (seen.number, "cause"))
            self._begin(seen, stream, 0)
        elif start < 0 and _NOTEBOOK.match(text):
            self._begin(seen, stream, 0, notebook=True)
        elif start < 0 and _BOX.match(text):
            self._begin(seen, stream, 0, boxed=True)
        elif before.endswith(":"):
            # A logger's own words stand before it, and only before the first line; sglang's ranks do so too.
            self._begin(seen, "" if _RECORD.fullmatch(stream) else stream, 0)
        elif stream in self._open:
            self._continue(self._open[stream], seen, text, stream)
        elif self._at_the_top and (indent := _indent_of_frame(text)) >= 0:
            self._open[stream] = _Open(seen.number, indent, "", seen.number)
            self._continue(self._open[stream], seen, text, stream)
        elif self._after_ray.pop(stream, 0) and _FRAME.match(text.lstrip()) and text.startswith(" "):
            self._open[stream] = _Open(seen.number, 0, "", seen.number, [])
            self._continue(self._open[stream], seen, text, stream)
        else:
            self._outside(seen, text, stream)
        self._drop_silent(seen.number)

    def _outside(self, seen: Seen, text: str, stream: str) -> None:
        """A chain's sentence, or an error printed without its traceback that such a sentence may follow."""
        chain = next((chain for words, chain in _CHAINS.items() if words in text), "")
        if not chain:
            error = _ERROR.match(text)
            if error and _names_an_error(error[1]):
                _remember(self._bare, stream, (seen, error))
            return
        bare = self._bare.pop(stream, None)
        if bare and chain != _IGNORED and seen.number - bare[0].number <= _CLOSE and len(self.found) < _MOST:
            above = _Open(bare[0].number, 0, self._chain(bare[0]), bare[0].number)
            self.found.append(_finished(above, *bare))
        _remember(self._chains, stream, (seen.number, chain))

    def _chain(self, seen: Seen) -> str:
        at, chain = self._chains.pop(seen.parsed.stream, (0, ""))
        return chain if at and seen.number - at <= _CLOSE else ""

    def _is_raised_again(self, number: int, stream: str) -> bool:
        above = next((one for one in reversed(self.found) if one.stream == stream), None)
        return above is not None and number - above.last <= _CLOSE and raised_again(above.error.text)

    def _begin(self, seen: Seen, stream: str, indent: int, notebook: bool = False, boxed: bool = False) -> None:
        if len(self.found) >= _MOST:
            self.capped = True
            return
        self._open.pop(stream, None)
        chain = self._chain(seen)
        self._open[stream] = _Open(seen.number, indent, chain, seen.number, notebook=notebook, boxed=boxed)

    def _continue(self, traceback: _Open, seen: Seen, text: str, stream: str) -> None:
        traceback.last_seen = seen.number
        self._open[stream] = self._open.pop(stream)
        if traceback.boxed and _in_box(traceback, text.strip()):
            return
        body = text[traceback.indent :] if not text[: traceback.indent].strip(" |") else text
        # Some pages take the indentation away: a frame then stands at the left, and the source below it too.
        if body.startswith((" ", 'File "')) or not body.strip(" ^~"):
            frame = _FRAME.match(body.lstrip())
            if frame and len(traceback.frames) < _MOST_FRAMES:
                traceback.frames.append(Frame(frame[1], int(frame[2]), frame[3] or ""))
            traceback.stray = 0 if frame else traceback.stray
            return
        if traceback.notebook and body.startswith(_SHOWN):
            return
        error = _ERROR.match(body)
        if error is None or not _names_an_error(error[1]):
            traceback.stray += 1
            if traceback.stray > _MOST_STRAY:
                del self._open[stream]
            return
        del self._open[stream]
        self.found.append(_finished(traceback, seen, error))
        if error[3] is not None and not error[3].strip():
            self._headed[stream] = len(self.found) - 1
        if error[2]:
            self._after_ray[stream] = seen.number

    def _take_message(self, seen: Seen, text: str, place: int) -> None:
        above = self.found[place]
        if seen.number - above.last <= _CLOSE and _START not in text and not any(words in text for words in _CHAINS):
            self.found[place] = replace(above, message=text.strip(), below=(seen.line(),))

    def _drop_silent(self, number: int) -> None:
        while self._open:
            stream, longest = next(iter(self._open.items()))
            if number - longest.last_seen <= _PATIENCE:
                break
            del self._open[stream]
        if self._headed:
            self._headed = {s: at for s, at in self._headed.items() if number - self.found[at].last < _CLOSE}
        if self._after_ray:
            self._after_ray = {s: at for s, at in self._after_ray.items() if number - at < 20}


def _in_box(traceback: _Open, text: str) -> bool:
    """Takes a line of rich's box; False for what stands below its foot."""
    frame = _BOXED_FRAME.match(text)
    if frame and len(traceback.frames) < _MOST_FRAMES:
        traceback.frames.append(Frame(frame[1], int(frame[2]), frame[3]))
    return text.startswith((*_BOX_SIDES, *_BOX_FOOT))


def _indent_of_frame(text: str) -> int:
    """How far right the traceback stands to which this line's frame belongs; -1 where the line is no frame."""
    frame = text.lstrip()
    return max(0, len(text) - len(frame) - 2) if _FRAME.match(frame) and frame != text else -1


def _remember(by_stream: dict[str, _Kept], stream: str, kept: _Kept) -> None:
    by_stream.pop(stream, None)
    by_stream[stream] = kept
    if len(by_stream) > _MOST_STREAMS:
        del by_stream[next(iter(by_stream))]


def _finished(traceback: _Open, seen: Seen, error: re.Match[str]) -> Traceback:
    return Traceback(
        first=traceback.first,
        last=seen.number,
        stream=seen.parsed.stream,
        error=seen.line(),
        error_type=error[1],
        message=(error[3] or "").strip(),
        frames=tuple(traceback.frames),
        chain=traceback.chain if traceback.chain != _IGNORED else "",
        wraps=(error[2] or "").strip("()"),
        ignored=traceback.chain == _IGNORED,
    )


def _names_an_error(name: str) -> bool:
    last = name.rpartition(".")[2]
    return "." in name or (last[:1].isupper() and not last.isupper()) or last.endswith(("Error", "Exception", "error"))


def raised_again(text: str) -> bool:
    """Whether the line only says where a worker's exception is raised again, whose own text follows."""
    return _RAISED_AGAIN.search(text[:1000]) is not None


def error_of(text: str) -> tuple[str, str]:
    """The exception's type and message that a line names; ("", the text) when it names none."""
    found = _ERROR.match(text.strip())
    if found is None or not _names_an_error(found[1]):
        return "", text.strip()
    return found[1], (found[3] or "").strip()
