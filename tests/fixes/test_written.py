"""Files that a job writes before it runs them: what the repository holds of them is not what runs."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import TRAIN, hydra_job, patch
from tests.fixes.test_evaluate import evaluated, lines, one_step
from triage.model.patch import PatchState
from triage.model.recipe import EffectiveValue, PipPin

OWN, OTHER = "prog own\n", "prog other\n"
LOWER = EffectiveValue(knob="memory", to="0.4", at_most="0.5")
CONFIG = "rollout: {name: vllm, tp: 1, memory: 0.9}\n"


@pytest.mark.parametrize(
    "command",
    [
        "echo prog other > a.sh",
        "{ echo prog other; } > a.sh",
        "cat > a.sh <<EOF\nprog other\nEOF",
        "echo prog other | tee a.sh",
        "cp sub/a.sh a.sh",
        "cp -f sub/a.sh .",
        "cp sub/*.sh .",
        "cp -r sub/. .",
        "cp -t . sub/a.sh",
        "cp /outside/a.sh .",
        "install -m 755 sub/a.sh a.sh",
        "mv sub/a.sh a.sh",
        "mv a.sh b.sh",
        "ln -sf sub/a.sh a.sh",
        "rm -f a.sh",
        "curl -fsSL -o a.sh https://registry.invalid/a.sh",
        "wget -O a.sh https://registry.invalid/a.sh",
        "bash sub/writes.sh",
    ],
)
def test_a_script_that_the_job_wrote_is_not_the_repositorys(command: str) -> None:
    files = {"a.sh": OWN, "sub/a.sh": OTHER, "sub/writes.sh": "sed s/own/other/ a.sh > a.sh.new\nmv a.sh.new a.sh\n"}
    for call in ("bash a.sh", "source a.sh"):
        found = evaluated(one_step(f"{call}\n{command}\n{call}", files))
        assert lines(found).count("prog own") == 1, call


@pytest.mark.parametrize(
    "command", ["cp a.sh sub/", "cp a.sh b.sh", "echo x > out.txt", "tee log < a.sh", "rm -rf out", "bash a.sh > a.log"]
)
def test_other_files_leave_it_as_it_is(command: str) -> None:
    found = evaluated(one_step(f"{command}\nbash a.sh", {"a.sh": OWN, "sub/b.sh": OTHER}))
    assert "prog own" in lines(found)


def test_the_note_says_what_wrote_it() -> None:
    notes = evaluated(one_step("cp sub/a.sh a.sh\nbash a.sh", {"a.sh": OWN, "sub/a.sh": OTHER})).notes
    assert any("the script `a.sh` is another one since" in note for note in notes)


def training(before: str) -> MemoryTree:
    run = f"{before}\nbash train.sh\n"
    return hydra_job(run, CONFIG, {"train.sh": "python3 -m pkg.main rollout.memory=0.9\n"})


@pytest.mark.parametrize(
    ("before", "state"),
    [
        ("sed -i 's/0.9/0.8/' train.sh", PatchState.PATCH),
        ("sed -i -e 's/x/y/' -e '/z/d' train.sh", PatchState.PATCH),
        ("sed 's/memory=.*/memory=0.8/' train.sh", PatchState.PATCH),
        ("sed -i 's/memory=.*/memory=0.8/' train.sh", PatchState.ADVICE),
        ("sed -i 's/0.4/0.8/' train.sh", PatchState.ADVICE),
        ("sed -i '/memory/d' train.sh", PatchState.ADVICE),
        ("sed -Ei.bak -f edits.sed train.sh", PatchState.ADVICE),
        ('sed -i "s/x/$HOME/" *.sh', PatchState.ADVICE),
        ("perl -pi -e 's/x/y/' train.sh", PatchState.ADVICE),
        ("echo 'python3 -m pkg.main rollout.memory=0.8' >> train.sh", PatchState.ADVICE),
    ],
)
def test_a_line_that_the_job_may_edit_is_not_patched(before: str, state: PatchState) -> None:
    made = patch(LOWER, "train", repository=training(before))
    assert made.state is state, made.reason
    assert state is PatchState.PATCH or "train.sh is edited in place by tests/run.sh:1 when train runs" in made.reason


def test_a_requirement_that_the_job_edits_is_not_pinned() -> None:
    run = "sed -i '/DataQueue/d' requirements.txt\npip install -r requirements.txt\n"
    repository = hydra_job(run, CONFIG, {"requirements.txt": "DataQueue==0.1.7\n"})
    made = patch(PipPin("DataQueue", "==0.1.8"), "train", repository=repository)
    assert made.state is not PatchState.PATCH
    assert TRAIN not in made.files


def test_a_list_to_which_the_job_adds_a_line_keeps_the_others() -> None:
    run = "echo 'other==2' >> requirements.txt\npip install -r requirements.txt\n"
    made = patch(
        PipPin("DataQueue", "==0.1.8"),
        "train",
        repository=hydra_job(run, CONFIG, {"requirements.txt": "DataQueue==0.1.7\n"}),
    )
    assert made.state is PatchState.PATCH, made.reason
    assert made.files == ("requirements.txt",)


@pytest.mark.parametrize("command", ["cp -r many here", "cp many/* ."])
def test_more_files_than_are_looked_through_leave_none_as_it_was(command: str) -> None:
    files = {"a.sh": OWN, **{f"many/{at}": "" for at in range(1_000)}}
    assert "prog own" in lines(evaluated(one_step(f"{command}\n" * 50 + "bash a.sh", files)))
    found = evaluated(one_step(f"{command}\n" * 150 + "bash a.sh", files))
    assert "prog own" not in lines(found)
    assert any("too many files to follow" in note for note in found.notes)
