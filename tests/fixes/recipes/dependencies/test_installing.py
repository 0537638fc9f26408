from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fixes.recipes.repository import REPOSITORY, UNIT, UV, changed, draft, patch, replaced, with_file
from triage.fixes.recipes.dependencies.versions import changes, satisfied
from triage.fixes.requirements import in_file
from triage.model.diagnosis import Facts, Platform
from triage.model.patch import PatchState
from triage.model.recipe import AddStep, PipInstall, PipPin, PipUninstall, Together

FILE = PipInstall(module="{module}", form="file")
MISSING = {"module": "data_queue"}
CUDA = Facts(platform=Platform.CUDA)


def test_the_file_is_installed_beside_the_jobs_other_files_in_their_spelling() -> None:
    proved = patch(FILE, "unit", UNIT, captures=MISSING, facts=CUDA)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["+pip3 install -r requirements.txt"]
    assert (
        "requirements-test.txt\n+          pip3 install -r requirements.txt\n           pip3 install --no-deps"
        in proved.diff
    )
    assert [one.job for one in proved.siblings] == ["other"]


def test_one_distribution_pinned_as_the_repository_pins_it() -> None:
    proved = patch(PipInstall(module="{module}", form="pinned"), "unit", UNIT, captures=MISSING)
    assert changed(proved) == ["+pip3 install --no-deps DataQueue==0.1.7"]


def test_with_the_list_of_what_is_installed_as_one_patch() -> None:
    both = Together((FILE, AddStep(name="Check final pip list", run="pip list")))
    proved = patch(both, "unit", UNIT, captures=MISSING)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1:] == ["+- name: Check final pip list", "+run: |", "+pip3 list"]
    assert proved.diff.index("pip3 list") < proved.diff.index("# - name: Download")


def test_a_one_line_script_becomes_a_block_and_keeps_its_comment() -> None:
    proved = patch(FILE, "one_line", UNIT, captures=MISSING)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [
        "-run: pip install torch==2.9 # the image's is older",
        "+run: | # the image's is older",
        "+pip install torch==2.9",
        "+pip install -r requirements.txt",
    ]


def test_what_the_log_lists_as_installed_is_another_problem() -> None:
    found = draft(FILE, "unit", UNIT, captures=MISSING, facts=Facts(installed={"dataqueue": "0.1.7"}))
    assert found.state is PatchState.REFUSED
    assert "not a missing requirement" in found.reason


def test_what_the_job_installs_already_is_in_place() -> None:
    there = replaced(UNIT, "-r requirements-test.txt\n          pip3 install --no-deps -e .", "-r requirements.txt")
    assert draft(FILE, "unit", UNIT, captures=MISSING, repository=there).state is PatchState.IN_PLACE


@pytest.mark.parametrize("module", ["evil_package", "requests; rm -rf", "../x"])
def test_a_module_that_the_repository_names_nowhere_gets_words(module: str) -> None:
    found = draft(FILE, "unit", UNIT, captures={"module": module})
    assert found.state is PatchState.ADVICE
    assert not found.edits


def test_a_module_of_the_repository_itself_is_refused() -> None:
    assert draft(FILE, "unit", UNIT, captures={"module": "pkg"}).state is PatchState.REFUSED


def test_a_job_that_installs_nothing_gets_words() -> None:
    found = draft(FILE, "bare", UNIT, captures=MISSING)
    assert found.state is PatchState.ADVICE
    assert "image" in found.reason


def test_requirements_for_other_hardware_are_left_alone() -> None:
    only_npu = with_file("requirements.txt", "ray\n")
    found = patch(FILE, "unit", UNIT, captures=MISSING, repository=only_npu, facts=CUDA)
    assert (found.state, found.title) == (PatchState.PATCH, "Install DataQueue"), found.reason
    assert not any("requirements-npu" in line for line in changed(found))
    npu = Facts(platform=Platform.NPU)
    assert draft(FILE, "unit", UNIT, captures=MISSING, repository=only_npu, facts=npu).state is PatchState.PATCH


@pytest.mark.parametrize(
    ("module", "state", "title"),
    [
        ("cv2", PatchState.PATCH, "Install opencv-python"),
        ("duo", PatchState.ADVICE, ""),
        ("cv3", PatchState.ADVICE, ""),
    ],
)
def test_what_no_file_names_is_installed_where_the_table_knows_its_one_distribution(
    module: str, state: PatchState, title: str
) -> None:
    found = patch(FILE, "unit", UNIT, captures={"module": module})
    assert found.state is state, found.reason
    assert title in found.title


def test_a_requirements_file_that_brings_torch_gives_only_the_one_distribution() -> None:
    heavy = with_file("requirements.txt", "torch==2.6.0\nDataQueue==0.1.7\n")
    found = patch(FILE, "unit", UNIT, captures=MISSING, repository=heavy)
    assert (found.state, found.title) == (PatchState.PATCH, "Install --no-deps DataQueue==0.1.7"), found.reason


def test_an_example_s_requirements_are_none_of_a_job_that_does_not_work_there() -> None:
    bare = with_file("requirements.txt", "ray\n")
    only_example = replace(bare, files={**bare.files, "examples/demo/requirements.txt": b"DataQueue==0.1.7\nplots\n"})
    found = patch(FILE, "unit", UNIT, captures=MISSING, repository=only_example, facts=CUDA)
    assert (found.state, found.title) == (PatchState.PATCH, "Install DataQueue"), found.reason


def test_what_the_file_would_change_is_said() -> None:
    named = in_file(REPOSITORY, "requirements.txt")
    text = changes(named, {"numpy": "2.1.0", "ray": "2.50"})
    assert text == "against the log's list it would install dataqueue and would change numpy 2.1.0 (<2.0.0)"
    assert changes(named, {}) == ""


@pytest.mark.parametrize(
    ("pin", "version", "expected"),
    [
        ("<2.0.0", "2.0", False),
        (">=0.8,<=0.10,!=0.9", "0.9.0", False),
        (">=0.8,<=0.10,!=0.9", "0.10.0", True),
        ("==1.*", "1.4", True),
        ("~=1.4", "1.9", True),
        ("~=1.4", "2.0", False),
        ("", "1", True),
        ("==2.9.0", "2.9.0+cu130", True),
    ],
)
def test_bounds(pin: str, version: str, expected: bool) -> None:
    assert satisfied(pin, version) is expected


def test_uv_brings_what_the_lock_holds_for_the_failing_command() -> None:
    proved = patch(FILE, "uv", UV, captures={"module": "math_verify"})
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-$UV_RUN pytest tests", "+$UV_RUN --with math-verify==0.9.0 pytest tests"]
    assert proved.title == "Bring math-verify==0.9.0 with `uv run --with`"


def test_uv_selects_an_extra_for_the_whole_job() -> None:
    proved = patch(PipInstall(module="{module}", form="extra"), "uv", UV, captures={"module": "math_verify"})
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1] == '+UV_RUN: "uv run --frozen --extra vllm --extra math"'


def test_what_a_selected_extra_brings_is_in_place() -> None:
    assert draft(FILE, "uv", UV, captures=MISSING).state is PatchState.IN_PLACE


def test_what_the_lock_lacks_is_advice_with_the_command() -> None:
    found = draft(FILE, "uv", UV, captures={"module": "unlocked"})
    assert found.state is PatchState.ADVICE
    assert "uv lock" in found.reason


def test_a_pin_at_the_install_line() -> None:
    proved = patch(PipPin("torch", "==2.8", from_spec="==2.9"), "one_line", UNIT)
    assert changed(proved)[1] == "+run: pip install torch==2.8 # the image's is older"
    assert draft(PipPin("torch", "==2.8", from_spec="==2.7"), "one_line", UNIT).state is PatchState.REFUSED
    assert draft(PipPin("torch", "==2.9"), "one_line", UNIT).state is PatchState.IN_PLACE
    quoted = patch(PipPin("torch", ">=2.9,<3"), "one_line", UNIT)
    assert quoted.state is PatchState.PATCH, quoted.reason
    assert 'pip install "torch>=2.9,<3"' in changed(quoted)[1]


def test_a_pin_in_the_file_that_the_job_installs() -> None:
    proved = patch(PipPin("pytest", "<9", comment="9.0 breaks fixtures, see the tracker"), "unit", UNIT)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-pytest", "+# 9.0 breaks fixtures, see the tracker", "+pytest<9"]
    assert proved.blast_radius == (f"{UNIT}: other (cuda) mentions requirements-test.txt too",)


def test_a_pin_of_what_only_the_image_has_is_added() -> None:
    proved = patch(PipPin("transformers", "<5.0.0"), "unit", UNIT)
    assert changed(proved) == ['+pip3 install "transformers<5.0.0"']
    assert proved.state is PatchState.PATCH, proved.reason


def test_an_uninstall_comes_after_the_last_install() -> None:
    proved = patch(PipUninstall("triton"), "unit", UNIT)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["+pip3 uninstall -y triton"]
    assert draft(PipUninstall("{module}"), "unit", UNIT, captures=MISSING).state is PatchState.REFUSED


def test_what_only_a_sibling_job_installs_is_copied_from_it() -> None:
    tree = replaced(UNIT, "pip3 install --no-deps --force-reinstall .\n", "pip3 install --no-deps fast_math==1.2\n")
    proved = patch(FILE, "unit", UNIT, captures={"module": "fast_math"}, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["+pip3 install --no-deps fast_math==1.2"]
    assert f"other of {UNIT} installs it so" in proved.notes


def test_a_pin_is_taken_from_the_sibling_that_has_one() -> None:
    tree = replaced(UNIT, "pip3 install --no-deps --force-reinstall .\n", "pip3 install --no-deps DataQueue==0.1.8\n")
    proved = patch(PipInstall(module="{module}", form="pinned"), "unit", UNIT, captures=MISSING, repository=tree)
    assert changed(proved) == ["+pip3 install --no-deps DataQueue==0.1.8"]


SEVERAL = replaced(
    UV,
    "$UV_RUN pytest tests",
    "\n          ".join(
        ["$UV_RUN python tools/prepare.py", "$UV_RUN python -m pkg.evaluate --all", "$UV_RUN pytest tests/unit"]
    ),
)


@pytest.mark.parametrize(
    ("shown", "line"),
    [
        (Facts(traced=("uv run --frozen --extra vllm python tools/prepare.py",)), "python tools/prepare.py"),
        (
            Facts(traced=("uv run python tools/prepare.py", "uv run python -m pkg.evaluate --all", "echo done")),
            "python -m pkg.evaluate --all",
        ),
        (Facts(frames=("/__w/train/train/pkg/evaluate.py", "/__w/train/train/pkg/tools.py")), "python -m pkg.evaluate"),
        (Facts(frames=("/root/conftest.py", "tests/unit/test_math.py")), "pytest tests/unit"),
        (Facts(frames=("tools/prepare.py",)), "python tools/prepare.py"),
        # The trace is nearer to the command than the traceback of what it started.
        (Facts(traced=("uv run pytest tests/unit",), frames=("tools/prepare.py",)), "pytest tests/unit"),
    ],
)
def test_uv_brings_it_to_the_command_that_failed_alone(shown: Facts, line: str) -> None:
    proved = patch(FILE, "uv", UV, captures={"module": "math_verify"}, repository=SEVERAL, facts=shown)
    assert proved.state is PatchState.PATCH, proved.reason
    added = [one for one in changed(proved) if one.startswith("+")]
    assert len(added) == 1
    assert added[0].startswith(f"+$UV_RUN --with math-verify==0.9.0 {line}")
    assert any("the log shows that this command failed" in note for note in proved.notes)


@pytest.mark.parametrize(
    "shown",
    [
        Facts(),
        Facts(traced=("uv run ray stop --force", "bash other.sh")),
        Facts(frames=("/opt/elsewhere/prepare.py",)),
        # The script's own lines, as a header shows them, are no trace.
        Facts(commands=("$UV_RUN python tools/prepare.py", "$UV_RUN pytest tests/unit")),
    ],
)
def test_uv_brings_it_to_each_command_where_the_log_does_not_say_which_failed(shown: Facts) -> None:
    proved = patch(FILE, "uv", UV, captures={"module": "math_verify"}, repository=SEVERAL, facts=shown)
    assert proved.state is PatchState.PATCH, proved.reason
    assert len([one for one in changed(proved) if one.startswith("+")]) == 3
    assert any("does not show which of the commands failed" in note for note in proved.notes)


def test_an_image_that_has_the_rest_of_the_file_gets_only_what_is_missing() -> None:
    """The job installs the project with --no-deps, and the log lists what else the file names."""
    longer = replaced("requirements.txt", "DataQueue==0.1.7", "DataQueue==0.1.7\nspeed\nloops\nrays")
    listed = Facts(installed={"speed": "1.0", "loops": "2.0", "rays": "3.0"})
    proved = patch(FILE, "unit", UNIT, captures=MISSING, facts=listed, repository=longer)
    assert changed(proved) == ["+pip3 install --no-deps DataQueue==0.1.7"]
    few = Facts(installed={"speed": "1.0"})
    whole = patch(FILE, "unit", UNIT, captures=MISSING, facts=few, repository=longer)
    assert changed(whole) == ["+pip3 install -r requirements.txt"]


PROGRAM = PipInstall(program="{command}", form="pinned")


@pytest.mark.parametrize(
    ("command", "line"),
    [("queue-server", "+pip3 install DataQueue==0.1.7"), ("spell", "+pip3 install speller")],
)
def test_a_program_comes_with_the_distribution_that_the_table_knows(command: str, line: str) -> None:
    """With what it requires, unlike a library of an image."""
    proved = patch(PROGRAM, "unit", UNIT, captures={"command": command})
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [line]


@pytest.mark.parametrize("command", ["nvcc", "several", "data_queue", "docker"])
def test_programs_of_the_system_and_of_several_distributions_are_not_installed(command: str) -> None:
    made = draft(PROGRAM, "unit", UNIT, captures={"command": command})
    assert made.state in (PatchState.REFUSED, PatchState.ADVICE)
    assert not made.edits
