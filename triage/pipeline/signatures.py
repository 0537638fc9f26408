"""Checks a whole catalogue: lint, samples both ways, patches, and silence on green logs."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from triage.catalogue import across
from triage.catalogue.assembly import assemble, winners
from triage.catalogue.decoding import Examined
from triage.catalogue.findings import Finding
from triage.catalogue.tables import examine_tables
from triage.diagnosis import PROBES
from triage.interfaces import LogSource
from triage.matching import Patterns, compile_patterns, scan
from triage.model.log import LogReading
from triage.model.signature import Catalogue, Rank
from triage.output.plain import count
from triage.pipeline.patch_samples import try_patch, wants_patch_sample
from triage.pipeline.samples import Siblings, missing, siblings_of, try_logs
from triage.sources.catalogue import Folder, built_in, read_folder
from triage.sources.logs import collect


@dataclass(frozen=True, slots=True)
class CheckReport:
    """`green_lines` counts lines of passing logs over which every signature was run."""

    findings: tuple[Finding, ...]
    signatures: int
    samples: int
    green_lines: int

    @property
    def summary(self) -> str:
        """For a check without an error: what it went through, and how much it warns of."""
        silent = f", silent on {count(self.green_lines, 'line')} of green logs" if self.green_lines else ""
        tried = count(self.samples, "sample") if self.samples else "no samples (an installed package has none)"
        wrong = count(len(self.findings), "warning") if self.findings else "nothing wrong"
        return f"{count(self.signatures, 'signature')}, {tried}: {wrong}{silent}"


def check_catalogue(folder: Path | None = None, green: Sequence[Path] = ()) -> CheckReport:
    """Checks the built-in signatures, or those of `folder` laid over them.

    Raises UsageError for a folder or log that cannot be read.
    """
    folders = [read_folder(built_in(), "signatures")]
    if folder is not None and folder.resolve() != built_in().resolve():
        folders.append(read_folder(folder))
    checked = folders[-1]
    examined = winners([(one.signatures, one.tables) for one in folders])
    catalogue = assemble([(one.signatures, one.tables) for one in folders])
    patterns = compile_patterns(catalogue.signatures.values(), PROBES)
    beside = {source: siblings_of(path) for source, path in checked.files.items() if source in checked.signatures}
    findings = [
        finding for finding in _lint(examined, folders) if finding.source in {*checked.signatures, *checked.tables}
    ]
    # A wheel carries the built-in signatures without their samples: nobody there can mend what is missing.
    if folder is not None or any(one.match for one in beside.values()):
        findings += _samples(checked, beside, catalogue, patterns)
    lines, hits = _green(green, catalogue, patterns)
    samples = sum(len(one.match) + len(one.clean) + (one.patch is not None) for one in beside.values())
    return CheckReport(tuple(sorted([*findings, *hits])), len(checked.signatures), samples, lines)


def _lint(examined: Sequence[Examined], folders: Sequence[Folder]) -> Iterator[Finding]:
    tables, wrong = examine_tables({name: text for one in folders for name, text in one.tables.items()})
    yield from wrong
    yield from (finding for seen in examined for finding in seen.findings)
    yield from across.circles(examined)
    yield from across.repeats(examined)
    yield from across.dangling(examined)
    yield from across.unknown_knobs(examined, tables)
    yield from across.due(examined, datetime.now(UTC).date())


def _samples(
    checked: Folder, beside: dict[str, Siblings], catalogue: Catalogue, patterns: Patterns
) -> Iterator[Finding]:
    for signature in catalogue.signatures.values():
        if signature.source not in checked.signatures:
            continue
        found = beside[signature.source]
        yield from missing(signature, found)
        yield from try_logs(signature, found, catalogue, patterns)
        if found.patch is not None:
            yield from try_patch(signature, found.patch, catalogue)
        elif wants_patch_sample(signature):
            yield Finding(signature.source, 0, "SIG026", f"{signature.id}.patch/ is missing")


def _green(paths: Sequence[Path], catalogue: Catalogue, patterns: Patterns) -> tuple[int, list[Finding]]:
    """Lines read, and every hit. What only wraps or cleans up may appear in a log that passed."""
    lines, hits = 0, []
    for log in collect([str(path) for path in paths], io.BytesIO()) if paths else ():
        if not hasattr(log, "open"):
            hits.append(Finding(log.name, 0, "SIG018", "cannot be read"))
            continue
        for reading in scan(log, patterns):
            lines += reading.lines
            hits += _hits(log, reading, catalogue)
    return lines, hits


def _hits(log: LogSource, reading: LogReading, catalogue: Catalogue) -> Iterator[Finding]:
    for hit in reading.matches:
        signature = catalogue.signatures[hit.signature]
        if signature.rank is not Rank.WRAPPER:
            text = f"{log.name}:{hit.line.number} passed and is hit: {hit.line.text[:120]}"
            yield Finding(signature.source, 0, "SIG018", text)
