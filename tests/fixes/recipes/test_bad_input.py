"""Odd files are edited correctly or refused with the reason, never damaged."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import REPOSITORY, TRAIN, UNIT, draft, patch, replaced, with_file
from triage.fixes.document import splice
from triage.model.patch import Patch, PatchState
from triage.model.recipe import (
    AddStep,
    EffectiveValue,
    HydraOverride,
    PipInstall,
    Recipe,
    RemoveLines,
    SetEnv,
    Timeout,
)

OVERRIDE = HydraOverride("rollout.engine_kwargs.vllm.no_custom", "True", variable="OFF")
VALUES = EffectiveValue(knob="rollout_tensor_parallel", to="2", together=(EffectiveValue(knob="fsdp_size", to="2"),))
INSTALL = PipInstall(module="data_queue")
STEP = AddStep(name="List", run="pip list")
CASES: tuple[tuple[Recipe, str, str], ...] = (
    (OVERRIDE, "rocm_small", TRAIN),
    (VALUES, "async", TRAIN),
    (INSTALL, "unit", UNIT),
    (STEP, "unit", UNIT),
    (SetEnv("A", "1"), "rocm_small", TRAIN),
    (Timeout(), "rocm_small", TRAIN),
    (RemoveLines("pip uninstall"), "rocm_small", TRAIN),
)


def every(change: Callable[[bytes], bytes]) -> MemoryTree:
    """All workflows and scripts changed; the rest as it is."""
    touched = {path: change(data) for path, data in REPOSITORY.files.items() if path.endswith((".yml", ".sh"))}
    return replace(REPOSITORY, files={**REPOSITORY.files, **touched})


def crlf(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


ODD: dict[str, Callable[[bytes], bytes]] = {
    "no final newline": lambda data: data.rstrip(b"\n"),
    "a byte order mark": lambda data: b"\xef\xbb\xbf" + data if data.startswith((b"name", b"on")) else data,
    "letters of other scripts": lambda data: (
        b"# \xe6\xb5\x8b\xe8\xaf\x95 \xc3\xa4\n" + data if b"on:" in data else data
    ),
    "blanks behind the text": lambda data: data.replace(b"steps:\n", b"steps:  \n"),
    "ten thousand lines": lambda data: data + b"# line\n" * 10_000,
}


def applied(made: Patch, repository: MemoryTree, folder: Path) -> dict[str, bytes]:
    """What `git apply` makes of the patch in a folder that holds the files."""
    for path in made.files:
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(repository.read(path))
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    subprocess.run(["git", "-c", "core.autocrlf=false", "apply", "-"], cwd=folder, input=made.diff.encode(), check=True)
    return {path: (folder / path).read_bytes() for path in made.files}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].recipe)
@pytest.mark.parametrize("odd", ODD)
def test_odd_files_are_patched_all_the_same(odd: str, case: tuple[Recipe, str, str], tmp_path: Path) -> None:
    recipe, job, path = case
    repository = every(ODD[odd])
    made = patch(recipe, job, path, repository=repository)
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    expected = draft(recipe, job, path, repository=repository)
    for name, content in applied(made, repository, tmp_path).items():
        assert content == splice(repository.read(name), [edit for edit in expected.edits if edit.path == name])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].recipe)
def test_carriage_returns_stay_on_every_line(case: tuple[Recipe, str, str], tmp_path: Path) -> None:
    recipe, job, path = case
    touched = {one: crlf(data) for one, data in REPOSITORY.files.items() if one.endswith(".yml")}
    repository = replace(REPOSITORY, files={**REPOSITORY.files, **touched})
    made = patch(recipe, job, path, repository=repository)
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    for name, content in applied(made, repository, tmp_path).items():
        if name.endswith(".yml"):
            assert content.count(b"\n") == content.count(b"\r\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("jobs:\n", "jobs: [\n"),
        ("      HOME:", "\tHOME:"),
        ('    env:\n      HOME: "/root"', "    env: ${{ fromJSON(inputs.env) }}"),
    ],
)
def test_a_workflow_that_cannot_take_the_entry_is_refused(old: str, new: str) -> None:
    found = draft(SetEnv("A", "1"), "rocm_small", repository=replaced(TRAIN, old, new))
    assert found.state is PatchState.REFUSED
    assert found.reason


def test_an_anchor_that_other_jobs_share_is_not_edited() -> None:
    shared = replaced(TRAIN, '    env:\n      HOME: "/root"', '    env: &shared\n      HOME: "/root"')
    shared = MemoryTree(
        {**shared.files, TRAIN: shared.read(TRAIN).replace(b'    env:\n      STRATEGY: "fsdp2"', b"    env: *shared")}
    )
    assert draft(SetEnv("A", "1"), "rocm_small", repository=shared).state is PatchState.REFUSED


def test_a_script_that_is_missing_is_said_and_nothing_is_edited() -> None:
    files = {path: data for path, data in REPOSITORY.files.items() if path != "tests/run.sh"}
    found = draft(OVERRIDE, "rocm_small", repository=MemoryTree(files))
    assert found.state is PatchState.REFUSED


def test_a_script_with_a_syntax_error_is_not_proved() -> None:
    made = patch(VALUES, "async", repository=replaced("tests/async.sh", "common=(", "if true; then\ncommon=("))
    assert made.state in (PatchState.REFUSED, PatchState.ADVICE)


def test_a_step_of_another_shell_is_left_alone() -> None:
    foreign = replaced(
        UNIT,
        "      - name: Test\n        run: pytest tests",
        "      - name: Test\n        shell: pwsh\n        run: pytest tests",
    )
    assert draft(SetEnv("A", "1"), "unit", UNIT, repository=foreign).state is PatchState.PATCH
    found = draft(EffectiveValue(flag="--count", to="2"), "unit", UNIT, repository=foreign)
    assert found.state is PatchState.REFUSED


def test_a_folded_script_and_a_command_behind_a_here_document() -> None:
    folded = replaced(
        TRAIN,
        "run: bash tests/run.sh trainer.steps=2",
        "run: >-\n          bash tests/run.sh\n          trainer.steps=2",
    )
    made = patch(OVERRIDE, "rocm_small", repository=folded)
    assert made.state is PatchState.PATCH, (made.reason, made.diff)
    assert '+          trainer.steps=2 "${OFF}"' in made.diff
    here = replaced("tests/run.sh", "set -x\n", "cat <<'END' > x.py\nrollout.tp=1\nEND\n")
    made = patch(EffectiveValue(knob="memory", to="0.7"), "rocm_large", repository=here)
    assert made.state is PatchState.PATCH, made.reason


def test_a_quoted_one_line_script_takes_the_argument_in_its_own_style() -> None:
    for written in ('run: "bash tests/run.sh"', "run: 'bash tests/run.sh'"):
        quoted = replaced(TRAIN, "run: bash tests/run.sh trainer.steps=2", written)
        made = patch(OVERRIDE, "rocm_small", repository=quoted)
        assert made.state is PatchState.PATCH, (made.reason, made.diff)


@settings(max_examples=25, deadline=None)
@given(
    noise=st.text(alphabet="abc #:äß\t'\"", max_size=12),
    tail=st.sampled_from(["", "\n", "\n\n", "  \n"]),
)
def test_bytes_outside_the_edits_are_unchanged_and_a_second_application_is_empty(noise: str, tail: str) -> None:
    text = REPOSITORY.read("tests/async.sh").decode().rstrip("\n") + "\n# " + noise + tail
    repository = with_file("tests/async.sh", text)
    found = draft(VALUES, "async", repository=repository)
    assert found.state is PatchState.PATCH
    before = repository.read("tests/async.sh")
    after = splice(before, found.edits)
    assert isinstance(after, bytes)
    assert len(before) == len(after)
    assert sum(one != other for one, other in zip(before, after, strict=True)) == 2
    again = draft(VALUES, "async", repository=with_file("tests/async.sh", after.decode()))
    assert again.state is PatchState.IN_PLACE


FILES = (TRAIN, UNIT, "tests/run.sh", "tests/async.sh", "pkg/train/config/trainer.yaml", "requirements.txt")
SNIPPETS = (
    *(
        "",
        "\n",
        '"',
        "'",
        "$(",
        "${",
        "}",
        ": ",
        "- ",
        "\t",
        "\r\n",
        "&a ",
        "*a",
        "<<EOF\n",
        "|",
        "\\\n",
        "[",
        "{",
        "#",
    ),
    *("\x00", "\ufeff", "if ", "fi\n", "esac\n", "${{ ", "env:\n"),
)


@settings(max_examples=60, deadline=None)
@given(
    path=st.sampled_from(FILES),
    at=st.floats(0, 1),
    gone=st.integers(0, 12),
    snippet=st.sampled_from(SNIPPETS),
    case=st.sampled_from(CASES),
)
def test_no_damaged_file_brings_the_engine_down(
    path: str, at: float, gone: int, snippet: str, case: tuple[Recipe, str, str]
) -> None:
    recipe, job, workflow = case
    data = REPOSITORY.read(path)
    start = int(at * len(data))
    damaged = data[:start] + snippet.encode() + data[start + gone :]
    found = draft(recipe, job, workflow, repository=replace(REPOSITORY, files={**REPOSITORY.files, path: damaged}))
    assert " failed (" not in found.reason
    assert "cannot be evaluated (" not in found.reason
    assert bool(found.edits) is (found.state is PatchState.PATCH)
