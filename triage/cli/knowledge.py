"""What commands know before they read a log: the catalogue with the person's own folders, and the configuration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triage.model.configuration import Configuration
    from triage.pipeline.triage import Knowledge

REPOSITORY_SIGNATURES = ".github/triage/signatures"


def know(signatures: Sequence[Path] | None, config: Path | None, checkout: Path | None) -> Knowledge:
    """The built-in catalogue, then the checkout's own folders, then those named; a later one wins over the same id.

    UsageError for a folder that is not there; ConfigurationError for a file that does not decode.
    """
    from triage.errors import UsageError
    from triage.pipeline.triage import Knowledge
    from triage.sources import catalogue

    configuration = configure(config, checkout)
    folders = [folder for folder in _own_folders(checkout, configuration) if folder.is_dir()]
    for folder in signatures or ():
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such folder.", "--signatures takes a folder of signature files.")
        folders.append(folder)
    return Knowledge.of(catalogue.load(folders), configuration)


def configure(config: Path | None, checkout: Path | None) -> Configuration:
    """--config, else the checkout's triage.toml, else the defaults."""
    from triage.model.configuration import Configuration
    from triage.sources.configuration import PATH_IN_REPOSITORY, read_configuration

    if config is not None:
        return read_configuration(config)
    if checkout is not None and (checkout / PATH_IN_REPOSITORY).is_file():
        return read_configuration(checkout / PATH_IN_REPOSITORY)
    return Configuration()


def _own_folders(checkout: Path | None, configuration: Configuration) -> list[Path]:
    if checkout is None:
        return []
    return [checkout / name for name in (REPOSITORY_SIGNATURES, *configuration.signatures)]
