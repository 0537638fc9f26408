"""`ray job submit ... -- command`: the program that a cluster is told to run, and the environment that it gets."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from triage.fixes.evaluate.values import Value, known, unknown

_FLAG = "--runtime-env-json"


def submitted(words: Sequence[Value]) -> int | None:
    """Where the submitted command starts; None when this submits none."""
    heads = [word.text for word in words]
    if [(heads[0] or "").rpartition("/")[2], *heads[1:3]] != ["ray", "job", "submit"] or "--" not in heads:
        return None
    at = heads.index("--") + 1
    return at if at < len(words) and not any(word.many for word in words[:at]) else None


def runtime_variables(words: Sequence[Value]) -> Iterator[tuple[str, Value]]:
    """NAME and value of the `env_vars` of the JSON that a submit command carries; nothing when it does not parse."""
    text = runtime_json(words)
    try:
        document = json.loads(str(text)) if text is not None else {}
    except (ValueError, RecursionError):
        return
    variables = document.get("env_vars") if isinstance(document, dict) else None
    for name, value in variables.items() if isinstance(variables, dict) else ():
        if isinstance(value, str):
            yield name, unknown(name) if "${" in value else known(value)


def runtime_json(words: Sequence[Value]) -> Value | None:
    """The word after `--runtime-env-json=`, or behind the flag."""
    for at, word in enumerate(words):
        if word.startswith(f"{_FLAG}="):
            return word.after(f"{_FLAG}=")
        if word.text == _FLAG and at + 1 < len(words):
            return words[at + 1]
    return None
