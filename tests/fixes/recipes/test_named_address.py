"""A rerun is no answer by itself where the job's own files name the address that failed."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import draft
from triage.model.patch import PatchState
from triage.model.recipe import Rerun

PATH = ".github/workflows/train.yml"
INDEX, ANY = Rerun(index=True), Rerun()
ELSEWHERE = "rerun the job: the cause is not in the repository"


def repository(script: str, *, job: str = "", after: str = "", files: dict[str, str] | None = None) -> MemoryTree:
    body = "".join(f"          {line}\n" for line in script.splitlines())
    later = f"      - run: {after}\n" if after else ""
    text = (
        f"on: push\njobs:\n  train:\n    runs-on: [npu-8]\n{job}    steps:\n      - uses: actions/checkout@v4\n"
        f"      - name: Configure\n        run: |\n{body}      - name: Install\n        run: pip install -e .\n{later}"
        "  other:\n    runs-on: [npu-8]\n    env: {PIP_INDEX_URL: 'http://10.0.0.9:80/simple'}\n    steps: [{run: ls}]\n"
    )
    return tree({PATH: text, "setup.sh": "echo\n", **(files or {})})


def said(recipe: Rerun, there: MemoryTree, **captures: str) -> str:
    found = draft(recipe, "train", PATH, step="Install", captures=captures, repository=there)
    assert found.state is PatchState.ADVICE
    return found.reason


@pytest.mark.parametrize(
    ("there", "place"),
    [
        (repository("pip config set global.index-url http://10.0.0.7:323/simple"), f"{PATH}:9"),
        (repository("ls", job="    env:\n      PIP_INDEX_URL: http://10.0.0.7:323/simple\n"), f"{PATH}:6"),
        (repository("ls", job="    env:\n      UV_INDEX_URL: http://10.0.0.7/simple\n"), f"{PATH}:6"),
        (repository("pip install -i http://10.0.0.7/simple wheel"), f"{PATH}:9"),
        (repository("uv pip install --index-url=http://10.0.0.7/simple wheel"), f"{PATH}:9"),
        (repository('printf "[global]\\nindex-url = http://10.0.0.7/simple\\n" > ~/.pip/pip.conf'), f"{PATH}:9"),
        (
            repository("bash setup.sh", files={"setup.sh": "pip3 config set index-url http://10.0.0.7/x\n"}),
            "setup.sh:1",
        ),
        (repository("ls", files={"pip.conf": "[global]\nindex-url = http://10.0.0.7/simple\n"}), "pip.conf:2"),
    ],
)
def test_the_place_that_sets_the_index_is_named(there: MemoryTree, place: str) -> None:
    assert said(INDEX, there, host="10.0.0.7").startswith(f"{place} names 10.0.0.7, the address that failed: see")
    assert "rerun the job after that" in said(INDEX, there, host="10.0.0.7")
    assert said(INDEX, there, reason="ConnectTimeoutError").startswith(f"{place} sets the index that installs ask: see")


@pytest.mark.parametrize(
    ("there", "captures"),
    [
        # Of another job, of a step after the failed one, in a comment.
        (repository("ls"), {"host": "10.0.0.9"}),
        (repository("ls", after="pip config set global.index-url http://10.0.0.7/simple"), {}),
        (repository("# pip config set global.index-url http://10.0.0.7/simple\nls"), {}),
        # The index that failed is not the one that is set; a host that is only fetched from is no setting.
        (repository("pip config set global.index-url http://10.0.0.7/simple"), {"host": "files.example.org"}),
        (repository("git clone https://github.com/example/train"), {"host": "github.com"}),
        (repository("echo 110.0.0.7 10.0.0.75"), {"host": "10.0.0.7"}),
    ],
)
def test_what_the_job_does_not_set_is_no_cause_in_it(there: MemoryTree, captures: dict[str, str]) -> None:
    assert said(INDEX, there, **captures) == ELSEWHERE


def test_an_own_address_may_stand_behind_the_index_that_is_set() -> None:
    there = repository("pip config set global.index-url http://mirror.internal/simple")
    assert said(INDEX, there, host="10.0.0.9").startswith(f"{PATH}:9 sets the index that installs ask: see")


def test_a_mirror_or_an_endpoint_is_found_by_its_address() -> None:
    there = repository("export HF_ENDPOINT=https://mirror.example")
    assert said(ANY, there, detail="GET https://mirror.example/api failed").startswith(f"{PATH}:9 names mirror.example")
    assert said(ANY, there, host="example") == ELSEWHERE


def test_nothing_is_said_of_a_repository_that_was_not_looked_at() -> None:
    found = draft(ANY, "gone", PATH, repository=repository("ls"))
    assert found.reason == "rerun the job: such a cause lies outside of the repository"
