from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import UNIT, changed, draft, patch, replaced
from triage.fixes.document import splice
from triage.fixes.recipes.outcome import Edited
from triage.fixes.recipes.wiring.misfits import misfits
from triage.fixes.yaml.nodes import YamlDocument, parse_yaml
from triage.model.patch import PatchState
from triage.model.recipe import RepairWorkflow

REPAIR = RepairWorkflow()
UNIT_JOB = "  unit:\n    runs-on: [gpu-8]\n"


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        (UNIT_JOB, UNIT_JOB.replace("runs-on", "run-on"), ["-run-on: [gpu-8]", "+runs-on: [gpu-8]"]),
        (UNIT_JOB, UNIT_JOB + "    timeout_minutes: 5\n", ["-timeout_minutes: 5", "+timeout-minutes: 5"]),
        (UNIT_JOB, UNIT_JOB + "    if: !cancelled()\n", ["-if: !cancelled()", "+if: ${{ !cancelled() }}"]),
        (
            UNIT_JOB,
            UNIT_JOB + "    env:\n      A: 1\n    timeout-minutes: 5\n    env:\n      B: 2\n",
            ["+B: 2", "-env:", "-B: 2"],
        ),
        (UNIT_JOB, UNIT_JOB + "    env:\n      A: 1\n    env:\n      B: 2\n", ["-env:"]),
        (
            UNIT_JOB,
            UNIT_JOB + "    env:\n      A: 1\n    env: {B: 2, C: x}\n",
            ["-env: {B: 2, C: x}", "+B: 2", "+C: x"],
        ),
        (
            UNIT_JOB,
            UNIT_JOB + "    env: {A: 1}\n    env:\n      B: 2\n",
            ["-env: {A: 1}", "-env:", "-B: 2", "+env: {A: 1, B: 2}"],
        ),
        (
            UNIT_JOB,
            UNIT_JOB + "    env: { A: 1 }\n    env: { B: 2 }\n",
            ["-env: { A: 1 }", "-env: { B: 2 }", "+env: { A: 1, B: 2 }"],
        ),
        (
            UNIT_JOB,
            UNIT_JOB + "    env:\n      A: 1\n    timeout-minutes: 5\n    env:\n        B: 2\n",
            ["+B: 2", "-env:", "-B: 2"],
        ),
        (UNIT_JOB, UNIT_JOB + "    timeout-minutes: 5\n    timeout-minutes: 5\n", ["-timeout-minutes: 5"]),
        (
            UNIT_JOB,
            UNIT_JOB + '    if: ${{ github.ref == "refs/heads/main" }}\n',
            ['-if: ${{ github.ref == "refs/heads/main" }}', "+if: ${{ github.ref == 'refs/heads/main' }}"],
        ),
        (
            UNIT_JOB,
            UNIT_JOB + '    if: github.actor == "a" || github.actor == "b"\n',
            ['-if: github.actor == "a" || github.actor == "b"', "+if: github.actor == 'a' || github.actor == 'b'"],
        ),
    ],
)
def test_what_github_does_not_take_is_written_as_it_does(old: str, new: str, wanted: list[str]) -> None:
    proved = patch(REPAIR, "unit", UNIT, repository=replaced(UNIT, old, new))
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert changed(proved) == wanted


def test_double_quotes_inside_of_a_text_are_json() -> None:
    condition = """    if: contains(fromJSON('["a", "b"]'), github.actor)\n    env:\n      A: ${{ fromJSON('["main"]')[0] }}\n"""
    held = replaced(UNIT, UNIT_JOB, UNIT_JOB + condition)
    assert draft(REPAIR, "unit", UNIT, repository=held).state is PatchState.REFUSED


MATRIX = "  unit:\n    strategy:\n      matrix:\n        python: {}\n    runs-on: [gpu-8]\n"


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ("['3.9', 3.10', '3.11']", "['3.9', '3.10', '3.11']"),
        ('["3.9", 3.10"]', '["3.9", "3.10"]'),
        # Nothing says how the others are meant to be written, or the quote is a part of the value.
        ("['3.9', 3.10', 3.11]", ""),
        ("[3.9, 3.10']", ""),
        ("['3.9', it's', '3.11']", ""),
    ],
)
def test_an_item_that_lost_its_first_quote_gets_it(listed: str, expected: str) -> None:
    broken = replaced(UNIT, UNIT_JOB, MATRIX.format(listed))
    if not expected:
        assert draft(REPAIR, "unit", UNIT, repository=broken).state is PatchState.REFUSED
        return
    proved = patch(REPAIR, "unit", UNIT, repository=broken)
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert changed(proved)[1] == f"+python: {expected}"


def test_a_key_twice_with_two_values_is_refused() -> None:
    broken = replaced(UNIT, UNIT_JOB, UNIT_JOB + "    timeout-minutes: 5\n    timeout-minutes: 6\n")
    assert draft(REPAIR, "unit", UNIT, repository=broken).state is PatchState.REFUSED


@pytest.mark.parametrize(
    "pairs",
    [
        "    env: {A: 1}\n    env: {A: 2}\n",
        "    env: {A: 1}\n    env:\n      B: a, b\n",
        "    env: {A: 1}\n    env:\n      B: |\n        two\n        lines\n",
        "    env:\n      A: 1\n    env: {B: 2,\n      C: 'a\n\n      b'}\n",
    ],
)
def test_mappings_that_cannot_be_one_are_refused(pairs: str) -> None:
    broken = replaced(UNIT, UNIT_JOB, UNIT_JOB + pairs)
    assert draft(REPAIR, "unit", UNIT, repository=broken).state is PatchState.REFUSED


def test_the_file_that_the_log_calls_invalid_is_the_one_that_is_repaired() -> None:
    broken = replaced(UNIT, UNIT_JOB, UNIT_JOB.replace("runs-on", "run-on"))
    recipe = RepairWorkflow(file="{file}")
    proved = patch(recipe, "", "", repository=broken, captures={"file": f"{UNIT}#L12"})
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert proved.files == (UNIT,)


def test_a_script_that_holds_the_same_text_as_a_tagged_condition_stays() -> None:
    text = (
        "on: [push]\njobs:\n  a:\n    if: !cancelled()\n    runs-on: x\n    steps:\n      - run: |\n"
        "          cat > other.yml <<EOF\n          if: !cancelled()\n          EOF\n"
    )
    document = parse_yaml(".github/workflows/a.yml", text.encode())
    assert isinstance(document, YamlDocument)
    (made,) = misfits(document)
    assert isinstance(made, Edited)
    assert len(made.edits) == 1


CALL = "  calls:\n    uses: example/train/.github/workflows/wheel.yml@v1\n    with:\n      {0}\n"


@pytest.mark.parametrize(
    ("pairs", "wanted"),
    [
        (
            "extra-args: torchvision\n      extra-args: torchao",
            ["-extra-args: torchvision", "+extra-args: torchvision torchao"],
        ),
        ("packages: gh\n      n: 1\n      packages: jq git", ["-packages: gh", "+packages: gh jq git"]),
        # One value each: which is meant is not plain.
        ("python: a\n      python: b", []),
        ("extra-args: 'a'\n      extra-args: b", []),
    ],
)
def test_words_of_a_key_that_stands_twice_are_joined(pairs: str, wanted: list[str]) -> None:
    broken = replaced(UNIT, UNIT_JOB, CALL.format(pairs) + UNIT_JOB)
    made = patch(REPAIR, "unit", UNIT, repository=broken)
    assert (made.state is PatchState.PATCH) == bool(wanted), (made.reason, made.diff)
    assert set(wanted) <= set(changed(made))


TWICE = "on: push\njobs:\n  unit:\n    runs-on: gpu\n    env:\n      A: 1\n    timeout-minutes: 5\n{second}    steps:\n      - run: a\n"


def joined(text: str) -> str:
    """The file with its two mappings as one."""
    document = parse_yaml("w.yml", text.encode())
    assert isinstance(document, YamlDocument)
    (made,) = [one for one in misfits(document) if isinstance(one, Edited)]
    after = splice(text.encode(), made.edits)
    assert isinstance(after, bytes)
    return after.decode()


def test_a_mapping_that_stands_twice_keeps_its_line_ends_and_its_remarks() -> None:
    text = TWICE.format(second="    env:\n      B: 2\n")
    once = text.replace("    env:\n      B: 2\n", "").replace("A: 1\n", "A: 1\n      B: 2\n")
    assert joined(text) == once
    assert joined(text.replace("\n", "\r\n")) == once.replace("\n", "\r\n")
    remarked = TWICE.format(second="    # of b\n    env: # own\n      # b is\n      B: 2\n")
    assert joined(remarked) == once.replace("      B", "      # of b\n      # b is\n      B")
    last = text.replace("    env:\n      B: 2\n", "") + "    env:\n      B: 2"
    assert joined(last) == once
    near = text.replace("    timeout-minutes: 5\n", "").replace("    steps:\n      - run: a\n", "").rstrip()
    assert joined(near) == near.replace("    env:\n      B", "      B")


def test_what_an_anchor_holds_is_not_joined() -> None:
    text = "on: push\nenv: &all\n  Z: 1\njobs:\n  unit:\n    env:\n      A: 1\n    env: *all\n    runs-on: gpu\n    steps: [{run: a}]\n"
    document = parse_yaml("w.yml", text.encode())
    assert isinstance(document, YamlDocument)
    assert not [one for one in misfits(document) if isinstance(one, Edited)]


def test_of_many_entries_only_some_are_looked_for_one_by_one() -> None:
    entries = "".join(f"      B{at}: 1\n" for at in range(200))
    document = parse_yaml("w.yml", TWICE.format(second=f"    env:\n{entries}").encode())
    assert isinstance(document, YamlDocument)
    (made,) = [one for one in misfits(document) if isinstance(one, Edited)]
    assert len(made.expectations) < 50


@pytest.mark.parametrize(
    ("listed", "expected"),
    [("false", "[false]"), ("3.11", "[3.11]"), ("${{ fromJSON(vars.PYTHONS) }}", ""), ('"3.11"', "")],
)
def test_a_variable_of_a_matrix_takes_a_list(listed: str, expected: str) -> None:
    broken = replaced(UNIT, UNIT_JOB, MATRIX.format(listed))
    if not expected:
        assert draft(REPAIR, "unit", UNIT, repository=broken).state is not PatchState.PATCH
        return
    proved = patch(REPAIR, "unit", UNIT, repository=broken)
    assert proved.state is PatchState.PATCH, (proved.reason, proved.diff)
    assert changed(proved)[1] == f"+python: {expected}"


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("      - name: List\n        command: pip freeze | tee all.txt\n", "+run: pip freeze | tee all.txt"),
        ("      - script: |\n          make\n", "+- run: |"),
        ("      - name: Get\n        action: actions/setup-go@v5\n", "+uses: actions/setup-go@v5"),
        # Two of them, or an entry that says nothing of the kind.
        ("      - name: List\n        command: make\n        script: make\n", ""),
        ("      - name: List\n        comment: to be done\n", ""),
    ],
)
def test_what_a_step_runs_stands_under_a_key_of_another_system(step: str, expected: str) -> None:
    at = "    steps:\n"
    whole = f"on: push\njobs:\n  unit:\n    runs-on: x\n{at}{step}"
    broken = tree({".github/workflows/own.yml": whole})
    made = draft(REPAIR, "unit", ".github/workflows/own.yml", repository=broken)
    assert bool(made.edits) is bool(expected), made
    if expected:
        proved = patch(REPAIR, "unit", ".github/workflows/own.yml", repository=broken)
        assert (proved.state, changed(proved)[1]) == (PatchState.PATCH, expected), proved.reason
