"""Scripts that are not what they look like: broken tests, names that nothing sets, line ends of another system."""

from __future__ import annotations

import os
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import draft, patch
from tests.fixes.test_evaluate import evaluated, job_of, lines, one_step
from triage.fixes.evaluate.job import evaluate_job
from triage.fixes.evaluate.machine import Assumptions
from triage.model.patch import PatchState
from triage.model.recipe import PipPin

OWN = ".github/workflows/own.yml"
CALLING = """
    on: push
    jobs:
      train:
        runs-on: x
        steps:
          - name: Install
            run: bash install.sh
"""


@pytest.mark.parametrize(
    "script",
    [
        'if [ "$A" = x || "$B" = y ]; then pip install one; else pip install two; fi',
        'if [ "$A" = x && "$B" = y ]; then pip install one; else pip install two; fi',
        'if [ "$A" = z || -n "$A" ]; then pip install one; else pip install two; fi',
        'if [ "$A" = x ] || [ "$B" = y ]; then pip install one; else pip install two; fi',
        'if [ "$A" = x ] && [ "$B" = x ]; then pip install one; else pip install two; fi',
        'if [ "$A" = x || true ]; then pip install one; else pip install two; fi',
        'if [ "$A" = "x || y" ]; then pip install one; else pip install two; fi',
        '[ "$A" = x || "$A" = x ] || pip install two\npip install after',
        'set -e\n[ "$A" = x || "$A" = x ]\npip install after',
        "set -u\npip install one\npip install ${A:0:1}\npip install ${#A}",
        'set -u\npip install one\npip install "$1"\npip install after',
        'set -u\npip install one\npip install "${NO_SUCH_NAME}"\npip install after',
        'set -u\npip install one\npip install "${1:-two}" $# "$@"\npip install after',
        'set -u\npip install one\nX="$1" pip install two\npip install after',
        'set -u\npip install one\nfor each in "$1"; do pip install "$each"; done\npip install after',
        'set -u\npip install one\nif [ -z "$1" ]; then pip install two; fi\npip install after',
        "set -u\npip install one\n( pip install $1 ) || pip install two",
        "set -u\npip install one\nunset A\npip install ${#A}\npip install after",
        'set -u\nf() { pip install "$1"; }\nf two\nf\npip install after',
    ],
)
def test_a_script_runs_what_bash_runs(script: str) -> None:
    """Against bash itself, with `pip` a function that says what it is given."""
    given = f"A=x\n{script}\n"
    made = one_step(given)
    assumed = Assumptions(closed=True, succeed=True)
    shown = [one.command_line for one in evaluate_job(made, job_of(made), assumptions=assumed).invocations]
    whole = f'pip() {{ echo "pip $*"; }}\nexport -f pip\n{given}'
    path = os.environ["PATH"]
    ran = subprocess.run(
        ["env", "-i", f"PATH={path}", "bash", "-e", "-c", whole], capture_output=True, text=True, check=False
    )
    assert [one for one in shown if one.startswith("pip")] == ran.stdout.splitlines(), ran.stderr


def test_a_broken_test_is_named() -> None:
    notes = evaluated(one_step('if [ "$A" = x || "$B" = y ]; then pip install one; fi')).notes
    assert any("`[` ends before its `]`" in note for note in notes)


def test_a_bracket_is_an_argument_of_a_program() -> None:
    assert lines(evaluated(one_step("jq [ a ]\npip install after"))) == ["jq [ a ]", "pip install after"]


def test_a_name_that_a_runner_may_set_stays_open_under_nounset() -> None:
    """Only arguments, and names that the script itself unsets, are surely unset."""
    found = lines(evaluated(one_step('set -u\npip install "$FROM_THE_RUNNER" ${#FROM_THE_RUNNER}\npip install after')))
    assert found == ["pip install ${FROM_THE_RUNNER} ${#FROM_THE_RUNNER}", "pip install after"]


def test_the_end_of_a_script_by_nounset_is_said() -> None:
    made = one_step("bash run.sh", {"run.sh": 'set -u\npython train.py "$1"\n'})
    assert any("`1` is not set" in note for note in evaluated(made).notes)
    assert not any("train.py" in line for line in lines(evaluated(made)))
    given = one_step("bash run.sh config.yaml", {"run.sh": 'set -u\npython train.py "$1"\n'})
    assert "python train.py config.yaml" in lines(evaluated(given))


def with_script(script: bytes) -> MemoryTree:
    return MemoryTree({**tree({OWN: CALLING}).files, "install.sh": script})


@given(
    st.lists(
        st.sampled_from(
            [
                "A=1",
                "pip install one",
                'if [ "$A" = 1 ]; then',
                "fi",
                "pip install two \\\n  three",
                'python x.py "$A"',
                "for i in 1 2; do",
                "done",
                "cat <<EOF > out.txt\ntext $A\nEOF",
                "# a comment",
                "",
            ]
        ),
        max_size=8,
    )
)
@settings(max_examples=60, deadline=None)
def test_line_ends_do_not_change_what_a_script_means(parts: list[str]) -> None:
    script = "\n".join(parts) + "\n"
    plain = one_step("bash run.sh", {"run.sh": script})
    other = MemoryTree({**plain.files, "run.sh": script.replace("\n", "\r\n").encode()})
    assert lines(evaluated(other)) == lines(evaluated(plain))
    for one in evaluated(other).invocations:
        call = one.calls[-1]
        held = other.read(call.path)[call.start : call.argument_end]
        assert not held.endswith((b"\r", b"\n"))


def test_an_edit_keeps_the_line_ends_of_a_script() -> None:
    made = patch(
        PipPin("numpy", "<2"),
        "train",
        OWN,
        repository=with_script(b"set -e\r\npip install numpy torch\r\npip check\r\n"),
    )
    assert made.state is PatchState.PATCH, made.reason
    assert '-pip install numpy torch\r\n+pip install "numpy<2" torch\r\n' in made.diff
    assert any("CR LF" in note for note in made.notes), made.notes


def test_a_line_that_is_added_ends_as_its_neighbours_do() -> None:
    made = draft(
        PipPin("numpy", "<2"), "train", OWN, repository=with_script(b"pip install \\\r\n  torch\r\npip check\r\n")
    )
    assert made.state is PatchState.PATCH, made.reason
    assert all(b"\n" not in edit.new.replace(b"\r\n", b"") for edit in made.edits)


def test_a_script_that_bash_cannot_read_for_its_line_ends_is_not_patched() -> None:
    script = b"if true; then\r\n  pip install numpy\r\nfi\r\n"
    made = patch(PipPin("numpy", "<2"), "train", OWN, repository=with_script(script))
    assert made.state is PatchState.ADVICE
    assert "bash -n" in made.reason


@pytest.mark.parametrize("quiet", ["", " 2>/dev/null", " 2>&1", " 2>>err.log"])
def test_what_goes_beside_the_output_leaves_it(quiet: str) -> None:
    """Whose value is not known then, and a test of it says nothing of what runs."""
    script = f'x="$(printf %s "$s" | tool{quiet})"\nif [ "$x" != A ]; then\n  exit 1\nfi\npip install one\n'
    assert "pip install one" in lines(evaluated(one_step(script)))
