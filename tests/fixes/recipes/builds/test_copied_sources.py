"""What an instruction of a Dockerfile takes from the build's context, where that is elsewhere or nowhere."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import RepairWorkflow

OWN = ".github/workflows/own.yml"
JOB = "on: [push]\njobs:\n  unit:\n    runs-on: [gpu]\n    steps:\n      - name: Build\n        run: docker build .\n"
RECIPE = RepairWorkflow(path="{path}")


def built(text: str, at: int, missing: str, files: dict[str, str]) -> Patch:
    there = tree({OWN: JOB, "Dockerfile": text, **files})
    shown = {at: text.splitlines()[at - 1]}
    facts = Facts(build=BuildStep(text="", dockerfile="Dockerfile", lines=shown), signs=("image-build",))
    return patch(RECIPE, "unit", OWN, step="Build", captures={"path": missing}, repository=there, facts=facts)


LISTS = """FROM example/base:1
COPY requirements/base.txt .
COPY requirements/docs.txt .
RUN pip install -r base.txt -r docs.txt -r kernels.txt
"""
HELD = {f"requirements/{name}.txt": "x\n" for name in ("base", "docs", "kernels")}


@pytest.mark.parametrize(
    ("text", "files", "expected"),
    [
        (LISTS, HELD, "+COPY requirements/kernels.txt ."),
        (LISTS.replace("docs.txt .", "docs.txt ./docs.txt"), HELD, "+COPY requirements/kernels.txt ./kernels.txt"),
        (LISTS.replace("COPY", "COPY --chown=a:b"), HELD, "+COPY --chown=a:b requirements/kernels.txt ."),
        (LISTS, {**HELD, ".dockerignore": "**/kernels.txt\n"}, ""),
        (LISTS, {"requirements/base.txt": "", "requirements/docs.txt": "", "other/kernels.txt": ""}, ""),
        (
            LISTS.replace("docs.txt .", "docs.txt /lists/").replace("base.txt .", "base.txt /lists/"),
            HELD,
            "+COPY requirements/kernels.txt /lists/",
        ),
        (LISTS.replace("-r base.txt -r docs.txt", "-r lists/base.txt -r lists/docs.txt"), HELD, ""),
        (LISTS.replace("requirements/docs.txt .", "requirements ."), HELD, ""),
        (LISTS.replace("COPY requirements/base.txt .", "COPY . ."), HELD, ""),
        (LISTS.replace("COPY req", "COPY --from=other req"), HELD, ""),
    ],
)
def test_a_file_that_a_run_reads_is_copied_as_those_beside_it(text: str, files: dict[str, str], expected: str) -> None:
    made = built(text, 4, "kernels.txt", files)
    assert (made.state is PatchState.PATCH) == bool(expected), (made.state, made.reason)
    assert not expected or [line for line in changed(made) if line[:1] in "+-"][-1] == expected


TESTS = """FROM example/base:1
COPY tests/unit/core/ ./tests/unit/core/
COPY conftest.py pytest.ini ./
RUN pytest
"""
CONFTESTS = {"pytest.ini": "", "tests/unit/core/test_a.py": "", "tests/conftest.py": "", "tests/e2e/conftest.py": ""}


@pytest.mark.parametrize(
    ("text", "files", "expected"),
    [
        (TESTS, CONFTESTS, ["+COPY tests/conftest.py ./tests/", "+COPY pytest.ini ./"]),
        (TESTS, {**CONFTESTS, "tests/unit/conftest.py": ""}, []),
        (TESTS.replace("./tests/unit/core/", "./core/"), CONFTESTS, []),
    ],
)
def test_of_several_files_the_one_above_the_copied_folders_is_meant(
    text: str, files: dict[str, str], expected: list[str]
) -> None:
    made = built(text, 3, "/conftest.py", files)
    assert [line for line in changed(made) if line.startswith("+")] == expected, made.reason


GONE = "FROM example/base:1\nCOPY ./plugins/ ./plugins/\nCOPY src src\n"


@pytest.mark.parametrize(
    ("text", "files", "goes"),
    [
        (GONE, {"src/a.py": "# about plugins\n"}, True),
        (
            GONE,
            {"src/a.py": "", "pyproject.toml": 'a = {git = "https://example.invalid/a", subdirectory = "plugins/x"}'},
            True,
        ),
        (GONE, {"src/a.py": "", "fetch.sh": "git clone x plugins\n"}, False),
        (GONE, {"src/a.py": "", ".gitignore": "plugins/\n"}, False),
        (GONE, {"src/a.py": "import os\nos.listdir('plugins')\n"}, False),
        (GONE, {"src/a.py": "", "old/plugins/a.py": "", "new/plugins/a.py": ""}, False),
        (GONE + 'ENTRYPOINT ["plugins/run.sh"]\n', {"src/a.py": ""}, False),
        (GONE.replace("./plugins/ ./plugins/", "build/plugins build/plugins"), {"src/a.py": ""}, False),
    ],
)
def test_a_copy_of_what_the_repository_has_nowhere_goes(text: str, files: dict[str, str], goes: bool) -> None:
    made = built(text, 2, "/build/plugins" if "build" in text else "/plugins", files)
    assert (made.state is PatchState.PATCH) == goes, (made.state, made.reason)
    assert not goes or changed(made) == ["-COPY ./plugins/ ./plugins/"]
