"""Programs, libraries and headers that the system lacks: with what the job, or the image, installs of that kind."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.fixes.whereabouts.typed import typed_path, typed_workflow
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import PatchState
from triage.model.recipe import SystemPackage
from triage.model.trail import Announced

CI = ".github/workflows/ci.yml"
NEEDED = SystemPackage(needed="{needed}")


def job(*steps: str, runner: str = "gpu-8", extra: str = "", **files: str) -> MemoryTree:
    body = "".join(
        f"      - name: s{at}\n        run: |\n" + "".join(f"          {line}\n" for line in step.splitlines())
        for at, step in enumerate(steps)
    )
    ci = (
        f"on: push\njobs:\n  test:\n    runs-on: {runner}\n{extra}    steps:\n      - uses: actions/checkout@v4\n{body}"
    )
    return tree({CI: ci, **{path.replace("_dot_", "."): text for path, text in files.items()}})


@pytest.mark.parametrize(
    ("script", "needed", "new"),
    [
        ("apt-get update\napt-get install -y git vim", "wget", "+apt-get install -y git vim wget"),
        ("sudo apt-get update && sudo apt-get install -y git vim && true", "ffmpeg", None),
        ("yum install -y gcc gcc-c++\nyum install -y epel-release", "patch", "+yum install -y gcc gcc-c++ patch"),
        ("apk add --no-cache git bash", "libGL.so.1", "+apk add --no-cache git bash mesa-gl"),
        ("apt-get install -y \\\n  git \\\n  vim", "Python.h", "+python3-dev \\"),
        ("apt-get install -y git vim", "/usr/bin/gcc", "+apt-get install -y git vim gcc"),
        ("yum install -y epel-release\nyum install -y gcc gcc-c++", "ffmpeg", "+yum install -y gcc gcc-c++ ffmpeg"),
        ("yum install -y gcc jemalloc", "ffmpeg", "+yum install -y gcc jemalloc ffmpeg"),
    ],
)
def test_it_joins_what_the_job_installs_of_the_system(script: str, needed: str, new: str | None) -> None:
    proved = patch(NEEDED, "test", CI, step="s1", captures={"needed": needed}, repository=job(script, "make"))
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert new is None or changed(proved)[-1].strip() == new
    assert needed in proved.title or needed.rpartition("/")[2] in proved.title


def test_the_name_that_the_repository_uses_elsewhere_is_taken() -> None:
    there = job("apt-get install -y git vim", "make", Dockerfile="RUN apt-get install -y libgl1-mesa-glx\n")
    proved = patch(NEEDED, "test", CI, step="s1", captures={"needed": "libGL.so.1"}, repository=there)
    assert changed(proved)[-1] == "+apt-get install -y git vim libgl1-mesa-glx"


def test_a_machine_of_github_gets_it_before_the_program() -> None:
    there = job("pip install x", "zip -r a.zip a", runner="ubuntu-latest")
    proved = patch(NEEDED, "test", CI, step="s1", captures={"needed": "zip"}, repository=there)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["+sudo apt-get update && sudo apt-get install -y zip"]


@pytest.mark.parametrize(
    ("there", "needed", "state"),
    [
        (job("apt-get install -y git vim", "make"), "nvidia-smi", PatchState.REFUSED),
        (job("apt-get install -y git vim", "make"), "libcudart.so.12", PatchState.REFUSED),
        (job("apt-get install -y git wget", "make"), "wget", PatchState.IN_PLACE),
        (job("apt-get install -y libgl1-mesa-glx", "make"), "libGL.so.1", PatchState.IN_PLACE),
        (job("pip install x", "make"), "wget", PatchState.ADVICE),
        (job("pip install x", "make", runner="ubuntu-latest", extra="    container: base:1\n"), "wget", PatchState.ADVICE),
        (job("pip install x", "make", runner="windows-latest"), "wget", PatchState.ADVICE),
        (job("apk add git bash\nyum install -y git vim", "make"), "wget", PatchState.ADVICE),
        (job("if [ -n \"$X\" ]; then\n  apt-get install -y git vim\nfi", "make"), "wget", PatchState.ADVICE),
        (job("apt-get install -y ./own_1.0.deb", "make"), "wget", PatchState.ADVICE),
        (job("yum install -y gcc gcc-c++", "make"), "ffmpeg", PatchState.ADVICE),
    ],
    ids=[
        "driver", "toolkit", "there", "there-by-another-name", "no-manager", "container", "windows", "two-managers",
        "only-in-some-cases", "a-file", "of-another-repository",
    ],
)  # fmt: skip
def test_near_misses_change_nothing(there: MemoryTree, needed: str, state: PatchState) -> None:
    found = draft(NEEDED, "test", CI, step="s1", captures={"needed": needed}, repository=there)
    assert found.state is state, found.reason
    assert not found.edits


def test_what_is_installed_only_after_the_failed_step_does_not_count() -> None:
    there = job("make", "apt-get install -y git vim")
    found = draft(NEEDED, "test", CI, step="s0", captures={"needed": "wget"}, repository=there)
    assert found.state is PatchState.ADVICE


def test_a_stage_of_the_failed_build_has_its_own_system() -> None:
    docker = (
        "FROM a AS first\nRUN apt-get update && apt-get install -y git vim\nRUN make a\n"
        "FROM b\nRUN apt-get update && apt-get install -y \\\n    git \\\n    curl && rm -rf /x\nRUN bash fetch.sh\n"
    )
    there = tree(
        {
            CI: "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: docker build .\n",
            "Dockerfile": docker,
        }
    )
    facts = Facts(build=BuildStep("Dockerfile", {8: "RUN bash fetch.sh"}))
    proved = patch(NEEDED, "test", CI, facts=facts, captures={"needed": "wget"}, repository=there)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["+wget \\"]
    assert "    git \\\n+    wget \\\n     curl" in proved.diff


SCRIPT = 'echo start\nif [ "$(hostname)" != ci ]; then\n  apt-get install -y git vim\nfi\nconda env update --file environment.yml\n'


@pytest.mark.parametrize(
    ("traced", "state"),
    [(("apt-get install -y git vim",), PatchState.PATCH), (("apt-get install -y git",), PatchState.ADVICE)],
)
def test_a_script_that_the_log_shows_gets_it_where_the_log_shows_its_install_too(
    traced: tuple[str, ...], state: PatchState
) -> None:
    """Whatever a branch of the script decides."""
    path = typed_path("run")
    files = {path: typed_workflow((Announced("Run", ("bash ci/run.sh",)),)), "ci/run.sh": SCRIPT.encode()}
    facts, captures = Facts(traced=traced), {"needed": "patch"}
    proved = patch(NEEDED, "commands", path, facts=facts, captures=captures, repository=MemoryTree(files))
    assert proved.state is state, proved.reason
    assert proved.files == (("ci/run.sh",) if state is PatchState.PATCH else ())
