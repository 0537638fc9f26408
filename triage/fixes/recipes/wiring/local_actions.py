"""An action of the repository that is looked for in another folder than the one that the job checked it out into."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

import yaml

from triage.fixes.recipes.commands.homes import slipped
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.resembling import resembling
from triage.fixes.workflow.files import action_files, is_action
from triage.fixes.yaml.edits import replace_scalar
from triage.fixes.yaml.nodes import YamlDocument, child, entries, every_node, parse_yaml, text_of
from triage.model.patch import Edit


def action_of_checkout(here: Situation, missing: str) -> Outcome | None:
    """`./train/.github/actions/x` where the checkout has no `path: train`, or the other way round. None where the job's
    checkouts do not say so: several of the repository, or a folder that is put together."""
    folders = [_folder(step.node) for step in here.job.steps if _of_repository(step.node)]
    if len(folders) != 1 or "$" in folders[0]:
        return None
    (folder,) = folders
    action = _action(here, missing)
    meant = f"./{folder}/{action}" if folder else f"./{action}"
    documents = [here.job.document, *_composite(here)]
    stale = [(held, node) for held in documents for node in _uses(held, action) if text_of(node) != meant]
    if not action or not stale:
        return None
    where = f"into `{folder}`" if folder else "into the root"
    edits: list[Edit] = []
    for document, node in stale:
        made = replace_scalar(document, node, meant, why=f"the job checks the repository out {where}")
        if isinstance(made, Refusal):
            return made
        edits += made
    title, because = (
        f"Look for the action at {meant}",
        f"The job checks the repository out {where}: the action is there.",
    )
    paths = tuple(dict.fromkeys(edit.path for edit in edits))
    return Edited(tuple(edits), paths, promised(here, edits), title=title, because=because)


def action_respelt(here: Situation, missing: str) -> Outcome | None:
    """`uses: ./.github/actions/setpu`: the one folder with an action whose name is nearly that. None where no step asks
    for the folder that the log names, or none is nearly the same."""
    held = [path.rpartition("/")[0] for path in here.tree.paths() if is_action(path)]
    for step in here.job.steps:
        used, node = step.uses.removeprefix("./").rstrip("/"), child(step.node, "uses")
        asked = step.uses.startswith("./") and f"/{missing}".endswith(f"/{used}") and used not in held
        if not asked or not isinstance(node, yaml.ScalarNode):
            continue
        folder, name = posixpath.split(used)
        beside = {posixpath.basename(one): one for one in held if posixpath.dirname(one) == folder}
        meant = beside.get(resembling(name, beside), "") or _slipped(here, used)
        if not meant or meant not in held:
            return None
        edits = replace_scalar(step.document, node, f"./{meant}", why=f"there is no {used}")
        if isinstance(edits, Refusal):
            return edits
        title = f"Use the action at ./{meant}"
        because = f"There is no {used}, and this is the one that is nearly called so."
        place = f"{here.place}.steps[{step.index}].uses"
        return Edited(edits, (f"{step.path}:{place}",), promised(here, edits), title=title, because=because)
    return None


def _slipped(here: Situation, used: str) -> str:
    """With the slip mended in a folder on the way."""
    return next((posixpath.dirname(found) for end in action_files(used) if (found := slipped(here.tree, end))), "")


def _of_repository(step: yaml.Node) -> bool:
    own = text_of(child(step, "with", "repository")) in ("", "${{ github.repository }}")
    return text_of(child(step, "uses")).startswith("actions/checkout@") and own


def _folder(step: yaml.Node) -> str:
    return text_of(child(step, "with", "path")).strip("./")


def _action(here: Situation, missing: str) -> str:
    """The folder of an action of the tree in which the path of the log ends; "" for none."""
    parts = missing.strip("/").split("/")
    ends = ("/".join(parts[at:]) for at in range(len(parts)))
    return next((one for one in ends if any(f"{one}/action.{kind}" in here.tree for kind in ("yml", "yaml"))), "")


def _composite(here: Situation) -> Iterator[YamlDocument]:
    """The repository's own actions that the job uses."""
    used = {step.uses.removeprefix("./") for step in here.job.steps if step.uses.startswith("./")}
    for path in here.tree.paths():
        if is_action(path) and path.rpartition("/")[0] in used:
            document = parse_yaml(path, here.tree.read(path))
            if isinstance(document, YamlDocument):
                yield document


def _uses(document: YamlDocument, action: str) -> Iterator[yaml.ScalarNode]:
    for node in every_node(document.root):
        for name, _, value in entries(node):
            local = name == "uses" and isinstance(value, yaml.ScalarNode) and value.value.startswith("./")
            if local and action and value.value.endswith(f"/{action}"):
                yield value  # type: ignore[misc] # a scalar
