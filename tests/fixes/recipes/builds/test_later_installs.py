"""A guard that a build meets at its first pip command stands before those below too."""

from __future__ import annotations

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import PassOption

CI = ".github/workflows/ci.yml"
BUILD = "on: push\njobs:\n  image:\n    runs-on: gpu\n    steps:\n      - run: docker build -f Dockerfile.ci .\n"
FLAG = "--break-system-packages"


def passed(dockerfile: str, line: int, option: str = FLAG) -> Patch:
    shown = BuildStep("Dockerfile.ci", {line: dockerfile.splitlines()[line - 1]})
    repository = tree({CI: BUILD, "Dockerfile.ci": dockerfile})
    return patch(PassOption(option), "image", CI, repository=repository, facts=Facts(build=shown))


def test_every_pip_command_below_in_the_stage_is_given_the_option() -> None:
    text = (
        "FROM debian:13 AS one\nRUN pip install a\nRUN pip3 uninstall -y b && /usr/bin/python3 -m pip install c\n"
        "RUN if [ -n \"$X\" ]; then pip install 'd>1'; fi\nFROM debian:12\nRUN pip install e\n"
    )
    made = passed(text, 2)
    assert made.state is PatchState.PATCH, made.reason
    added = [line for line in changed(made) if line.startswith("+")]
    assert added == [
        f"+RUN pip install {FLAG} a",
        f"+RUN pip3 uninstall {FLAG} -y b && /usr/bin/python3 -m pip install {FLAG} c",
        f"+RUN if [ -n \"$X\" ]; then pip install {FLAG} 'd>1'; fi",
    ]


def test_what_has_it_and_what_is_no_pip_is_left() -> None:
    text = f"FROM debian:13\nRUN pip install a\nRUN pip install b {FLAG}\nRUN npm install c\nRUN pip list\n"
    made = passed(text, 2)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["-RUN pip install a", f"+RUN pip install {FLAG} a"]


def test_below_an_environment_of_its_own_nothing_is_changed() -> None:
    """Whose pip runs there is not known: it may be the environment's, which nothing guards."""
    text = 'FROM debian:13\nRUN pip install a\nRUN python3 -m venv /opt/own\nENV PATH="/opt/own/bin:$PATH"\nRUN pip install b\n'
    made = passed(text, 2)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["-RUN pip install a", f"+RUN pip install {FLAG} a"]


def test_an_option_of_one_command_goes_to_that_command() -> None:
    text = "FROM debian:13\nRUN apt-get install -y a\nRUN apt-get install -y b\n"
    made = passed(text, 2, "--allow-change-held-packages")
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1:] == ["+RUN apt-get install --allow-change-held-packages -y a"]
