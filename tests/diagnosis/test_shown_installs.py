"""Install commands that a log shows, whoever prints them."""

from __future__ import annotations

import pytest
import re2

from triage.diagnosis.shown_installs import SHOWN_PROBES, shown_installs
from triage.model.log import Command, Line, LineKind


def test_prompts_builders_shells_and_pip_itself_show_them(log):
    log.probe(log.says("$ pip install -e ."), "typed", command="pip install -e .")
    log.probe(log.says("$ pytest tests"), "typed", command="pytest tests")
    log.probe(log.says("#3 [2/4] RUN pip install -r a.txt"), "built_run", command="pip install -r a.txt")
    log.probe(log.says("Collecting x (from -r b.txt (line 3))"), "asked_by_file", path="b.txt")
    log.probe(log.says("Collecting y (from -r b.txt (line 4))"), "asked_by_file", path="b.txt")
    traced = Command("docker exec ci pip install x", Line(3, "+ docker exec ci pip install x", kind=LineKind.XTRACE))
    log.extra["commands"] = (traced, Command("make", Line(4, "+ make", kind=LineKind.XTRACE)))
    every = ("pip install -e .", "docker exec ci pip install x", "pip install -r a.txt", "pip install -r b.txt")
    assert shown_installs(log.reading, until=9) == every
    assert shown_installs(log.reading, until=2) == every[:1]


def test_a_traced_shell_installs_where_it_went(log):
    texts = ("cd examples/translate", "pip install -r requirements.txt", "cd ../summaries", "pip install -r own.txt")
    log.extra["commands"] = tuple(
        Command(text, Line(at, f"+ {text}", kind=LineKind.XTRACE)) for at, text in enumerate(texts, 1)
    )
    log.probe(log.says("Collecting x (from -r requirements.txt (line 3))"), "asked_by_file", path="requirements.txt")
    said = shown_installs(log.reading, until=9)
    assert "cd examples/translate && pip install -r requirements.txt" in said
    assert "cd examples/summaries && pip install -r own.txt" in said


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("python -m pip install --exists-action=w --no-cache-dir -r docs/requirements.txt", True),
        ("pip3 install -q -r requirements-docs.txt", True),
        ("/env/bin/python3.7 -m pip install -U -r a/b.txt", True),
        ("Please run pip install -r requirements.txt", False),
        ("pip install -r requirements.txt first, then start", False),
        ("pip install train", False),
    ],
)
def test_a_builder_of_documents_prints_its_commands_bare(text: str, shown: bool) -> None:
    assert (re2.compile(SHOWN_PROBES["bare_list"]).search(text) is not None) is shown


def test_a_bare_list_is_installed_unless_a_step_only_shows_its_script(log):
    log.probe(log.says("pip install -r a.txt"), "bare_list", command="pip install -r a.txt")
    echoed = Line(2, "pip install -r b.txt", kind=LineKind.SCRIPT)
    log.probe(echoed, "bare_list", command="pip install -r b.txt")
    assert shown_installs(log.reading, until=9) == ("pip install -r a.txt",)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("gpu-tests: commands_pre[0]> pip install -U trainkit", "pip install -U trainkit"),
        (
            "py311: install_deps> python -I -m pip install -r a.txt trainkit",
            "python -I -m pip install -r a.txt trainkit",
        ),
        ("py38 run-test-pre: commands[0] | pip install trainkit", "pip install trainkit"),
        ("nox > python -m pip install trainkit pytest", "python -m pip install trainkit pytest"),
        ("gpu-tests: commands[0]> python -m pytest tests", ""),
        ("nox > Running session tests", ""),
        ("hint: commands to pip install are below", ""),
    ],
)
def test_tox_and_nox_head_what_they_run(text: str, shown: str) -> None:
    found = re2.compile(SHOWN_PROBES["made_run"]).search(text)
    assert (found["command"] if found else "") == shown
