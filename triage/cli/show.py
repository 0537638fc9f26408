"""The last part of every command that triages: print the result, write and apply the patch, choose the exit code."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

from triage.cli.options import Format, fitted, terminal_width, wants_color
from triage.cli.streams import write_in_utf8
from triage.cli.workflow_job import harmless, harmless_words
from triage.errors import ExitCode, TriageError, UsageError
from triage.model.diagnosis import Cause
from triage.model.log import Confidence
from triage.model.result import TriageResult
from triage.pipeline.triage import Triaged


def show(result: TriageResult, form: Format, first: int = 1) -> None:
    """Print the result. Human text fits the terminal; JSON and Markdown are the same everywhere.

    `first`: the number of its first cause, where another result was printed before it.
    """
    if form is not Format.TERMINAL:
        write_in_utf8()
    sys.stdout.write(harmless(rendered(result, form, first), json_text=form in {Format.JSON, Format.SARIF}))
    sys.stdout.flush()


def rendered(result: TriageResult, form: Format, first: int = 1) -> str:
    match form:
        case Format.TERMINAL:
            from triage.output import terminal

            return terminal.render(result, width=terminal_width(), color=wants_color(), first=first)
        case Format.JSON:
            from triage.output import json

            return json.render(result)
        case Format.MARKDOWN:
            from triage.output import markdown

            return markdown.render(result)
        case Format.HTML:
            from triage.output import html

            return html.render(result)
        case Format.SARIF:
            from triage.output import sarif

            return sarif.render(result)


def deliver(triaged: Triaged, *, patch: Path | None, apply_to: Path | None) -> None:
    """Write the composed patch to `patch`, apply it to the clean checkout `apply_to`; says on stderr what was done."""
    if patch is None and apply_to is None:
        return
    from triage.pipeline.prove import compose

    diff, left_out = compose(triaged.prescription)
    for notice in left_out:
        say(notice)
    if not diff:
        say("no patch could be proved: nothing was written or applied.")
        return
    if apply_to is not None:
        from triage.sources import checkout

        checkout.require_clean(apply_to)
    if patch is not None:
        write_whole(patch, diff)
        say(f"wrote {patch}" + ("." if apply_to else f": apply it with `git apply {patch}`."))
    if apply_to is not None:
        checkout.apply(apply_to, diff)
        say(f"applied to {apply_to}; look at it with `git -C {apply_to} diff`.")


def write_whole(path: Path, text: str) -> None:
    """All of the text or nothing: a file half-written by a full disk or Ctrl-C never takes the place of a whole one.

    What a link points to is written, not the link; a device or pipe is written to and stays what it is.
    """
    content = text.encode("utf-8", "surrogateescape")
    partial = Path(os.path.realpath(path)).with_name(f".triage-{os.getpid()}.partial")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        partial.write_bytes(content)
        partial.replace(os.path.realpath(path))
    except OSError as fault:
        raise UsageError(
            f"{path}: {fault.strerror or fault}.", "Name a file in a folder that you can write."
        ) from fault
    finally:
        partial.unlink(missing_ok=True)


def exit_code(result: TriageResult, asked: bool) -> ExitCode:
    """DONE, or with --exit-status whether every failure has a cause that is named with more than low confidence."""
    if not asked:
        return ExitCode.DONE
    explained = all(any(map(_is_named, failure.diagnosis.causes)) for failure in result.failures)
    return ExitCode.ALL_EXPLAINED if explained else ExitCode.SOME_UNEXPLAINED


def _is_named(cause: Cause) -> bool:
    """A symptom whose root is not in the log, or a guess, explains nothing to whoever asks by the exit code."""
    return cause.confidence is not Confidence.LOW


def noted(result: TriageResult, fault: TriageError | None, form: Format) -> TriageResult:
    """The result with what went wrong after it, for those who read no stderr."""
    if fault is None or form is Format.TERMINAL:
        return result
    from triage.redaction import redact

    return replace(result, notices=(*result.notices, redact(_words(fault))))


def complain(fault: TriageError) -> int:
    """The fault and its remedy, after the result; returns the exit code."""
    say(_words(fault))
    return int(fault.exit_code)


def _words(fault: TriageError) -> str:
    return f"{fault.message} {fault.remedy}".strip()


def say(message: str) -> None:
    """A line for the person, beside the machine's output."""
    print(fitted(harmless_words(f"triage: {message}")), file=sys.stderr)
