"""Package managers that need root, addresses of a protocol that is gone, and indexes that have only a part."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import PatchState
from triage.model.recipe import AddStep, AsRoot, ExtraIndex, SecureAddress

OWN = ".github/workflows/own.yml"


def repository(script: str, labels: str = "ubuntu-latest", more: str = "", **files: str) -> MemoryTree:
    body = "".join(f"          {line}\n" for line in script.splitlines())
    head = f"on: [push]\njobs:\n  test:\n    runs-on: {labels}\n{more}    steps:\n      - uses: actions/checkout@v4\n"
    return tree({OWN: f"{head}      - name: Install\n        run: |\n{body}", **files})


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("pip install tox\napt-get update && apt-get install -y jq", ["+sudo apt-get update && sudo apt-get install -y jq"]),
        ("DEBIAN_FRONTEND=noninteractive apt install -y git", ["+DEBIAN_FRONTEND=noninteractive sudo apt install -y git"]),
        ("if true; then\n  dpkg -i a.deb\nfi\nsudo ldconfig", ["+sudo dpkg -i a.deb"]),
    ],
)  # fmt: skip
def test_the_package_manager_runs_by_sudo(script: str, expected: list[str]) -> None:
    made = patch(AsRoot(), "test", OWN, step="Install", repository=repository(script))
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line.startswith("+")] == expected


@pytest.mark.parametrize(
    ("script", "labels", "more", "state"),
    [
        ("sudo apt-get install -y jq", "ubuntu-latest", "", PatchState.IN_PLACE),
        ("apt list --installed", "ubuntu-latest", "", PatchState.REFUSED),
        ("apt-get install -y jq", "[gpu]", "", PatchState.ADVICE),
        ("apt-get install -y jq", "ubuntu-latest", "    container: example/train:1\n", PatchState.ADVICE),
        ("bash tools/install.sh", "ubuntu-latest", "", PatchState.ADVICE),
    ],
)
def test_where_sudo_may_not_be_there_it_is_no_patch(script: str, labels: str, more: str, state: PatchState) -> None:
    there = repository(script, labels, more, **{"tools/install.sh": "apt-get install -y jq\n"})
    assert draft(AsRoot(), "test", OWN, step="Install", repository=there).state is state


def test_a_script_that_knows_sudo_uses_it() -> None:
    script = "sudo mkdir -p /opt/x\nyum install -y git\n"
    there = repository("bash tools/install.sh", **{"tools/install.sh": script})
    made = patch(AsRoot(), "test", OWN, step="Install", repository=there)
    assert changed(made) == ["-yum install -y git", "+sudo yum install -y git"]


def test_an_image_gets_its_own_user_back() -> None:
    text = "FROM a:1\nUSER app:app\nRUN apt-get update && \\\n    apt-get install -y git\nCOPY . /app\n"
    facts = Facts(
        build=BuildStep(dockerfile="Dockerfile", lines={3: "RUN apt-get update && \\", 4: "    apt-get install -y git"})
    )
    there = repository("docker build .", Dockerfile=text)
    made = patch(AsRoot(), "test", OWN, step="Install", facts=facts, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["+USER root", "+USER app:app"]


ADDRESS = {"address": "git://github.com/example/engine.git"}


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("requirements/base.txt", "numpy\ngit+git://github.com/example/engine.git@0a1b2c3#egg=engine\n", "+git+https://github.com/example/engine.git@0a1b2c3#egg=engine"),
        (".gitmodules", '[submodule "e"]\n\tpath = e\n\turl = git://github.com/example/engine\n', "+url = https://github.com/example/engine"),
        ("docker/Dockerfile", "FROM a:1\nRUN git clone --depth 1 git://github.com/example/engine.git /e\n", "+RUN git clone --depth 1 https://github.com/example/engine.git /e"),
        ("setup.py", "setup(install_requires=['engine @ git+git://github.com/example/engine@v1'])\n", "+setup(install_requires=['engine @ git+https://github.com/example/engine@v1'])"),
    ],
)  # fmt: skip
def test_the_same_repository_by_https(path: str, text: str, expected: str) -> None:
    there = repository(
        "pip install -r requirements/base.txt",
        **{path: text, "tools/a.sh": "git clone git://github.com/example/other\n"},
    )
    made = patch(SecureAddress("{address}"), "test", OWN, captures=ADDRESS, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1:] == [expected]


def test_addresses_of_other_hosts_stay() -> None:
    there = repository("git clone git://git.example.com/example/engine.git")
    made = draft(SecureAddress("{address}"), "test", OWN, captures=ADDRESS, repository=there)
    assert made.state is not PatchState.PATCH


WHEELS = "https://download.pytorch.org/whl/cpu"
LACKS = ExtraIndex(instead_of="{index}", package="{package}")
MISSING = {"index": WHEELS, "package": "sympy"}


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (f"pip install --index-url {WHEELS} 'torch>=2.4'", "--index-url"),
        (f"python3 -m pip install torch -i {WHEELS}/", "-i"),
        (f"pip3 install --index-url={WHEELS} torch torchvision", "--index-url"),
        (f"pip install '-i' {WHEELS} torch", "-i"),
    ],
)
def test_the_public_index_too(command: str, option: str) -> None:
    made = patch(LACKS, "test", OWN, step="Install", captures=MISSING, repository=repository(command))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == f"+{command.replace(option, '--extra-index-url', 1)}"


@pytest.mark.parametrize(
    ("command", "package", "state"),
    [
        (f"uv pip install --index-url {WHEELS} torch", "sympy", PatchState.ADVICE),
        (f"pip install --index-url {WHEELS} --extra-index-url https://files.example torch", "sympy", PatchState.IN_PLACE),
        (f"pip install --index-url {WHEELS} torch", "torch", PatchState.REFUSED),
        ("pip install torch", "sympy", PatchState.REFUSED),
    ],
)  # fmt: skip
def test_another_index_has_another_cause(command: str, package: str, state: PatchState) -> None:
    said = {**MISSING, "package": package}
    assert draft(LACKS, "test", OWN, step="Install", captures=said, repository=repository(command)).state is state


@pytest.mark.parametrize(
    ("command", "labels", "state"),
    [
        ("pip install -e .", "ubuntu-latest", PatchState.PATCH),
        ("pip install -e .", "[gpu]", PatchState.REFUSED),
        ("pip install -e .\npip install x", "ubuntu-latest", PatchState.ADVICE),
    ],
)
def test_torch_without_cuda_only_where_no_gpu_is(command: str, labels: str, state: PatchState) -> None:
    made = draft(ExtraIndex(processors=True), "test", OWN, step="Install", repository=repository(command, labels))
    assert made.state is state


@pytest.mark.parametrize(("base", "state"), [("example/cann:8.0", PatchState.PATCH), ("python:3.11", PatchState.REFUSED), ("nvidia/cuda:12.4.1-devel-ubuntu22.04", PatchState.REFUSED)])  # fmt: skip
def test_an_image_for_a_gpu_keeps_its_torch(base: str, state: PatchState) -> None:
    text = f"FROM {base}\nRUN pip install ./engine\n"
    facts = Facts(build=BuildStep(dockerfile="Dockerfile", lines={2: "RUN pip install ./engine"}))
    there = repository("docker build .", Dockerfile=text)
    assert draft(ExtraIndex(processors=True), "test", OWN, step="Install", facts=facts, repository=there).state is state


CLEAN = AddStep("Clean", run='sudo find "$GITHUB_WORKSPACE" -mindepth 1 -delete || true', before_checkout=True)


def test_root_empties_the_work_folder_before_the_checkout() -> None:
    made = patch(CLEAN, "test", OWN, repository=repository("make", "[self-hosted, x64]"))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["+- name: Clean", '+run: sudo find "$GITHUB_WORKSPACE" -mindepth 1 -delete || true']


EMPTIED = "      - name: Empty\n        run: |\n          docker ps\n          sudo rm -rf ${{ github.workspace }}/* || true\n"
AFTER = "  other:\n    runs-on: {}\n    steps:\n{}      - uses: actions/checkout@v4\n      - run: make\n"


@pytest.mark.parametrize(("labels", "copied"), [("[gpu]", True), ("ubuntu-latest", False)])
def test_it_is_emptied_as_other_jobs_on_machines_of_their_own_do_it(labels: str, copied: bool) -> None:
    text = repository("make", "[self-hosted, x64]").read(OWN).decode() + AFTER.format(labels, EMPTIED)
    made = patch(CLEAN, "test", OWN, repository=tree({OWN: text}))
    assert made.state is PatchState.PATCH, made.reason
    assert ("+- name: Empty" in changed(made)) is copied
    if copied:
        assert draft(CLEAN, "other", OWN, repository=tree({OWN: text})).state is PatchState.IN_PLACE


@pytest.mark.parametrize(("labels", "more"), [("ubuntu-latest", ""), ("[gpu]", "    container: example/train:1\n")])
def test_a_machine_that_is_new_each_time_and_a_container_need_it_not(labels: str, more: str) -> None:
    assert draft(CLEAN, "test", OWN, repository=repository("make", labels, more)).state is PatchState.REFUSED
