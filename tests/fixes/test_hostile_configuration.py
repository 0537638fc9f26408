"""Configurations that are made to be read for ever: each ends soon, with a reason."""

from __future__ import annotations

from tests.fixes.memory_tree import tree
from triage.fixes.hydra.config import compose
from triage.fixes.hydra.entry import Entry
from triage.fixes.refusal import Refusal
from triage.fixes.settings.chain import read_chain

BOMB = "a0: &a0 {x: 1, y: 2}\n" + "".join(
    f"a{at}: &a{at} {{{', '.join(f'k{key}: *a{at - 1}' for key in range(10))}}}\n" for at in range(1, 12)
)
DEEP = "a: " + "[" * 20_000


def hydra(files: dict[str, str]) -> object:
    return compose(
        tree({f"config/{name}": text for name, text in files.items()}), Entry("main.py", "config", "trainer")
    )


def test_defaults_that_name_each_other_many_times_are_refused() -> None:
    files = {f"l{at}.yaml": "defaults:\n" + f"  - l{at + 1}\n" * 30 for at in range(9)} | {"l9.yaml": "x: 1\n"}
    made = hydra({"trainer.yaml": "defaults:\n  - l0\n", **files})
    assert isinstance(made, Refusal)
    assert "more than 500 files" in made.reason


def test_aliases_and_nesting_without_end_are_refused() -> None:
    assert isinstance(hydra({"trainer.yaml": "defaults:\n  - o\n  - _self_\n" + BOMB, "o.yaml": BOMB}), Refusal)
    assert isinstance(hydra({"trainer.yaml": DEEP}), Refusal)


def test_chains_of_files_end() -> None:
    files = {f"c/l{at}.yaml": f"defaults: [{', '.join([f'l{at + 1}.yaml'] * 50)}]\n" for at in range(8)}
    made = read_chain(tree({**files, "c/l8.yaml": "m: 1\n"}), "c/l0.yaml")
    assert isinstance(made, Refusal)
    assert "more than 100 files" in made.reason
    assert isinstance(read_chain(tree({"c.yaml": "defaults: c.yaml\nm: 1\n"}), "c.yaml"), Refusal)
    assert isinstance(read_chain(tree({"c.yaml": "defaults: o.yaml\n" + BOMB, "o.yaml": BOMB}), "c.yaml"), Refusal)
    assert isinstance(read_chain(tree({"c.yaml": DEEP}), "c.yaml"), Refusal)
