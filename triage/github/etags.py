"""Answers kept on disk with their ETag: asking again costs nothing of the limit when nothing changed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from triage.github.replies import Reply

MAX_ANSWER = 8 * 1024 * 1024
_KEPT = ("link", "content-type", "etag")


@dataclass(frozen=True, slots=True)
class EtagCache:
    """One file per request in `folder`, readable by the user alone; a damaged or missing file is a miss.

    A bad disk, or a hand, may have spoilt one so that it still decodes: its sum, kept with it, tells.
    `identity` keeps answers apart that different tokens may see.
    """

    folder: Path
    identity: str

    def find(self, url: str) -> Reply | None:
        try:
            kept = json.loads(self._path(url).read_text("utf-8"))
            headers, text = kept["headers"], kept["text"]
            whole = kept["sum"] == _sum(headers, text)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        return Reply(200, headers, text) if whole else None

    def keep(self, url: str, reply: Reply) -> None:
        if reply.status != 200 or "etag" not in reply.headers or len(reply.text) > MAX_ANSWER:
            return
        headers = {name: reply.headers[name] for name in _KEPT if name in reply.headers}
        text = json.dumps({"sum": _sum(headers, reply.text), "headers": headers, "text": reply.text})
        # A cache that cannot be written costs requests, not answers.
        with contextlib.suppress(OSError):
            write_privately(self._path(url), text.encode())

    def _path(self, url: str) -> Path:
        return self.folder / f"{hashlib.sha256(f'{self.identity} {url}'.encode()).hexdigest()}.json"


def _sum(headers: Mapping[str, str], text: str) -> int:
    named = "\n".join(f"{name}: {value}" for name, value in sorted(headers.items()))
    return zlib.crc32(f"{named}\n\n{text}".encode("utf-8", "replace"))


def write_privately(path: Path, content: bytes) -> None:
    """Replaces the file as a whole; only the user may read it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(temporary).replace(path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise
