"""`hook_revision`: a revision of a repository of hooks that pre-commit cannot install gives way to one that it can.

The reviewed table gives the tag; the repository's name in the log only selects among those of the configuration.
"""

from __future__ import annotations

import re

import yaml

from triage.fixes.recipes.dependencies.lint_releases import configuration, hooks
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.nodes import YamlDocument, child, text_of
from triage.fixes.yaml.scalar_edits import replace_scalar
from triage.model.patch import Edit, Expectation
from triage.model.recipe import HookRevision

_ADDRESS = re.compile(r"(?:https?://|git@)[\w.-]+[/:](?P<path>[\w.-]+/[\w.-]+?)(?:\.git)?/?\Z")
_TAG = re.compile(r"v?(?P<release>[0-9]+(?:\.[0-9]+)+)(?:(?:a|b|rc)[0-9]+)?\Z")


def hook_revision(recipe: HookRevision, here: Situation) -> Outcome:
    wanted = _path(here.captures.get(recipe.repository.strip("{}"), "")) or recipe.repository
    document = configuration(here.tree)
    if isinstance(document, Refusal):
        return document
    by_node = {id(one.repository): one for one in hooks(document)}
    held = [one for one in by_node.values() if _path(text_of(child(one.repository, "repo"))) == wanted]
    if len(held) != 1:
        return Refusal(f"{document.path} takes hooks from `{wanted[:80]}` {len(held)} times", document.path)
    revision, tag = child(held[0].repository, "rev"), here.tables.hooks.get(wanted, "")
    line = document.line(held[0].repository)
    if not tag:
        return Words(f"{document.path}:{line} holds {wanted} at {text_of(revision)}: take a later tag of it there")
    if not isinstance(revision, yaml.ScalarNode):
        return Refusal("no revision is written", document.path, line)
    return _raised(here, document, revision, held[0].place.rpartition(".")[0], wanted, tag)


def _raised(
    here: Situation, document: YamlDocument, revision: yaml.ScalarNode, place: str, wanted: str, tag: str
) -> Outcome:
    now, line = text_of(revision), document.line(revision)
    old, new = _TAG.match(now), _TAG.match(tag)
    if old is None or new is None:
        return Words(f"{document.path}:{line} holds {wanted} at {now}, which is no tag of a release: take {tag}")
    if _numbers(old["release"]) >= _numbers(new["release"]):
        return InPlace(f"{document.path}:{line} holds {wanted} at {now}, which can be installed")
    why = f"{wanted} {now} cannot be installed or run any more"
    edits = _replaced(document, revision, tag, why)
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("value", f"{place}.rev={tag}", here.target.job, document.path)
    return Edited(
        edits, (f"{document.path}:{place}.rev",), (promise,), title=f"Take {wanted} at {tag}",
        notes=("a later release may format or complain otherwise: run the hooks once and commit what they change",),
        blast_radius=(f"everyone who runs the hooks of {document.path}",),
    )  # fmt: skip


def _replaced(document: YamlDocument, node: yaml.ScalarNode, tag: str, why: str) -> tuple[Edit, ...] | Refusal:
    """Bare where the old one stands bare: a tag with two dots is no number."""
    if not node.style and tag.count(".") > 1 and id(node) not in document.aliased:
        return (Edit(document.path, document.start(node), document.end(node), tag.encode(), why),)
    return replace_scalar(document, node, tag, why=why)


def _path(address: str) -> str:
    """`owner/name`, in small letters as the hosts compare it; "" for what is no address."""
    found = _ADDRESS.match(address.rstrip("."))
    return found["path"].lower() if found else ""


def _numbers(release: str) -> list[int]:
    return [int(part) for part in release.split(".")]
