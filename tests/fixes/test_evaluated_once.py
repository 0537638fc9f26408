from __future__ import annotations

from tests.fixes.test_evaluate import PATH, job_of, lines, one_step
from triage.fixes.evaluate.invocation import Evaluation
from triage.fixes.evaluate.job import evaluate_job
from triage.fixes.overlay import Overlay, base_of
from triage.fixes.workflow.load import load_workflow
from triage.fixes.workflow.model import Job, Workflow
from triage.fixes.workflow.names import find_job
from triage.interfaces import Tree
from triage.model.diagnosis import Facts

TREE = one_step("bash run.sh", {"run.sh": "python -m train lr=1"})
PATCHED = {"run.sh": b"python -m train lr=2\n"}


def run(tree: Tree, facts: Facts = Facts()) -> Evaluation:
    """As a gate does it: the workflow is read again each time."""
    workflow = load_workflow(tree, PATH)
    assert isinstance(workflow, Workflow)
    job = find_job(tree, workflow, "test")
    assert isinstance(job, Job)
    return evaluate_job(tree, job, facts)


def test_a_tree_is_evaluated_once() -> None:
    assert run(TREE) is run(TREE)


def test_a_patched_script_is_evaluated_anew() -> None:
    assert "python -m train lr=1" in lines(run(TREE))
    assert "python -m train lr=2" in lines(run(Overlay(TREE, PATCHED)))
    assert "python -m train lr=1" in lines(run(TREE)), "the patch leaked into the tree below it"


def test_a_patched_workflow_is_evaluated_anew() -> None:
    patched = Overlay(TREE, {PATH: TREE.read(PATH).replace(b"bash run.sh", b"LR=3 bash run.sh --more")})
    assert run(patched) is not run(TREE)
    assert run(patched).invocations[-1].environment["LR"].text == "3"


def test_two_overlays_that_read_the_same_are_one_tree() -> None:
    one = Overlay(TREE, PATCHED)
    other = Overlay(Overlay(TREE, {"run.sh": b"python -m other\n"}), dict(PATCHED))
    assert base_of(one) == base_of(other)
    assert run(one) is run(other)


def test_a_file_that_is_changed_behind_an_overlay_is_seen() -> None:
    changed = {"run.sh": b"python -m train lr=2\n"}
    overlay = Overlay(TREE, changed)
    run(overlay)
    changed["run.sh"] = b"python -m train lr=4\n"
    assert "python -m train lr=4" in lines(run(overlay))


def test_equal_trees_of_two_repositories_are_apart() -> None:
    other = one_step("bash run.sh", {"run.sh": "python -m train lr=9"})
    assert other.sha == TREE.sha
    assert "python -m train lr=9" in lines(run(other))


def test_what_the_log_shows_is_part_of_the_question() -> None:
    tree = one_step('LR=$(python pick.py)\npython -m train lr="${LR}"')
    assert lines(run(tree, Facts(commands=("+ LR=5",)))) != lines(run(tree))


def test_a_job_of_no_file_is_told_apart_by_its_text() -> None:
    first = one_step("python -m one")
    second = Overlay(first, {PATH: first.read(PATH).replace(b"-m one", b"-m two")})
    assert lines(evaluate_job(first, job_of(first))) == ["python -m one"]
    workflow = load_workflow(second, PATH)
    assert isinstance(workflow, Workflow)
    job = find_job(second, workflow, "test")
    assert isinstance(job, Job)
    assert lines(evaluate_job(first, job)) == ["python -m two"]
