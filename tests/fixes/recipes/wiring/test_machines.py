"""Machines, logins and tags: what a workflow says of them that cannot be meant."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import PatchState
from triage.model.recipe import AsRoot, PinRunner, PublishGuard, RepairCondition, RepairTagRule, SetUpLanguage

OWN, OTHER = ".github/workflows/own.yml", ".github/workflows/other.yml"


def job(head: str, steps: str, files: dict[str, str] | None = None, on: str = "push") -> MemoryTree:
    return tree({OWN: f"on: [{on}]\njobs:\n  build:\n{head}    steps:\n{steps}", **(files or {})})


PIN = PinRunner("windows-2022")
MAKE = "      - run: make\n"


@pytest.mark.parametrize(
    ("head", "lines"),
    [
        ("    runs-on: windows-latest\n", ["-runs-on: windows-latest", "+runs-on: windows-2022"]),
        (
            "    strategy:\n      matrix:\n        os: [ubuntu-22.04, windows-latest]\n    runs-on: ${{ matrix.os }}\n",
            ["-os: [ubuntu-22.04, windows-latest]", "+os: [ubuntu-22.04, windows-2022]"],
        ),
        (
            "    strategy:\n      matrix:\n        include:\n          - os: windows-latest\n    runs-on: ${{ matrix.os }}\n",
            ["-- os: windows-latest", "+- os: windows-2022"],
        ),
    ],
)
def test_the_image_of_a_machine_is_named_by_its_number(head: str, lines: list[str]) -> None:
    made = patch(PIN, "build", OWN, repository=job(head, MAKE))
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made) == lines


@pytest.mark.parametrize(
    ("head", "state"),
    [
        ("    runs-on: windows-2019\n", PatchState.IN_PLACE),
        ("    runs-on: gpu-windows\n", PatchState.REFUSED),
        ("    runs-on: ubuntu-latest\n", PatchState.REFUSED),
        ("    runs-on: ubuntu-latest\n    container: example/image:1\n", PatchState.REFUSED),
    ],
)
def test_another_machine_stays(head: str, state: PatchState) -> None:
    assert draft(PIN, "build", OWN, repository=job(head, MAKE)).state is state


MATRIX = "    runs-on: ubuntu-latest\n    strategy:\n      matrix:\n        device: [{0}]\n"
LOGIN = "      - name: Log in\n        if: {0}\n        uses: docker/login-action@v3\n        with:\n          registry: quay.io\n"
LET = RepairCondition("{image}")
IMAGE = {"image": "quay.io/example/train:latest"}


@pytest.mark.parametrize(
    ("values", "condition", "new"),
    [
        (
            "cuda, npu-a2, npu-a3",
            "${{ github.event_name != 'pull_request' && matrix.device == 'npu'}}",
            "${{ github.event_name != 'pull_request' && startsWith(matrix.device, 'npu')}}",
        ),
        ("cuda, rocm_6", "matrix.device == 'rocm'", "matrix.device == 'rocm_6'"),
        ("cuda, ascend", "matrix.device == 'asend'", "matrix.device == 'ascend'"),
        ("cuda, ascend", "matrix.device=='asend'", "matrix.device=='ascend'"),
    ],
)
def test_a_login_that_no_cell_runs_is_for_those_that_begin_so(values: str, condition: str, new: str) -> None:
    there = job(MATRIX.format(values), LOGIN.format(condition) + MAKE)
    made = patch(LET, "build", OWN, captures=IMAGE, repository=there)
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made) == [f"-if: {condition}", f"+if: {new}"]


@pytest.mark.parametrize(
    ("values", "condition", "image", "state"),
    [
        ("cuda, npu", "matrix.device == 'npu'", IMAGE["image"], PatchState.IN_PLACE),
        ("cuda, tpu", "matrix.device == 'npu'", IMAGE["image"], PatchState.REFUSED),
        ("cuda, npu-a2", "matrix.device == 'npu'", "docker.io/example/train", PatchState.REFUSED),
        ("cuda, npu-a2", "always()", IMAGE["image"], PatchState.REFUSED),
        ("cuda, npu-a2", "startsWith(matrix.device, 'npu')", IMAGE["image"], PatchState.IN_PLACE),
    ],
)
def test_a_login_that_may_be_right_stays(values: str, condition: str, image: str, state: PatchState) -> None:
    there = job(MATRIX.format(values), LOGIN.format(condition) + MAKE)
    assert draft(LET, "build", OWN, captures={"image": image}, repository=there).state is state


RULES = "      - uses: docker/metadata-action@v5\n        with:\n          images: a\n          tags: |\n            type=raw,value=x\n            {0}\n"


@pytest.mark.parametrize(("old", "new"), [("push", "branch"), ("pull_request", "pr"), ("release", "tag")])
def test_a_rule_for_an_image_names_the_event_as_the_action_does(old: str, new: str) -> None:
    there = job("    runs-on: ubuntu-latest\n", RULES.format(f"type=ref,event={old}") + MAKE)
    rule = RepairTagRule("{rule}")
    made = patch(rule, "build", OWN, captures={"rule": f"type=ref,event={old}"}, repository=there)
    assert changed(made) == [f"-type=ref,event={old}", f"+type=ref,event={new}"], made.reason
    missing = {"rule": "type=raw,event=workflow_dispatch"}
    assert draft(rule, "build", OWN, captures=missing, repository=there).state is PatchState.ADVICE


HEAD = "    runs-on: self-hosted-cpu\n"
CALLS = "      - uses: actions/checkout@v4\n      - name: Install\n        run: pip install regex\n"
SETS = "      - name: Python\n        uses: actions/setup-python@v6\n        with:\n          python-version: '3.12'\n"
ELSE = f"on: push\njobs:\n  lint:\n    runs-on: self-hosted-cpu\n    steps:\n{SETS}"


def test_a_machine_without_the_language_gets_the_step_that_other_jobs_have() -> None:
    there = job(HEAD, CALLS, {OTHER: ELSE})
    made = patch(SetUpLanguage("{c}"), "build", OWN, captures={"c": "pip"}, repository=there, step="Install")
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made) == ["+- name: Python", "+uses: actions/setup-python@v6", "+with:", "+python-version: '3.12'"]


@pytest.mark.parametrize(
    ("head", "steps", "files", "command", "state"),
    [
        (HEAD, SETS + CALLS, {OTHER: ELSE}, "pip", PatchState.IN_PLACE),
        (HEAD, CALLS, {}, "pip", PatchState.ADVICE),
        (HEAD, CALLS, {OTHER: ELSE.replace("'3.12'", "${{ matrix.python }}")}, "pip", PatchState.ADVICE),
        (f"{HEAD}    container: example/image:1\n", CALLS, {OTHER: ELSE}, "pip", PatchState.REFUSED),
        (HEAD, CALLS, {OTHER: ELSE}, "nvcc", PatchState.REFUSED),
    ],
)
def test_where_it_is_set_up_or_nothing_says_how_it_stays(
    head: str, steps: str, files: dict[str, str], command: str, state: PatchState
) -> None:
    there = job(head, steps, files)
    made = draft(SetUpLanguage("{c}"), "build", OWN, captures={"c": command}, repository=there, step="Install")
    assert made.state is state, made.reason


def test_a_python_of_its_own_is_set_up_where_other_jobs_do_so() -> None:
    """Also with the release that the file's own `env` names."""
    pip = SetUpLanguage("pip", as_siblings=True)
    made = patch(pip, "build", OWN, repository=job(HEAD, CALLS, {OTHER: ELSE}), step="Install")
    assert "+uses: actions/setup-python@v6" in changed(made), made.reason
    assert draft(pip, "build", OWN, repository=job(HEAD, CALLS), step="Install").state is PatchState.REFUSED
    second = f"  other:\n{HEAD}    steps:\n{SETS}{CALLS}".replace("'3.12'", "${{ env.PY }}")
    own = job(HEAD, f"{CALLS}{second}").read(OWN).decode().replace("jobs:", "env: {PY: '3.12'}\njobs:")
    made = patch(pip, "build", OWN, repository=tree({OWN: own}), step="Install")
    assert "+python-version: ${{ env.PY }}" in changed(made), made.reason


def test_no_step_of_the_job_sets_a_python_up_inside_an_image_that_it_builds() -> None:
    pip, inside = SetUpLanguage("pip", as_siblings=True), Facts(build=BuildStep("pip install wheel"))
    there = job(HEAD, CALLS, {OTHER: ELSE})
    made = draft(pip, "build", OWN, repository=there, step="Install", facts=inside)
    assert made.state is PatchState.REFUSED
    assert "in an image's build" in made.reason


UPLOAD = (
    "      - name: Upload\n{0}        uses: softprops/action-gh-release@v2\n        with:\n          files: dist/*\n"
)
PUBLISH = "      - name: Publish\n        if: {0}\n        uses: pypa/gh-action-pypi-publish@release/v1\n"


@pytest.mark.parametrize(
    ("rest", "condition"),
    [
        (PUBLISH.format("startsWith(github.event.ref, 'refs/tags') || github.event_name == 'release'"), ""),
        (PUBLISH.format("github.ref_type == 'tag'"), ""),
        ("", "startsWith(github.ref, 'refs/tags/')"),
    ],
)
def test_a_release_is_made_in_runs_of_tags_alone(rest: str, condition: str) -> None:
    there = job("    runs-on: ubuntu-latest\n", UPLOAD.format("") + rest)
    made = patch(PublishGuard(tags=True), "build", OWN, repository=there, step="Upload")
    wanted = condition or rest.split("if: ")[1].splitlines()[0]
    assert changed(made) == [f"+if: {wanted}"], made.reason


def test_one_with_a_condition_of_its_own_is_left_to_people() -> None:
    for written, state in (("always()", PatchState.ADVICE), ("github.ref_type == 'tag'", PatchState.IN_PLACE)):
        there = job("    runs-on: ubuntu-latest\n", UPLOAD.format(f"        if: {written}\n"))
        assert draft(PublishGuard(tags=True), "build", OWN, repository=there, step="Upload").state is state


SUDO = "      - name: Build\n        run: sudo python docs/build.py\n"
PUSH = "      - name: Push\n        run: |\n          {0}\n          doc-builder push out\n"


@pytest.mark.parametrize(
    ("before", "line", "program", "path"),
    [
        (SUDO, "chmod ugo+rwx out", "chmod", "out"),
        (SUDO, "rm -rf build/docs", "rm", "build/docs/index.html"),
        ("", "cp run.conf /etc/docker/daemon.json", "cp", "/etc/docker/daemon.json"),
    ],
)
def test_what_touches_roots_files_runs_by_sudo(before: str, line: str, program: str, path: str) -> None:
    there = job("    runs-on: ubuntu-latest\n", before + PUSH.format(line))
    held = {"program": program, "path": path}
    made = patch(AsRoot("{program}", "{path}"), "build", OWN, captures=held, repository=there, step="Push")
    assert changed(made) == [f"-{line}", f"+sudo {line}"], made.reason


@pytest.mark.parametrize(
    ("head", "before", "line", "program", "path"),
    [
        ("    runs-on: ubuntu-latest\n", "", "chmod +x out", "chmod", "out"),
        ("    runs-on: ubuntu-latest\n    container: a/b:1\n", SUDO, "chmod +x out", "chmod", "out"),
        ("    runs-on: ubuntu-latest\n", SUDO, "chmod +x out", "chmod", "other"),
        ("    runs-on: ubuntu-latest\n", SUDO, "python write.py out", "python", "out"),
    ],
)
def test_what_nothing_says_is_roots_stays(head: str, before: str, line: str, program: str, path: str) -> None:
    held = {"program": program, "path": path}
    there = job(head, before + PUSH.format(line))
    made = draft(AsRoot("{program}", "{path}"), "build", OWN, captures=held, repository=there, step="Push")
    assert made.state is PatchState.REFUSED


OF_MATRIX = (
    "    strategy:\n      matrix:\n        os: [ubuntu-22.04, windows-latest]\n{0}    runs-on: ${{{{ matrix.os }}}}\n"
)


@pytest.mark.parametrize(
    ("matrix", "steps"),
    [
        ("        exclude:\n          - os: windows-latest\n", MAKE),
        ("", "      - if: matrix.os == 'windows-latest'\n        run: make\n"),
        ("", "      - run: cp a dist/windows-latest\n"),
        ("", MAKE + "  other:\n    runs-on: x\n    steps:\n      - run: get wheel-windows-latest\n"),
    ],
)
def test_a_value_of_the_matrix_that_others_go_by_stays(matrix: str, steps: str) -> None:
    made = draft(PIN, "build", OWN, repository=job(OF_MATRIX.format(matrix), steps))
    assert made.state is PatchState.ADVICE
    assert not made.edits


def test_the_machine_of_another_job_is_another_matter() -> None:
    other = "  other:\n    runs-on: windows-latest\n    steps:\n      - run: make\n"
    assert patch(PIN, "build", OWN, repository=job(OF_MATRIX.format(""), MAKE + other)).state is PatchState.PATCH


def test_a_condition_that_is_turned_round_is_left() -> None:
    there = job(MATRIX.format("npu-a2, npu-a3"), LOGIN.format("${{ !(matrix.device == 'npu') }}") + MAKE)
    assert draft(LET, "build", OWN, captures=IMAGE, repository=there).state is PatchState.REFUSED
