"""Inputs that only a person's start fills."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import DefaultInput

OWN = ".github/workflows/own.yml"
RECIPE, OF_IMAGE = DefaultInput(said="{said}"), DefaultInput(of_image=True)
ON = "on:\n  {}:\n  workflow_dispatch:\n    inputs:\n      version:\n        default: {}\n"
PREPARE = """\
  prepare:
    runs-on: [cpu]
    outputs:
      image: ${{ steps.pick.outputs.image }}
    steps:
      - id: pick
        run: echo "image=example/train:${{ inputs.version }}" >> "$GITHUB_OUTPUT"
"""
TEST = "  test:\n{}    runs-on: [gpu]\n{}    steps:\n      - name: Install\n        run: {}\n"
COMPUTED = "    container:\n      image: ${{ needs.prepare.outputs.image }}\n"


def repository(run: str, *, event: str = "schedule", default: str = "'12.4'", image: str = "") -> MemoryTree:
    needs = "    needs: [prepare]\n" if image else ""
    jobs = f"{PREPARE if image else ''}{TEST.format(needs, image, run)}"
    return tree({OWN: f"{ON.format(event, default)}jobs:\n{jobs}"})


@pytest.mark.parametrize(
    ("run", "said", "shown", "wanted"),
    [
        (
            "pip install torch==${{ inputs.version }}",
            "torch==",
            "",
            "pip install torch==${{ inputs.version || '12.4' }}",
        ),
        (
            "make CUDA=${{github.event.inputs.version}} OUT=${{ github.workspace }}",
            "",
            "make CUDA= OUT=/home/runner/work/train",
            "make CUDA=${{github.event.inputs.version || '12.4'}} OUT=${{ github.workspace }}",
        ),
        (
            'test "${{ inputs.version }}" = all || echo ${{ inputs.version }}',
            "",
            'test "" = all || echo',
            "test \"${{ inputs.version || '12.4' }}\" = all || echo ${{ inputs.version || '12.4' }}",
        ),
    ],
)
def test_an_input_that_nobody_chose_gets_its_default(run: str, said: str, shown: str, wanted: str) -> None:
    facts = Facts(commands=(shown,) if shown else ())
    made = patch(RECIPE, "test", OWN, step="Install", captures={"said": said}, facts=facts, repository=repository(run))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[-1] == f"+run: {wanted}"


def test_the_name_of_an_image_may_come_from_a_job_before() -> None:
    made = patch(OF_IMAGE, "test", OWN, repository=repository("make", image=COMPUTED))
    assert made.state is PatchState.PATCH, made.reason
    assert "${{ inputs.version || '12.4' }}" in changed(made)[1]


@pytest.mark.parametrize(
    ("repository", "state"),
    [
        # Nothing in the log shows it empty; only a person starts it; there is no default; it has one already.
        (repository("make CUDA=${{ inputs.version }}"), PatchState.ADVICE),
        (repository("make CUDA=${{ inputs.version }}", event="workflow_call"), PatchState.REFUSED),
        (repository("make CUDA=${{ inputs.version }}", default="''"), PatchState.REFUSED),
        (repository("make CUDA=${{ inputs.version || '12.4' }}"), PatchState.IN_PLACE),
    ],
)
def test_what_is_not_seen_to_be_empty_is_left(repository: MemoryTree, state: PatchState) -> None:
    captures = {"said": "torch"}
    assert draft(RECIPE, "test", OWN, step="Install", captures=captures, repository=repository).state is state


def test_an_image_that_is_written_out_has_another_cause() -> None:
    plain = repository("make", image="    container:\n      image: example/train\n")
    assert draft(OF_IMAGE, "test", OWN, repository=plain).state is PatchState.ADVICE


@pytest.mark.parametrize(
    ("read", "default", "state"),
    [
        ("inputs.version", "true", PatchState.ADVICE),
        ("inputs.version", "false", PatchState.PATCH),
        ("github.event.inputs.version", "true", PatchState.PATCH),
    ],
)
def test_a_switch_that_is_on_can_still_be_switched_off(read: str, default: str, state: PatchState) -> None:
    text = repository(f"make FAST=${{{{ {read} }}}}", default=default).read(OWN).decode()
    there = tree({OWN: text.replace(f"default: {default}", f"default: {default}\n        type: boolean")})
    captures, facts = {"said": ""}, Facts(commands=("make FAST=",))
    assert patch(RECIPE, "test", OWN, step="Install", captures=captures, facts=facts, repository=there).state is state
