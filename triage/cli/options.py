"""Options that several commands share, spelled once, and what they mean."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Format(StrEnum):
    TERMINAL = "terminal"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"
    SARIF = "sarif"


_FORMATS = f"{', '.join(list(Format)[:-1])} or {list(Format)[-1]}"

RepoOption = Annotated[
    str,
    typer.Option(
        "--repo", "-R", metavar="OWNER/NAME", help="The repository, where no URL, folder or history names it."
    ),
]
ApiUrlOption = Annotated[str, typer.Option("--api-url", metavar="URL", help="The API of a GitHub Enterprise Server.")]
TokenOption = Annotated[
    str,
    typer.Option("--token", metavar="TOKEN", help="A token; otherwise GH_TOKEN, GITHUB_TOKEN or that of `gh` is used."),
]
MaxWaitOption = Annotated[
    float,
    typer.Option("--max-wait", min=0, metavar="SECONDS", help="The longest wait in all when GitHub limits requests."),
]
CaBundleOption = Annotated[
    Path | None,
    typer.Option("--ca-bundle", metavar="FILE", help="Certificate authorities to trust, as PEM.", exists=True),
]
NoCacheOption = Annotated[bool, typer.Option("--no-cache", help="Keep nothing on disk and use nothing kept.")]
FormatOption = Annotated[
    Format, typer.Option("--format", "-f", metavar="FORMAT", help=f"How to print the result: {_FORMATS}.")
]
PatchOption = Annotated[
    Path | None, typer.Option("--patch", metavar="FILE", help="Write the first patch of each cause to FILE.")
]
ApplyOption = Annotated[bool, typer.Option("--apply", help="Apply the patch to the checkout, which must be clean.")]
CheckoutOption = Annotated[
    Path | None,
    typer.Option("--checkout", metavar="DIR", help="A clone of the repository. Only --apply changes it."),
]
ReadCheckoutOption = Annotated[
    Path | None, typer.Option("--checkout", metavar="DIR", help="A clone of the repository. It is only read.")
]
SiblingsOption = Annotated[
    bool, typer.Option("--siblings", help="Also patch other jobs that are exposed to the same failure.")
]
SignaturesOption = Annotated[
    list[Path] | None,
    typer.Option("--signatures", metavar="DIR", help="A folder of your own signatures; may be repeated."),
]
ConfigOption = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="triage.toml to use instead of the repository's.")
]
EvidenceOption = Annotated[
    bool,
    typer.Option("--evidence/--no-evidence", help="Compare with the base branch and other runs: whose failure is it?"),
]
EvidenceRequestsOption = Annotated[
    int | None,
    typer.Option(
        "--evidence-requests",
        min=0,
        metavar="N",
        show_default=False,
        help="Ask GitHub at most so many times for evidence; 0 is --no-evidence. `triage run` takes by default what "
        "keeps it at ten requests beyond one for each failed job and each hundred jobs.",
    ),
]
ExitStatusOption = Annotated[
    bool,
    typer.Option(
        "--exit-status",
        help="Exit with 10 when every failure has a named cause, with 11 when one has none, or only one of low "
        "confidence.",
    ),
]


def typed(context: typer.Context, name: str) -> bool:
    """Whether the person wrote the option, which may have a value from the environment too."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def written(context: typer.Context, names: Iterable[str]) -> Iterator[str]:
    """Those of the options that the person wrote, as they are written."""
    return (f"--{name.replace('_', '-')}" for name in names if typed(context, name))


def refuse(context: typer.Context, why: str, *names: str) -> None:
    """UsageError when one of these options was written, which means nothing for the reason `why`."""
    from triage.errors import UsageError

    for option in written(context, names):
        other = re.search(r"--[\w-]+", why)
        verb = "add" if why.startswith("without") else "leave out"
        raise UsageError(
            f"{option} means nothing {why}.", f"Leave out {option}{f', or {verb} {other[0]}' if other else ''}."
        )


def require_evidence(context: typer.Context, evidence: bool, requests: int | None, open_pr: bool = False) -> None:
    """UsageError for what only evidence gives a meaning. A pull request is recorded in the history too."""
    if not evidence and requests:
        refuse(context, "with --no-evidence", "evidence_requests")
    if (not evidence or requests == 0) and not open_pr:
        refuse(context, "with --no-evidence" if not evidence else "with --evidence-requests 0", "db")


# What --max-wait is without the flag.
MAX_WAIT = 120.0


def terminal_width() -> int:
    """Columns of the terminal, at most 120: longer lines are hard to read."""
    return min(shutil.get_terminal_size((80, 24)).columns, 120)


def fitted(words: str) -> str:
    """For stderr: broken between words where a person reads it; paths, addresses and commands stay whole."""
    if not sys.stderr.isatty():
        return words
    import textwrap

    return "\n".join(
        textwrap.fill(line, terminal_width(), subsequent_indent=" " * 8, break_long_words=False, break_on_hyphens=False)
        for line in words.split("\n")
    )


def wants_color() -> bool:
    """https://no-color.org, and its counterpart FORCE_COLOR; a dumb terminal knows no escapes."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")
