"""Of the packages of a traceback, the one that moved is held, at the place that brings it into the job."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts, Platform, Replaced
from triage.model.patch import PatchState
from triage.model.recipe import HoldMoved, PipPin

CI = ".github/workflows/ci.yml"
FACTS = Facts(
    packages=("hublib", "loaderlib"),
    installed={"hublib": "2.3.0", "loaderlib": "0.4.2"},
    brought=frozenset({"hublib", "loaderlib"}),
)


def repository(requirements: str = "", *commands: str, **files: str) -> MemoryTree:
    runs = "".join(f"          {line}\n" for line in commands or ("pip install -r requirements.txt",))
    workflow = f"on: push\njobs:\n  test:\n    runs-on: gpu\n    steps:\n      - run: |\n{runs}      - run: pytest\n"
    every = {CI: workflow, "requirements.txt": requirements}
    every |= {path.replace("_dot_", ".").replace("_in_", "/"): text for path, text in files.items()}
    return MemoryTree({path: text.encode() for path, text in every.items()})


@pytest.mark.parametrize(
    ("requirements", "line"),
    [
        ("hublib>=2\nloaderlib==0.4.2\n", "+hublib>=2,<2.3.0"),
        ("hublib==2.3.0\nloaderlib\n", "+loaderlib<0.4.2"),
        ("hublib\nloaderlib\n", "+hublib<2.3.0"),  # of the two its release alone begins a series
        ("hublib\n", "+hublib<2.3.0"),
    ],
)
def test_what_the_tree_lets_float_is_what_moved(requirements: str, line: str) -> None:
    proved = patch(HoldMoved(), "test", CI, facts=FACTS, repository=repository(requirements))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1:] == [line]


@pytest.mark.parametrize(
    ("requirements", "installed", "said"),
    [
        ("hublib==2.3.0\nloaderlib==0.4.2\n", {}, "something else moved"),
        ("hublib\nloaderlib\n", {"hublib": "2.3.1"}, "nothing says which of them moved"),
        ("hublib\nloaderlib\n", {"loaderlib": "0.5.0"}, "nothing says which of them moved"),
        ("loaderlib\n", {"hublib": "2.3.1"}, "nothing says which of them moved"),
    ],
)
def test_where_the_evidence_does_not_decide_no_patch_is_made(
    requirements: str, installed: dict[str, str], said: str
) -> None:
    facts = replace(FACTS, installed={**FACTS.installed, **installed})
    found = draft(HoldMoved(), "test", CI, facts=facts, repository=repository(requirements))
    assert found.state is not PatchState.PATCH
    assert said in found.reason


def test_a_release_that_the_log_does_not_list_is_a_matter_for_people() -> None:
    facts = replace(FACTS, packages=("hublib",), installed={})
    found = draft(HoldMoved(), "test", CI, facts=facts, repository=repository("hublib>=2\n"))
    assert found.state is PatchState.ADVICE
    assert "requirements.txt:1 leaves it open (`hublib>=2`)" in found.reason


@pytest.mark.parametrize(("release", "state"), [("2.3.0", PatchState.PATCH), ("2.3.1", PatchState.ADVICE)])
def test_what_the_repository_calls_itself_must_be_new_as_the_call_may_be_wrong(release: str, state: PatchState) -> None:
    facts = Facts(packages=("hublib",), installed={"hublib": release}, brought=frozenset({"hublib"}))
    found = draft(HoldMoved(), "test", CI, facts=facts, repository=repository("hublib\n"))
    assert found.state is state, found.reason


@pytest.mark.parametrize(
    ("captures", "state"),
    [
        ({"owner": "OwnApi", "lacking": "pre_setup"}, PatchState.PATCH),
        ({"owner2": "OwnApi", "lacking2": "num_items"}, PatchState.PATCH),
        ({"owner": "OwnApi", "lacking": "decode"}, PatchState.ADVICE),  # the repository speaks of it itself
        ({"owner": "Server", "lacking": "pre_setup"}, PatchState.ADVICE),  # the package's own class
        ({"owner": "OwnApi", "lacking": "__len__"}, PatchState.ADVICE),
    ],
)
def test_what_a_package_newly_asks_of_a_class_of_the_repository_tells_that_it_moved(
    captures: dict[str, str], state: PatchState
) -> None:
    facts = Facts(packages=("hublib",), installed={"hublib": "2.3.1"}, brought=frozenset({"hublib"}))
    own = "class OwnApi(hublib.Api):\n    def encode(self): return decode(self)\n"
    here = repository("hublib\n", train_in_serve_dot_py=own)
    found = patch(HoldMoved(), "test", CI, facts=facts, captures=captures, repository=here)
    assert found.state is state, found.reason
    assert any("undo that" in note for note in found.notes) is (state is PatchState.PATCH)


def test_the_code_of_the_repository_itself_is_no_suspect() -> None:
    tree = repository("hublib==2.3.0\nloaderlib\n", loaderlib_in___init___dot_py="")
    found = draft(HoldMoved(), "test", CI, facts=FACTS, repository=tree)
    assert found.state is PatchState.REFUSED
    assert draft(HoldMoved(), "test", CI, facts=Facts(), repository=tree).state is PatchState.REFUSED


def test_triton_moves_with_torch_unless_it_is_asked_for() -> None:
    facts = Facts(packages=("triton", "kernellib"), installed={"triton": "3.6.0", "kernellib": "0.8.1"})
    found = draft(HoldMoved(), "test", CI, facts=facts, repository=repository("kernellib>=0.8.0\n"))
    assert [edit.new for edit in found.edits] == [b"kernellib>=0.8.0,<0.8.1"]
    asked = repository("kernellib==0.8.1\ntriton>=3.5.0\n")
    found = draft(HoldMoved(), "test", CI, facts=facts, repository=asked)
    assert [edit.new for edit in found.edits] == [b"triton>=3.5.0,<3.6.0"]


@pytest.mark.parametrize("recipe", [HoldMoved(), PipPin(module="hublib", spec="<{installed}")])
def test_a_newest_commit_moved_before_any_release(recipe: HoldMoved | PipPin) -> None:
    commands = (
        "git clone https://github.com/example/loaderlib",
        "cd loaderlib",
        "# git checkout 1f2e3d4c5",
        "pip install .",
        "cd ..",
        "pip install hublib",
    )
    proved = patch(recipe, "test", CI, facts=FACTS, repository=repository("", *commands))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-# git checkout 1f2e3d4c5", "+git checkout 1f2e3d4c5"]


def test_the_extra_of_the_repositorys_own_name_is_its_own_project() -> None:
    project = '[project]\nname = "trainer"\ndependencies = [\n    "hublib>=2",\n]\n'
    facts = replace(FACTS, installed={**FACTS.installed, "trainer": "0.3.0.dev0"})
    tree = repository("", 'pip install "trainer[judges]" loaderlib==0.4.2', pyproject_dot_toml=project)
    proved = patch(HoldMoved(), "test", CI, facts=facts, repository=tree)
    assert proved.files == ("pyproject.toml",), proved.reason
    released = replace(FACTS, installed={**FACTS.installed, "trainer": "0.3.0"})
    assert patch(HoldMoved(), "test", CI, facts=released, repository=tree).files == (CI,)


def test_what_hides_the_build_for_the_hardware_is_not_held_but_taken_away() -> None:
    facts = Facts(platform=Platform.NPU, installed={"triton": "3.5.1"})
    pin = PipPin(module="triton", spec="<{installed}")
    found = draft(pin, "test", CI, facts=facts, repository=repository("triton\n"))
    assert found.state is PatchState.ADVICE
    assert "`pip uninstall -y triton` and install triton-ascend last" in found.reason


@pytest.mark.parametrize(
    ("bound", "state"), [(">=2.3", "refused"), ("==2.3.0", "refused"), (">=2.1", "patch"), ("", "patch")]
)
def test_a_bound_that_another_requirement_of_the_job_forbids_is_not_written(bound: str, state: str) -> None:
    project = f'[project]\nname = "train"\nversion = "1"\ndependencies = ["hublib{bound}"]\n'
    files = repository("hublib\n", "pip install -r requirements.txt -e .", pyproject_dot_toml=project)
    found = draft(PipPin("hublib", "<{installed}"), "test", CI, facts=FACTS, repository=files)
    assert (found.state is PatchState.PATCH) == (state == "patch"), found.reason


@pytest.mark.parametrize(
    ("requirements", "listed", "line"),
    [
        ("parsekit>=1.2\nloaderlib==0.4.2\n", "1.8.1", "+parsekit>=1.2,<1.8"),
        ("parsekit>=1.2\nloaderlib\n", "", "+parsekit>=1.2,<1.8"),
        ("parsekit>=1.2,!=1.3\n", "1.8.1", "+parsekit>=1.2,!=1.3,<1.8"),
    ],
)
def test_a_call_that_a_release_is_known_to_refuse_holds_what_is_called(
    requirements: str, listed: str, line: str
) -> None:
    facts = replace(FACTS, packages=("loaderlib",), installed={"parsekit": listed} if listed else {})
    captures = {"callable": "Reader.__init__", "argument": "strict"}
    tree = repository(requirements)
    proved = patch(HoldMoved(), "test", CI, facts=facts, repository=tree, captures=captures)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1:] == [line]


def test_a_call_is_not_refused_by_an_older_release() -> None:
    facts = replace(FACTS, packages=("loaderlib",), installed={"parsekit": "1.7.2"})
    captures = {"callable": "Reader.__init__", "argument": "strict"}
    found = draft(HoldMoved(), "test", CI, facts=facts, repository=repository("parsekit\n"), captures=captures)
    assert "parsekit" not in found.title


def test_the_module_may_stand_at_its_option() -> None:
    tree = repository("", "python -mpip install 'hublib>=2' loaderlib==0.4.2")
    proved = patch(HoldMoved(), "test", CI, facts=FACTS, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert "hublib>=2,<2.3.0" in changed(proved)[-1]


MOVED = Facts(
    packages=("controllib",),
    parts=frozenset({"simlib", "engine"}),
    installed={"simlib": "3.2.1"},
    brought=frozenset({"simlib"}),
    replaced=(Replaced("simlib", "3.2.0", "3.2.1"),),
)


@pytest.mark.parametrize(
    ("commands", "line"),
    [
        (("pip install controllib", "pip install simlib -U"), '+pip install "simlib<3.2.1" -U'),
        (("uv pip install -U simlib",), '+uv pip install -U "simlib<3.2.1"'),
        (("pip install -r requirements.txt",), "+simlib<3.2.1"),
    ],
)
def test_what_the_failing_package_wraps_and_the_job_moved_is_held(commands: tuple[str, ...], line: str) -> None:
    made = patch(HoldMoved(), "test", CI, facts=MOVED, repository=repository("simlib\n", *commands))
    assert (made.state, changed(made)[1:]) == (PatchState.PATCH, [line]), made.reason


@pytest.mark.parametrize(
    "facts",
    [
        replace(MOVED, parts=frozenset({"engine"})),
        replace(MOVED, replaced=(Replaced("simlib", "3.2.1", "3.2.0"),)),
        replace(MOVED, brought=frozenset({"simlib", "controllib"}), installed={"simlib": "3.2.1", "controllib": "1.1"}),
    ],
    ids=["not wrapped", "an older one came", "the package came anew itself"],
)
def test_what_moved_elsewhere_is_not_held(facts: Facts) -> None:
    tree = repository("simlib\ncontrollib==1.1\n")
    assert "simlib<" not in draft(HoldMoved(), "test", CI, facts=facts, repository=tree).reason
    assert patch(HoldMoved(), "test", CI, facts=facts, repository=tree).state is not PatchState.PATCH
