"""Overrides that do not compose: a `+` too many or too few, a key under its new name, and when nothing is touched."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import TRAIN, changed, draft, hydra_job, patch
from triage.model.patch import PatchState
from triage.model.recipe import RepairOverride

RECIPE = RepairOverride("{key}", existing="{existing}")


CONFIG = """
actor:
  tp: 1
  extra: {}
  fsdp_size: 1
  micro_batch_size_per_gpu: 4
reward:
  model_path: ""
  manager: {name: naive}
rollout:
  engine_kwargs:
    vllm: {}
"""


def repository(*overrides: str, script: str = "", main: str = "") -> MemoryTree:
    lines = " ".join(overrides)
    command = f"TP=${{TP:-2}}\npython3 -m pkg.main {lines} actor.tp=${{TP}} 2>&1 | tee out.log\n"
    more = {"tests/other.sh": "python3 -m pkg.main +actor.extra.new=1\n", "pkg/__init__.py": ""}
    return hydra_job(script or command, CONFIG, more | ({"pkg/main.py": main} if main else {}))


def captures(key: str, *, existing: bool = False) -> dict[str, str]:
    return {"key": key} | ({"existing": "already"} if existing else {})


@pytest.mark.parametrize(
    ("override", "key", "existing", "expected"),
    [
        ("+actor.tp_size=1 +actor.fsdp_size=2", "actor.fsdp_size", True, "actor.fsdp_size=2"),
        ("'+actor.fsdp_size=2'", "actor.fsdp_size", True, "'actor.fsdp_size=2'"),
        ("++actor.other=1 +actor.fsdp_size=${SIZE:-2}", "actor.fsdp_size", True, "actor.fsdp_size=${SIZE:-2}"),
        ("actor.extra.new=1", "actor.extra.new", False, "+actor.extra.new=1"),
        ("rollout.engine_kwargs.vllm.eager=True", "eager", False, "+rollout.engine_kwargs.vllm.eager=True"),
        ("reward.model.path=x", "reward.model.path", False, "reward.model_path=x"),
        ("actor.micro_batch_size_pergpu=2", "actor.micro_batch_size_pergpu", False, "actor.micro_batch_size_per_gpu=2"),
        ("reward.name=x", "reward.name", False, "reward.manager.name=x"),
    ],
)
def test_the_override_becomes_one_that_composes(override: str, key: str, existing: bool, expected: str) -> None:
    made = patch(RECIPE, "train", TRAIN, captures=captures(key, existing=existing), repository=repository(override))
    assert made.state is PatchState.PATCH, made.reason
    (added,) = (line for line in changed(made) if line[0] == "+")
    assert f" {expected} " in added
    assert made.files == ("tests/run.sh",)


def test_a_key_that_the_command_adds_twice_is_overridden_the_second_time() -> None:
    twice = repository("+actor.extra.new=1 +actor.extra.new=2")
    made = patch(RECIPE, "train", TRAIN, captures=captures("actor.extra.new", existing=True), repository=twice)
    assert "+actor.extra.new=1 ++actor.extra.new=2" in changed(made)[1]


def test_an_override_in_an_array_is_edited_there() -> None:
    script = 'common=(\n    +actor.fsdp_size=2\n    actor.tp=2\n)\npython3 -m pkg.main "${common[@]}" "$@"\n'
    made = patch(
        RECIPE,
        "train",
        TRAIN,
        captures=captures("actor.fsdp_size", existing=True),
        repository=repository(script=script),
    )
    assert changed(made) == ["-+actor.fsdp_size=2", "+actor.fsdp_size=2"]


@pytest.mark.parametrize(
    ("override", "key", "existing", "state"),
    [
        # The configuration has the key: something else is wrong.
        ("actor.fsdp_size=2", "actor.fsdp_size", False, PatchState.IN_PLACE),
        ("actor.unheard_of=2", "actor.unheard_of", False, PatchState.ADVICE),
        # Nothing in the tree has the key, so who adds it is not known.
        ("+actor.fsdp=2", "actor.fsdp", True, PatchState.ADVICE),
        # The new name is set as well: one of the two must go, and which is not known.
        ("reward.model.path=x reward.model_path=y", "reward.model.path", False, PatchState.ADVICE),
        ("actor.fsdp_size=2", "actor.elsewhere", False, PatchState.REFUSED),
        ("actor.fsdp_size=2", "rm -rf /", False, PatchState.REFUSED),
        ("++actor.fsdp_size=2", "actor.fsdp_size", True, PatchState.IN_PLACE),
        ("reward.model.path=${A}${B} $MORE", "path", False, PatchState.PATCH),
    ],
)
def test_what_is_not_certain_is_not_edited(override: str, key: str, existing: bool, state: PatchState) -> None:
    made = draft(RECIPE, "train", TRAIN, captures=captures(key, existing=existing), repository=repository(override))
    assert made.state is state, made.reason


@pytest.mark.parametrize(
    ("override", "key", "existing", "expected"),
    [
        # Hydra says that it is there.
        ("+actor.fsdp_size=2", "actor.fsdp_size", True, "actor.fsdp_size=2"),
        # Another script sets the key that is meant, or adds it.
        ("actor.fdsp_size=2", "actor.fdsp_size", False, "actor.fsdp_size=2"),
        ("acotr.fsdp_size=2", "acotr.fsdp_size", False, "actor.fsdp_size=2"),
        ("actor.extra.new=1", "actor.extra.new", False, "+actor.extra.new=1"),
    ],
)
def test_without_the_programs_configuration_log_and_siblings_tell(
    override: str, key: str, existing: bool, expected: str
) -> None:
    bare = repository(override, main="print()")
    files = {**bare.files, "tests/more.sh": b"python3 -m pkg.main actor.fsdp_size=4 actor.kl=1\n"}
    tree = MemoryTree(files=files)
    made = patch(RECIPE, "train", TRAIN, captures=captures(key, existing=existing), repository=tree)
    assert made.state is PatchState.PATCH, made.reason
    (added,) = (line for line in changed(made) if line[0] == "+")
    assert f" {expected} " in added


@pytest.mark.parametrize("override", ["actor.kl_cap=2", "actor.fsdp_size=4 actor.fdsp_size=2", "actor.kl=1"])
def test_without_the_programs_configuration_no_more_is_guessed(override: str) -> None:
    bare = repository(override, main="print()")
    files = {**bare.files, "tests/more.sh": b"python3 -m pkg.main actor.fsdp_size=4 actor.kl=1\n"}
    key = override.split()[-1].partition("=")[0]
    made = draft(RECIPE, "train", TRAIN, captures=captures(key), repository=MemoryTree(files=files))
    assert made.state is PatchState.ADVICE
    assert f"`{key}` at tests/run.sh:2 sets a key that does not exist" in made.reason


@pytest.mark.parametrize(
    ("call", "path"), [("config_path='pkg://pkg.config'", ""), ("config_path='../config'", "pkg/sub")]
)
def test_a_configuration_named_as_a_package_or_in_another_folder_is_read(call: str, path: str) -> None:
    main = f"import hydra\n@hydra.main({call}, config_name='trainer')\ndef main(config): ...\n"
    place = f"{path}/go.py" if path else "pkg/main.py"
    script = f"cd {path}\npython3 -u go.py +actor.kl=2\n" if path else "python3 pkg/main.py +actor.kl=2\n"
    files = {**repository(script=script).files, place: main.encode(), "pkg/config/trainer.yaml": b"actor:\n  kl: 1\n"}
    made = patch(
        RECIPE, "train", TRAIN, captures=captures("actor.kl", existing=True), repository=MemoryTree(files=files)
    )
    assert made.state is PatchState.PATCH, made.reason
    assert not made.notes


def test_two_names_alike_are_no_rename() -> None:
    both = repository("actor.fsdp=2")
    files = {**both.files, "pkg/config/trainer.yaml": b"actor:\n  fsdp1: 1\n  fsdp2: 1\n"}
    made = draft(RECIPE, "train", TRAIN, captures=captures("actor.fsdp"), repository=MemoryTree(files=files))
    assert made.state is PatchState.ADVICE


def choosing(arguments: str) -> MemoryTree:
    there = repository(script=f"python3 -m pkg.main {arguments}\n")
    files = {
        "pkg/config/rollout/vllm.yaml": b"name: vllm\n",
        "pkg/config/rollout/sglang.yaml": b"name: sglang\n",
        "pkg/config/trainer_large.yaml": b"defaults: [trainer]\n",
    }
    return MemoryTree(files={**there.files, **files})


@pytest.mark.parametrize(
    ("arguments", "choice", "expected"),
    [
        ("rollout=vllm2", "rollout/vllm2", "rollout=vllm"),
        ("+rollout@role.rollout=sglangs", "rollout/sglangs", "+rollout@role.rollout=sglang"),
        ("--config-name trainer-large.yaml", "trainer-large", "--config-name trainer_large.yaml"),
        ("--config-name=trainer_larges a=1", "trainer_larges", "--config-name=trainer_large a=1"),
    ],
)
def test_a_choice_becomes_the_file_of_nearly_that_name(arguments: str, choice: str, expected: str) -> None:
    recipe = RepairOverride(choice="{choice}")
    made = patch(recipe, "train", TRAIN, captures={"choice": choice}, repository=choosing(arguments))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == f"+python3 -m pkg.main {expected}"


@pytest.mark.parametrize(
    ("arguments", "choice", "state"),
    [
        ("rollout=trtllm", "rollout/trtllm", PatchState.ADVICE),
        ("rollout=vllm", "rollout/vllm", PatchState.IN_PLACE),
        ("rollout=vllm", "rollout/other", PatchState.REFUSED),
        ("--config-name nothing", "nothing", PatchState.ADVICE),
    ],
)
def test_a_choice_that_resembles_none_is_named(arguments: str, choice: str, state: PatchState) -> None:
    recipe = RepairOverride(choice="{choice}")
    made = draft(recipe, "train", TRAIN, captures={"choice": choice}, repository=choosing(arguments))
    assert made.state is state, made.reason


READER = """
import hydra
from pkg import workers

@hydra.main(config_path="config", config_name="trainer", version_base=None)
def main(config):
    return config.actor.fsdp_size, config.reward.get("model_path")
"""
LINES = "python3 -m pkg.main \\\n    actor.tp=2 \\\n    {override} \\\n    rollout.engine_kwargs.vllm=null\n"
STRATEGIC = CONFIG + "trainer:\n  strategy: sharded\n"


def read_by(code: str, override: str, path: str = "pkg/workers.py", config: str = CONFIG) -> MemoryTree:
    files = {"pkg/__init__.py": "", "pkg/main.py": READER, path: code}
    return hydra_job(LINES.format(override=override), config, files)


@pytest.mark.parametrize(
    "code",
    [
        "def step(config):\n    return config.actor.get('val_only', False)\n",
        'def step(self):\n    if self.config.actor["val_only"]:\n        return 1\n',
        "def step(actor):\n    return actor.val_only\n",
    ],
)
def test_what_the_code_reads_is_added(code: str) -> None:
    there = read_by(code, "actor.val_only=True")
    made = patch(RECIPE, "train", TRAIN, captures=captures("actor.val_only"), repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["-actor.val_only=True \\", "++actor.val_only=True \\"]


@pytest.mark.parametrize(
    ("code", "path", "config"),
    [
        ("def step(config):\n    return config.actor.fsdp_size\n", "pkg/workers.py", CONFIG),
        # Of another program, of a test, of another strategy, of another object.
        ("def step(actor):\n    return actor.val_only\n", "other/workers.py", CONFIG),
        ("def test_step(actor):\n    assert actor.val_only\n", "tests/test_step.py", CONFIG),
        (
            "def step(actor):\n    return actor.val_only\n",
            "pkg/megatron_workers.py",
            STRATEGIC,
        ),
        ("class Step:\n    def step(self):\n        return self.val_only\n", "pkg/workers.py", CONFIG),
    ],
)
def test_what_nothing_reads_goes(code: str, path: str, config: str) -> None:
    there = read_by(code, "actor.val_only=True", path, config)
    other = {"pkg/config/megatron.yaml": "trainer:\n  strategy: megatron\n"}
    there = MemoryTree({**there.files, **{name: text.encode() for name, text in other.items()}})
    made = patch(RECIPE, "train", TRAIN, captures=captures("actor.val_only"), repository=there)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == ["-actor.val_only=True \\"]


@pytest.mark.parametrize(
    ("code", "override"),
    [
        ("def step(config, name='val_only'):\n    return getattr(config.actor, name)\n", "actor.val_only=True"),
        ("def step(worker):\n    return worker.val_only\n", "actor.val_only=True"),
        # Nothing of the tree reads what stands beside it, or the mapping is not there.
        ("def step(config):\n    return 1\n", "rollout.val_only=True"),
        ("def step(config):\n    return config.critic.lr\n", "critic.val_only=True"),
    ],
)
def test_what_may_be_read_stays(code: str, override: str) -> None:
    made = draft(
        RECIPE, "train", TRAIN, captures=captures(override.partition("=")[0]), repository=read_by(code, override)
    )
    assert made.state is not PatchState.PATCH


def test_of_twins_below_two_keys_without_a_configuration_neither_is_chosen() -> None:
    bare = repository("+actor.mcore.cp=2 ++ref.actor.mcore.cp=2", main="print()")
    made = draft(RECIPE, "train", TRAIN, captures=captures("actor.mcore.cp", existing=True), repository=bare)
    assert made.state is PatchState.ADVICE
    assert "drop the `+`, or write `++`" in made.reason


@pytest.mark.parametrize("text", ["# python3 -m pkg.main {}\n", "true  # {}\n"])
def test_what_only_a_remark_sets_is_no_sibling(text: str) -> None:
    bare = repository("actor.fdsp_size=2", main="print()")
    there = MemoryTree({**bare.files, "tests/more.sh": text.format("actor.fsdp_size=4").encode()})
    made = draft(RECIPE, "train", TRAIN, captures=captures("actor.fdsp_size"), repository=there)
    assert made.state is PatchState.ADVICE
