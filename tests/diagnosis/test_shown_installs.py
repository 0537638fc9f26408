"""Install commands that a log shows, whoever prints them."""

from __future__ import annotations

from triage.diagnosis.shown_installs import shown_installs
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
