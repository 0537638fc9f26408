"""Takes secrets out of text before anything is shown, stored or posted.

The runner masks secrets only as exact strings, so what a program printed in another shape (a signed URL, a header, a
token from a file) is still in the log. Shapes are those that the issuing services document.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar, cast

MASK = "[redacted]"

# Each is linear: no nested quantifiers, bounded classes, a literal to start from; lines are capped before.
_SHAPES = re.compile(
    r"""
      (?:gh[pousr]_[A-Za-z0-9]{16,255} | github_pat_[A-Za-z0-9_]{20,255} | glpat-[A-Za-z0-9_-]{16,255})
    | (?:hf_[A-Za-z0-9]{16,255} | sk-[A-Za-z0-9_-]{16,255} | wandb_v1_[A-Za-z0-9_]{16,255})
    | (?:xox[abprs]-[A-Za-z0-9-]{10,255} | AIza[A-Za-z0-9_-]{30,64} | npm_[A-Za-z0-9]{20,255})
    | (?:pypi-[A-Za-z0-9_-]{20,255} | dckr_[a-z]{3}_[A-Za-z0-9_-]{16,255} | ya29\.[A-Za-z0-9_-]{16,1024})
    | (?:\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,255} | \bbot\d{6,12}:[A-Za-z0-9_-]{30,64})
    | (?:\b(?:AKIA|ASIA)[A-Z0-9]{16}\b)
    | (?:\beyJ[A-Za-z0-9_-]{8,2048}\.[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8,1024})
    | (?:-----BEGIN[A-Z ]{0,40}PRIVATE[ ]KEY-----[^-]{0,8192}(?:-----END[A-Z ]{0,40}PRIVATE[ ]KEY-----)?)
    | (?:https://hooks\.slack\.com/services/[A-Za-z0-9/_-]{8,128})
    """,
    re.VERBOSE,
)
# What follows these names is secret, whatever its shape; the name itself stays, so that a reader knows what was cut.
_NAMED = re.compile(
    r"(?i)(\b(?:authorization|x-api-key|private-token)[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:bearer |token |basic )?)"
    r"([^\s\"',;]{4,2048})"
)
_ASSIGNED = re.compile(
    r"(?i)(\b[a-z0-9_-]{0,48}(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?token|auth[_-]?token"
    r"|(?:secret|access|account|shared|private|encryption)[_-]?key|session[_-]?token|(?-i:_TOKEN))"
    r"[\"']?\s{0,4}[:=]\s{0,4}[\"']?)"
    r"([^\s\"',;&]{6,2048})"
)
# The same as arguments of a command. Numbers are users of a container, and sizes.
_ARGUMENT = re.compile(
    r"(?i)(--[a-z0-9_-]{0,48}(?:password|passwd|secret|api[_-]?key|token)[ =][\"']?"
    r"|\bsshpass -p ?[\"']?|\bdocker login [^\n]{0,120}?-p ?[\"']?|\bmysql(?:dump)? [^\n]{0,120}?-p"
    r"|\bwandb login (?:--[a-z]{1,20} ){0,3}(?!-)|[ ](?:-u|--user)[ =][\"']?[^\s:\"'/]{1,64}:)"
    r"(?!\d{1,9}\b)([^\s\"'/\[][^\s\"']{5,2048})"
)
_IN_URL = re.compile(r"(\b[a-z][a-z0-9+.-]{1,20}://)([^/\s:@]{0,256}:[^/\s@]{1,256}|[^/\s:@]{20,256})@")
_SIGNED = re.compile(
    r"(?i)([?&](?:sig|signature|x-amz-signature|x-amz-credential|token|access_token|se|sp)=)([^&\s\"'<>]{4,2048})"
)
# The body of a key or certificate, a line of its own.
_BODY = re.compile(r"\s{0,200}(?=[A-Za-z0-9+/]{0,4096}[A-Z])[A-Za-z0-9+/]{60,4096}={0,2}\s{0,200}\Z")

Value = TypeVar("Value")


def redact(text: str) -> str:
    """The text with every secret replaced by `[redacted]`."""
    if _BODY.match(text):
        return MASK
    text = _SHAPES.sub(MASK, text)
    text = _IN_URL.sub(rf"\1{MASK}@", text)
    text = _SIGNED.sub(rf"\1{MASK}", text)
    text = _NAMED.sub(rf"\1{MASK}", text)
    text = _ARGUMENT.sub(rf"\1{MASK}", text)
    return _ASSIGNED.sub(_mask_unless_named_only, text)


def _mask_unless_named_only(found: re.Match[str]) -> str:
    # `api_key=None` and `password: ***` say nothing; what they say of the program's state may be the evidence.
    harmless = found[2].strip("*.()[]<>") in {"", "None", "null", "True", "False", "redacted"}
    return found[0] if harmless else f"{found[1]}{MASK}"


def redacted(value: Value) -> Value:
    """A copy of a frozen value with every string in it redacted, however deep; unchanged parts are shared."""
    return cast(Value, _walk(value))


def _walk(value: object) -> object:
    if isinstance(value, str):
        # Enumerations are strings too, and must stay what they are.
        return redact(value) if type(value) is str else value
    if is_dataclass(value) and not isinstance(value, type):
        old = {spec.name: getattr(value, spec.name) for spec in fields(value)}
        new = {name: walked for name, item in old.items() if (walked := _walk(item)) is not item}
        return replace(value, **new) if new else value
    if isinstance(value, tuple):
        walked_items = tuple(_walk(item) for item in value)
        return walked_items if any(a is not b for a, b in zip(walked_items, value, strict=True)) else value
    if isinstance(value, frozenset):
        return frozenset(map(_walk, value))
    if isinstance(value, Mapping):
        return {key: _walk(item) for key, item in value.items()}
    return value
