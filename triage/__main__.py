"""`python -m triage`, and the installed `triage`: Ctrl-C ends both at any moment, with exit code 130 and no trace."""

from __future__ import annotations

import _thread
import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn

# ExitCode.INTERRUPTED; nothing that takes time is imported before Ctrl-C is heard.
_INTERRUPTED = 130
# Long enough for a destructor to end; after an import it is tried again.
_SOON_SECONDS = 0.01


def main() -> NoReturn:
    """Before and after the command there is nothing to clean up; during it the first Ctrl-C is an exception."""
    _on_interrupt(_leave)
    sys.unraisablehook = _hear_what_a_destructor_swallowed
    from triage.cli.main import main as command

    try:
        _on_interrupt(_raise)
        command()
    except KeyboardInterrupt:
        _leave()
    finally:
        _on_interrupt(_leave)
    sys.exit(0)


def _on_interrupt(react: signal._HANDLER) -> None:
    # What runs in a shell's background ignores Ctrl-C: it is meant for others.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, react)


def _raise(number: int, frame: FrameType | None) -> None:
    """Whoever presses twice does not want to wait for transfers to end.

    While a module is imported it waits: an exception that passes through the start of one in C++ aborts the process.
    """
    if _imports(frame):
        _raise_soon()
        return
    _on_interrupt(_leave)
    raise KeyboardInterrupt


def _imports(frame: FrameType | None) -> bool:
    while frame is not None and "importlib" not in frame.f_code.co_filename:
        frame = frame.f_back
    return frame is not None


def _raise_soon() -> None:
    import threading

    threading.Timer(_SOON_SECONDS, _thread.interrupt_main).start()


def _hear_what_a_destructor_swallowed(ignored: sys.UnraisableHookArgs) -> None:
    """Python drops what is raised inside a destructor: a Ctrl-C that falls there is raised again outside."""
    if isinstance(ignored.exc_value, KeyboardInterrupt):
        _on_interrupt(_raise)
        _raise_soon()
    else:
        sys.__unraisablehook__(ignored)


def _leave(number: int = 0, frame: FrameType | None = None) -> NoReturn:
    with suppress(OSError):
        os.write(2, b"triage: interrupted.\n")
    os._exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
