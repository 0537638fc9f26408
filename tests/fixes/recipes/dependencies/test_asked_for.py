"""A program that names the least release it takes: what the job asks for is raised where that takes an older one."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import PipPin

CI = ".github/workflows/ci.yml"
LEAST = PipPin(distribution="{distribution}", spec=">={least}")
NAMED = {"distribution": "quant-cache", "least": "1.2.0"}


def job(*commands: str, test: str = "pytest", **files: str) -> MemoryTree:
    steps = "".join(f"      - run: {command}\n" for command in (*commands, test))
    flow = f"on: push\njobs:\n  test:\n    runs-on: [gpu-8]\n    steps:\n{steps}"
    return tree({CI: flow, **{path.replace("__", "."): text for path, text in files.items()}})


def made(repository: MemoryTree, facts: Facts | None = None) -> Patch:
    return patch(LEAST, "test", CI, facts=facts or Facts(), captures=NAMED, repository=repository)


@pytest.mark.parametrize(
    ("repository", "line"),
    [
        (job("pip install quant-cache pytest"), '+- run: pip install "quant-cache>=1.2.0" pytest'),
        (
            job("docker exec ci pip install --cache-dir=/c quant_cache || true", test="docker exec ci pytest"),
            '+- run: docker exec ci pip install --cache-dir=/c "quant_cache>=1.2.0" || true',
        ),
        (job("uv pip install -r r.txt", **{"r.txt": "quant-cache>=1.0,<2\n"}), "+quant-cache>=1.2.0,<2"),
        (
            job("pip install -e .", setup__cfg="[options]\ninstall_requires =\n    quant-cache!=1.1\n"),
            "+quant-cache>=1.2.0,!=1.1",
        ),
    ],
)
def test_what_takes_an_older_release_asks_for_that_one_at_least(repository: MemoryTree, line: str) -> None:
    found = made(repository)
    assert (found.state, found.reason) == (PatchState.PATCH, "")
    assert changed(found)[-1] == line


@pytest.mark.parametrize(
    ("repository", "facts"),
    [
        # A fresh install of what is left open brings the newest one: something else keeps it back.
        (job("pip install quant-cache"), Facts(installed={"quant-cache": "1.1.8"}, brought=frozenset({"quant-cache"}))),
        (job("pip install -r r.txt", **{"r.txt": "quant-cache>=1.4\n"}), Facts()),
        (job("pip install -r r.txt", **{"r.txt": "pytest\n"}), Facts()),
    ],
)
def test_elsewhere_nothing_is_raised(repository: MemoryTree, facts: Facts) -> None:
    assert made(repository, facts).state is not PatchState.PATCH
