"""What is built from the newest commit of another repository: held where the tree knows a revision, else in words."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipPin

CI = ".github/workflows/ci.yml"
OTHER = ".github/workflows/other.yml"
PIN = PipPin(module="kernels", spec="<{installed}")
FACTS = Facts(installed={"kernels": "0.35.0.dev0"})
URL = "https://github.com/example/kernels"


def workflow(*commands: str) -> str:
    script = indent("\n".join(commands), " " * 10)
    head = "on: push\njobs:\n  test:\n    runs-on: [gpu-8]\n    steps:\n      - uses: actions/checkout@v4\n"
    return f"{head}      - run: |\n{script}\n      - run: pytest tests\n"


def repository(*commands: str, **files: str) -> MemoryTree:
    every = {CI: workflow(*commands), **{path.replace("__", "."): text for path, text in files.items()}}
    return MemoryTree({path: dedent(text).encode() for path, text in every.items()})


def with_other(text: str, *commands: str) -> MemoryTree:
    tree = repository(*commands)
    return MemoryTree({**tree.files, OTHER: text.encode()})


CLONE = ("git clone --depth 1 " + URL, "cd kernels", "git rev-parse HEAD", "pip install .")


def test_a_checkout_that_a_comment_keeps_is_taken_back_and_the_clone_gets_its_history() -> None:
    commands = (CLONE[0], CLONE[1], "# when main is broken:", "#git checkout 6c3f168b3", *CLONE[2:])
    proved = patch(PIN, "test", CI, facts=FACTS, repository=repository(*commands))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [
        f"-git clone --depth 1 {URL}",
        f"+git clone {URL}",
        "-#git checkout 6c3f168b3",
        "+git checkout 6c3f168b3",
    ]


@pytest.mark.parametrize(
    "elsewhere",
    [
        workflow(f"git clone {URL}.git", "cd kernels", "git checkout v0.33.1", "pip install ."),
        workflow(f"pip install git+{URL}.git@v0.33.1"),
        workflow(f"pip install 'kernels[all] @ git+{URL}@v0.33.1#egg=kernels'"),
        workflow(f"git clone {URL}", "cd kernels", "# git checkout v0.33.1", "pip install ."),
    ],
)
def test_a_revision_that_another_workflow_holds_is_copied(elsewhere: str) -> None:
    proved = patch(PIN, "test", CI, facts=FACTS, repository=with_other(elsewhere, *CLONE))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[-1] == "+git checkout v0.33.1"
    assert proved.files == (CI,)
    assert any(OTHER in note for note in proved.notes)


def test_revisions_that_do_not_agree_are_no_value() -> None:
    two = workflow(f"pip install git+{URL}@v0.33.1", f"pip install git+{URL}@1f2e3d4c")
    found = draft(PIN, "test", CI, facts=Facts(), repository=with_other(two, *CLONE))
    assert found.state is PatchState.ADVICE
    assert f"{CI}:8" in found.reason
    assert not found.edits


def test_the_release_before_is_a_tag_only_where_the_owner_tags_so() -> None:
    tagged = workflow("pip install git+https://github.com/example/tuners@v1.2.0")
    proved = patch(PIN, "test", CI, facts=FACTS, repository=with_other(tagged, *CLONE))
    assert changed(proved)[-1] == "+git checkout v0.34.0"
    for other in ("pip install git+https://github.com/elsewhere/tuners@v1.2.0", f"pip install git+{URL}@main"):
        found = draft(PIN, "test", CI, facts=FACTS, repository=with_other(workflow(other), *CLONE))
        assert found.state is PatchState.ADVICE, other
        assert "0.35.0.dev0" in found.reason


def test_a_first_development_version_says_of_no_release_before() -> None:
    tagged = workflow("pip install git+https://github.com/example/tuners@v1.2.0")
    facts = Facts(installed={"kernels": "2.0.0.dev0"})
    found = draft(PIN, "test", CI, facts=facts, repository=with_other(tagged, *CLONE))
    assert found.state is PatchState.ADVICE


@pytest.mark.parametrize(
    ("commands", "state"),
    [
        ((f"git clone {URL}", "cd kernels", "git checkout v0.33.1", "pip install ."), PatchState.IN_PLACE),
        ((f"pip install git+{URL}@1f2e3d4c5b",), PatchState.IN_PLACE),
        ((f"git clone -b main {URL}", "cd kernels", "pip install ."), PatchState.ADVICE),
        ((f"git clone {URL}", "cd kernels", "git checkout develop", "pip install ."), PatchState.ADVICE),
    ],
)
def test_what_is_held_or_follows_a_branch(commands: tuple[str, ...], state: PatchState) -> None:
    elsewhere = workflow(f"pip install git+{URL}@v0.33.1")
    assert draft(PIN, "test", CI, facts=FACTS, repository=with_other(elsewhere, *commands)).state is state


def test_a_clone_that_is_not_installed_is_not_what_failed() -> None:
    elsewhere = workflow(f"pip install git+{URL}@v0.33.1")
    tree = with_other(elsewhere, f"git clone {URL}", "ls kernels", "pip install kernels")
    proved = patch(PIN, "test", CI, facts=Facts(installed={"kernels": "0.35.0"}), repository=tree)
    assert changed(proved) == ["-pip install kernels", '+pip install "kernels<0.35.0"']


def test_an_address_in_an_install_line_gets_its_revision_before_the_fragment() -> None:
    elsewhere = workflow(f"pip install git+{URL}@v0.33.1")
    command = f"pip install -U git+{URL}.git#egg=kernels wheel"
    proved = patch(PIN, "test", CI, facts=FACTS, repository=with_other(elsewhere, command))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [f"-{command}", f"+pip install -U git+{URL}.git@v0.33.1#egg=kernels wheel"]


def test_commands_on_one_line() -> None:
    elsewhere = workflow(f"pip install git+{URL}@v0.33.1")
    tree = with_other(elsewhere, f"git clone {URL} && cd kernels && pip install .")
    proved = patch(PIN, "test", CI, facts=FACTS, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[-1] == f"+git clone {URL} && cd kernels && git checkout v0.33.1 && pip install ."


def test_a_clone_that_is_installed_by_its_folder() -> None:
    elsewhere = workflow(f"pip install git+{URL}@v0.33.1")
    tree = with_other(elsewhere, f"git clone {URL} src/kernels", "pip install ./src/kernels")
    proved = patch(PIN, "test", CI, facts=FACTS, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["+git -C src/kernels checkout v0.33.1"]


def test_a_branch_gives_way_to_the_revision_that_others_hold() -> None:
    elsewhere = workflow(f"pip install git+{URL}@v0.33.1")
    tree = with_other(elsewhere, f"pip install git+{URL}@main")
    proved = patch(PIN, "test", CI, facts=FACTS, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[-1] == f"+pip install git+{URL}@v0.33.1"


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (f"pip install git+{URL} wheel", "+pip install kernels==0.34.2 wheel"),
        (f"pip install 'kernels[all] @ git+{URL}'", "+pip install 'kernels[all]==0.34.2'"),
    ],
)
def test_a_release_that_the_tree_holds_takes_the_place_of_the_newest_commit(command: str, line: str) -> None:
    tree = MemoryTree({**repository(command).files, "requirements-dev.txt": b"kernels==0.34.2\n"})
    proved = patch(PIN, "test", CI, facts=FACTS, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[-1] == line


def test_without_any_value_the_line_is_named() -> None:
    found = draft(PIN, "test", CI, facts=FACTS, repository=repository(f"pip install git+{URL}"))
    assert found.state is PatchState.ADVICE
    assert f"{CI}:8" in found.reason
