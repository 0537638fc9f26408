"""An action that is asked for by a tag or a commit which it does not have: other jobs name the right one.

The runner resolves every action before the first step, so that the log tells the reference and nothing else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import yaml

from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.trusted import BRANCH, PUBLISHER
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.files import is_action
from triage.fixes.yaml.edits import replace_scalar
from triage.fixes.yaml.nodes import YamlDocument, child, items
from triage.model.patch import Expectation

REFERENCE = re.compile(r"(?P<action>[\w.-]+/[\w.-]+)(?:/[\w./-]+)?@(?P<ref>[\w./-]+)\Z")
_LINE = rb"^[ \t-]*uses:[ \t]*[\"']?%s(?:/[\w./-]+)?@([\w./-]+)[\"']?[ \t]*(?:#[ \t]*(\S+))?"
_COMMIT = re.compile(r"[0-9a-f]{40}\Z")
_WORKFLOWS = ".github/workflows/"
# Action -> what its own README tells to ask for, where it has no tag of the major release alone.
_BRANCHES = {PUBLISHER: {"v1": BRANCH}}


def resolve_action(action: str, ref: str, here: Situation) -> Outcome:
    """`action`: owner and name; `ref`: what it does not have."""
    every = list(_named(here, action))
    wrong = [(node, place) for node, place in _uses(here) if _is(node.value, action, ref)]
    known = [(path, one, said) for path, one, said in every if one != ref]
    if not wrong:
        own = any(path == here.job.path for path, _, _ in known)
        return InPlace(f"{here.job.path} names another one") if own else Refusal(f"{here.job.id} does not ask for it")
    branch = _BRANCHES.get(action.lower(), {}).get(ref, "")
    if not known and branch:
        made = _moved(here, wrong, ref, branch, f"it has no {ref}")
        return replace(made, title=f"Use {action}@{branch}") if isinstance(made, Edited) else made
    if not known:
        return Words(f"{action} has no `{ref}`: {here.job.path} names it, and no other job says which one there is")
    chosen = _chosen(here, known, ref, _comment(every, here, ref))
    made = _moved(here, wrong, ref, chosen, f"it has no {ref}; other jobs use {chosen}")
    if not isinstance(made, Edited):
        return made
    said = f"{action} has no `{ref}`, and other jobs use `{chosen}`."
    return replace(made, title=f"Use {action}@{chosen}, as other jobs do", because=said)


def _moved(here: Situation, wrong: list[tuple[yaml.ScalarNode, str]], ref: str, new: str, why: str) -> Outcome:
    return together([moved(here, node, at, f"{node.value.removesuffix(ref)}{new}", why=why) for node, at in wrong])


def _uses(here: Situation) -> Iterator[tuple[yaml.ScalarNode, str]]:
    """Each `uses` of the job, with its semantic path."""
    for index, step in enumerate(items(child(here.job.node, "steps"))):
        used = child(step, "uses")
        if isinstance(used, yaml.ScalarNode):
            yield used, f"{here.place}.steps[{index}].uses"


def _is(uses: str, action: str, ref: str) -> bool:
    found = REFERENCE.match(uses)
    return found is not None and (found["action"].lower(), found["ref"]) == (action.lower(), ref)


def _named(here: Situation, action: str) -> Iterator[tuple[str, str, str]]:
    """File, reference and the word of the comment behind it, of every use of the action."""
    pattern = re.compile(_LINE % re.escape(action.encode()), re.M | re.I)
    for path in here.tree.paths():
        if path.startswith(_WORKFLOWS) or is_action(path):
            for hit in pattern.finditer(here.tree.read(path)):
                yield path, hit[1].decode(), (hit[2] or b"").decode()


def _comment(every: list[tuple[str, str, str]], here: Situation, ref: str) -> str:
    return next((said for path, one, said in every if path == here.job.path and one == ref), "")


def _chosen(here: Situation, known: list[tuple[str, str, str]], ref: str, comment: str) -> str:
    """Written alike (a tag, or a commit), then of the release that the comment says, then of the same file, then the
    most usual one."""
    count = Counter(one for _, one, _ in known)
    alike = bool(_COMMIT.match(ref))
    return max(
        known,
        key=lambda one: (
            bool(_COMMIT.match(one[1])) == alike,
            bool(comment) and one[2] == comment,
            one[0] == here.job.path,
            count[one[1]],
            one[1],
        ),
    )[1]


def moved(
    here: Situation,
    node: yaml.ScalarNode,
    place: str,
    new: str,
    *,
    why: str,
    document: YamlDocument | None = None,
) -> Edited | Refusal:
    """Another release or reference in the `uses` of a step, which has the semantic path `place` in the job's file, or
    in `document`."""
    document = document or here.job.document
    edits = replace_scalar(document, node, new, why=why)
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("value", f"{place}={new}", here.target.job, document.path)
    return Edited(edits, (f"{document.path}:{place}",), (promise,))
