import pytest

from tests.fixes.memory_tree import MemoryTree
from triage.fixes.project import named_after, project_name
from triage.model.recipe import HydraOverride, SetEnv, Together

PROJECT = {"pyproject.toml": b'[project]\nname = "train"\n'}


@pytest.mark.parametrize(
    ("files", "name"),
    [
        (PROJECT, "train"),
        ({}, ""),
        ({"pyproject.toml": b"[tool.x]\n"}, ""),
        ({"pyproject.toml": b"[project"}, ""),
        ({"pyproject.toml": b"\xff"}, ""),
        ({"pyproject.toml": b"project = 3\n"}, ""),
        ({"pyproject.toml": b'[project]\nname = "a\\n- run: evil"\n'}, ""),
    ],
)
def test_the_name_is_a_plain_one_or_none(files: dict[str, bytes], name: str) -> None:
    assert project_name(MemoryTree(files)) == name


def test_comments_are_filled_in_also_inside_of_several_recipes() -> None:
    recipe = Together((HydraOverride("k", "v", comment="off for {project} CI"), SetEnv("A", "1")))
    named = named_after(recipe, MemoryTree(PROJECT))
    assert isinstance(named, Together)
    assert isinstance(named.recipes[0], HydraOverride)
    assert named.recipes[0].comment == "off for train CI"
    nameless = named_after(recipe.recipes[0], MemoryTree({}))
    assert isinstance(nameless, HydraOverride)
    assert nameless.comment == "off for CI"
