"""A package of the repository that a dotted path misspells."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import MendFile

SCRIPT = "python train.py \\\n  --rollout lib_plugin.buffer.example.generate\n"
HELD = {"lib_plugins/buffer/example.py": "def generate():\n    pass\n", "lib_plugins/__init__.py": ""}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"run.sh": SCRIPT, **HELD}, "+--rollout lib_plugins.buffer.example.generate"),
        ({"run.yaml": "rollout: lib_plugin.buffer.example\n", **HELD}, "+rollout: lib_plugins.buffer.example"),
        ({"run.sh": SCRIPT.replace("generate", "other"), **HELD}, ""),  # nothing defines it
        ({"run.sh": SCRIPT, "b.sh": "x lib_plugin.gone.y\n", **HELD}, ""),
        ({"run.sh": SCRIPT, "lib_plugin/__init__.py": "", **HELD}, ""),  # there is one of that name
        ({"run.sh": SCRIPT.replace("  --", "  # --"), **HELD}, ""),
        ({"run.sh": SCRIPT, "other/example.py": ""}, ""),
        ({"run.sh": "python lib_plugin/buffer/example.py\n", **HELD}, ""),
    ],
)
def test_the_one_package_of_nearly_that_name_is_meant(files: dict[str, str], expected: str) -> None:
    recipe = MendFile("misspelt-package")
    made = patch(recipe, "", "", captures={"module": "lib_plugin"}, repository=tree(files), facts=Facts())
    assert (made.state is PatchState.PATCH) == bool(expected), (made.state, made.reason)
    assert not expected or changed(made)[-1] == expected
