"""Paths that no workflow names: told from a script's own folder, entered behind a clone, lacking in an image, of tests."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import MendFile, RepairWorkflow

STALE = RepairWorkflow(path="{path}")


def found(files: Mapping[str, str], path: str, script: str = "", facts: Facts = Facts()) -> Patch:
    captures = {"path": path, **({"script": script} if script else {})}
    return patch(STALE, "", "", captures=captures, facts=facts, repository=tree(dict(files)))


@pytest.mark.parametrize(
    ("line", "ran", "new"),
    [
        ('source "${DIR}/../../models/small.sh"', "/root/train/examples/low/../../models/small.sh", '"${DIR}/../../scripts/models/small.sh"'),
        (". $HERE/small.sh", "/b/w/train/examples/low/small.sh", "$HERE/../../scripts/models/small.sh"),
        ('bash "$(dirname "$0")/../models/small.sh" 1', "examples/low/../models/small.sh", '../../scripts/models/small.sh" 1'),
    ],
)  # fmt: skip
def test_a_path_behind_the_scripts_own_folder(line: str, ran: str, new: str) -> None:
    files = {"examples/low/run.sh": f"set -e\n{line}\n", "scripts/models/small.sh": "A=1\n"}
    made = found(files, ran, "examples/low/run.sh")
    assert made.state is PatchState.PATCH, made.reason
    assert new in changed(made)[1]


def test_a_remark_stays_and_of_two_folders_none_is_guessed() -> None:
    told = 'source "${DIR}/../../models/small.sh"\n'
    files = {"examples/low/run.sh": f"# {told}{told}", "scripts/models/small.sh": "A=1\n"}
    ran = "/root/train/examples/low/../../models/small.sh"
    assert len(changed(found(files, ran, "examples/low/run.sh"))) == 2
    two = {**files, "examples/low/run.sh": told.replace("source", "cat").replace("DIR", "OUT") + told}
    assert found(two, ran, "examples/low/run.sh").state is not PatchState.PATCH


def test_of_several_files_of_the_name_none_is_guessed() -> None:
    files = {"a/run.sh": 'source "${DIR}/x/small.sh"\n', "b/small.sh": "", "c/small.sh": ""}
    assert found(files, "/w/a/x/small.sh", "a/run.sh").state is PatchState.REFUSED
    assert found({**files, "a/x/small.sh": ""}, "/w/a/x/small.sh", "a/run.sh").state is not PatchState.PATCH


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("ci/tpu.sh", "git clone https://x.example/org/engine.git\ncd train\n"),
        ("ci/job.jsonnet", "{ run: |||\n  git clone --depth=1 https://x.example/org/engine\n  cd train\n||| }\n"),
        (".gitlab-ci.yml", "job:\n  script:\n    - git clone https://x.example/org/engine.git && cd train\n"),
    ],
)
def test_the_clone_is_entered_by_the_name_that_it_has(path: str, text: str) -> None:
    other = {"docker/Dockerfile": "FROM a\nRUN git clone https://x.example/org/engine.git && cd train\n"}
    made = found({path: text, **other}, "train")
    assert made.state is PatchState.PATCH, made.reason
    assert made.files == (path,)
    assert changed(made)[1].endswith("cd engine")
    built = Facts(build=BuildStep("Dockerfile", {2: "RUN git clone https://x.example/org/engine.git && cd train"}))
    assert found({path: text, **other}, "train", facts=built).files == ("docker/Dockerfile",)


def test_a_clone_into_a_folder_of_its_own_name_or_elsewhere_is_left() -> None:
    for text in (
        "git clone https://x.example/a.git train\ncd train\n",
        "git clone https://x.example/a.git\nmake\ncd train\n",
    ):
        assert found({"ci/a.sh": text}, "train").state is PatchState.REFUSED


IMAGE = "FROM a AS base\nWORKDIR /work\nCOPY examples examples\nRUN pip install x\n"
TREE = {"examples/a.py": "", "bench/run.py": ""}


@pytest.mark.parametrize("text", [IMAGE, IMAGE + "FROM base\nCMD x\n", "FROM b\nCOPY . /src\n" + IMAGE])
def test_a_folder_is_copied_as_its_sibling_is(text: str) -> None:
    made = found({**TREE, "docker/Dockerfile": text}, "/work/bench/run.py")
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["+COPY bench bench"]


def test_the_copy_is_written_as_the_ones_before_it_and_not_past_what_keeps_the_folder_out() -> None:
    files = {"Dockerfile": IMAGE.replace("COPY", "COPY --chown=me"), "examples/a.py": "", "bench/run.py": ""}
    assert changed(found(files, "/work/bench/run.py")) == ["+COPY --chown=me bench bench"]
    windows = MemoryTree({path: text.replace("\n", "\r\n").encode() for path, text in files.items()})
    made = patch(STALE, "", "", captures={"path": "/work/bench/run.py"}, repository=windows)
    assert "\n+COPY --chown=me bench bench\r\n" in made.diff
    assert len(changed(made)) == 1
    for rules, state in (("bench\n", PatchState.ADVICE), ("*\n!examples\n!bench/\n", PatchState.PATCH)):
        assert found({**files, ".dockerignore": rules}, "/work/bench/run.py").state is state


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (IMAGE, "/work/bench/other.py"),
        (IMAGE, "/src/bench/run.py"),
        (IMAGE + "COPY . .\n", "/work/bench/run.py"),
        (IMAGE + "COPY bench/a.txt .\n", "/work/bench/run.py"),
        (IMAGE.replace("COPY examples examples\n", ""), "/work/bench/run.py"),
    ],
)
def test_an_image_that_has_it_or_that_is_not_meant_stays(text: str, path: str) -> None:
    assert found({**TREE, "docker/Dockerfile": text}, path).state is not PatchState.PATCH
    twice = {**TREE, "docker/Dockerfile": IMAGE, "docker/Dockerfile.cpu": IMAGE}
    assert found(twice, "/work/bench/run.py").state is not PatchState.PATCH


TESTS = (
    "import pytest\n@pytest.mark.x\ndef test_step(n):\n    def test_within(): ...\nclass TestA:\n    def test_inner(self): ...\n"
    "class TestB(Base): ...\n"
)


def named(call: str, test: str, files: Mapping[str, str] | None = None) -> Patch:
    own = {"ci/run.sh": f"set -e\n{call}\n", "tests/test_a.py": TESTS, **(files or {})}
    captures = {"path": "/w/train/tests/test_a.py", "test": test}
    return patch(MendFile("test-name"), "", "", captures=captures, repository=tree(own))


@pytest.mark.parametrize(
    ("call", "test", "new"),
    [
        ("pytest tests/test_a.py::test_step[8-x/y.z]", "test_step[8-x/y.z]", "pytest tests/test_a.py::test_step"),
        ("cd tests && pytest test_a.py::test_stepp -x", "test_stepp", "cd tests && pytest test_a.py::test_step -x"),
        ("pytest tests/test_a.py::test_stpe[a]", "test_stpe[a]", "pytest tests/test_a.py::test_step[a]"),
        ("pytest tests/test_a.py::TestO::test_inner", "TestO::test_inner", "pytest tests/test_a.py::TestA::test_inner"),
        ("pytest tests/test_a.py::test_inner", "test_inner", "pytest tests/test_a.py::TestA::test_inner"),
        ("pytest tests/test_a.py::test_far", "test_far", "pytest tests/deep/test_b.py::TestFar::test_far"),
        ("pytest tests/test_a.py::test_gone", "test_gone", "pytest tests/deep/test_b.py::test_gone"),
    ],
)
def test_a_test_by_the_name_that_it_has(call: str, test: str, new: str) -> None:
    deep = "def test_gone(): ...\nclass TestFar:\n    def test_far(self): ...\n"
    made = named(call, test, {"tests/deep/test_b.py": deep})
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [f"-{call}", f"+{new}"]


def test_a_test_that_nothing_has_or_several_have_is_not_guessed() -> None:
    assert named("pytest tests/test_a.py::test_other_thing", "test_other_thing").state is PatchState.REFUSED
    assert named("pytest tests/test_a.py::test_step", "test_step").state is PatchState.REFUSED
    # Another class's, one inside of a function, one that its class may have from another.
    for test in ("TestA::test_stpe", "test_withni", "TestB::test_inner"):
        assert named(f"pytest tests/test_a.py::{test}", test).state is PatchState.REFUSED
    twice = {f"tests/{one}/test_b.py": "def test_gone(): ...\n" for one in "xy"}
    assert named("pytest tests/test_a.py::test_gone", "test_gone", twice).state is PatchState.REFUSED


@pytest.mark.parametrize(
    "script",
    [
        "case $1 in\n  a)\n    cd tests\n    make\n    ;;\n  b)\n    cd tests\n    pytest unit/chat/test_x.py\n    ;;\nesac\n",
        'cd "$ROOT"\ncd tests\npytest unit/chat/test_x.py\n',
        "cd tests\npytest unit/chat/test_x.py\n",
    ],
)
def test_a_file_that_went_one_folder_deeper(script: str) -> None:
    files = {
        "ci/run.sh": script,
        "tests/unit/more/chat/test_x.py": "",
        "tests/models/test_x.py": "",
        "tests/unit/chat/test_y.py": "",
    }
    made = found(files, "unit/chat/test_x.py")
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1].endswith("pytest unit/more/chat/test_x.py")
