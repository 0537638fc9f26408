"""Flags that a program of the repository does not know (any more)."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import RepairFlag

TRAIN = ".github/workflows/train.yml"


def repository(arguments: str) -> MemoryTree:
    return tree(
        {
            TRAIN: f"""
                on: [push]
                jobs:
                  train:
                    runs-on: [gpu-8]
                    steps:
                      - name: Train
                        run: |
                          torchrun --nproc_per_node=2 tools/train.py {arguments}
                      - name: Serve
                        run: vllm serve model --enforce_eager
            """,
            "tools/train.py": """
                import argparse
                from tools.options import add_options
                parser = argparse.ArgumentParser()
                parser.add_argument("-m", "--model-path", default="")
                parser.add_argument("--max-steps", type=int)
            """,
            "tools/options.py": 'def add_options(parser):\n    parser.add_argument("--learning-rate")\n',
        }
    )


@pytest.mark.parametrize(
    ("arguments", "captured", "expected"),
    [
        ("--model_path x", "--model_path x", "--model-path x"),
        ("--model-path x --max-step 3 | tee o", "--max-step 3", "--max-steps 3"),
        ("--learning_rate=${LR}", "['--learning_rate', '1e-5']", "--learning-rate=${LR}"),
    ],
)
def test_the_flag_takes_the_name_that_the_program_declares(arguments: str, captured: str, expected: str) -> None:
    made = patch(
        RepairFlag("{argument}"), "train", TRAIN, captures={"argument": captured}, repository=repository(arguments)
    )
    assert made.state is PatchState.PATCH, made.reason
    assert expected in changed(made)[1]


@pytest.mark.parametrize(
    ("arguments", "captured", "reason"),
    [
        ("--device cuda", "--device cuda", "declares no one flag that resembles it"),
        ("--model_path x --model-path y", "--model_path", "passes --model_path and --model-path: remove the first"),
        ("--max-steps 3", "--max-steps", "tools/train.py knows --max-steps"),
        ("--max-steps 3", "--enforce_eager", "the program is not in the tree"),
        ("--max-steps 3", "--unheard-of", "no command of train passes --unheard-of"),
        ("--max-steps 3", "positional", "does not say which flag"),
    ],
)
def test_without_one_flag_alike_nothing_is_edited(arguments: str, captured: str, reason: str) -> None:
    made = draft(
        RepairFlag("{argument}"), "train", TRAIN, captures={"argument": captured}, repository=repository(arguments)
    )
    assert made.state is not PatchState.PATCH
    assert reason in made.reason


SCRIPT = 'CMD="""\nlaunch $EXTRA `pwd`/tools/tune.py --name x --seq_length 128 $MORE\n"""\neval "$CMD"\n'
TUNE = """
from dataclasses import dataclass
from transformers import HfArgumentParser
@dataclass
class Options:
    name: str = ""
    max_seq_length: int = 512
"""
MAKE = "examples:\n\tfor file in a b; do bash `pwd`/commands/tune.sh; done\n"


def made_by(run: str, **files: str) -> MemoryTree:
    workflow = f"on: [push]\njobs:\n  train:\n    runs-on: [gpu]\n    steps:\n      - name: Train\n        run: {run}\n"
    return tree({TRAIN: workflow, "tools/tune.py": TUNE, "commands/tune.sh": SCRIPT, "Makefile": MAKE, **files})


def test_the_flag_of_a_command_that_is_put_together_as_a_text() -> None:
    captures = {"argument": "['--seq_length', '128']"}
    made = patch(RepairFlag("{argument}"), "train", TRAIN, captures=captures, repository=made_by("make examples"))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == "+launch $EXTRA `pwd`/tools/tune.py --name x --max_seq_length 128 $MORE"


def test_dataclass_fields_are_flags_of_such_parsers_alone() -> None:
    there = made_by("python tools/tune.py --seq_length 128")
    made = patch(RepairFlag("{argument}"), "train", TRAIN, captures={"argument": "--seq_length"}, repository=there)
    assert changed(made)[1] == "+run: python tools/tune.py --max_seq_length 128"
    other = made_by("python tools/tune.py --seq_length 128", **{"tools/tune.py": TUNE.replace("HfArgumentParser", "x")})
    made = patch(RepairFlag("{argument}"), "train", TRAIN, captures={"argument": "--seq_length"}, repository=other)
    assert made.state is not PatchState.PATCH


@pytest.mark.parametrize(
    ("run", "files"),
    [
        ("pytest tests", {}),
        ("make examples", {"commands/other.sh": SCRIPT}),
        ("make examples", {"commands/tune.sh": SCRIPT + "echo --seq_length\n"}),
        ("make examples", {"commands/tune.sh": SCRIPT.replace("tools/tune.py", "tools/gone.py")}),
        ("make examples", {"commands/tune.sh": SCRIPT.replace("--name", "--max_seq_length 1 --name")}),
    ],
)
def test_a_text_that_may_be_another_one_is_left(run: str, files: dict[str, str]) -> None:
    captures = {"argument": "['--seq_length', '128']"}
    made = draft(RepairFlag("{argument}"), "train", TRAIN, captures=captures, repository=made_by(run, **files))
    assert made.state is not PatchState.PATCH


def naming(script: str, **files: str) -> MemoryTree:
    """A job whose script starts a program in a way that cannot be followed to its file."""
    workflow = "on: [push]\njobs:\n  train:\n    runs-on: [gpu-8]\n    steps:\n      - name: Train\n        run: bash tests/run.sh\n"
    return tree(
        {TRAIN: workflow, "tests/run.sh": script} | {path.replace("__", "/"): text for path, text in files.items()}
    )


_PARSER = 'import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument("--{}")\n'


@pytest.mark.parametrize(
    ("script", "files"),
    [
        # The program's folder is one that only the run knows; the program says its own name.
        ('python "${ROOT}/tools/make.py" --node-arnk 1\n', {"tools__make.py": _PARSER.format("node-rank")}),
        # Of two of that name, the one beside the script.
        (
            'go() { python "$HERE/make.py" --node-arnk 1; }\n$1\n',
            {"tests__make.py": _PARSER.format("node-rank"), "tools__make.py": _PARSER.format("port")},
        ),
        # The parser is another module's.
        (
            "python tools/make.py --node-arnk 1\n",
            {
                "tools__make.py": "from train.run import main\nmain()\n",
                "train__deep__options.py": _PARSER.format("node-rank"),
            },
        ),
    ],
)
def test_the_program_is_found_by_its_name_and_its_parser_elsewhere(script: str, files: dict[str, str]) -> None:
    recipe = RepairFlag("{argument}", program="{program}")
    captures = {"argument": "--node-arnk 1", "program": "make.py"}
    made = patch(recipe, "train", TRAIN, captures=captures, repository=naming(script, **files))
    assert made.state is PatchState.PATCH, made.reason
    assert "--node-rank 1" in changed(made)[1]


@pytest.mark.parametrize(
    ("command", "wrong", "right"),
    [
        ("pytest -x tests --duraitons=20", "--duraitons=20", "--durations=20"),
        ("python -m coverage run -m pytest --disable-warning", "--disable-warning", "--disable-warnings"),
        ("pytest --ignore=a --ignroe=b", "--ignroe=b", "--ignore=a --ignore=b"),
    ],
)
def test_an_option_of_pytest_is_known_without_its_source(command: str, wrong: str, right: str) -> None:
    made = patch(
        RepairFlag("{argument}"), "train", TRAIN, captures={"argument": wrong}, repository=naming(command + "\n")
    )
    assert made.state is PatchState.PATCH, made.reason
    assert right in changed(made)[1]


@pytest.mark.parametrize(
    ("command", "given"),
    [
        ("pytest --cov=train", "--cov=train"),
        ("pytest --fast", "--fast"),
        # Of plugins that are not installed.
        ("pytest --json-report-file=o.json", "--json-report-file=o.json"),
        ("pytest --html-css=a.css", "--html-css=a.css"),
        ("pytest --debug-log x", "--debug-log x"),
    ],
)
def test_what_a_plugin_has_or_nobody_stays(command: str, given: str) -> None:
    made = draft(
        RepairFlag("{argument}"), "train", TRAIN, captures={"argument": given}, repository=naming(command + "\n")
    )
    assert made.state in (PatchState.REFUSED, PatchState.ADVICE)


def test_an_option_that_a_conftest_of_the_tree_adds_is_no_slip_of_pytests() -> None:
    adds = 'def pytest_addoption(parser):\n    parser.addoption("--duration")\n'
    there = naming("pytest tests --duration=3\n", **{"unit/conftest.py": adds})
    made = draft(RepairFlag("{argument}"), "train", TRAIN, captures={"argument": "--duration=3"}, repository=there)
    assert made.state in (PatchState.REFUSED, PatchState.ADVICE)


@pytest.mark.parametrize("program", ["import json\n" + _PARSER.format("port"), "from serve import run\nrun()\n"])
def test_a_parser_that_the_program_does_not_come_to_says_nothing_of_its_flags(program: str) -> None:
    files = {"tools/make.py": program, "train/options.py": _PARSER.format("node-rank")}
    there = naming("python tools/make.py --node-arnk 1\n", **files)
    made = draft(RepairFlag("{argument}"), "train", TRAIN, captures={"argument": "--node-arnk"}, repository=there)
    assert made.state in (PatchState.REFUSED, PatchState.ADVICE)


@pytest.mark.parametrize(
    "script",
    [
        # The launcher's own flag, that of another program, of one of that name in an installed package, and a remark.
        "torchrun --node_rank 1 tools/make.py\n",
        "accelerate --node_rank 1 other.py\n",
        "python -m installed.make --node_rank 1\n",
        'CMD="python tools/make.py $X" # not --node_rank\neval "$CMD"\n',
    ],
)
def test_what_another_program_is_given_stays(script: str) -> None:
    there = naming(script, **{"tools/make.py": _PARSER.format("node-rank")})
    captures = {"argument": "--node_rank 1", "program": "make.py"}
    made = draft(RepairFlag("{argument}", program="{program}"), "train", TRAIN, captures=captures, repository=there)
    assert made.state in (PatchState.REFUSED, PatchState.ADVICE)


def test_pytests_option_before_a_file_with_a_parser_is_pytests() -> None:
    there = naming("pytest --maxfial=1 tools/make.py\n", **{"tools/make.py": _PARSER.format("max-files")})
    made = patch(RepairFlag("{argument}"), "train", TRAIN, captures={"argument": "--maxfial=1"}, repository=there)
    assert "--maxfail=1" in changed(made)[1]
