"""What a build stands on: its base's compiler, its way to the network, the architectures and wheels that it is told."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import PatchState
from triage.model.recipe import ArchList, CopyMount, DevelBase, ForceBuild

OWN = ".github/workflows/image.yml"
JOB = "on: [push]\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - name: Build\n        run: docker build -f docker/Dockerfile .\n"


def image(text: str, **files: str) -> MemoryTree:
    return tree({OWN: JOB, "docker/Dockerfile": text, **files})


def failed_at(text: str, line: int) -> Facts:
    return Facts(build=BuildStep(dockerfile="Dockerfile", lines={line: text.splitlines()[line - 1]}))


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\nRUN pip install fast\n", 2, "+FROM nvidia/cuda:12.4.1-devel-ubuntu22.04"),
        ("ARG V=12.4.1\nFROM nvidia/cuda:${V}-cudnn-runtime-rockylinux9 AS a\nRUN dnf install -y python3\nFROM a AS b\nRUN uv sync\n", 5, "+FROM nvidia/cuda:${V}-cudnn-devel-rockylinux9 AS a"),
        ('ARG BASE="pytorch/pytorch:2.6.0-cuda12.4-cudnn9-runtime"\nFROM --platform=linux/amd64 ${BASE}\nRUN python setup.py install\n', 3, '+ARG BASE="pytorch/pytorch:2.6.0-cuda12.4-cudnn9-devel"'),
        ("FROM nvcr.io/nvidia/cuda:12.1.0-base-ubuntu22.04\nRUN conda run -n x pip install fast\n", 2, "+FROM nvcr.io/nvidia/cuda:12.1.0-devel-ubuntu22.04"),
    ],
)  # fmt: skip
def test_the_base_that_holds_the_compiler(text: str, line: int, expected: str) -> None:
    made = patch(DevelBase(), "build", OWN, step="Build", facts=failed_at(text, line), repository=image(text))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1:] == [expected]


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nRUN pip install fast\n", PatchState.IN_PLACE),
        ("FROM python:3.11-slim\nRUN pip install fast\n", PatchState.REFUSED),
        ("FROM example/runtime:1-runtime\nRUN pip install fast\n", PatchState.REFUSED),
        # Another stage's base is not the one that compiles.
        ("FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04 AS other\nFROM ubuntu:22.04\nRUN pip install fast\n", PatchState.REFUSED),
    ],
)  # fmt: skip
def test_a_base_that_says_nothing_of_a_compiler_stays(text: str, state: PatchState) -> None:
    line = len(text.splitlines())
    made = draft(DevelBase(), "build", OWN, step="Build", facts=failed_at(text, line), repository=image(text))
    assert made.state is state


MOUNT = "--mount=type=secret,id=HTTPS_PROXY,env=https_proxy"


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        (f"FROM a:1\nRUN {MOUNT} \\\n    git clone https://git.example.com/x\nRUN pip install x\n", 4, [f"+RUN {MOUNT} \\", "+pip install x"]),
        (f"FROM a:1\nRUN {MOUNT} apt-get update\nRUN uv sync --locked\n", 3, [f"+RUN {MOUNT} uv sync --locked"]),
        ("FROM a:1\nRUN --network=host dnf install -y git\nRUN git clone https://git.example.com/x\n", 3, ["+RUN --network=host git clone https://git.example.com/x"]),
    ],
)  # fmt: skip
def test_the_way_to_the_network_that_others_have(text: str, line: int, expected: list[str]) -> None:
    made = patch(CopyMount(), "build", OWN, step="Build", facts=failed_at(text, line), repository=image(text))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1:] == expected


def test_without_another_instruction_that_has_one_nothing_is_said() -> None:
    text = "FROM a:1\nRUN --mount=type=cache,target=/root/.cache pip install y\nRUN pip install x\n"
    made = draft(CopyMount(), "build", OWN, step="Build", facts=failed_at(text, 3), repository=image(text))
    assert made.state is PatchState.REFUSED


KERNELS = "RUN uv pip install --no-build-isolation git+https://git.example.com/a/kernels.git\n"


@pytest.mark.parametrize(
    ("base", "files", "value"),
    [
        ("nvidia/cuda:12.4.1-devel-ubuntu22.04", {}, "7.0;8.0;9.0"),
        ("example/torch:2.7-cu128", {}, "8.0;9.0;10.0;12.0"),
        ("example/torch:1", {"tools/build.sh": "export TORCH_CUDA_ARCH_LIST='8.0;9.0+PTX'\n"}, "8.0;9.0+PTX"),
        ("example/torch:1-cu121", {"a.sh": "# export TORCH_CUDA_ARCH_LIST=7.5\n"}, "7.0;8.0;9.0"),
        ("example/torch:1-cu121", {"third_party/a/a.sh": "export TORCH_CUDA_ARCH_LIST=7.5\n"}, "7.0;8.0;9.0"),
        (
            "example/torch:1-cu121",
            {"a.sh": "export TORCH_CUDA_ARCH_LIST=7.5\n", "b.sh": "export TORCH_CUDA_ARCH_LIST=9.0\n"},
            "7.0;8.0;9.0",
        ),
    ],
)
def test_the_architectures_of_the_tree_or_of_the_toolkit(base: str, files: dict[str, str], value: str) -> None:
    text = f"FROM {base}\n{KERNELS}"
    made = patch(ArchList(), "build", OWN, step="Build", facts=failed_at(text, 2), repository=image(text, **files))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [f'+ENV TORCH_CUDA_ARCH_LIST="{value}"']


def test_a_script_that_several_instructions_run_says_it_for_all() -> None:
    text = "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nCOPY tools $HOME/tools\nRUN bash tools/install.sh a\nRUN bash tools/install.sh b\n"
    script = "set -e\nkernels() {\n    uv pip install einops\n    pip install git+https://git.example.com/a/fast-kernels.git --no-build-isolation\n}\n"
    said = {"package": "fast-kernels"}
    there = image(text, **{"tools/install.sh": script})
    made = patch(ArchList(), "build", OWN, step="Build", facts=failed_at(text, 3), captures=said, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ['+export TORCH_CUDA_ARCH_LIST="${TORCH_CUDA_ARCH_LIST:-7.0;8.0;9.0}"']


def test_where_the_toolkit_is_not_known_it_is_advice() -> None:
    text = f"FROM example/torch:1\n{KERNELS}"
    made = draft(ArchList(), "build", OWN, step="Build", facts=failed_at(text, 2), repository=image(text))
    assert made.state is PatchState.ADVICE


@pytest.mark.parametrize(
    ("module", "line", "expected"),
    [
        ("flash_attn", "RUN pip install flash-attn==2.5.9 --no-build-isolation", "+ENV FLASH_ATTENTION_FORCE_BUILD=TRUE"),
        ("selective_scan", "RUN uv pip install 'mamba-ssm[causal]>=2'", "+ENV MAMBA_FORCE_BUILD=TRUE"),
        ("causal_conv1d", "RUN if true; then \\\n    python3 -m pip install causal_conv1d; fi", "+ENV CAUSAL_CONV1D_FORCE_BUILD=TRUE"),
    ],
)  # fmt: skip
def test_the_extension_is_compiled_where_it_is_installed(module: str, line: str, expected: str) -> None:
    there = image(f"FROM a:1\nRUN pip install torch\n{line}\n")
    made = patch(ForceBuild("{module}"), "build", OWN, captures={"module": module}, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [expected]


def test_of_two_images_that_install_it_none_is_chosen() -> None:
    there = image("FROM a:1\nRUN pip install flash-attn\n", Dockerfile="FROM a:1\nRUN pip install flash_attn\n")
    made = draft(ForceBuild("{module}"), "build", OWN, captures={"module": "flash_attn"}, repository=there)
    assert made.state is PatchState.ADVICE
    shown = Facts(commands=("docker build -f docker/Dockerfile .",))
    made = draft(ForceBuild("{module}"), "build", OWN, captures={"module": "flash_attn"}, facts=shown, repository=there)
    assert made.state is PatchState.PATCH
