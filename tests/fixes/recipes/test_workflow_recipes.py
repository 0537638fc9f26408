"""Recipes that edit the workflow itself: env, timeouts, images, options, lines, keys, steps."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import TRAIN, UNIT, changed, draft, patch, replaced, with_file
from triage.model.patch import PatchState
from triage.model.recipe import (
    AddStep,
    ContainerOption,
    EffectiveValue,
    Image,
    Recipe,
    RemoveEnv,
    RemoveLines,
    ReplaceLine,
    SetEnv,
    SetKey,
    Timeout,
    Together,
)


@pytest.mark.parametrize(
    ("recipe", "job", "path", "expected"),
    [
        (SetEnv("NCCL_P2P_DISABLE", "1", comment="why"), "rocm_small", TRAIN, ["+# why", '+NCCL_P2P_DISABLE: "1"']),
        (SetEnv("HOME", "/data"), "rocm_small", TRAIN, ['-HOME: "/root"', '+HOME: "/data"']),
        (SetEnv("A", "1"), "async_npu", TRAIN, ["-env: {STRATEGY: fsdp2}", '+env: {STRATEGY: fsdp2, A: "1"}']),
        (SetEnv("A", "1", level="workflow"), "rocm_small", TRAIN, ['+A: "1"']),
        (SetEnv("A", "1"), "bare", UNIT, ["+env:", '+A: "1"']),
        (
            Timeout(),
            "rocm_small",
            TRAIN,
            ["-timeout-minutes: 40 # raise when needed", "+timeout-minutes: 60 # raise when needed"],
        ),
        (
            Image(from_image="example/train:rocm-1", to="example/train:rocm-2", comment="built by hand"),
            "rocm_small",
            TRAIN,
            ['-image: "example/train:rocm-1"', "+# built by hand", '+image: "example/train:rocm-2"'],
        ),
        (
            Image(to="registry.invalid/train:v2"),
            "async",
            TRAIN,
            ['-IMAGE: "registry.invalid/train:v1"', '+IMAGE: "registry.invalid/train:v2"'],
        ),
        (ContainerOption("--shm-size", "16g"), "rocm_small", TRAIN, ["---shm-size 2g", "+--shm-size 16g"]),
        (ContainerOption("--ipc", "host"), "rocm_small", TRAIN, ["---shm-size 2g", "+--shm-size 2g --ipc=host"]),
        (RemoveLines("pip uninstall", containing=("oldthing",)), "rocm_small", TRAIN, ["-pip uninstall -y oldthing"]),
        (
            ReplaceLine("pip3 install --no-deps --force-reinstall .", "pip3 install --no-deps -e ."),
            "other",
            UNIT,
            ["-pip3 install --no-deps --force-reinstall .", "+pip3 install --no-deps -e ."],
        ),
        (SetKey("strategy.max-parallel", to="2"), "rocm_small", TRAIN, None),
        (SetKey("timeout-minutes", to="90"), "rocm_large", TRAIN, ["+timeout-minutes: 90"]),
        (SetKey("timeout-minutes", copy_from_sibling=True), "rocm_large", TRAIN, ["+timeout-minutes: 40"]),
        (
            AddStep(name="Prepare data", copy_from_sibling=True),
            "unit",
            UNIT,
            ["+- name: Prepare data", "+run: |", "+python3 prepare.py"],
        ),
        (
            AddStep(name="Look", run="nvidia-smi", after="first"),
            "unit",
            UNIT,
            ["+- name: Look", "+run: |", "+nvidia-smi"],
        ),
        (
            RemoveEnv("PYTORCH_CUDA_ALLOC_CONF", item="expandable_segments"),
            "serve",
            TRAIN,
            [
                '-PYTORCH_CUDA_ALLOC_CONF: "expandable_segments:True,max_split_size_mb:256"',
                '+PYTORCH_CUDA_ALLOC_CONF: "max_split_size_mb:256"',
            ],
        ),
    ],
    ids=lambda value: getattr(value, "recipe", None),
)
def test_each_recipe_edits_only_what_it_says(recipe: Recipe, job: str, path: str, expected: list[str] | None) -> None:
    proved = patch(recipe, job, path)
    if expected is None:
        assert proved.state is PatchState.REFUSED
        return
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert changed(proved) == expected


@pytest.mark.parametrize(
    ("recipe", "job"),
    [
        (SetEnv("HOME", "/root"), "rocm_small"),
        (Timeout(at_most_minutes=40), "rocm_small"),
        (Image(to="example/train:rocm-1"), "rocm_small"),
        (ContainerOption("--shm-size", "1g"), "rocm_small"),
        (RemoveLines("pip uninstall", containing=("newthing",)), "rocm_small"),
        (ReplaceLine("pip uninstall oldthing", "pip uninstall -y oldthing"), "rocm_small"),
        (SetKey("timeout-minutes", to="40"), "rocm_small"),
        (AddStep(name="Merge", run="true"), "rocm_small"),
        (RemoveEnv("NOT_SET"), "rocm_small"),
        (Together((SetEnv("HOME", "/root"), Timeout(at_most_minutes=40))), "rocm_small"),
    ],
    ids=lambda value: getattr(value, "recipe", None),
)
def test_what_is_there_already_is_in_place(recipe: Recipe, job: str) -> None:
    assert draft(recipe, job).state is PatchState.IN_PLACE


@pytest.mark.parametrize(
    ("recipe", "job", "words"),
    [
        (Timeout(), "rocm_large", "no timeout-minutes"),
        (Image(from_image="other:*", to="x"), "rocm_small", "the fix is for other:*"),
        (Image(copy_from_sibling=True), "rocm_small", "0 other images"),
        (ContainerOption("--shm-size", "1g"), "async", "no container options"),
        (ReplaceLine("pip freeze", "pip list"), "rocm_small", "runs no `pip freeze`"),
        (RemoveLines("python", containing=("pkg.merge",)), "rocm_small", "only command of its step"),
        (SetKey("timeout-minutes", from_value="10", to="20"), "rocm_small", "the fix is for 10"),
        (SetKey("concurrency.group", copy_from_sibling=True), "rocm_small", "no sibling has"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_reason(recipe: Recipe, job: str, words: str) -> None:
    found = draft(recipe, job)
    assert found.state is PatchState.REFUSED
    assert words in found.reason


def test_an_image_is_shared_with_the_siblings_that_use_it() -> None:
    recipe = Image(from_image="example/train:rocm-1", to="example/train:rocm-2", comment="built by hand")
    assert [one.job for one in draft(recipe, "rocm_small").siblings] == ["rocm_large"]
    proved = patch(recipe, "rocm_small", siblings=True)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved).count('+image: "example/train:rocm-2"') == 2
    assert changed(proved).count("+# built by hand") == 1


def test_the_image_of_a_sibling_with_a_newer_tag_is_copied() -> None:
    newer = "on: push\njobs:\n  x:\n    runs-on: [rocm-mi300]\n    container: example/train:rocm-3\n    steps: [{run: ls}]\n"
    tree = with_file(".github/workflows/newer.yml", newer)
    proved = patch(Image(copy_from_sibling=True), "rocm_small", repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert '+image: "example/train:rocm-3"' in changed(proved)


def test_a_step_that_may_take_longer_than_its_job_raises_the_job_too() -> None:
    tree = replaced(
        TRAIN,
        "  rocm_large:\n    runs-on: [rocm-mi300]\n",
        "  rocm_large:\n    runs-on: [rocm-mi300]\n    timeout-minutes: 35\n",
    )
    proved = patch(Timeout(level="step"), "rocm_large", step="Train", repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [
        "-timeout-minutes: 35",
        "+timeout-minutes: 50",
        "-timeout-minutes: 30",
        "+timeout-minutes: 45",
    ]


def test_a_step_that_is_inserted_moves_the_steps_that_other_parts_are_about() -> None:
    both = Together((AddStep(name="List", run="pip list"), EffectiveValue(knob="sequences", to="8")))
    made = patch(both, "rocm_small")
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert "+pip list" in changed(made)


def test_together_is_all_or_nothing() -> None:
    found = draft(Together((SetEnv("A", "1"), Timeout())), "rocm_large")
    assert found.state is PatchState.REFUSED


def test_an_export_in_a_script_is_removed_with_its_line() -> None:
    tree = replaced("tests/run.sh", "set -x\n", "set -x\nexport SLOW=1\n")
    proved = patch(RemoveEnv("SLOW"), "rocm_large", repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-export SLOW=1"]
    assert any("rocm_small" in line for line in proved.blast_radius)


def test_a_concurrency_group_is_copied_as_most_workflows_write_it() -> None:
    group = "on: push\nconcurrency:\n  group: ${{ github.workflow }}-${{ github.ref }}\n  cancel-in-progress: true\njobs: {}\n"
    tree = with_file(".github/workflows/a.yml", group)
    tree = type(tree)({**tree.files, ".github/workflows/b.yml": group.encode()})
    tree = type(tree)(
        {
            path: data.replace(b"jobs: {}", b"jobs: {x: {runs-on: a, steps: [{run: ls}]}}")
            for path, data in tree.files.items()
        }
    )
    made = patch(SetKey("concurrency", copy_from_sibling=True), "unit", UNIT, repository=tree)
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made) == [
        "+",
        "+concurrency:",
        "+group: ${{ github.workflow }}-${{ github.ref }}",
        "+cancel-in-progress: true",
    ]
    assert draft(SetKey("concurrency", copy_from_sibling=True), "unit", UNIT).state is PatchState.REFUSED


SECRETS = ".github/workflows/secrets.yml"
SECRET = """
on: push
jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      matrix:
        version: [new]
    env:
      KEEP: "1"
      HTTPS_PROXY: ${{ secrets.PROXY }}
    steps:
      - uses: actions/checkout@v4
      - run: python train.py
  other:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Free up disk space
        uses: example/free-disk@v1
      - run: python other.py
"""


def test_a_secret_leaves_env_although_its_value_is_not_known() -> None:
    made = patch(RemoveEnv("HTTPS_PROXY"), "test (old)", SECRETS, repository=tree({SECRETS: SECRET}))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["-HTTPS_PROXY: ${{ secrets.PROXY }}"]


def test_a_step_that_runs_an_action_is_copied_with_its_version() -> None:
    recipe = AddStep("Free*disk*", copy_from_sibling=True, after="first")
    made = patch(recipe, "test", SECRETS, repository=tree({SECRETS: SECRET}))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["+- name: Free up disk space", "+uses: example/free-disk@v1"]
    assert draft(recipe, "other", SECRETS, repository=tree({SECRETS: SECRET})).state is PatchState.IN_PLACE


def test_a_container_that_has_enough_shared_memory_needs_no_more() -> None:
    enough = ContainerOption("--shm-size", "16g", enough="1g")
    made = draft(enough, "rocm_small")
    assert (made.state, "is 2g already" in made.reason) == (PatchState.REFUSED, True)
    assert draft(ContainerOption("--shm-size", "16g", enough="4g"), "rocm_small").state is PatchState.PATCH
