"""`triage explain <id>`: what a signature means, from its file alone; of a family, which signatures it has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def explain(
    signature_id: Annotated[
        str, typer.Argument(metavar="ID", help="The signature's id, such as nccl-watchdog-timeout; or a family's name.")
    ],
    signatures: Annotated[
        list[Path] | None,
        typer.Option("--signatures", metavar="DIR", help="A folder of your own signatures; may be repeated."),
    ] = None,
    rule: Annotated[
        bool, typer.Option("--rule", help="All that its file says: patterns, parameters, conditions, references.")
    ] = False,
) -> None:
    """Explain one signature and its fixes.

    What it means, how to be sure, what it is not, how it is recognised, and what is tried in which order. Of a family:
    the signatures that belong to it.
    """
    from triage.catalogue.explaining import family_in_plain_words, in_plain_words
    from triage.catalogue.page import explanation
    from triage.cli.options import terminal_width
    from triage.cli.signatures import one_of
    from triage.errors import UsageError
    from triage.sources.catalogue import load

    catalogue = load(signatures or ())
    of_family = catalogue.of_family(signature_id)
    if of_family and signature_id not in catalogue.signatures:
        if rule:
            raise UsageError(f"{signature_id} is a family: --rule shows one signature.", "Name a signature of it.")
        typer.echo(family_in_plain_words(signature_id, of_family, terminal_width()), nl=False)
        return
    signature = one_of(catalogue, signature_id)
    typer.echo((explanation if rule else in_plain_words)(signature, terminal_width()), nl=False)
