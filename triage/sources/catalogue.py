"""Finds and reads the catalogue: the built-in folder, a repository's own ones, and the cache of what was decoded.

The cache is JSON under the user's cache folder, keyed by the content of every file that was read and of the code that
reads them. It is refused when somebody else could have written it. A warm one needs neither PyYAML nor pydantic.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import triage
from triage.catalogue.stored import NotACatalogue, from_json, to_json
from triage.errors import CatalogueError, UsageError
from triage.model.signature import Catalogue, Signature
from triage.sources.private import private_folder, read_private, write_private
from triage.sources.small import read_small

_PACKAGE = Path(triage.__file__).parent
TABLES = "tables"
_MAX_FILES = 2000
_KEPT = 8


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of signatures as text: path for messages -> content. `files`: the same keys -> where they lie."""

    root: Path
    signatures: dict[str, str]
    tables: dict[str, str]
    files: dict[str, Path]


def load(extra: Sequence[Path | Folder] = (), cache: bool = True) -> Catalogue:
    """The built-in signatures, then those of `extra`, which win over those of the same id.

    Files that are not valid are left out and named in `left_out`. Raises CatalogueError when the built-in folder is
    not there, UsageError when one of `extra` is no folder.
    """
    own = [each if isinstance(each, Folder) else read_folder(each) for each in extra]
    folders = [read_folder(built_in(), "signatures"), *own]
    key = _key(folders)
    if cache and (kept := _kept(key)) is not None:
        return kept
    from triage.catalogue.assembly import assemble

    catalogue = assemble([(folder.signatures, folder.tables) for folder in folders], version=key[:12], checked=1)
    if cache:
        _keep(key, catalogue)
    return catalogue


def built_in() -> Path:
    """`signatures/`: inside the package in a wheel, beside it in a checkout or an editable install."""
    for path in (_PACKAGE / "signatures", _PACKAGE.parent / "signatures"):
        if path.is_dir():
            return path
    raise CatalogueError(f"there is no signatures folder in {_PACKAGE} or beside it.", "Install triage again.")


def read_folder(root: Path, shown: str = "") -> Folder:
    """The YAML files below `root`, called `shown`; samples (`*.patch/`) and hidden folders are not entered."""
    if not root.is_dir():
        raise UsageError(f"{root} is no folder of signatures.", "Name the folder that holds <area>/<id>.yaml.")
    paths = sorted(_yaml_files(root))
    if len(paths) > _MAX_FILES:
        raise UsageError(f"{root} holds more than {_MAX_FILES} YAML files.", "Name a folder of signatures.")
    folder = Folder(root, {}, {}, {})
    for path in paths:
        inside = path.relative_to(root)
        kind = folder.tables if inside.parts[0] == TABLES else folder.signatures
        name = f"{shown or root}/{inside.as_posix()}"
        kind[name] = _text(path)
        folder.files[name] = path
    return folder


def _yaml_files(root: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.endswith(".patch") and not name.startswith(".")]
        yield from (
            path for name in files if name.endswith((".yaml", ".yml")) and (path := Path(parent, name)).is_file()
        )


def _text(path: Path) -> str:
    try:
        return read_small(path).decode("utf-8", "replace")
    except OSError as fault:
        raise UsageError(f"{path}: {fault.strerror or fault}.", "Name a folder of signatures.") from fault


def _key(folders: Sequence[Folder]) -> str:
    """Names everything that the decoded catalogue depends on."""
    digest = hashlib.sha256(triage.__version__.encode())
    for path in sorted([*(_PACKAGE / "catalogue").rglob("*.py"), *(_PACKAGE / "model").rglob("*.py")]):
        digest.update(path.read_bytes())
    for folder in folders:
        for kind in (folder.signatures, folder.tables):
            for name, text in kind.items():
                digest.update(f"\0{name}\0{len(text)}\0".encode())
                digest.update(text.encode())
    return digest.hexdigest()


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "triage"


def _kept(key: str) -> Catalogue | None:
    """The stored catalogue, or None when there is none that may be trusted: reading the files always works."""
    text = read_private(cache_folder() / f"catalogue-{key}.json")
    if text is None:
        return None
    try:
        return _decoded(text)
    except NotACatalogue:
        return None


@lru_cache(maxsize=2)
def _decoded(text: str) -> Catalogue:
    """Further runs in one process read the same text, of half a megabyte."""
    return from_json(text)


def _keep(key: str, catalogue: Catalogue) -> None:
    folder = cache_folder()
    if not private_folder(folder):
        return
    write_private(folder / f"catalogue-{key}.json", to_json(catalogue))
    stored = sorted(folder.glob("catalogue-*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in stored[_KEPT:]:
        old.unlink(missing_ok=True)


def text_of(signature: Signature, extra: Sequence[Path] = ()) -> str:
    """The file of `signature` as it was written. Raises CatalogueError when it went away."""
    for folder in [*(read_folder(path) for path in extra), read_folder(built_in(), "signatures")]:
        if signature.source in folder.signatures:
            return folder.signatures[signature.source]
    raise CatalogueError(f"{signature.source} is gone.", "Run the command again.")
