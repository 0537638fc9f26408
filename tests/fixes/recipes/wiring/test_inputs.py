from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import CacheFiles, DropRef, RenameInput

OWN = ".github/workflows/own.yml"
RENAME, DROP, CACHE = RenameInput("{input}", "{known}"), DropRef("{ref}"), CacheFiles("{pattern}")


def job(*steps: str, files: dict[str, str] | None = None) -> MemoryTree:
    head = "on: [push]\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n"
    return tree({OWN: head + "".join(steps), **(files or {})})


def uses(action: str, *pairs: str) -> str:
    lines = "".join(f"          {pair}\n" for pair in pairs)
    return f"      - uses: {action}\n" + (f"        with:\n{lines}" if pairs else "")


CHECKOUT = uses("actions/checkout@v4")
SCRIPT = uses("actions/github-script@v7", "token: ${{ secrets.BOT }}", "script: |", "  await github.rest.x()")


@pytest.mark.parametrize(
    ("step", "old", "known", "new"),
    [
        (SCRIPT, "token", "'script', 'github-token', 'debug'", "+github-token: ${{ secrets.BOT }}"),
        (uses("actions/upload-artifact@v4", "name: a", "paths: dist"), "paths", "'name', 'path'", "+path: dist"),
        (
            uses("docker/build-push-action@v6", "push: true", "build_args: A=1"),
            "build_args",
            "'build-args', 'push', 'context'",
            "+build-args: A=1",
        ),
        (
            uses("actions/github-script@v7", "scipt: |-", "  await github.rest.x('${{ github.head_ref }}')"),
            "scipt",
            "'script', 'github-token', 'debug'",
            "+script: |-",
        ),
        (
            uses("actions/cache@v4", "path: a", "restore_keys: b"),
            "restore_keys",
            "'path', 'restore-keys'",
            "+restore-keys: b",
        ),
    ],
)
def test_an_input_gets_the_name_that_the_action_lists(step: str, old: str, known: str, new: str) -> None:
    made = patch(RENAME, "build", OWN, captures={"input": old, "known": known}, repository=job(CHECKOUT, step))
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made)[1] == new


@pytest.mark.parametrize(
    ("known", "state"),
    [
        # Nothing like it, two like it, what is like it stands there.
        ("'script', 'debug'", PatchState.ADVICE),
        ("'github-token', 'bot-token'", PatchState.ADVICE),
        ("'script'", PatchState.ADVICE),
        ("", PatchState.REFUSED),
    ],
)
def test_an_input_that_may_mean_several_stays(known: str, state: PatchState) -> None:
    held = {"input": "token", "known": known}
    assert draft(RENAME, "build", OWN, captures=held, repository=job(SCRIPT)).state is state


GONE = {"ref": "release/1.2-dev"}


@pytest.mark.parametrize(
    ("step", "lines"),
    [
        (uses("actions/checkout@v4", "ref: release/1.2-dev"), ["-with:", "-ref: release/1.2-dev"]),
        (uses("actions/checkout@v4", "fetch-depth: 0", "ref: release/1.2-dev"), ["-ref: release/1.2-dev"]),
        (
            uses("actions/checkout@v4", "repository: example/data", "ref: refs/heads/release/1.2-dev # for now"),
            ["-ref: refs/heads/release/1.2-dev # for now"],
        ),
    ],
)
def test_a_branch_that_is_gone_is_not_checked_out(step: str, lines: list[str]) -> None:
    made = patch(DROP, "build", OWN, captures=GONE, repository=job(step, "      - run: make\n"))
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made) == lines


def test_a_branch_that_an_expression_names_is_left() -> None:
    held = job(uses("actions/checkout@v4", "ref: ${{ github.head_ref }}"))
    assert draft(DROP, "build", OWN, captures=GONE, repository=held).state is PatchState.REFUSED


INSTALL = "      - run: |\n          pip install -r ci/test.txt\n          pip install -e '.[dev]'\n"
FILES = {"ci/test.txt": "pytest\n", "pyproject.toml": "", "setup.py": ""}
UV = uses("astral-sh/setup-uv@v6", "enable-cache: true")
PIP = uses("actions/setup-python@v5", "cache: pip", 'python-version: "3.12"')


@pytest.mark.parametrize(
    ("steps", "files", "lines"),
    [
        ((UV, INSTALL), FILES, ["+cache-dependency-glob: |", "+ci/test.txt", "+pyproject.toml"]),
        ((PIP, INSTALL), FILES, ["+cache-dependency-path: |", "+ci/test.txt", "+pyproject.toml"]),
        ((PIP, "      - run: make\n"), {"setup.py": ""}, ["+cache-dependency-path: setup.py"]),
    ],
)
def test_a_cache_depends_on_what_the_job_installs_from(
    steps: tuple[str, ...], files: dict[str, str], lines: list[str]
) -> None:
    made = patch(CACHE, "build", OWN, captures={"pattern": "**/uv.lock"}, repository=job(CHECKOUT, *steps, files=files))
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert changed(made) == lines


def test_without_files_or_a_checkout_there_are_words() -> None:
    for held in (job(CHECKOUT, PIP), job(PIP, CHECKOUT, files=FILES)):
        assert draft(CACHE, "build", OWN, captures={"pattern": "a"}, repository=held).state is PatchState.ADVICE
    named = job(CHECKOUT, uses("actions/setup-python@v5", "cache: pip", "cache-dependency-path: a.txt"))
    assert draft(CACHE, "build", OWN, captures={"pattern": "a"}, repository=named).state is PatchState.IN_PLACE


@pytest.mark.parametrize("ref", ["v1.2", "1.2.0-rc1", "8f4b7f84864484a7bf31766abe9204da3cbe65b3"])
def test_a_release_of_another_repository_is_not_exchanged_for_its_newest_state(ref: str) -> None:
    step = uses("actions/checkout@v4", "repository: example/data", f"ref: {ref}")
    made = draft(DROP, "build", OWN, captures={"ref": ref}, repository=job(step, "      - run: make\n"))
    assert made.state is PatchState.ADVICE
    assert not made.edits
