"""The gates over Dockerfiles: what the shell reads of a RUN, which instructions there are, and what they run."""

from __future__ import annotations

import pytest

from tests.fixes.recipes.repository import with_file
from tests.gates.change_of import change
from triage.gates.declared import declared
from triage.gates.reaches import reaches
from triage.gates.shell_syntax import shell_syntax
from triage.model.patch import Expectation, GateStatus

OK, FAILED = GateStatus.OK, GateStatus.FAILED
FILE = "docker/Dockerfile"
IMAGE = with_file(
    FILE,
    "FROM base:1\nARG A=1\nARG KIND=x\nRUN pip install a && \\\n    # why\n    pip install b ${KIND}\n"
    "RUN <<EOF\nmake all\nEOF\nRUN [\"don't\", 'x']\nENV B=2\n",
)


def edited(old: str, new: str, *declares: str, promises: tuple[Expectation, ...] = ()):  # type: ignore[no-untyped-def]
    return change(FILE, old, new, declared=(FILE, *declares), promises=promises, repository=IMAGE)


@pytest.mark.parametrize(
    ("old", "new", "status", "reason"),
    [
        ("install b", "install 'b'", OK, "1 script"),
        ("install b", "install 'b", FAILED, "docker/Dockerfile:4"),
        (" && \\", " && && \\", FAILED, "docker/Dockerfile:4"),
        ("make all", "if make all", FAILED, "docker/Dockerfile:7"),
        ("# why", "# don't", OK, "no script is changed"),
        ("ENV B=2", "ENV B='2", OK, "no script is changed"),
    ],
)
def test_bash_reads_what_the_builder_gives_it(old: str, new: str, status: GateStatus, reason: str) -> None:
    gate = shell_syntax(edited(old, new))
    assert (gate.status, reason in gate.reason) == (status, True), gate.reason


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        ("A=1", "A=2", OK),
        (" && \\\n    # why", "\n    # why", OK),  # `pip` is no instruction
        ("ENV B=2\n", "", FAILED),
        ("ENV B=2", "USER root\nENV B=2", FAILED),
        ("EOF\nRUN [", "RUN [", FAILED),
    ],
)
def test_instructions_stay_what_they_are(old: str, new: str, status: GateStatus) -> None:
    assert declared(edited(old, new)).status is status


def test_an_instruction_that_is_declared_may_come() -> None:
    assert declared(edited("ENV B=2", "ENV B=2\nENV C=3", f"{FILE}:+ENV")).status is OK
    assert declared(edited("ENV B=2", "ENV B=2\nUSER root", f"{FILE}:+ENV")).status is FAILED
    assert declared(edited("ENV B=2\n", "", f"{FILE}:-ENV")).status is OK
    assert declared(edited("ENV B=2\n", "", f"{FILE}:-COPY")).status is FAILED
    assert declared(edited("ENV B=2\n", "", FILE)).status is FAILED


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("pip install b x", OK),
        ("pip install b ${KIND}", OK),
        ("B=1 pip install b x", OK),
        ("B=2 pip install b x", FAILED),
        ("pip install c", FAILED),
        ("pip install", OK),
    ],
)
def test_commands_are_looked_for_in_the_patched_image(text: str, status: GateStatus) -> None:
    promise = Expectation("image", text, "job", FILE)
    gate = reaches(edited("pip install b", "B=1 pip install b", promises=(promise,)))
    assert gate.status is status, gate.reason


def test_a_branch_that_only_the_jobs_argument_takes_is_seen() -> None:
    text = 'FROM base:1\nARG CUDA=12\nRUN if [ "$CUDA" = 13 ]; then I=cu130; fi && pip install --index w/${I} torch\n'
    promise = Expectation("image", "pip install --index w/cu130 torch==2.9.1", "", FILE)
    there = change(
        FILE, "torch\n", "torch==2.9.1\n", declared=(FILE,), promises=(promise,), repository=with_file(FILE, text)
    )
    assert reaches(there).status is OK
    other = change(
        FILE, "torch\n", "torch==2.9\n", declared=(FILE,), promises=(promise,), repository=with_file(FILE, text)
    )
    assert reaches(other).status is FAILED
