from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import PatchState
from triage.model.recipe import MendCommand

OWN = ".github/workflows/own.yml"
RECIPE = MendCommand("environment")
INSTALL = "uv pip install numpy"


def repository(script: str, *, rest: str = "", before: str = "", more: str = "") -> MemoryTree:
    """`rest`: the job's last step; `before`: steps in front; `more`: other jobs."""
    body = "".join(f"          {line}\n" for line in script.splitlines())
    last = f"      - name: Use\n        run: {rest}\n" if rest else ""
    head = (
        f"on: [push]\njobs:\n  build:\n    runs-on: gpu-8\n    steps:\n{before}      - name: Install\n        run: |\n"
    )
    return tree({OWN: head + body + last + more})


def another(name: str, script: str, env: str = "") -> str:
    body = "".join(f"          {line}\n" for line in script.splitlines())
    return f"  {name}:\n    runs-on: gpu-8\n{env}    steps:\n      - run: |\n{body}"


SYSTEM = another("other", "uv pip install --system torch")
VENV = another("third", "uv venv --python 3.12\nuv pip install torch")
SETUP = "      - uses: actions/setup-python@v5\n"


@pytest.mark.parametrize(
    ("there", "new"),
    [
        (repository(INSTALL, more=SYSTEM), ["-uv pip install numpy", "+uv pip install --system numpy"]),
        (repository(INSTALL, more=VENV), ["+uv venv --python 3.12"]),
        (repository(f"{INSTALL}\nuv pip install -e .", more=VENV), ["+uv venv --python 3.12"]),
        (repository(INSTALL, rest=".venv/bin/pytest tests", more=SYSTEM), ["+uv venv"]),
        (repository(INSTALL, rest="source .venv/bin/activate"), ["+uv venv"]),
        (repository(INSTALL, rest="uv run --no-sync pytest tests"), ["+uv venv"]),
        (repository(INSTALL, rest="pytest tests", before=SETUP), ["-uv pip install numpy", "+uv pip install --system numpy"]),
        (
            repository(f"uv pip install --system pip\nsudo -E {INSTALL}", more=VENV),
            ["-sudo -E uv pip install numpy", "+sudo -E uv pip install --system numpy"],
        ),
        (repository(INSTALL, rest=r".\.venv\Scripts\pytest", more=SYSTEM), ["+uv venv"]),
        (repository(INSTALL, rest=".venv/bin/pytest", before=SETUP, more=VENV), ["+uv venv"]),
        (
            repository(INSTALL, more=another("other", "# not uv pip install --system\nuv venv\nuv pip install torch")),
            ["+uv venv"],
        ),
        (
            repository(INSTALL, more=another("other", INSTALL, "    env:\n      UV_SYSTEM_PYTHON: 1\n")),
            ["+env:", '+UV_SYSTEM_PYTHON: "1"'],
        ),
    ],
)  # fmt: skip
def test_it_is_told_where_to_install_into(there: MemoryTree, new: list[str]) -> None:
    made = patch(RECIPE, "build", OWN, step="Install", repository=there)
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made) == new


@pytest.mark.parametrize(
    "there",
    [
        repository("uv venv\n" + INSTALL),
        repository("uv pip install --python /opt/python numpy", more=SYSTEM),
        repository(f"export UV_SYSTEM_PYTHON=1\n{INSTALL}", more=SYSTEM),
    ],
)
def test_what_says_so_already_is_in_place(there: MemoryTree) -> None:
    assert draft(RECIPE, "build", OWN, step="Install", repository=there).state is PatchState.IN_PLACE


@pytest.mark.parametrize(
    "there",
    [
        repository(INSTALL),
        repository(INSTALL, more=SYSTEM + VENV),
        repository(INSTALL, rest="pytest tests"),
        repository(INSTALL, rest="uv venv", more=SYSTEM),  # made too late
        repository(f"uv venv /opt/made\n{INSTALL}", more=SYSTEM),  # and nothing says that it is to be used
    ],
)
def test_where_nothing_tells_it_is_advice(there: MemoryTree) -> None:
    assert draft(RECIPE, "build", OWN, step="Install", repository=there).state is PatchState.ADVICE


def test_a_script_that_other_jobs_run_too_is_left() -> None:
    """Theirs may have an environment."""
    more = SYSTEM + another("third", "uv venv\nsource .venv/bin/activate\nbash install.sh")
    shared = repository("bash install.sh", more=more)
    there = replace(shared, files={**shared.files, "install.sh": f"{INSTALL}\n".encode()})
    made = patch(RECIPE, "build", OWN, step="Install", repository=there)
    assert changed(made) == ["+env:", '+UV_SYSTEM_PYTHON: "1"']


def test_without_such_a_command_nothing_is_done() -> None:
    there = repository("pip install --user numpy", more=SYSTEM)
    assert draft(RECIPE, "build", OWN, step="Install", repository=there).state is PatchState.REFUSED


@pytest.mark.parametrize(
    ("rest", "state"), [("", PatchState.PATCH), ("ENV PATH=/opt/venv/bin:$PATH\n", PatchState.ADVICE)]
)
def test_an_image_has_the_python_of_its_system(rest: str, state: PatchState) -> None:
    lines = f"FROM python:3.12\nRUN pip install uv\n{rest}RUN uv pip install numpy\n"
    there = tree({OWN: "on: [push]\njobs:\n  build:\n    runs-on: gpu-8\n    steps:\n      - name: Build\n        run: docker build .\n", "Dockerfile": lines})  # fmt: skip
    facts = Facts(build=BuildStep(text="RUN uv pip install numpy"))
    made = patch(RECIPE, "build", OWN, step="Build", facts=facts, repository=there)
    assert made.state is state, (made.reason, made.diff)
    if state is PatchState.PATCH:
        assert changed(made) == ["-RUN uv pip install numpy", "+RUN uv pip install --system numpy"]
