"""Instructions that are mended by what the log says of them: keys, members of a workspace, toolchains."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fixes.memory_tree import by_path, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import MendInstruction, SystemPackage

CI = ".github/workflows/ci.yml"
FILE = "docker/Dockerfile.ci"
BUILD = """
    on: push
    jobs:
      image:
        runs-on: ubuntu-latest
        steps:
          - uses: actions/checkout@v4
          - run: docker build -f docker/Dockerfile.ci .
"""
CUDA = {"kind": "cuda", "system": "ubuntu2004/x86_64"}
KEY = "https://developer.download.nvidia.com/compute/cuda/repos/ubuntu2004/x86_64/3bf863cc.pub"


def mended(
    fault: str, dockerfile: str, build: BuildStep, captures: Mapping[str, str], workflow: str = CI, **files: str
) -> Patch:
    repository = tree({CI: BUILD, FILE: dockerfile, **by_path(files)})
    recipe = MendInstruction(fault)  # type: ignore[arg-type]
    return patch(recipe, "image", workflow, repository=repository, facts=Facts(build=build), captures=captures)


def test_the_new_key_is_fetched_before_the_lists_are_updated() -> None:
    text = "FROM cuda:11\n# Tools\nRUN apt-get update && apt-get install -y git\n"
    step = BuildStep("Dockerfile.ci", {3: "RUN apt-get update && apt-get install -y git"})
    proved = mended("new-key", text, step, CUDA)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [f"+RUN apt-key adv --fetch-keys {KEY}", "+"]


def test_of_the_builders_summary_alone_and_without_a_workflow() -> None:
    """Of two instructions that begin alike, the one of that number in the stage."""
    text = (
        "FROM cuda:11 AS base\nRUN rm -f /tmp/x\nRUN apt-get update && \\\n    apt-get install -y git\n"
        "RUN apt-get update && \\\n    apt-get install -y curl\n"
    )
    step = BuildStep("Dockerfile.ci", text="RUN apt-get update &&", stage="base", count=3)
    proved = mended("new-key", text, step, CUDA, workflow="")
    assert proved.state is PatchState.PATCH, proved.reason
    assert "+RUN apt-key adv" in proved.diff
    assert proved.diff.index("apt-key") < proved.diff.index("install -y git")


@pytest.mark.parametrize(
    "captures", [{"kind": "other", "system": "ubuntu2004/x86_64"}, {"kind": "cuda", "system": "../x"}]
)
def test_no_address_is_made_of_what_the_log_says(captures: Mapping[str, str]) -> None:
    step = BuildStep("Dockerfile.ci", {2: "RUN apt-get update"})
    assert mended("new-key", "FROM cuda:11\nRUN apt-get update\n", step, captures).state is PatchState.REFUSED


WORKSPACE = """
    FROM chef AS planner
    COPY Cargo.toml Cargo.toml
    COPY Cargo.lock Cargo.lock
    COPY router router
    RUN cargo chef prepare
    FROM chef AS builder
    COPY --from=planner /x/recipe.json recipe.json
    COPY Cargo.toml Cargo.toml
    COPY router router
    RUN cargo build --release
"""
STEP = BuildStep("Dockerfile.ci", {5: "RUN cargo chef prepare"})
MEMBERS = {"Cargo.toml": "[workspace]\n", "codec__Cargo.toml": "[package]\n", "crates__net__Cargo.toml": "[package]\n"}


@pytest.mark.parametrize(
    ("path", "line"),
    [("/x/codec/Cargo.toml", "+COPY codec codec"), ("/usr/src/crates/net/Cargo.toml", "+COPY crates crates")],
)
def test_a_member_is_copied_in_each_stage_that_copies_the_others(path: str, line: str) -> None:
    proved = mended("member", WORKSPACE, STEP, {"path": path}, **MEMBERS)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [line, line]


def test_a_member_that_the_tree_lacks_and_one_that_is_copied() -> None:
    assert mended("member", WORKSPACE, STEP, {"path": "/x/gone/Cargo.toml"}, **MEMBERS).state is PatchState.REFUSED
    copied = WORKSPACE.replace("    COPY router router\n", "    COPY codec codec\n    COPY router router\n")
    step = BuildStep("Dockerfile.ci", {6: "RUN cargo chef prepare"})
    held = mended("member", copied, step, {"path": "/x/codec/Cargo.toml"}, **MEMBERS)
    assert held.state is PatchState.IN_PLACE


RUST = "FROM base:1\nRUN curl https://sh.rustup.rs | sh -s -- -y {}\nRUN {}\n"


@pytest.mark.parametrize(
    ("option", "command", "toolchain", "new"),
    [
        ("--default-toolchain none", "cargo build", "1.85.0-x86_64-unknown-linux-gnu", "--default-toolchain 1.85.0"),
        ("--default-toolchain=none", "cargo build", "nightly-2025-01-01", "--default-toolchain=nightly-2025-01-01"),
        ("--profile minimal", "cargo build", "1.80", "RUN rustup toolchain install && cargo build"),
    ],
)
def test_the_toolchain_is_installed(option: str, command: str, toolchain: str, new: str) -> None:
    step = BuildStep("Dockerfile.ci", {3: f"RUN {command}"})
    proved = mended("toolchain", RUST.format(option, command), step, {"toolchain": toolchain})
    assert proved.state is PatchState.PATCH, proved.reason
    assert new in proved.diff


def test_a_toolchain_that_is_asked_for_is_in_place() -> None:
    text = RUST.format("--default-toolchain 1.80", "cargo build")
    step = BuildStep("Dockerfile.ci", {3: "RUN cargo build"})
    assert mended("toolchain", text, step, {"toolchain": "1.80"}).state is PatchState.IN_PLACE


def test_without_a_build_nothing_is_mended() -> None:
    repository = tree({CI: BUILD, FILE: "FROM base:1\n"})
    for fault in ("new-key", "member", "toolchain"):
        made = draft(MendInstruction(fault), "image", CI, repository=repository, captures=CUDA)  # type: ignore[arg-type]
        assert made.state is PatchState.REFUSED


def test_a_job_that_only_calls_another_workflow_has_its_build_in_the_log() -> None:
    calls = "on: push\njobs:\n  image:\n    uses: ./.github/workflows/build.yml\n"
    text = RUST.format("--default-toolchain none", "cargo build")
    repository = tree({CI: calls, FILE: text})
    facts = Facts(build=BuildStep("Dockerfile.ci", {3: "RUN cargo build"}))
    recipe = MendInstruction("toolchain")
    proved = patch(recipe, "image", CI, repository=repository, facts=facts, captures={"toolchain": "1.85.0"})
    assert proved.state is PatchState.PATCH, proved.reason


LATE = """
    FROM base:1 AS tools
    RUN apt-get update && apt-get install -y git
    FROM base:1
    # From source
    RUN pip install git+https://git.example.com/trainer.git
    RUN apt-get update && apt-get install -y git curl
"""


@pytest.mark.parametrize(
    ("text", "state"),
    [
        (LATE, PatchState.PATCH),
        (LATE.replace("    RUN apt-get update && apt-get install -y git curl\n", ""), PatchState.ADVICE),
        (LATE.replace("    # From source\n", "    USER runner\n"), PatchState.ADVICE),
    ],
)
def test_a_package_that_is_installed_too_late_is_installed_before(text: str, state: PatchState) -> None:
    step = BuildStep("Dockerfile.ci", {5: "RUN pip install git+https://git.example.com/trainer.git"})
    repository, facts = tree({CI: BUILD, FILE: text}), Facts(build=step)
    recipe = SystemPackage("{command}")
    proved = patch(recipe, "image", CI, repository=repository, facts=facts, captures={"command": "wget"})
    assert proved.state is state, proved.reason
    if state is PatchState.PATCH:
        run = "+RUN apt-get update && apt-get install -y wget && rm -rf /var/lib/apt/lists/*"
        assert changed(proved) == [run, "+"]


def test_what_another_stage_has_is_not_there() -> None:
    """Neither its key nor its toolchain; those of a stage that this one is built on are."""
    fetched = f"FROM cuda:11 AS a\nRUN apt-key adv --fetch-keys {KEY}\nFROM {{}}\nRUN apt-get update\n"
    step = BuildStep("Dockerfile.ci", {4: "RUN apt-get update"})
    assert mended("new-key", fetched.format("cuda:11"), step, CUDA).state is not PatchState.IN_PLACE
    assert mended("new-key", fetched.format("a"), step, CUDA).state is PatchState.IN_PLACE
    without = "FROM x AS a\nRUN curl x | sh -s -- --default-toolchain none\nFROM {}\nRUN cargo build\n"
    build, named = BuildStep("Dockerfile.ci", {4: "RUN cargo build"}), {"toolchain": "1.81.0"}
    assert "1.81.0" in mended("toolchain", without.format("a AS b"), build, named).diff
    assert "1.81.0" not in mended("toolchain", without.format("y"), build, named).diff


def test_a_comment_installs_no_toolchain() -> None:
    text = "FROM x\nRUN true # --default-toolchain none\nRUN cargo build\n"
    made = mended("toolchain", text, BuildStep("Dockerfile.ci", {3: "RUN cargo build"}), {"toolchain": "1.81.0"})
    assert "1.81.0" not in made.diff


@pytest.mark.parametrize(
    ("run", "wanted"),
    [
        ("a; \\\n    && b", ["-&& b", "+b"]),
        ("a && \\\n    && b", ["-&& b", "+b"]),
        ("a; || b", ["-RUN a; || b", "+RUN a; b"]),
    ],
)
def test_the_second_of_two_operators_goes(run: str, wanted: list[str]) -> None:
    step = BuildStep("Dockerfile.ci", {2: "RUN a"})
    proved = mended("joined", f"FROM a\nRUN {run}\n", step, {})
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == wanted
    assert mended("joined", "FROM a\nRUN a && b; c\n", step, {}).state is PatchState.REFUSED


@pytest.mark.parametrize("program", ["pip install", "python3 -m pip install --no-cache-dir", "apt-get install -y"])
def test_a_command_that_another_one_swallows_is_joined_to_it(program: str) -> None:
    text = f"FROM a\nRUN {program} \\\n        torch \\\n    {program} \\\n        numpy\n"
    step = BuildStep("Dockerfile.ci", {2: f"RUN {program} \\"})
    proved = mended("swallowed", text, step, {})
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-torch \\", "+torch && \\"]
    assert mended("swallowed", text.replace("torch", "torch &&"), step, {}).state is PatchState.REFUSED


def test_an_instruction_that_the_log_cuts_short_is_told_by_its_beginning() -> None:
    head = "RUN set -e; export A=1; export B=2; apt-get update"
    text = f"FROM a AS base\nRUN true\n{head}; \\\n  && apt-get install -y git\n{head}; apt-get install -y curl\n"
    step = BuildStep("Dockerfile.ci", text=f"{head}; \\ ap...'", stage="base", count=3)
    assert mended("joined", text, step, {}).state is PatchState.PATCH
