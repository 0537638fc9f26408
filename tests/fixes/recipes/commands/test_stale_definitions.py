"""A path that is not there, of a command that another CI system, make or a script gives."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.fixes.whereabouts.typed import JOB, typed_path, typed_workflow
from triage.model.patch import PatchState
from triage.model.recipe import RepairWorkflow
from triage.model.trail import Announced

RECIPE = RepairWorkflow(path="{path}")
PIPELINE = """steps:
- label: Kernels
  working_dir: "/build/tests"
  source_file_dependencies:
  - tests/kernels/test_block.py
  commands:
    - pytest -v {block} -k deep
    - pytest -v {moe}
    - bash nightly/sweep.sh
"""


def typed(*lines: str) -> dict[str, str]:
    return {typed_path("log"): typed_workflow((Announced("Run it", lines),)).decode()}


def made_of(files: Mapping[str, str], missing: str, *lines: str):  # type: ignore[no-untyped-def]
    place = (JOB, typed_path("log")) if lines else ("", "")
    return draft(
        RECIPE, *place, captures={"path": missing}, repository=tree({**files, **(typed(*lines) if lines else {})})
    )


def patch_of(files: Mapping[str, str], missing: str, *lines: str):  # type: ignore[no-untyped-def]
    place = (JOB, typed_path("log")) if lines else ("", "")
    return patch(
        RECIPE, *place, captures={"path": missing}, repository=tree({**files, **(typed(*lines) if lines else {})})
    )


def test_a_path_from_the_root_is_named_from_the_folder_of_its_step() -> None:
    files = {
        ".buildkite/pipeline.yaml": PIPELINE.format(block="tests/kernels/test_block.py", moe="tests/moe/test_moe.py"),
        "tests/kernels/test_block.py": "",
        "tests/moe/test_moe.py": "",
        "tests/nightly/sweep.sh": "",
    }
    made = patch_of(
        files, "tests/kernels/test_block.py", "cd /build/tests && pytest -v tests/kernels/test_block.py -k deep"
    )
    assert made.state is PatchState.PATCH, made.reason
    own = [line for line in changed(made) if line.startswith("+")]
    assert own == ["+- pytest -v kernels/test_block.py -k deep", "+- pytest -v moe/test_moe.py"]


@pytest.mark.parametrize(
    ("path", "text", "missing", "there", "expected"),
    [
        # Make says the path alone, and runs beside its file.
        ("Makefile", "test:\n\tbash scripts/bench.sh a\n", "scripts/bench.sh", "scripts/perf/bench.sh", "bash scripts/perf/bench.sh a"),
        # GitLab, whose job changes the folder first; the log has the absolute path.
        (
            ".gitlab-ci.yml",
            "unit:\n  script:\n    - cd train\n    - python3 tools/run.py --fast\n",
            "/builds/group/repo/train/tools/run.py",
            "train/bin/run.py",
            "- python3 bin/run.py --fast",
        ),
        # A key of a cache.
        (
            ".circleci/config.yml",
            "jobs:\n  unit:\n    steps:\n      - restore_cache:\n          key: k-{{ checksum \"requirements-extra.txt\" }}\n",
            "requirements-extra.txt",
            "extra/requirements.txt",
            'key: k-{{ checksum "extra/requirements.txt" }}',
        ),
        # Azure, in a block.
        (
            "azure-pipelines.yml",
            "steps:\n- script: |\n    set -e\n    ./ci/build_all.sh x\n",
            "./ci/build_all.sh",
            "ci/build-all.sh",
            "./ci/build-all.sh x",
        ),
        # A script that somebody calls by hand.
        ("launch/all.sh", "set -e\npython3 src/old/main.py --a 1\n", "src/old/main.py", "src/new/main.py", "python3 src/new/main.py --a 1"),
    ],
)  # fmt: skip
def test_the_definition_names_the_present_place(path: str, text: str, missing: str, there: str, expected: str) -> None:
    made = patch_of({path: text, there: ""}, missing)
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line.startswith("+")] == [f"+{expected}"]
    assert made.files == (path,)


@pytest.mark.parametrize(
    ("files", "missing"),
    [
        # Two files could be meant.
        ({"Makefile": "a:\n\tbash s/x.sh\n", "b/x.sh": "", "c/x.sh": ""}, "s/x.sh"),
        # Only a list of what is watched names it.
        ({".buildkite/p.yml": "steps:\n- if_changed:\n  - s/x.sh\n", "b/x.sh": ""}, "s/x.sh"),
        # The folder is a variable's.
        ({"run.sh": 'cd "$WORK"\nbash s/x.sh\n', "b/x.sh": ""}, "s/x.sh"),
        # Another script of the folder that is called otherwise.
        ({"Makefile": "a:\n\tbash s/run_x.sh a b\nb:\n\tbash s/run_other.sh\n", "s/run_other.sh": ""}, "s/run_x.sh"),
        # It is there: the image lacks it.
        ({"Makefile": "a:\n\tbash s/x.sh\n", "s/x.sh": ""}, "s/x.sh"),
        # A comment, and a longer path.
        ({"Makefile": "a:\n\ttrue # bash s/x.sh\n\tbash t/s/x.sh\n", "b/x.sh": ""}, "s/x.sh"),
    ],
)
def test_where_it_is_not_clear_nothing_is_edited(files: dict[str, str], missing: str) -> None:
    assert not made_of(files, missing).edits


def test_a_script_that_was_renamed_is_told_by_its_calls() -> None:
    files = {
        "Makefile": "a:\n\tbash s/run_bench.sh small\nb:\n\tbash s/run_bench.sh large\n",
        ".github/workflows/t.yml": "on: push\njobs:\n  t:\n    runs-on: x\n    steps:\n      - run: bash s/run_part.sh ${{ matrix.part }}\n",
        "s/run_part.sh": "",
        "s/lint_part.sh": "",
    }
    made = patch_of(files, "s/run_bench.sh")
    assert [line for line in changed(made) if line.startswith("+")] == [
        "+bash s/run_part.sh small",
        "+bash s/run_part.sh large",
    ]


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("train --map {path}", ("cd examples/tune", "bash scripts/split/train.sh")),
        ("python3 train.py --map={path} \\\n  --steps 10", ("cd examples/tune && bash ./scripts/split/train.sh",)),
        ("torchrun train.py {path}", ("pushd examples/tune", "make ready", "sh scripts/split/train.sh 8")),
    ],
)
def test_only_the_script_that_ran_is_edited_and_from_the_folder_where_it_ran(
    command: str, lines: tuple[str, ...]
) -> None:
    lost, there = "scripts/shared/map.json", "scripts/split/map.json"
    files = {
        "examples/tune/scripts/split/train.sh": f"{command.format(path=lost)}\n",
        "examples/tune/scripts/split/serve.sh": f"serve --map {lost}\n",
        f"examples/tune/{there}": "{}",
    }
    made = patch_of(files, lost, *lines)
    assert made.state is PatchState.PATCH, made.reason
    assert made.files == ("examples/tune/scripts/split/train.sh",)
    assert changed(made)[-1] == "+" + command.format(path=there).partition("\n")[0]


P = ".buildkite/p.yml"


@pytest.mark.parametrize(
    ("command", "path", "held"),
    [
        ("cat build/report.json", "build/report.json", "docs/report.json"),
        ("bash dist/run_all.sh a", "dist/run_all.sh", "tools/run_all.sh"),
        ("tee notes/out.txt", "notes/out.txt", "fixtures/out.txt"),
        ("wget x -O data/train.json", "data/train.json", "examples/train.json"),
        ("pip install -r docs/requirements.txt", "docs/requirements.txt", "requirements.txt"),
        ("cat pkg/__init__.py", "pkg/__init__.py", "src/other/__init__.py"),
        ("bash ci/run-foo.sh a", "ci/run-foo.sh", "ci/run-bar.sh"),
    ],
)
def test_a_file_that_is_made_or_has_a_common_name_is_not_another_one(command: str, path: str, held: str) -> None:
    files = {P: f"steps:\n  - commands:\n      - {command}\n      - make\n", held: ""}
    assert patch_of(files, path).state is not PatchState.PATCH


def test_a_common_name_below_the_folder_that_was_named_is_the_same_file() -> None:
    files = {
        P: "steps:\n  - commands:\n      - pip install -r docs/requirements.txt\n",
        "docs/old/requirements.txt": "",
    }
    assert patch_of(files, "docs/requirements.txt").state is PatchState.PATCH


COPIES = """steps:
- label: Distributed
  working_dir: "/build/tests"
  commands:
  # Why it is set.
  - export {setting}
  - pytest -v entry/test_calls.py
  - pytest -v old/test_rings.py
  - pytest -v entry/test_stop.py

- label: Others
  commands:
  - export {other}
"""
RINGS = {"tests/new/rings/test_rings.py": "", "tests/entry/test_calls.py": "", "tests/entry/test_stop.py": ""}


def copies(amd: str, other: str) -> dict[str, str]:
    files = {
        ".buildkite/amd.yaml": COPIES.format(setting=amd, other="B=1"),
        ".buildkite/pipeline.yaml": COPIES.format(setting=other, other="A=1"),
    }
    return {**RINGS, **files}


@pytest.mark.parametrize(
    ("said", "path"), [("export A=1", ".buildkite/amd.yaml"), ("export B='1'", ".buildkite/pipeline.yaml")]
)
def test_of_two_copies_of_a_pipeline_the_one_whose_other_commands_ran_is_meant(said: str, path: str) -> None:
    ran = ("cd /build/tests", said, "pytest -v entry/test_calls.py", "pytest -v old/test_rings.py")
    made = patch_of(copies("A=1", "B=1"), "old/test_rings.py", *ran)
    assert (made.state, made.files) == (PatchState.PATCH, (path,)), made.reason
    assert changed(made) == ["-- pytest -v old/test_rings.py", "+- pytest -v new/rings/test_rings.py"]


def test_of_two_copies_that_the_log_fits_alike_both_are_mended() -> None:
    ran = ("cd /build/tests", "export A=1", "pytest -v old/test_rings.py")
    made = patch_of(copies("A=1", "A=1"), "old/test_rings.py", *ran)
    assert made.files == (".buildkite/amd.yaml", ".buildkite/pipeline.yaml"), made.reason


CONTAINER = """steps:
- label: Core
  commands:
    - |
      run.sh python -m pytest \\
        /workspace/train/tests/core/test_plan.py \\
        /workspace/train/tests/core/test_size.py \\
        /workspace/train/tests/core/tests/core/test_cache.py
"""
CORE = {f"tests/core/test_{name}.py": "" for name in ("plan", "size", "cache")}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (CORE, ["/workspace/train/tests/core/test_cache.py"]),
        ({**CORE, "old/test_cache.py": ""}, []),  # two of that name
        ({path: "" for path in CORE if "size" not in path}, []),  # one path alone says little of where it lies
    ],
)
def test_a_path_from_a_container_s_root_is_told_by_its_neighbours(files: dict[str, str], expected: list[str]) -> None:
    missing = "/workspace/train/tests/core/tests/core/test_cache.py"
    made = made_of({**files, ".buildkite/pipeline.yml": CONTAINER}, missing)
    assert [edit.new.decode() for edit in made.edits] == expected, made.reason


RUNS = "python3 -m train reward.path=recipe/reward.py reward.name=score_base\n"
FOLLOWED = {
    "recipe/run.sh": RUNS,
    "recipe/reward_reasoning.py": "def score_base(x):\n    return x\n",
    "recipe/reward_remote.py": "async def score_base(x):\n    return x\n",
    "recipe/run_remote.sh": RUNS.replace("reward.py", "reward_remote.py"),
}


def test_a_module_that_nothing_names_yet_follows_the_lost_one_whose_functions_it_has() -> None:
    made = patch_of(FOLLOWED, "recipe/reward.py", "bash recipe/run.sh")
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == f"+{RUNS.replace('reward.py', 'reward_reasoning.py').rstrip()}"


@pytest.mark.parametrize(
    "other",
    [
        # Nothing of what is asked for by name is in it; another one is free too; it is another's already.
        {"recipe/reward_reasoning.py": "def other_score(x):\n    return x\n"},
        {"recipe/reward_math.py": ""},
        {"README.md": "See reward_reasoning.py.\n"},
        {"recipe/other.py": "from recipe.reward_reasoning import score_base\n"},
        # A folder of its own, and another ending.
        {"recipe/reward_reasoning.py": "", "more/reward_reasoning.py": "def score_base(x): ...\n"},
    ],
)
def test_a_module_that_may_be_another_one_does_not(other: dict[str, str]) -> None:
    made = made_of({**FOLLOWED, **other}, "recipe/reward.py", "bash recipe/run.sh")
    assert made.edits == (), made.title
