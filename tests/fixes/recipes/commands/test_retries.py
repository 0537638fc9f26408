"""A download that is tried again, in a block and on a line, and what is never put into a loop."""

from __future__ import annotations

import subprocess

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import RetryCommand

OWN = ".github/workflows/own.yml"
RECIPE = RetryCommand(("curl", "wget", "pip install", "git clone", "apt-get update", "apt-get install"))


def repository(run: str, step: str = "") -> MemoryTree:
    return tree(
        {
            OWN: f"on: [push]\njobs:\n  test:\n    runs-on: [gpu]\n    steps:\n      - name: Get\n{step}        run: {run}\n"
        }
    )


def block(*lines: str) -> str:
    return "|\n" + "\n".join(f"          {line}" for line in lines)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (
            block("mkdir data", "curl -fLO https://files.example/x", "ls"),
            [
                "-curl -fLO https://files.example/x",
                "+for i in 1 2 3; do",
                "+curl -fLO https://files.example/x && break",
                '+[ "$i" -lt 3 ] || exit 1',
                "+sleep 10",
                "+done",
            ],
        ),
        (
            block("echo $i", "sudo apt-get install -y \\", "  numactl # for tests"),
            [
                "-sudo apt-get install -y \\",
                "-numactl # for tests",
                "+for attempt in 1 2 3; do",
                "+sudo apt-get install -y \\",
                "+numactl && break # for tests",
                '+[ "$attempt" -lt 3 ] || exit 1',
                "+sleep 10",
                "+done",
            ],
        ),
        (
            block("sudo apt-get update", "sudo apt-get install -y numactl"),
            [
                "-sudo apt-get update",
                "-sudo apt-get install -y numactl",
                "+for i in 1 2 3; do",
                "+sudo apt-get update && \\",
                "+sudo apt-get install -y numactl && break",
                '+[ "$i" -lt 3 ] || exit 1',
                "+sleep 10",
                "+done",
            ],
        ),
        (
            "git clone https://git.example/train",
            [
                "-run: git clone https://git.example/train",
                "+run: |",
                "+for i in 1 2 3; do",
                "+git clone https://git.example/train && break",
                '+[ "$i" -lt 3 ] || exit 1',
                "+sleep 10",
                "+done",
            ],
        ),
    ],
)
def test_the_one_download_of_the_step_is_tried_again(run: str, expected: list[str]) -> None:
    made = patch(RECIPE, "test", OWN, step="Get", repository=repository(run))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == expected


@pytest.mark.parametrize(
    ("run", "step", "state"),
    [
        (block("curl -O https://a.example/x", "wget https://b.example/y"), "Get", PatchState.ADVICE),
        (block("curl -sSL https://a.example/x | bash"), "Get", PatchState.REFUSED),
        (block("cd x && curl -O https://a.example/x"), "Get", PatchState.REFUSED),
        (block("curl --retry 5 -O https://a.example/x"), "Get", PatchState.IN_PLACE),
        (block("for i in 1 2; do", "  curl -O https://a.example/x && break", "done"), "Get", PatchState.REFUSED),
        (block("pytest tests"), "Get", PatchState.REFUSED),
        (block("VERSION=$(curl https://a.example/x)"), "Get", PatchState.REFUSED),
        (block("curl -O https://a.example/x"), "", PatchState.REFUSED),
    ],
)
def test_what_may_not_be_repeated_or_is_not_certain_is_left_alone(run: str, step: str, state: PatchState) -> None:
    made = patch(RECIPE, "test", OWN, step=step, repository=repository(run))
    assert made.state is state or (state is PatchState.REFUSED and made.state is not PatchState.PATCH), made.reason


@pytest.mark.parametrize(("script", "status", "tries"), [("false", 1, 3), ("true", 0, 1), ('[ "$i" = 2 ]', 0, 2)])
def test_the_loop_fails_with_the_last_try_only(script: str, status: int, tries: int) -> None:
    """The loop as it is written, run by a shell with `set -e`."""
    made = draft(RetryCommand(("curl",), pause_seconds=0), "test", OWN, step="Get", repository=repository("curl x"))
    loop = made.edits[0].new.decode().removeprefix("|").replace("curl x", "get")
    text = f"set -e\nget() {{ echo try; {script}; }}\n{loop}\necho ended\n"
    ended = subprocess.run(["sh", "-c", text], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout.count("try"), "ended" in ended.stdout) == (status, tries, status == 0)


def test_a_step_without_a_name_is_known_again_by_its_loop() -> None:
    bare = tree(
        {OWN: "on: [push]\njobs:\n  test:\n    runs-on: [gpu]\n    steps:\n      - run: wget https://a.example/x\n"}
    )
    made = patch(RECIPE, "test", OWN, step="Run wget https://a.example/x", repository=bare)
    assert made.state is PatchState.PATCH, made.reason


PIPED = "curl -LsSf https://files.example/install.sh | PLACE=/opt sh"


@pytest.mark.parametrize(
    ("lines", "step", "made"),
    [
        ((PIPED,), "        shell: bash\n", True),
        ((PIPED,), "        shell: bash -x -e -u -o pipefail {0}\n", True),
        (("set -euo pipefail", PIPED), "", True),
        ((PIPED,), "", False),
        ((PIPED,), "        shell: sh\n", False),
        ((f"{PIPED} || true",), "        shell: bash\n", False),
        (("curl -fL https://files.example/x > data/x",), "", True),
        (("curl -fL https://files.example/x >> data/x",), "", False),
    ],
)
def test_a_pipe_is_tried_again_where_its_first_command_fails_it(lines: tuple[str, ...], step: str, made: bool) -> None:
    """Without pipefail the loop would end with the first try, whatever came of the download."""
    found = patch(RECIPE, "test", OWN, step="Get", repository=repository(block(*lines), step))
    assert (found.state is PatchState.PATCH) is made, found.reason
    assert not made or f"+{lines[-1]} && break" in changed(found)


@pytest.mark.parametrize(
    ("captures", "chosen"),
    [({"tool": "wget"}, "wget https://b.example/y"), ({"tool": "curl"}, "curl -O https://a.example/x"), ({}, "")],
)
def test_of_several_tools_the_one_that_the_log_names(captures: dict[str, str], chosen: str) -> None:
    run = block("curl -O https://a.example/x", "wget https://b.example/y")
    found = patch(RECIPE, "test", OWN, step="Get", repository=repository(run), captures=captures)
    assert (found.state is PatchState.PATCH) is bool(chosen), found.reason
    assert not chosen or f"+{chosen} && break" in changed(found)


def test_a_script_and_an_action_of_the_repository_are_followed() -> None:
    action = ".github/actions/get/action.yml"
    files = {
        OWN: (
            "on: [push]\njobs:\n  test:\n    runs-on: [gpu]\n    steps:\n"
            "      - name: Get\n        run: bash ci/get.sh\n      - uses: ./.github/actions/get\n"
        ),
        "ci/get.sh": "set -e\nif true; then\n    wget https://a.example/x\nfi\n",
        action: (
            "runs:\n  using: composite\n  steps:\n    - shell: bash\n      run: |\n        mkdir x\n"
            "        curl -fO https://a.example/y\n    - shell: bash\n      run: pip install z\n"
        ),
    }
    script = patch(RECIPE, "test", OWN, step="Get", repository=tree(files))
    assert (script.state, script.files) == (PatchState.PATCH, ("ci/get.sh",)), script.reason
    assert "+wget https://a.example/x && break" in changed(script)
    inner = patch(RECIPE, "test", OWN, step="Run mkdir x", repository=tree(files))
    assert (inner.state, inner.files) == (PatchState.PATCH, (action,)), inner.reason
    assert "+curl -fO https://a.example/y && break" in changed(inner)


COUNTED = (
    "for n in {counts}; do",
    "  if pip install click \\",
    "    && python get.py; then",
    "    break",
    "  fi",
    '  if [ "${{n}}" -eq {last} ]; then',
    '    echo "failed after {last} attempts" >&2',
    "    exit 1",
    "  fi",
    "  sleep 3",
    "done",
)


@pytest.mark.parametrize(
    ("counts", "last", "new"),
    [
        ("1 2 3", 3, "1 2 3 4 5"),
        ("{1..3}", 3, "{1..5}"),
        ("$(seq 1 5)", 5, "$(seq 1 10)"),
        ("1 2 4", 4, ""),
        ("1 2", 2, ""),
    ],
)
def test_a_loop_that_counts_its_tries_counts_further(counts: str, last: int, new: str) -> None:
    lines = [line.format(counts=counts, last=last) for line in COUNTED]
    found = patch(RECIPE, "test", OWN, step="Get", repository=repository(block(*lines)))
    assert (found.state is PatchState.PATCH) is bool(new), found.reason
    if new:
        more = {3: 5, 5: 10}[last]
        added = [line for line in changed(found) if line.startswith("+")]
        assert added == [
            f"+for n in {new}; do",
            f'+if [ "${{n}}" -eq {more} ]; then',
            f'+echo "failed after {more} attempts" >&2',
        ]


def test_a_loop_whose_last_try_fails_nothing_counts_no_further() -> None:
    run = block("for n in 1 2 3; do", "  wget https://a.example/x && break", "  sleep 3", "done")
    assert patch(RECIPE, "test", OWN, step="Get", repository=repository(run)).state is not PatchState.PATCH


def test_the_command_whose_traceback_the_log_holds_decides() -> None:
    """Installing again does not help where a program of the repository failed, unless that one only downloads."""
    run = block("pip install click", "python tools/{name}.py --to data")
    for name, expected in (("download_assets", True), ("train", False)):
        files = repository(run.format(name=name)).files | {f"tools/{name}.py": b""}
        facts = Facts(frames=(f"tools/{name}.py",))
        made = patch(RECIPE, "test", OWN, step="Get", repository=MemoryTree(files), facts=facts)
        assert (made.state is PatchState.PATCH) is expected, made.reason
        assert not expected or "+python tools/download_assets.py --to data && break" in changed(made)


GET = "curl -fLO https://files.example/x"


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (("set +e", GET, "ls"), "goes on"),
        ((GET, 'rc=$?; [ "$rc" = 0 ] || echo another'), "status"),
        (("i=1", "attempt=1", "download_try=1", GET), "every name"),
        (('pip install "', "  click", '"'), "several lines"),
        (("set -o pipefail", "set +o pipefail", PIPED), "the pipe alone"),
    ],
)
def test_a_script_that_needs_the_command_as_it_is_keeps_it(lines: tuple[str, ...], reason: str) -> None:
    found = draft(RECIPE, "test", OWN, step="Get", repository=repository(block(*lines)))
    assert found.state is PatchState.REFUSED
    assert reason in found.reason


def test_the_loop_counts_with_a_name_that_the_script_does_not_use() -> None:
    """`i` in `(( i < 2 ))` and `((i++))` has no dollar."""
    run = block("i=0", "while (( i < 2 )); do", f"  {GET}", "  ((++i))", "done")
    found = patch(RECIPE, "test", OWN, step="Get", repository=repository(run))
    assert "+for attempt in 1 2 3; do" in changed(found), found.reason


def test_a_cell_of_windows_reads_no_such_loop() -> None:
    """Without `shell` that machine reads the step by PowerShell."""
    head = "on: [push]\njobs:\n  test:\n    runs-on: ${{ matrix.os }}\n    strategy:\n      matrix:\n"
    text = f"{head}        os: [ubuntu-latest, windows-latest]\n    steps:\n      - name: Get\n        {{}}run: {GET}\n"
    for line, state in (
        ("", PatchState.REFUSED),
        ("shell: bash\n        ", PatchState.PATCH),
        ("if: runner.os == 'Linux'\n        ", PatchState.PATCH),
    ):
        found = patch(RECIPE, "test", OWN, step="Get", repository=tree({OWN: text.replace("{}", line, 1)}))
        assert found.state is state, (line, found.reason)


def test_an_address_in_a_loop_that_counts_further_keeps_its_number() -> None:
    get = '  curl -fLO "https://files.example/v/3" && break'
    run = block("for n in 1 2 3; do", '  echo "try $n/3"', get, '  [ "$n" -eq 3 ] && exit 1', "done")
    found = patch(RECIPE, "test", OWN, step="Get", repository=repository(run))
    added = [line for line in changed(found) if line.startswith("+")]
    assert added == ["+for n in 1 2 3 4 5; do", '+echo "try $n/5"', '+[ "$n" -eq 5 ] && exit 1']


def test_no_blank_stands_behind_the_sign_that_leads_to_the_next_line() -> None:
    run = block("sudo apt-get update  ", "sudo apt-get install -y numactl")
    made = draft(RECIPE, "test", OWN, step="Get", repository=repository(run))
    assert b"update && \\\n" in made.edits[0].new


@pytest.mark.parametrize(
    ("lines", "told", "facts", "patched"),
    [
        (("pip install rich", "python run.py"), {}, Facts(), False),
        (("pip install rich", "python run.py"), {"tool": "ERROR"}, Facts(), True),
        (("pip install rich", "python run.py"), {}, Facts(packages=("pip",)), True),
        (("pip install rich", "python run.py"), {}, Facts(packages=("requests",)), False),
        (("curl -O https://files.example/x", "pytest tests"), {}, Facts(), False),
        (("curl -O https://files.example/x", "pytest tests"), {"tool": "curl"}, Facts(), True),
        (("pip install rich", "python run.py"), {}, Facts(traced=("pip install rich",)), True),
        (("pip install rich", "make"), {}, Facts(), True),
    ],
)
def test_a_download_is_not_blamed_for_what_a_program_beside_it_may_have_said(
    lines: tuple[str, ...], told: dict[str, str], facts: Facts, patched: bool
) -> None:
    found = patch(RECIPE, "test", OWN, step="Get", captures=told, facts=facts, repository=repository(block(*lines)))
    assert (found.state is PatchState.PATCH) is patched, found.reason
    if not patched:
        assert "which may ask a server too" in found.reason
