"""Bounds of checks that a run missed by a little."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, patch
from triage.fixes.recipes.commands.checks import Check, read_check
from triage.fixes.refusal import Refusal
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import MoveThreshold

OWN = ".github/workflows/own.yml"
RECIPE = MoveThreshold("{check}", "{value}", "{rest}")


def repository(checks: str, **files: str) -> MemoryTree:
    head = "on: [push]\njobs:\n  train:\n    runs-on: [gpu]\n    steps:\n      - name: Go\n        run: bash tests/run.sh\n"
    return tree({OWN: head, "tests/run.sh": f"python train.py\npython check.py out.json {checks}\n", **files})


def made(repository: MemoryTree, check: str, value: str, facts: Facts | None = None, rest: str = ""):
    captures = {"check": check, "value": value, "rest": rest}
    return patch(RECIPE, "train", OWN, step="Go", captures=captures, repository=repository, facts=facts or Facts())


@pytest.mark.parametrize(
    ("written", "check", "value", "expected"),
    [
        ("'loss < 0.1' 'reward > 0.9'", "loss < 0.1", "0.1038", "'loss < 0.106' 'reward > 0.9'"),
        ("'loss < 0.1' 'reward > 0.9'", "reward > 0.9", "0.85", "'loss < 0.1' 'reward > 0.82'"),
        ("'max(m[\"gb\"]) < 45'", 'max(m["gb"]) < 45', "46.2", "'max(m[\"gb\"]) < 47'"),
        ('"tokens <= 283"', "tokens <= 283", "297.4", '"tokens <= 310"'),
        ("'kl<0.001'", "kl < 0.001", "0.0012", "'kl<0.0013'"),
    ],
)
def test_the_bound_moves_behind_the_value_with_some_room(written: str, check: str, value: str, expected: str) -> None:
    before = repository(written)
    found = made(before, check, value)
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == [f"-python check.py out.json {written}", f"+python check.py out.json {expected}"]


@pytest.mark.parametrize(
    ("written", "check", "value", "state"),
    [
        ("'loss < 0.1'", "loss < 0.1", "0.3", PatchState.ADVICE),  # far away
        ("'loss < 0.1' 'loss < 0.1'", "loss < 0.1", "0.11", PatchState.ADVICE),  # twice
        ("'loss < 0.2'", "loss < 0.1", "0.11", PatchState.IN_PLACE),  # moved already
        ("'loss < 0.1'", "loss < 0.1", "0.09", PatchState.REFUSED),  # passes
        ("'loss < 0.1'", "loss < 0.1", "nan", PatchState.REFUSED),
        ("'loss < 0.1'", "other < 0.1", "0.11", PatchState.REFUSED),
        ("'xloss < 0.1'", "loss < 0.1", "0.11", PatchState.REFUSED),
        ("'loss < 0.1'", "loss < 0.1; rm -rf /", "0.11", PatchState.REFUSED),
        ("'mean(m[\"100\"]) < 45'", 'mean(m["10"]) < 45', "46", PatchState.REFUSED),  # another step's
    ],
)
def test_what_is_no_near_miss_of_one_check_is_left_alone(
    written: str, check: str, value: str, state: PatchState
) -> None:
    assert made(repository(written), check, value).state is state


def test_a_script_that_only_the_log_shows_running_is_the_place_when_it_is_the_only_one() -> None:
    inner = {"tests/a.sh": "  check 'kl < 0.1'\n", "tests/b.sh": "check 'kl < 0.1'\n"}
    before = repository("'loss < 0.1'", **inner)
    assert made(before, "kl < 0.1", "0.11").state is PatchState.ADVICE
    found = made(before, "kl < 0.1", "0.11", Facts(commands=("docker exec box bash ./tests/a.sh",)))
    assert (found.state, found.files) == (PatchState.PATCH, ("tests/a.sh",)), found.reason


LONG = "tests/suites/grpo-small-1n8g.v2.sh"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("python check.py 'kl < 0.1'", "python check.py 'kl < 0.12'"),
        ('KL_MAX=0.1 # as of May\npython check.py "kl < $KL_MAX"', "KL_MAX=0.12 # as of May"),
        ("export KL_MAX='0.1'\npython check.py \"kl < ${KL_MAX}\"", "export KL_MAX='0.12'"),
    ],
)
def test_the_only_script_that_could_have_printed_the_check_is_the_place(text: str, expected: str) -> None:
    found = made(
        repository("'loss < 0.1'", **{LONG: text, "tests/suites/other.sh": "check 'kl < 0.3'"}), "kl < 0.1", "0.11"
    )
    assert (found.state, found.files) == (PatchState.PATCH, (LONG,)), found.reason
    assert changed(found)[1] == f"+{expected}"


@pytest.mark.parametrize(
    ("command", "state"),
    [
        ("uv run dump.py /opt/train/tests/suites/grpo-small-1n8g.v2/logs --out a.json", PatchState.PATCH),
        ("uv run train.py --config recipes/grpo-small-1n8g.v2.yaml", PatchState.PATCH),
        ("uv run train.py name=grpo-small-1n8g.v2", PatchState.PATCH),
        ("uv run train.py name=grpo-small-1n8g.v2.1", PatchState.ADVICE),
        ("uv run train.py name=sft-grpo-small-1n8g.v2", PatchState.ADVICE),
    ],
)
def test_a_run_named_after_a_script_shows_that_the_script_ran(command: str, state: PatchState) -> None:
    both = {LONG: "check 'kl < 0.1'\n", "tests/suites/grpo-large-8n8g.v2.sh": "check 'kl < 0.1'\n"}
    found = made(repository("'loss < 0.1'", **both), "kl < 0.1", "0.11", Facts(commands=(command,)))
    assert found.state is state, found.reason
    assert state is PatchState.ADVICE or found.files == (LONG,)


def test_a_check_is_the_same_with_quotes_that_the_shell_hides_and_with_a_step_from_a_variable() -> None:
    before = repository("'x < 1'", **{LONG: 'check "data[\\"kl\\"][\\"${STEPS}\\"] < 0.1"\n'})
    found = made(before, 'data["kl"]["20"] < 0.1', "0.11")
    assert changed(found)[1] == '+check "data[\\"kl\\"][\\"${STEPS}\\"] < 0.12"', found.reason


@pytest.mark.parametrize(
    ("written", "check", "rest", "expected"),
    [
        ('data["train/loss"]["20"] < 0.1', 'data["train/loss"]["2\u2026', "< 0.1", "0.12"),
        ('data["train/loss"]["${STEPS}"] < 0.1', 'data["train/loss"]["2\u2026', "< 0.1", "0.12"),
        ('mean(data["timing/step"], 2) < 0.1', 'mean(data["timi\u2026', "2) < 0.1", "0.12"),
        ('mean(data["timing/step"], 2) < 0.1', 'mean(data["timing/step"],', "2) < 0.1", "0.12"),
    ],
)
def test_a_check_that_a_table_cuts_off_is_the_one_that_begins_and_ends_so(
    written: str, check: str, rest: str, expected: str
) -> None:
    other = 'data["train/lr"]["20"] < 0.1'
    found = made(repository(f"'{other}' '{written}'"), check, "0.11", rest=rest)
    assert changed(found)[1] == f"+python check.py out.json '{other}' '{written.replace('0.1', expected)}'", (
        found.reason
    )
    assert found.title.startswith(f"Move the bound of {written.partition(' <')[0]} from 0.1 to")


@pytest.mark.parametrize(
    ("check", "rest"),
    [
        ('data["train/l\u2026', "< 0.1"),  # begins like both
        ('data["tra\u2026x\u2026', "< 0.1"),
        ("da\u2026", "< 0.1"),
        ('data["train/loss\u2026', ""),
    ],
)
def test_a_check_that_is_cut_off_so_that_several_fit_moves_nothing(check: str, rest: str) -> None:
    both = '\'data["train/lr"]["20"] < 0.1\' \'data["train/loss"]["20"] < 0.1\''
    assert made(repository(both), check, "0.11", rest=rest).state is not PatchState.PATCH


def test_a_check_of_the_same_words_with_quite_another_bound_is_not_the_one_that_moved() -> None:
    files = {"tests/sft.sh": "check 'loss < 5.9'\n", "tests/dpo.sh": "check 'loss < 0.73'\n"}
    shown = Facts(commands=("docker exec box bash ./tests/sft.sh",))
    found = made(repository("'kl < 1'", **files), "loss < 0.73", "0.7413", shown)
    assert (found.state, found.files) == (PatchState.PATCH, ("tests/dpo.sh",)), found.reason


@given(
    st.decimals("-1000", "1000", places=3),
    st.decimals("0.001", "100", places=3),
    st.sampled_from(["<", "<=", ">", ">="]),
)
def test_a_moved_bound_admits_the_value_and_stays_near_it(bound: Decimal, miss: Decimal, sign: str) -> None:
    value = bound + miss if sign[0] == "<" else bound - miss
    check = read_check(f"x {sign} {bound}")
    assert isinstance(check, Check)
    assume(check.missed_by(value) > 0)
    moved = Decimal(check.moved(value))
    assert check.missed_by(moved) > 0
    assert Check("x", sign, moved, str(moved)).missed_by(value) <= 0
    assert abs(moved - value) <= 12 * miss


@pytest.mark.parametrize(
    ("written", "check", "value", "state"),
    [
        ("'loss < 0.1'", "loss < 0.1", "1e9999999", PatchState.REFUSED),  # overflows
        ("'loss < 0.1'", "loss < 0.1", "9" * 5000, PatchState.REFUSED),
        ("'loss < 0.1'", "loss < 0.1", "\u0660.\u0661\u0661", PatchState.REFUSED),  # Arabic digits
        ("'loss < 0.1'", "loss < 0.1", "inf", PatchState.REFUSED),
        ("'reward >= 1'", "reward >= 1", "0.6", PatchState.ADVICE),  # `>= 0` lets everything through
        ("'errors < 1'", "errors < 1", "1", PatchState.ADVICE),
        ("'num_failed <= 2'", "num_failed <= 2", "3", PatchState.ADVICE),
        ("'errors < 0.5'", "errors < 0.5", "0.6", PatchState.ADVICE),
        ("'error_rate < 0.1'", "error_rate < 0.1", "0.11", PatchState.ADVICE),
        ("'error < 2'", "error < 2", "3", PatchState.ADVICE),
        ("'kl_error < 0.1'", "kl_error < 0.1", "0.11", PatchState.PATCH),  # how large it is, not how many there are
        ("'terror < 0.1'", "terror < 0.1", "0.11", PatchState.PATCH),
    ],
)
def test_a_value_that_no_run_has_and_a_bound_that_lets_everything_through_move_nothing(
    written: str, check: str, value: str, state: PatchState
) -> None:
    assert made(repository(written), check, value).state is state


@pytest.mark.parametrize("line", ["# check 'kl < 0.1'", "echo wanted kl < 0.1", "run # kl < 0.1"])
def test_a_check_that_is_only_said_is_no_place(line: str) -> None:
    assert (
        made(repository("'loss < 0.1'", **{"tests/b.sh": f"{line}\n"}), "kl < 0.1", "0.11").state is PatchState.REFUSED
    )


def test_a_check_in_a_workflow_that_the_job_does_not_run_is_another_job_s() -> None:
    other = "on: [push]\njobs:\n  other:\n    runs-on: [gpu]\n    steps:\n      - run: check 'kl < 0.1'\n"
    before = repository("'loss < 0.1'", **{".github/workflows/other.yml": other})
    assert made(before, "kl < 0.1", "0.11").state is PatchState.ADVICE


def test_a_long_line_is_read_in_no_time() -> None:
    assert not isinstance(read_check("loss < 0.1"), Refusal)
    assert isinstance(read_check("a " + " " * 200_000 + "x"), Refusal)


def test_a_variable_that_more_than_the_check_reads_is_no_bound() -> None:
    script = "L=0.1\npython train.py --dropout $L\npython check.py 'x'\ncheck \"loss < $L\"\n"
    shown = Facts(commands=("bash tests/a.sh",))
    alone = script.replace(" --dropout $L", "")
    found = made(repository("'other < 1'", **{"tests/a.sh": alone}), "loss < 0.1", "0.11", shown)
    assert changed(found) == ["-L=0.1", "+L=0.12"]
    assert made(repository("'other < 1'", **{"tests/a.sh": script}), "loss < 0.1", "0.11", shown).diff == ""


def test_a_metric_with_a_longer_name_is_another_one() -> None:
    found = made(repository("'mean-loss < 0.1' 'val:loss < 0.1' 'loss < 0.1'"), "loss < 0.1", "0.11")
    assert changed(found)[1] == "+python check.py out.json 'mean-loss < 0.1' 'val:loss < 0.1' 'loss < 0.12'"
