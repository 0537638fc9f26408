from __future__ import annotations

import time
from collections.abc import Mapping
from textwrap import dedent, indent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixes.memory_tree import MemoryTree
from triage.fixes.evaluate.invocation import Evaluation, Invocation
from triage.fixes.evaluate.job import evaluate_job, given_by_files
from triage.fixes.evaluate.settings import find_setting, may_hide
from triage.fixes.evaluate.values import SiteKind
from triage.fixes.workflow.load import load_workflow
from triage.fixes.workflow.model import Job, Workflow
from triage.fixes.workflow.names import find_job
from triage.model.diagnosis import Facts, Platform

PATH = ".github/workflows/ci.yml"


def repository(workflow: str, files: Mapping[str, str] = {}) -> MemoryTree:
    scripts = {path: dedent(text).lstrip("\n").encode() for path, text in files.items()}
    return MemoryTree({PATH: dedent(workflow).lstrip("\n").encode(), **scripts})


def one_step(script: str, files: Mapping[str, str] = {}, extra: str = "") -> MemoryTree:
    body = indent(dedent(script).strip("\n"), " " * 10)
    text = f"on: push\njobs:\n  test:\n    runs-on: gpu-8\n{indent(dedent(extra).strip(), '    ')}\n    steps:\n      - run: |\n{body}\n"
    return repository(text, files)


def job_of(tree: MemoryTree, name: str = "test") -> Job:
    workflow = load_workflow(tree, PATH)
    assert isinstance(workflow, Workflow), workflow
    job = find_job(tree, workflow, name)
    assert isinstance(job, Job), job
    return job


def evaluated(tree: MemoryTree, facts: Facts = Facts(), name: str = "test") -> Evaluation:
    return evaluate_job(tree, job_of(tree, name), facts)


def lines(evaluation: Evaluation) -> list[str]:
    return [one.command_line for one in evaluation.invocations]


def only(tree: MemoryTree, start: str, facts: Facts = Facts()) -> Invocation:
    found = [one for one in evaluated(tree, facts).invocations if one.command_line.startswith(start)]
    assert len(found) == 1, lines(evaluated(tree, facts))
    return found[0]


TRAIN = {
    "run.sh": """
        set -xeuo pipefail
        MODE=${MODE:-fsdp2}
        TP=${TP:-1}
        if [ "$MODE" = fsdp2 ]; then
            size=4
            if [ "${ENGINE:-vllm}" = other ]; then tp=8; else tp=$TP; fi
        else
            size=2 tp=2
        fi
        args=(
            model.path="${HOME}/models/small"
            rollout.tp=${tp}
        )
        python3 -m train.main "${args[@]}" actor.size=${size} half=$((size / 2)) "$@"
    """
}


def test_a_setting_leads_to_the_place_that_decides_it() -> None:
    tree = one_step("TP=2 bash run.sh extra=1", TRAIN)
    train = only(tree, "python3 -m train.main")
    assert train.module == "train.main"
    assert [call.path for call in train.calls] == [PATH, "run.sh"]
    assert [call.line for call in train.calls] == [8, 14]
    size = find_setting(train, "actor.size")
    assert size is not None
    assert size.value.text == "4"
    (site,) = size.sites
    assert (site.path, site.line, site.kind, site.name) == ("run.sh", 5, SiteKind.ASSIGN, "size")
    assert tree.read(site.path)[site.start : site.end] == b"4"
    assert [str(one) for one in site.conditions] == ['run.sh:4: [ "$MODE" = fsdp2 ] is true']
    tp = find_setting(train, "rollout.tp")
    assert tp is not None
    (site,) = tp.sites
    assert (site.path, site.kind, site.name) == (PATH, SiteKind.CALL_ENV, "TP")
    assert tree.read(PATH)[site.start : site.end] == b"2"


def test_a_default_is_a_site_of_its_own_and_computed_text_names_its_sources() -> None:
    tree = one_step("bash run.sh", TRAIN)
    train = only(tree, "python3")
    tp, half = find_setting(train, "rollout.tp"), find_setting(train, "half")
    assert tp is not None
    assert half is not None
    assert (tp.sites[0].kind, tp.sites[0].name, tp.sites[0].line) == (SiteKind.DEFAULT, "TP", 3)
    assert (half.value.text, half.sites[0].kind) == ("2", SiteKind.COMPUTED)
    assert [site.name for site in half.value.pieces[0].via if site.kind is SiteKind.ASSIGN] == ["size"]


def test_the_other_branch_is_taken_when_the_workflow_says_so() -> None:
    tree = one_step("bash run.sh", TRAIN, "env: {MODE: megatron}")
    train = only(tree, "python3")
    size = find_setting(train, "actor.size")
    assert size is not None
    assert (size.value.text, size.sites[0].line) == ("2", 8)


def test_what_nothing_sets_stays_a_hole() -> None:
    train = only(one_step("bash run.sh", TRAIN), "python3")
    path = find_setting(train, "model.path")
    assert path is not None
    assert path.value.text is None
    assert str(path.value) == "${HOME}/models/small"


@pytest.mark.parametrize(
    ("platform", "labels", "expected"),
    [
        (Platform.NPU, "gpu-8", "npu"),
        (Platform.ROCM, "x", "cuda"),
        (Platform.UNKNOWN, "rocm-mi300", "cuda"),
        (Platform.UNKNOWN, "npu-8", "npu"),
    ],
)
def test_a_printed_device_is_decided_by_the_platform(platform: Platform, labels: str, expected: str) -> None:
    script = """
        device=$(python3 -c 'print_device()')
        if [ "$device" == cuda ]; then prog cuda; elif [ "$device" == npu ]; then prog npu; else exit 1; fi
    """
    tree = one_step(script)
    tree = MemoryTree({PATH: tree.read(PATH).replace(b"gpu-8", labels.encode())})
    programs = [one for one in evaluated(tree, Facts(platform=platform)).invocations if not one.substitution]
    assert [one.command_line for one in programs] == [f"prog {expected}"]
    assert "the job runs on" in programs[0].conditions[-1].reason


def test_undecided_tests_are_followed_both_ways_and_said() -> None:
    found = evaluated(one_step("if [ -f made ]; then A=1; else A=2; fi\nprog $A\nprog same")).invocations
    assert [one.command_line for one in found] == ["prog 1", "prog 2", "prog same"]
    assert [[str(each) for each in one.assumptions] for one in found[:2]] == [
        [f"{PATH}:8: [ -f made ] is true"],
        [f"{PATH}:8: [ -f made ] is false"],
    ]
    assert found[2].assumptions == ()


def test_a_trace_pins_what_is_unknown_and_wins_over_an_assumed_default() -> None:
    script = "device=$(detect)\nGPUS=${GPUS:-8}\nprog $device $GPUS"
    facts = Facts(commands=("device=npu", "GPUS=4", "prog npu 4"))
    pinned = only(one_step(script), "prog", facts)
    assert pinned.command_line == "prog npu 4"
    assert [value.sites[0].kind for value in pinned.argv[1:]] == [SiteKind.FACT, SiteKind.FACT]
    explained = only(one_step(script + "\nGPUS=4"), "prog", facts)
    assert explained.command_line == "prog npu 8"
    called = Facts(commands=("device=npu bash x.sh", "device='a' b", "+ device='x y'"))
    assert only(one_step(script), "prog", called).command_line == "prog x y 8"
    twice = Facts(commands=("device=npu", "device=cuda"))
    assert only(one_step(script), "prog", twice).argv[1].text is None


def test_only_what_the_files_give_without_the_trace_is_explained_by_them() -> None:
    script = 'SIZE=${SIZE:-4}; HERE=${HERE:-$(probe)/x}; WIDE=$HERE/y; GIVEN=${GIVEN:-1}; prog "$SIZE" "$WIDE" "$GIVEN"'
    facts = Facts(commands=("+ SIZE=4", "+ HERE=/root/x", "+ WIDE=/root/x/y", "+ GIVEN=2"))
    tree = one_step(script)
    assert given_by_files(tree, job_of(tree), facts) == {"SIZE"}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('A=("$@"); prog "${A[@]@Q}"', "a b"),
        ("IFS=,; L=a,b; prog $L", "a,b"),
        ("read X < f; prog $X", ""),
        ('X=1; eval "$(hidden)"; prog ${HIDDEN:-none}', "none"),
        ("source missing.sh; prog ${HIDDEN:-none}", "none"),
        ("X=1; while [ -e f ]; do X=2; done; prog $X", "1"),
        ("for ((i=0;i<2;i++)); do X=$i; done; prog $X", ""),
        ("local -n r=X; r=2; prog $X", ""),
        ("prog $(date +%s)", ""),
        ("prog {1..3}", "{1..3}"),
        ("prog *.sh", "*.sh"),
        ("X=${Y@Q}; prog $X", ""),
    ],
)
def test_what_is_not_followed_is_unknown(text: str, wrong: str) -> None:
    found = [one for one in evaluated(one_step(text, {"a.sh": "x"})).invocations if one.command_line.startswith("prog")]
    assert found
    assert all(any(not value.known for value in one.argv) for one in found if not one.assumptions)
    assert wrong not in [value.text for one in found for value in one.argv[1:]] or all(one.assumptions for one in found)


def test_wrappers_and_shells_are_looked_through() -> None:
    script = "uv run --frozen --extra gpu timeout 60 env A=1 python3 -m train.main x=1\nuv run bash s.sh\n./s.sh direct"
    tree = one_step(script, {"s.sh": '#!/bin/bash\nprog "$@"\n'})
    found = evaluated(tree).invocations
    assert found[0].program[0].text == "python3"
    assert found[0].module == "train.main"
    assert found[0].environment["A"].text == "1"
    assert lines(evaluated(tree))[1:] == ["prog", "prog direct"]


def test_a_script_that_is_not_there_is_a_note_and_a_program() -> None:
    evaluation = evaluated(one_step("bash no/such.sh a"))
    assert lines(evaluation) == ["bash no/such.sh a"]
    assert "is not in the repository" in evaluation.notes[0]


def test_github_env_reaches_later_steps() -> None:
    tree = repository("""
        jobs:
          test:
            runs-on: x
            env: {KEPT: job}
            steps:
              - run: |
                  echo "SIZE=8" >> $GITHUB_ENV
                  echo "KEPT=changed" | tee -a "${GITHUB_ENV}"
                  prog first ${SIZE:-unset}
              - run: prog second $SIZE $KEPT
              - env: {SIZE: own}
                run: prog third $SIZE
              - run: compute >> $GITHUB_ENV
              - run: prog fourth ${OTHER:-none}
    """)
    found = [line for line in lines(evaluated(tree)) if line.startswith("prog")]
    assert found[:3] == ["prog first unset", "prog second 8 changed", "prog third own"]
    assert "none" not in found[3]


def test_expressions_are_filled_in_before_the_shell_reads_the_script() -> None:
    tree = repository("""
        jobs:
          test:
            strategy: {matrix: {flags: ["--a 'b c'", "$HOME"]}}
            runs-on: x
            steps:
              - run: prog ${{ matrix.flags }} ${{ github.sha }} "x${{ secrets.TOKEN }}y" '${{ matrix.flags == 'z' }}'
    """)
    found = evaluated(tree).invocations
    assert [value.text for value in found[0].argv] == ["prog", "--a", "b c", None, None, "false"]
    assert str(found[1].argv[1]) == "${HOME}"
    site = found[0].argv[1].sites[0]
    assert (site.kind, tree.read(PATH)[site.start : site.end]) == (SiteKind.MATRIX, b"--a")
    assert [one.combination for one in found] == ["--a 'b c'", "$HOME"]


def test_composite_actions_and_reusable_workflows_are_followed() -> None:
    tree = repository(
        """
        on: push
        jobs:
          caller:
            uses: ./.github/workflows/inner.yml
            with: {size: "4"}
        """,
        {
            ".github/workflows/inner.yml": """
                on: {workflow_call: {inputs: {size: {type: string}}}}
                jobs:
                  test:
                    runs-on: x
                    steps:
                      - uses: actions/checkout@v4
                      - uses: ./.github/actions/train
                        env: {FROM: caller}
                        with: {gpus: "${{ inputs.size }}"}
            """,
            ".github/actions/train/action.yml": """
                inputs: {gpus: {default: "1"}, mode: {default: fast}}
                runs:
                  using: composite
                  steps:
                    - shell: bash
                      run: prog ${{ inputs.gpus }} ${{ inputs.mode }} $FROM
            """,
        },
    )
    (found,) = evaluated(tree, name="caller / test").invocations
    assert found.command_line == "prog 4 fast caller"
    assert [call.path for call in found.calls] == [".github/workflows/inner.yml", ".github/actions/train/action.yml"]
    assert found.calls[0].insertable is False
    assert found.argv[1].sites[0].path == PATH


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("shell: pwsh\n        run: prog", []),
        ("shell: python\n        run: import x", []),
        ("shell: bash -l {0}\n        run: prog", ["prog"]),
        ("if: false\n        run: prog", []),
        ("if: always()\n        run: prog", ["prog"]),
        ("working-directory: sub\n        run: bash here.sh", ["prog here"]),
        ("working-directory: ./sub/\n        run: bash ../sub/here.sh", ["prog here"]),
    ],
)
def test_steps(step: str, expected: list[str]) -> None:
    text = f"jobs:\n  test:\n    runs-on: x\n    steps:\n      - name: s\n        {step}\n"
    tree = MemoryTree({PATH: text.encode(), "sub/here.sh": b"prog here\n"})
    assert lines(evaluated(tree)) == expected


@pytest.mark.parametrize(
    ("checkout", "expected"), [("{path: code}", ["prog"]), ("{repository: other/code}", ["bash code/s.sh"])]
)
def test_scripts_lie_where_the_repository_was_checked_out(checkout: str, expected: list[str]) -> None:
    text = f"jobs:\n  test:\n    runs-on: x\n    steps:\n      - uses: actions/checkout@v4\n        with: {checkout}\n      - run: bash code/s.sh\n"
    assert lines(evaluated(MemoryTree({PATH: text.encode(), "s.sh": b"prog\n"}))) == expected


def test_steps_of_windows_runners_are_left_out() -> None:
    tree = repository("""
        jobs:
          test:
            strategy: {matrix: {os: [ubuntu-latest, windows-latest]}}
            runs-on: ${{ matrix.os }}
            steps: [{run: prog}, {run: other, shell: bash}]
    """)
    assert lines(evaluated(tree)) == ["prog", "other", "other"]
    assert "`pwsh` is no shell" in evaluated(tree).notes[0]


def test_settings_of_hydra_and_of_flags() -> None:
    found = only(one_step('python3 -m m a=1 +b.c=2 a=3 --size 4 --name=x "d=${UNKNOWN_THING}" $GITHUB_REF'), "python3")
    a, b, size, name = (find_setting(found, key) for key in ("a", "b.c", "--size", "--name"))
    assert a is not None
    assert b is not None
    assert size is not None
    assert name is not None
    assert (a.value.text, a.earlier) == ("3", (3,))
    assert (b.prefix, b.value.text) == ("+", "2")
    assert (size.value.text, name.value.text) == ("4", "x")
    assert find_setting(found, "b") is None
    assert may_hide(found, "anything")


def test_runaway_scripts_end() -> None:
    doubling = "x=ab\nfor i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do x=$x$x; done\nprog $x"
    assert only(one_step(doubling), "prog").argv[1].text is None
    recursion = "f() { f; f; }\nf\nprog end"
    assert evaluated(one_step(recursion)).notes
    forks = "\n".join(f"[ -f a{n} ] && X{n}=1" for n in range(40)) + "\nprog $X1 $X39"
    assert evaluated(one_step(forks)).invocations
    sourcing = one_step("source s.sh\nprog end", {"s.sh": "source s.sh\nsource s.sh\n"})
    evaluated(sourcing)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="abX=$(){}[]\"'`\\;|&<>! \n1-@*", max_size=50))
def test_any_script_evaluates(text: str) -> None:
    tree = one_step("bash s.sh 'a b'")
    evaluated(MemoryTree({**tree.files, "s.sh": text.encode()}))


def test_ten_thousand_lines_are_followed_to_their_end() -> None:
    script = "\n".join(f"A{n}=${{A{n}:-{n}}}\nprog $A{n} \\\n  more=$A{n}" for n in range(3333))
    evaluation = evaluated(one_step("bash s.sh", {"s.sh": script}))
    assert not evaluation.notes
    assert evaluation.invocations[-1].command_line == "prog 3332 more=3332"
    assert evaluation.invocations[-1].calls[-1].line == 9998


@pytest.mark.parametrize(
    "script", ["bash a.sh\nbash a.sh\nbash b.sh\npytest end\n", "source a.sh\n. ./a.sh\n(bash a.sh)\npytest end\n"]
)
def test_scripts_that_run_themselves_several_times_are_followed_a_few_levels(script: str) -> None:
    tree = one_step("bash a.sh", {"a.sh": script, "b.sh": "bash a.sh\nbash b.sh\n"})
    started = time.process_time()
    found = evaluated(tree)
    # Every level multiplies the work: 25 of them did not end.
    assert time.process_time() - started < 5
    assert "pytest end" in lines(found)


@pytest.mark.parametrize(
    ("script", "word"),
    [
        ("sed 's#tests/suites#configs/recipes#'", "configs/recipes/a.yaml"),
        ("sed s,a.yaml,b.yaml,", "tests/suites/b.yaml"),
        ("sed 's/^tests/other/'", "other/suites/a.yaml"),
        ("sed 's/yaml$/json/g'", "tests/suites/a.json"),
        ("cat", "tests/suites/a.yaml"),
    ],
)
def test_a_path_that_a_text_program_rewrites(script: str, word: str) -> None:
    tree = one_step(f'CONFIG=$(echo tests/suites/a.yaml | {script})\npython train.py --config "$CONFIG"')
    assert only(tree, "python train.py").argv[-1].text == word


@pytest.mark.parametrize("script", ["sed -n 's/a/b/p'", "sed 's/t*s/x/'", "sed 's/(s)/x/'", "sed 's/a/&b/'", "tr a b"])
def test_a_text_program_that_is_not_understood_prints_something_unknown(script: str) -> None:
    tree = one_step(f'CONFIG=$(echo tests/suites/a.yaml | {script})\npython train.py --config "$CONFIG"')
    assert only(tree, "python train.py").argv[-1].text is None


def test_a_program_that_is_submitted_to_a_cluster_and_the_environment_that_it_gets() -> None:
    tree = one_step(
        r"""
        RUNTIME_ENV_JSON="{
          \"env_vars\": {
            \"MODE\": \"fast\",
            \"HOST\": \"${MASTER}\"
          }
        }"
        ray job submit --address=http://127.0.0.1:8265 --runtime-env-json="${RUNTIME_ENV_JSON}" -- python3 train.py --size 4
        """,
    )
    found = only(tree, "ray job submit")
    assert [value.text for value in found.program] == ["python3", "train.py", "--size", "4"]
    assert found.environment["MODE"].text == "fast"
    setting = find_setting(found, "--size")
    assert setting is not None
    assert setting.value.text == "4"


def test_a_submit_command_whose_json_is_not_known_sets_nothing() -> None:
    found = only(one_step("ray job submit --runtime-env-json $JSON -- python3 train.py"), "ray job submit")
    assert "MODE" not in found.environment
    assert found.program[0].text in ("python3", "ray")
