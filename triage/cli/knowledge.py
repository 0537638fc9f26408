"""What commands know before they read a log: the catalogue with the repository's and the person's own folders, and the
configuration. What a repository says of itself is taken from its default branch or from a person's own checkout, never
from a pull request's head."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triage.github import GitHub
    from triage.model.configuration import Configuration
    from triage.pipeline.triage import Knowledge

REPOSITORY_SIGNATURES = ".github/triage/signatures"


def know(signatures: Sequence[Path] | None, config: Path | None, checkout: Path | None) -> Knowledge:
    """The built-in catalogue, then the checkout's own folders, then those named; a later one wins over the same id.

    UsageError for a folder that is not there; ConfigurationError for a file that does not decode.
    """
    from triage.model.configuration import Configuration
    from triage.sources.configuration import PATH_IN_REPOSITORY, read_configuration

    configuration = Configuration()
    if config is not None:
        configuration = read_configuration(config)
    elif checkout is not None and (checkout / PATH_IN_REPOSITORY).is_file():
        configuration = read_configuration(checkout / PATH_IN_REPOSITORY)
    own = [checkout / name for name in (REPOSITORY_SIGNATURES, *configuration.signatures)] if checkout else []
    return _knowledge([folder for folder in own if folder.is_dir()], signatures, configuration)


def know_of(github: GitHub, signatures: Sequence[Path] | None, config: Path | None) -> Knowledge:
    """The same for a repository on GitHub: its default branch says what it wants."""
    from triage.model.configuration import Configuration
    from triage.sources.configuration import PATH_IN_REPOSITORY, decode_configuration, read_configuration

    configuration = Configuration()
    if config is not None:
        configuration = read_configuration(config)
    # One look at the folder instead of one for each of what most repositories do not have.
    present = github.contents.folder(".github")
    if config is None and PATH_IN_REPOSITORY in present:
        raw = github.contents.read(PATH_IN_REPOSITORY) or b""
        configuration = decode_configuration(raw, f"{github.repo}: {PATH_IN_REPOSITORY}")
    usual = (REPOSITORY_SIGNATURES,) if ".github/triage/" in present else ()
    with TemporaryDirectory(prefix="triage-") as folder:
        own = [_download(github, name, Path(folder)) for name in (*usual, *configuration.signatures)]
        return _knowledge([place for place in own if place.is_dir()], signatures, configuration)


def _download(github: GitHub, name: str, folder: Path) -> Path:
    """One level of areas, as in the built-in folder. Names come from the repository: only their last part is used."""
    place = folder / name.replace("/", "_").replace("..", "_")
    for path in github.contents.folder(name):
        listed = github.contents.folder(path.rstrip("/")) if path.endswith("/") else (path,)
        for one in listed:
            if one.endswith((".yaml", ".yml")) and (content := github.contents.read(one)) is not None:
                file = place / PurePosixPath(path).name / PurePosixPath(one).name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
    return place


def _knowledge(own: list[Path], signatures: Sequence[Path] | None, configuration: Configuration) -> Knowledge:
    from triage.errors import UsageError
    from triage.pipeline.triage import Knowledge
    from triage.sources import catalogue

    for folder in signatures or ():
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such folder.", "--signatures takes a folder of signature files.")
    # Read at once, for what was downloaded does not stay; decoded and compiled when it is needed.
    folders = [catalogue.read_folder(path) for path in (*own, *(signatures or ()))]
    return Knowledge(lambda: catalogue.load(folders), configuration)
