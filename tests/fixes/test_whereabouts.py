from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixes.memory_tree import tree
from triage.fixes.document import splice
from triage.fixes.recipes.outcome import Edited, InPlace
from triage.fixes.refusal import Refusal
from triage.fixes.settings.chain import flag_value, read_chain
from triage.fixes.settings.setting import set_in_file
from triage.fixes.target import Target
from triage.fixes.whereabouts.configured import configured, with_configuration
from triage.fixes.whereabouts.entered import at_the_root
from triage.fixes.whereabouts.find import program_of, whereabouts
from triage.fixes.whereabouts.naming import in_tree, named_files, of_name, of_stem
from triage.fixes.whereabouts.typed import JOB, is_typed, spoken, typed_path, typed_workflow
from triage.model.trail import Announced, Trail

TREE = tree(
    {
        "tests/a/run.sh": "python train.py --config configs/small.yaml\n",
        "tests/b/run.sh": "python train.py\n",
        "tests/only.sh": "pytest tests/unit/test_one.py\n",
        "tests/unit/test_one.py": "",
        "configs/small.yaml": "size: 1\n",
        "cases/large/model.yaml": "size: 2\n",
        "cases/twice/a.yaml": "",
        "cases/twice/b.yaml": "",
    }
)
LINES = st.lists(st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF), max_size=40), min_size=1, max_size=5)


@given(title=st.text(max_size=40), script=LINES, value=st.text(max_size=30))
@settings(max_examples=80, deadline=None)
def test_whatever_a_log_holds_is_one_step_with_that_script(title: str, script: list[str], value: str) -> None:
    step = Announced(title, tuple(script), (f"NAME={value}", "not a name=1"))
    steps = yaml.safe_load(typed_workflow((step,)))["jobs"][JOB]["steps"]
    text = "\n".join(script)
    if not text.strip() or "${{" in text:
        assert steps is None
        return
    assert len(steps) == 1
    assert set(steps[0]) <= {"name", "env", "run"}
    assert len(steps[0]["name"]) == len(title)
    assert set(steps[0].get("env", {})) <= {"NAME"}
    if text.isprintable() or all(line.isprintable() for line in script):
        kept = [line.rstrip() for line in script]
        assert steps[0]["run"].rstrip("\n") == "\n".join(kept).rstrip("\n")


def test_secrets_and_templates_are_no_values() -> None:
    step = Announced("Run a", ("bash a.sh",), ("TOKEN=***", "MODE=${{ inputs.mode }}", "SIZE=4"))
    steps = yaml.safe_load(typed_workflow((step,)))["jobs"][JOB]["steps"]
    assert steps[0]["env"] == {"SIZE": "4"}


def test_a_person_is_told_of_commands_and_not_of_a_file_that_nobody_can_open() -> None:
    one, other = f"{typed_path('log-1')}:8", f"{typed_path('log-2')}:17"
    assert spoken(f"{one} names mirror.example") == "a command in the log names mirror.example"
    assert spoken(f"{one}, {other} name mirror.example") == "commands in the log name mirror.example"
    assert spoken("e2e.yml:8, e2e.yml:9 name it") == "e2e.yml:8, e2e.yml:9 name it"


def test_paths_of_typed_commands_are_apart_from_the_repository_s() -> None:
    assert is_typed(typed_path("log-1"))
    assert typed_path("log-1") != typed_path("log-2")
    assert not is_typed(".github/workflows/a.yml")
    assert ".." not in typed_path("../../etc")


@pytest.mark.parametrize(
    ("word", "path"),
    [
        ("tests/a/run.sh", "tests/a/run.sh"),
        ("./tests/a/run.sh", "tests/a/run.sh"),
        ("/opt/train/tests/a/run.sh", "tests/a/run.sh"),
        ("/run.sh", ""),
        ("../tests/a/run.sh", ""),
        ("run.sh", ""),
        ("", ""),
    ],
)
def test_a_word_of_a_command_as_a_path_of_the_tree(word: str, path: str) -> None:
    assert in_tree(TREE, word) == path


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("sbatch --export=ALL,CASE=configs/small.yaml,LEVEL=night run.sub", ("configs/small.yaml",)),
        ("sbatch --time=10 --export ALL,LEVEL=night,CASE=/opt/x/configs/small.yaml run.sub", ("configs/small.yaml",)),
        ("qsub -v 'CASE=cases/twice/a.yaml,OTHER=cases/twice/b.yaml'", ("cases/twice/a.yaml", "cases/twice/b.yaml")),
        ("run --files configs/small.yaml,cases/twice/a.yaml", ()),
        ("sbatch --export=NONE run.sub", ()),
        (f"sbatch --export=ALL,{'a' * 99}/b.yaml run.sub", ()),
    ],
)
def test_variables_that_a_word_hands_on_name_files_too(command: str, paths: tuple[str, ...]) -> None:
    assert named_files(TREE, command, (".yaml",)) == paths


def test_only_names_that_stand_for_one_file_count() -> None:
    assert of_stem(TREE, "only", (".sh",)) == "tests/only.sh"
    assert of_stem(TREE, "run", (".sh",)) == ""
    assert of_stem(TREE, "large", (".yaml",)) == "cases/large/model.yaml"
    assert of_stem(TREE, "twice", (".yaml",)) == ""
    assert of_name(TREE, "small.yaml") == "configs/small.yaml"
    assert of_name(TREE, "/etc/small.yaml") == ""
    assert named_files(TREE, "uv run bash './tests/a/run.sh' --x=configs/small.yaml", (".sh",)) == ("tests/a/run.sh",)


def test_a_log_that_names_nothing_of_the_repository_is_refused_with_both_reasons() -> None:
    trail = Trail((Announced("Run make", ("make test",)),), ("make test",))
    found = whereabouts(TREE, Target("", "some job"), trail, "log-1")
    assert isinstance(found, Refusal)
    assert "not known" in found.reason
    assert "no script or configuration" in found.reason


@pytest.mark.parametrize(
    ("command", "followed"),
    [
        ("pip install -e '.[dev]'", True),
        ("pip3 install -r requirements.txt", True),
        ("docker build -f docker/Dockerfile.ci -t train .", True),
        ("pip install -r others.txt", False),
        ("docker build -f Dockerfile -t train .", False),
        ("pip install train", False),
    ],
)
def test_commands_that_install_or_build_the_repository_are_followed(command: str, followed: bool) -> None:
    files = tree({"requirements.txt": "ray\n", "docker/Dockerfile.ci": "FROM scratch\n"})
    trail = Trail((Announced("Run it", (command,)),))
    assert isinstance(whereabouts(files, Target("", "some job"), trail, "log-1"), Refusal) is not followed


@pytest.mark.parametrize(
    ("script", "entered"),
    [
        (["cd /workspace/train && git log -1", "bash tests/a/run.sh"], ["cd . && git log -1", "bash tests/a/run.sh"]),
        (["cd /opt/train/", "bash tests/a/run.sh"], ["cd .", "bash tests/a/run.sh"]),
        (["cd /opt/train", "cd /opt/train/tests", "bash tests/a/run.sh"], ["cd .", "cd tests", "bash tests/a/run.sh"]),
        # Nothing shows that the checkout lies there, or another folder is entered.
        (["cd /opt/train", "bash other.sh"], ["cd /opt/train", "bash other.sh"]),
        (["bash tests/a/run.sh", "cd /opt/train"], ["bash tests/a/run.sh", "cd /opt/train"]),
        (["cd /opt/train; bash tests/a/run.sh", "cd /opt/trainer"], ["cd .; bash tests/a/run.sh", "cd /opt/trainer"]),
    ],
)
def test_the_folder_of_the_checkout_is_entered_as_the_root_of_the_tree(script: list[str], entered: list[str]) -> None:
    (step,) = at_the_root(TREE, (Announced("Run it", tuple(script)),))
    assert list(step.script) == entered


def test_the_last_traced_script_wins_and_says_so() -> None:
    found = program_of(TREE, Target("w.yml", "job"), Trail(traced=("bash tests/a/run.sh", "bash tests/b/run.sh")), "1")
    assert not isinstance(found, Refusal)
    assert "tests/b/run.sh" in found.note
    assert is_typed(found.target.workflow_path)


@pytest.mark.parametrize(
    ("title", "line", "script"),
    [
        ("Run post", '${RUN} bash "${POST_SCRIPT}"', "tests/b/run.sh"),
        ("Run post", "bash tests/$NAME/run.sh", "tests/a/run.sh"),
        # Another step than the one that failed, two scripts, a script that is only asked for.
        ("Run other", "bash tests/b/run.sh", ""),
        ("Run post", "bash tests/a/run.sh; bash tests/b/run.sh", ""),
        ("Run post", '[ -f "${POST_SCRIPT}" ]', ""),
    ],
)
def test_the_failed_step_names_its_script_by_what_its_header_prints(title: str, line: str, script: str) -> None:
    step = Announced(title, (line,), ("POST_SCRIPT=tests/b/run.sh", "NAME=a"))
    found = program_of(TREE, Target("w.yml", "job", "Run post"), Trail((step,)), "1")
    assert isinstance(found, Refusal) is not bool(script)
    assert isinstance(found, Refusal) or f"worked out for {script}" in found.note


@pytest.mark.parametrize(
    ("text", "key", "new"),
    [
        ("a:\n  b: 1  # why\nc: 2\n", "a.b", "8"),
        ("a: {b: 1, c: 2}\n", "a.b", "8"),
        ("a:\r\n  b: 1\r\nc: 2\r\n", "a.b", "8"),
        ("a:\n  b: 'x'\n", "a.b", "y"),
        ("a:\n  b: false\n", "a.b", "true"),
        ("args:\n  - --size\n  - '1'\n", "--size", "8"),
        ("args: {--size: 1}\n", "--size", "8"),
        ("ä: é\na:\n  b: 1", "a.b", "8"),
    ],
)
def test_one_value_changes_and_no_other_byte(text: str, key: str, new: str) -> None:
    files = tree({})
    files = type(files)({"c.yaml": text.encode()})
    made = set_in_file(files, "c.yaml", key, new, job="j", why="w")
    assert isinstance(made, Edited)
    after = splice(text.encode(), made.edits)
    assert isinstance(after, bytes)
    edit = made.edits[0]
    assert after[: edit.start] == text.encode()[: edit.start]
    assert after[edit.start + len(edit.new) :] == text.encode()[edit.end :]
    again = set_in_file(type(files)({"c.yaml": after}), "c.yaml", key, new, job="j", why="w")
    assert isinstance(again, InPlace)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("a: [1, 2]\n", "a.b"),
        ("a: {b: 1}\n", "a.c"),
        ("- a\n", "a"),
        ("a: [--x, '1', --x, '2']\n", "--x"),
        ("a:\n", "a.b.c"),
    ],
)
def test_what_cannot_be_set_is_refused(text: str, key: str) -> None:
    files = type(TREE)({"c.yaml": text.encode()})
    assert isinstance(set_in_file(files, "c.yaml", key, "8", job="j", why="w"), Refusal)


@given(st.text(max_size=120))
@settings(max_examples=80, deadline=None)
def test_no_configuration_breaks_it(text: str) -> None:
    files = type(TREE)({"c.yaml": text.encode("utf-8", "surrogatepass")})
    read_chain(files, "c.yaml")
    set_in_file(files, "c.yaml", "a.b", "8", job="j", why="w")
    set_in_file(files, "c.yaml", "--size", "8", job="j", why="w")


def test_parents_are_merged_below_and_a_circle_is_refused() -> None:
    files = tree(
        {
            "x/leaf.yaml": "defaults: ../base.yaml\na: {b: 2}\n",
            "base.yaml": "a: {b: 1, c: 3}\n",
            "one.yaml": "defaults: two.yaml\n",
            "two.yaml": "defaults: [one.yaml]\n",
            "cases.yaml": "_args: &args [--size, '4']\none: *args\ntwo: *args\n",
        }
    )
    merged = read_chain(files, "x/leaf.yaml")
    assert not isinstance(merged, Refusal)
    assert merged.root == {"a": {"b": "2", "c": "3"}}
    assert merged.file == "x/leaf.yaml"
    assert isinstance(read_chain(files, "one.yaml"), Refusal)
    cases = read_chain(files, "cases.yaml")
    assert not isinstance(cases, Refusal)
    assert flag_value(cases.root, "--size") == "4"


def test_a_script_is_found_in_the_folder_that_the_step_enters() -> None:
    step = Announced("Run cd tests", ("cd tests", "bash a/run.sh"))
    found = whereabouts(TREE, Target("", "train", "Run cd tests"), Trail((step,), (), ()), "train")
    assert not isinstance(found, Refusal)
    assert is_typed(found.target.workflow_path)


RUN_BY = (Announced("Run bash tests/only.sh", ("bash tests/only.sh",)),)
NAMED = tree(
    {
        "tests/only.sh": "torchrun recipes/tune/tune.py --config $1\n",
        "recipes/tune/image_flow.yaml": "",
        "recipes/teach/image_flow.yaml": "",
        "recipes/tune/text_flow.yaml": "",
    }
)


@pytest.mark.parametrize(
    ("trail", "added"),
    [
        (Trail(configured=("image_flow",)), "run --config recipes/tune/image_flow.yaml"),
        (Trail(configured=("recipes/teach/image_flow.yaml",)), "run --config recipes/teach/image_flow.yaml"),
        (Trail(configured=("/opt/own/recipes/tune/text_flow.yaml",)), "run --config recipes/tune/text_flow.yaml"),
        (
            Trail(traced=("+ torchrun tune.py --config /w/recipes/tune/text_flow.yaml", "+ cd out")),
            "torchrun tune.py --config /w/recipes/tune/text_flow.yaml",
        ),
        (Trail(configured=("text_flow", "image_flow")), ""),
        (Trail(configured=("TuneRecipeForText", "missing_flow")), ""),
    ],
)
def test_the_configuration_that_only_the_log_names_is_one_more_command(trail: Trail, added: str) -> None:
    steps = with_configuration(NAMED, trail, RUN_BY)
    assert steps[-1].script == ("bash tests/only.sh", *([added] if added else []))


def test_commands_that_name_one_stay_as_they_are() -> None:
    steps = (Announced("Run a", ("torchrun a.py --config recipes/tune/text_flow.yaml",)),)
    assert with_configuration(NAMED, Trail(configured=("image_flow",)), steps) == steps


@pytest.mark.parametrize(
    ("script", "traced"),
    [
        (
            "python3 -m trainer.main --config-path=./config --config-name=ppo lr=1\n",
            "python3 -m trainer.main --config-path=./config --config-name=ppo lr=1",
        ),
        (
            "torchrun tune.py --config recipes/tune/text_flow.yaml\n",
            "torchrun tune.py --config recipes/tune/text_flow.yaml",
        ),
        ("tune -c 'recipes/tune/text_flow.yaml' \\\n  --lr $LR\n", "tune -c recipes/tune/text_flow.yaml --lr 1e-3"),
    ],
)
def test_a_traced_command_that_the_script_holds_is_no_second_one(script: str, traced: str) -> None:
    made = tree({"tests/only.sh": script, "recipes/tune/text_flow.yaml": "", "trainer/config/config.yaml": ""})
    assert with_configuration(made, Trail(traced=(f"+ {traced}",)), RUN_BY) == RUN_BY


@pytest.mark.parametrize(
    ("name", "known"), [("tune/image_flow", True), ("image_flow", False), ("other/image_flow", False)]
)
def test_the_end_of_a_path_names_a_configuration_that_shares_its_stem(name: str, known: bool) -> None:
    assert configured(NAMED, f"tool run task --config {name}") is known
