"""e8aff345d, the workflows: a requirements line in 17 jobs, and the defects of the commit itself."""

from __future__ import annotations

import re
from functools import lru_cache

import yaml

from tests.replay.goldens.verl import built_in, diagnosed, drafted, first, local, merged, proved, tree_at
from triage.fixes import Target, prescribe
from triage.fixes.document import splice
from triage.fixes.wellformed import check
from triage.gates import prove
from triage.gates.declared import flatten
from triage.model.diagnosis import Facts, Platform
from triage.model.patch import PatchState

MERGED = "e8aff345d"
PARENT = "cb8211095e7911b07c3fa5bd4e84c1cff4211d43"
TIP = "1dda039b9"
LINE = "pip3 install -r requirements.txt"
_RUN = re.compile(r"jobs\.([^.]+)\.steps\[\d+\]\.run\Z")


@lru_cache(maxsize=1)
def edited_jobs() -> tuple[tuple[str, str], ...]:
    """Jobs that got the line in the merged commit, by comparing both versions of every workflow."""
    found = []
    tree = tree_at(PARENT)
    for path in tree.paths():
        if not re.match(r"\.github/workflows/[^/]+\.yml\Z", path) or merged(MERGED, path) == tree.read(path):
            continue
        try:
            old, new = flatten(tree.read(path)), flatten(merged(MERGED, path))
        except yaml.YAMLError:
            continue  # the file that the commit overwrote with a script
        jobs = {match[1] for place, text in new.items() if (match := _RUN.match(place)) and LINE in text}
        had = {match[1] for place, text in old.items() if (match := _RUN.match(place)) and LINE in text}
        found += [(path, job) for job in sorted(jobs - had)]
    return tuple(found)


def test_the_line_equals_the_merged_one_in_17_of_17_jobs() -> None:
    tree = tree_at(PARENT)
    assert len(edited_jobs()) == 17
    for path, job in edited_jobs():
        found = diagnosed("missing-requirement.log", job)
        draft = first(drafted(found, tree, path))
        made = splice(tree.read(path), draft.edits)
        assert isinstance(made, bytes), draft.reason
        assert draft.state is PatchState.PATCH
        old, new = tree.read(path).decode().splitlines(), made.decode().splitlines()
        assert len(new) == len(old) + 1
        at = next(at for at, line in enumerate(new) if old[at : at + 1] != [line])
        golden = merged(MERGED, path).decode().splitlines()
        assert [golden[number - 1 : number + 1] for number, line in enumerate(golden) if line == new[at]].count(
            new[at - 1 : at + 1]
        ), (path, job)


def test_with_the_list_step_the_whole_file_equals_the_merged_one_in_11_workflows() -> None:
    tree, signature = tree_at(PARENT), local("missing-requirement-listed")
    equal = []
    for path, job in edited_jobs():
        found = diagnosed("missing-requirement.log", job, signature)
        _, listed = drafted(found, tree, path, signature)
        if splice(tree.read(path), listed.edits) == merged(MERGED, path):
            equal.append(path)
    assert len(equal) == 11, equal


def test_a_patch_of_these_is_proved() -> None:
    tree, path = tree_at(PARENT), ".github/workflows/vllm.yml"
    found = diagnosed("missing-requirement.log", "vllm")
    patch = proved(first(drafted(found, tree, path)), found, tree, path)
    assert patch.state is PatchState.PATCH, patch.reason


def test_both_defects_of_the_commit_are_found() -> None:
    step = check(".github/workflows/cpu_unit_tests.yml", merged(MERGED, ".github/workflows/cpu_unit_tests.yml"))
    (only,) = step
    assert (only.line, only.place) == (98, "jobs.cpu_unit_tests.steps[2]")
    assert only.message == "a step must have exactly one of `run` and `uses` (`Check final pip list pip3 list`)"
    overwritten = ".github/workflows/e2e_fully_async_policy.yml"
    assert len(check(overwritten, merged(MERGED, overwritten))) == 1


def test_at_the_tip_a_uv_job_gets_with_on_the_failing_command() -> None:
    tree, path, tables = tree_at(TIP), ".github/workflows/model.yml", built_in().tables
    signature = built_in().signatures["python-module-not-found"]
    found = diagnosed("missing-requirement.log", "model_rmpad")
    target = Target(path, "model_rmpad", "Running rmpad model tests on 8 L20 GPUs + flash_attn 2.5.8")
    facts = Facts(platform=Platform.CUDA)
    (cause,) = [one for one in found.causes if one.signature == signature.id]
    named = type(cause)(
        **{name: getattr(cause, name) for name in cause.__slots__} | {"captures": {"module": "math_verify"}}
    )
    draft = first(prescribe(named, signature, facts, target, tree, tree, tables))
    patch = prove(draft, tree, "p1", ("c",), target, facts, tables)
    assert patch.state is PatchState.PATCH, patch.reason
    assert "+          $UV_RUN --with math_verify==" in patch.diff


def test_at_the_tip_what_the_lock_brings_already_is_in_place() -> None:
    tree, path = tree_at(TIP), ".github/workflows/model.yml"
    found = diagnosed("missing-requirement.log", "model_rmpad")
    assert first(drafted(found, tree, path)).state is PatchState.IN_PLACE
