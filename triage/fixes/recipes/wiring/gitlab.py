"""`timeout` of a job that GitLab runs: its limit stands in the GitLab files of the repository."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.wiring.limits import rounded
from triage.fixes.refusal import Refusal
from triage.fixes.target import Target
from triage.fixes.yaml.edits import Edits, replace_scalar, splice_scalar
from triage.fixes.yaml.nodes import YamlDocument, child, items, parse_yaml, text_of
from triage.interfaces import Tree
from triage.model.patch import Expectation
from triage.model.recipe import Timeout

_FILES = re.compile(r"(?:.*/)?\.gitlab-ci\.ya?ml\Z|\.gitlab/.*\.ya?ml\Z|(?:.*/)?[\w.-]+\.gitlab-ci\.ya?ml\Z")
# What GitLab adds to the name of a job that it runs several times: its cell of a matrix, or its part.
_CELL = re.compile(r"(?:: \[.*\]?| [0-9]+/[0-9]+)\Z")
_PART = re.compile(r"([0-9]{1,6})\s*(h|hours?|hrs?|m|mins?|minutes?|s|secs?|seconds?)\b", re.I)
_MINUTES = {"h": Decimal(60), "m": Decimal(1), "s": Decimal(1) / 60}
_EXTENDED = 10


@dataclass(frozen=True, slots=True)
class _Limit:
    document: YamlDocument
    node: yaml.ScalarNode
    job: str

    @property
    def where(self) -> str:
        return f"{self.document.path}:{self.document.line(self.node)}"


def raise_gitlab_timeout(recipe: Timeout, tree: Tree, target: Target, captures: Mapping[str, str]) -> Outcome:
    limit = _limit(tree, _CELL.sub("", target.job.strip()))
    if isinstance(limit, Refusal):
        return limit
    if recipe.settled and recipe.settled == _mark(limit, limit.node.value):
        return InPlace(f"{recipe.settled} stands already")
    held, reached = minutes(limit.node.value), minutes(captures.get("limit", ""))
    if held is None or held != reached:
        return Refusal(f"timeout is `{limit.node.value}`, which is not the limit that the log speaks of", limit.where)
    most = Decimal(recipe.at_most_minutes)
    if held >= most:
        return InPlace(f"timeout is {limit.node.value} already, the most that is allowed is {most} minutes")
    wanted = min(rounded(held * Decimal(recipe.factor)), most)
    text = _written(limit.node.value, int(wanted))
    edits = _edits(limit, text)
    if isinstance(edits, Refusal):
        return edits
    path, place = limit.document.path, f"{limit.job}.timeout"
    promise = Expectation("value", f"{place}={text}", target.job, path)
    cost = f"a hang now holds the runner for up to {text} instead of {limit.node.value}"
    settled = replace(recipe, settled=_mark(limit, text))
    return Edited(edits, (f"{path}:{place}",), (promise,), costs=(cost,), settled=settled)


def minutes(text: str) -> Decimal | None:
    """`30m`, `1h 30m`, `2 hours`, `30m0s`; None for what is no duration."""
    parts = list(_PART.finditer(re.sub(r"(?<=[hms])(?=[0-9])", " ", text)))
    rest = _PART.sub("", re.sub(r"(?<=[hms])(?=[0-9])", " ", text)).strip()
    if not parts or rest not in ("", "and"):
        return None
    return sum((Decimal(part[1]) * _MINUTES[part[2][0].lower()] for part in parts), Decimal(0))


def _edits(limit: _Limit, text: str) -> Edits | Refusal:
    """The number alone where the unit stays: no quotes come that the old value did not have."""
    why, old = f"{limit.node.value} were not enough", limit.node.value
    number = re.match(r"[0-9]+", old)
    if number is not None and text == f"{_leading(text)}{old[number.end() :]}":
        return splice_scalar(limit.document, limit.node, 0, number.end(), _leading(text), why=why)
    return replace_scalar(limit.document, limit.node, text, why=why)


def _leading(text: str) -> str:
    return text[: len(text) - len(text.lstrip("0123456789"))]


def _mark(limit: _Limit, text: str) -> str:
    return f"timeout {text} of {limit.job} in {limit.document.path}"


def _limit(tree: Tree, job: str) -> _Limit | Refusal:
    """The `timeout:` of the one job of that name, else of what it extends."""
    documents = list(documents_of(tree, _FILES))
    owners = [document for document in documents if isinstance(child(document.root, job), yaml.MappingNode)]
    if len(owners) != 1:
        return Refusal(f"{'several files hold' if owners else 'no GitLab file of the repository holds'} a job `{job}`")
    names = [job]
    for name in names:
        holding = [one for one in documents if isinstance(child(one.root, name), yaml.MappingNode)]
        if len(holding) != 1:
            continue
        node = child(holding[0].root, name, "timeout")
        if isinstance(node, yaml.ScalarNode):
            return _Limit(holding[0], node, name)
        extended = [text_of(one) for one in items(child(holding[0].root, name, "extends"))]
        names += [one for one in reversed(extended) if one not in names][: _EXTENDED - len(names)]
    return Refusal(f"`{job}` has no timeout of its own: the project's limit applies", owners[0].path)


def documents_of(tree: Tree, files: re.Pattern[str]) -> Iterator[YamlDocument]:
    """The files of a service, but for those that cannot be read."""
    for path in sorted(path for path in tree.paths() if files.match(path)):
        document = parse_yaml(path, tree.read(path))
        if not isinstance(document, Refusal):
            yield document


def _written(old: str, wanted: int) -> str:
    """In the old one's unit where that is one and the number stays whole."""
    alone = _PART.fullmatch(old.strip())
    unit = alone[2][0].lower() if alone is not None else ""
    if alone is not None and unit == "m":
        return f"{wanted}{old.strip()[len(alone[1]) :]}"
    if alone is not None and unit == "h" and wanted % 60 == 0:
        return f"{wanted // 60}{old.strip()[len(alone[1]) :]}"
    hours, rest = divmod(wanted, 60)
    return " ".join([*([f"{hours}h"] if hours else []), *([f"{rest}m"] if rest else [])])
