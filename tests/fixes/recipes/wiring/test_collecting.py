"""A step that only collects what a job left may fail; one that does anything else may not."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import LetFail

OWN = ".github/workflows/own.yml"


def repository(script: str, condition: str = "always()", more: str = "") -> MemoryTree:
    lines = "".join(f"          {line}\n" for line in script.splitlines())
    step = f"      - name: Logs\n        if: {condition}\n{more}        run: |\n{lines}"
    jobs = f"  test:\n    runs-on: windows-latest\n    steps:\n      - run: make test\n{step}"
    return tree({OWN: f"on: push\njobs:\n{jobs}  other:\n    runs-on: ubuntu-latest\n    steps:\n{step}"})


@pytest.mark.parametrize(
    "files",
    [
        repository('mkdir -p logs\ncp -v ~/.run/*.log logs/ 2>/dev/null || \\\n  echo "none; or lost"'),
        repository("docker logs trainer > trainer.log 2>&1\nsudo dmesg | tail -n 50", "${{ failure() }}"),
        repository("for f in /tmp/ray/session_latest/logs/*.err; do\n  echo $f\n  cat $f\ndone", "always()"),
        repository("New-Item -ItemType Directory logs\nCopy-Item $env:TEMP\\*.log logs", more="        shell: pwsh\n"),
        repository("[ -d core ] && tar czf core.tgz core\ngrep -q x log || echo none", "success() || failure()"),
        repository("find . -name '*.log' -exec cp {} logs/ +", "|\n          always()"),
        repository("if [ -d core ]; then\n  tar czf core.tgz core\nfi\nkubectl describe pods", "always() && github.event_name == 'push'"),
    ],
)  # fmt: skip
def test_a_step_that_copies_and_shows_may_fail(files: MemoryTree) -> None:
    made = patch(LetFail(), "test", OWN, step="Logs", repository=files)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["+continue-on-error: true"]
    assert [one.job for one in made.siblings] == ["other"]


@pytest.mark.parametrize(
    "files",
    [
        repository("cp -v ~/.run/*.log logs/", "github.ref == 'refs/heads/main'"),  # part of what the job makes
        repository("cp report.xml out\npython ci/report.py out"),
        repository("docker build -t trainer ."),
        repository("mkdir -p logs\n./collect.sh logs"),
        repository('mkdir -p "$(make folder)"'),
        repository("cp a b", "${{ !failure() }}"),
        repository("cp a b", "success() && !cancelled()"),
        # What chooses to be red.
        repository("cat log\nif grep -q FAILED log; then\n  exit 1\nfi"),
        repository('cat log\ngrep -q "all passed" log'),
        repository("cat log\n! grep ERROR log"),
        repository("cat log\n[ -s report.xml ]"),
        repository("cat log\nfalse"),
        repository("find . -name 'test_*.py' -exec pytest {} +"),
        repository("kubectl delete pods --all"),
        repository("cat <<E > a.py\nE\ncat a.py"),
        repository("cp a b", more="        continue-on-error: ${{ matrix.experimental }}\n"),
    ],
)
def test_a_step_that_does_more_may_not(files: MemoryTree) -> None:
    assert draft(LetFail(), "test", OWN, step="Logs", repository=files).state is PatchState.REFUSED


def test_a_step_that_may_fail_already_is_left_alone() -> None:
    files = repository("cp a b", more="        continue-on-error: true\n")
    assert draft(LetFail(), "test", OWN, step="Logs", repository=files).state is PatchState.IN_PLACE
