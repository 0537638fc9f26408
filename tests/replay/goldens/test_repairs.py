"""Every workflow that a commit of verl's history left invalid: repaired mechanically, or refused with the reason."""

from __future__ import annotations

import pytest

from tests.replay.goldens.verl import built_in, merged, tree_at
from triage.fixes import Target
from triage.fixes.document import splice
from triage.fixes.recipes.outcome import Edited, Outcome, Words
from triage.fixes.recipes.wiring.repair import repair_workflow
from triage.fixes.refusal import Refusal
from triage.fixes.wellformed import check
from triage.fixes.workflow.files import is_workflow
from triage.gates import prove
from triage.model.diagnosis import Facts
from triage.model.patch import Draft, Origin, PatchState
from triage.model.recipe import RepairWorkflow
from triage.model.signature import Applicability

# Commit -> how many workflows it left invalid, and how many of them have a mechanical repair.
BROKEN = {"83205fdae": (5, 5), "dcaa8d431": (1, 1), "9275edf8f": (2, 2), "e8aff345d": (2, 1), "14574ecf5": (9, 9)}


def outcomes(revision: str) -> dict[str, Outcome]:
    tree = tree_at(revision)
    invalid = [path for path in tree.paths() if is_workflow(path) and check(path, tree.read(path))]
    return {path: repair_workflow(tree, Target(path, "")) for path in invalid}


@pytest.mark.parametrize("revision", BROKEN)
def test_what_is_invalid_is_found_and_repaired(revision: str) -> None:
    found = outcomes(revision)
    repaired = {path: outcome for path, outcome in found.items() if isinstance(outcome, Edited)}
    assert (len(found), len(repaired)) == BROKEN[revision]
    for path, outcome in repaired.items():
        made = splice(tree_at(revision).read(path), outcome.edits)
        assert isinstance(made, bytes)
        assert check(path, made) == ()
    assert all(isinstance(outcome, Edited | Refusal | Words) for outcome in found.values())


def test_a_repair_is_proved() -> None:
    path, tree = ".github/workflows/vllm.yml", tree_at("83205fdae")
    outcome = outcomes("83205fdae")[path]
    assert isinstance(outcome, Edited)
    draft = Draft(
        "repair", "repair_workflow", PatchState.PATCH, Applicability.UNSAFE, outcome.edits, outcome.declared,
        outcome.expectations, origins=(Origin(RepairWorkflow(), path, ""),),
    )  # fmt: skip
    patch = prove(draft, tree, "p1", ("c",), Target(path, ""), Facts(), built_in().tables)
    assert patch.state is PatchState.PATCH, patch.reason


def test_the_job_that_a_cleanup_lacks_is_the_one_that_was_put_there_later() -> None:
    path = ".github/workflows/e2e_ppo_grpo_trainer_trtllm.yml"
    outcome = outcomes("9275edf8f")[path]
    assert isinstance(outcome, Edited)
    made = splice(tree_at("9275edf8f").read(path), outcome.edits)
    assert isinstance(made, bytes)
    (line,) = [line for line in made.splitlines() if line.strip().startswith(b"needs: [setup, trtllm")]
    assert line in merged("e33e45ba4", path).splitlines()
