from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import dedent, indent

import pytest

from tests.evaluator.__main__ import COMMITS, REPOSITORY, agreement_at, repository
from tests.evaluator.agreement import Agreement, compare
from tests.evaluator.forms import FORMS, HARD, SCRIPTS
from tests.evaluator.real_bash import Bash
from tests.fixes.memory_tree import MemoryTree
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.load import load_workflow
from triage.fixes.workflow.names import find_job

WORKFLOW = ".github/workflows/forms.yml"

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this machine")


def made_up(forms: Mapping[str, str]) -> MemoryTree:
    steps = "".join(
        f"      - name: {name}\n        shell: bash {{0}}\n        run: |\n{indent(dedent(script).strip(), ' ' * 10)}\n"
        for name, script in forms.items()
    )
    workflow = f"on: push\njobs:\n  forms:\n    runs-on: gpu-8\n    steps:\n{steps}"
    files = {path: dedent(text).lstrip("\n").encode() for path, text in SCRIPTS.items()}
    return MemoryTree({WORKFLOW: workflow.encode(), **files})


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user may enter: pytest's own are closed, and the scripts run as nobody where they can."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def agreement_over(forms: Mapping[str, str], folder: Path, *, told: bool = True) -> Agreement:
    tree, bash, agreement = made_up(forms), Bash(folder), Agreement()
    for path in tree.paths():
        file = bash.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(tree.read(path))
        file.chmod(0o755)
    bash.prepare()
    workflow = load_workflow(tree, WORKFLOW)
    assert not isinstance(workflow, Refusal)
    job = find_job(tree, workflow, "forms")
    assert not isinstance(job, Refusal)
    compare(tree, job, bash, "cuda", agreement, only_scripts=False, told=told)
    return agreement


@needs_bash
def test_every_form_evaluates_to_what_bash_runs(open_folder: Path) -> None:
    agreement = agreement_over(FORMS, open_folder)
    wrong = [miss for miss in agreement.misses if not miss.startswith("unknown")]
    assert not wrong, "\n".join(agreement.misses)
    # `tee` to a file only GitHub names, and a default behind an indirection, which is not followed.
    assert agreement.counts["unknown"] == 2, "\n".join(agreement.misses)
    assert agreement.counts["equal"] > 130


@needs_bash
@pytest.mark.parametrize("told", [True, False])
def test_what_is_not_followed_is_unknown_and_never_wrong(open_folder: Path, told: bool) -> None:
    agreement = agreement_over(HARD | ({} if told else FORMS), open_folder, told=told)
    wrong = [miss for miss in agreement.misses if not miss.startswith("unknown")]
    assert not wrong, "\n".join(wrong)


def test_a_fetched_repository_agrees_at_every_commit() -> None:
    git = repository(os.environ.get("TRIAGE_REPLAY_GIT", ""), REPOSITORY)
    if git is None:
        pytest.skip(f"TRIAGE_REPLAY_GIT names no folder that holds {REPOSITORY}")
    for commit in COMMITS:
        untold = agreement_at(git, commit, told=False)
        assert not untold.counts["missing"]
        assert not untold.counts["invented"]
        agreement = agreement_at(git, commit)
        assert agreement.counts["equal"] / agreement.total >= 0.98
        assert not agreement.counts["missing"]
        assert not agreement.counts["invented"]
