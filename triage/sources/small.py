"""Files that people write by hand are small; one that is not is something else: a device, a dump, an attack."""

from __future__ import annotations

import errno
import os
from pathlib import Path

MOST = 1 << 20


def read_small(path: Path) -> bytes:
    """The content. OSError when it cannot be read, or is larger than a MiB (what never ends is)."""
    with path.open("rb") as file:
        content = file.read(MOST + 1)
    if len(content) > MOST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return content
