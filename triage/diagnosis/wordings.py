"""How an exception's message is worded that refuses a setting, or that reports what the code itself did wrong."""

from __future__ import annotations

import re

# It names a flag or a variable, or says that two things that were asked for do not go together.
_REFUSED = re.compile(
    r"(?<![\w-])--[a-z][\w-]{2,}|\b[A-Z][A-Z0-9]{1,30}_[A-Z0-9_]{2,60} ?=|\benvironment variable"
    r"|\bnot (?:yet |currently )?implemented\b"
    r"|(?i:\b(?:not|n't)(?: \w+){0,2} (?:support|allowed|compatible)|\bunsupported\b(?! (?:operand|format))"
    r"|\bmutually exclusive"
    r"|\bonly (?:be )?(?:supports?|supported|compatible|implemented|valid|allowed|available|work)"
    r"|\bcannot be (?:used|combined|enabled|set|specified)|\bmust be (?:set|enabled|disabled|specified|provided)\b"
    r"|\b(?:please|must) (?:use|add)\b)"
)
# What is chosen by its name; what only data holds (a role, a token, a part of a message) is not among them.
_CHOSEN = (
    r"(?:backend|method|mode|policy|strategy|algorithm|scheduler|optimi[sz]er|estimator|format|dtype|precision|option"
    r"|setting|setup|configuration|config|parallelism|sampler|manager|trainer|loss|penalty|platform|accelerator|recipe"
    r"|preset|schedule|aggregation|engine|executor|launcher"
    r"|tracker|logger|environment|scheme|parser|variant|level|choice|transport|connector"
    r"|[a-z]+_(?:type|name|mode|backend|method|impl|format|dtype|strategy|fn))"
)
# A choice that the code does not know: "Unknown lr scheduler: linear", "Invalid value for 'x'".
_UNKNOWN = re.compile(
    rf"(?i)^(?:\S{{1,40}} )?(?:unknown|invalid|unrecogni[sz]ed) (?:value (?:for|of)\b"
    rf"|(?:[\w.'\"`-]+ ){{0,4}}['\"`]?{_CHOSEN}\b['\"`]?(?: (?:type|name|value))?(?::| ['\"`]?\w|\.|$))"
    rf"|\b(?:{_CHOSEN}|type) \S{{1,60}} is (?:invalid|not valid|unknown|not recogni[sz]ed)\b"
    r"|^(?:unknown|invalid) [\w' -]{1,60}: \S{1,60} ?[.,(;]? ?(?:must be|expected|should be|available|supported|valid"
    r"|choose|allowed|possible)\b"
)
# Which values it may have, which other setting it needs, or that one of two has to go.
_BOUND = re.compile(
    r"(?i)\b(?:must|should|has to|needs to|can only|may only) be (?:either|one of|in \[|among)\b"
    r"|\b(?:cannot|can't|can ?not|must not|should not|may not|don't|do not) (?:\w+ )?both\b"
    r"|\b(?:specify|specified|set|pass|given?|provided?|enabled?) both\b"
    r"|\bboth [^\n]{1,120} (?:at the same time|together|simultaneously|at once)\b"
    r"|\b(?:exactly|at least|at most|only) one of [^\n]{1,120}\b(?:must|should|can|may|has to|needs?|is required)\b"
    r"|^either [^\n]{1,120} or [^\n]{1,120}\b(?:must|should|has to|needs? to) be\b"
    r"|\b(?:cannot|can't|can ?not|unable to) (?:use|enable|combine|mix|specify|set) [^\n]{1,100}"
    r"\b(?:with(?:out)?|and|when|while|together|if|unless|for)\b"
    r"|\b(?:must|should|has to|have to|needs? to|can only) be (?:used|combined|enabled|set|specified|provided"
    r"|defined|configured)\b"
    r"|\brequires? [^\n]{1,80} to be (?:set|enabled|disabled|specified|provided|true|false|one of|at least)\b"
    r"|\b(?:is|are) required (?:when|if|for|with|to use|by)\b"
    r"|\bwhen(?:ever)? using [^\n]{1,60}\b(?:must|should|needs?)\b"
    r"|\b(?:greater|larger|longer|more|higher|bigger) than (?:the )?(?:max(?:imum)?|limit|configured)(?:\b|_)"
    r"|\bexceeds? (?:the )?(?:max(?:imum)?|limit|configured)(?:\b|_)"
    r"|\b(?:set|use|pass|try|consider|specify|adding|setting) [`'\"]?[a-z][\w.]{2,60} ?= ?[`'\"]?\w"
    r"|\bconsider (?:adjusting|setting|changing|reducing|increasing|decreasing|lowering|using)\b"
    r"|\b(?:please|must) (?:set|specify|pass|enable|disable|provide)\b"
    r"|\b(?:please|try to|you should) (?:\w+ )?(?:reduce|increase|decrease|lower|adjust|change|choose|select|configure"
    r"|check your (?:config\w*|settings|arguments))\b"
)
# What a tensor holds is no setting, nor is what a compiler could not do.
_TENSORS = re.compile(
    r"(?i)\bshapes?\b|\bdim(?:ension)?s?\b|\btensors?\b|\bcontiguous\b|\bndim\b|\blengths? \d+ (?:is|are|does)\b"
)
_BUILT = re.compile(r"(?i)\bcompil|\bweights?\b")
# Checks of the code's own doing, whatever they are about.
_INTERNAL = re.compile(
    r"\bINTERNAL ASSERT FAILED\b|\bplease report a bug\b|\bThis is a bug\b|\b(?:leak|corruption) detected\b"
    r"|^Expected (?:an? |the |all )?[^\n]{1,100}\bbut (?:got|found|received|it is|is|was)\b"
    r"|\bunable to find an engine to execute this computation\b"
    r"|\bshould (?:never|not) (?:happen|be reached|reach here)\b"
    r"|\bunexpected(?:ly)? (?:state|type|value|key|result|dtype|shape)\b"
)


def refuses(message: str) -> bool:
    """Whether it refuses a setting; what tensors hold and what a compiler could not do is none."""
    asked = _REFUSED.search(message) or _clearly(message)
    return asked is not None and not (of_tensors(message) or _BUILT.search(message))


def refuses_clearly(message: str) -> bool:
    """Whether it names the values that a setting may have, another setting that it needs, or one of two that has to
    go: whatever else such a message speaks of, that is what it is about."""
    return _clearly(message) is not None and not (of_tensors(message) or _BUILT.search(message))


def is_internal(message: str) -> bool:
    """Whether the code found that it is itself in a state in which it should not be."""
    return _INTERNAL.search(message) is not None


def of_tensors(message: str) -> bool:
    return _TENSORS.search(message) is not None


def _clearly(message: str) -> re.Match[str] | None:
    return _UNKNOWN.search(message) or _BOUND.search(message)
