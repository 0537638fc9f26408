"""What an image's build runs, and commands that are put between others in a RUN instruction."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.fixes.memory_tree import MemoryTree
from triage.fixes.document import splice
from triage.fixes.evaluate.image import evaluate_image
from triage.fixes.evaluate.invocation import Evaluation, Invocation
from triage.fixes.manifests.dockerfile import is_dockerfile, names_of
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import insert_line, remove_command

PATH = "docker/Dockerfile"
TEXT = r"""
    # syntax=docker/dockerfile:1
    ARG TAG=1
    FROM base:${TAG} AS first
    ENV A=1 B="two words"
    RUN --mount=type=cache,target=/x \
        --network=none \
        bash -ex <<"EOF"
    cd sub
    tool ${A} ${B} ${TAG}
    EOF
    FROM first
    ARG TAG
    ARG COMMIT=0f
    ARG ARCHS=100a;103a
    ENV OLD form of it
    WORKDIR /app
    COPY requirements/ci.txt pyproject.toml ./
    COPY . /src
    COPY --from=first /x /y
    RUN pip install -r ci.txt && show $TAG $A $COMMIT $ARCHS && cd /src && echo $COMMIT $ARCHS $OLD $TAG
    RUN git clone https://h.invalid/o/Train.git && \
        # the repository itself
        cd Train && run it
    RUN ["no", "shell"]
    RUN cat <<END > /z
    pip install nothing
    END
    RUN if [ "$(uname -m)" = x86_64 ]; then \
          pip install a; \
        else \
          pip install b; \
        fi
"""


def tree(text: str, **files: str) -> MemoryTree:
    return MemoryTree(
        {PATH: dedent(text).lstrip("\n").encode(), **{name: text.encode() for name, text in files.items()}}
    )


REPOSITORY = tree(TEXT, **{"requirements/ci.txt": "a", "pyproject.toml": '[project]\nname = "train"\n', "pkg/x.py": ""})


def ran(made: Evaluation | Refusal) -> tuple[Invocation, ...]:
    assert isinstance(made, Evaluation)
    return made.invocations


def lines(made: Evaluation | Refusal) -> list[str]:
    return [one.command_line for one in ran(made) if not one.substitution]


def test_instructions_are_run_in_their_order_with_what_was_set_before() -> None:
    assert lines(evaluate_image(REPOSITORY, PATH)) == [
        "tool 1 two words ${TAG}",
        "pip install -r ci.txt",
        "show 1 1 0f ${ARCHS}",
        "git clone https://h.invalid/o/Train.git",
        "run it",
        "pip install a",
        "pip install b",
    ]


def test_arguments_from_outside_are_unknown() -> None:
    text = "FROM base:1\nARG A=1\nARG B\nRUN tool $A $B\n"
    assert lines(evaluate_image(tree(text), PATH)) == ["tool 1 ${B}"]
    assert lines(evaluate_image(tree(text), PATH, overridden=["A"])) == ["tool ${A} ${B}"]
    assert lines(evaluate_image(tree(text), PATH, closed=False)) == ["tool ${A} ${B}"]


def test_files_of_the_image_that_come_from_the_repository() -> None:
    by_line = {one.command_line: one for one in ran(evaluate_image(REPOSITORY, PATH))}
    install = by_line["pip install -r ci.txt"].inside
    assert install is not None
    assert [install.own(path) for path in ("ci.txt", "./pyproject.toml", "/src/pkg/x.py", "other.txt", "/y")] == [
        "requirements/ci.txt", "pyproject.toml", "pkg/x.py", "", "",
    ]  # fmt: skip
    own = by_line["run it"]
    assert own.directory == "."
    assert by_line["tool 1 two words ${TAG}"].directory is None


def test_dockerfiles_by_name() -> None:
    assert all(is_dockerfile(path) for path in ("Dockerfile", "d/Dockerfile.ci", "cuda.Dockerfile", "Containerfile"))
    assert not any(
        is_dockerfile(path) for path in ("Dockerfile.j2", "dockerfile.md", "docker/build.sh", "a.dockerignore")
    )


SEPARATORS = st.sampled_from([" && \\\n    ", " && ", "; \\\n    ", " && \\\n    # why\n    "])
COMMANDS = st.sampled_from(["pip install a", 'pip install "b>=1" \\\n      c', "make all", "cd x", "A=1 tool --y"])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(COMMANDS, SEPARATORS), min_size=1, max_size=5),
    st.integers(0, 4),
    st.booleans(),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_a_command_more_leaves_the_others_as_they_are(
    parts: list[tuple[str, str]], at: int, before: bool, eol: str, last: bool
) -> None:
    chain = "".join(f"{command}{separator}" for command, separator in parts[:-1]) + parts[-1][0]
    text = f"FROM base:1\nRUN {chain}" + ("\nENV A=1\n" if last else "")
    data = text.replace("\n", eol).encode()
    made = ran(evaluate_image(MemoryTree({PATH: data}), PATH))
    assume(made)
    anchor = made[at % len(made)]
    edits = insert_line(MemoryTree({PATH: data}), anchor.calls[-1], "new thing", why="", before=before)
    if isinstance(edits, Refusal):
        return
    after = splice(data, edits)
    assert isinstance(after, bytes)
    assert names_of(after) == names_of(data)
    expected = [one.command_line for one in made]
    place = at % len(made) + (0 if before else 1)
    again = [one.command_line for one in ran(evaluate_image(MemoryTree({PATH: after}), PATH))]
    assert again == [*expected[:place], "new thing", *expected[place:]]


@pytest.mark.parametrize(
    ("text", "command", "new"),
    [
        ("RUN a && \\\n    b\n", "b", "RUN a && \\\n    b && \\\n    new\n"),
        ("RUN a\n", "a", "RUN a && \\\n    new\n"),
        ("RUN a && b\n", "a", "RUN a && new && b\n"),
        ("RUN if t; then \\\n      a; \\\n    fi\n", "a", ""),
        ("RUN x && \\\n    if t; then y; \\\n      a; \\\n    fi\n", "a", "a; \\\n      new; \\\n    fi\n"),
        ("RUN a || true\n", "a", ""),
        ("RUN a | tee x\n", "a", ""),
        ("RUN <<E\na\nE\n", "a", "RUN <<E\na\nnew\nE\n"),
        ("RUN <<E\nx && a\nE\n", "a", ""),
    ],
)
def test_where_a_command_can_be_added(text: str, command: str, new: str) -> None:
    made = MemoryTree({PATH: f"FROM base:1\n{text}".encode()})
    call = next(one.calls[-1] for one in ran(evaluate_image(made, PATH)) if one.command_line == command)
    edits = insert_line(made, call, "new", why="")
    if not new:
        assert isinstance(edits, Refusal)
        return
    assert not isinstance(edits, Refusal)
    after = splice(made.read(PATH), edits)
    assert isinstance(after, bytes)
    assert after.decode().endswith(new)


def test_only_a_command_that_another_follows_goes() -> None:
    made = MemoryTree({PATH: b"FROM base:1\nRUN x && \\\n    a && \\\n    b\n"})
    calls = {one.command_line: one.calls[-1] for one in ran(evaluate_image(made, PATH))}
    gone = remove_command(made, calls["a"], why="")
    assert not isinstance(gone, Refusal)
    assert splice(made.read(PATH), gone) == b"FROM base:1\nRUN x && \\\n    b\n"
    assert isinstance(remove_command(made, calls["b"], why=""), Refusal)
