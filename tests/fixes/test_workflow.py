from __future__ import annotations

from collections.abc import Mapping

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixes.memory_tree import MemoryTree, tree
from triage.fixes.evaluate.values import SiteKind, Value, known
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.displayed import fits
from triage.fixes.workflow.expressions import evaluate, expressions, truth
from triage.fixes.workflow.load import job_layers, load_workflow, step_layers, workflow_paths
from triage.fixes.workflow.matrix import combinations
from triage.fixes.workflow.model import Job, Step, Workflow
from triage.fixes.workflow.names import find_job, find_step, jobs_of
from triage.fixes.workflow.platform import job_platform
from triage.fixes.yaml.nodes import YamlDocument, child, parse_yaml

PATH = ".github/workflows/ci.yml"
CI = """
    name: CI
    on: push
    env:
      IMAGE: registry.example/train:1.0
      LEVEL: workflow
    jobs:
      lint:
        runs-on: ubuntu-latest
        steps:
          - uses: actions/checkout@v4
          - run: |
              ruff check .
              mypy .
          - name: Test ${{ matrix.missing }} on ${{ github.sha }}
            run: pytest
          - {id: last, run: "true"}
      train:
        strategy:
          matrix:
            strategy: [fsdp2, megatron]
            gpus: [4, 8]
            exclude:
              - {strategy: megatron, gpus: 4}
            include:
              - {strategy: fsdp2, extra: "yes"}
              - {strategy: cpu, gpus: 0}
        runs-on: "gpu-${{ matrix.gpus }}"
        container: {image: "${{ env.IMAGE }}", env: {LEVEL: container}}
        env:
          LEVEL: job
          SIZE: ${{ matrix.gpus }}
        steps:
          - env: {LEVEL: step, FROM: "${{ env.LEVEL }}"}
            run: bash run.sh
      named:
        name: Run ${{ matrix.kind }} of ${{ needs.setup.outputs.what }}
        strategy: {matrix: {kind: [a, b]}}
        runs-on: [self-hosted, npu]
        steps: [{run: x}]
      dynamic:
        strategy: {matrix: "${{ fromJSON(needs.setup.outputs.matrix) }}"}
        runs-on: x
        steps: [{run: x}]
      nightly:
        name: Nightly
        uses: ./.github/workflows/reusable.yml
        with: {model: "small-${{ github.ref }}"}
      elsewhere:
        uses: other/repository/.github/workflows/x.yml@main
"""
REUSABLE = """
    on:
      workflow_call:
        inputs:
          model: {type: string, default: big}
          steps: {type: string, default: "10"}
          unset: {type: string}
    jobs:
      inner:
        name: Train ${{ inputs.steps }}
        runs-on: x
        steps: [{run: "train ${{ inputs.model }} ${{ inputs.steps }} '${{ inputs.unset }}'"}]
"""
REPOSITORY = tree({PATH: CI, ".github/workflows/reusable.yml": REUSABLE, ".github/workflows/old/x.yml": "a: 1\n"})


def workflow_of(repository: MemoryTree = REPOSITORY) -> Workflow:
    workflow = load_workflow(repository, PATH)
    assert isinstance(workflow, Workflow), workflow
    return workflow


def job(name: str, *labels: str) -> Job:
    found = find_job(REPOSITORY, workflow_of(), name, labels)
    assert isinstance(found, Job), found
    return found


def texts(values: Mapping[str, Value]) -> dict[str, str | None]:
    return {name: value.text for name, value in values.items()}


def test_workflows_lie_directly_in_their_folder() -> None:
    assert workflow_paths(REPOSITORY) == (PATH, ".github/workflows/reusable.yml")


@pytest.mark.parametrize(
    ("text", "said"),
    [("- a\n", "must be a mapping"), ("name: x\n", "no jobs"), ("a: [", "not valid YAML"), ("jobs: 1\n", "no jobs")],
)
def test_what_is_no_workflow_is_refused(text: str, said: str) -> None:
    refused = load_workflow(tree({PATH: text}), PATH)
    assert isinstance(refused, Refusal)
    assert said in refused.reason
    assert isinstance(load_workflow(REPOSITORY, "no.yml"), Refusal)


def test_a_matrix_is_expanded_as_github_does() -> None:
    cells = [texts(cell.values) for cell in job("train").combinations]
    assert cells == [
        {"matrix.strategy": "fsdp2", "matrix.gpus": "4", "matrix.extra": "yes"},
        {"matrix.strategy": "fsdp2", "matrix.gpus": "8", "matrix.extra": "yes"},
        {"matrix.strategy": "megatron", "matrix.gpus": "8"},
        {"matrix.strategy": "cpu", "matrix.gpus": "0"},
    ]
    assert [cell.label for cell in job("train").combinations] == [
        "fsdp2, 4, yes",
        "fsdp2, 8, yes",
        "megatron, 8",
        "cpu, 0",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{include: [{a: 1}, {a: 2, b: 3}]}", [{"matrix.a": "1"}, {"matrix.a": "2", "matrix.b": "3"}]),
        ("{os: [{name: x, v: 1}]}", [{"matrix.os.name": "x", "matrix.os.v": "1"}]),
        ("{a: [1, 2], include: [{b: 9}]}", [{"matrix.a": "1", "matrix.b": "9"}, {"matrix.a": "2", "matrix.b": "9"}]),
    ],
)
def test_matrix_shapes(text: str, expected: list[dict[str, str]]) -> None:
    document = parse_yaml("w.yml", f"strategy: {{matrix: {text}}}\n".encode())
    assert isinstance(document, YamlDocument)
    assert document.root is not None
    assert [texts(cell.values) for cell in combinations(document, document.root, {})] == expected


def test_a_matrix_beyond_what_github_takes_is_not_expanded() -> None:
    entries = "".join(f"        - {{b: {number}}}\n" for number in range(8000))
    document = parse_yaml("w.yml", f"strategy:\n  matrix:\n    a: [1, 2]\n    include:\n{entries}".encode())
    assert isinstance(document, YamlDocument)
    assert document.root is not None
    assert [cell.dynamic for cell in combinations(document, document.root, {})] == [True]


@pytest.mark.parametrize("text", ["${{ fromJSON(x) }}", "{a: '${{ x }}'}", "{include: '${{ x }}'}"])
def test_a_computed_matrix_is_dynamic(text: str) -> None:
    document = parse_yaml(
        "w.yml",
        f'strategy: {{matrix: "{text}"}}\n'.encode() if text[0] == "$" else f"strategy: {{matrix: {text}}}\n".encode(),
    )
    assert isinstance(document, YamlDocument)
    assert document.root is not None
    assert [cell.dynamic for cell in combinations(document, document.root, {})] == [True]


@pytest.mark.parametrize(
    ("name", "found", "cells"),
    [
        ("lint", "lint", [""]),
        ("train", "train", ["fsdp2, 4, yes", "fsdp2, 8, yes", "megatron, 8", "cpu, 0"]),
        ("train (megatron, 8)", "train", ["megatron, 8"]),
        ("Run a of the model", "named", ["a"]),
        ("Run b of what", "named", ["b"]),
        ("dynamic (x, 3)", "dynamic", [""]),
        ("Nightly / Train 10", "inner", [""]),
        ("nightly / inner", "inner", [""]),
    ],
)
def test_ids_and_displayed_names_lead_to_jobs(name: str, found: str, cells: list[str]) -> None:
    assert job(name).id == found
    assert [cell.label for cell in job(name).combinations] == cells


def test_a_name_that_fits_no_job_is_refused_with_the_jobs_there_are() -> None:
    refused = find_job(REPOSITORY, workflow_of(), "Trian (8)")
    assert isinstance(refused, Refusal)
    assert "lint, train, named, dynamic, nightly, elsewhere" in refused.reason


def test_labels_choose_between_jobs_of_one_name() -> None:
    text = "jobs:\n  a: {name: Same, runs-on: [x], steps: [{run: a}]}\n  b: {name: Same, runs-on: [y], steps: [{run: b}]}\n"
    repository = tree({PATH: text})
    several = find_job(repository, workflow_of(repository), "Same")
    assert isinstance(several, Refusal)
    chosen = find_job(repository, workflow_of(repository), "Same", ["y", "self-hosted"])
    assert isinstance(chosen, Job)
    assert chosen.id == "b"


@pytest.mark.parametrize(
    ("shape", "name", "expected"),
    [
        (["a", None, "b"], "a-x-b", True),
        (["a", None, "b"], "a-x-c", False),
        (["a", None], "a", True),
        ([None, "b"], "xb", True),
        (["abcdef"], "abc...", True),
        (["abcdef"], "abd...", False),
        (["a", None, "b"], "abxb", True),
    ],
)
def test_unknown_parts_of_a_name_stand_for_anything(shape: list[str | None], name: str, expected: bool) -> None:
    assert fits(shape, name) is expected


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("Run ruff check .", 11),
        ("Test  on abc", 0),
        ("Test x on 0a1b", 14),
        ("Run actions/checkout@v4", 10),
        ("last", 16),
    ],
)
def test_steps_are_found_by_what_the_log_shows(name: str, line: int) -> None:
    found = find_step(job("lint"), name)
    assert isinstance(found, Step) if line else True
    if isinstance(found, Step) and line:
        assert found.line == line


def test_a_step_that_is_not_there_is_refused() -> None:
    assert isinstance(find_step(job("lint"), "Post Run actions/checkout@v4"), Refusal)


def test_later_layers_of_environment_win_and_expressions_see_the_earlier_ones() -> None:
    train = job("train (megatron, 8)")
    layers = step_layers(job_layers(train, train.combinations[0]), train.steps[0])
    assert texts(layers.environment) == {
        "IMAGE": "registry.example/train:1.0",
        "LEVEL": "step",
        "SIZE": "8",
        "FROM": "job",
    }
    size = layers.environment["SIZE"].pieces[0]
    assert size.site is not None
    assert (size.site.kind, size.site.name) == (SiteKind.MATRIX, "gpus")
    data = REPOSITORY.read(PATH)
    assert data[size.site.start : size.site.end] == b"8"
    assert [data[via.start : via.end] for via in size.via] == [b"${{ matrix.gpus }}"]


def test_inputs_of_a_reusable_workflow_come_from_the_caller_or_the_default() -> None:
    inner = job("nightly / inner")
    assert {name: str(value) for name, value in inner.inputs.items()} == {
        "model": "small-${github.ref}",
        "steps": "10",
        "unset": "",
    }
    assert [caller.id for caller in inner.callers] == ["nightly"]
    assert {one.id for one in jobs_of(REPOSITORY, workflow_of())} == {"lint", "train", "named", "dynamic", "inner"}


CONTEXT = {"matrix.size": known("8"), "inputs.flag": known("false"), "env.name": known("x")}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (" matrix.size ", "8"),
        ("matrix['size']", "8"),
        ("env.NAME", "x"),
        ("'it''s'", "it's"),
        ("inputs.flag == 'false'", "true"),
        ("inputs.flag && 'a' || 'b'", "b"),
        ("matrix.size != '4' && 'many' || 'few'", "many"),
        ("!inputs.flag", "true"),
        ("(github.ref == 'x' || true) && 'yes'", None),
        ("true || github.ref", "true"),
        ("github.ref || 'default'", None),
        ("format('{0}-{1}', matrix.size, 'gpu')", "8-gpu"),
        ("format('{{0}} {0}', 1)", "{0} 1"),
        ("fromJSON('[1]')[0]", None),
        ("hashFiles('**/x')", None),
        ("matrix.size > 4", None),
        ("secrets.TOKEN", None),
        ("'open", None),
        ("", None),
        ("(" * 500, None),
        ("!" * 500 + "true", None),
    ],
)
def test_expressions_are_evaluated_or_unknown(expression: str, expected: str | None) -> None:
    assert evaluate(expression, CONTEXT).text == expected


def test_an_unknown_expression_keeps_its_name() -> None:
    assert str(evaluate(" needs.setup.outputs.label || 'x' ", {})) == "${needs.setup.outputs.label || 'x'}"
    assert truth(evaluate("github.ref", {})) is None


def test_expressions_end_at_the_braces_that_are_not_quoted() -> None:
    assert list(expressions("a ${{ 'x}}y' }} b ${{ c")) == [(0, 2, None), (2, 15, " 'x}}y' "), (15, 23, None)]


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="a.b'()!&|=,{}$ 10", max_size=24))
def test_any_expression_is_a_value(text: str) -> None:
    assert isinstance(evaluate(text, CONTEXT), Value)
    assert "".join(text[start:end] for start, end, _ in expressions(text)) == text


@pytest.mark.parametrize(
    ("job_text", "platform"),
    [
        ("{runs-on: [rocm-mi300]}", "rocm"),
        ("{runs-on: x, container: {image: a, options: --device /dev/kfd}}", "rocm"),
        ("{runs-on: linux-aarch64-a2b3-8}", "npu"),
        ("{runs-on: x, container: registry.example/ascend/cann:8}", "npu"),
        ("{runs-on: '${{ needs.setup.outputs.label || ''L20x8'' }}'}", "cuda"),
        ("{runs-on: linux.g5.4xlarge.nvidia.gpu}", "cuda"),
        ("{runs-on: ubuntu-latest}", "cpu"),
        ("{runs-on: [self-hosted]}", ""),
    ],
)
def test_labels_images_and_devices_name_the_platform(job_text: str, platform: str) -> None:
    workflow = workflow_of(tree({PATH: f"jobs: {{a: {job_text}}}\n"}))
    node = child(workflow.node, "jobs", "a")
    assert isinstance(node, yaml.MappingNode)
    assert job_platform(Job(workflow, node, "a", ())) == platform


CIRCLES = tree(
    {
        ".github/workflows/own.yml": """
            on: [push, workflow_call]
            jobs:
              test:
                runs-on: x
                steps: [{run: pytest}]
              again:
                uses: ./.github/workflows/own.yml
        """,
        ".github/workflows/there.yml": """
            on: push
            jobs:
              call: {uses: ./.github/workflows/back.yml}
              gone: {uses: ./.github/workflows/none.yml}
              far: {uses: example/tools/.github/workflows/x.yml@main}
              fine: {uses: ./.github/workflows/unit.yml}
        """,
        ".github/workflows/back.yml": """
            on: workflow_call
            jobs:
              unit: {runs-on: x, steps: [{run: pytest}]}
              back: {uses: ./.github/workflows/there.yml}
        """,
        ".github/workflows/unit.yml": """
            on: workflow_call
            jobs:
              a: {runs-on: x, steps: [{run: pytest}]}
              b: {runs-on: x, steps: [{run: pytest}]}
        """,
    }
)


@pytest.mark.parametrize(
    ("path", "name", "said"),
    [
        ("own.yml", "again", "own.yml:7: `again` calls ./.github/workflows/own.yml, so that the workflow calls itself"),
        ("own.yml", "again / test", "which GitHub refuses"),
        (
            "there.yml",
            "call",
            "back.yml:4: `back` calls ./.github/workflows/there.yml, so that the workflow calls itself",
        ),
        ("there.yml", "gone", "there.yml:4: the workflow that `gone` calls cannot be followed"),
        ("there.yml", "far / unit", "there.yml:5: the workflow that `far` calls cannot be followed"),
        ("there.yml", "fine", "`fine` calls ./.github/workflows/unit.yml, with `fine / a`, `fine / b`"),
        ("there.yml", "nothing", "no job is called `nothing`; there are call, gone, far, fine"),
    ],
)
def test_a_call_that_leads_nowhere_is_named_with_its_line(path: str, name: str, said: str) -> None:
    found = find_job(CIRCLES, load_workflow(CIRCLES, f".github/workflows/{path}"), name)
    assert said in str(found)


def test_the_jobs_of_a_circle_that_run_are_still_found() -> None:
    found = find_job(CIRCLES, load_workflow(CIRCLES, ".github/workflows/there.yml"), "call / unit")
    assert found.path == ".github/workflows/back.yml"


def test_the_name_that_a_run_shows_finds_a_job_in_the_workflow_that_is_called() -> None:
    text = """
        on: {on}
        jobs:
          cards:
            name: two cards
            runs-on: [gpu]
            strategy:
              matrix: {{part: [0, 1]}}
            steps:
              - run: "true"
    """
    for on, found in (("workflow_call", True), ("[push, workflow_call]", True), ("push", False)):
        files = tree({PATH: text.format(on=on)})
        job = find_job(files, workflow_of(files), "e2e / two cards (1)")
        assert isinstance(job, Refusal) is not found
        assert not found or (not isinstance(job, Refusal) and job.id == "cards")
