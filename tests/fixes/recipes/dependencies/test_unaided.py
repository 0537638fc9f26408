"""Jobs that install nothing themselves: what a command lacks comes right before it, with the job's own Python."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipInstall

CI = ".github/workflows/ci.yml"
MODULE = PipInstall(module="{module}")
PROGRAM = PipInstall(program="{program}", form="pinned")
SETUP = "      - uses: actions/setup-python@v5\n"
FAILED = Facts(frames=("/home/runner/work/x/x/.github/scripts/label.py",))
CALL = "python .github/scripts/label.py --pr ${{ github.event.number }}"
SHOWN = "Run python .github/scripts/label.py --pr 7"


def job(script: str, before: str = SETUP, runner: str = "ubuntu-latest", extra: str = "", **files: str) -> MemoryTree:
    body = "".join(f"          {line}\n" for line in script.splitlines())
    ci = f"on: push\njobs:\n  test:\n    runs-on: {runner}\n{extra}    steps:\n      - uses: actions/checkout@v4\n{before}"
    named = {path.replace("_dot_", "."): text for path, text in files.items()}
    scripts = {".github/scripts/label.py": "import cv2\n", ".github/scripts/other.py": ""}
    return tree({CI: f"{ci}      - name: Label\n        run: |\n{body}", **scripts, **named})


@pytest.mark.parametrize(
    ("there", "new"),
    [
        (job(CALL), ["+pip install opencv-python"]),
        (job(CALL, before=""), ["+pip install opencv-python"]),
        (job(CALL, requirements_dot_txt="opencv-python>=4.5\n"), ["+pip install opencv-python"]),
        (job(CALL, requirements_dot_txt="opencv-python==4.5\n"), ["+pip install opencv-python==4.5"]),
        (job(f"python .github/scripts/other.py\n{CALL}"), ["+pip install opencv-python"]),
        (
            job(f'if [ -n "$FORCE" ]; then\n  {CALL} --force\nelse\n  {CALL}\nfi'),
            ["+- name: Install opencv-python", "+run: pip install opencv-python"],
        ),
    ],
    ids=["setup-python", "hosted", "named", "pinned", "second-command", "branches"],
)
def test_it_comes_before_the_command(there: MemoryTree, new: list[str]) -> None:
    proved = patch(MODULE, "test", CI, step="Label", facts=FAILED, captures={"module": "cv2"}, repository=there)
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert changed(proved) == new
    assert (
        proved.diff.index("+          pip") < proved.diff.index(" python .github/scripts/label.py")
        if len(new) == 1
        else True
    )


def test_a_step_is_found_by_a_first_line_with_an_expression() -> None:
    there = job(CALL, before="      - name: Other\n        run: echo ${{ github.sha }}\n")
    proved = patch(MODULE, "test", CI, step=SHOWN, facts=FAILED, captures={"module": "cv2"}, repository=there)
    assert changed(proved) == ["+pip install opencv-python"]


def test_a_program_comes_before_the_command_that_starts_it() -> None:
    there = job("echo begin\nspell --all src")
    proved = patch(PROGRAM, "test", CI, step="Label", captures={"program": "spell"}, repository=there)
    assert proved.state is PatchState.PATCH, proved.reason
    assert "echo begin\n+          pip install speller\n           spell --all src" in proved.diff


def test_what_an_action_installs_for_all_is_no_place_for_what_one_step_needs() -> None:
    action = "runs:\n  using: composite\n  steps:\n    - shell: bash\n      run: |\n        pip install wheel\n"
    there = job(CALL, before="      - uses: ./.github/actions/setup\n")
    files = {path: there.read(path).decode() for path in there.paths()}
    there = tree({**files, ".github/actions/setup/action.yml": action})
    proved = patch(MODULE, "test", CI, step="Label", facts=FAILED, captures={"module": "cv2"}, repository=there)
    assert proved.files == (CI,)


@pytest.mark.parametrize(
    "there",
    [
        job(CALL, before="", runner="gpu-8"),
        job(CALL, extra="    container: base:1\n"),
        job(CALL, before="", runner="[self-hosted, gpu]"),
    ],
    ids=["own-runner", "container", "self-hosted"],
)
def test_near_misses_change_nothing(there: MemoryTree) -> None:
    found = draft(MODULE, "test", CI, step="Label", facts=FAILED, captures={"module": "cv2"}, repository=there)
    assert not found.edits


@pytest.mark.parametrize("head", ["$PY -m pip", "python3.10 -m pip", "pip3"])
@pytest.mark.parametrize("call", [CALL, f"version=`{CALL}`"])
def test_in_a_container_that_a_later_step_installs_in_it_is_that_steps_pip(head: str, call: str) -> None:
    container = "    container: ${{ matrix.image }}\n    env: {PY: 'python${{ matrix.python }}'}\n"
    there = job(f"set -e\n{call}", before="", extra=container)
    ci = there.read(CI).decode() + f"      - run: {head} install rich\n"
    there = tree({CI: ci, ".github/scripts/label.py": "import cv2\n"})
    proved = patch(MODULE, "test", CI, step="Label", facts=FAILED, captures={"module": "cv2"}, repository=there)
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert changed(proved)[-1].removeprefix("+run: ").removeprefix("+") == f"{head} install opencv-python"
    alone = job(f"set -e\n{call}", before="", extra=container)
    assert not draft(MODULE, "test", CI, step="Label", facts=FAILED, captures={"module": "cv2"}, repository=alone).edits


@pytest.mark.parametrize(
    ("files", "imported", "found"),
    [
        ({"cv2/wheel.py": ""}, "cv2.version", True),
        ({"cv2/wheel.py": ""}, "cv2.wheel", False),
        ({"cv2/wheel.py": "", "cv2/__init__.py": ""}, "cv2.version", False),
        ({"cv2/wheel.py": ""}, "", False),
    ],
    ids=["only-the-name", "a-part-of-it", "a-package", "not-known"],
)
def test_a_folder_of_the_same_name_is_not_what_is_missing(files: dict[str, str], imported: str, found: bool) -> None:
    there = tree({CI: job(CALL).read(CI).decode(), ".github/scripts/label.py": "import cv2\n", **files})
    facts = Facts(frames=FAILED.frames, imported=imported)
    made = draft(MODULE, "test", CI, step="Label", facts=facts, captures={"module": "cv2"}, repository=there)
    assert (made.state is not PatchState.REFUSED) is found, made.reason


def test_a_program_of_a_build_comes_before_the_build() -> None:
    steps = (
        SETUP + "      - run: pip install wheel\n      - name: Build\n        run: pip install --no-build-isolation .\n"
    )
    there = job("pytest", before=steps, setup_dot_py="from setuptools import setup\nsetup()\n")
    proved = patch(PROGRAM, "test", CI, step="Build", captures={"program": "spell"}, repository=there)
    assert proved.state is PatchState.PATCH, proved.reason
    assert proved.diff.index("speller") < proved.diff.index("no-build-isolation")
