"""Situations beside those that a recipe is for, in which its patch would be wrong, do nothing, or give away a secret."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import (
    ActivateEnvironment,
    CopyConfigKey,
    CopyEnv,
    CopyOverride,
    CopyVariable,
    GitIdentity,
    IgnoreTest,
    MoveThreshold,
    Recipe,
    RemoveGivenTwice,
    RemoveOverride,
    RepairScript,
    StripArchive,
    TrustFolder,
)

OWN = ".github/workflows/own.yml"


def workflow(script: str, *, head: str = "", label: str = "gpu", on: str = "[push]", rest: str = "") -> str:
    lines = "".join(f"          {line}\n" for line in script.splitlines())
    job = f"  unit:\n    runs-on: [{label}]\n    steps:\n      - name: Go\n{head}        run: |\n{lines}{rest}"
    return f"on: {on}\njobs:\n{job}"


def made(recipe: Recipe, own: str, files: dict[str, str] | None = None, step: str = "Go", **captures: str) -> Patch:
    repository = MemoryTree({path: text.encode() for path, text in {OWN: own, **(files or {})}.items()})
    return patch(recipe, "unit", OWN, step=step, captures=captures, repository=repository, facts=Facts())


def beside(line: str, end: str = "\n") -> Patch:
    body = end.join(("set -eu", "MODEL=${MODEL:-small}", "echo ${DEVICE}", ""))
    files = {"x/a.sh": f"{line}\n", "x/c.sh": f"{line}\n", "x/b.sh": body}
    return made(
        CopyVariable("{script}", "{name}"), workflow("bash x/b.sh"), files, "Go", script="x/b.sh", name="DEVICE"
    )


@pytest.mark.parametrize(
    ("line", "state"),
    [
        # What stands before a command is the command's alone: the script itself has no such default.
        ("DEVICE=${DEVICE:-gpu} bash other.sh", PatchState.REFUSED),
        ("DEVICE=${DEVICE:-gpu} \\\n  python t.py", PatchState.REFUSED),
        ("DEVICE=${DEVICE:-$1}", PatchState.ADVICE),
        ("DEVICE=${DEVICE:-gpu}; rm -rf out", PatchState.ADVICE),
        ('DEVICE="${DEVICE:-${KIND', PatchState.REFUSED),
    ],
)
def test_a_variable_of_siblings_is_copied_only_where_its_line_sets_it_and_does_nothing_else(
    line: str, state: PatchState
) -> None:
    assert beside(line).state is state


@pytest.mark.parametrize("line", ['DEVICE="${DEVICE:-gpu}"', "DEVICE=${DEVICE:-$(kind a)}/b # of the machine"])
def test_a_variable_of_siblings_is_copied_with_the_file_s_own_line_ends(line: str) -> None:
    assert beside(line).state is PatchState.PATCH
    assert f"+{line}\r\n" in beside(line, "\r\n").diff


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("git config user.name bot; git config user.email b@invalid.example", "bot"),
        ("git config user.name bot && git config user.email b@invalid.example", "bot"),
        ("# git config user.name Somebody\n# git config user.email s@invalid.example", "github-actions[bot]"),
        ("git config user.name b`id`t\ngit config user.email b@invalid.example", "github-actions[bot]"),
        ('git config user.name "bot\\"\ngit config user.email b@invalid.example', "github-actions[bot]"),
    ],
)
def test_who_commits_is_read_from_commands_alone(said: str, name: str) -> None:
    found = made(GitIdentity(), workflow("git rebase origin/main"), {".github/workflows/other.yml": workflow(said)})
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found)[0] == f'+git config user.name "{name}"'


def test_who_commits_is_said_once_there_is_a_repository() -> None:
    found = made(GitIdentity(), workflow("git init\ngit add .\ngit commit -m x"))
    assert found.state is PatchState.PATCH, found.reason
    assert " git init\n+          git config user.name" in found.diff


TRUST = "git config --global --add safe.directory /opt/train"
MODULES = {".gitmodules": '[submodule "m"]\n\tpath = third/m\n\turl = https://invalid.example/m\n'}
OTHER = f"  other:\n    runs-on: [gpu]\n    steps:\n      - run: |\n          {TRUST}\n          make\n"


@pytest.mark.parametrize(
    "own",
    [workflow("make", rest=OTHER), workflow(f"{TRUST}\n\nmake").replace("run: |", "run: >")],
)
def test_a_folder_is_not_trusted_where_another_job_or_one_long_command_does(own: str) -> None:
    found = made(TrustFolder("{path}"), own, MODULES, "Go", path="/opt/train/third/m")
    assert (found.state, changed(found)) == (PatchState.ADVICE, [])


def test_a_folder_is_trusted_in_the_action_that_the_job_uses() -> None:
    steps = f"    - shell: bash\n      run: |\n        box bash -c '\\\n          {TRUST}\n          make'\n"
    action = {".github/actions/box/action.yml": f"name: box\nruns:\n  using: composite\n  steps:\n{steps}"}
    own = workflow("make", rest="      - uses: ./.github/actions/box\n")
    box = "Run ./.github/actions/box"
    found = made(TrustFolder("{path}"), own, {**MODULES, **action}, box, path="/opt/train/third/m")
    assert found.state is PatchState.PATCH, found.reason
    assert changed(found) == [f"+{TRUST}/third/m"]


def test_no_pattern_is_trusted() -> None:
    modules = {".gitmodules": MODULES[".gitmodules"].replace("third/m", "*")}
    assert made(TrustFolder("{path}"), workflow(TRUST), modules, "Go", path="/opt/train/*").state is PatchState.REFUSED


def test_a_folder_is_trusted_with_the_file_s_own_line_ends() -> None:
    own = workflow(f"{TRUST}\nmake").replace("\n", "\r\n")
    found = made(TrustFolder("{path}"), own, MODULES, "Go", path="/opt/train/third/m")
    assert f"+          {TRUST}/third/m\r\n" in found.diff


@pytest.mark.parametrize(
    ("target", "source", "state"),
    [
        ("tests", "x = make(device='cuda')\n", PatchState.PATCH),
        ("tests/test_move.py", "x = make(device='cuda')\n", PatchState.ADVICE),
        ("tests/test_move.py::test_a", "x = make(device='cuda')\n", PatchState.ADVICE),
        ("tests", "x = make()  # also on cuda\n", PatchState.REFUSED),
    ],
)
def test_no_test_is_left_out_that_the_command_names_or_that_only_speaks_of_the_device(
    target: str, source: str, state: PatchState
) -> None:
    command = f"pytest {target} " + " ".join(f"--ignore-glob='*test_{one}*'" for one in "abc")
    own = workflow(command, label="ascend-npu-1")
    found = made(IgnoreTest("{test}"), own, {"tests/test_move.py": source}, "Go", test="tests/test_move.py")
    assert found.state is state, found.reason


@pytest.mark.parametrize(
    ("use", "state"),
    [
        ("tool/run", PatchState.PATCH),
        ("cp tool-1.0/lib.so lib", PatchState.PATCH),
        ("cp /opt/t/tool-1.0/lib.so lib", PatchState.ADVICE),
        ("make ROOT=/opt/t/tool-1.0", PatchState.ADVICE),
    ],
)
def test_an_archive_keeps_the_folder_that_something_else_looks_into(use: str, state: PatchState) -> None:
    own = workflow(f"tar xzf tool-1.0.tar.gz -C /opt/t\n{use}\n/opt/t/tool")
    assert made(StripArchive("{path}"), own, {}, "Go", path="/opt/t/tool").state is state


@pytest.mark.parametrize(("shell", "state"), [("", PatchState.PATCH), ("        shell: sh\n", PatchState.REFUSED)])
def test_an_environment_is_entered_only_in_the_shell_of_the_steps_that_enter_it(shell: str, state: PatchState) -> None:
    steps = "".join(f"      - run: |\n          source activate t\n          make {at}\n" for at in "ab")
    assert made(ActivateEnvironment(), workflow("python t.py", head=shell, rest=steps)).state is state


@pytest.mark.parametrize(
    ("script", "state", "lines"),
    [
        ("echo 1\nfi; make tests\n", PatchState.REFUSED, []),
        ("echo 1\ndone < list\n", PatchState.REFUSED, []),
        ("echo 1\nfi # of the check\n", PatchState.PATCH, ["-fi # of the check"]),
        ("if a; then\n  grep x <<< foo\n\necho 2\n", PatchState.PATCH, ["+fi"]),
        ("n=$((1<<k))\nif a; then\n  b\n\necho 2\n", PatchState.PATCH, ["+fi"]),
    ],
)
def test_a_stray_end_takes_no_command_with_it_and_a_here_string_is_no_document(
    script: str, state: PatchState, lines: list[str]
) -> None:
    found = made(RepairScript("{script}"), workflow("bash x/s.sh"), {"x/s.sh": script}, "Go", script="x/s.sh")
    assert (found.state, changed(found)) == (state, lines), found.reason


def test_an_end_is_written_with_the_tabs_of_its_block() -> None:
    script = "if a; then\n\tfor f in x; do\n\t\techo\n\techo 3\nfi\n"
    found = made(RepairScript("{script}"), workflow("bash x/s.sh"), {"x/s.sh": script}, "Go", script="x/s.sh")
    assert "+\tdone\n" in found.diff


ENGINE = (
    "class Base:\n    deep: int = 1\nclass Engine(Base):\n    size: int = 1\n    def __init__(self, size, deep): ...\n"
)
REMOVE = RemoveOverride("{key}", "{name}", "{owner}")
TRAIN = "python3 -m pkg.main \\\n    +actor.old=${OLD} \\\n    +actor.deep=2 \\\n    actor.x=1\n"


def removed(script: str, code: str, **files: str) -> Patch:
    held = {"x/r.sh": script, "pkg/e.py": code, **{f"x/{name}.sh": text for name, text in files.items()}}
    return made(REMOVE, workflow("bash x/r.sh"), held, "Go", key="actor", name="old", owner="pkg.Engine")


def test_an_override_that_a_class_above_takes_stays() -> None:
    code = "class Base:\n    deep: int = 1\nclass Engine(Base):\n    size: int = 1\n"
    assert changed(removed(TRAIN, code)) == ["-+actor.old=${OLD} \\"]
    foreign = removed(TRAIN, code.replace("(Base)", "(Foreign)"))
    assert (foreign.state, changed(foreign)) == (PatchState.REFUSED, [])


@pytest.mark.parametrize(
    ("head", "files"),
    [
        ("OLD=3\n", {"other": "source x/r.sh\necho $OLD\n"}),
        ("OLD=3\n. x/lib.sh\n", {"lib": "echo $OLD\n"}),
        ("OLD=3\\\n4\n", {}),
    ],
)
def test_a_variable_of_an_override_stays_where_another_script_may_read_it(head: str, files: dict[str, str]) -> None:
    assert not [line for line in changed(removed(head + TRAIN, ENGINE, **files)) if line.startswith("-OLD")]


def test_no_blank_line_is_left_where_lines_end_in_two_characters() -> None:
    found = removed(TRAIN.replace("\n", "\r\n"), ENGINE)
    assert [line for line in changed(found) if line.startswith("+")] == []


def test_only_what_every_such_call_passes_goes() -> None:
    code = "def a(more): cfg(loss=0.0, **more)\ndef b(other): cfg(loss=0.1, layers=2, **other)\n"
    script = "python3 -m pkg.main \\\n    +a.more.loss=1 \\\n    +a.more.layers=2 \\\n    b=1\n"
    files = {"x/r.sh": script, "pkg/m.py": code}
    found = made(
        RemoveGivenTwice("{name}", "{callee}"), workflow("bash x/r.sh"), files, "Go", name="loss", callee="cfg"
    )
    assert changed(found) == ["-+a.more.loss=1 \\"]


MAIN = 'import hydra\n@hydra.main(config_path="config", config_name="trainer", version_base=None)\ndef main(c): ...\n'


@pytest.mark.parametrize(
    ("sibling", "state"),
    [
        ("python3 -m pkg.main rollout.name=vllm\n", PatchState.PATCH),
        ("# rollout.name=old\npython3 -m pkg.main rollout.n=1\n", PatchState.ADVICE),
        ("python3 -m pkg.main rollout.n=1 # rollout.name=old\n", PatchState.ADVICE),
        ("python3 -m pkg.main rollout.n=1\npython3 -m pkg.other \\\n    rollout.name=old\n", PatchState.ADVICE),
    ],
)
def test_what_a_sibling_only_says_or_gives_another_program_is_not_copied(sibling: str, state: PatchState) -> None:
    files = {
        "runs/s.sh": "python3 -m pkg.main \\\n    rollout.n=4\n",
        "runs/l.sh": sibling,
        "pkg/main.py": MAIN,
        "pkg/config/trainer.yaml": "rollout:\n  name: ???\n  n: 1\n",
    }
    found = made(CopyOverride("{key}"), workflow("bash runs/s.sh"), files, "Go", key="rollout.name")
    assert found.state is state, found.reason


@pytest.mark.parametrize(
    ("value", "state"),
    [("0.1", PatchState.PATCH), ("???", PatchState.ADVICE), ("&rate 0.1", PatchState.ADVICE), ("", PatchState.ADVICE)],
)
def test_a_key_is_copied_only_with_a_value_of_its_own(value: str, state: PatchState) -> None:
    files = {
        "pkg/main.py": MAIN,
        "pkg/config/trainer.yaml": "actor:\n  x: 1\n",
        "pkg/config/other.yaml": f"actor:\n  x: 1\n  lr: {value}\n" if "&" not in value else "",
    }
    if "&" in value:
        files["pkg/config/other.yaml"] = f"rate: {value}\nactor:\n  x: 1\n  lr: *rate\n"
    found = made(CopyConfigKey("{key}"), workflow("python3 -m pkg.main"), files, "Go", key="actor.lr")
    assert found.state is state, found.reason


@pytest.mark.parametrize(("value", "state"), [("0.45", PatchState.PATCH), ("0.26", PatchState.ADVICE)])
def test_a_measure_may_not_fall_by_half(value: str, state: PatchState) -> None:
    files = {"tests/run.sh": "python check.py 'accuracy > 0.5'\n"}
    recipe = MoveThreshold("{check}", "{value}", "{rest}")
    own = workflow("bash tests/run.sh")
    assert made(recipe, own, files, "Go", check="accuracy > 0.5", value=value, rest="").state is state


TOKEN = CopyEnv(("HF_TOKEN",), secret="HF_TOKEN")
SIBLING = (
    "  other:\n    runs-on: [gpu]\n    env:\n      HF_TOKEN: ${{ secrets.HF_TOKEN }}\n    steps:\n      - run: make\n"
)


@pytest.mark.parametrize("rest", ["", SIBLING])
@pytest.mark.parametrize("on", ["pull_request_target", "[push, issue_comment]", "{workflow_run: {workflows: [a]}}"])
def test_no_secret_goes_where_strangers_start_the_workflow(on: str, rest: str) -> None:
    assert made(TOKEN, workflow("python t.py", on="[push]", rest=rest)).state is PatchState.PATCH
    found = made(TOKEN, workflow("python t.py", on=on, rest=rest))
    assert (found.state, "which strangers set off" in found.reason) == (PatchState.ADVICE, True)
