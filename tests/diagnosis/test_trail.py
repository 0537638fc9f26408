"""What a log says that ran."""

from __future__ import annotations

from triage.diagnosis.trail import trail_of
from triage.model.log import Command, Line, LineKind
from triage.model.trail import BY_PROMPT, Announced


def test_typed_commands_are_one_shells(log):
    for text in ("pip install -e .", "pytest tests", "echo too late"):
        log.probe(log.says(f"$ {text}"), "typed", command=text)
    found = trail_of(log.reading, until=2)
    assert found.announced == (Announced("Run pip install -e .", ("pip install -e .", "pytest tests")),)


def test_a_prompt_names_the_folder_once(log):
    for folder, text in (("~/train/rl", "git log"), ("~/train/rl", "bash run.sh"), ("train", "ls"), ("/data", "ls")):
        log.probe(log.says(f"me@node:{folder}$ {text}"), "typed", command=text, folder=folder)
    (found,) = trail_of(log.reading, until=9).announced
    assert found.script == (f"cd ~/train/rl{BY_PROMPT}", "git log", "bash run.sh", "ls", f"cd /data{BY_PROMPT}", "ls")
    assert found.title == "Run git log"


def test_a_script_that_a_launcher_names(log):
    for path in ("tests/suites/moe.sh", "tests/suites/moe.sh", "tests/late.sh"):
        log.probe(log.says(f"[INFO] {path}"), "script_named", path=path)
    assert trail_of(log.reading, until=2).named == ("tests/suites/moe.sh",)


def test_the_steps_of_a_runner_say_more_than_what_looks_typed(log):
    log.probe(log.says("$ pip install -e ."), "typed", command="pip install -e .")
    log.extra["commands"] = (
        Command("make test", Line(2, "##[group]Run make test", kind=LineKind.HEADER)),
        Command("make test", Line(3, "make test", kind=LineKind.SCRIPT)),
    )
    assert trail_of(log.reading, until=9).announced == (Announced("Run make test", ("make test",)),)
