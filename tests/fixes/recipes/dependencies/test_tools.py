"""Linters that float, hooks that lack a program, bounds that shut out, sources from another index."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.fixes.recipes.dependencies.widening import widened
from triage.fixes.refusal import Refusal
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import CopySource, HoldTool, HookDependency, PipWiden

CI = ".github/workflows/ci.yml"
PRE_COMMIT = """\
repos:
  - repo: https://github.com/astral-sh/ruff-pre-commit
    rev: v0.11.9
    hooks:
      - id: ruff-check
      - id: ruff-format
  - repo: https://github.com/psf/black
    rev: stable
    hooks:
      - id: black
"""


def repository(*commands: str, **files: str) -> MemoryTree:
    script = indent("\n".join(commands), " " * 10)
    workflow = f"on: push\njobs:\n  lint:\n    runs-on: ubuntu-latest\n    steps:\n      - name: Lint\n        run: |\n{script}\n"
    named = {path.replace("__", "/").replace("_dot_", "."): dedent(text) for path, text in files.items()}
    every = {CI: workflow, ".pre-commit-config.yaml": PRE_COMMIT, **named}
    return MemoryTree({path: text.encode() for path, text in every.items()})


@pytest.mark.parametrize(
    ("commands", "lines"),
    [
        (("uvx ruff check",), ["-uvx ruff check", "+uvx ruff@0.11.9 check"]),
        (("uvx ruff@latest format",), ["-uvx ruff@latest format", "+uvx ruff@0.11.9 format"]),
        (("uv tool run ruff check",), ["-uv tool run ruff check", "+uv tool run ruff@0.11.9 check"]),
        (("pipx run ruff check",), ["-pipx run ruff check", "+pipx run ruff==0.11.9 check"]),
        (("uvx --from ruff ruff check",), ["-uvx --from ruff ruff check", "+uvx --from ruff==0.11.9 ruff check"]),
        (("pip install ruff pytest", "ruff check"), ["-pip install ruff pytest", "+pip install ruff==0.11.9 pytest"]),
        (("pip install ruff", "python -m ruff check"), ["-pip install ruff", "+pip install ruff==0.11.9"]),
    ],
)
def test_a_linter_gets_the_release_of_the_configuration(commands: tuple[str, ...], lines: list[str]) -> None:
    proved = patch(HoldTool(), "lint", CI, step="Lint", repository=repository(*commands))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == lines
    assert ".pre-commit-config.yaml:3" in proved.title


@pytest.mark.parametrize(
    ("commands", "state"),
    [
        (("uvx ruff@0.9.1 check",), PatchState.IN_PLACE),
        (("uvx black .",), PatchState.ADVICE),  # its revision is no release
        (("uvx pytest",), PatchState.REFUSED),
        (("ruff check",), PatchState.REFUSED),  # nothing says where it comes from
        (("pip install ruff==0.9.1", "ruff check"), PatchState.REFUSED),
    ],
)
def test_a_linter_that_is_held_or_unknown_is_left_alone(commands: tuple[str, ...], state: PatchState) -> None:
    found = draft(HoldTool(), "lint", CI, step="Lint", repository=repository(*commands))
    assert not found.edits
    assert found.state in (state, PatchState.IN_PLACE)


def test_the_release_that_ran_is_no_cause() -> None:
    ran = Facts(installed={"ruff": "0.11.9"})
    assert draft(HoldTool(), "lint", CI, step="Lint", facts=ran, repository=repository("uvx ruff check")).state is (
        PatchState.IN_PLACE
    )


def test_a_requirement_and_the_lock_hold_a_release_too() -> None:
    locked = '[[package]]\nname = "mypy"\nversion = "1.11.2"\n'
    found = patch(HoldTool(), "lint", CI, step="Lint", repository=repository("uvx mypy src", uv_dot_lock=locked))
    assert "+uvx mypy@1.11.2 src" in changed(found)
    named = repository("uvx mypy src", uv_dot_lock=locked, requirements_dot_txt="mypy==1.10.0\n")
    assert "+uvx mypy@1.10.0 src" in changed(patch(HoldTool(), "lint", CI, step="Lint", repository=named))


LOCAL = """
  - repo: local
    hooks:
      - id: docs
        language: python
        entry: docs
{}        pass_filenames: false
"""


@pytest.mark.parametrize(
    ("listed", "lines"),
    [
        ('        additional_dependencies: ["docs==1"]\n', ['+additional_dependencies: ["docs==1", "ruff==0.11.9"]']),
        ("        additional_dependencies:\n          - docs==1\n", ['+- "ruff==0.11.9"']),
        ("", ['+additional_dependencies: ["ruff==0.11.9"]']),
    ],
)
def test_a_hook_gets_what_it_lacks(listed: str, lines: list[str]) -> None:
    tree = repository("pre-commit run -a")
    text = PRE_COMMIT + LOCAL.format(listed).lstrip("\n")
    tree = MemoryTree({**tree.files, ".pre-commit-config.yaml": text.encode()})
    found = patch(
        HookDependency("{program}", "{hook}"), "lint", CI, repository=tree, captures={"program": "ruff", "hook": "docs"}
    )
    assert found.state is PatchState.PATCH, found.reason
    assert [line for line in changed(found) if line.startswith("+")] == lines


@pytest.mark.parametrize(
    ("program", "hook", "language"),
    [("unheard-of", "docs", "python"), ("ruff", "other", "python"), ("ruff", "docs", "system")],
)
def test_no_hook_gets_what_the_tree_does_not_name(program: str, hook: str, language: str) -> None:
    tree = repository("pre-commit run -a")
    text = (PRE_COMMIT + LOCAL.format("").lstrip("\n")).replace("language: python", f"language: {language}")
    tree = MemoryTree({**tree.files, ".pre-commit-config.yaml": text.encode()})
    captures = {"program": program, "hook": hook}
    found = draft(HookDependency("{program}", "{hook}"), "lint", CI, repository=tree, captures=captures)
    assert found.state in (PatchState.ADVICE, PatchState.REFUSED)
    assert not found.edits


@pytest.mark.parametrize(
    ("pin", "bounds", "expected"),
    [
        ("~=0.5.0", ">=0.6.1", ">=0.5.0,<0.7.0"),
        ("~=1.4", ">=2.1", ">=1.4,<3.0"),
        (">=0.5,<0.6", ">=0.6.1,<1", ">=0.5,<0.7"),
        (">=4,<5.0.0", ">=5.2", ">=4,<6.0.0"),
        ("<=2.3", "~=3.1.0", "<3.2"),
        (">=1,!=1.4,<2", ">=2.0.3", ">=1,!=1.4,<3"),
        ("<3", ">=2.4", ""),
        (">=1.0", ">=9", ""),
        ("", ">=9", ""),
        ("==0.4.0", ">=0.7.0", ">=0.7.0"),
        ("==1.2", ">=1.3,<2", ">=1.3,<2"),
        ("==0.9", ">=0.7", ""),
    ],
)
def test_an_upper_bound_moves_just_past_what_is_asked_for(pin: str, bounds: str, expected: str) -> None:
    assert widened(pin, bounds) == expected


@pytest.mark.parametrize(
    ("pin", "bounds"), [("==1.9", ">=1.3,<1.6"), ("==1.2", "<1.1"), (">=2", "<2"), ("~=2.0", "<2")]
)
def test_a_lower_release_are_for_people(pin: str, bounds: str) -> None:
    assert isinstance(widened(pin, bounds), Refusal)


PROJECT = """\
[project]
name = "train"
dependencies = ["torch"]
[project.optional-dependencies]
dev = ["kernels~=0.5.0", "pytest"]
lts = ["kernels~=0.5.0"]
"""
WIDEN = PipWiden("{distribution}", "{bounds}", "{held}", "{other}")


@pytest.mark.parametrize(
    ("command", "groups", "told"),
    [
        ("pip install '.[dev]'", ["dev"], {}),
        ("pip install '.[dev]'", ["dev"], {"bounds": "!=0.6.3, <0.7.0 and >=0.6.1"}),  # as pip tells of a conflict
        ("uv sync", ["dev", "lts"], {}),
        ("pip install .", ["dev", "lts"], {"held": "~=0.5.0", "other": "train"}),
    ],
)
def test_the_bound_that_the_resolver_met_is_widened(command: str, groups: list[str], told: dict[str, str]) -> None:
    tree = repository(command, pyproject_dot_toml=PROJECT)
    captures = {"distribution": "kernels", "bounds": ">=0.6.1", **told}
    found = patch(WIDEN, "lint", CI, repository=tree, captures=captures)
    assert found.state is PatchState.PATCH, found.reason
    added = [line for line in changed(found) if line.startswith("+")]
    assert [line.partition(" ")[0][1:] for line in added] == groups
    assert all("kernels>=0.5.0,<0.7.0" in line for line in added)


def test_an_extra_that_nobody_chose_shuts_nothing_out() -> None:
    tree = repository("pip install .", pyproject_dot_toml=PROJECT)
    captures = {"distribution": "kernels", "bounds": ">=0.6.1"}
    assert not draft(WIDEN, "lint", CI, repository=tree, captures=captures).edits


@pytest.mark.parametrize(("held", "groups"), [(">=0.5.0,<0.6.dev0", ["dev", "lts"]), (">=0.4.0,<0.6.dev0", [])])
def test_without_a_workflow_the_bound_that_is_the_own_one_is_widened(held: str, groups: list[str]) -> None:
    tree = MemoryTree({"pyproject.toml": PROJECT.encode()})
    captures = {"distribution": "kernels", "bounds": "==0.6.8.post1", "held": held}
    made = draft(WIDEN, "", "", repository=tree, captures=captures)
    assert [edit.new for edit in made.edits] == [b"kernels>=0.5.0,<0.7.0" for _ in groups]
    assert not draft(WIDEN, "", "", repository=tree, captures={**captures, "other": "optimizer"}).edits


@pytest.mark.parametrize(
    "captures",
    [
        {"distribution": "kernels", "bounds": "@ https://files.example/x.whl"},
        {"distribution": "elsewhere", "bounds": ">=0.6.1"},
        {"distribution": "kernels", "bounds": ">=0.5.3"},
    ],
)
def test_nothing_is_widened_for_text_that_is_no_bound_or_that_fits(captures: dict[str, str]) -> None:
    found = draft(
        WIDEN, "lint", CI, repository=repository("pip install .", pyproject_dot_toml=PROJECT), captures=captures
    )
    assert not found.edits


def test_a_pin_of_what_others_are_built_for_is_for_people() -> None:
    tree = repository("pip install .", pyproject_dot_toml=PROJECT.replace('"torch"', '"torch==2.6.0", "rich==13.1"'))
    told = draft(WIDEN, "lint", CI, repository=tree, captures={"distribution": "torch", "bounds": ">=2.7"})
    assert told.state is PatchState.ADVICE
    assert "has to move with it" in told.reason
    made = patch(WIDEN, "lint", CI, repository=tree, captures={"distribution": "rich", "bounds": ">=14"})
    assert next(line for line in changed(made) if line.startswith("+")).endswith('"rich>=14"]')


SOURCES = """\
[project]
name = "train"
dependencies = ["torch", "torchsound"]
[tool.uv.sources]
torch = [
  { index = "wheels", marker = "sys_platform != 'darwin'" },
]
sound = { git = "https://github.com/example/sound" }

[[tool.uv.index]]
name = "wheels"
url = "https://wheels.example/simple"
"""


def test_the_source_of_a_companion_is_copied() -> None:
    tree = repository("uv run pytest", pyproject_dot_toml=SOURCES, uv_dot_lock="version = 1\n")
    found = patch(CopySource("{name}"), "lint", CI, repository=tree, captures={"name": "torchsound"})
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == [
        "+torchsound = [",
        '+{ index = "wheels", marker = "sys_platform != \'darwin\'" },',
        "+]",
    ]
    assert any("`uv lock`" in note for note in found.notes)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (SOURCES, "torch"),  # there already
        (SOURCES, "wheelhouse"),  # no companion
        (SOURCES, "soundfile"),  # its companion is no index
        (SOURCES.replace("[tool.uv.sources]\ntorch = [", "[tool.uv]\nsources.torch = ["), "torchsound"),
    ],
)
def test_sources_that_are_not_copied(text: str, name: str) -> None:
    tree = repository("uv run pytest", pyproject_dot_toml=text)
    assert not draft(CopySource("{name}"), "lint", CI, repository=tree, captures={"name": name}).edits
