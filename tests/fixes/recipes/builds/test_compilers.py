"""Fewer compilers at once: where their number stands decides where it is lowered."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import PatchState
from triage.model.recipe import FewerJobs

CI = ".github/workflows/ci.yml"
JOBS = FewerJobs("MAX_JOBS", "4", threads="2")
HEAD = "on: [push]\njobs:\n  wheel:\n    runs-on: [self-hosted]\n    steps:\n      - name: Build\n"
SETUP = {"setup.py": "from setuptools import setup\nsetup()\n"}
THREADED = {"setup.py": 'import os\nthreads = os.getenv("NVCC_THREADS") or "4"\n'}


def repository(run: str, env: str = "", **files: str) -> MemoryTree:
    layer = f"        env:\n          {env}\n" if env else ""
    return tree({CI: f"{HEAD}{layer}        run: |\n          {run}\n", **SETUP, **files})


def lowered(run: str, env: str = "", **files: str) -> list[str]:
    made = patch(JOBS, "wheel", CI, step="Build", repository=repository(run, env, **files))
    assert made.state is PatchState.PATCH, made.reason
    return changed(made)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("MAX_JOBS=2 python setup.py bdist_wheel", "MAX_JOBS=1 python setup.py bdist_wheel"),
        ('export MAX_JOBS="16"; pip install -v .', 'export MAX_JOBS="8"; pip install -v .'),
        ("export MAX_JOBS=$(nproc); pip install .", "export MAX_JOBS=$(( ($(nproc) + 1) / 2 )); pip install ."),
        ("docker run -e MAX_JOBS=224 example/b:1 bash b.sh", "docker run -e MAX_JOBS=112 example/b:1 bash b.sh"),
        ("cmake --build build -j", "cmake --build build -j4"),
        ("make -j$(nproc) all", "make -j$(( ($(nproc) + 1) / 2 )) all"),
    ],
)
def test_the_command_that_sets_the_number_sets_half_of_it(before: str, after: str) -> None:
    assert lowered(before) == [f"-{before}", f"+{after}"]


def test_an_env_of_the_workflow_is_lowered_where_it_stands() -> None:
    assert lowered("pip install .", 'MAX_JOBS: "8"') == ['-MAX_JOBS: "8"', '+MAX_JOBS: "4"']


def test_a_share_that_a_script_works_out_is_halved_and_its_clamps_stay() -> None:
    script = "MAX_JOBS=$(( MEM_GB / 4 ))\nif (( MAX_JOBS < 1 )); then\n  MAX_JOBS=1\nelif (( N < MAX_JOBS )); then\n"
    script += "  MAX_JOBS=$N\nfi\nexport MAX_JOBS\npython setup.py bdist_wheel\n"
    made = lowered("bash build.sh", **{"build.sh": script})
    assert made == ["-MAX_JOBS=$(( MEM_GB / 4 ))", "+MAX_JOBS=$(( MEM_GB / 8 ))"]


def test_where_nothing_sets_it_the_step_gets_a_number() -> None:
    assert lowered("pip install .") == ["+env:", '+MAX_JOBS: "4"']


def test_one_compiler_is_too_many_only_where_its_threads_can_be_fewer() -> None:
    run = 'MAX_JOBS=$([ "$A" == "1" ] && echo 1 || echo 2) python setup.py bdist_wheel'
    assert lowered(run, **THREADED) == ["+env:", '+NVCC_THREADS: "2"']
    assert lowered(run) == [f"-{run}", "+MAX_JOBS=1 python setup.py bdist_wheel"]
    for one in (run.replace("echo 2", "echo $N"), "MAX_JOBS=1 python setup.py bdist_wheel", run.replace("2", "1")):
        made = patch(JOBS, "wheel", CI, step="Build", repository=repository(one))
        assert made.state is PatchState.REFUSED
        assert "cannot be halved" in made.reason


def test_two_numbers_are_not_guessed_between() -> None:
    text = "MAX_JOBS=8 pip install a\n          MAX_JOBS=4 pip install b"
    made = patch(JOBS, "wheel", CI, step="Build", repository=repository(text))
    assert made.state is PatchState.REFUSED
    assert "several places" in made.reason


def test_a_build_sees_nothing_of_the_jobs_environment() -> None:
    made = patch(JOBS, "wheel", CI, step="Build", repository=repository("docker build -t a ."))
    assert made.state is PatchState.REFUSED
    assert "gives them no environment" in made.reason


@pytest.mark.parametrize(
    ("instruction", "lines"),
    [
        ("RUN MAX_JOBS=96 pip install kernels", ["-RUN MAX_JOBS=96 pip", "+RUN MAX_JOBS=48 pip"]),
        ("RUN cmake --build b --target install -j && ls", ["-RUN cmake --build b", "+RUN cmake --build b"]),
        ("RUN pip install others", ["-RUN pip install others", "+RUN MAX_JOBS=4 pip install others"]),
        ("RUN pip install kernels", ["-ENV MAX_JOBS=32", "+ENV MAX_JOBS=16"]),
    ],
)
def test_in_a_build_the_failed_instruction_decides_before_what_all_get(instruction: str, lines: list[str]) -> None:
    text = f"FROM base:1\nENV MAX_JOBS=32\n{instruction}\n"
    if "cmake" in instruction or "others" in instruction:
        text = text.replace("ENV MAX_JOBS=32", "ENV OTHER=32")
    workflow = f"{HEAD}        run: docker build -f docker/Dockerfile .\n"
    facts = Facts(build=BuildStep("Dockerfile", {3: instruction}))
    made = patch(JOBS, "wheel", CI, facts=facts, repository=tree({CI: workflow, "docker/Dockerfile": text}))
    assert made.state is PatchState.PATCH, made.reason
    assert [line[: len(start)] for line, start in zip(changed(made), lines, strict=True)] == lines


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("make -j 8 all", "make -j4 all"),
        ("make -j8", "make -j4"),
        ("cmake --build build --parallel 16", "cmake --build build -j8"),
        ("make -j test", "make -j4 test"),
    ],
)
def test_a_number_behind_the_option_is_halved_and_no_second_one_put_before_it(before: str, after: str) -> None:
    """`make -j4 8` would make a target `8`."""
    assert lowered(before) == [f"-{before}", f"+{after}"]


@pytest.mark.parametrize("run", ["make -j $N", 'make -j"$N" all', "ninja -j ${{ vars.N }}", "make -j4 a; make -j8 b"])
def test_a_number_from_elsewhere_or_several_are_not_guessed(run: str) -> None:
    made = patch(JOBS, "wheel", CI, step="Build", repository=repository(run))
    assert made.state is PatchState.REFUSED
    assert "compilers" in made.reason


@pytest.mark.parametrize("line", ["# make -j", 'echo "try make -j yourself"'])
def test_a_comment_or_a_saying_starts_no_compilers(line: str) -> None:
    assert lowered(f"{line}\n          pip install .") == ["+env:", '+MAX_JOBS: "4"']
