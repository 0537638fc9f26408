"""Packages that conda installs: the command or the environment file is the place, never a pip line beside it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.fixes.recipes.dependencies.conda import as_conda, read_spec
from triage.fixes.recipes.dependencies.versions import satisfied
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipInstall, PipPin

CI = ".github/workflows/ci.yml"
BELOW = PipPin("ray", "<{installed}")
FACTS = Facts(installed={"ray": "2.47.0"})


def repository(*steps: str, **files: str) -> MemoryTree:
    listed = "".join(f"      - {step}\n" for step in (*steps, "run: pytest"))
    workflow = f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n{listed}"
    named = {path.replace("_dot_", "."): text for path, text in files.items()}
    return MemoryTree({path: text.encode() for path, text in {CI: workflow, **named}.items()})


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("conda install -y ray", '+- run: conda install -y "ray<2.47.0"'),
        ("mamba install -n train -c conda-forge ray numpy", '+- run: mamba install -n train -c conda-forge "ray<2.47.0" numpy'),
        ("micromamba create -n train python=3.12 'ray>=2.9'", "+- run: micromamba create -n train python=3.12 'ray>=2.9,<2.47.0'"),
        ("conda install -c conda-forge ray-default", '+- run: conda install -c conda-forge "ray-default<2.47.0"'),
        ("conda install conda-forge::ray", '+- run: conda install "conda-forge::ray<2.47.0"'),
        ("conda run -n base mamba install ray", '+- run: conda run -n base mamba install "ray<2.47.0"'),
    ],
)  # fmt: skip
def test_a_package_is_bounded_where_conda_is_given_it(command: str, line: str) -> None:
    made = repository("run: pip install numpy", f"run: {command}")
    proved = patch(BELOW, "test", CI, facts=FACTS, repository=made)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1:] == [line]


@pytest.mark.parametrize("spec", ["ray=2.40", "ray==2.40.0", "ray=2.40=py311h1_0", "ray=2.40.*"])
def test_a_series_that_conda_holds_did_not_move(spec: str) -> None:
    found = draft(BELOW, "test", CI, facts=FACTS, repository=repository(f"run: conda install {spec}"))
    assert found.state is PatchState.REFUSED
    assert spec.partition("=")[0] in found.reason
    assert not found.edits


@pytest.mark.parametrize(
    ("spec", "wanted", "line"),
    [
        ("ray=2.47", "==2.46.0", "+- run: conda install ray==2.46.0"),
        ("ray=2.47=py311h1_0", "==2.46.0", "+- run: conda install ray==2.46.0"),
        ("ray=2.47", "<2.47.5", '+- run: conda install "ray=2.47,<2.47.5"'),
    ],
)
def test_an_older_release_takes_the_place_of_the_one_named(spec: str, wanted: str, line: str) -> None:
    proved = patch(PipPin("ray", wanted), "test", CI, repository=repository(f"run: conda install {spec}"))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1:] == [line]


def test_a_local_version_is_none_of_condas() -> None:
    made = repository("run: conda install -c pytorch pytorch")
    found = draft(PipPin("torch", "==2.9.0+cu128"), "test", CI, repository=made)
    assert found.state is PatchState.ADVICE
    assert f"{CI}:6" in found.reason
    assert not found.edits


def test_pytorch_is_torch() -> None:
    proved = patch(PipPin("torch", "<2.9"), "test", CI, repository=repository("run: conda install pytorch"))
    assert changed(proved)[1:] == ['+- run: conda install "pytorch<2.9"']


ENVIRONMENT = """\
name: train
dependencies:
  - python=3.11
  - numpy>=1.26
  - pip
  - pip:
    - ray # newest
    - "transformers>=4.50"
    - -r requirements.txt
"""


@pytest.mark.parametrize(
    "step",
    [
        "run: conda env update -f environment.yml",
        "run: mamba env create",
        "run: conda env create --file=environment.yml",
        "uses: conda-incubator/setup-miniconda@v3\n        with: {environment-file: environment.yml}",
    ],
)
@pytest.mark.parametrize(
    ("recipe", "line"),
    [
        (BELOW, '+- "ray<2.47.0" # newest'),
        (PipPin("numpy", "<2"), '+- "numpy>=1.26,<2"'),
        (PipPin("transformers", "<5"), '+- "transformers>=4.50,<5"'),
        (PipPin("python", "==3.10.1"), "+- python==3.10.1"),
    ],
)
def test_an_environment_file_is_edited_in_place(step: str, recipe: PipPin, line: str) -> None:
    made = repository(step, "run: pip install -e .", environment_dot_yml=ENVIRONMENT)
    proved = patch(recipe, "test", CI, facts=FACTS, repository=made)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1:] == [line]
    assert proved.files == ("environment.yml",)


def test_a_file_that_the_pip_list_includes_is_a_place() -> None:
    made = repository("run: conda env create", environment_dot_yml=ENVIRONMENT, requirements_dot_txt="accelerate\n")
    proved = patch(PipPin("accelerate", "<2"), "test", CI, repository=made)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-accelerate", "+accelerate<2"]


def test_an_environment_that_no_step_reads_is_none() -> None:
    made = repository("run: pip install ray", environment_dot_yml=ENVIRONMENT)
    proved = patch(BELOW, "test", CI, facts=FACTS, repository=made)
    assert proved.files == (CI,)


@pytest.mark.parametrize("files", [{}, {"environment_dot_yml": ENVIRONMENT}])
def test_where_conda_alone_installs_the_words_name_its_place(files: dict[str, str]) -> None:
    """Its environment would not see what a pip line, or the image, brings."""
    steps = ["run: conda env create"] if files else ["run: conda install -y numpy"]
    made = repository(*steps, **files)
    found = draft(PipPin("datasets", "<4"), "test", CI, repository=made)
    assert found.state is PatchState.ADVICE
    assert ("environment.yml" if files else f"{CI}:6") in found.reason
    assert "image" not in found.reason
    assert not found.edits


@pytest.mark.parametrize("step", ["run: conda install -y ray", "run: conda env create"])
def test_what_conda_installs_is_not_installed_again(step: str) -> None:
    missing = PipInstall(module="{module}", form="pinned")
    files = {"environment_dot_yml": ENVIRONMENT} if "env" in step else {}
    made = repository(step, "run: pip install numpy", requirements_dot_txt="ray==2.40\n", **files)
    found = draft(missing, "test", CI, captures={"module": "ray"}, repository=made)
    assert found.state is PatchState.IN_PLACE, found.reason


@given(st.text(alphabet="ray=<>!~,.*0123456789 :-_[]|'+", max_size=24))
@example("0=0!")
@example("ray=2+0")
def test_any_text_reads_as_a_spec_or_as_none(text: str) -> None:
    for named in read_spec(text, "f", 1):
        assert named.written
        assert satisfied(named.pin, "1.0") in (True, False)
        assert "*" not in as_conda(named.pin).replace("!=", "")


@pytest.mark.parametrize(
    ("spec", "pins"),
    [
        ("torch=2.1+cu118", ["==2.1+cu118"]),
        ("torch==2.1+cu118=py311_0", ["==2.1+cu118"]),
        ("torch=2.1+cu*", []),
        ("ray=1!2.0", ["==1!2.0.*"]),
        ("ray=1!", []),
    ],
)
def test_epochs_and_local_parts_read_as_pip_writes_them(spec: str, pins: list[str]) -> None:
    assert [named.pin for named in read_spec(spec, "f", 1)] == pins


@given(st.lists(st.integers(0, 40), min_size=1, max_size=3).map(lambda parts: ".".join(map(str, parts))))
def test_a_series_of_conda_is_a_series_of_pip(version: str) -> None:
    (named,) = read_spec(f"ray={version}", "f", 1)
    assert satisfied(named.pin, f"{version}.7")
    assert as_conda(f"ray{named.pin}") == f"ray={version}"
