"""Others that meet the same failure are listed, and get the same change when it is asked for."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import draft
from triage.model.patch import Draft, PatchState
from triage.model.recipe import PipPin, SetEnv

PATH = ".github/workflows/gpu.yml"
ROOT = "python3 -m pkg.main rollout.name={engine} {rest}\n"
INSTALLS = "pip3 install --no-deps -e ."


def repository(*installs: str, labels: str = "gpu-8") -> MemoryTree:
    jobs = "".join(
        f"  job{at}:\n    runs-on: [{'gpu-8' if at == 0 else labels}]\n    steps:\n      - name: Install\n        run: |\n"
        + "".join(f"          {line}\n" for line in text.splitlines())
        + "      - name: Train\n        run: bash tests/one.sh\n      - name: Again\n        run: bash tests/two.sh\n"
        "      - name: Other\n        run: bash tests/other.sh\n"
        for at, text in enumerate(installs)
    )
    return tree(
        {
            PATH: f"on: push\njobs:\n{jobs}",
            "tests/one.sh": ROOT.format(engine="vllm", rest="a=1"),
            "tests/two.sh": "set -x\n" + ROOT.format(engine="vllm", rest="a=2"),
            "tests/other.sh": ROOT.format(engine="sglang", rest="a=3"),
            "setup.py": "from setuptools import setup\nsetup(name='pkg', install_requires=['hublib'])\n",
            "pkg/main.py": "import hublib\n",
        }
    )


def held(there: MemoryTree, *, siblings: bool = False) -> Draft:
    return draft(PipPin("hublib", "<5.0"), "job0", PATH, step="Train", repository=there, siblings=siblings)


def test_a_job_that_installs_by_the_same_lines_is_listed_and_gets_the_line() -> None:
    there = repository(INSTALLS, INSTALLS)
    (sibling,) = held(there).siblings
    assert (sibling.workflow_path, sibling.job) == (PATH, "job1")
    assert sibling.evidence == f"installs by the same lines (`{INSTALLS}`, line 18)"
    assert len(held(there).edits) == 1
    both = held(there, siblings=True)
    assert both.state is PatchState.PATCH
    assert len(both.edits) == 2


@pytest.mark.parametrize(
    "there",
    [
        repository(INSTALLS),
        repository(INSTALLS, f"{INSTALLS}\npip install wheel"),
        repository(INSTALLS, "pip install -e .[all]"),
        repository(INSTALLS, INSTALLS, labels="npu-8"),
    ],
)
def test_a_job_that_installs_otherwise_or_elsewhere_is_none(there: MemoryTree) -> None:
    assert held(there).state is PatchState.PATCH
    assert not held(there).siblings


def test_a_script_of_the_same_job_with_the_same_engine_is_listed() -> None:
    found = draft(SetEnv("FLAG", "0", level="program"), "job0", PATH, step="Train", repository=repository(INSTALLS))
    assert [edit.path for edit in found.edits] == ["tests/one.sh"]
    (sibling,) = found.siblings
    assert (sibling.workflow_path, sibling.job) == (PATH, "job0")
    assert sibling.evidence == "tests/two.sh:2 starts pkg.main with vllm as well, without FLAG"
    both = draft(
        SetEnv("FLAG", "0", level="program"), "job0", PATH, step="Train", repository=repository(INSTALLS), siblings=True
    )
    assert sorted(edit.path for edit in both.edits) == [PATH, "tests/one.sh"]


def test_a_script_that_sets_it_is_none() -> None:
    there = repository(INSTALLS)
    there = MemoryTree({**there.files, "tests/two.sh": b"export FLAG=0\n" + there.read("tests/two.sh")})
    found = draft(SetEnv("FLAG", "0", level="program"), "job0", PATH, step="Train", repository=there)
    assert found.state is PatchState.PATCH
    assert not found.siblings
