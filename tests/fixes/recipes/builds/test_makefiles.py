"""Makefiles that start one compiler a core by themselves."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import PatchState
from triage.model.recipe import FewerJobs

CI = ".github/workflows/ci.yml"
JOBS = FewerJobs("MAX_JOBS", "4", threads="2")
HEAD = "on: [push]\njobs:\n  wheel:\n    runs-on: [self-hosted]\n    steps:\n      - name: Build\n"
MAKE = (
    ".PHONY: all\nall: fast slow\nfast: common\n\tmake -j $(shell nproc --ignore=2) core && \\\n\techo done\n"
    "common:\n\tcmake --build out --parallel\nslow:\n\tmake -C tool -j$$(nproc)\nother:\n\tmake -j\n"
)


def made(run: str, makefile: str = MAKE) -> list[str]:
    whole = tree({CI: f"{HEAD}        run: {run}\n", "kernels/Makefile": makefile})
    found = patch(JOBS, "wheel", CI, step="Build", repository=whole)
    assert found.state is PatchState.PATCH, found.reason
    return changed(found)


@pytest.mark.parametrize(
    ("target", "lines"),
    [
        ("slow", ["-make -C tool -j$$(nproc)", "+make -C tool -j4"]),
        (
            "fast",
            [
                "-make -j $(shell nproc --ignore=2) core && \\",
                "+make -j 4 core && \\",
                "-cmake --build out --parallel",
                "+cmake --build out --parallel 4",
            ],
        ),
        ("other", ["-make -j", "+make -j4"]),
    ],
)
def test_the_makefile_of_the_command_runs_fewer_for_the_targets_that_it_makes(target: str, lines: list[str]) -> None:
    assert made(f"make -C kernels {target}") == lines


def test_a_failed_instruction_of_an_image_leads_to_the_makefile_that_it_calls() -> None:
    docker = "FROM example/base:1\nADD kernels kernels\nRUN make -C kernels slow\n"
    workflow = f"{HEAD}        run: docker build -f docker/Dockerfile .\n"
    facts = Facts(build=BuildStep("Dockerfile", {3: "RUN make -C kernels slow"}))
    whole = tree({CI: workflow, "docker/Dockerfile": docker, "kernels/Makefile": MAKE})
    found = patch(JOBS, "wheel", CI, facts=facts, repository=whole)
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == ["-make -C tool -j$$(nproc)", "+make -C tool -j4"]


def test_another_number_of_its_own_is_one_that_no_variable_of_ours_changes() -> None:
    whole = tree({CI: f"{HEAD}        run: make -C kernels all\n", "kernels/Makefile": "all:\n\tmake -j $(N)\n"})
    found = patch(JOBS, "wheel", CI, step="Build", repository=whole)
    assert found.state is PatchState.REFUSED
    assert "whatever MAX_JOBS is" in found.reason
