"""What only bash reads and a plain sh was given: a step in a container, a script, an instruction of an image."""

from __future__ import annotations

import time

import pytest

from tests.fixes.memory_tree import MemoryTree, by_path, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import UseBash

CI = ".github/workflows/ci.yml"
BASH = UseBash(script="{script}")
JOB = """\
on: push
jobs:
  test:
    runs-on: [gpu]
    container: example/image:1
    steps:
      - uses: actions/checkout@v4
      - name: Test
        run: |
          source env.sh
          pytest tests
"""
OTHER = """\
on: push
defaults:
  run:
    shell: bash -el {0}
jobs:
  other:
    runs-on: [gpu]
    container: example/image:1
    steps:
      - run: pytest tests
"""


def repository(job: str = JOB, **files: str) -> MemoryTree:
    return tree({CI: job, **by_path(files)})


def made(held: MemoryTree, script: str = "/__w/_temp/9f1c.sh") -> list[str]:
    found = patch(BASH, "test", CI, step="Test", repository=held, captures={"script": script})
    assert found.state is PatchState.PATCH, (found.reason, found.diff)
    return changed(found)


def reason(held: MemoryTree, script: str = "/__w/_temp/9f1c.sh") -> str:
    found = draft(BASH, "test", CI, step="Test", repository=held, captures={"script": script})
    assert found.state is not PatchState.PATCH
    return found.reason


def test_the_one_step_that_needs_bash_gets_it() -> None:
    assert made(repository()) == ["+shell: bash"]
    own = repository(JOB + "      - run: echo\n        shell: bash -eo pipefail {0}\n")
    assert made(own) == ['+shell: "bash -eo pipefail {0}"']


def test_several_steps_get_it_by_the_jobs_defaults_and_siblings_are_followed() -> None:
    several = repository(JOB + "      - run: |\n          if [[ -n $A ]]; then echo; fi\n")
    assert made(several) == ["+defaults:", "+run:", "+shell: bash"]
    whole = tree({CI: JOB, ".github/workflows/other.yml": OTHER})
    assert made(whole) == ["+defaults:", "+run:", "+shell: bash -el {0}"]


@pytest.mark.parametrize(
    ("job", "said"),
    [
        (JOB.replace("    container: example/image:1\n", ""), "bash on the machine"),
        (JOB.replace("        run: |", "        shell: bash\n        run: |"), "reads the step already"),
        (JOB.replace("        run: |", "        shell: python\n        run: |"), "`python` reads"),
        (JOB.replace("          source env.sh\n", ""), "bash's alone"),
        (JOB.replace("          pytest tests\n", "          if [[ a; then\n"), "either"),
    ],
)
def test_where_bash_reads_it_already_or_would_not_help(job: str, said: str) -> None:
    assert said in reason(repository(job))


def test_a_script_that_sh_is_called_for_is_called_by_bash() -> None:
    job = JOB.replace("          source env.sh\n", "          sh -e ./tools/run.sh\n")
    said = "./tools/run.sh"
    held = repository(job, **{"tools/run.sh": "#!/bin/sh\nsource env.sh\n"})
    assert made(held, said) == ["-sh -e ./tools/run.sh", "+bash -e ./tools/run.sh", "-#!/bin/sh", "+#!/bin/bash"]
    assert "bash's alone" in reason(repository(job, **{"tools/run.sh": "#!/bin/sh\n. env.sh\n"}), said)
    assert "no one file" in reason(repository(job), said)
    twin = repository(
        job, **{"tools/run.sh": "source env.sh\n", "other/run.sh": ". env.sh\n", "all.sh": "sh other/run.sh\n"}
    )
    assert made(twin, said) == ["-sh -e ./tools/run.sh", "+bash -e ./tools/run.sh"]
    called = repository(job.replace("sh -e", "bash"), **{"tools/run.sh": "#!/bin/bash\nsource env.sh\n"})
    assert "calls tools/run.sh by `sh`" in reason(called, said)


def test_a_caller_is_a_command_and_a_first_line_may_have_options() -> None:
    script, said = {"tools/run.sh": "#!/bin/sh -e\nsource env.sh\n"}, "./tools/run.sh"
    first = ["-#!/bin/sh -e", "+#!/bin/bash -e"]
    job = JOB.replace("          source env.sh\n", "          ./tools/run.sh # not sh tools/run.sh\n")
    assert made(repository(job, **script), said) == first
    shown = job.replace("          ./tools", '          echo "try sh tools/run.sh"\n          /usr/bin/sh ./tools')
    new = ["-/usr/bin/sh ./tools/run.sh # not sh tools/run.sh", "+/usr/bin/bash ./tools/run.sh # not sh tools/run.sh"]
    assert made(repository(shown, **script), said) == [*new, *first]
    plain = {"tools/run.sh": "source env.sh\n"}
    by_make = repository(JOB.replace("source env.sh", "make all"), **plain, Makefile="all:\n\tsh tools/run.sh\n")
    assert made(by_make, said) == ["-sh tools/run.sh", "+bash tools/run.sh"]
    unseen = draft(BASH, "test", CI, step="Test", repository=repository(**plain), captures={"script": said})
    assert unseen.state is PatchState.ADVICE


def test_an_image_that_comes_without_bash_is_not_asked_for_it() -> None:
    alpine = JOB.replace("example/image:1", "alpine:3")
    assert "has none" in reason(repository(alpine))
    assert "has none" in reason(repository(alpine, **{"tools/run.sh": "#!/bin/sh\nsource a\n"}), "tools/run.sh")
    assert made(repository(alpine.replace("          source", "          apk add bash\n          source")))


BUILD = """\
on: push
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Test
        run: docker build -f docker/Dockerfile.ci .
"""


def of_build(dockerfile: str, line: int = 2, **files: str) -> Patch:
    held = tree({CI: BUILD, "docker/Dockerfile.ci": dockerfile, **by_path(files)})
    text = dockerfile.splitlines()[line - 1]
    facts = Facts(build=BuildStep("docker/Dockerfile.ci", {line: text}, text))
    return patch(BASH, "test", CI, step="Test", facts=facts, repository=held, captures={"script": "/bin/sh"})


def test_an_images_instruction_is_read_by_bash_from_there_on() -> None:
    text = "FROM base:1\nRUN source /opt/env/bin/activate && pip install a\n"
    plain = of_build(text)
    assert plain.state is PatchState.PATCH, (plain.reason, plain.diff)
    assert [one for one in changed(plain) if one != "+"] == ['+SHELL ["/bin/bash", "-c"]']
    shell = 'SHELL ["/bin/bash", "-eo", "pipefail", "-c"]'
    assert f"+{shell}" in changed(of_build(text, **{"docker/Dockerfile.b": f"FROM base:1\n{shell}\nRUN a\n"}))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('FROM base:1\nSHELL ["/bin/sh", "-c"]\nRUN source /opt/env/bin/activate\n', 3),
        ("FROM alpine:3\nRUN source /opt/env/bin/activate\n", 2),
        ("ARG BASE=alpine:3\nFROM ${BASE}\nRUN source /opt/env/bin/activate\n", 3),
        ("FROM alpine:3 AS base\nRUN a\nFROM base\nRUN source /opt/env/bin/activate\n", 4),
        ("FROM base:1\nRUN . /opt/env/bin/activate\n", 2),
    ],
)
def test_an_image_with_another_shell_or_without_bash_is_left(text: str, line: int) -> None:
    assert of_build(text, line).state is not PatchState.PATCH


def test_a_line_without_an_end_is_not_searched_for_callers() -> None:
    job = JOB.replace("          source env.sh\n", "          sh ./tools/run.sh\n")
    held = repository(job, **{"tools/run.sh": "source env.sh\n", "tools/all.sh": "true; sh tools/run.sh; " * 500})
    begun = time.process_time()
    draft(BASH, "test", CI, step="Test", repository=held, captures={"script": "./tools/run.sh"})
    assert time.process_time() - begun < 5
