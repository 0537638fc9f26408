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
    family: Annotated[
        bool, typer.Option("--family", help="The family of this name, where a signature has the same.")
    ] = False,
) -> None:
    """Explain one signature and its fixes.

    What it means, how to be sure, what it is not, how it is recognised, and what is tried in which order. Of a family:
    the signatures that belong to it.
    """
    from triage.catalogue.explaining import family_in_plain_words, in_plain_words
    from triage.catalogue.page import explanation, wrapped
    from triage.cli.options import terminal_width
    from triage.cli.signatures import of_one_family, one_of
    from triage.errors import UsageError
    from triage.output.plain import count
    from triage.sources.catalogue import load

    catalogue, width = load(signatures or ()), terminal_width()
    # Ids and families are lower case throughout; a person may write GPU-OOM.
    name = signature_id if signature_id in catalogue.signatures else signature_id.lower()
    of_family = of_one_family(catalogue, name) if family else catalogue.of_family(name)
    is_signature = name in catalogue.signatures
    if of_family and (family or not is_signature):
        if rule:
            raise UsageError(f"{name} is a family: --rule shows one signature.", "Name a signature of it.")
        typer.echo(family_in_plain_words(name, of_family, width), nl=False)
        return
    signature = one_of(catalogue, name)
    typer.echo((explanation if rule else in_plain_words)(signature, width), nl=False)
    if any(one.id != name for one in of_family):
        also = f"{name} is also the name of a family of {count(len(of_family), 'signature')}:"
        typer.echo(f"\n{wrapped(also, width, 0)}")
        typer.echo(f"  triage explain {name} --family")
