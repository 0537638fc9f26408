"""Commands of the repository that lead to modules which are not there."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from triage.fixes.recipes.builds.entry_points import lead_to_module
from triage.fixes.recipes.outcome import Edited

SETUP = (
    "setup(entry_points={'console_scripts': ['train=trainlib.cli.main:main', 'steer=trainlib.cli.steer.main:main']})\n"
)
FILES = {"trainlib/cli/main.py": "def main():\n    pass\n", "trainlib/cli/_steer/main.py": "def main():\n    pass\n"}


@pytest.mark.parametrize(
    ("manifest", "text", "expected"),
    [
        ("setup.py", SETUP, "trainlib.cli._steer.main"),
        ("pyproject.toml", '[project.scripts]\nsteer = "trainlib.cli.steer.main:main"\n', "trainlib.cli._steer.main"),
        ("setup.cfg", "[options.entry_points]\nconsole_scripts =\n  steer = trainlib.cli.steer.main:main\n", "trainlib.cli._steer.main"),
        ("setup.py", SETUP.replace("steer.main:main", "steer.main:run"), ""),  # nothing there is called so
        ("setup.py", SETUP.replace("cli.steer", "tools.brake"), ""),
    ],
)  # fmt: skip
def test_a_command_leads_to_the_module_that_defines_it(manifest: str, text: str, expected: str) -> None:
    made = lead_to_module(tree({**FILES, manifest: text}), "", {"module": "trainlib.cli.steer"})
    assert isinstance(made, Edited) is bool(expected), made
    if isinstance(made, Edited):
        assert [(edit.path, edit.new.decode()) for edit in made.edits] == [(manifest, expected)]


def test_of_two_modules_alike_none_is_meant() -> None:
    files = {**FILES, "trainlib/cli/ster/main.py": "def main():\n    pass\n", "setup.py": SETUP}
    assert not isinstance(lead_to_module(tree(files), "", {"module": "trainlib.cli.steer"}), Edited)
