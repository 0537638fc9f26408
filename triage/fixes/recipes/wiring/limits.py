"""The time limits of a job, innermost first: of commands, of an action's inputs, of the step, of the job itself."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Decimal

import yaml

from triage.fixes.document import line_of
from triage.fixes.evaluate.invocation import Call, Invocation
from triage.fixes.evaluate.values import Site, SiteKind, Value
from triage.fixes.manifests.ini import entry_of, option_of, section_of
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.values import decimal
from triage.fixes.workflow.expressions import substitute
from triage.fixes.workflow.load import job_context
from triage.fixes.yaml.nodes import child, entries

_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)([smhd]?)")
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
# Up to this many minutes, or seconds, a new limit is rounded.
_MINUTES, _SECONDS = 5, 30
# Options of `timeout` that take a word of their own.
_WITH_WORD = ("-k", "--kill-after", "-s", "--signal")
NAMED = re.compile(
    r"(?:time[-_]?(?:out|limit)|max[-_]?(?:run[-_]?)?(?:time|duration)|wall[-_]?(?:clock[-_]?)?time)", re.I
)
# "3600.0 seconds", "2h 30m".
_PARTS = re.compile(r"([0-9]{1,7}(?:\.[0-9]{1,3})?) ?([smhd])[a-z]*", re.I)
# Inputs of a called workflow that become the `timeout-minutes` of its job.
OF_CALL = re.compile(r"(?:job[-_])?timeout(?:[-_]?(?:in[-_])?minutes)?", re.I)
_SETTING = re.compile(rb"[\"']?([0-9]+(?:\.[0-9]+)?)")
_MILLISECONDS = re.compile(r"[-_]?(?:ms|msec|millis\w*)\Z", re.I)
# Command lines that submit a job to a cluster with one command and wait for it with another.
_CLIENTS = ("anyscale", "az", "gcloud", "kubectl", "ray", "sky")
LIMIT_REACHED = "limit-reached"
# GitHub ends a job some seconds after its time is over, and the runner prints its first line some seconds after the
# job began.
_EARLY, _LATE = 0.5, 2.0
_SETTINGS = {
    "pytest.ini": "pytest",
    "pyproject.toml": "tool.pytest.ini_options",
    "setup.cfg": "tool:pytest",
    "tox.ini": "pytest",
    "tests/pytest.ini": "pytest",
}


@dataclass(frozen=True, slots=True)
class Passed:
    """The command that takes the flag, and the index of its step."""

    call: Call
    step: int


@dataclass(frozen=True, slots=True)
class Limit:
    """`kind`: job, step, input (of an action), command (`timeout 30m ...`), flag, setting (of pytest). `text` is its
    number as written, `unit` the seconds of one; 0 where the name does not say whether they are minutes or seconds.
    `place` is the semantic path of a number that stands there itself, "" for one that comes from elsewhere. `client` is
    the program of a flag that hands work to a cluster and waits for it; "" for other limits. `passed`: the number is a
    flag's default, and a longer one is given there."""

    kind: str
    name: str
    text: str
    unit: int
    site: Site
    declared: str
    place: str = ""
    client: str = ""
    passed: Passed | None = None

    @property
    def where(self) -> str:
        return f"{self.site.path}:{self.site.line}"

    def lasts(self, seconds: Decimal) -> bool:
        """Whether this limit is the one of that many seconds."""
        number = decimal(self.text) or Decimal(0)
        if _MILLISECONDS.search(self.name):
            return False
        return any(number * unit == seconds for unit in ((self.unit,) if self.unit else (1, 60)))


def unit_of(written: str, name: str) -> int:
    """Seconds of one, by the letter behind the number, else by the name; 0 where neither says it."""
    return _UNITS[written] if written else 60 if "minute" in name else 1 if "second" in name else 0


def seconds_of(captures: Mapping[str, str]) -> Decimal | None:
    """How long the limit was by the log: `seconds` is a number, `lasting` has units. None: it says neither."""
    told = _PARTS.findall(captures.get("lasting", ""))
    return (
        sum((Decimal(number) * _UNITS[unit.lower()] for number, unit in told), Decimal(0))
        if told
        else decimal(captures.get("seconds", ""))
    )


def rounded(number: Decimal, unit: Decimal = Decimal(60)) -> Decimal:
    """Up to the next five minutes; of seconds to the next half minute, of hours to the next whole one."""
    step = {Decimal(60): _MINUTES, Decimal(1): _SECONDS}.get(unit, 1)
    return (number / step).to_integral_value(rounding=ROUND_CEILING) * step


def job_limits(here: Situation) -> list[Limit]:
    """The job's limit, in each of its matrix's cells."""
    node, place = here.job.timeout_minutes, f"{here.place}.timeout-minutes"
    if here.job.hands_script or node is None:
        return [one] if (one := job_limit(here)) is not None else []
    return _limits_of_key(here, node, "job", place, "timeout-minutes")


def job_limit(here: Situation) -> Limit | None:
    if here.job.hands_script:
        return _handed_over(here)
    node = here.job.timeout_minutes
    return None if node is None else limit_of_key(here, node, "job", f"{here.place}.timeout-minutes")


def _handed_over(here: Situation) -> Limit | None:
    """The limit that a workflow elsewhere is given, where it is given one: in minutes, as GitHub takes it."""
    given = [
        limit_of_key(here, node, "job", f"{here.place}.with.{name}", name)
        for name, _, node in entries(child(here.job.node, "with"))
        if OF_CALL.fullmatch(name) and isinstance(node, yaml.ScalarNode)
    ]
    found = [replace(limit, unit=60) for limit in given if limit is not None]
    return found[0] if len(found) == 1 else None


def step_limit(here: Situation) -> Limit | None:
    step = here.step
    node = child(step.node, "timeout-minutes") if step is not None else None
    if step is None or not isinstance(node, yaml.ScalarNode):
        return None
    return limit_of_key(here, node, "step", f"{here.place}.steps[{step.index}].timeout-minutes")


def limit_reached(here: Situation) -> bool:
    """Whether the job came to its end when the time that the workflow allows it was over, by the log's own stamps.

    A log says "canceled" for a time limit, a newer push and a person alike.
    """
    limit = job_limit(here)
    allowed = decimal(limit.text) if limit is not None else None
    return allowed is not None and -_EARLY <= here.facts.minutes - float(allowed) <= _LATE


def inner_limits(here: Situation) -> Iterator[Limit]:
    """Of what the failed step runs."""
    step = here.step
    if step is not None and step.uses:
        for name, _, node in entries(child(step.node, "with")):
            if NAMED.search(name) and isinstance(node, yaml.ScalarNode):
                given = limit_of_key(here, node, "input", f"{here.place}.steps[{step.index}].with.{name}", name)
                yield from [given] if given is not None else []
    for one in here.concerned:
        yield from _of_command(here, one)
        yield from _of_flags(here, one)
    yield from _of_pytest(here)


def _of_pytest(here: Situation) -> Iterator[Limit]:
    for path, name in _SETTINGS.items():
        data = here.tree.read(path) if path in here.tree else b""
        section = section_of(data, name)
        held = entry_of if path.endswith(".toml") else option_of
        option = held(data, section, "timeout") if section is not None else None
        found = _SETTING.match(data, option.at) if option is not None else None
        if found is not None:
            line = line_of(data, found.start(1))
            site = Site(path, found.start(1), found.end(1), line, SiteKind.LITERAL, "timeout")
            yield Limit("setting", "timeout", found[1].decode(), 1, site, path)


def limit_of_key(
    here: Situation, node: yaml.ScalarNode, kind: str, place: str, name: str = "timeout-minutes"
) -> Limit | None:
    """None when the number is not known, or is put together from several places. Of several that a matrix holds the
    one that the log names."""
    every = _limits_of_key(here, node, kind, place, name)
    spoken = spoken_minutes(here)
    return next((one for one in every if decimal(one.text) == spoken), every[0] if every else None)


def _limits_of_key(here: Situation, node: yaml.ScalarNode, kind: str, place: str, name: str) -> list[Limit]:
    document, cells = here.job.document, here.job.combinations if "${{" in node.value else here.job.combinations[:1]
    own, unit, found = document.start(node), unit_of("", name), dict[Hashable, Limit]()
    for cell in cells:
        number = _number(substitute(document, node, job_context(here.job, cell), SiteKind.INPUT, name))
        if number is None:
            continue
        text, site = number
        if site.path == here.job.path and own <= site.start <= document.end(node):
            limit = Limit(kind, name, text, unit, site, f"{here.job.path}:{place}", place)
        else:
            matrix = site.kind is SiteKind.MATRIX and site.path == here.job.path
            limit = Limit(kind, name, text, unit, site, f"{site.path}:{here.place}.strategy" if matrix else site.path)
        found.setdefault(site.key, limit)
    return list(found.values())


def spoken_minutes(here: Situation) -> Decimal | None:
    """How long a step or a job was allowed to take by the log."""
    return decimal(here.captures.get("minutes", "") or here.captures.get("limit", "").removesuffix(" minutes"))


def _number(value: Value) -> tuple[str, Site] | None:
    text = value.text
    if text is None or decimal(text) is None or len(value.sites) != 1:
        return None
    return text, value.sites[0]


def _of_command(here: Situation, one: Invocation) -> Iterator[Limit]:
    """`timeout 30m bash run.sh`, at the program itself or on the way to it."""
    for words in (one.argv, *(call.words for call in one.calls)):
        if not words or words[0].text not in ("timeout", "gtimeout"):
            continue
        at = 1
        while at < len(words) and words[at].head.startswith("-"):
            at += 2 if words[at].text in _WITH_WORD else 1
        value = words[at] if at < len(words) else Value()
        found = _DURATION.fullmatch(value.text or "")
        if found and len(value.sites) == 1 and value.sites[0].kind not in (SiteKind.COMPUTED, SiteKind.FACT):
            site = value.sites[0]
            yield Limit("command", "timeout", found[1], _UNITS[found[2]], site, declared_at(here, site.path, one.step))


def _of_flags(here: Situation, one: Invocation) -> Iterator[Limit]:
    words = one.program
    program = posixpath.basename(words[0].text or "") if words else ""
    client = program if program in _CLIENTS else ""
    for at, word in enumerate(words[1:], 1):
        name, equals, _ = word.head.partition("=")
        if not name.startswith("--") or not NAMED.search(name):
            continue
        value = word.after(f"{name}=") if equals else words[at + 1] if at + 1 < len(words) else Value()
        found = _DURATION.fullmatch(value.text or "")
        if found and len(value.sites) == 1 and value.sites[0].kind not in (SiteKind.COMPUTED, SiteKind.FACT):
            site, unit = value.sites[0], unit_of(found[2], name)
            yield Limit("flag", name, found[1], unit, site, declared_at(here, site.path, one.step), "", client)
