"""Git, asked without touching anything: what its programs could change, wait for or execute is switched off."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_SETTINGS = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.quotepath=true", "safe.directory=*")
# No locks, no prompts, no replaced objects, no fetching for partial clones.
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
}


def surroundings() -> dict[str, str]:
    """The environment without git's own variables: in a hook, GIT_DIR names the repository that called, whatever
    folder git is started in."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


def ask(
    checkout: Path, *arguments: str, given: bytes = b"", seconds: float | None = None
) -> subprocess.CompletedProcess[bytes]:
    """How git ended. Raises OSError when it cannot be started, TimeoutExpired after `seconds`."""
    return subprocess.run(
        ["git", "--no-pager", *(word for setting in _SETTINGS for word in ("-c", setting)), *arguments],
        cwd=checkout,
        env=surroundings() | _ENVIRONMENT,
        input=given,
        capture_output=True,
        timeout=seconds,
        check=False,
    )
