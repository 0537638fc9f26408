"""Answers kept on disk with their ETag: asking again costs nothing of the limit when nothing changed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from triage.github.replies import Reply

MAX_ANSWER = 8 * 1024 * 1024
_KEPT = ("link", "content-type", "etag")


@dataclass(frozen=True, slots=True)
class EtagCache:
    """One file per request in `folder`, readable by the user alone; a damaged or missing file is a miss.

    `identity` keeps answers apart that different tokens may see.
    """

    folder: Path
    identity: str

    def find(self, url: str) -> Reply | None:
        try:
            kept = json.loads(self._path(url).read_text("utf-8"))
            return Reply(int(kept["status"]), dict(kept["headers"]), str(kept["text"]))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def keep(self, url: str, reply: Reply) -> None:
        if reply.status != 200 or "etag" not in reply.headers or len(reply.text) > MAX_ANSWER:
            return
        headers = {name: reply.headers[name] for name in _KEPT if name in reply.headers}
        text = json.dumps({"status": reply.status, "headers": headers, "text": reply.text})
        # A cache that cannot be written costs requests, not answers.
        with contextlib.suppress(OSError):
            write_privately(self._path(url), text.encode())

    def _path(self, url: str) -> Path:
        return self.folder / f"{hashlib.sha256(f'{self.identity} {url}'.encode()).hexdigest()}.json"


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
