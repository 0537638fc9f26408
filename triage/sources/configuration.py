"""Decodes `triage.toml`. Taken from the default branch of the repository under triage or from `--config`, never from
a pull request's head."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from triage.errors import ConfigurationError
from triage.model.configuration import Configuration, KnownIssue, RerunCaps, RunnerLabel
from triage.sources.small import read_small
from triage.sources.toml_lines import line_of

PATH_IN_REPOSITORY = ".github/triage.toml"


def read_configuration(path: Path) -> Configuration:
    """The configuration in a file that the person named. ConfigurationError when it is not there or does not decode."""
    try:
        raw = read_small(path)
    except OSError as fault:
        reason = fault.strerror or fault
        raise ConfigurationError(f"{path}: {reason}.", "Name a readable file with --config.") from fault
    return decode_configuration(raw, str(path))


def decode_configuration(raw: bytes, source: str) -> Configuration:
    """Strict: an unknown key or a wrong type is an error that names the file and every offending key."""
    try:
        # Some editors begin a file with a byte-order mark.
        text = raw.decode("utf-8-sig")
        values = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise ConfigurationError(f"{source}: not valid TOML: {fault}.", "Correct the line it names.") from fault
    from pydantic import ValidationError

    from triage.sources.configuration_document import Document

    try:
        decoded = Document.model_validate(values)
    except ValidationError as fault:
        found = "; ".join(_faults(fault.errors(), text, source))
        raise ConfigurationError(
            found if found.endswith("?") else f"{found}.", "The README lists the keys of triage.toml."
        ) from fault
    return Configuration(
        runners=tuple(RunnerLabel(**runner.model_dump()) for runner in decoded.runners),
        leave_out=tuple(decoded.leave_out),
        owners=tuple(sorted(decoded.owners.items())),
        known_issues=tuple(KnownIssue(**issue.model_dump()) for issue in decoded.known_issues),
        signatures=tuple(decoded.signatures),
        minimum_n=decoded.minimum_n,
        currency=decoded.currency,
        rerun=RerunCaps(**decoded.rerun.model_dump()),
        source=source,
    )


def _faults(errors: Iterable[Mapping[str, Any]], text: str, source: str) -> Iterator[str]:
    """`triage.toml:3: ...`, one for each error."""
    from triage.catalogue.wrong import said
    from triage.sources.configuration_document import keys_beside

    placed = [(line_of(text, error["loc"]), said(error, error["loc"], keys_beside(error["loc"]))) for error in errors]
    for line, words in sorted(placed):
        yield f"{source}{f':{line}' if line else ''}: {words}"
