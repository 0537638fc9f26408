"""What is advised where there is no tree to patch."""

from dataclasses import replace

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.pipeline.fakes import MISSING, TextLog, built_in, job_log
from triage.model.patch import Patch, PatchState
from triage.model.recipe import Advise, Rerun
from triage.model.signature import Catalogue
from triage.pipeline.log import triage_logs
from triage.pipeline.prescription import Trees
from triage.pipeline.trees import no_trees
from triage.pipeline.triage import Knowledge

SIGNATURE = "python-module-not-found"
EXIT_127 = "##[error]Process completed with exit code 127."


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return built_in()


def advised(knowledge: Knowledge, *lines: str) -> tuple[Patch, ...]:
    return triage_logs([TextLog("x.log", job_log(*lines))], knowledge, no_trees("no tree")).result.patches


def with_fixes(knowledge: Knowledge, **changes: object) -> Knowledge:
    """The knowledge with the signature's first fix changed, and alone."""
    signature = knowledge.catalogue.signatures[SIGNATURE]
    fixes = (replace(signature.fixes[0], **changes),)  # type: ignore[arg-type] # a test names the fields
    return with_ladder(knowledge, *fixes)


def with_ladder(knowledge: Knowledge, *fixes: object) -> Knowledge:
    catalogue = knowledge.catalogue
    signature = replace(catalogue.signatures[SIGNATURE], fixes=fixes)  # type: ignore[arg-type] # as above
    known: Catalogue = replace(catalogue, signatures={**catalogue.signatures, SIGNATURE: signature})
    return Knowledge.of(known, knowledge.configuration)


def test_every_rung_is_advice_that_names_what_the_log_shows(knowledge: Knowledge) -> None:
    said = advised(knowledge, MISSING)
    assert {patch.state for patch in said} == {PatchState.ADVICE}
    assert [patch.id for patch in said] == ["p1", "p2", "p3", "p4", "p5"]
    assert "provide transfer_queue" in said[0].title
    assert "before the tests" not in said[0].title, "the failing step need not be a test"
    assert not any("{" in patch.title + patch.because for patch in said)


def test_the_reason_for_no_patch_is_said_once_and_only_of_what_would_be_one(knowledge: Knowledge) -> None:
    first = knowledge.catalogue.signatures[SIGNATURE].fixes[1]
    ladder = (
        replace(first, recipe=Advise("Look at {module}.")),
        replace(first, recipe=Rerun()),
        first,
        replace(first, title="again"),
    )
    said = advised(with_ladder(knowledge, *ladder), MISSING)
    assert [patch.reason for patch in said] == ["Look at transfer_queue.", "", "no tree", ""]


def test_what_the_log_rules_out_is_not_advised(knowledge: Knowledge) -> None:
    assert advised(with_fixes(knowledge, when={"platform": ("npu",)}), MISSING)[0].state is PatchState.ADVICE
    (refused,) = advised(with_fixes(knowledge, when={"sign": ("known",)}), MISSING)
    assert refused.state is PatchState.REFUSED
    assert refused.reason == "no fix fits this log (sign is unknown, and the fix is for known)"


def test_a_long_ladder_is_cut_and_says_where_the_rest_is(knowledge: Knowledge) -> None:
    first = knowledge.catalogue.signatures[SIGNATURE].fixes[1]
    said = advised(with_ladder(knowledge, *(replace(first, title=f"fix {n}") for n in range(7))), MISSING)
    assert [patch.title for patch in said] == [f"fix {n}" for n in range(5)]
    assert said[0].notes == ("2 more fixes fit the log: `triage explain python-module-not-found` lists all",)


def test_what_only_a_tree_can_show_is_said_as_an_assumption(knowledge: Knowledge) -> None:
    first = knowledge.catalogue.signatures[SIGNATURE].fixes[1]
    ladder = (
        replace(first, title="Go through the proxy that the siblings use", because="The jobs of its kind reach it so."),
        replace(first, title="Give the job the token that its siblings have", because=""),
        replace(first, title="Halve the batch", because="Activations grow with it."),
        replace(first, recipe=Rerun(), title="Run the job again in the repository itself", because="It may pass."),
    )
    said = advised(with_ladder(knowledge, *ladder), MISSING)
    assert [patch.because for patch in said] == [
        "assumed, as the job's own files were not looked at: The jobs of its kind reach it so.",
        "assumed, as the job's own files were not looked at.",
        "Activations grow with it.",
        "It may pass.",
    ]


@pytest.mark.parametrize(("source", "first"), [("Actions", "Give the job the secret"), ("None", "Run the job in the")])
def test_a_run_that_had_the_secrets_is_not_taken_for_that_of_a_fork(
    knowledge: Knowledge, source: str, first: str
) -> None:
    said = advised(knowledge, f"Secret source: {source}", "##[error]Bad credentials")
    assert said[0].title.startswith(first)
    assert any(patch.title.startswith("Run the job in the") for patch in said) == (source == "None")


@pytest.mark.parametrize(
    "because",
    [
        "The program comes from PyPI, and no install command of the job brings it.",
        "It comes with the system, and what installs the system's packages there does not name it.",
        "The group's key is the same for all pull requests, so the run of one ends that of another.",
        "Instructions of the same file are given a way to the network, and the one that failed is not.",
        "The image that it is made from says in its tag that it holds what runs and not what compiles.",
        "The two steps of the workflow do not meet, so that it is not found however often the job runs.",
        "The engine on the same card keeps its weights while the trainer works, as the settings say.",
    ],
)
def test_what_a_job_installs_and_a_group_is_called_is_an_assumption_too(knowledge: Knowledge, because: str) -> None:
    (said,) = advised(with_fixes(knowledge, title="Provide it", because=because), MISSING)
    assert said.because == f"assumed, as the job's own files were not looked at: {because}"


def test_no_package_is_advised_for_a_program_that_none_is_known_to_bring(knowledge: Knowledge) -> None:
    (only,) = advised(knowledge, "/__w/_temp/x.sh: line 1: site-probe: command not found", EXIT_127)
    assert only.title == "Install the program before the step, or use its full path"
    first, *_ = advised(knowledge, "/__w/_temp/x.sh: line 1: ninja: command not found", EXIT_127)
    assert first.title == "Install the distribution that brings ninja"
    assert first.because.startswith("assumed, as the job's own files were not looked at: ")


def test_no_group_is_advised_where_the_log_names_none(knowledge: Knowledge) -> None:
    said = advised(knowledge, "##[error]The operation was canceled.")
    assert [patch.title for patch in said] == ["Run the job again if nothing newer replaces it"]


@pytest.mark.parametrize(("value", "offered"), [("https://mirror.example", False), ("", True)])
def test_a_variable_that_the_step_had_is_not_offered_again(knowledge: Knowledge, value: str, *, offered: bool) -> None:
    step = ("##[group]Run python3 run.py", "shell: bash", "env:", f"  HF_ENDPOINT: {value}", "##[endgroup]")
    error = "OSError: We couldn't connect to 'https://huggingface.co' to load the files, and couldn't find them"
    lines = [*step, error, "##[error]Process completed with exit code 1."]
    said = triage_logs([TextLog("x.log", "\n".join(lines))], knowledge, no_trees("no tree")).result.patches
    title = "Read from the mirror that the siblings use"
    assert (title in [one.title for one in said]) is offered
    note = f"not offered, as the log shows that the step had HF_ENDPOINT already: {title}"
    assert (note in said[0].notes) is not offered


def test_an_instruction_of_a_dockerfile_is_advised_only_where_a_build_failed(knowledge: Knowledge) -> None:
    retry = "WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection "
    unreachable = f"{retry}broken by 'NewConnectionError('x: Failed to establish a new connection')': /simple/numpy/"
    said = advised(knowledge, unreachable, "ERROR: No matching distribution found for numpy==1.0")
    assert said
    assert not any("Dockerfile" in patch.title for patch in said)


BUILD = (
    '#7 [4/5] RUN python3 -c "import tables"',
    "#7 0.512 ModuleNotFoundError: No module named 'tables'",
    '#7 ERROR: process "/bin/sh -c python3 -c \\"import tables\\"" did not complete successfully: exit code: 1',
    "------",
    "Dockerfile:4",
    "--------------------",
    "   3 |     COPY requirements.txt .",
    '   4 | >>> RUN python3 -c "import tables"',
    "--------------------",
    "ERROR: failed to solve: process did not complete successfully: exit code: 1",
)
DOCKERFILE = b'# made up\nFROM python:3.12\nWORKDIR /app\nCOPY requirements.txt .\nRUN python3 -c "import tables"\n'
WORKFLOW = b"on: push\njobs: {image: {runs-on: any, steps: [{run: docker buildx build -f docker/Dockerfile .}]}}\n"


def test_advice_on_a_failed_build_of_an_image_names_its_file_and_line(knowledge: Knowledge) -> None:
    place = "the build of an image failed, at Dockerfile:4 by the log: what it lacks belongs there"
    assert advised(knowledge, *BUILD)[0].notes[0].startswith(place)
    assert not any("image" in note for note in advised(knowledge, MISSING)[0].notes)


@pytest.mark.parametrize(
    ("path", "place"),
    [("docker/Dockerfile", "at docker/Dockerfile:5: "), ("docker/Dockerfile.other", "at Dockerfile:4 by the log: ")],
)
def test_the_tree_tells_where_the_instruction_stands_now(knowledge: Knowledge, path: str, place: str) -> None:
    tree = MemoryTree({path: DOCKERFILE, ".github/workflows/image.yml": WORKFLOW, "requirements.txt": b"numpy\n"})
    log = TextLog("x.log", job_log(*BUILD))
    said = triage_logs([log], knowledge, lambda sha: Trees(tree, tree)).result.patches
    assert said[0].state is PatchState.ADVICE
    assert place in said[0].notes[0]
