"""What a program of the repository says must be installed for an option that a script of the repository gives it."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipInstall

RECIPE = PipInstall(module="{module}", form="file")
FACTS = Facts(installs=("pip install -e .",), commands=("bash examples/run_online.sh",))
ASKING = "class Board:\n    def check(self, parser):\n        parser.error(\"install rich: 'pip install rich'\")\n"
PROJECT = '[project]\nname = "trainlib"\ndependencies = [\n    "numpy",\n]\n'
FILES = {
    "pyproject.toml": PROJECT,
    "trainlib/__init__.py": "",
    "trainlib/tracker.py": ASKING,
    "examples/run_online.sh": "python -m trainlib.train \\\n  --report-to rich\n",
}


def test_the_project_requires_what_its_program_asks_for() -> None:
    made = patch(RECIPE, "", "", captures={"module": "rich"}, repository=tree(FILES), facts=FACTS)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ['+"rich",']


@pytest.mark.parametrize(
    ("other", "facts"),
    [
        # The script does not ask for it, only in a remark, or did not run.
        ({"examples/run_online.sh": "python -m trainlib.train --report-to wandb\n"}, FACTS),
        ({"examples/run_online.sh": "python -m trainlib.train # --report-to rich\n"}, FACTS),
        ({}, Facts(installs=FACTS.installs, commands=("bash other.sh",))),
        # The program is none of the project's, or only of its tests.
        ({"trainlib/tracker.py": "", "scripts/tracker.py": ASKING}, FACTS),
        ({"trainlib/tracker.py": "", "trainlib/tests/__init__.py": "", "trainlib/tests/test_board.py": ASKING}, FACTS),
        # A list of another file is installed too.
        ({"r.txt": "numpy\n"}, Facts(installs=("pip install -e . -r r.txt",), commands=FACTS.commands)),
        # It is required: an install went wrong.
        ({"pyproject.toml": PROJECT.replace('"numpy"', '"rich"')}, FACTS),
    ],
)
def test_otherwise_the_project_stays(other: dict[str, str], facts: Facts) -> None:
    given = tree({**FILES, **other})
    made = draft(RECIPE, "", "", captures={"module": "rich"}, repository=given, facts=facts)
    assert not any(edit.path == "pyproject.toml" for edit in made.edits), made.title
