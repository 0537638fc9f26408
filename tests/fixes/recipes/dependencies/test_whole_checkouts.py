"""A checkout of one commit, where a step asks git for others."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import DeepClone

OWN = ".github/workflows/own.yml"
WHOLE = DeepClone("{revision}", checkout=True)
PLAIN = "      - uses: actions/checkout@v4\n"


def repository(checkout: str) -> MemoryTree:
    step = "      - name: Compare\n        run: git diff origin/main...HEAD\n"
    return tree({OWN: f"on: [push]\njobs:\n  unit:\n    runs-on: cpu\n    steps:\n{checkout}{step}"})


@pytest.mark.parametrize(
    ("checkout", "expected"),
    [
        (PLAIN, ["+with:", "+fetch-depth: 0"]),
        (f"{PLAIN}        with:\n          lfs: true\n", ["+fetch-depth: 0"]),
        (f"{PLAIN}        with:\n          fetch-depth: 2\n", ["-fetch-depth: 2", "+fetch-depth: 0"]),
    ],
)
@pytest.mark.parametrize("revision", ["origin/main...HEAD", "No names found", "HEAD~3"])
def test_the_checkout_fetches_the_whole_history(checkout: str, expected: list[str], revision: str) -> None:
    made = patch(WHOLE, "unit", OWN, step="Compare", captures={"revision": revision}, repository=repository(checkout))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == expected


@pytest.mark.parametrize(
    ("checkout", "revision", "state"),
    [
        (f"{PLAIN}        with:\n          fetch-depth: 0\n", "origin/main...HEAD", PatchState.IN_PLACE),
        (f"{PLAIN}        with:\n          repository: a/b\n", "origin/main...HEAD", PatchState.REFUSED),
        (PLAIN + PLAIN, "origin/main...HEAD", PatchState.REFUSED),
        ("      - run: git clone $URL .\n", "origin/main...HEAD", PatchState.REFUSED),
        (PLAIN, "main...HEAD", PatchState.REFUSED),
    ],
)
def test_what_no_deeper_checkout_brings_is_left(checkout: str, revision: str, state: PatchState) -> None:
    made = draft(WHOLE, "unit", OWN, step="Compare", captures={"revision": revision}, repository=repository(checkout))
    assert made.state is state


@pytest.mark.parametrize(
    "revision",
    [
        "feature/x",
        "upstream/main",
        "origin/HEAD",
        "origin/main...feature",
        "origin/...HEAD",
        "HEAD",
        "",
        "0" * 40,
        "docs/index.md",
        "setup.cfg",
        "src/1.2",
    ],
)
def test_what_the_whole_history_does_not_hold_is_left(revision: str) -> None:
    made = draft(WHOLE, "unit", OWN, step="Compare", captures={"revision": revision}, repository=repository(PLAIN))
    assert made.state is PatchState.REFUSED


@pytest.mark.parametrize(
    "revision", ["origin/release/1.0..HEAD", "v1.2.0", "HEAD^1", "1a" * 20, "remotes/origin/dev~1"]
)
def test_what_the_whole_history_holds_is_fetched(revision: str) -> None:
    made = draft(WHOLE, "unit", OWN, step="Compare", captures={"revision": revision}, repository=repository(PLAIN))
    assert made.state is PatchState.PATCH, made.reason


def test_a_depth_of_the_run_and_a_clone_of_the_step_are_left() -> None:
    depth = f"{PLAIN}        with:\n          fetch-depth: ${{{{ inputs.depth }}}}\n"
    cloned = repository(PLAIN)
    script = b"git clone --depth 1 $URL other && cd other && git diff origin/main...HEAD"
    there = {path: cloned.read(path).replace(b"git diff origin/main...HEAD", script) for path in cloned.paths()}
    for files in (repository(depth), MemoryTree(there)):
        made = draft(WHOLE, "unit", OWN, step="Compare", captures={"revision": "origin/main...HEAD"}, repository=files)
        assert made.state is PatchState.REFUSED
