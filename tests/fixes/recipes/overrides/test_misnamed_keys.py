"""Keys of a configuration that nothing takes: the name that the class has, or that the files beside it hold."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.patch import Patch, PatchState
from triage.model.recipe import RenameConfigKey, RepairOverride

JOB = ".github/workflows/own.yml"
RECIPE = RenameConfigKey("{name}", owner="{owner}")
CLASSES = "class Base:\n    seed: int = 0\nclass Optim(Base):\n    learning_rate: float = 1\n    warmup: int = 0\n"
OWN = "model: a\noptim:\n  lerning_rate: 1\n  warmup: 2\ndata: b\n"
RUN = "python -m pkg.main --config cases/own.yaml"


def repository(own: str = OWN, classes: str = CLASSES, run: str = RUN, **others: str) -> MemoryTree:
    job = f"on: [push]\njobs:\n  train:\n    runs-on: [gpu]\n    steps:\n      - name: Train\n        run: {run}\n"
    more = {f"cases/{name}.yaml": text for name, text in others.items()}
    return tree({JOB: job, "cases/own.yaml": own, "pkg/main.py": "", "pkg/options.py": classes, **more})


def made(held: MemoryTree, name: str = "lerning_rate", owner: str = "Optim") -> Patch:
    return patch(RECIPE, "train", JOB, captures={"name": name, "owner": owner}, repository=held)


@pytest.mark.parametrize(
    "classes",
    [
        CLASSES,
        "class Optim:\n    def __init__(self, learning_rate=1, *, warmup=0): ...\n",
        "from dataclasses import dataclass\n@dataclass\nclass Optim:\n    learning_rate: float\n    warmup: int = 1\n",
    ],
)
def test_the_field_of_the_class_that_is_meant(classes: str) -> None:
    made_here = made(repository(classes=classes))
    assert changed(made_here) == ["-lerning_rate: 1", "+learning_rate: 1"], made_here.reason


@pytest.mark.parametrize(
    "run",
    ["torchrun --nproc-per-node 8 pkg/main.py -c cases/own.yaml", "uv run pkg/main.py cases/own.yaml seed=1", RUN],
)
def test_whatever_starts_the_program(run: str) -> None:
    assert made(repository(run=run)).state is PatchState.PATCH


def test_the_key_that_files_like_this_one_hold_where_the_class_is_of_an_installed_package() -> None:
    like = OWN.replace("lerning", "learning")
    held = repository(OWN.replace("lerning", "learning_learning"), "", one=like, two=like)
    assert changed(made(held, "learning_learning_rate")) == ["-learning_learning_rate: 1", "+learning_rate: 1"]
    assert made(repository(OWN, "", one=like)).state is PatchState.ADVICE  # one file is no evidence


def test_a_class_of_the_same_name_that_takes_nothing_else_of_the_mapping_is_another_one() -> None:
    like = OWN.replace("lerning", "learning")
    other = "class Optim:\n    learning_rating: int = 1\n"
    assert changed(made(repository(classes=other, one=like, two=like))) == ["-lerning_rate: 1", "+learning_rate: 1"]


@pytest.mark.parametrize(
    "own",
    [
        OWN.replace("  warmup", "  learning_rate: 2\n  warmup"),  # the right one is set as well
        OWN.replace("lerning_rate", "momentum"),  # nothing resembles it
    ],
)
def test_words_where_no_one_name_is_meant(own: str) -> None:
    name = "momentum" if "momentum" in own else "lerning_rate"
    assert made(repository(own), name).state is PatchState.ADVICE


@pytest.mark.parametrize("run", ["python -m pkg.main", "python -m pkg.main --config $FILE"])
def test_refused_where_the_configuration_is_not_known_or_does_not_hold_it(run: str) -> None:
    assert made(repository(run=run)).state is PatchState.REFUSED
    assert made(repository(), "epochs").state is PatchState.REFUSED


def test_of_two_places_the_one_that_the_class_is_made_of() -> None:
    own = f"{OWN}other:\n  lerning_rate: 3\n  kind: c\n  size: 1\n"
    assert changed(made(repository(own))) == ["-lerning_rate: 1", "+learning_rate: 1"]


def test_the_whole_path_of_a_key_says_which_one_it_is() -> None:
    own = f"{OWN}other:\n  lerning_rate: 3\n  warmup: 1\n"
    assert made(repository(own)).state is PatchState.ADVICE
    assert changed(made(repository(own), "other.lerning_rate")) == ["-lerning_rate: 3", "+learning_rate: 3"]


def test_a_structured_configuration_says_so_in_its_own_words() -> None:
    recipe = RepairOverride("{key}", owner="{owner}")
    captures = {"key": "lerning_rate", "owner": "Optim"}
    assert changed(patch(recipe, "train", JOB, captures=captures, repository=repository())) == [
        "-lerning_rate: 1",
        "+learning_rate: 1",
    ]


FLAT = "model: a\nuse_kernels: true\nseed: 1\n"


def flat(classes: str) -> MemoryTree:
    return repository(
        FLAT, f"from dataclasses import dataclass\n@dataclass\nclass ModelArguments:\n    model: str\n{classes}"
    )


def test_the_one_field_with_a_word_more_where_no_class_is_named() -> None:
    held = flat("    use_v1_kernels: bool = False\n    seed: int = 0\n")
    assert changed(made(held, "use_kernels", "")) == ["-use_kernels: true", "+use_v1_kernels: true"]


@pytest.mark.parametrize(
    "classes",
    [
        "    use_v1_kernels: bool = False\n    use_v2_kernels: bool = False\n",  # two
        "    use_no_kernels: bool = False\n",  # the opposite
        "    use_kernels: bool = False\n    use_v1_kernels: bool = False\n",  # it is a field: of another program
        "    use_v1_attention: bool = False\n",
        "    use_kernels_of_v1: bool = False\n",  # two words more
    ],
)
def test_no_other_field_is_meant(classes: str) -> None:
    assert made(flat(classes), "use_kernels", "").state is PatchState.ADVICE


NESTED = """
class Checkpoint(BaseModel):
    path: str | None = None
    old_data_path: str | None = None
    old_data_on: bool = False
class Run(BaseModel):
    model: str = ""
    save: Checkpoint = Checkpoint()
"""
TOML = 'model = "a"\n\n[save]\npath = "b"\nold_data = {}\n'


def in_toml(value: str, classes: str = NESTED, run: str = "torchrun pkg/main.py @cases/own.toml") -> MemoryTree:
    job = f"on: [push]\njobs:\n  train:\n    runs-on: [gpu]\n    steps:\n      - name: Train\n        run: {run}\n"
    return tree({JOB: job, "cases/own.toml": TOML.format(value), "pkg/main.py": "", "pkg/options.py": classes})


@pytest.mark.parametrize(("value", "meant"), [('"c"', "old_data_path"), ("true", "old_data_on")])
def test_a_key_of_a_toml_file_is_a_field_of_the_class_that_its_table_is_made_into(value: str, meant: str) -> None:
    made_here = made(in_toml(value), "save.old_data", "Run")
    assert changed(made_here) == [f"-old_data = {value}", f"+{meant} = {value}"], made_here.reason


def test_of_classes_of_one_name_the_one_with_the_table_s_field_is_meant() -> None:
    held = in_toml('"c"', f"{NESTED}class Run(BaseModel):\n    other: int = 0\n")
    assert changed(made(held, "save.old_data", "Run")) == ['-old_data = "c"', '+old_data_path = "c"']


@pytest.mark.parametrize(
    ("held", "name"),
    [
        (in_toml("1"), "save.old_data"),  # neither takes a number
        (in_toml('"c"', NESTED.replace("old_data_on: bool", "old_data_of: str")), "save.old_data"),  # both take a text
        (in_toml('"c"', NESTED.replace("old_data_on: bool", "old_data: str")), "save.old_data"),  # it is a field
        (in_toml('"c"\nold_data_path = "d"'), "save.old_data"),  # the right one is set as well
    ],
)
def test_words_where_no_field_or_more_than_one_of_the_table_s_class_is_meant(held: MemoryTree, name: str) -> None:
    assert made(held, name, "Run").state is PatchState.ADVICE


@pytest.mark.parametrize("run", ["python -m pkg.main", "python -m pkg.main @cases/own.toml @cases/other.toml"])
def test_refused_where_no_one_toml_file_is_given_or_it_does_not_hold_the_key(run: str) -> None:
    held = in_toml('"c"', run=run)
    other = tree({**{path: held.read(path).decode() for path in held.paths()}, "cases/other.toml": TOML.format("1")})
    assert made(other, "save.old_data", "Run").state is PatchState.REFUSED
    assert made(in_toml('"c"'), "save.epochs", "Run").state is PatchState.REFUSED


def test_a_section_of_a_yaml_file_is_made_into_the_class_of_its_field_too() -> None:
    own = "model: a\nsave:\n  path: b\n  old_data: c\n"
    assert changed(made(repository(own, NESTED), "save.old_data", "Run")) == ["-old_data: c", "+old_data_path: c"]


@pytest.mark.parametrize(
    ("sibling", "classes", "expected"),
    [
        ("[save]\nold_file = 2\n", "", ["-old_data = 1", "+old_file = 1"]),
        ("[save]\nold_file = 2\nold_size = 3\n", "", []),  # which one?
        ("[save]\nold_file = 2\nold_data = 1\n", "", []),  # others hold the refused one too
        ("[save]\nold_file = true\n", "", []),
        ("[save]\nnew_file = 2\n", "", []),
        ("[save]\nold_file = 2\n", NESTED, []),  # the class has no such field
    ],
)
def test_what_configurations_beside_it_hold_may_be_meant(sibling: str, classes: str, expected: list[str]) -> None:
    held = in_toml("1", classes)
    whole = tree({**{path: held.read(path).decode() for path in held.paths()}, "cases/other.toml": sibling})
    for name in ("save.old_data", "old_data"):
        assert changed(made(whole, name, "Checkpoint" if classes else "")) == expected
