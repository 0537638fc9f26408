"""Fixes of what runs in a container that a step starts or enters: made inside, proved there, or refused."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import REPOSITORY, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import (
    AddStep,
    ContainerOption,
    EffectiveValue,
    HydraOverride,
    PipInstall,
    PipPin,
    RemoveLines,
    ReplaceLine,
    SetEnv,
    SystemPackage,
    Timeout,
)

CI = ".github/workflows/ci.yml"
CV = {"module": "cv2"}
START = 'docker run -d --name ci -v "$GITHUB_WORKSPACE:/w" -w /w -e A=1 img sleep 9'


def job(install: str, test: str = "docker exec ci python a.py", **files: str) -> MemoryTree:
    steps = {"Start": START, "Install": install, "Test": test}
    body = "".join(f"      - name: {name}\n        run: |\n{indent(text, ' ' * 10)}\n" for name, text in steps.items())
    ci = f"on: push\njobs:\n  test:\n    runs-on: gpu-8\n    steps:\n      - uses: actions/checkout@v4\n{body}"
    scripts = {path.replace("__", "/").replace("_dot_", "."): dedent(text) for path, text in files.items()}
    return tree({CI: ci, "requirements.txt": "numpy<2\nopencv-python==4.9\n", "a.py": "", **scripts})


def changes(made: Patch) -> list[str]:
    return [
        line[0] + line[1:].strip()
        for line in made.diff.splitlines()
        if line[:1] in ("+", "-") and not line.startswith(("+++", "---"))
    ]


def proved(recipe: object, repository: MemoryTree, **rest: object) -> list[str]:
    made = patch(recipe, "test", CI, repository=repository, **rest)  # type: ignore[arg-type]
    assert made.state is PatchState.PATCH, (made.reason, made.diff, [str(gate) for gate in made.gates])
    return changes(made)


@pytest.mark.parametrize(
    ("install", "line"),
    [
        ("docker exec ci pip install pytest", "+docker exec ci pip install --no-deps opencv-python==4.9"),
        (
            "docker exec ci bash -c 'pip install pytest'",
            "+docker exec ci bash -c 'pip install pytest && pip install --no-deps opencv-python==4.9'",
        ),
        (
            'docker exec ci bash -c "\n  set -e\n  pip install pytest\n  ls\n"',
            "+pip install --no-deps opencv-python==4.9",
        ),
        ("docker exec -i ci bash <<'EOF'\npip install pytest\nEOF", "+pip install --no-deps opencv-python==4.9"),
    ],
)
def test_an_install_goes_into_the_container(install: str, line: str) -> None:
    recipe = PipInstall(module="{module}", form="pinned")
    lines = proved(recipe, job(f"pip install tool\n{install}"), step="Test", captures=CV)
    assert lines[-1] == line


@pytest.mark.parametrize(
    ("install", "before", "after"),
    [
        ("docker exec ci pip install foo==1", "foo==1", "foo==2"),
        ("docker exec ci bash -c 'pip install foo==1'", "foo==1", "foo==2"),
        ("docker exec ci bash -c \"pip install 'foo==1'\"", "foo==1", "foo==2"),
        ("docker exec -i ci bash <<EOF\npip install foo==1\nEOF", "foo==1", "foo==2"),
        ("bash ci/exec.sh pip install foo==1", "foo==1", "foo==2"),
    ],
)
def test_a_pin_inside_is_moved(install: str, before: str, after: str) -> None:
    repository = job(install, ci__exec_dot_sh='docker exec ci "$@"\n')
    lines = proved(PipPin("foo", "==2"), repository, step="Test")
    assert len(lines) == 2
    assert before in lines[0]
    assert after in lines[1]


@pytest.mark.parametrize(
    ("install", "expected"),
    [
        ("docker exec ci pip install pytest", '+docker exec ci pip install "numpy<2"'),
        (
            "docker exec ci bash -c 'pip install pytest'",
            "+docker exec ci bash -c 'pip install pytest && pip install \"numpy<2\"'",
        ),
        (
            'docker exec ci bash -c "pip install pytest && ls"',
            '+docker exec ci bash -c "pip install pytest && pip install \\"numpy<2\\" && ls"',
        ),
    ],
)
def test_a_pin_is_added_beside_the_containers_installs(install: str, expected: str) -> None:
    repository = job(f"{install}\npip install outside")
    assert proved(PipPin("numpy", "<2"), repository, step="Test")[-1] == expected


def test_requirements_of_a_mounted_checkout_are_those_of_the_repository() -> None:
    lines = proved(
        PipPin("numpy", "<1.9"), job("docker exec ci bash -c 'pip install -r requirements.txt'"), step="Test"
    )
    assert lines == ["-numpy<2", "+numpy<1.9"]
    other = draft(
        PipPin("numpy", "<1.9"),
        "test",
        CI,
        step="Test",
        repository=job("docker exec else pip install -r requirements.txt", "docker exec else python a.py"),
    )
    assert all(edit.path != "requirements.txt" for edit in other.edits)


def test_the_jobs_own_failure_is_fixed_outside_as_before() -> None:
    repository = job("pip install pytest\ndocker exec ci pip install numpy==1.8", "python a.py")
    assert proved(PipPin("numpy", "<2"), repository, step="Test") == ['+pip install "numpy<2"']
    both = job("pip install pytest\ndocker exec ci pip install numpy==1.8", "python a.py\ndocker exec ci python a.py")
    assert proved(PipPin("numpy", "<2"), both, step="Test") == ['+pip install "numpy<2"']
    told = Facts(traced=("docker exec ci python a.py",))
    lines = proved(PipPin("numpy", "<2"), both, step="Test", facts=told)
    assert lines == ["-docker exec ci pip install numpy==1.8", '+docker exec ci pip install "numpy<2"']


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("docker exec ci python a.py", "+docker exec -e B=2 ci python a.py"),
        ("docker exec ci bash -c 'cd x; python a.py'", "+docker exec -e B=2 ci bash -c 'cd x; python a.py'"),
        ("docker exec ci bash -c 'B=1 python a.py'", "+docker exec ci bash -c 'B=2 python a.py'"),
        ('docker exec ci bash -c "export B=1; python a.py"', '+docker exec ci bash -c "export B=2; python a.py"'),
        ("docker run --rm img bash -c 'python a.py'", "+docker run -e B=2 --rm img bash -c 'python a.py'"),
        ("docker exec -e B=1 ci python a.py", "+docker exec -e B=2 ci python a.py"),
    ],
)
def test_a_variable_is_set_where_the_program_sees_it(test: str, expected: str) -> None:
    assert proved(SetEnv("B", "2"), job("true", test), step="Test")[-1] == expected


def test_a_variable_of_the_job_alone_does_not_reach_the_container() -> None:
    made = patch(SetEnv("B", "2"), "test", CI, repository=job("true", "ssh host 'python a.py'"), step="Test")
    assert made.state is not PatchState.PATCH


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("timeout 600 docker exec ci python a.py", "+timeout 900 docker exec ci python a.py"),
        ("docker exec ci timeout 600 python a.py", "+docker exec ci timeout 900 python a.py"),
        ("docker exec ci bash -c 'timeout 10m python a.py'", "+docker exec ci bash -c 'timeout 15m python a.py'"),
        ('docker exec ci bash -c "set -e\ntimeout 600 python a.py\nls"', "+timeout 900 python a.py"),
        ("docker exec ci python a.py --timeout 600", "+docker exec ci python a.py --timeout 900"),
    ],
)
def test_a_limit_inside_is_raised(test: str, expected: str) -> None:
    lines = proved(Timeout(), job("true", test), step="Test", captures={"seconds": "600"})
    assert lines[-1] == expected


def test_shared_memory_of_the_container_is_raised_where_it_is_started() -> None:
    recipe = ContainerOption("--shm-size", "16g")
    made = patch(
        recipe, "test", CI, repository=job("true", "docker run --shm-size=2g img bash -c 'python a.py'"), step="Test"
    )
    assert made.state is PatchState.PATCH, made.reason
    assert changes(made)[-1] == "+docker run --shm-size=16g img bash -c 'python a.py'"


def test_settings_of_programs_inside() -> None:
    files = {path: data.decode() for path, data in REPOSITORY.files.items() if path.startswith("pkg/")}
    for test, expected in (
        ("docker exec ci bash -c 'python -m pkg.train.main actor.fsdp_size=4'",
         "+docker exec ci bash -c 'python -m pkg.train.main actor.fsdp_size=2'"),
        ('docker exec ci bash -c "vllm serve x --gpu-memory-utilization 4"', ""),
    ):  # fmt: skip
        repository = MemoryTree({**job("true", test).files, **{path: text.encode() for path, text in files.items()}})
        made = patch(EffectiveValue(key="actor.fsdp_size", to="2"), "test", CI, repository=repository, step="Test")
        if expected:
            assert made.state is PatchState.PATCH, made.reason
            assert changes(made)[-1] == expected
        else:
            assert made.state is not PatchState.PATCH


def test_lines_inside_go_or_become_others() -> None:
    repository = job("docker exec ci bash -c '\n  set -e\n  pip install old\n  ls'\ndocker exec ci pip install old")
    lines = proved(RemoveLines("pip install", containing=("old",)), repository)
    assert lines == ["-pip install old", "-docker exec ci pip install old"]
    repository = job('docker exec ci bash -c "pip install \\"a<5\\""')
    lines = proved(ReplaceLine("pip install", to="uv pip install"), repository)
    assert lines[-1] == '+docker exec ci bash -c "uv pip install \\"a<5\\""'


def test_a_package_of_the_system_goes_beside_the_containers_packages() -> None:
    repository = job("docker exec ci bash -c 'apt-get update && apt-get install -y git'")
    recipe = SystemPackage("{needed}")
    made = patch(recipe, "test", CI, repository=repository, step="Test", captures={"needed": "ffmpeg"})
    assert made.state is PatchState.PATCH, made.reason
    assert changes(made)[-1] == "+docker exec ci bash -c 'apt-get update && apt-get install -y git ffmpeg'"


def test_a_step_of_the_job_installs_nothing_in_a_container() -> None:
    recipe = AddStep("More", run="pip install x")
    repository = job("docker exec ci pip install pytest")
    assert patch(recipe, "test", CI, repository=repository, step="Test").state is PatchState.REFUSED


def test_an_override_inside_is_a_literal() -> None:
    files = {path: data for path, data in REPOSITORY.files.items() if path.startswith("pkg/")}
    test = "docker exec ci bash -c 'python -m pkg.train.main rollout.name=vllm model.path=x'"
    repository = MemoryTree({**job("true", test).files, **files})
    recipe = HydraOverride("trainer.steps", "2", entry=("pkg.*",))
    made = patch(recipe, "test", CI, repository=repository, step="Test")
    assert made.state is PatchState.PATCH, made.reason
    assert changes(made)[-1].endswith("model.path=x trainer.steps=2'")
