"""Settings of pytest and of coverage: a package's warning that is let pass, a data file for each process."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.patch import Patch, PatchState
from triage.model.recipe import MendFile

TOML = """[tool.pytest.ini_options]
filterwarnings = [
    "error",  # all of them
    'ignore:old thing:UserWarning',{end}
]
"""
INI = "[{name}]\nfilterwarnings =\n    error\n    ignore:old thing:UserWarning\n{more}"
UNRAISABLE = "Exception ignored in: <function CardMonitor.__del__ at 0x7f33b1a59f80>"


def of_tree(files: dict[str, str], category: str, message: str) -> Patch:
    return patch(
        MendFile("warning"), "", "", repository=tree(files), captures={"category": category, "message": message}
    )


@pytest.mark.parametrize(
    ("category", "message", "line"),
    [
        (
            "pytest.PytestUnraisableExceptionWarning",
            UNRAISABLE,
            "ignore:.*CardMonitor.__del__:pytest.PytestUnraisableExceptionWarning",
        ),
        (
            "DeprecationWarning",
            "`old_call` is gone; see https://a.b",
            "ignore:`old_call` is gone. see:DeprecationWarning",
        ),
        (
            "FutureWarning",
            "pkg.part is deprecated (use pkg.other)",
            "ignore:pkg.part is deprecated .use pkg.other:FutureWarning",
        ),
        ("OddWarning", "pkg.part is deprecated", "ignore:pkg.part is deprecated"),
    ],
)
def test_a_line_behind_the_last_filter(category: str, message: str, line: str) -> None:
    proved = of_tree({"pyproject.toml": TOML.format(end="")}, category, message)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [f"+'{line}',"]


@pytest.mark.parametrize("name", ["pytest.ini", "setup.cfg", "tox.ini"])
def test_in_the_files_that_pytest_reads_as_ini(name: str) -> None:
    section = "tool:pytest" if name == "setup.cfg" else "pytest"
    for more in ("", "addopts = -q\n", "\n[other]\na = b\n"):
        proved = of_tree({name: INI.format(name=section, more=more)}, "UserWarning", "pkg.part is deprecated")
        assert changed(proved) == ["+ignore:pkg.part is deprecated:UserWarning"], proved.reason


def test_a_comma_where_the_last_filter_has_none() -> None:
    text = TOML.format(end="").replace("Warning',", "Warning'")
    proved = of_tree({"pyproject.toml": text}, "UserWarning", "pkg.part is deprecated")
    assert proved.state is PatchState.PATCH, proved.reason
    assert "+'ignore:pkg.part is deprecated:UserWarning'," in changed(proved)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("from pkg import part\npart.run()\n", "pkg.part is deprecated, use other"),  # the code can change
        ("warnings.warn('`mode` of this is no longer read')\n", "`mode` of this is no longer read"),  # its own warning
        ("", "invalid escape sequence"),  # names nothing
        ("", "unclosed file <_io.TextIOWrapper name='a_b'>"),  # what a test left open
    ],
)
def test_words_where_the_own_code_may_be_meant(source: str, message: str) -> None:
    files = {"pyproject.toml": TOML.format(end=""), "src/train.py": source}
    assert of_tree(files, "DeprecationWarning", message).state is PatchState.ADVICE


def test_in_place_or_refused() -> None:
    toml = TOML.format(end="")
    assert of_tree({"pyproject.toml": toml}, "UserWarning", "old thing `a_b` is gone").state is PatchState.IN_PLACE
    without = toml.replace('"error",', '"default",')
    assert of_tree({"pyproject.toml": without}, "UserWarning", "pkg.part is deprecated").state is PatchState.REFUSED
    assert (
        of_tree({"pyproject.toml": "[tool.a]\n"}, "UserWarning", "pkg.part is deprecated").state is PatchState.REFUSED
    )
    assert of_tree({"pyproject.toml": toml}, "a; rm", "pkg.part is deprecated").state is PatchState.REFUSED
    short = (
        toml.replace("[\n    ", "[ ")
        .replace("\n    'ignore", " 'ignore")
        .replace(",\n]", "]")
        .replace("  # all of them", "")
    )
    assert of_tree({"pyproject.toml": short}, "UserWarning", "pkg.part is deprecated").state is PatchState.REFUSED


@pytest.mark.parametrize(
    "lines",
    ["\n    ignore:z\n\n    error\n", "\n    ignore:z\n# all of them\n    error\n", "\n    error\n    ignore:part\n"],
)
def test_behind_all_of_the_filters_that_stand_there(lines: str) -> None:
    text = f"[pytest]\nfilterwarnings ={lines}addopts = -q\n"
    proved = of_tree({"pytest.ini": text}, "UserWarning", "pkg.part is deprecated")
    assert proved.state is PatchState.PATCH, proved.reason
    assert proved.diff.index("+    ignore:pkg.part") > proved.diff.index("error")


@pytest.mark.parametrize("taken", [{"pytest.ini": ""}, {".pytest.ini": "[pytest]\naddopts = -q\n"}])
def test_a_file_that_pytest_does_not_look_at_is_left(taken: dict[str, str]) -> None:
    files = {"pyproject.toml": TOML.format(end=""), **taken}
    assert of_tree(files, "UserWarning", "pkg.part is deprecated").state is PatchState.REFUSED


def covered(**files: str) -> Patch:
    names = {"rc": ".coveragerc", "toml": "pyproject.toml", "cfg": "setup.cfg", "tox": "tox.ini", "make": "Makefile"}
    held = tree({names[name]: text for name, text in files.items()})
    return patch(MendFile("coverage"), "", "", repository=held, captures={"file": "/a/.coverage"})


@pytest.mark.parametrize(
    ("files", "lines"),
    [
        ({"rc": "[run]\npatch = subprocess\n"}, ["+parallel = True"]),
        ({"rc": "[report]\nfail_under = 1\n[run]\nbranch = True\n"}, ["+parallel = True"]),
        (
            {"rc": "[run]\nparallel = False\n", "toml": "[tool.coverage.run]\n"},
            ["-parallel = False", "+parallel = True"],
        ),
        # Keys of a table may be indented, and quoted; what stands behind the value stays.
        ({"toml": "[tool.coverage.run]\n  parallel = false\n  branch = true\n"}, ["-parallel = false", "+parallel = true"]),
        ({"toml": '[tool.coverage.run]\n"parallel" = false # no\n'}, ['-"parallel" = false # no', '+"parallel" = true # no']),
        ({"toml": '[project]\nname = "a"\n[tool.coverage.run]\nbranch = true\n'}, ["+parallel = true"]),
        ({"cfg": "[metadata]\nname = a\n\n[coverage:run]\nbranch = true\n"}, ["+parallel = true"]),
        (
            {"tox": "[coverage:run]\nsource = a", "make": "test:\n\tcoverage run a\n\tcoverage combine\n"},
            ["+parallel = True"],
        ),
    ],
)  # fmt: skip
def test_each_process_writes_its_own_file(files: dict[str, str], lines: list[str]) -> None:
    proved = covered(**files)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == lines


def test_nothing_where_it_is_set_or_has_no_place_or_nobody_joins_the_files() -> None:
    assert covered(rc="[run]\nparallel = true\n").state is PatchState.IN_PLACE
    assert covered(rc="[run]\nPARALLEL = true\n").state is PatchState.IN_PLACE
    assert covered(rc="[report]\nfail_under = 1\n").state is PatchState.ADVICE
    beside = covered(rc="[report]\nfail_under = 1\n", toml="[tool.coverage.run]\nbranch = true\n")
    assert beside.state is PatchState.ADVICE
    assert (
        covered(rc="[run]\na = b\n", make="test:\n\tcoverage run -m pytest\n\tcoverage report\n").state
        is PatchState.ADVICE
    )
