"""`--format json` answers also where there is nothing to show: whoever reads the output parses one object."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import cast

from triage.cli.options import Format

_FOR_PROGRAMS = frozenset({Format.JSON, Format.SARIF})


def answering(command: Callable[..., int]) -> Callable[..., int]:
    """The command, with an answer for programs when it ends before it has a result."""

    @wraps(command)
    def answered(**arguments: object) -> int:
        with empty_result(cast(Format, arguments["form"])):
            return command(**arguments)

    return answered


@contextmanager
def empty_result(form: Format) -> Iterator[None]:
    """What ends with exit code 3 or 4 before anything is shown is told by a result without failures, then raised."""
    from triage.errors import GitHubError, NothingToTriage

    try:
        yield
    except (GitHubError, NothingToTriage) as outcome:
        if form in _FOR_PROGRAMS:
            _show(f"{outcome.message} {outcome.remedy}".strip(), form)
        raise


def _show(notice: str, form: Format) -> None:
    import triage
    from triage.cli.show import show
    from triage.model.result import TriageResult
    from triage.redaction import redact

    show(TriageResult(notices=(redact(notice),), triage_version=triage.__version__), form)
