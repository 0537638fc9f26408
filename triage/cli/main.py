"""`triage`: registers the commands, and is the one place that turns errors into exit codes."""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Annotated, Any

import typer
from typer.exceptions import Abort, Exit, TyperException

import triage
from triage.cli import (
    cache,
    comment,
    demo,
    doctor,
    explain,
    history,
    log,
    pr,
    report,
    rerun,
    run,
    signatures,
    streams,
    verify,
)
from triage.cli.answering import answering
from triage.cli.options import fitted
from triage.cli.workflow_job import harmless_words
from triage.errors import ExitCode, TriageError

app = typer.Typer(
    name="triage",
    help="From a red GitHub Actions run to a named root cause and a verified patch.",
    epilog="Begin with `triage demo`. Then: `triage run URL`, or `triage log FILE`.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command("run")(answering(run.run))
app.command("pr")(answering(pr.pr))
app.command("comment")(comment.comment)
app.command("rerun")(rerun.rerun)
app.command("log")(log.log)
app.command("demo")(demo.demo)
app.command("explain")(explain.explain)
app.add_typer(signatures.app, name="signatures")
app.command("report")(report.report)
app.add_typer(history.app, name="history")
app.add_typer(verify.app, name="verify")
app.command("doctor")(doctor.doctor)
app.add_typer(cache.app, name="cache")


def _print_version(asked: bool) -> None:
    if asked:
        print(f"triage {triage.__version__}")
        raise Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options before the command."""


def main() -> None:
    """The entry point. Bad input is one line and a remedy; only a bug shows a traceback, and only when asked."""
    streams.prepare()
    code = _exit_code()
    # The process ends and its memory with it: a last search for garbage in the catalogue would take 0.1 s.
    gc.freeze()
    sys.exit(code)


@lru_cache(maxsize=1)
def _commands() -> Callable[..., Any]:
    """Built once, however often a process calls `main`: typer reads the types of every option anew."""
    return typer.main.get_command(app)


def _exit_code() -> int:
    try:
        code = int(_commands()(standalone_mode=False, prog_name="triage") or ExitCode.DONE)
        sys.stdout.flush()
        if code == ExitCode.INTERRUPTED:  # what typer makes of Ctrl-C
            _say("interrupted.", "")
        return code
    except TriageError as fault:
        _say(fault.message, fault.remedy)
        return int(fault.exit_code)
    except Exit as asked:
        return asked.exit_code
    except TyperException as fault:
        _say_usage(fault)
        return int(ExitCode.USAGE)
    except (KeyboardInterrupt, Abort):
        _say("interrupted.", "")
        return int(ExitCode.INTERRUPTED)
    except (BrokenPipeError, SystemExit):
        # The reader of our output went away (`triage log ... | head`), which typer tells by leaving: nobody is left.
        streams.drop_output()
        return int(ExitCode.DONE)
    except OSError as fault:
        # A full disk, a folder that may not be written: of the machine, not of triage.
        streams.drop_output()
        _report_machine(fault)
        return int(ExitCode.USAGE)
    except Exception as bug:  # the last resort: a bug must not look like a finding
        _report_bug(bug)
        return int(ExitCode.BUG)


def _say_usage(fault: TyperException) -> None:
    """What is wrong with the arguments, and where the help of that very command is; a bare group shows its help."""
    context = getattr(fault, "ctx", None)
    command = context.command_path if context else "triage"
    message = fault.format_message().replace("Value error, ", "")
    if context and message == context.get_help():
        print(message, file=sys.stderr)
    else:
        _say(message, f"See {command} --help.")


def _say(message: str, remedy: str) -> None:
    words = harmless_words("\n        ".join([f"triage: {message}", remedy] if remedy else [f"triage: {message}"]))
    # On a full disk nobody can be told; the exit code still can.
    with suppress(OSError):
        print(fitted(words), file=sys.stderr)


def _report_machine(fault: OSError) -> None:
    if os.environ.get("TRIAGE_DEBUG"):
        traceback.print_exception(fault)
    where = f"{fault.filename}: " if fault.filename else "reading or writing failed: "
    _say(f"{where}{fault.strerror or fault}.", "Look at the disk and at who may write there; TRIAGE_DEBUG=1 says more.")


def _report_bug(bug: Exception) -> None:
    if os.environ.get("TRIAGE_DEBUG"):
        traceback.print_exception(bug)
    _say(f"a bug: {type(bug).__name__}: {bug}", "Run again with TRIAGE_DEBUG=1 and report what it prints.")
