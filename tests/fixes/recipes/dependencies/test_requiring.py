"""A bound on what came in through something else goes where the project says what it requires."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipPin

CI = ".github/workflows/ci.yml"
FACTS = Facts(installed={"pyarrow": "21.0.0"})
PIN = PipPin(module="pyarrow", spec="<{installed}")


def repository(dependencies: str, run: str = "pip install -e .", **files: str) -> MemoryTree:
    workflow = f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: |\n          {run}\n"
    project = f'[project]\nname = "train"\ndependencies = {dependencies}\n'
    named = {path.replace("__", "."): content for path, content in files.items()}
    return tree({CI: workflow, "pyproject.toml": project, **named})


@pytest.mark.parametrize(
    ("dependencies", "lines"),
    [
        (
            '["torch", "datasets"]',
            ['-dependencies = ["torch", "datasets"]', '+dependencies = ["torch", "datasets", "pyarrow<21.0.0"]'],
        ),
        ('[\n    "torch",\n    "datasets",  # glue\n]', ['+"pyarrow<21.0.0",']),
        (
            '[\n    "torch",  # first\n    "datasets"  # glue\n]',
            ['-"datasets"  # glue', '+"datasets",  # glue', '+"pyarrow<21.0.0"'],
        ),
        ("[\n  'torch',\n  'datasets'\n]", ["-'datasets'", "+'datasets',", "+'pyarrow<21.0.0'"]),
    ],
)
def test_the_list_is_continued_as_it_is_written(dependencies: str, lines: list[str]) -> None:
    proved = patch(PIN, "test", CI, facts=FACTS, repository=repository(dependencies))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == lines


@pytest.mark.parametrize(("command", "state"), [("uv sync", PatchState.PATCH), ("uv sync --locked", PatchState.ADVICE)])
def test_a_lock_that_the_job_holds_to_is_renewed_by_a_person(command: str, state: PatchState) -> None:
    proved = patch(PIN, "test", CI, facts=FACTS, repository=repository('["torch"]', command, uv__lock="version = 1\n"))
    assert proved.state is state, proved.reason
    assert "`uv lock`" in " ".join((proved.reason, *proved.notes))
    assert '+dependencies = ["torch", "pyarrow<21.0.0"]' in proved.diff


EXTRAS = """
[project]
name = "train"
dependencies = ["torch"]
[project.optional-dependencies]
test = ["pytest", "tables"]
trackers = ["wandb", "pyarrow-live"]
serve = ["pyarrow-serve"]
"""


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("pip install -e '.[test,trackers]'", '+trackers = ["wandb", "pyarrow-live", "pyarrow<21.0.0"]'),
        ("pip install -e '.[test]'", '+test = ["pytest", "tables", "pyarrow<21.0.0"]'),
        ("pip install -e .", '+dependencies = ["torch", "pyarrow<21.0.0"]'),
    ],
)
def test_the_bound_stands_beside_a_relative_else_in_what_the_job_chooses(command: str, line: str) -> None:
    files = repository('["torch"]', command)
    files = MemoryTree({**files.files, "pyproject.toml": EXTRAS.encode()})
    proved = patch(PIN, "test", CI, facts=FACTS, repository=files)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1:] == [line]


SETUP = """
from setuptools import setup

base = ["torch"]
extras = {}
extras["test"] = [
    "pytest",
    "tables",  # reads arrow
]
extras["trackers"] = ["wandb", 'pyarrow-live']
extras["dev"] = extras["test"] + extras["trackers"]
setup(name="train", install_requires=base, extras_require=extras)
"""


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("pip install -e '.[dev]'", ['-base = ["torch"]', '+base = ["torch", "pyarrow<21.0.0"]']),
        ("pip install -e '.[test]'", ['+"pyarrow<21.0.0",']),
        (
            "pip install -e '.[trackers]'",
            [
                '-extras["trackers"] = ["wandb", \'pyarrow-live\']',
                "+extras[\"trackers\"] = [\"wandb\", 'pyarrow-live', 'pyarrow<21.0.0']",
            ],
        ),
    ],
)
def test_lists_of_a_setup_file(command: str, lines: list[str]) -> None:
    workflow = repository("[]", command).files[CI]
    proved = patch(PIN, "test", CI, facts=FACTS, repository=MemoryTree({CI: workflow, "setup.py": SETUP.encode()}))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == lines


def test_a_list_from_which_a_program_picks_is_not_continued() -> None:
    picked = """
from setuptools import setup

_deps = ["torch", "tables"]
deps = {one: one for one in _deps}
setup(name="train", install_requires=[deps["torch"]], extras_require={"test": [deps["tables"]]})
"""
    workflow = repository("[]", "pip install -e '.[test]'").files[CI]
    found = draft(PIN, "test", CI, facts=FACTS, repository=MemoryTree({CI: workflow, "setup.py": picked.encode()}))
    assert found.state is PatchState.ADVICE
    assert not found.edits


def test_what_an_extra_names_that_the_job_does_not_install_is_bounded_where_it_came_in() -> None:
    text = EXTRAS.replace("pyarrow-serve", "pyarrow>=20")
    files = repository('["torch"]', "pip install -e '.[test]'")
    files = MemoryTree({**files.files, "pyproject.toml": text.encode()})
    brought = Facts(installed={"pyarrow": "21.0.0"}, brought=frozenset({"pyarrow"}))
    assert '+test = ["pytest", "tables", "pyarrow<21.0.0"]' in changed(
        patch(PIN, "test", CI, facts=brought, repository=files)
    )
    before = Facts(installed={"pyarrow": "21.0.0"}, brought=frozenset())
    found = draft(PIN, "test", CI, facts=before, repository=files)
    assert found.state is PatchState.ADVICE
    assert "image" in found.reason


def test_what_a_clone_brought_in_is_held_in_the_job() -> None:
    run = "git clone https://git.example/other\n          cd other\n          pip install .[testing]"
    files = tree({CI: f"on: push\njobs:\n  test:\n    runs-on: x\n    steps:\n      - run: |\n          {run}\n"})
    proved = patch(PIN, "test", CI, facts=FACTS, repository=files)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ['+pip install "pyarrow<21.0.0"']


SIBLINGS = """
on: push
env:
  TORCH: "2.8.0"
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - run: pip install -e .
  other:
    runs-on: ubuntu-latest
    steps:
      - run: pip install pytest torch==$TORCH
  third:
    runs-on: ubuntu-latest
    steps:
      - run: pip install torch==2.8.0
"""


def test_where_other_jobs_hold_it_their_pin_is_taken() -> None:
    files = tree({CI: SIBLINGS, "pyproject.toml": '[project]\nname = "train"\ndependencies = ["torch"]\n'})
    facts = Facts(installed={"torch": "2.9.0"})
    proved = patch(PipPin(module="torch", spec="<{installed}"), "test", CI, facts=facts, repository=files)
    assert proved.state is PatchState.PATCH, proved.reason
    assert "+pip install torch==$TORCH" in changed(proved)
    older = Facts(installed={"torch": "2.8.0"})
    found = draft(PipPin(module="torch", spec="<{installed}"), "test", CI, facts=older, repository=files)
    assert {edit.path for edit in found.edits} == {"pyproject.toml"}


def test_what_is_built_from_sources_is_held_by_no_pin() -> None:
    facts = Facts(installed={"pyarrow": "22.0.0.dev0"})
    found = draft(PIN, "test", CI, facts=facts, repository=repository('["torch", "pyarrow"]'))
    assert found.state is PatchState.ADVICE
    assert "from its sources" in found.reason


def test_no_bound_contradicts_what_is_asked_for() -> None:
    found = draft(PIN, "test", CI, facts=FACTS, repository=repository('["pyarrow>=21"]'))
    assert found.state is PatchState.REFUSED
    assert "no older release" in found.reason


BOUNDS = {"distribution": "cuda-python", "bounds": "<13.0,>=12.8"}
REQUIRED = PipPin("{distribution}", "{bounds}")


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        ("cuda-python==13.1.0", ["-pip install cuda-python==13.1.0", '+pip install "cuda-python<13.0,>=12.8"']),
        ("cuda-python", []),
        ("torch", []),
    ],
)
def test_bounds_from_the_log_replace_only_an_exact_pin(written: str, lines: list[str]) -> None:
    files = repository('["torch"]', f"pip install {written}")
    proved = patch(REQUIRED, "test", CI, facts=FACTS, repository=files, captures=BOUNDS)
    assert (proved.state is PatchState.PATCH) is bool(lines), proved.reason
    assert changed(proved) == lines


def test_text_from_the_log_that_is_no_bound_is_not_written() -> None:
    files = repository('["torch"]', "pip install cuda-python==13.1.0")
    hostile = {**BOUNDS, "bounds": "@https://files.example/x.whl"}
    assert draft(REQUIRED, "test", CI, facts=FACTS, repository=files, captures=hostile).state is PatchState.REFUSED


EXPORTS = """
from setuptools import setup

setup(
    name="train",
    install_requires=["torch"],
    extras_require={"tests": ["pytest"], "export": ["graphkit", "runtime>=1.9"], "all": ["graphkit"]},
)
"""
OLD_CODE = PipPin("protobuf", "<3.21")


@pytest.mark.parametrize(
    ("run", "passed", "line"),
    [
        (
            "pip install .[tests,export]",
            ("google", "graphkit", "runtime"),
            '["graphkit", "runtime>=1.9", "protobuf<3.21"]',
        ),
        ('pip install -e ".[export]"', ("runtime",), '["graphkit", "runtime>=1.9", "protobuf<3.21"]'),
    ],
)
def test_a_bound_from_above_joins_the_extra_that_names_what_the_traceback_passes(
    run: str, passed: tuple[str, ...], line: str
) -> None:
    files = repository("[]", run, setup__py=EXPORTS).files
    only = MemoryTree({path: data for path, data in files.items() if path != "pyproject.toml"})
    proved = patch(OLD_CODE, "test", CI, facts=Facts(packages=passed), repository=only)
    assert (proved.state, proved.files) == (PatchState.PATCH, ("setup.py",)), proved.reason
    assert line in changed(proved)[1]


@pytest.mark.parametrize(
    ("run", "passed"), [("pip install .[tests]", ("graphkit",)), ("pip install .[tests,export]", ("other",))]
)
def test_an_extra_that_the_job_leaves_out_or_the_traceback_does_not_pass_is_left(
    run: str, passed: tuple[str, ...]
) -> None:
    files = repository("[]", run, setup__py=EXPORTS).files
    only = MemoryTree({path: data for path, data in files.items() if path != "pyproject.toml"})
    proved = patch(OLD_CODE, "test", CI, facts=Facts(packages=passed), repository=only)
    assert proved.files == (CI,)


@pytest.mark.parametrize(
    "install",
    [
        "pip install -e python",
        'pip install -e "python[all]"',
        "uv pip install --system -e python/",
        'docker exec box bash -c "pip install -e "python[all]""',
    ],
)
def test_what_an_editable_install_is_given_is_a_folder(install: str) -> None:
    run = "docker run -d --name box -v $GITHUB_WORKSPACE:/src -w /src example/train:1" if "docker" in install else "ls"
    run += f"\n          {install}"
    project = (
        '[project]\nname = "train"\ndependencies = ["datasets"]\n[project.optional-dependencies]\nall = ["torch"]\n'
    )
    workflow = f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: |\n          {run}\n"
    there = tree({CI: workflow, "python/pyproject.toml": project})
    proved = patch(PIN, "test", CI, facts=FACTS, repository=there)
    assert proved.state is PatchState.PATCH, proved.reason
    assert proved.files == ("python/pyproject.toml",)
    assert changed(proved)[1].endswith(', "pyarrow<21.0.0"]')


def test_an_address_is_no_folder() -> None:
    there = repository('["datasets"]', "pip install -e git+https://git.example.com/a/kit.git")
    assert patch(PIN, "test", CI, facts=FACTS, repository=there).files == (CI,)


NUMPY = PipPin("numpy", "<2")
CHOSEN = """
[project]
name = "train"
dependencies = ["torch"]
[project.optional-dependencies]
all = ["tables", "streams", "wandb"]
test = ["pytest"]
"""


@pytest.mark.parametrize(
    ("command", "facts", "line"),
    [
        ("pip install -U pip && pip install '.[all]'", Facts(), '+all = ["tables", "streams", "wandb", "numpy<2"]'),
        ("pip install -e .", Facts(), '+dependencies = ["torch", "numpy<2"]'),
        (
            "pip install '.[all,test]'",
            Facts(packages=("streams",)),
            '+all = ["tables", "streams", "wandb", "numpy<2"]',
        ),
        # Something else may have brought it: the bound stands in the job.
        ("pip install -e .\n          pip install arrays", Facts(), '+pip install "numpy<2"'),
        ("pip install arrays", Facts(), '+pip install "numpy<2"'),
    ],
)
def test_where_a_job_installs_its_project_alone_the_project_bounds_what_it_brings(
    command: str, facts: Facts, line: str
) -> None:
    files = MemoryTree({**repository("[]", command).files, "pyproject.toml": CHOSEN.encode()})
    assert line in changed(patch(NUMPY, "test", CI, facts=facts, repository=files))


def test_what_the_log_shows_to_come_with_something_else_is_not_the_projects() -> None:
    shown = Facts(batches=(frozenset({"train", "torch"}), frozenset({"numpy", "arrays"})))
    files = MemoryTree({**repository("[]", "pip install -e .").files, "pyproject.toml": CHOSEN.encode()})
    assert '+pip install "numpy<2"' in changed(patch(NUMPY, "test", CI, facts=shown, repository=files))
