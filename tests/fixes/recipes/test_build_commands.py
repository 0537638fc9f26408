"""Commands, switches and options that the command at which a build failed lacks."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import PatchState
from triage.model.recipe import BuildSwitch, EffectiveValue, RepeatOption, ReplaceLine, RunBefore

OWN = ".github/workflows/own.yml"
HEAD = "on: [push]\njobs:\n  build:\n    runs-on: [gpu]\n    steps:\n      - uses: actions/checkout@v4\n      - name: Build\n"
REFRESH = RunBefore("git update-index -q --refresh", ("git apply",))
SWITCH = BuildSwitch("{switch}", value="{value}")
EXCLUDE = RepeatOption("--exclude", "{library}", ("auditwheel repair", "python3 -m auditwheel repair"))


def step(script: str, **files: str) -> MemoryTree:
    body = "".join(f"          {line}\n" for line in script.splitlines())
    return tree({OWN: f"{HEAD}        run: |\n{body}", **files})


def image(text: str) -> MemoryTree:
    return tree({OWN: f"{HEAD}        run: docker build -f docker/Dockerfile .\n", "docker/Dockerfile": text})


def failed_at(text: str, first: int, last: int) -> Facts:
    lines = text.splitlines()
    shown = {number: lines[number - 1] for number in range(first, last + 1)}
    return Facts(build=BuildStep(text="", dockerfile="Dockerfile", lines=shown), signs=("image-build",))


APPLY = "FROM example/base:1\nRUN cd engine && \\\n    git apply engine.patch && \\\n    rm engine.patch\nRUN cd other && git apply b.patch\n"


def test_the_index_is_refreshed_in_the_instruction_that_failed() -> None:
    made = patch(REFRESH, "build", OWN, step="Build", facts=failed_at(APPLY, 2, 4), repository=image(APPLY))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["+git update-index -q --refresh && \\"]


def test_the_index_is_refreshed_in_a_step_too() -> None:
    there = step("cd engine\ngit apply ../engine.patch\nmake")
    made = patch(REFRESH, "build", OWN, step="Build", repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["+git update-index -q --refresh"]


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("cd engine\ngit update-index -q --refresh\ngit apply a.patch\n", "runs before `git apply` already"),
        ("patch -p1 < a.patch\n", "no command of build is `git apply`"),
        ("if git apply a.patch; then make; fi\n", ""),
    ],
)
def test_without_such_a_command_nothing_runs_before_it(script: str, reason: str) -> None:
    made = draft(REFRESH, "build", OWN, step="Build", repository=step(script))
    assert made.state is not PatchState.PATCH
    assert reason in made.reason


KERNELS = (
    "FROM example/base:1\nRUN cd kernels && \\\n    JOBS=8 K_BUILD_A=0 K_BUILD_OPS=1 python3 setup.py bdist_wheel\n"
)
SAID = {"switch": "K_BUILD_FANCY", "value": "0"}


def test_the_switch_stands_beside_its_kind() -> None:
    facts = failed_at(KERNELS, 2, 3)
    made = patch(SWITCH, "build", OWN, step="Build", facts=facts, captures=SAID, repository=image(KERNELS))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == "+JOBS=8 K_BUILD_A=0 K_BUILD_OPS=1 K_BUILD_FANCY=0 python3 setup.py bdist_wheel"


def test_the_switch_in_a_script() -> None:
    there = step("bash tools/build.sh", **{"tools/build.sh": "set -e\nK_BUILD_A=0 pip install ./kernels\n"})
    made = patch(SWITCH, "build", OWN, step="Build", captures=SAID, repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == "+K_BUILD_A=0 K_BUILD_FANCY=0 pip install ./kernels"


@pytest.mark.parametrize(
    ("script", "captures", "reason"),
    [
        ("pip install ./kernels", SAID, "set K_BUILD_FANCY=0 for the command"),
        ("OTHER_BUILD_A=0 pip install ./kernels", SAID, "set K_BUILD_FANCY=0 for the command"),
        ("K_BUILD_FANCY=0 K_BUILD_A=0 pip install x", SAID, "runs with K_BUILD_FANCY=0"),
        ("K_BUILD_A=0 pip install x", {"switch": "PATH", "value": "0"}, "names no switch"),
        ("K_BUILD_A=0 pip install x", {"switch": "K_BUILD_B", "value": "rm"}, "names no switch"),
        ("export K_BUILD_A=0\npip install x", SAID, "beside K_BUILD_A"),
    ],
)
def test_without_switches_of_its_kind_it_is_advice(script: str, captures: dict[str, str], reason: str) -> None:
    made = draft(SWITCH, "build", OWN, step="Build", captures=captures, repository=step(script))
    assert made.state is not PatchState.PATCH
    assert reason in made.reason


REPAIR = "auditwheel repair dist/a.whl --exclude libruntime.so --exclude libprofiler.so\n"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (REPAIR, "+auditwheel repair dist/a.whl --exclude libruntime.so --exclude libprofiler.so --exclude libdriver.so"),
        (
            'auditwheel repair a.whl \\\n  --exclude "liba.so" \\\n  --exclude "libb.so" -w out\n',
            '+--exclude "libdriver.so" -w out',
        ),
    ],
)  # fmt: skip
def test_the_library_is_left_out_as_the_others(script: str, expected: str) -> None:
    made = patch(EXCLUDE, "build", OWN, step="Build", captures={"library": "libdriver.so"}, repository=step(script))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[-1] == expected


@pytest.mark.parametrize(
    ("script", "library", "reason"),
    [
        ("auditwheel repair dist/a.whl\n", "libdriver.so", "pass `--exclude libdriver.so` at"),
        ("auditwheel repair a.whl --exclude liba.so\n", "libdriver.so", "pass `--exclude libdriver.so` at"),
        (REPAIR, "libruntime.so", "passes --exclude libruntime.so"),
        (REPAIR, "lib x;rm", "names nothing that could be left out"),
        ("make wheel\n", "libdriver.so", "pass `--exclude libdriver.so` at"),
    ],
)
def test_without_others_that_are_left_out_it_is_advice(script: str, library: str, reason: str) -> None:
    made = draft(EXCLUDE, "build", OWN, step="Build", captures={"library": library}, repository=step(script))
    assert made.state is not PatchState.PATCH
    assert reason in made.reason


PURGE = "FROM example/base:1\nRUN uv pip install pytest && \\\n    uv pip cache purge\n"


def test_a_command_of_the_instruction_that_failed_becomes_another() -> None:
    recipe = ReplaceLine("uv pip cache purge", "uv cache clean")
    made = patch(recipe, "build", OWN, step="Build", facts=failed_at(PURGE, 2, 3), repository=image(PURGE))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["-uv pip cache purge", "+uv cache clean"]


def test_an_option_that_the_other_command_does_not_take_keeps_the_old_one() -> None:
    recipe = ReplaceLine("hub-cli download", "hub download", not_with=("--resume",))
    made = patch(recipe, "build", OWN, step="Build", repository=step("hub-cli download example/a --resume"))
    assert made.state is PatchState.REFUSED
    assert "takes no --resume" in made.reason
    made = patch(recipe, "build", OWN, step="Build", repository=step("hub-cli download example/a"))
    assert made.state is PatchState.PATCH, made.reason


WAIT = EffectiveValue(knob="uv_http_timeout", to="300", at_least="300", default="{seconds}")
FETCHES = "FROM base:1 AS test\nRUN pip install uv\nRUN uv venv && uv pip install -r requirements.txt\n"
SET = "ENV UV_HTTP_TIMEOUT=60\nRUN pip"


@pytest.mark.parametrize("text", [FETCHES, FETCHES.replace("RUN pip", SET)])
def test_a_limit_of_an_install_is_raised_where_the_build_fails(text: str) -> None:
    own = text.count("\n")
    captures = {"seconds": "60" if "ENV" in text else "30"}
    facts = failed_at(text, own, own)
    made = patch(WAIT, "build", OWN, step="Build", facts=facts, captures=captures, repository=image(text))
    assert made.state is PatchState.PATCH, made.reason
    raised = "ENV UV_HTTP_TIMEOUT=300" if "ENV" in text else "UV_HTTP_TIMEOUT=300 uv pip install -r requirements.txt"
    assert raised in made.diff


def test_a_limit_that_the_build_raises_already_is_in_place() -> None:
    text = FETCHES.replace("RUN pip", SET.replace("60", "500"))
    captures = {"seconds": "500"}
    made = draft(
        WAIT, "build", OWN, step="Build", facts=failed_at(text, 4, 4), captures=captures, repository=image(text)
    )
    assert made.state is PatchState.IN_PLACE
