"""Trees and logs that are made to be worked on for ever, or to lead to another job."""

from __future__ import annotations

import cProfile
from collections.abc import Callable

import pytest
import yaml

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.fixes.evaluate import machine
from triage.fixes.evaluate.invocation import Evaluation, Invocation
from triage.fixes.evaluate.job import ACTIONS_MOST, evaluate_job
from triage.fixes.evaluate.machine import CARRIED_PER_ENTRY, CARRIED_PER_STEP, ENTERED_CAP
from triage.fixes.evaluate.settings import find_setting
from triage.fixes.evaluate.values import Value, known
from triage.fixes.manifests.dockerfile import MOST, instructions
from triage.fixes.recipes.commands.said.arithmetic import _PART
from triage.fixes.recipes.situation import _is_telling
from triage.fixes.refusal import Refusal
from triage.fixes.whereabouts.headers import Told, told_by_headers
from triage.fixes.workflow import model
from triage.fixes.workflow.load import load_workflow
from triage.fixes.workflow.names import find_job
from triage.fixes.yaml import nodes as nodes_of_yaml
from triage.fixes.yaml.nodes import child, entries, text_of
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipInstall, PipPin
from triage.model.trail import Announced

OWN = ".github/workflows/own.yml"
CALLING = """
    on: push
    jobs:
      train:
        runs-on: x
        steps:
          - name: Install
            run: pip install x
          - uses: ./.github/actions/c0
"""
TWO = {
    ".github/workflows/a.yml": "on: push\njobs:\n  gpu:\n    runs-on: x\n    steps:\n      - run: bash run.sh\n",
    ".github/workflows/b.yml": "on: push\njobs:\n  lint:\n    runs-on: x\n    steps:\n      - run: ruff check\n",
}


def calling_each_other(depth: int, width: int) -> MemoryTree:
    step = "    - uses: ./.github/actions/c{}\n"
    head = "runs:\n  using: composite\n  steps:\n"
    files = {f".github/actions/c{at}/action.yml": head + step.format(at + 1) * width for at in range(depth)}
    return tree({OWN: CALLING, **files})


def test_actions_that_use_each_other_many_times_are_followed_so_far() -> None:
    made = draft(PipPin("numpy", "<2"), "train", OWN, repository=calling_each_other(12, 8))
    assert made.state is PatchState.PATCH, made.reason
    assert any(f"more than {ACTIONS_MOST} actions" in note for note in made.notes)


def test_steps_of_such_actions_are_looked_through_so_far() -> None:
    made = told_by_headers(calling_each_other(4, 300), (Announced("Run make", ("make",)),))
    assert isinstance(made, Refusal)


def test_a_log_of_another_job_than_the_one_named_leads_nowhere() -> None:
    steps = (Announced("Run ruff check", ("ruff check",)),)
    refused = told_by_headers(tree(TWO), steps, "gpu")
    assert isinstance(refused, Refusal)
    assert "not those of gpu" in refused.reason
    for name in ("", "lint", "lint (3.11)", "no job of the tree"):
        assert told_by_headers(tree(TWO), steps, name) == Told(".github/workflows/b.yml", "lint")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"FROM a:1\n" + b"RUN make\n" * MOST, "instructions"),
        (b"FROM a:1\n" + b"# \n" * 100_000, "larger"),
        (b"# escape=`\nFROM a:1\n", "backquotes"),
        (b"# syntax=docker/dockerfile:1\n# escape=`\nFROM a:1\n", "backquotes"),
        (b"\xef\xbb\xbf# escape=`\nFROM a:1\n", "backquotes"),
    ],
)
def test_dockerfiles_that_are_not_read(data: bytes, reason: str) -> None:
    found = instructions(data)
    assert isinstance(found, Refusal)
    assert reason in found.reason


def test_a_bound_inside_of_double_quotes_of_yaml_is_written_for_them() -> None:
    text = 'on: push\njobs:\n  train:\n    runs-on: x\n    steps:\n      - run: "pip install numpy"\n'
    made = patch(PipPin("numpy", "<2"), "train", OWN, repository=tree({OWN: text}))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == '+- run: "pip install \\"numpy<2\\""'


@pytest.mark.parametrize("bound", ["<٢", ">=1.０", "<" + "9" * 40 + "x"])
def test_look_alike_digits_are_no_bounds(bound: str) -> None:
    there = tree({OWN: CALLING})
    made = draft(PipPin("numpy", "{bounds}"), "train", OWN, captures={"bounds": bound}, repository=there)
    assert made.state is PatchState.REFUSED


def test_the_work_on_a_long_script_grows_with_its_length() -> None:
    """Calls into Python per line, which no busy machine changes: twice the lines are about twice the work."""

    def calls(lines: int) -> int:
        script = "".join(f"          pip install name{at}==1.{at}\n" for at in range(lines))
        made = tree({OWN: f"on: push\njobs:\n  train:\n    runs-on: x\n    steps:\n      - run: |\n{script}"})
        with cProfile.Profile() as profile:
            draft(PipPin("name7", "<2"), "train", OWN, repository=made)
        return sum(one.callcount for one in profile.getstats())

    assert calls(600) < 2.5 * calls(300)


def test_lines_that_each_enter_a_container_cost_as_many_times_what_one_does() -> None:
    """A search of all commands for each of them would make twice as many lines four times the work."""
    counts = []
    for lines in (60, 120):
        script = "pip install numpy\n" + "".join(f"docker exec c bash -c 'pip install x{at}'\n" for at in range(lines))
        run = "on: push\njobs:\n  gpu:\n    runs-on: x\n    steps:\n      - run: bash s.sh\n"
        profile = cProfile.Profile()
        with profile:
            made = patch(PipPin("numpy", "<2"), "gpu", OWN, repository=tree({OWN: run, "s.sh": script}))
        assert made.state is PatchState.PATCH, made.reason
        entries = profile.getstats()
        counts.append(sum(one.callcount for one in entries if "systems.py" in str(one.code)))
    assert counts[1] < 2.6 * counts[0]


def test_which_command_failed_is_looked_for_once_and_not_for_every_install() -> None:
    """A search of all commands for each of the installs would make twice as many lines four times the work."""
    counts = []
    for lines in (100, 200):
        run = "on: push\njobs:\n  gpu:\n    runs-on: x\n    steps:\n      - name: Run\n        run: bash s.sh\n"
        files = {OWN: run, "s.sh": "pip install x\n" * lines + "python t.py\n", "t.py": "import yaml\n"}
        given = {"step": "Run", "facts": Facts(frames=("t.py",)), "captures": {"module": "yaml"}}
        with cProfile.Profile() as profile:
            draft(PipInstall(module="{module}"), "gpu", OWN, repository=tree(files), **given)
        entries = profile.getstats()
        counts.append(sum(one.callcount for one in entries if "failing.py" in str(one.code)))
    assert 0 < counts[1] < 2.6 * counts[0]


def test_the_jobs_of_a_workflow_are_listed_once_for_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Listing them for each one would make twice as many jobs four times the work."""
    listed: list[int] = []

    def counted(node: yaml.Node | None) -> list[tuple[str, yaml.Node, yaml.Node]]:
        found = entries(node)
        listed.append(len(found))
        return found

    for module in (model, nodes_of_yaml):
        monkeypatch.setattr(module, "entries", counted)
    jobs = "".join(f"  j{at}:\n    runs-on: x\n    steps:\n      - run: make\n" for at in range(200))
    workflow = load_workflow(tree({OWN: f"on: push\njobs:\n{jobs}  j7:\n    runs-on: y\n"}), OWN)
    assert not isinstance(workflow, Refusal)
    nodes = [workflow.job_node(name) for name in workflow.job_ids]
    assert len(nodes) == 200
    assert sum(listed) < 3 * 200
    assert [text_of(child(node, "runs-on")) for node in nodes[6:9]] == ["x", "y", "x"]
    assert workflow.job_node("none") is None


class _Counted(tuple[Value, ...]):
    """Words of a command that count how often they are copied."""

    copies = 0

    def __getitem__(self, at):  # type: ignore[no-untyped-def, override]
        _Counted.copies += isinstance(at, slice)
        return super().__getitem__(at)


def test_the_words_behind_a_wrapper_are_copied_once_for_a_key() -> None:
    """A copy for each word would make twice as many words four times the work."""
    words = ("timeout", "60", "python", "train.py", *(f"x{at}=1" for at in range(500)), "a.b=2")
    _Counted.copies = 0
    found = find_setting(Invocation(_Counted(map(known, words)), (), inner=2), "a.b")
    assert found is not None
    assert found.value.text == "2"
    assert _Counted.copies == 1


def evaluated(script: str) -> Evaluation:
    run = "on: push\njobs:\n  gpu:\n    runs-on: x\n    steps:\n      - run: bash s.sh\n"
    there = tree({OWN: run, "s.sh": script})
    workflow = load_workflow(there, OWN)
    assert not isinstance(workflow, Refusal)
    job = find_job(there, workflow, "gpu")
    assert not isinstance(job, Refusal)
    return evaluate_job(there, job)


def run_inside(made: Evaluation) -> list[str]:
    return [one.command_line for one in made.invocations if one.system]


def test_so_many_commands_are_followed_into_containers() -> None:
    """Those beyond are calls of which nobody says what they run; what the job itself runs is still followed."""
    enters = "".join(f"docker exec c bash -c 'pip install x{at}'\n" for at in range(ENTERED_CAP + 200))
    made = evaluated(f"{enters}pip install numpy\n")
    assert run_inside(made) == [f"pip install x{at}" for at in range(ENTERED_CAP)]
    assert made.invocations[-1].command_line == "pip install numpy"
    said = [note for note in made.notes if "run in other systems" in note]
    assert said == [
        f"s.sh:{ENTERED_CAP + 1}: more than {ENTERED_CAP} commands run in other systems: what further ones run is not known"
    ]
    assert made.notes == tuple(said)


def in_a_container(count: int) -> str:
    given = " ".join(f"-e A{at}=b -v $PWD/a{at}:/a{at}" for at in range(count // 2))
    return f"docker run -d --name c {given} img bash\n" + "docker exec c bash -c 'pip install x'\n" * 400


def with_variables(count: int) -> str:
    names = " ".join(f"A{at}=1" for at in range(count))
    return f"export {names}\n" + "".join(f"pip install x{at}\n" for at in range(400))


@pytest.mark.parametrize(
    ("script", "per_step"), [(in_a_container, CARRIED_PER_ENTRY), (with_variables, CARRIED_PER_STEP)]
)
def test_commands_with_very_much_around_them_count_as_many(
    script: Callable[[int], str], per_step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each looks through all of it: so many commands with so many variables are the work of both numbers multiplied."""
    monkeypatch.setattr(machine, "STEPS_CAP", 2_000)
    few = evaluated(script(20))
    assert not any("the rest was not followed" in note for note in few.notes)
    made = evaluated(script(2_000 * per_step // 200))
    assert any("the rest was not followed" in note for note in made.notes)
    assert len(made.invocations) < 400


def test_a_script_that_is_too_much_work_leaves_some_for_the_steps_behind_it() -> None:
    lines = "\n".join(f"if check-{at}; then echo {at}; fi" for at in range(12))
    wasteful = f"while read -r one; do\n{lines}\ndone < <(list)\n" * 400
    steps = "\n".join(f"      - run: bash {name}" for name in ("w.sh", "w.sh", "i.sh", "w.sh"))
    run = f"on: push\njobs:\n  gpu:\n    runs-on: x\n    steps:\n{steps}\n"
    there = tree({OWN: run, "w.sh": wasteful, "i.sh": "pip install numpy\n"})
    workflow = load_workflow(there, OWN)
    assert not isinstance(workflow, Refusal)
    job = find_job(there, workflow, "gpu")
    assert not isinstance(job, Refusal)
    made = evaluate_job(there, job)
    assert any("the rest was not followed" in note for note in made.notes)
    assert "pip install numpy" in [one.command_line for one in made.invocations]


def test_words_that_nearly_fit_are_given_up_at_once() -> None:
    """Each took twice as long a letter, or an expression, more."""
    step = f"Run A={'${{ x }}' * 60}!"
    made = tree(
        {OWN: "on: push\njobs:\n  train:\n    runs-on: x\n    steps:\n      - run: A=${{ x }} python train.py\n"}
    )
    assert draft(PipPin("torch", "==2.8"), "train", OWN, step=step, repository=made).state is not PatchState.PATCH
    assert not _is_telling(step)
    assert _is_telling("Run A=${{ x }} python train.py")
    assert not _is_telling("Run A=${{ x }}")
    assert not _PART.match("1" + "a" * 5000 + "!")
    assert all(map(_PART.match, ("2rc1", "0.dev20250122", "7a0+cu128.x", "1.post2-rc.a")))
