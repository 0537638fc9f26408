"""`triage explain <id>`: what a signature says, from its file alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def explain(
    signature_id: Annotated[str, typer.Argument(metavar="ID", help="The signature's id, such as port-in-use.")],
    signatures: Annotated[
        list[Path] | None, typer.Option("--signatures", help="A folder of further signatures; may be repeated.")
    ] = None,
) -> None:
    """Explain one signature: what it means, how to be sure, what it is not, and its fixes."""
    from triage.catalogue.page import explanation
    from triage.cli.signatures import one_of
    from triage.sources.catalogue import load

    typer.echo(explanation(one_of(load(signatures or ()), signature_id)), nl=False)
