"""`rerun`: whether the repository itself names the address that failed, which a rerun alone does not change."""

from __future__ import annotations

import re
from collections.abc import Iterator

from triage.fixes.document import lines_of
from triage.fixes.recipes.outcome import Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.nodes import child
from triage.model.recipe import Rerun

_NOT_HERE = "rerun the job: the cause is not in the repository"
_UNSEEN = "rerun the job: such a cause lies outside of the repository"
_URL = re.compile(r"https?://(?:[^/@\s'\"]{1,100}@)?([A-Za-z0-9][\w.-]*)|\bhost='([\w.-]+)'")
# Addresses that only somebody who runs the machines can have written: any line with one decides.
_PRIVATE = re.compile(
    r"(?:10|127)(?:\.[0-9]{1,3}){3}$|192\.168(?:\.[0-9]{1,3}){2}$|172\.(?:1[6-9]|2[0-9]|3[01])(?:\.[0-9]{1,3}){2}$"
    r"|[^.]+$|.+\.(?:local|internal|lan|corp|intra)$"
)
# What says where to ask: variables, options and keys of installers, proxies and mirrors.
_SETS = re.compile(
    rb"(?i)(?:\b\w*(?:INDEX|ENDPOINT|MIRROR|PROXY|REGISTRY)\w*\b|(?:index|registry|proxy|mirror)[-_]?url"
    rb"|--(?:default-)?index\b|\s-i\s|\bregistry\b)"
)
_INDEX = re.compile(
    rb"(?:\b(?:PIP|UV)_\w*INDEX\w*|index[-_]url|default-index|--index\b|\bpip3?\b.*\s-i(?=[\s=]))[\s=:\"']+https?://"
)
# Files that an installer reads by itself, wherever the command stands.
_OWN_FILES = ("pip.conf", "uv.toml", "pyproject.toml", ".npmrc", ".condarc")
_MOST = 3


def rerun(recipe: Rerun, here: Situation | Refusal) -> Words:
    """Where no job is known, nothing was looked at."""
    if isinstance(here, Refusal):
        return Words(_UNSEEN)
    hosts = sorted(_hosts(here))
    for host in hosts:
        if places := _places(here, _naming(host)):
            return _look_at(places, "name", f"{host}, the address that failed")
    # What serves everybody is not the index that the tree sets; an address of an own network may stand behind its name.
    if recipe.index and all(map(_PRIVATE.match, hosts)) and (places := _places(here, _INDEX)):
        return _look_at(places, "set", "the index that installs ask")
    return Words(_NOT_HERE)


def _look_at(places: list[str], verb: str, what: str) -> Words:
    said = f"{', '.join(places)} {verb if len(places) > 1 else f'{verb}s'} {what}"
    return Words(
        f"{said}: see that it serves these runners, or have another one there; rerun the job after that, or "
        "at once after a short outage"
    )


def _hosts(here: Situation) -> Iterator[str]:
    """What the log says of the address, in whatever capture it stands."""
    for name, text in here.captures.items():
        if name == "host" and text:
            yield text
        else:
            yield from (host.rstrip(".") for found in _URL.findall(text) for host in found if host)


def _naming(host: str) -> re.Pattern[bytes]:
    """A line with the address that is a setting; an address of one's own network is one on any line."""
    address = rb"(?<![\w.-])" + re.escape(host.encode()) + rb"(?![\w-])(?!\.\w)"
    if _PRIVATE.match(host) and "." in host:
        return re.compile(address)
    return re.compile(rb"(?:" + _SETS.pattern.removeprefix(rb"(?i)") + rb").*" + address, re.I)


def _places(here: Situation, pattern: re.Pattern[bytes]) -> list[str]:
    found = [
        f"{path}:{number}"
        for path, first, last in dict.fromkeys(_read(here))
        for number, line in enumerate(lines_of(here.tree.read(path)), 1)
        if first <= number <= last and not line.lstrip().startswith(b"#") and pattern.search(line)
    ]
    return list(dict.fromkeys(found))[:_MOST]


def _read(here: Situation) -> Iterator[tuple[str, int, int]]:
    """Files with the lines that count in this job, the first and the last: what runs up to the failed step."""
    everything = 1 << 30
    document, job = here.job.document, here.job
    for node in (child(job.workflow.node, "env"), child(job.node, "env"), child(job.node, "container")):
        if node is not None and job.path in here.tree:
            yield job.path, document.line(node), node.end_mark.line + 1
    last = here.step.node if here.step is not None and here.step.path == job.path else job.node
    if job.path in here.tree:
        yield job.path, job.line, last.end_mark.line
    called = [call.path for one in here.evaluation.invocations for call in one.calls]
    for path in (*called, here.image, *_OWN_FILES):
        if path != job.path and path in here.tree:
            yield path, 1, everything
