"""A key that the code takes out of a mapping by its name, which the command's configuration lacks."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import CopyConfigKey

OWN = ".github/workflows/own.yml"
RECIPE = CopyConfigKey("{key}", owner="{owner}")
CODE = 'def setup(data_config):\n    make(bos=data_config["add_bos"], eos=data_config["add_eos"], prompt=data_config["prompt"])\n'
FACTS = Facts(frames=("/opt/train/src/run.py",))


def repository(
    own: str,
    others: dict[str, str],
    code: str = CODE,
    command: str = "python src/run.py --config configs/nightly/small.yaml",
) -> MemoryTree:
    step = f"      - name: Run\n        run: {command}\n"
    files = {f"configs/{name}.yaml": text for name, text in others.items()}
    files |= {"src/run.py": code, "configs/nightly/small.yaml": own}
    return tree({OWN: f"on: [push]\njobs:\n  unit:\n    runs-on: [gpu]\n    steps:\n{step}", **files})


OTHER = "data:\n  add_bos: true\n  prompt: {}\n"


@pytest.mark.parametrize(
    ("own", "owner", "others", "code", "expected"),
    [
        ("data:\n  add_bos: true\n  add_eos: true\n", "data_config", {"a": OTHER.format("true"), "b": OTHER.format("true")}, CODE, "+prompt: true"),
        # They differ: the code's own default is one of theirs.
        ("data:\n  add_bos: true\n", "data_config", {"a": OTHER.format("true"), "b": OTHER.format("false")}, f"{CODE}\ndef make(prompt: bool = False): ...\n", "+prompt: false"),
        # The mapping by what else is read from the variable.
        ("train:\n  data:\n    add_bos: true\n    add_eos: true\nother:\n  x: 1\n", "cfg", {"a": "train:\n  data:\n    prompt: chat\n"}, CODE.replace("data_config", "cfg"), "+prompt: chat"),
    ],
)  # fmt: skip
def test_the_key_is_added_as_the_others_have_it(
    own: str, owner: str, others: dict[str, str], code: str, expected: str
) -> None:
    captures = {"owner": owner, "key": "prompt"}
    made = patch(
        RECIPE, "unit", OWN, step="Run", captures=captures, repository=repository(own, others, code), facts=FACTS
    )
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [expected]
    assert made.files == ("configs/nightly/small.yaml",)


@pytest.mark.parametrize(
    ("own", "others", "command"),
    [
        ("data:\n  add_bos: true\n", {"a": OTHER.format("true"), "b": OTHER.format("false")}, "python src/run.py --config configs/nightly/small.yaml"),
        ("data:\n  add_bos: true\n", {}, "python src/run.py --config configs/nightly/small.yaml"),
        ("data:\n  add_bos: true\n", {"a": OTHER.format("'${x}'")}, "python src/run.py --config configs/nightly/small.yaml"),
        ("data:\n  add_bos: true\n", {"a": OTHER.format("true")}, "python src/run.py --config $CONFIG"),
        ("model:\n  name: x\n", {"a": OTHER.format("true")}, "python src/run.py --config configs/nightly/small.yaml"),
        ("data:\n  add_bos: true\n  prompt: false\n", {"a": OTHER.format("true")}, "python src/run.py --config configs/nightly/small.yaml"),
    ],
)  # fmt: skip
def test_where_the_tree_does_not_say_the_value_nothing_is_added(own: str, others: dict[str, str], command: str) -> None:
    captures = {"owner": "data_config", "key": "prompt"}
    made = draft(
        RECIPE,
        "unit",
        OWN,
        step="Run",
        captures=captures,
        repository=repository(own, others, command=command),
        facts=FACTS,
    )
    assert made.state is not PatchState.PATCH
