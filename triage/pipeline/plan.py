"""What the job that reads hands to the job that writes: one JSON file, so that no log is read where something is
written. The writing job takes nothing else from it than text to post and numbers to check."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from typing import Any

from triage.errors import UsageError
from triage.model.run import Annotation
from triage.output.comment import LIMIT
from triage.output.marker import Marker, can_be_read
from triage.output.suggestions import Suggestion
from triage.pipeline.comment import AHEAD, Saying

SCHEMA = "triage.comment/1"
_LARGEST = 4 << 20  # bytes
_REMEDY = "Write it with `triage comment ... --out FILE`."


@dataclass(frozen=True, slots=True)
class Plan:
    """`head_sha` is the commit that was looked at; `title` the check run's."""

    repo: str
    head_sha: str
    saying: Saying
    title: str = ""
    suggestions: tuple[Suggestion, ...] = ()
    annotations: tuple[Annotation, ...] = ()

    def write(self) -> str:
        whole = {"schema": SCHEMA, **asdict(self)}
        whole["saying"]["yours"] = sorted(self.saying.yours)
        return json.dumps(whole, indent=1) + "\n"


def read_plan(raw: bytes, source: str) -> Plan:
    """UsageError when it is no such file, or holds what the reading job never writes."""
    if len(raw) > _LARGEST:
        raise UsageError(f"{source} is too large to be a plan.", _REMEDY)
    try:
        plan = _decoded(json.loads(raw))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
        raise UsageError(f"{source} is no plan of a comment: {type(fault).__name__}: {fault}.", _REMEDY) from fault
    said = plan.saying
    if not can_be_read(Marker(said.pull, 1, said.level, said.at, said.yours, said.suggested, "0")):
        raise UsageError(f"{source} holds numbers or digests that triage does not write.", _REMEDY)
    if said.at > time.time() + AHEAD:
        raise UsageError(f"{source} rests on answers of a time to come.", "Set the clock of the job that wrote it.")
    if len(plan.saying.text) > LIMIT or plan.saying.text.startswith("<!--"):
        raise UsageError(f"{source} holds a text that triage does not write.", _REMEDY)
    return plan


def _decoded(whole: Any) -> Plan:
    if whole.pop("schema") != SCHEMA:
        raise ValueError(f"its schema is not {SCHEMA}")
    said = whole.pop("saying")
    saying = Saying(**{**_typed(said, Saying), "yours": frozenset(map(_hex, said["yours"]))})
    suggested = tuple(
        Suggestion(**{**_typed(one, Suggestion), "lines": tuple(map(_text, one["lines"]))})
        for one in whole.pop("suggestions")
    )
    noted = tuple(Annotation(**_typed(one, Annotation)) for one in whole.pop("annotations"))
    return Plan(**_typed(whole, Plan), saying=saying, suggestions=suggested, annotations=noted)


_KINDS = {"str": str, "int": int, "bool": bool}


def _typed(values: dict[str, Any], kind: type) -> dict[str, Any]:
    """The values whose fields are plain text, numbers and truth; ValueError for another type."""
    found = {}
    for name, written in kind.__annotations__.items():
        wanted = _KINDS.get(str(written))
        if wanted is not None:
            if type(values[name]) is not wanted:
                raise ValueError(f"{name} is no {written}")
            found[name] = values[name]
    return found


def _hex(one: Any) -> str:
    if not isinstance(one, str) or len(one) != 8 or set(one) - set("0123456789abcdef"):
        raise ValueError("yours holds something else than digests")
    return one


def _text(one: Any) -> str:
    if not isinstance(one, str):
        raise ValueError("lines are no text")
    return one
