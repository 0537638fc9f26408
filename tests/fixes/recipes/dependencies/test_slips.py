"""Slips in requirements: which ones have one reading, and where the mended text goes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.fixes.recipes.dependencies.slips import mended
from triage.model.patch import PatchState
from triage.model.recipe import RepairRequirement

CI = ".github/workflows/ci.yml"
REPAIR = RepairRequirement("{requirement}")


def repository(command: str, **files: str) -> MemoryTree:
    ci = f"on: push\njobs:\n  test:\n    runs-on: [gpu-8]\n    steps:\n      - run: {command}\n"
    return tree({CI: ci, **{path.replace("_dot_", "."): text for path, text in files.items()}})


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("tensors==0.6,2", "tensors==0.6.2"),
        ("tensors=0.6", "tensors==0.6"),
        ("tensors[fast]=>0.6", "tensors[fast]>=0.6"),
        ("tensors==>=0.6", "tensors>=0.6"),
        ("tensors>=0.6<0.7", "tensors>=0.6,<0.7"),
        ("tensors-cu12>=0.6<0.7", "tensors-cu12>=0.6,<0.7"),
        ("tensors>=0.6,", "tensors>=0.6"),
        ("tensors==0.6.", "tensors==0.6"),
        ("tensors~=1.", "tensors~=1.0"),
        ("tensors~=12", "tensors~=12.0"),
        ("tensors~=1.9.", "tensors~=1.9"),
        ("tensors~=1.9", ""),
        ("tensors>=1", ""),
        ("[quality,test]", ".[quality,test]"),
        ("[quality,]", ""),
        ("tensors==0.6", ""),
        ("tensors", ""),
        ("tensors>=0.6,<0.7", ""),
        ("tensors==0.6,2=3", ""),
        ("tensors>=1,2", ""),
        ("tensors==1.0,2.0", ""),
        ("/tmp/*", ""),
        ("-e", ""),
        ("", ""),
    ],
)
def test_a_slip_is_mended_where_one_reading_makes_sense(text: str, meant: str) -> None:
    assert mended(text) == meant


@given(st.text(alphabet="ab=<>!~.,12[] /", max_size=20))
def test_what_is_mended_is_sound(text: str) -> None:
    new = mended(text)
    assert not new or (new != text and mended(new) == "")


def test_the_word_of_the_command_is_mended() -> None:
    files = repository('pip install "tensors==0.6,2" --no-deps')
    proved = patch(REPAIR, "test", CI, repository=files, captures={"requirement": "tensors==0.6,2"})
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1] == '+- run: pip install "tensors==0.6.2" --no-deps'


def test_the_line_of_the_file_that_is_installed_is_mended() -> None:
    files = repository("pip install -r requirements.txt", requirements_dot_txt="speed\ntensors=0.6  # held\n")
    captures = {"requirement": "tensors=0.6 (from line 2 of requirements.txt)"}
    proved = patch(REPAIR, "test", CI, repository=files, captures=captures)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-tensors=0.6  # held", "+tensors==0.6  # held"]


def test_what_has_no_single_reading_is_only_named() -> None:
    files = repository("pip install tensors==0.6,2=3")
    made = draft(REPAIR, "test", CI, repository=files, captures={"requirement": "tensors==0.6,2=3"})
    assert made.state is PatchState.ADVICE
    assert f"{CI}:6" in made.reason


def test_what_the_job_does_not_write_is_refused() -> None:
    made = draft(REPAIR, "test", CI, repository=repository("pip install a"), captures={"requirement": "b=1"})
    assert made.state is PatchState.REFUSED


def test_a_sound_requirement_is_not_called_a_slip() -> None:
    files = repository("pip install tensors")
    assert draft(REPAIR, "test", CI, repository=files, captures={"requirement": "tensors"}).state is PatchState.REFUSED


@pytest.mark.parametrize("shell", ["bash", "arch -arch arm64 bash {0}"])
def test_extras_without_a_folder_are_those_of_the_checkout(shell: str) -> None:
    run = "${RUN} python -m uv pip install -e [test]"
    step = f"      - name: Install\n        shell: {shell}\n        run: |\n          {run}\n"
    there = tree({CI: f"on: [push]\njobs:\n  unit:\n    runs-on: [gpu]\n    steps:\n{step}"})
    made = patch(REPAIR, "unit", CI, step="Install", captures={"requirement": "[test]"}, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == '+${RUN} python -m uv pip install -e ".[test]"'


def test_the_line_of_the_list_that_the_project_reads_is_mended() -> None:
    setup = "from setuptools import setup\nsetup(install_requires=open('requirements.txt').read().splitlines())\n"
    files = repository("python setup.py bdist_wheel", setup_dot_py=setup, requirements_dot_txt="speed\ntensors>=1<2\n")
    proved = patch(REPAIR, "test", CI, repository=files, captures={"requirement": "tensors>=1<2"})
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-tensors>=1<2", "+tensors>=1,<2"]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("speed+https://code.example/ours/Speed.git", "git+https://code.example/ours/Speed.git#egg=speed"),
        ("my-speed+https://code.example/a/b.git@v1.2", "git+https://code.example/a/b.git@v1.2#egg=my-speed"),
        ("git+https://code.example/ours/Speed.git", ""),
        ("speed+ftp://code.example/ours/Speed.git", ""),
        ("speed+https://code.example/ours/speed-1.0.tar.gz", ""),
    ],
)
def test_a_name_in_the_place_of_the_version_control_system(text: str, meant: str) -> None:
    assert mended(text) == meant


@pytest.mark.parametrize(
    ("said", "path"),
    [("tensors=0.6", "requirements.txt"), ("tensors=0.6 (from line 2 of requirements.txt)", "requirements.txt")],
)
def test_without_a_job_the_list_that_holds_it_is_mended(said: str, path: str) -> None:
    there = tree({"requirements.txt": "speed\ntensors=0.6\n", "docs/requirements-docs.txt": "themes\n"})
    proved = patch(REPAIR, "", "", repository=there, captures={"requirement": said})
    assert (proved.state, proved.files, changed(proved)) == (
        PatchState.PATCH,
        (path,),
        ["-tensors=0.6", "+tensors==0.6"],
    )


def test_without_a_job_what_no_list_holds_is_left() -> None:
    made = draft(REPAIR, "", "", repository=tree({"requirements.txt": "speed\n"}), captures={"requirement": "a=1"})
    assert made.state is PatchState.REFUSED


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", '[project]\ndependencies = [\n  "rich",\n  "tensors=>0.6",\n]\n'),
        ("setup.py", "setup(install_requires=['rich', 'tensors=>0.6'])\n"),
    ],
)
@pytest.mark.parametrize("job", ["test", ""])
def test_what_describes_the_project_holds_requirements_too(path: str, text: str, job: str) -> None:
    held = tree({CI: "on: push\njobs:\n  test:\n    runs-on: x\n    steps:\n      - run: pip install .\n", path: text})
    made = draft(REPAIR, job, CI if job else "", captures={"requirement": "tensors=>0.6"}, repository=held)
    assert [(edit.path, edit.new) for edit in made.edits] == [(path, b"tensors>=0.6")], made.reason
