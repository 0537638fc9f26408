"""`triage signatures ...`: list, show, check, write and publish the catalogue."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from triage.model.signature import Catalogue, Signature

# From here on, of 100, a name is taken for a misspelt one.
_ALIKE = 65
_ROOM_FOR_TITLE = 40

app = typer.Typer(help="The catalogue of known causes.", no_args_is_help=True)

Folders = Annotated[
    list[Path] | None,
    typer.Option("--signatures", metavar="DIR", help="A folder of your own signatures; may be repeated."),
]


@app.command("list")
def list_signatures(
    signatures: Folders = None,
    family: Annotated[str, typer.Option(metavar="NAME", help="Only this family.")] = "",
) -> None:
    """One line for each signature: id, family, rank, status, title.

    On a narrow terminal, id and title.
    """
    from triage.sources.catalogue import load

    catalogue = load(signatures or ())
    chosen = of_one_family(catalogue, family) if family else tuple(catalogue.signatures.values())
    rows = [
        (one.id, one.family, str(one.rank), str(one.status), one.title)
        for one in sorted(chosen, key=lambda one: (one.family, one.id))
    ]
    for line in _columns(rows) if sys.stdout.isatty() else map("\t".join, rows):
        typer.echo(line)
    say_left_out(catalogue)


@app.command()
def show(
    signature_id: Annotated[str, typer.Argument(metavar="ID", help="The signature's id.")], signatures: Folders = None
) -> None:
    """Print the file of one signature."""
    from triage.sources.catalogue import load, text_of

    typer.echo(text_of(one_of(load(signatures or ()), signature_id), signatures or ()), nl=False)


@app.command()
def check(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="DIR", help="A folder of your own signatures, checked together with the built-in ones."),
    ] = None,
    green: Annotated[
        list[Path] | None,
        typer.Option(metavar="PATH", help="A log of a job that passed, or a folder of them; may be repeated."),
    ] = None,
) -> None:
    """Lint every signature, and try its samples both ways.

    A sample must match, a near miss must not, and nothing may match a green log. The exit code is 5 on an error.
    """
    from triage.catalogue.findings import is_error, refuse
    from triage.errors import UsageError
    from triage.output.plain import count
    from triage.pipeline.signatures import check_catalogue

    report = check_catalogue(folder, tuple(green or ()))
    if not report.signatures:
        raise UsageError(f"{folder or 'the package'}: holds no signature.", "Signatures are .yaml files in DIR/AREA.")
    errors = [finding for finding in report.findings if is_error(finding)]
    for finding in report.findings:
        if not is_error(finding):
            typer.echo(f"warning: {finding}", err=True)
    if errors:
        raise refuse(errors, f"{count(len(errors), 'finding')} in {count(report.signatures, 'signature')}")
    typer.echo(report.summary)


@app.command()
def schema() -> None:
    """Print the JSON Schema of a signature file, for editors."""
    import json

    from triage.catalogue.schema import json_schema

    typer.echo(json.dumps(json_schema(), indent=2))


@app.command()
def page(
    output: Annotated[Path | None, typer.Argument(metavar="FILE", help="Where to write it; by default stdout.")] = None,
) -> None:
    """Generate the Markdown page of the catalogue."""
    from triage.catalogue.page import page as render
    from triage.sources.catalogue import load

    text = render(load())
    if output is None:
        typer.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")


@app.command()
def new(
    context: typer.Context,
    target: Annotated[
        Path,
        typer.Argument(metavar="ID|FILE", help="The id (kebab-case, named after the pattern), or its file."),
    ],
    from_log: Annotated[
        Path, typer.Option("--from-log", metavar="LOG", help="A log that shows the failure.", exists=True)
    ],
    line: Annotated[
        int,
        typer.Option(
            metavar="N", show_default=False, help="The line that names the cause, from 1; by default the likeliest."
        ),
    ] = 0,
    folder: Annotated[Path, typer.Option(metavar="DIR", help="Where to write, when only an id is given.")] = Path(),
) -> None:
    """Write the draft of a signature, from a log.

    It matches one line, and comes with a scrubbed and trimmed sample.
    """
    from triage.cli.options import refuse
    from triage.pipeline.signature_draft import draft

    if target.suffix == ".yaml":
        refuse(context, "where a file is named", "folder")
    place = target.parent if target.suffix == ".yaml" else folder
    written = draft(target.stem if target.suffix == ".yaml" else str(target), from_log, line, place)
    for path in written.paths:
        typer.echo(f"wrote {path}")
    for notice in written.notices:
        typer.echo(f"note: {notice}", err=True)


def of_one_family(catalogue: Catalogue, family: str) -> tuple[Signature, ...]:
    """Raises UsageError, with the families that there are, for a name that is none."""
    from triage.errors import UsageError

    if found := catalogue.of_family(family):
        return found
    families = sorted({one.family for one in catalogue.signatures.values()})
    near = _did_you_mean(family, families)
    raise UsageError(f"no signature is of the family {family!r}.", near or f"There are: {', '.join(families)}.")


def one_of(catalogue: Catalogue, signature_id: str) -> Signature:
    """The signature of this id, or of this old name. Raises UsageError with the nearest ids."""
    from triage.errors import UsageError

    if (found := catalogue.signatures.get(signature_id)) is not None:
        return found
    for signature in catalogue.signatures.values():
        if signature_id in signature.renamed_from:
            return signature
    near = _did_you_mean(signature_id, list(catalogue.signatures))
    say_left_out(catalogue)
    raise UsageError(f"no signature is called {signature_id!r}.", near or "`triage signatures list` names them all.")


def _did_you_mean(wanted: str, names: Sequence[str]) -> str:
    """The three that share most words with it, the most alike first; "" where none is like it."""
    from rapidfuzz import fuzz

    words = set(wanted.split("-"))
    ranked = sorted((-len(words.intersection(one.split("-"))), -fuzz.ratio(wanted, one), one) for one in names)
    near = [one for shared, ratio, one in ranked if shared or -ratio >= _ALIKE][:3]
    *others, last = near or [""]
    meant = f"{', '.join(others)} or {last}" if others else last
    return f"Did you mean {meant}? `triage signatures list` names them all." if near else ""


def _columns(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Aligned for a person. A title that does not fit goes on below itself.

    Where little room would be left to the titles, id and title stand alone: `show` tells the rest.
    """
    import textwrap

    from triage.catalogue.explaining import with_blanks
    from triage.cli.options import terminal_width

    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    shown = range(len(widths) - 1)
    if terminal_width() < sum(widths[:-1]) + 2 * len(shown) + _ROOM_FOR_TITLE:
        shown = range(1)
    for row in rows:
        start = "".join(f"{row[column]:<{widths[column]}}  " for column in shown)
        yield textwrap.fill(
            with_blanks(row[-1]),
            max(terminal_width(), len(start) + _ROOM_FOR_TITLE // 2),
            initial_indent=start,
            subsequent_indent=" " * len(start),
            break_on_hyphens=False,
        )


def say_left_out(catalogue: Catalogue) -> None:
    """Which files the person named, or the package holds, that are no valid signatures."""
    for finding in catalogue.left_out:
        print(f"left out: {finding}", file=sys.stderr)
