"""A catalogue as JSON and back, without pydantic or PyYAML: what the cache on disk holds."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, get_args

from triage.model import recipe, signature
from triage.model.signature import Catalogue

# The key that names a value's class; no field, table or fact is called so.
_CLASS = "$"

# Also recipes that their module only has as a part of its union.
_CLASSES: dict[str, type[Any]] = {
    made.__name__: made
    for made in (*vars(recipe).values(), *vars(signature).values(), *get_args(recipe.SingleRecipe))
    if dataclasses.is_dataclass(made) and isinstance(made, type)
}
_ENUMS: dict[str, dict[str, Callable[[str], StrEnum]]] = {
    "Signature": {
        "category": signature.Category,
        "severity": signature.Severity,
        "rank": signature.Rank,
        "status": signature.Status,
        "occurrence": signature.Occurrence,
        "printed_by": signature.Printer,
    },
    "FixStep": {"applicability": signature.Applicability},
    "Sequence": {"evidence": signature.Occurrence},
}


class NotACatalogue(ValueError):  # noqa: N818 - says what the bytes are
    """The text is no stored catalogue: read the files instead."""


def to_json(catalogue: Catalogue) -> str:
    return json.dumps(_plain(catalogue), ensure_ascii=False, separators=(",", ":"))


def from_json(text: str) -> Catalogue:
    """Raises NotACatalogue."""
    try:
        made = json.loads(text, object_hook=_value)
    except (ValueError, TypeError, KeyError, RecursionError) as fault:
        raise NotACatalogue(str(fault)) from fault
    if not (isinstance(made, Catalogue) and isinstance(made.signatures, dict)):
        raise NotACatalogue("another value")
    return made


def _plain(value: object) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        given = {
            field.name: _plain(getattr(value, field.name))
            for field in dataclasses.fields(value)
            if getattr(value, field.name) != field.default
        }
        return {_CLASS: type(value).__name__, **given}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _value(made: dict[str, Any]) -> Any:
    name = made.pop(_CLASS, None)
    for key, value in made.items():
        if type(value) is list:
            made[key] = tuple(value)
    if name is None:
        return made
    for key, enum in _ENUMS.get(name, {}).items():
        if key in made:
            made[key] = enum(made[key])
    return _CLASSES[name](**made)
