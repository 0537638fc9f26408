"""From the texts of folders to one catalogue: what is not valid is left out and named, later folders win by id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from triage.catalogue import across
from triage.catalogue.decoding import Examined, examine
from triage.catalogue.findings import CHECKS, leaves_out
from triage.catalogue.tables import examine_tables
from triage.model.signature import Catalogue, Signature

# Path -> text: the signatures and the tables of one folder.
Texts = tuple[Mapping[str, str], Mapping[str, str]]


def assemble(folders: Sequence[Texts], version: str = "", checked: int = 0) -> Catalogue:
    """Never raises: every finding that leaves a file out is a sentence in `left_out`.

    The first `checked` folders are decoded only: what is shipped was linted when it was made.
    """
    examined = winners(folders, checked)
    tables, wrong_tables = examine_tables({name: text for _, tables in folders for name, text in tables.items()})
    findings = [finding for seen in examined for finding in seen.findings]
    findings += [*across.circles(examined), *across.repeats(examined), *wrong_tables]
    fatal = [finding for finding in findings if CHECKS[finding.check].leaves_out]
    refused = {finding.source for finding in fatal}
    return Catalogue(
        signatures={signature.id: signature for signature in _signatures(examined) if signature.source not in refused},
        tables=tables,
        left_out=tuple(map(str, sorted(fatal))),
        version=version,
    )


def winners(folders: Sequence[Texts], checked: int = 0) -> tuple[Examined, ...]:
    """Every file examined, without those that a later folder replaces by a file of the same id.

    A double within one folder gets a finding and loses.
    """
    kept: dict[str, Examined] = {}
    extra: list[Examined] = []
    for place, (signatures, _) in enumerate(folders):
        seen = [examine(text, source, place >= checked) for source, text in signatures.items()]
        doubles = {finding.source: finding for finding in across.doubles(seen)}
        for one in seen:
            if (double := doubles.get(one.document.source)) is not None:
                extra.append(Examined(None, one.document, (*one.findings, double)))
            elif one.signature and one.signature.id in kept and leaves_out(one.findings):
                # An invalid replacement does not take the valid one away.
                extra.append(Examined(None, one.document, one.findings))
            else:
                kept[one.signature.id if one.signature else one.document.source] = one
    return (*kept.values(), *extra)


def _signatures(examined: Sequence[Examined]) -> list[Signature]:
    return [seen.signature for seen in examined if seen.signature]
