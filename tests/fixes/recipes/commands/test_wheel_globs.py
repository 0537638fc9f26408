"""Patterns of wheels that no file fits."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import Draft, Patch, PatchState
from triage.model.recipe import MendCommand

CI = ".github/workflows/ci.yml"
GLOB = MendCommand("wheel-glob")
BUILD = "on: push\njobs:\n  test:\n    runs-on: x\n    steps:\n      - run: docker build .\n"
COPIES = (
    "FROM a AS one\nRUN make\nFROM b\nCOPY --from=one /x/dist/fast_ops-*.whl wheels/\n"
    "COPY --from=one /y/dist/rotary_emb-*.whl /z/xent_cuda_lib-*.whl wheels/\n"
)


def build(command: str, pattern: str, copies: str = COPIES) -> tuple[Patch, Draft]:
    text = f"{copies}RUN {command}\n"
    shown = Facts(build=BuildStep("Dockerfile", {len(text.splitlines()): f"RUN {command}"}))
    here = tree({CI: BUILD, "Dockerfile": text})
    given = {"pattern": pattern}
    return (
        patch(GLOB, "test", CI, repository=here, facts=shown, captures=given),
        draft(GLOB, "test", CI, repository=here, facts=shown, captures=given),
    )


@pytest.mark.parametrize(
    ("command", "pattern", "new"),
    [
        ("pip install wheels/rotary-*.whl", "wheels/rotary-*.whl", "+RUN pip install wheels/rotary_emb-*.whl"),
        ("pip install ./wheels/fast-ops*.whl", "fast-ops*.whl", ""),
        (
            "uv pip install wheels/fast_ops-*.whl wheels/xent-*.whl wheels/rotary-*.whl",
            "xent-*.whl",
            "+RUN uv pip install wheels/fast_ops-*.whl wheels/xent_cuda_lib-*.whl wheels/rotary_emb-*.whl",
        ),
    ],
)
def test_as_the_wheel_is_called_that_the_stage_copies(command: str, pattern: str, new: str) -> None:
    """Those of the command that would be met next go along; a name that is merely alike is none."""
    proved, made = build(command, pattern)
    if not new:
        assert made.state is PatchState.ADVICE
        return
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[-1] == new


@pytest.mark.parametrize(
    ("command", "copies", "state"),
    [
        ("pip install wheels/rotary-*.whl", "FROM a\n", PatchState.ADVICE),
        ("pip install wheels/rotary-*.whl", COPIES + "COPY rotary_two-1.whl rotary_six-*.whl w/\n", PatchState.ADVICE),
        ("pip install wheels/rotary_emb-*.whl", COPIES, PatchState.IN_PLACE),
        ("pip install rotary", COPIES, PatchState.REFUSED),
    ],
    ids=["copies-none", "two-alike", "fits", "no-pattern"],
)
def test_what_nothing_tells_is_left(command: str, copies: str, state: PatchState) -> None:
    assert build(command, "wheels/rotary-*.whl", copies)[1].state is state


def test_the_wheel_of_the_project_itself_has_underscores() -> None:
    ci = "on: push\njobs:\n  test:\n    runs-on: x\n    steps:\n      - run: |\n          python -m build\n          pip install dist/my-train-*.whl\n"
    here = tree({CI: ci, "pyproject.toml": "[project]\nname = 'my-train'\n"})
    proved = patch(GLOB, "test", CI, repository=here, captures={"pattern": "dist/my-train-*.whl"})
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[-1] == "+pip install dist/my_train-*.whl"


def test_a_slip_in_a_pattern_is_told_by_what_is_copied() -> None:
    command = "pip install wheels/rotray_emb-*.whl wheels/fast_ops-*.whl"
    proved, _ = build(command, "wheels/rotray_emb-*.whl")
    assert changed(proved)[1:] == ["+RUN pip install wheels/rotary_emb-*.whl wheels/fast_ops-*.whl"], proved.reason
