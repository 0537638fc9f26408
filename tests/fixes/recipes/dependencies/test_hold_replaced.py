"""What a later install of the job moved stays at the release that was there."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import Facts, Replaced
from triage.model.patch import Patch, PatchState
from triage.model.recipe import HoldReplaced

CI = ".github/workflows/ci.yml"
RECIPE = HoldReplaced("torch")
VISION = (Replaced("torch", "2.6.0", "2.5.1", "torchvision==0.20.1"), Replaced("torchvision", "0.21.0", "0.20.1"))
NEWER = (Replaced("torch", "2.9.1+cu128", "2.10.0+cu128"),)


def job(*commands: str, **files: str) -> MemoryTree:
    steps = "".join(f"      - run: {command}\n" for command in (*commands, "pytest"))
    flow = f"on: push\njobs:\n  test:\n    runs-on: [gpu-8]\n    steps:\n{steps}"
    return tree({CI: flow, **{path.replace("__", "."): text for path, text in files.items()}})


def made(repository: MemoryTree, *replaced: Replaced) -> Patch:
    listed = {one.name: one.new for one in replaced} | {"torchaudio": "2.9.1+cu128"}
    return patch(RECIPE, "test", CI, facts=Facts(installed=listed, replaced=replaced), repository=repository)


@pytest.mark.parametrize(
    ("repository", "replaced", "line"),
    [
        (job("pip install -r npu.txt", **{"npu.txt": "torchvision==0.20.1\n"}), VISION, "+torchvision==0.21.0"),
        (
            job("pip install torch==2.6.0", "uv pip install torchvision==0.20.1 einops"),
            VISION[:1],
            "+- run: uv pip install torchvision==0.21.0 einops",
        ),
        (
            job("pip install -e .", "pip install torch torchaudio numpy --index-url https://w.example/cu128"),
            NEWER,
            "+- run: pip install torch==2.9.1 torchaudio==2.9.1 numpy --index-url https://w.example/cu128",
        ),
        (job("pip install -r r.txt", **{"r.txt": "torch>=2.4\n"}), NEWER, "+torch==2.9.1"),
    ],
)
def test_the_install_that_moved_it_asks_for_the_first(
    repository: MemoryTree, replaced: tuple[Replaced, ...], line: str
) -> None:
    found = made(repository, *replaced)
    assert (found.state, found.reason) == (PatchState.PATCH, "")
    assert changed(found)[-1] == line


@pytest.mark.parametrize(
    ("repository", "replaced"),
    [
        (job("pip install torch"), ()),
        # The companion that was there belongs to yet another release.
        (
            job("pip install torchvision==0.20.1"),
            (VISION[0], Replaced("torchvision", "0.19.0", "0.20.1")),
        ),
        (job("pip install fastkernels==3.1"), (Replaced("torch", "2.6.0", "2.5.1", "fastkernels==3.1"),)),
        (job("pip install torch==2.10.0"), NEWER),
        (job("pip install torch"), (Replaced("torch", "2.9.0a0+nv25.9", "2.9.1"),)),
    ],
)
def test_where_no_release_is_proved_there_is_no_patch(repository: MemoryTree, replaced: tuple[Replaced, ...]) -> None:
    assert made(repository, *replaced).state is not PatchState.PATCH
