"""What a shell says of a line of a script, mended where it stands."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import RepairLine

OWN = ".github/workflows/own.yml"
UNSET = RepairLine("unset", "{script}", "{line}", "{name}")
FOREIGN = RepairLine("foreign", "{script}")
COUNT = RepairLine("arithmetic", "{script}", "{line}", "{value}")
CALLED = RepairLine("called", "{script}", "{line}", "{command}")


def added(made) -> list[str]:  # type: ignore[no-untyped-def]
    return [line[1:] for line in changed(made) if line.startswith("+")]


def step(*lines: str) -> str:
    run = "".join(f"          {line}\n" for line in lines)
    return f"on: [push]\njobs:\n  unit:\n    runs-on: x\n    steps:\n      - name: Run\n        run: |\n{run}"


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        ('if [ -n "${SEEN[$KEY]}" ]; then echo a; fi', "SEEN", 'if [ -n "${SEEN[$KEY]:-}" ]; then echo a; fi'),
        ("[[ -z $TOKEN ]] && exit 0", "TOKEN", "[[ -z ${TOKEN:-} ]] && exit 0"),
        ('if test "$MODE" = fast; then echo a; fi', "MODE", 'if test "${MODE:-}" = fast; then echo a; fi'),
        ("export PYTHONPATH=$PWD:$PYTHONPATH", "PYTHONPATH", "export PYTHONPATH=$PWD:${PYTHONPATH:-}"),
        ('LD_LIBRARY_PATH="/opt/lib:${LD_LIBRARY_PATH}"', "LD_LIBRARY_PATH", 'LD_LIBRARY_PATH="/opt/lib:${LD_LIBRARY_PATH:-}"'),
        ('if [[ "$1" == "--all" ]]; then echo a; fi', "1", 'if [[ "${1:-}" == "--all" ]]; then echo a; fi'),
    ],
)  # fmt: skip
def test_an_unset_variable_is_empty_where_that_is_an_answer(line: str, name: str, expected: str) -> None:
    for path, named in (("run/all.sh", "run/all.sh"), (OWN, "/home/runner/work/_temp/1.sh")):
        files = {OWN: step("set -eu", line) if path == OWN else step("bash run/all.sh")}
        files |= {} if path == OWN else {path: f"set -eu\n{line}\n"}
        captures = {"script": named, "line": "2", "name": name}
        made = patch(UNSET, "unit", OWN, step="Run", captures=captures, repository=tree(files))
        assert made.state is PatchState.PATCH, made.reason
        assert added(made) == [expected]


@pytest.mark.parametrize(
    "line", ["cd $WORK", 'echo "${WORK}/a"', 'if [ -d "$OTHER" ]; then cp a $WORK; fi', 'run "$WORK" && [ -n "$WORK" ]']
)
def test_a_value_that_is_needed_is_not_made_empty(line: str) -> None:
    captures = {"script": "a.sh", "line": "1", "name": "WORK"}
    assert not draft(UNSET, "", "", captures=captures, repository=tree({"a.sh": f"{line}\n"})).edits


def test_a_variable_that_nothing_ever_sets_is_not_made_empty() -> None:
    captures = {"script": "a.sh", "line": "1", "name": "build"}
    text = 'if [[ "$build" == b* ]]; then echo a; fi\n'
    assert not draft(UNSET, "", "", captures=captures, repository=tree({"a.sh": text})).edits
    assert draft(UNSET, "", "", captures=captures, repository=tree({"a.sh": f"{text}build=$1\n"})).edits


@pytest.mark.parametrize(
    ("before", "others", "expected"),
    [
        ("set -euo pipefail", {}, ["set +eu", "set -eu"]),
        ("set -o nounset", {}, ["set +u", "set -u"]),
        ("set -eu", {"b.sh": "set -eu\nset +u\nsource /opt/x.sh\nset -u\n"}, ["set +u", "set -u"]),
    ],
)
def test_a_script_of_the_machine_is_read_in_without_the_option(
    before: str, others: dict[str, str], expected: list[str]
) -> None:
    files = {"a.sh": f"{before}\nsource /opt/chip/set_env.sh\necho\n", **others}
    made = patch(FOREIGN, "", "", captures={"script": "/opt/chip/set_env.sh"}, repository=tree(files))
    assert made.state is PatchState.PATCH, made.reason
    assert added(made) == expected


@pytest.mark.parametrize(
    "text",
    [
        "source /opt/chip/set_env.sh\n",
        "set -u\n# source /opt/chip/set_env.sh\n",
        "set -eu\nset +u\nsource /opt/chip/set_env.sh\nset -u\n",
        "set -u\nsource /opt/chip/set_env.sh && true\n",
    ],
)
def test_a_script_without_the_option_is_left(text: str) -> None:
    made = draft(FOREIGN, "", "", captures={"script": "/opt/chip/set_env.sh"}, repository=tree({"a.sh": text}))
    assert not made.edits


def test_a_number_with_letters_is_cut() -> None:
    lines = ("V=${TAG#v}", "P=$(echo $V | cut -d. -f3)", "NEXT=$((P + 1))")
    for files, named in (
        ({"a.sh": "\n".join(lines) + "\n", OWN: step("bash a.sh")}, "a.sh"),
        ({OWN: step(*lines)}, "/__w/_temp/1.sh"),
    ):
        captures = {"script": named, "line": "3", "value": "10rc0"}
        made = patch(COUNT, "unit", OWN, step="Run", captures=captures, repository=tree(files))
        assert made.state is PatchState.PATCH, made.reason
        assert added(made) == ["P=${P%%[!0-9]*}"]


@pytest.mark.parametrize(
    ("line", "value"),
    [("N=$((A + B))", "10rc0"), ("N=$((A + 1))", "latest"), ("N=$((A + 1))", "1.2.3"), ("echo $A", "3rc1")],
)
def test_what_is_no_part_of_a_version_is_left(line: str, value: str) -> None:
    captures = {"script": "a.sh", "line": "1", "value": value}
    assert not draft(COUNT, "", "", captures=captures, repository=tree({"a.sh": f"{line}\n"})).edits


@pytest.mark.parametrize(
    ("files", "command", "expected"),
    [
        # As the other lines call it.
        (
            {"a.sh": "pip install x\n${CONDA_RUN} pip install y\nif pip list | grep x; then echo a; fi\n"},
            "pip",
            ["${CONDA_RUN} pip install x", "if ${CONDA_RUN} pip list | grep x; then echo a; fi"],
        ),
        ({"a.sh": "pytest a\nuv run pytest b\n"}, "pytest", ["uv run pytest a"]),
        # Installed where the PATH does not look.
        ({"a.sh": "pip3 install wheel\nwheel pack a || exit 1\n"}, "wheel", ["python3 -m wheel pack a || exit 1"]),
        # By the name that the repository gives it.
        (
            {"a.sh": 'cmd="cd x && engine.old -i 1"\n', "setup.py": "setup(scripts=['bin/engine', 'bin/en'])\n"},
            "engine.old",
            ['cmd="cd x && engine -i 1"'],
        ),
        (
            {"a.sh": "train_launch a\n", "pyproject.toml": '[project.scripts]\ntrain-launch = "train.cli:main"\n'},
            "train_launch",
            ["train-launch a"],
        ),
    ],
)
def test_a_command_is_called_so_that_it_is_found(files: dict[str, str], command: str, expected: list[str]) -> None:
    captures = {"script": "a.sh", "line": "1", "command": command}
    facts = Facts(installed={"wheel": "0.46.3"})
    made = patch(CALLED, "", "", captures=captures, repository=tree(files), facts=facts)
    assert made.state is PatchState.PATCH, made.reason
    assert added(made) == expected


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("wheel pack a\n", "wheel"),
        ("${A} pip x\n${B} pip y\npip z\n", "pip"),
        ("jq . a\n", "jq"),
        ("# wheel\necho my-wheel\n", "wheel"),
    ],
)
def test_a_command_that_is_nowhere_is_left(text: str, command: str) -> None:
    captures = {"script": "a.sh", "line": "1", "command": command}
    assert not draft(CALLED, "", "", captures=captures, repository=tree({"a.sh": text})).edits


def of_script(recipe: RepairLine, text: str, **captures: str):  # type: ignore[no-untyped-def]
    named = {"script": "a.sh", "line": "1", **captures}
    return patch(recipe, "unit", OWN, captures=named, repository=tree({OWN: step("bash a.sh"), "a.sh": text}))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("if [ $MODE = fast ]; then echo a; fi", 'if [ "${MODE:-}" = fast ]; then echo a; fi'),
        ("[ -n $MODE ] && echo a", '[ -n "${MODE:-}" ] && echo a'),
        ("if test -n $MODE; then echo a; fi", 'if test -n "${MODE:-}"; then echo a; fi'),
        ("[ -n '$MODE' ] || [ -n \"$MODE\" ]", "[ -n '$MODE' ] || [ -n \"${MODE:-}\" ]"),
        ("[[ -n $MODE ]] # not [ $MODE ]", "[[ -n ${MODE:-} ]] # not [ $MODE ]"),
    ],
)
def test_an_empty_word_stays_a_word_of_the_test(line: str, expected: str) -> None:
    assert added(of_script(UNSET, f"{line}\n", name="MODE")) == [expected]


@pytest.mark.parametrize(
    "line", ["[ $MODE -gt 3 ] && echo a", '[[ 3 -lt "$MODE" ]] && echo a', '[ -n "$(cat $MODE)" ] && echo a']
)
def test_a_number_or_a_file_that_is_needed_is_not_made_empty(line: str) -> None:
    assert of_script(UNSET, f"{line}\n", name="MODE").state is PatchState.REFUSED


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("if ((a < 3)); then\n  b\nelif ((minor < 10)); then\n  c\nfi\n", "3"),
        ("make && \\\n  ((minor < 10)) && c\n", "2"),
        ("while ((minor < 10)); do\n  minor=$(next)\ndone\n", "1"),
        ("readonly minor=$(next)\nif ((minor < 10)); then c; fi\n", "2"),
    ],
)
def test_digits_are_not_cut_off_where_no_line_can_stand_before(text: str, line: str) -> None:
    assert of_script(COUNT, text, line=line, value="10rc0").state is PatchState.REFUSED


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$SUDO pip install a\npip install b\n", []),
        ("$DRY_RUN pip install a\npip install b\n", []),
        ('uv run pip install a\necho "pip install b"\npip install c\n', ["uv run pip install c"]),
        ("uv run pip install a\ncat > b <<EOF\npip install b\nEOF\npip install c\n", ["uv run pip install c"]),
        ("uv run pip install a\npip install c # (pip install d)\n", ["uv run pip install c # (pip install d)"]),
    ],
)
def test_only_commands_are_called_otherwise_and_not_by_any_variable(text: str, expected: list[str]) -> None:
    assert added(of_script(CALLED, text, command="pip")) == expected


def test_a_tool_that_is_known_is_no_slip_of_a_script_of_the_repository() -> None:
    files = {"a.sh": "pytest a\n", "setup.py": 'setup(entry_points={"console_scripts": ["pytests = a:main"]})\n'}
    captures = {"script": "a.sh", "line": "1", "command": "pytest"}
    assert not draft(CALLED, "", "", captures=captures, repository=tree(files)).edits


@pytest.mark.parametrize(
    ("line", "command", "expected"),
    [
        ("ptyest -v tests", "ptyest", ["pytest -v tests"]),
        ("trainer --fast\ntriner --slow", "triner", ["trainer --slow"]),
        ("pyto -v", "pyto", []),
        ("trainer --fast\ntrainee --slow", "trainee", []),  # another letter may be another program
    ],
)
def test_a_slip_in_a_command_is_undone(line: str, command: str, expected: list[str]) -> None:
    captures = {"script": "/home/runner/work/_temp/1.sh", "line": "2", "command": command}
    made = patch(
        CALLED, "unit", OWN, step="Run", captures=captures, repository=tree({OWN: step("make", *line.split("\n"))})
    )
    assert added(made) == expected, made.reason
