"""Commands that are mended by what their program says: docker, apt, pip, nvcc; and a checkout without submodules."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fixes.memory_tree import MemoryTree, by_path, tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.patch import Patch, PatchState
from triage.model.recipe import MendCommand

OWN = ".github/workflows/own.yml"


def job(script: str, options: str = "", checkout: str = "actions/checkout@v4", **files: str) -> MemoryTree:
    container = f"    container:\n      image: base:1\n      options: {options}\n" if options else ""
    body = "".join(f"          {line}\n" for line in script.splitlines())
    steps = f"      - uses: {checkout}\n      - name: Build\n        run: |\n{body}"
    return tree(
        {OWN: f"on: [push]\njobs:\n  build:\n    runs-on: gpu\n{container}    steps:\n{steps}", **by_path(files)}
    )


def mended(fault: str, repository: MemoryTree, captures: Mapping[str, str] | None = None) -> Patch:
    recipe = MendCommand(fault)  # type: ignore[arg-type]
    return patch(recipe, "build", OWN, step="Build", repository=repository, captures=captures or {})


@pytest.mark.parametrize(
    "command", ["docker build -t trainer", "docker buildx build -t trainer --push", "podman build -t trainer"]
)
def test_an_image_is_built_from_the_folder_of_its_dockerfile(command: str) -> None:
    proved = mended("context", job(command, Dockerfile="FROM base:1\n"))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [f"-{command}", f"+{command} ."]


def test_a_context_is_in_place_or_only_words() -> None:
    assert mended("context", job("docker build -t x .", Dockerfile="FROM base:1\n")).state is PatchState.IN_PLACE
    assert mended("context", job("docker build -t x")).state is PatchState.ADVICE
    assert mended("context", job("make")).state is PatchState.REFUSED


@pytest.mark.parametrize(
    ("script", "new"),
    [
        ("sudo apt-get update && sudo apt-get -y upgrade", ["+sudo apt-get update"]),
        (
            "apt-get update && apt-get upgrade -y && apt-get install -y git",
            ["+apt-get update && apt-get install -y git"],
        ),
        ("apt-get upgrade -y && apt-get install -y git", ["+apt-get install -y git"]),
    ],
)
def test_the_machine_is_not_upgraded(script: str, new: list[str]) -> None:
    proved = mended("upgrade", job(script))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [f"-{script}", *new]


def test_an_upgrade_alone_is_only_named() -> None:
    assert mended("upgrade", job("apt-get upgrade -y\nmake")).state is PatchState.ADVICE
    assert "does not upgrade" in mended("upgrade", job("apt-get install -y git")).reason


@pytest.mark.parametrize(
    ("script", "new"),
    [
        (
            'pip install -v --install-option="--cpp_ext" ./k',
            'pip install -v --config-settings "--build-option=--cpp_ext" ./k --no-build-isolation',
        ),
        (
            "pip3 install --no-build-isolation --install-option=--cuda_ext ./kernels/cuda",
            'pip3 install --no-build-isolation --config-settings "--build-option=--cuda_ext" ./kernels/cuda',
        ),
    ],
)
def test_the_build_is_handed_its_options(script: str, new: str) -> None:
    proved = mended("pip-option", job(script), {"option": "--install-option"})
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [f"-{script}", f"+{new}"]


def test_a_value_of_several_words_is_only_named() -> None:
    script = 'pip install --install-option="--one --two" ./k'
    assert mended("pip-option", job(script), {"option": "--install-option"}).state is PatchState.ADVICE
    assert mended("pip-option", job("pip install k"), {"option": "--cpp_ext"}).state is PatchState.REFUSED


@pytest.mark.parametrize(
    ("line", "arch", "new"),
    [
        (
            'cmake -DCMAKE_CUDA_ARCHITECTURES="90;100;103;121" .',
            "compute_100",
            'cmake -DCMAKE_CUDA_ARCHITECTURES="90" .',
        ),
        ('export TORCH_CUDA_ARCH_LIST="7.0 8.0 9.0+PTX"', "compute_70", 'export TORCH_CUDA_ARCH_LIST="8.0 9.0+PTX"'),
        ("export TORCH_CUDA_ARCH_LIST='9.0;10.0'", "sm_100", "export TORCH_CUDA_ARCH_LIST='9.0'"),
    ],
)
def test_what_the_toolkit_does_not_know_leaves_the_list(line: str, arch: str, new: str) -> None:
    proved = mended("architectures", job("bash ci/build.sh", ci__build_sh="x"), {"arch": arch})
    assert proved.state is PatchState.REFUSED
    repository = tree({**dict(files_of(job("bash ci/build.sh"))), "ci/build.sh": f"{line}\nmake\n"})
    proved = mended("architectures", repository, {"arch": arch})
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [f"-{line}", f"+{new}"]


def files_of(repository: MemoryTree) -> list[tuple[str, str]]:
    return [(path, repository.read(path).decode()) for path in repository.paths()]


def test_a_list_of_nothing_else_and_one_without_it() -> None:
    alone = job('export TORCH_CUDA_ARCH_LIST="10.0"\nmake')
    assert mended("architectures", alone, {"arch": "compute_100"}).state is PatchState.ADVICE
    assert mended("architectures", alone, {"arch": "compute_90"}).state is PatchState.IN_PLACE
    two = job('export TORCH_CUDA_ARCH_LIST="9.0 10.0"\ncmake -DCMAKE_CUDA_ARCHITECTURES="90;100" .')
    assert mended("architectures", two, {"arch": "compute_100"}).state is PatchState.REFUSED


@pytest.mark.parametrize(
    ("options", "new"),
    [("--gpus 0 --ipc host", "--gpus all --ipc host"), ("--shm-size 16gb --gpus=0", "--shm-size 16gb --gpus=all")],
)
def test_a_container_with_no_gpus_gets_all(options: str, new: str) -> None:
    proved = mended("no-gpus", job("nvidia-smi", options))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [f"-options: {options}", f"+options: {new}"]
    assert "is given GPUs" in mended("no-gpus", job("nvidia-smi", new)).reason


MODULES = {".gitmodules": '[submodule "a"]\n\tpath = third_party/tiles\n\turl = https://git.example.com/tiles.git\n'}


@pytest.mark.parametrize(
    "captures",
    [{"message": "tiles/tiles.h: No such file or directory"}, {"path": "/src/third_party/tiles/CMakeLists.txt"}],
)
def test_the_checkout_fetches_the_submodules(captures: Mapping[str, str]) -> None:
    repository = tree({**dict(files_of(job("make"))), **MODULES})
    proved = mended("submodules", repository, captures)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["+with:", "+submodules: recursive"]


def test_what_is_of_no_submodule_or_is_fetched() -> None:
    message = {"message": "tiles/tiles.h: No such file or directory"}
    plain, fetched = (tree({**dict(files_of(job(run))), **MODULES}) for run in ("make", "git submodule update --init"))
    assert mended("submodules", plain, {"message": "Python.h: No such file"}).state is PatchState.REFUSED
    assert "fetches the submodules" in mended("submodules", fetched, message).reason
    assert mended("submodules", job("make"), message).state is PatchState.REFUSED


@pytest.mark.parametrize("command", ["docker build -t x -", "docker build - < Dockerfile"])
def test_an_image_that_is_built_from_what_is_read_gets_no_folder(command: str) -> None:
    assert mended("context", job(command, Dockerfile="FROM base:1\n")).state is not PatchState.PATCH
