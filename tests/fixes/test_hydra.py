from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Value, known, unknown
from triage.fixes.hydra.config import Absent, Configuration, Present, compose, search_places
from triage.fixes.hydra.entry import Entry, find_entry
from triage.fixes.refusal import Refusal

REPOSITORY = tree(
    {
        "pkg/train/main.py": """
            import hydra
            @hydra.main(config_path="config", config_name="trainer", version_base=None)
            def main(config): ...
        """,
        "pkg/train/plain.py": "print('no configuration')\n",
        "pkg/train/config/trainer.yaml": """
            defaults:
              - engine_kind: small
              - actor@role.actor: ${engine_kind}_actor
              - rollout@role.rollout: rollout
              - optional missing@role.missing: none_such
              - _self_
            role:
              rollout:
                n: 4
            gpus: 8
        """,
        "pkg/train/config/engine_kind/small.yaml": "# @package _global_\nengine_kind: small\n",
        "pkg/train/config/engine_kind/large.yaml": "# @package _global_\nengine_kind: large\n",
        "pkg/train/config/actor/small_actor.yaml": "defaults:\n  - ../optim@optim: adam\n  - base\n  - _self_\nsize: 1\n",
        "pkg/train/config/actor/large_actor.yaml": "size: 8\nlarge_only: 1\n",
        "pkg/train/config/actor/base.yaml": "size: 0\nbase: ${role.rollout.n}\n",
        "pkg/train/config/optim/adam.yaml": "lr: 0.1\n",
        "pkg/train/config/rollout/rollout.yaml": "n: 1\nengine_kwargs:\n  vllm: {}\nother:\n  engine_kwargs: {}\n",
        "pkg/train/config/big.yaml": "defaults:\n  - trainer\n  - override engine_kind: large\n  - _self_\n",
        "pkg/other/config/outer.yaml": """
            hydra:
              searchpath:
                - pkg://pkg.train.config
            defaults:
              - trainer
              - _self_
            outer: 1
        """,
        "pkg/train/config/placed.yaml": "defaults:\n  - manager@reward.manager\n  - _self_\n",
        "pkg/train/config/manager.yaml": "name: naive\n",
        "pkg/train/config/loop.yaml": "defaults:\n  - loop\n",
    }
)
FOLDER = "pkg/train/config"


def composed(name: str, *overrides: str, folder: str = FOLDER) -> Configuration:
    made = compose(REPOSITORY, Entry("", folder, name, overrides))
    assert isinstance(made, Configuration), made
    return made


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("role.rollout.n", Present("4")),
        ("role.actor.size", Present("1")),
        ("role.actor.optim.lr", Present("0.1")),
        ("role.actor.base", Present(None)),
        ("role.rollout.engine_kwargs.vllm", Present(None)),
        ("role.rollout.engine_kwargs.vllm.eager", Absent(parent=True)),
        ("role.rollout.engine_kwargs.vlm.eager", Absent(parent=False)),
        ("gpus", Present("8")),
        ("role.missing.x", Absent(parent=False)),
    ],
)
def test_keys_of_a_composed_configuration(key: str, expected: Present | Absent) -> None:
    assert composed("trainer").look(key) == expected


def test_a_group_is_chosen_by_the_command_line_or_by_an_override_entry() -> None:
    assert composed("trainer", "engine_kind=large").look("role.actor.size") == Present("8")
    assert composed("big").look("role.actor.large_only") == Present("1")


def test_a_search_path_leads_to_another_package() -> None:
    outer = composed("outer", folder="pkg/other/config")
    assert outer.look("role.rollout.n") == Present("4")
    assert outer.look("outer") == Present("1")
    assert search_places(REPOSITORY, Entry("", "pkg/other/config", "outer")) == ("pkg/other/config", FOLDER)


def test_overrides_of_the_command_line_are_laid_over() -> None:
    made = composed("trainer", "gpus=4", "+role.rollout.engine_kwargs.vllm.eager=True")
    assert made.look("gpus") == Present("4")
    assert made.look("role.rollout.engine_kwargs.vllm.eager") == Present("True")


def test_other_places_of_the_same_setting_are_found() -> None:
    assert composed("trainer").ending("engine_kwargs") == (
        "role.rollout.engine_kwargs",
        "role.rollout.other.engine_kwargs",
    )


def test_what_cannot_be_composed_is_refused() -> None:
    assert isinstance(compose(REPOSITORY, Entry("", FOLDER, "none_such")), Refusal)
    assert isinstance(compose(REPOSITORY, Entry("", FOLDER, "loop")), Refusal)


def invocation(*words: str) -> Invocation:
    return Invocation(tuple(known(word) for word in words), ())


def test_the_entry_point_is_read_from_its_module() -> None:
    found = find_entry(
        REPOSITORY, invocation("python3", "-m", "pkg.train.main", "gpus=2", "--config-name", "big.yaml", "x")
    )
    assert found == Entry("pkg/train/main.py", FOLDER, "big", ("gpus=2",))


@pytest.mark.parametrize("root", ["/workspace/repo", "/", "/root/a/b"])
def test_an_absolute_folder_is_found_below_the_checkout(root: str) -> None:
    options = (f"--config-path={root.rstrip('/')}/{FOLDER}", "--config-name=big")
    found = find_entry(REPOSITORY, invocation("python3", "-m", "pkg.train.main", *options))
    assert found == Entry("pkg/train/main.py", FOLDER, "big")


def test_an_absolute_program_is_found_below_the_checkout() -> None:
    words = ("python3", "/workspace/repo/pkg/train/main.py", "--config-name=big")
    assert find_entry(REPOSITORY, invocation(*words)) == Entry("pkg/train/main.py", FOLDER, "big")


def test_a_folder_below_one_that_only_the_run_knows_is_found_below_the_checkout() -> None:
    folder = Value((*known("--config-path=").pieces, *unknown("pwd").pieces, *known(f"/{FOLDER}").pieces))
    words = (*invocation("python3", "-m", "pkg.train.main").argv, folder, known("--config-name=big"))
    assert find_entry(REPOSITORY, Invocation(words, ())) == Entry("pkg/train/main.py", FOLDER, "big")


def test_an_unknown_part_of_an_override_is_filled_with_a_word() -> None:
    words = (*invocation("python3", "-m", "pkg.train.main").argv, known("path="))
    half = type(words[-1])((*words[-1].pieces, *unknown("HOME").pieces))
    found = find_entry(REPOSITORY, Invocation((*words[:-1], half), ()))
    assert isinstance(found, Entry)
    assert found.overrides == ("path=unknown",)


@pytest.mark.parametrize("words", [("python3", "-m", "pkg.train.plain"), ("bash", "x.sh"), ("python3", "none.py")])
def test_what_is_no_hydra_program_is_refused(words: tuple[str, ...]) -> None:
    assert isinstance(find_entry(REPOSITORY, invocation(*words)), Refusal)


def test_a_file_named_in_the_defaults_may_be_placed() -> None:
    assert composed("placed").look("reward.manager.name") == Present("naive")
