"""Files that a build reads and cannot use: pyproject.toml, setup.py."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.patch import Patch, PatchState
from triage.model.recipe import MendFile


def mended(fault: str, files: Mapping[str, str], captures: Mapping[str, str]) -> Patch:
    recipe = MendFile(fault)  # type: ignore[arg-type]
    return patch(recipe, "", "", repository=tree(dict(files)), captures=captures)


def project(backend: str) -> str:
    return f'[build-system]\nrequires = ["x"]\nbuild-backend = "{backend}"\n'


@pytest.mark.parametrize(
    ("written", "named", "new"),
    [
        ("setuptools.backends._legacy:_Backend", "setuptools.backends._legacy", "setuptools.build_meta"),
        ("setuptools.backends", "setuptools.backends", "setuptools.build_meta"),
        ("hatchling", "hatchling", "hatchling.build"),
        ("poetry.masonry.api", "poetry.masonry.api", "poetry.core.masonry.api"),
    ],
)
def test_the_object_that_the_backend_has(written: str, named: str, new: str) -> None:
    files = {"a/pyproject.toml": project(written), "b/pyproject.toml": project("hatchling.build")}
    proved = mended("backend", files, {"backend": named})
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [f'-build-backend = "{written}"', f'+build-backend = "{new}"']


def test_of_several_projects_the_one_that_is_built() -> None:
    files = {f"{name}/pyproject.toml": project("setuptools.backends") for name in ("one", "two")}
    captures = {"backend": "setuptools.backends", "project": "/work/train/two"}
    proved = mended("backend", files, captures)
    assert proved.files == ("two/pyproject.toml",)
    sound = {**files, "two/pyproject.toml": project("setuptools.build_meta")}
    assert mended("backend", sound, captures).state is PatchState.IN_PLACE
    assert mended("backend", files, {"backend": "numpy.distutils"}).state is PatchState.REFUSED


SETUP = "import io\nfrom setuptools import setup\n\nsetup(long_description={})\n"


@pytest.mark.parametrize(
    ("call", "new"),
    [
        ('open("README.md").read()', 'open("README.md", encoding="utf-8").read()'),
        ('open("README.md", "r").read()', 'open("README.md", "r", encoding="utf-8").read()'),
        ('io.open("README.md").read()', 'io.open("README.md", encoding="utf-8").read()'),
    ],
)
def test_the_encoding_is_named_where_the_file_is_opened(call: str, new: str) -> None:
    files = {"setup.py": SETUP.format(call)}
    proved = mended("encoding", files, {"file": "<string>", "line": "4"})
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [f"-setup(long_description={call})", f"+setup(long_description={new})"]


@pytest.mark.parametrize("call", ['open("x.bin", "rb").read()', 'open("x", "w").write("")', "read()"])
def test_what_is_not_read_as_text_is_left(call: str) -> None:
    assert (
        mended("encoding", {"setup.py": SETUP.format(call)}, {"file": "<string>", "line": "4"}).state
        is PatchState.REFUSED
    )


def test_a_named_encoding_is_in_place_and_a_line_elsewhere_is_refused() -> None:
    held = {"setup.py": SETUP.format('open("x", encoding="utf-8").read()')}
    assert mended("encoding", held, {"file": "/tmp/build/setup.py", "line": "4"}).state is PatchState.IN_PLACE
    assert mended("encoding", held, {"file": "/tmp/build/setup.py", "line": "2"}).state is PatchState.REFUSED
    for call in ('codecs.open("x", "r", "latin-1")', 'open("x", "r", -1, "latin-1")', "open(*how)"):
        given = {"setup.py": SETUP.format(f"{call}.read()")}
        assert mended("encoding", given, {"file": "<string>", "line": "4"}).state is PatchState.REFUSED
    other = {"setup.py": SETUP.format('open("x").read()')}
    assert mended("encoding", other, {"file": "<string>", "line": "2"}).state is PatchState.REFUSED


UV = """
    [project]
    name = "trainer"

    [tool.uv.extra-build-dependencies]
    fancy-attn = [{ requirement = "torch", match-runtime = true }]

    [tool.other]
    x = 1
"""


def test_a_package_is_built_against_the_torch_that_is_installed() -> None:
    proved = mended("match-runtime", {"pyproject.toml": UV}, {"package": "fancy_ssm"})
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ['+fancy-ssm = [{ requirement = "torch", match-runtime = true }]']
    assert mended("match-runtime", {"pyproject.toml": UV}, {"package": "fancy-attn"}).state is PatchState.IN_PLACE
    none = UV.replace(", match-runtime = true", "")
    assert mended("match-runtime", {"pyproject.toml": none}, {"package": "x"}).state is PatchState.REFUSED


@pytest.mark.parametrize(
    ("call", "new"),
    [
        ('pathlib.Path("README.md").read_text()', 'pathlib.Path("README.md").read_text(encoding="utf-8")'),
        ('open(("README.md")).read()', 'open(("README.md"), encoding="utf-8").read()'),
        ('open("README.md",).read()', 'open("README.md", encoding="utf-8",).read()'),
        ('open(\n    "README.md"  # it\n).read()', '    "README.md", encoding="utf-8"  # it'),
    ],
)
def test_the_encoding_is_an_argument_and_no_text_behind_a_comment(call: str, new: str) -> None:
    proved = mended("encoding", {"setup.py": f"x = {call}\n"}, {"file": "<string>", "line": "1"})
    assert proved.state is PatchState.PATCH, proved.reason
    assert new.strip() in changed(proved)[-1]


def test_in_a_file_that_changed_since_the_printed_line_tells_the_call() -> None:
    text = SETUP.format('open("x").read()')
    captures = {"file": "C:\\src\\train\\setup.py", "line": "9", "source": '  setup(long_description=open("x").read())'}
    proved = mended("encoding", {"setup.py": text}, captures)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1] == '+setup(long_description=open("x", encoding="utf-8").read())'
    twice = {"setup.py": text + 'setup(long_description=open("x").read())\n'}
    assert mended("encoding", twice, captures).state is PatchState.REFUSED


PROJECT = '[project]\nname = "x"\n[project.optional-dependencies]\nflash = ["a"]\n[dependency-groups]\nlint = ["b"]\n'


@pytest.mark.parametrize(
    ("path", "line", "option", "wanted"),
    [
        ("Dockerfile", "RUN uv sync && uv sync --flash", "--flash", "+RUN uv sync && uv sync --extra flash"),
        ("install.sh", "uv run --lint ruff check", "--lint", "+uv run --group lint ruff check"),
        ("Makefile", "\tuv sync --frozen --flash", "--flash", "+uv sync --frozen --extra flash"),
    ],
)
def test_an_extra_is_no_option_of_uv(path: str, line: str, option: str, wanted: str) -> None:
    head = {"Dockerfile": "FROM a\n", "Makefile": "all:\n"}.get(path, "")
    files = {"pyproject.toml": PROJECT, path: f"{head}{line}\n"}
    proved = mended("extra", files, {"argument": option})
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1] == wanted
    assert mended("extra", files, {"argument": "--fast"}).state is PatchState.REFUSED


PROGRAM = 'import argparse\np = argparse.ArgumentParser()\np.add_argument("--model")\np.parse_args()\n'
CALL = "python bench/run.py --model a --repeats 1 --warm 2"


@pytest.mark.parametrize(
    ("path", "text", "argument", "wanted"),
    [
        (
            ".buildkite/test.yaml",
            f"steps:\n- commands:\n  - {CALL}\n",
            "--repeats 1 --warm 2",
            "+- python bench/run.py --model a",
        ),
        ("ci/run.sh", "python bench/run.py \\\n  --repeats 1 \\\n  --model a\n", "--repeats 1", None),
        ("ci/run.sh", "python bench/run.py \\\n  --model a \\\n  --repeats 1\necho\n", "--repeats 1", "+--model a"),
        (
            "Makefile",
            'unit:\n\tpython bench/run.py --model a -- $(if $(CI),--log "a.log",)\n',
            "-- --log a.log",
            "+python bench/run.py --model a",
        ),
    ],
)
def test_what_a_program_does_not_declare_is_not_passed(path: str, text: str, argument: str, wanted: str | None) -> None:
    files = {"bench/run.py": PROGRAM, path: text}
    proved = mended("undeclared", files, {"argument": argument, "program": "run.py"})
    assert proved.state is PatchState.PATCH, proved.reason
    added = [line for line in changed(proved) if line.startswith("+")]
    assert added == ([] if wanted is None else [wanted])


def test_the_same_call_twice() -> None:
    text = f"bash -c '{CALL}'; bash -c '{CALL}'\n{CALL}\n{CALL}\n"
    files = {"bench/run.py": PROGRAM, "ci/run.sh": text}
    proved = mended("undeclared", files, {"argument": "--repeats 1 --warm 2", "program": "run.py"})
    assert proved.state is PatchState.PATCH, proved.reason
    bare = "python bench/run.py --model a"
    assert [line for line in changed(proved) if line.startswith("+")] == [
        f"+bash -c '{bare}'; bash -c '{bare}'",
        f"+{bare}",
        f"+{bare}",
    ]


@pytest.mark.parametrize(
    ("program", "argument"),
    [
        (PROGRAM.replace("parse_args", "parse_known_args"), "--repeats 1"),
        (PROGRAM.replace("--model", "--repeats"), "--repeats 1"),
        (PROGRAM.replace("--model", "--repeat"), "--repeats 1"),
        ("import sys\n", "--repeats 1"),
        (PROGRAM, "a --repeats 1"),
    ],
)
def test_an_option_that_may_be_known_or_misspelt_is_left(program: str, argument: str) -> None:
    files = {"bench/run.py": program, "ci/run.sh": f"{CALL}\n"}
    assert mended("undeclared", files, {"argument": argument, "program": "run.py"}).state is PatchState.REFUSED


@pytest.mark.parametrize(
    ("line", "argument", "wanted"),
    [
        ('python bench/run.py "--warm" --model a', "--warm", "+python bench/run.py --model a"),
        ("python bench/run.py --model a '--warm=2'", "--warm=2", "+python bench/run.py --model a"),
        ("python bench/run.py --model a --warm ${{ matrix.warm }}", "--warm 2", "+python bench/run.py --model a"),
    ],
)
def test_a_whole_word_is_taken_away_with_its_quotes_or_expression(line: str, argument: str, wanted: str) -> None:
    proved = mended(
        "undeclared", {"bench/run.py": PROGRAM, "ci/run.sh": line + "\n"}, {"argument": argument, "program": "run.py"}
    )
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1] == wanted


@pytest.mark.parametrize(
    ("path", "text", "argument"),
    [
        (".buildkite/a.yml", 'steps:\n  - command: ["python", "bench/run.py", "--warm", "--model", "a"]\n', "--warm"),
        ("Makefile", "a:\n\tpython bench/run.py --warm $(shell cat n) --model a\n", "--warm 2"),
        ("run.sh", "python bench/run.py --warm `cat n` --model a\n", "--warm 2"),
        ("run.sh", "python bench/run.py --warm ${WARM:-1 2} --model a\n", "--warm 2"),
    ],
)
def test_no_empty_item_and_no_half_value_is_left(path: str, text: str, argument: str) -> None:
    proved = mended("undeclared", {"bench/run.py": PROGRAM, path: text}, {"argument": argument, "program": "run.py"})
    assert (proved.state, proved.diff) == (PatchState.ADVICE, "")


@pytest.mark.parametrize(
    "program",
    [
        "import common.args\np = common.args.parser()\n",
        "from common import args\np = args.parser()\n",
        "from ..common import args\np = args.parser()\n",
        'import argparse\np = argparse.ArgumentParser()\nfor name in NAMES:\n    p.add_argument(f"--{name}")\n',
    ],
)
def test_what_an_imported_module_or_a_loop_declares_is_left(program: str) -> None:
    shared = 'def parser():\n    p = ArgumentParser()\n    p.add_argument("--repeats")\n    return p\n'
    own = f'{program}p.add_argument("--model")\np.parse_args()\n'
    files = {"bench/run.py": own, "common/args.py": shared, "ci/run.sh": f"{CALL}\n"}
    assert mended("undeclared", files, {"argument": "--repeats 1", "program": "run.py"}).state is PatchState.REFUSED


@pytest.mark.parametrize(
    ("named", "path", "source", "new"),
    [
        (
            "D:\\a\\train\\train\\docs\\conf.py",
            "docs/conf.py",
            'TEXT = open("a.md").read()',
            'open("a.md", encoding="utf-8")',
        ),
        (
            "/src/tools/version.py",
            "tools/version.py",
            "TEXT = (HERE / 'VERSION').read_text()",
            'read_text(encoding="utf-8")',
        ),
        ("/b/train/setup.py", "train/setup.py", 'TEXT = [x for x in open("r.txt")]', 'open("r.txt", encoding="utf-8")'),
    ],
)
def test_any_file_of_the_tree_is_read_with_its_encoding(named: str, path: str, source: str, new: str) -> None:
    files = {path: f"# first\n{source}\n", "other/version.py": "# first\nx = open('b').read()\n"}
    proved = mended("encoding", files, {"file": named, "line": "2", "source": f"    {source}"})
    assert proved.state is PatchState.PATCH, proved.reason
    assert proved.files == (path,)
    assert new in changed(proved)[1]


def test_a_file_of_a_package_that_ends_like_one_of_the_tree_is_not_meant() -> None:
    files = {"utils/file.py": "# first\nx = open('b').read()\n"}
    captures = {
        "file": "/usr/lib/python3/site-packages/engine/utils/file.py",
        "line": "2",
        "source": "with open(p) as f:",
    }
    assert mended("encoding", files, captures).state is PatchState.REFUSED
