"""Install commands of Dockerfiles: every span is the file's, and what the shell does not read is nothing."""

from __future__ import annotations

import pytest

from tests.fixes.recipes.dependencies.test_declaring import CI, NEW_RAY, PIN, project
from tests.fixes.recipes.repository import changed, draft, patch
from triage.fixes.manifests.dockerfile import arguments, instructions, run_commands
from triage.fixes.refusal import Refusal
from triage.model.patch import PatchState
from triage.model.recipe import PipPin

TEXT = """\
# syntax=docker/dockerfile:1
FROM example/base:1
ARG VERSION=0.5
ARG OTHER="1.2"
RUN --mount=type=cache,target=/root pip install --no-cache "ray>=2" \\
    # pip install ray==1

    -r ray.txt 'vllm==1' torch; echo é && \\
    python3 -m pip install ray[default]; true
# RUN pip install ray
ENV X="pip install ray"
RUN <<EOF
pip install numpy
uv pip install --system "ray~=2"
EOF
RUN pip install engine==${VERSION}
RUN pip install ra\\
y
RUN ["pip", "install", "ray"]
CMD pip install ray
"""


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_words_stand_where_they_are_said_to_stand(eol: str) -> None:
    data = TEXT.replace("\n", eol).encode()
    found = run_commands(data)
    assert not isinstance(found, Refusal)
    words = [word for command in found for word in command]
    for word in words:
        if word.literal is not None:
            assert data[word.start : word.end].strip(b"\"'").decode() == word.literal
    literals = [word.literal for word in words]
    assert [text for text in literals if text and text.startswith("ray")] == [
        "ray>=2",
        "ray.txt",
        "ray[default]",
        "ray~=2",
    ]
    assert "ra" not in literals
    defaults = arguments(data)
    assert not isinstance(defaults, Refusal)
    assert [(one.name, data[one.start : one.end]) for one in defaults] == [("VERSION", b"0.5"), ("OTHER", b"1.2")]


@pytest.mark.parametrize("text", ["", "RUN", "RUN \\", "RUN pip \\\n#", "RUN <<EOF\npip", "\x00\xff", "RUN a\\\nb"])
def test_odd_files_are_read_to_their_end(text: str) -> None:
    data = text.encode("latin-1")
    found = instructions(data)
    assert not isinstance(found, Refusal)
    assert all(one.end <= len(data) for one in found)
    assert not isinstance(run_commands(data), Refusal)


def test_other_escapes_are_refused() -> None:
    assert isinstance(run_commands(b"# escape=`\nRUN pip install ray\n"), Refusal)


def image(text: str, *options: str):  # type: ignore[no-untyped-def]
    return project("", f"docker build {' '.join(options)} -f docker/Dockerfile.ci .", **{"docker/Dockerfile__ci": text})


def test_the_image_that_the_job_builds_holds_the_release_out() -> None:
    text = TEXT.replace("ray~=2", "ray")
    proved = patch(PIN, "test", CI, facts=NEW_RAY, repository=image(text))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [
        '-RUN --mount=type=cache,target=/root pip install --no-cache "ray>=2" \\',
        '+RUN --mount=type=cache,target=/root pip install --no-cache "ray>=2,<3.0.1" \\',
        "-python3 -m pip install ray[default]; true",
        '+python3 -m pip install "ray[default]<3.0.1"; true',
        '-uv pip install --system "ray"',
        '+uv pip install --system "ray<3.0.1"',
    ]
    refused = draft(PIN, "test", CI, facts=NEW_RAY, repository=image(TEXT))
    assert refused.state is PatchState.REFUSED
    assert "ray~=2" in refused.reason


def test_heredocs_for_a_shell_are_read_and_others_are_skipped() -> None:
    data = (
        b"RUN bash -ex <<'EOF'\npip install ray\nEOF\nRUN cat <<E > x\nRUN pip install ray\nE\nRUN pip install torch\n"
    )
    found = run_commands(data)
    assert not isinstance(found, Refusal)
    assert [command[-1].literal for command in found] == ["ray", "torch"]


def test_a_version_that_an_argument_holds() -> None:
    proved = patch(PipPin("engine", "==0.6"), "test", CI, repository=image(TEXT))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-ARG VERSION=0.5", "+ARG VERSION=0.6"]
    assert draft(PipPin("engine", "<0.6"), "test", CI, repository=image(TEXT)).state is PatchState.REFUSED
    overridden = image(TEXT, "--build-arg VERSION=0.7")
    assert draft(PipPin("engine", "==0.6"), "test", CI, repository=overridden).state is PatchState.REFUSED
