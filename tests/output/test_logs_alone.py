"""What is said of a log without a run: every format names the file, and none says whose failure it is."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.output.sample import sample
from triage.model.diagnosis import Verdict, VerdictValue
from triage.model.log import Confidence
from triage.model.result import TriageResult
from triage.output import html, markdown, sarif, terminal
from triage.output.words import VERDICTS

FORMATS = {
    "html": html.render,
    "markdown": markdown.render,
    "sarif": sarif.render,
    "terminal": lambda result: terminal.render(result, width=200, color=False),
}
UNKNOWN = Verdict(VerdictValue.UNKNOWN, (), Confidence.LOW)


def of_logs() -> TriageResult:
    """The sample, read from files; the second failure has no cause."""
    result = sample()
    failures = tuple(
        replace(failure, run=None, source=f"kept/{number}.log") for number, failure in enumerate(result.failures)
    )
    causes = tuple(replace(group, verdict=UNKNOWN) for group in result.causes)
    return replace(result, runs=(), failures=failures, causes=causes)


@pytest.mark.parametrize("name", FORMATS)
def test_the_file_is_named(name: str) -> None:
    render: Callable[[TriageResult], str] = FORMATS[name]
    result = of_logs()
    said = render(result)
    named = {failure.source for group in result.causes for failure in result.failures_of(group)[:3]}
    assert named
    assert all(source in said for source in named)
    assert all(failure.source in said for failure in result.silent)


@pytest.mark.parametrize("name", FORMATS)
def test_no_verdict_is_shown_where_there_is_none(name: str) -> None:
    assert VERDICTS[VerdictValue.UNKNOWN] == "unknown"
    said = FORMATS[name](replace(of_logs(), notices=()))
    assert "unknown" not in said
    assert "erdict" not in said.replace("no verdict", "")
