"""Keys that the code reads and one of several configurations lacks."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import CopyConfigKey

OWN = ".github/workflows/own.yml"
RECIPE = CopyConfigKey("{key}")
MAIN = """
import hydra
@hydra.main(config_path="config", config_name="generate", version_base=None)
def main(config): ...
"""
OWN_CONFIG = "rollout:\n  name: fast\n  batch: 8  # tokens\n  seqs: 4\nmodel: {path: x}\n"
OTHER = "actor:\n  rollout:\n    name: fast\n    batch: 8\n    max_len: null\n    seqs: 4\n"


def repository(own: str = OWN_CONFIG, **others: str) -> MemoryTree:
    step = "      - name: Run\n        run: python3 -m pkg.main rollout.seqs=2\n"
    files = {f"pkg/config/{name}.yaml": text for name, text in others.items()}
    return tree(
        {
            OWN: f"on: [push]\njobs:\n  unit:\n    runs-on: [gpu]\n    steps:\n{step}",
            "pkg/__init__.py": "",
            "pkg/main.py": MAIN,
            "pkg/config/generate.yaml": own,
            **files,
        }
    )


def test_it_gets_the_value_and_the_place_that_the_others_have() -> None:
    given = repository(train=OTHER, slow=OTHER.replace("name: fast", "name: slow"))
    made = patch(RECIPE, "unit", OWN, captures={"key": "rollout.max_len"}, repository=given)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["+max_len: null"]
    assert made.diff.index("batch: 8") < made.diff.index("max_len") < made.diff.index("seqs")


@pytest.mark.parametrize(
    ("own", "others", "key", "state"),
    [
        (OWN_CONFIG, {}, "rollout.max_len", PatchState.ADVICE),
        (OWN_CONFIG, {"a": OTHER, "b": OTHER.replace("null", "512")}, "rollout.max_len", PatchState.ADVICE),
        (OWN_CONFIG, {"a": OTHER.replace("null", "${actor.len}")}, "rollout.max_len", PatchState.ADVICE),
        (OWN_CONFIG, {"a": OTHER}, "critic.max_len", PatchState.REFUSED),
        (OWN_CONFIG, {"a": OTHER}, "max_len", PatchState.REFUSED),
        (OWN_CONFIG.replace("  seqs", "  max_len: 1\n  seqs"), {"a": OTHER}, "rollout.max_len", PatchState.IN_PLACE),
        # The mapping comes from another file of the defaults list.
        ("defaults:\n  - part@rollout: small\n  - _self_\nmodel: 1\n", {"part/small": "seqs: 1\n", "a": OTHER}, "rollout.max_len", PatchState.ADVICE),
    ],
)  # fmt: skip
def test_it_is_left_where_they_do_not_say_it(own: str, others: dict[str, str], key: str, state: PatchState) -> None:
    made = draft(RECIPE, "unit", OWN, captures={"key": key}, repository=repository(own, **others))
    assert made.state is state, made.reason


@pytest.mark.parametrize(
    ("scripts", "state"),
    [
        ({"a.sh": "rollout.max_len=512", "b.sh": "+rollout.max_len=512 \\"}, PatchState.PATCH),
        ({"a.sh": "rollout.max_len=512", "tests/a.py": 'config.rollout.max_len = "512"'}, PatchState.PATCH),
        ({"a.sh": "rollout.max_len=512"}, PatchState.ADVICE),
        ({"a.sh": "rollout.max_len=512", "b.sh": "rollout.max_len=256"}, PatchState.ADVICE),
        ({"a.sh": "rollout.max_len=${LEN}", "b.sh": "rollout.max_len=$LEN"}, PatchState.ADVICE),
        ({"a.sh": "ref.rollout.max_len=512", "b.sh": "ref.rollout.max_len=512"}, PatchState.ADVICE),
    ],
)
def test_it_gets_the_value_that_all_who_set_it_give_it(scripts: dict[str, str], state: PatchState) -> None:
    files = {path: text + "\n" for path, text in scripts.items()}
    given = repository()
    given = MemoryTree({**given.files, **{path: text.encode() for path, text in files.items()}})
    made = draft(RECIPE, "unit", OWN, captures={"key": "rollout.max_len"}, repository=given)
    assert made.state is state, made.reason
    if state is PatchState.PATCH:
        shown = patch(RECIPE, "unit", OWN, captures={"key": "rollout.max_len"}, repository=given)
        assert changed(shown) == ["+max_len: 512"]


RENAMED = "rollout:\n  name: fast\n  max_resp: 8  # tokens\n  seqs: 4\n"


@pytest.mark.parametrize(("key", "old"), [("max_response", "max_resp"), ("max_resps", "max_resp")])
def test_it_gets_the_value_that_stands_there_under_another_name(key: str, old: str) -> None:
    made = patch(RECIPE, "unit", OWN, captures={"key": f"rollout.{key}"}, repository=repository(RENAMED))
    assert changed(made) == [f"+{key}: 8"], made.reason
    assert old in made.title


@pytest.mark.parametrize(
    ("own", "key"),
    [
        (RENAMED, "max_resp_min"),  # a word more is another quantity
        (RENAMED, "max_prompt"),
        (RENAMED.replace("  seqs", "  max_respo: 2\n  seqs"), "max_response"),  # two
        (RENAMED.replace("8", "${actor.len}"), "max_response"),
    ],
)
def test_another_name_is_not_guessed(own: str, key: str) -> None:
    made = draft(RECIPE, "unit", OWN, captures={"key": f"rollout.{key}"}, repository=repository(own))
    assert made.state is PatchState.ADVICE, made.reason
