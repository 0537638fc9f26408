"""Which of two packages moved, and whether the job or its image brought it."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipPin

CI = ".github/workflows/ci.yml"
FACTS = Facts(installed={"kernels": "0.16.0", "tensorlib": "2.9.1"})
IMPORTED = PipPin(module="{package}", spec="<{installed}", other="{importer}")
IMPORTER = PipPin(module="{importer}", spec="<{installed}", other="{package}")
CAPTURES = {"package": "tensorlib", "importer": "kernels"}


def repository(requirements: str, *, job: str = "", **files: str) -> MemoryTree:
    workflow = (
        f"on: push\njobs:\n  test:\n    runs-on: [gpu-8]\n{job}    steps:\n"
        "      - run: pip install -r requirements.txt\n      - run: pytest\n"
    )
    named = {path.replace("_dot_", "."): text for path, text in files.items()}
    every = {CI: workflow, "requirements.txt": requirements, **named}
    return MemoryTree({path: text.encode() for path, text in every.items()})


@pytest.mark.parametrize(
    ("requirements", "recipe", "line"),
    [
        ("tensorlib>=2.9,<3\nkernels>=0.15\n", IMPORTER, "+kernels>=0.15,<0.16.0"),
        ("tensorlib>=2.8\nkernels==0.16.0\n", IMPORTED, "+tensorlib>=2.8,<2.9.1"),
        ("tensorlib>=2.8\n", IMPORTED, "+tensorlib>=2.8,<2.9.1"),
    ],
)
def test_the_one_that_floats_beside_one_that_is_held(requirements: str, recipe: PipPin, line: str) -> None:
    proved = patch(recipe, "test", CI, facts=FACTS, repository=repository(requirements), captures=CAPTURES)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1:] == [line]


@pytest.mark.parametrize(("recipe", "line"), [(IMPORTED, "+tensorlib<2.9.1"), (IMPORTER, "+kernels>=0.15,<0.16.0")])
def test_where_both_float_either_can_be_held_and_it_is_said(recipe: PipPin, line: str) -> None:
    tree = repository("tensorlib\nkernels>=0.15\n")
    proved = patch(recipe, "test", CI, facts=FACTS, repository=tree, captures=CAPTURES)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1:] == [line]
    assert any("nothing says which one moved" in note for note in proved.notes)


@pytest.mark.parametrize(("brought", "kept"), [("kernels", IMPORTED), ("tensorlib", IMPORTER)])
def test_what_the_log_lists_as_put_in_moved_and_not_what_was_there(brought: str, kept: PipPin) -> None:
    # A quiet install before it leaves open what that put in.
    tree = repository("tensorlib\nkernels>=0.15\n", job="    env: {PIP: 1}\n")
    files = {path: tree.read(path) for path in tree.paths()}
    files[CI] = files[CI].replace(b"pip install -r", b"pip install -q -U pip && pip install -r")
    facts = Facts(installed=FACTS.installed, brought=frozenset({brought}))
    moved = IMPORTER if kept is IMPORTED else IMPORTED
    quiet = MemoryTree(files)
    assert not draft(kept, "test", CI, facts=facts, repository=quiet, captures=CAPTURES).edits
    assert draft(moved, "test", CI, facts=facts, repository=quiet, captures=CAPTURES).edits


@pytest.mark.parametrize("module", ["tensorlib._build", "tensorlib._core.table"])
def test_who_imports_a_private_module_is_not_what_moved(module: str) -> None:
    tree = repository("tensorlib\nkernels>=0.15\n")
    captures = {"package": module, "importer": "kernels"}
    proved = patch(IMPORTED, "test", CI, facts=FACTS, repository=tree, captures=captures)
    assert changed(proved)[1:] == ["+tensorlib<2.9.1"]
    found = draft(IMPORTER, "test", CI, facts=FACTS, repository=tree, captures=captures)
    assert found.state is PatchState.ADVICE
    assert "hold tensorlib" in found.reason
    held = repository("tensorlib==2.9.1\nkernels>=0.15\n")
    proved = patch(IMPORTER, "test", CI, facts=FACTS, repository=held, captures=captures)
    assert changed(proved)[1:] == ["+kernels>=0.15,<0.16.0"]


def test_without_a_version_the_oldest_release_that_is_asked_for_is_the_one_to_go_back_to() -> None:
    pin = PipPin(module="kernels", spec="<{installed}")
    proved = patch(pin, "test", CI, repository=repository("tensorlib\nkernels>=0.15\n"))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-kernels>=0.15", "+kernels==0.15"]
    for requirements in ("kernels\n", "kernels>=0.15,<0.17\n", "kernels>0.15\n"):
        assert not draft(pin, "test", CI, repository=repository(requirements)).edits, requirements


PROJECT = '[project]\nname = "train"\ndependencies = ["kernels>=0.15"]\n'


@pytest.mark.parametrize(
    ("brought", "state"),
    [(frozenset({"kernels"}), PatchState.PATCH), (frozenset[str](), PatchState.ADVICE), (None, PatchState.PATCH)],
)
def test_what_was_there_before_the_job_is_held_in_its_image(brought: frozenset[str] | None, state: PatchState) -> None:
    facts = Facts(installed={"kernels": "0.16.0"}, brought=brought)
    tree = repository("rich\n", pyproject_dot_toml=PROJECT)
    text = tree.read(CI).decode().replace("-r requirements.txt", "-e .")
    tree = MemoryTree({**tree.files, CI: text.encode()})
    found = draft(PipPin(module="kernels", spec="<{installed}"), "test", CI, facts=facts, repository=tree)
    assert found.state is state, found.reason


def test_quiet_installs_leave_open_where_it_came_from() -> None:
    facts = Facts(installed={"kernels": "0.16.0"}, brought=frozenset())
    tree = repository("rich\n", pyproject_dot_toml=PROJECT)
    text = tree.read(CI).decode().replace("-r requirements.txt", "-q -e .")
    tree = MemoryTree({**tree.files, CI: text.encode()})
    found = draft(PipPin(module="kernels", spec="<{installed}"), "test", CI, facts=facts, repository=tree)
    assert found.state is PatchState.PATCH


DOCKERFILE = """\
FROM registry.example/base:1
WORKDIR /train
RUN --mount=type=cache,target=/root/.cache/uv \\
    --mount=type=bind,source=pyproject.toml,target=pyproject.toml \\
    uv pip install -r pyproject.toml --extra cuda --group dev
"""
DECLARED = """\
[project]
name = "train"
dependencies = ["tensorlib"]
[project.optional-dependencies]
cuda = ["kernels>=0.15"]
[tool.uv]
override-dependencies = [
    "kernels>=0.15",
]
"""


def own_runner(**files: str) -> MemoryTree:
    workflow = "on: push\njobs:\n  test:\n    runs-on: [self-hosted, gpu]\n    steps:\n      - run: pytest\n"
    named = {path.replace("_dot_", "."): text for path, text in files.items()}
    return MemoryTree({path: text.encode() for path, text in {CI: workflow, **named}.items()})


def test_a_runner_of_its_own_is_made_from_the_one_dockerfile_that_installs_the_project() -> None:
    tree = own_runner(Dockerfile=DOCKERFILE, pyproject_dot_toml=DECLARED)
    pin = PipPin(module="kernels", spec="<{installed}")
    proved = patch(pin, "test", CI, facts=FACTS, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert proved.files == ("pyproject.toml",)
    assert [line for line in changed(proved) if line.startswith("+")] == [
        '+cuda = ["kernels>=0.15,<0.16.0"]',
        '+"kernels>=0.15,<0.16.0",',
    ]
    assert any("built and pushed anew" in note for note in proved.notes)


def test_of_two_dockerfiles_neither_is_taken() -> None:
    tree = own_runner(Dockerfile=DOCKERFILE, other_dot_Dockerfile=DOCKERFILE, pyproject_dot_toml=DECLARED)
    assert not draft(PipPin(module="kernels", spec="<{installed}"), "test", CI, facts=FACTS, repository=tree).edits


SHARED = """\
on: push
env:
  KERNELS_VERSION: "0.15.2"
jobs:
  other:
    runs-on: [gpu-8]
    steps:
      - run: pip3 install kernels==$KERNELS_VERSION
"""


def test_a_release_that_workflows_share_through_a_variable_is_written_as_they_do() -> None:
    tree = MemoryTree({**repository("rich\n").files, ".github/workflows/other.yml": SHARED.encode()})
    proved = patch(PipPin(module="kernels", spec="<{installed}"), "test", CI, facts=FACTS, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    added = [line for line in changed(proved) if line.startswith("+")]
    assert '+KERNELS_VERSION: "0.15.2"' in added
    assert "+pip install kernels==$KERNELS_VERSION" in added


def test_a_variable_with_another_value_is_left_alone() -> None:
    tree = MemoryTree({**repository("rich\n").files, ".github/workflows/other.yml": SHARED.encode()})
    text = tree.read(CI).decode().replace("on: push\n", 'on: push\nenv:\n  KERNELS_VERSION: "0.9"\n')
    tree = MemoryTree({**tree.files, CI: text.encode()})
    proved = patch(PipPin(module="kernels", spec="<{installed}"), "test", CI, facts=FACTS, repository=tree)
    assert [line for line in changed(proved) if line.startswith("+")][-1] == "+pip install kernels==0.15.2"


LATER = """\
on: push
jobs:
  test:
    runs-on: [gpu-8]
    steps:
      - run: |
          pip install -r requirements.txt
          pip install -v -e .
      - run: pytest
"""


@pytest.mark.parametrize("recipe", [PipPin("kernels", "<1"), PipPin(module="kernels", spec="<{installed}")])
def test_a_bound_that_a_later_install_overruled_is_asked_for_again_at_the_end(recipe: PipPin) -> None:
    tree = MemoryTree({**repository("kernels<0.16\n", pyproject_dot_toml=PROJECT).files, CI: LATER.encode()})
    facts = Facts(installed={"kernels": "1.2.0"})
    proved = patch(recipe, "test", CI, facts=facts, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ['+pip install "kernels<0.16"']


def test_a_bound_that_the_last_install_reads_was_not_overruled() -> None:
    swapped = (
        LATER.replace("-r requirements.txt", "X").replace("-v -e .", "-r requirements.txt").replace("X", "-v -e .")
    )
    tree = MemoryTree({**repository("kernels<0.16\n", pyproject_dot_toml=PROJECT).files, CI: swapped.encode()})
    facts = Facts(installed={"kernels": "1.2.0"})
    found = draft(PipPin(module="kernels", spec="<{installed}"), "test", CI, facts=facts, repository=tree)
    assert not found.edits


@pytest.mark.parametrize("recipe", [IMPORTED, IMPORTER])
def test_two_packages_of_unknown_releases_do_not_go_back_to_the_oldest_that_is_asked_for(recipe: PipPin) -> None:
    tree = repository("tensorlib>=1.1\nkernels>=0.15\n")
    proved = patch(recipe, "test", CI, facts=Facts(), repository=tree, captures=CAPTURES)
    assert proved.state is PatchState.ADVICE
    assert "does not list the installed" in proved.reason


@pytest.mark.parametrize(
    ("torchvision", "said"),
    [("0.21.0", "something else moved"), ("0.21.0+cu129", "take both from one index")],
)
def test_what_is_built_for_the_listed_release_of_the_other_did_not_move(torchvision: str, said: str) -> None:
    listed = Facts(installed={"torch": "2.6.0", "torchvision": torchvision})
    pin = PipPin(module="torchvision", spec="<{installed}")
    proved = patch(pin, "test", CI, facts=listed, repository=repository("torch\ntorchvision\n"))
    assert (proved.state, said in proved.reason) == (PatchState.ADVICE, True)


def test_what_is_built_for_another_release_may_have_moved() -> None:
    listed = Facts(installed={"torch": "2.6.0", "torchvision": "0.22.0"})
    pin = PipPin(module="torchvision", spec="<{installed}")
    proved = patch(pin, "test", CI, facts=listed, repository=repository("torch\ntorchvision\n"))
    assert changed(proved) == ["-torchvision", "+torchvision<0.22.0"]


def test_a_list_that_two_installed_ones_reach_is_bounded_once() -> None:
    tree = repository("tensorlib>=2.8\n", **{"all.txt": "-r requirements.txt\npytest\n"})
    files = {path: tree.read(path) for path in tree.paths()}
    files[CI] = files[CI].replace(b"-r requirements.txt", b"-r requirements.txt -r all.txt")
    proved = patch(IMPORTED, "test", CI, facts=FACTS, repository=MemoryTree(files), captures=CAPTURES)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1:] == ["+tensorlib>=2.8,<2.9.1"]


def test_a_module_may_end_in_an_underscore() -> None:
    captures = {**CAPTURES, "package": "tensorlib.util.ssl_"}
    proved = patch(IMPORTED, "test", CI, facts=FACTS, repository=repository("tensorlib>=2.8\n"), captures=captures)
    assert proved.state is PatchState.PATCH, proved.reason
