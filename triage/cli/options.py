"""Options that several commands share, spelled once, and what they mean."""

from __future__ import annotations

import os
import shutil
import sys
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


RepoOption = Annotated[str, typer.Option("--repo", "-R", metavar="OWNER/NAME", help="The repository.")]
ApiUrlOption = Annotated[str, typer.Option("--api-url", metavar="URL", help="The API of your GitHub Enterprise.")]
TokenOption = Annotated[str, typer.Option("--token", help="A token; GH_TOKEN, GITHUB_TOKEN or gh's is used otherwise.")]
MaxWaitOption = Annotated[
    float,
    typer.Option("--max-wait", min=0, metavar="SECONDS", help="How long to wait in all when GitHub limits requests."),
]
CaBundleOption = Annotated[
    Path | None,
    typer.Option("--ca-bundle", metavar="FILE", help="Certificate authorities to trust, as PEM.", exists=True),
]
NoCacheOption = Annotated[bool, typer.Option("--no-cache", help="Keep nothing on disk and use nothing kept.")]
FormatOption = Annotated[Format, typer.Option("--format", "-f", help="How to print the result.")]
PatchOption = Annotated[
    Path | None, typer.Option("--patch", metavar="FILE", help="Write the first choice of each cause to FILE.")
]
ApplyOption = Annotated[
    bool, typer.Option("--apply", help="Apply the patch to the clean checkout, derived on its HEAD.")
]
CheckoutOption = Annotated[
    Path | None,
    typer.Option("--checkout", metavar="DIR", help="A clone to read the tree from; its files stay as they are."),
]
SiblingsOption = Annotated[
    bool, typer.Option("--siblings", help="Also patch other jobs that are exposed to the same failure.")
]
SignaturesOption = Annotated[
    list[Path] | None,
    typer.Option("--signatures", metavar="DIR", help="A folder of signatures of your own. Can be given again."),
]
ConfigOption = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="triage.toml to use instead of the repository's.")
]
EvidenceOption = Annotated[
    bool, typer.Option("--evidence/--no-evidence", help="Ask the base branch and others whose failure it is.")
]
ExitStatusOption = Annotated[
    bool, typer.Option("--exit-status", help="Exit 10 when every failure is explained, 11 when some is not.")
]


# What --max-wait is without the flag.
MAX_WAIT = 120.0


def terminal_width() -> int:
    """Columns of the terminal, at most 120: longer lines are hard to read."""
    return min(shutil.get_terminal_size((80, 24)).columns, 120)


def wants_color() -> bool:
    """https://no-color.org, and its counterpart FORCE_COLOR."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()
