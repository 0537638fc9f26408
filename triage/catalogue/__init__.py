"""The catalogue: signature files read strictly, linted with named checks, kept as frozen values.

Pure: text in, values out; `triage/sources/catalogue.py` reads the folders. Importing this package costs nothing:
PyYAML and pydantic are imported when a file really has to be decoded, which a warm cache avoids.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from triage.model.signature import Signature, Tables


def decode(text: str, source: str) -> Signature:
    """The signature in `text`; `source` is its path, whose stem is the id.

    Raises CatalogueError that lists every finding of the file as "file:line: check: message".
    """
    from triage.catalogue.decoding import signature_of

    return signature_of(text, source)


def decode_tables(files: Mapping[str, str]) -> Tables:
    """The tables in `files` (path -> text), merged in order. Raises CatalogueError that lists every finding."""
    from triage.catalogue.tables import tables_of

    return tables_of(files)
