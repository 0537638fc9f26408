"""Tokens, mirrors and offline modes that siblings set and a job lacks."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import CopyEnv

OWN, OTHER = ".github/workflows/own.yml", ".github/workflows/other.yml"
TOKEN = CopyEnv(("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"), secret="HF_TOKEN")
MIRROR = CopyEnv(("PIP_INDEX_URL", "PIP_TRUSTED_HOST", "UV_INDEX_URL"))
SECRET = "${{ secrets.HF_TOKEN }}"


def repository(own: str, *others: tuple[str, str], step: str = "") -> MemoryTree:
    """`own` and the first of each pair are `env` entries (`A: 1, B: 2`, block style) of a job, the second its label."""
    jobs = "".join(
        f"  job{at}:\n    runs-on: [{label}]\n{_env(env, 4)}    steps:\n      - run: pytest\n"
        for at, (env, label) in enumerate(others)
    )
    job = f"  train:\n    runs-on: [gpu-8]\n{_env(own, 4)}    steps:\n      - name: Test\n{_env(step, 8)}        run: pytest tests\n"
    return tree({OWN: f"on: [push]\njobs:\n{job}", OTHER: f"on: [push]\njobs:\n{jobs or '  none: {}'}"})


def _env(text: str, column: int) -> str:
    if not text:
        return ""
    pad = " " * column
    if text.startswith("{"):
        return f"{pad}env: {text}\n"
    return f"{pad}env:\n" + "".join(f"{pad}  {entry}\n" for entry in text.split(", "))


@pytest.mark.parametrize(
    ("own", "others", "recipe", "expected"),
    [
        ("A: 1", [(f"HF_TOKEN: {SECRET}", "gpu-8")], TOKEN, [f"+HF_TOKEN: {SECRET}"]),
        ("", [(f"HF_TOKEN: {SECRET}", "gpu-2")], TOKEN, ["+env:", f"+HF_TOKEN: {SECRET}"]),
        (
            "{A: 1}",
            [(f"HF_TOKEN: {SECRET}", "gpu-8")],
            TOKEN,
            ["-env: {A: 1}", f'+env: {{A: 1, HF_TOKEN: "{SECRET}"}}'],
        ),
        (
            "",
            [("PIP_INDEX_URL: https://mirror.invalid/simple, PIP_TRUSTED_HOST: mirror.invalid, B: 2", "gpu-8")],
            MIRROR,
            ["+env:", '+PIP_INDEX_URL: "https://mirror.invalid/simple"', '+PIP_TRUSTED_HOST: "mirror.invalid"'],
        ),
        (
            "A: 1",
            [("PIP_INDEX_URL: a", "gpu-8"), ("PIP_INDEX_URL: b", "gpu-8"), ("PIP_INDEX_URL: b", "gpu-8")],
            MIRROR,
            ['+PIP_INDEX_URL: "b"'],
        ),
    ],
)
def test_what_most_siblings_have_is_copied(
    own: str, others: list[tuple[str, str]], recipe: CopyEnv, expected: list[str]
) -> None:
    made = patch(recipe, "train", OWN, repository=repository(own, *others))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == expected


def test_an_entry_of_a_siblings_step_goes_to_the_failed_step() -> None:
    files = repository("A: 1").files
    other = f"""on: [push]
jobs:
  other:
    runs-on: [gpu-8]
    steps:
      - name: Test
        env:
          HF_TOKEN: {SECRET}
        run: pytest
"""
    made = patch(TOKEN, "train", OWN, step="Test", repository=MemoryTree({**files, OTHER: other.encode()}))
    assert made.state is PatchState.PATCH, made.reason
    assert "+        env:\n+          HF_TOKEN: ${{ secrets.HF_TOKEN }}\n         run: pytest tests" in made.diff
    assert any("a fork's pull request gets no HF_TOKEN" in note for note in made.notes)


@pytest.mark.parametrize(
    ("own", "step", "others", "recipe", "facts", "state", "reason"),
    [
        ("", "HF_TOKEN: x", [(f"HF_TOKEN: {SECRET}", "gpu-8")], TOKEN, Facts(), PatchState.REFUSED, "already sets"),
        ("A: 1", "", [], TOKEN, Facts(secret_source="None"), PatchState.ADVICE, "gets no secrets in this run"),
        ("A: 1", "", [], MIRROR, Facts(), PatchState.REFUSED, "no sibling on the same kind of runner"),
        # What another machine needs says nothing about this one.
        ("A: 1", "", [("PIP_INDEX_URL: a", "npu-8")], MIRROR, Facts(), PatchState.REFUSED, "no sibling"),
        (
            "A: 1",
            "",
            [("PIP_INDEX_URL: '${{ matrix.url }}'", "gpu-8")],
            MIRROR,
            Facts(),
            PatchState.REFUSED,
            "no sibling",
        ),
        (
            "A: 1",
            "",
            [("PIP_INDEX_URL: a", "gpu-8"), ("PIP_INDEX_URL: b", "gpu-8")],
            MIRROR,
            Facts(),
            PatchState.ADVICE,
            "in different ways",
        ),
        (
            "A: 1",
            "",
            [("PIP_INDEX_URL: a", "gpu-8"), ("B: 1", "gpu-8"), ("B: 1", "gpu-8")],
            MIRROR,
            Facts(),
            PatchState.REFUSED,
            "only 1 of 3 siblings",
        ),
        (
            "A: 1",
            "",
            [(f"HF_TOKEN: {SECRET}", "gpu-8")],
            TOKEN,
            Facts(secret_source="None"),
            PatchState.ADVICE,
            "gets no secrets in this run",
        ),
    ],
)
def test_what_is_not_certain_is_not_copied(
    own: str,
    step: str,
    others: list[tuple[str, str]],
    recipe: CopyEnv,
    facts: Facts,
    state: PatchState,
    reason: str,
) -> None:
    made = draft(recipe, "train", OWN, step="Test", facts=facts, repository=repository(own, *others, step=step))
    assert (made.state, reason in made.reason) == (state, True), made.reason


def test_a_secret_that_no_job_reads_yet_goes_to_the_failed_step_alone() -> None:
    made = patch(TOKEN, "train", OWN, step="Test", repository=repository("A: 1"))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["+env:", f"+HF_TOKEN: {SECRET}"]
    assert "+        env:" in made.diff
    assert any("must have a secret HF_TOKEN" in note for note in made.notes)


def test_a_mirror_does_not_count_by_token() -> None:
    made = draft(TOKEN, "train", OWN, step="Test", captures={"host": "hf-mirror.com"}, repository=repository("A: 1"))
    assert made.state is PatchState.REFUSED
    asked = draft(TOKEN, "train", OWN, step="Test", captures={"host": "huggingface.co"}, repository=repository("A: 1"))
    assert asked.state is PatchState.PATCH


@pytest.mark.parametrize(
    ("run", "state"),
    [
        ("docker run --rm image pytest", PatchState.ADVICE),
        ("docker run --rm -e HF_TOKEN image pytest", PatchState.PATCH),
    ],
)
def test_a_container_of_the_step_must_be_given_it(run: str, state: PatchState) -> None:
    files = repository("A: 1").files
    own = files[OWN].replace(b"run: pytest tests", f"run: {run}".encode())
    assert draft(TOKEN, "train", OWN, step="Test", repository=MemoryTree({**files, OWN: own})).state is state


@pytest.mark.parametrize(
    ("secrets", "state"),
    [
        ("", PatchState.ADVICE),
        ("    secrets: inherit\n", PatchState.PATCH),
        ("    secrets:\n      HF_TOKEN: x\n", PatchState.PATCH),
        ("    secrets:\n      OTHER: x\n", PatchState.ADVICE),
    ],
)
def test_a_called_workflow_only_has_the_secrets_that_it_is_handed(secrets: str, state: PatchState) -> None:
    called = "on:\n  workflow_call:\njobs:\n  run:\n    runs-on: [gpu-8]\n    steps:\n      - name: Test\n        run: pytest\n"
    own = f"on: [push]\njobs:\n  train:\n    uses: ./{OTHER}\n{secrets}"
    made = draft(TOKEN, "train / run", OWN, step="Test", repository=tree({OWN: own, OTHER: called}))
    assert made.state is state, made.reason


def test_siblings_that_run_the_same_commands_say_more_than_all_others() -> None:
    others = [("HF_ENDPOINT: https://hub.invalid", "gpu-8"), ("A: 1", "gpu-8"), ("A: 1", "gpu-8")]
    files = repository("A: 1", *others).files
    mirror = CopyEnv(("HF_ENDPOINT",))
    assert draft(mirror, "train", OWN, step="Test", repository=MemoryTree(files)).state is PatchState.REFUSED
    alike = files[OTHER].replace(b"run: pytest", b"run: pytest tests", 1)
    assert (
        draft(mirror, "train", OWN, step="Test", repository=MemoryTree({**files, OTHER: alike})).state
        is PatchState.PATCH
    )
