"""Pins where projects and images declare a distribution: the right string, nothing else, and not where it is unused."""

from __future__ import annotations

import tomllib
from textwrap import dedent

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipInstall, PipPin

CI = ".github/workflows/ci.yml"
NEW_RAY = Facts(installed={"ray": "3.0.1"})
PIN = PipPin("ray", "<{installed}")


def workflow(*commands: str) -> str:
    steps = "".join(f"\n                      - run: {command}" for command in commands)
    return f"""
                on: push
                jobs:
                  test:
                    runs-on: [gpu-8]
                    steps:{steps}
    """


def project(text: str, *commands: str, **files: str) -> MemoryTree:
    named = {path.replace("__", "."): content for path, content in files.items()}
    made = tree({CI: workflow(*(commands or ("pip install -e '.[test]'", "pytest"))), **named})
    return MemoryTree({**made.files, "pyproject.toml": dedent(text).lstrip("\n").encode()})


PYPROJECT = """
    [project]
    name = "train"
    keywords = ["ray"]
    dependencies = [
        "numpy", 'ray[default]>=2.9',  # actors
    ]

    [project.optional-dependencies]
    test = ["pytest", "ray ; python_version > '3.9'"]
    serve = ["ray[serve]"]
"""


def test_the_requirements_of_the_installed_project_are_bounded_and_keep_their_quotes_and_markers() -> None:
    proved = patch(PIN, "test", CI, facts=NEW_RAY, repository=project(PYPROJECT))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [
        "-\"numpy\", 'ray[default]>=2.9',  # actors",
        "+\"numpy\", 'ray[default]>=2.9,<3.0.1',  # actors",
        '-test = ["pytest", "ray ; python_version > \'3.9\'"]',
        '+test = ["pytest", "ray<3.0.1 ; python_version > \'3.9\'"]',
    ]
    assert "left as it is: pyproject.toml:10 (serve)" in proved.notes


def test_extras_that_bring_other_extras_are_followed() -> None:
    text = PYPROJECT.replace('"ray ; ', '"train[serve]", "ray ; ')
    proved = patch(PIN, "test", CI, facts=NEW_RAY, repository=project(text))
    assert '+serve = ["ray[serve]<3.0.1"]' in changed(proved)


def test_an_extra_that_the_job_does_not_install_is_left_alone() -> None:
    text = PYPROJECT.replace("'ray[default]>=2.9',", "").replace('"ray ; ', '"rich ; ')
    found = draft(PIN, "test", CI, facts=NEW_RAY, repository=project(text))
    assert found.state is PatchState.ADVICE
    assert not found.edits
    assert "serve" in found.reason


@pytest.mark.parametrize("command", ["pip install -e '.[test]'", "uv run --extra test pytest", "uv sync --extra test"])
def test_a_lock_that_the_job_does_not_hold_to_is_only_named(command: str) -> None:
    proved = patch(PIN, "test", CI, facts=NEW_RAY, repository=project(PYPROJECT, command, uv__lock="version = 1\n"))
    assert proved.state is PatchState.PATCH, proved.reason
    assert any("`uv lock`" in note for note in proved.notes)


@pytest.mark.parametrize(
    "command",
    ["uv sync --frozen --extra test", "uv run --locked --extra test pytest", "UV_FROZEN=1 uv sync --extra test"],
)
def test_what_is_installed_from_the_lock_is_shown_with_the_command_that_renews_it(command: str) -> None:
    proved = patch(PIN, "test", CI, facts=NEW_RAY, repository=project(PYPROJECT, command, uv__lock="version = 1\n"))
    assert proved.state is PatchState.ADVICE
    assert "`uv lock`" in proved.reason
    assert "pyproject.toml:5" in proved.reason
    assert "+    \"numpy\", 'ray[default]>=2.9,<3.0.1',  # actors" in proved.diff


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("uv sync --extra serve", ["serve"]),
        ("uv run --all-extras pytest", ["test", "serve"]),
        ("uv sync --group docs", ["docs"]),
    ],
)
def test_what_uv_installs_without_a_lock(command: str, lines: list[str]) -> None:
    text = PYPROJECT.replace("'ray[default]>=2.9',", "") + '\n    [dependency-groups]\n    docs = ["ray"]\n'
    proved = patch(PIN, "test", CI, facts=NEW_RAY, repository=project(text, command))
    added = [line for line in changed(proved) if line.startswith("+")]
    assert [name for name in ("test", "serve", "docs") if any(line.startswith(f"+{name} ") for line in added)] == lines
    assert proved.state is PatchState.PATCH, proved.reason


def test_a_damaged_project_is_not_edited() -> None:
    found = draft(PIN, "test", CI, facts=NEW_RAY, repository=project("[project\ndependencies = ['ray']\n"))
    assert not found.edits


SETUP = """
    from setuptools import setup

    keywords = ["ray"]
    _deps = ["numpy", 'ray[default]>=2.9', "torch"]  # ray, numpy
    deps = {one.split(">")[0]: one for one in _deps}
    extras = {}
    extras["test"] = ["pytest", "ray"]
    extras["serve"] = ("ray",)
    setup(name="train", keywords=keywords, classifiers=["ray"], install_requires=[deps["numpy"]], extras_require=extras)
"""


def setup(text: str, *commands: str, **files: str) -> MemoryTree:
    made = project("", *commands, **files)
    return MemoryTree({**made.files, "setup.py": dedent(text).lstrip("\n").encode()})


def test_lists_of_setup_py_that_reach_the_requirements() -> None:
    proved = patch(PIN, "test", CI, facts=NEW_RAY, repository=setup(SETUP))
    assert proved.state is PatchState.PATCH, proved.reason
    added = [line for line in changed(proved) if line.startswith("+")]
    assert added[0] == '+_deps = ["numpy", \'ray[default]>=2.9,<3.0.1\', "torch"]  # ray, numpy'
    assert not [line for line in added if "keywords" in line or "classifiers" in line]


def test_requirements_files_that_setup_py_reads() -> None:
    text = """
        from setuptools import setup

        with open("requirements.txt") as lines:
            required = lines.read().splitlines()
        setup(install_requires=required, extras_require={"docs": open("requirements-docs.txt").read()})
    """
    files = {"requirements__txt": "ray # actors\n", "requirements-docs__txt": "ray\n"}
    proved = patch(PIN, "test", CI, facts=NEW_RAY, repository=setup(text, **files))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-ray # actors", "+ray<3.0.1 # actors"]


def test_setup_cfg() -> None:
    text = "[metadata]\nkeywords = ray\n[options]\ninstall_requires =\n    numpy\n    # why\n    ray>=2\n[options.extras_require]\ndocs = ray\n"
    proved = patch(PIN, "test", CI, facts=NEW_RAY, repository=project("", setup__cfg=text))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-ray>=2", "+ray>=2,<3.0.1"]


def test_extras_of_setup_cfg_that_name_other_extras_bring_them() -> None:
    extras = "[options.extras_require]\nremote =\n    ray>=2\nother =\n    ray\ndev =\n    %(remote)s\n    pytest\n"
    tree = project("", "pip install .[dev]", setup__cfg=extras)
    proved = patch(PIN, "test", CI, facts=NEW_RAY, repository=tree)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-ray>=2", "+ray>=2,<3.0.1"]


def test_what_is_pinned_exactly_did_not_move() -> None:
    found = draft(PIN, "test", CI, facts=NEW_RAY, repository=project(PYPROJECT.replace(">=2.9", "==2.9")))
    assert found.state is PatchState.REFUSED
    assert "something else moved" in found.reason


_NAMES = st.sampled_from(["ray", "Ray", "numpy", "ray-tools", "torch"])
_SPECS = st.builds(
    lambda name, pin: f"{name}{pin}", _NAMES, st.sampled_from(["", ">=2", "[default]", " >= 2 ", "!=2.5"])
)


@given(
    st.lists(_SPECS, max_size=4), st.lists(_SPECS, max_size=3), st.sampled_from(["\n", "\r\n"]), st.sampled_from("'\"")
)
@settings(max_examples=40, deadline=None)
def test_only_the_declared_requirements_differ(base: list[str], test: list[str], eol: str, quote: str) -> None:
    def array(items: list[str]) -> str:
        return "[" + "".join(f"\n  {quote}{item}{quote}, # note" for item in items) + "\n]"

    text = f"# é\n[project]\nname = 'x'\ndependencies = {array(base)}\n[project.optional-dependencies]\ntest={array(test)}\n"
    before = text.replace("\n", eol).encode()
    repository = MemoryTree({**project("").files, "pyproject.toml": before})
    wanted = [one for one in (*base, *test) if one.strip().lower().startswith("ray") and "tools" not in one]
    assume(wanted)  # otherwise the requirement is added, which is proved elsewhere
    found = draft(PIN, "test", CI, facts=NEW_RAY, repository=repository)
    after = before
    for edit in sorted(found.edits, key=lambda one: -one.start):
        after = after[: edit.start] + edit.new + after[edit.end :]
    old, new = (tomllib.loads(data.decode())["project"] for data in (before, after))
    assert len(found.edits) == len(wanted)
    for was, now in zip(
        [*old["dependencies"], *old["optional-dependencies"]["test"]],
        [*new["dependencies"], *new["optional-dependencies"]["test"]],
        strict=True,
    ):
        assert (now != was) == (was in wanted)
        assert now == was or now.strip().endswith("<3.0.1")


EXTRAS = """
    [project]
    name = "train"
    dependencies = ["numpy"]
    [project.optional-dependencies]
    test = ["pytest"]
    vision = ["opencv-python", "pillow"]
    all = ["train[vision]", "opencv-python", "torch"]
"""
MISSING = {"module": "cv2"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("pip install -e .", 'pip install -e ".[vision]"'),
        ("pip install -e '.[test]'", "pip install -e '.[test,vision]'"),
        ("uv pip install .[test] -v", "uv pip install .[test,vision] -v"),
        ("uv sync --extra test", "uv sync --extra vision --extra test"),
    ],
)
@pytest.mark.parametrize("form", ["extra", "file"])
def test_the_smallest_extra_is_chosen_where_the_project_is_installed(before: str, after: str, form: str) -> None:
    recipe = PipInstall(module="{module}", form=form)  # type: ignore[arg-type]
    proved = patch(recipe, "test", CI, captures=MISSING, repository=project(EXTRAS, before, "pytest"))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [f"-- run: {before}", f"+- run: {after}"]
    assert "it comes with `all` too" in proved.notes


def test_an_extra_that_is_chosen_already_is_in_place() -> None:
    repository = project(EXTRAS, "pip install -e .[all]", "pytest")
    recipe = PipInstall(module="{module}", form="extra")
    assert draft(recipe, "test", CI, captures=MISSING, repository=repository).state is PatchState.IN_PLACE


def test_an_extra_that_the_lock_lacks_needs_the_resolver() -> None:
    repository = project(EXTRAS, "uv sync", "pytest", uv__lock="version = 1\n")
    found = draft(PipInstall(module="{module}", form="extra"), "test", CI, captures=MISSING, repository=repository)
    assert found.state is PatchState.ADVICE
    assert "`uv lock`" in found.reason


def test_an_extra_of_setup_py() -> None:
    text = 'from setuptools import setup\nsetup(extras_require={"vision": ["opencv-python"]})\n'
    proved = patch(PipInstall(module="{module}"), "test", CI, captures=MISSING, repository=setup(text))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1] == "+- run: pip install -e '.[test,vision]'"


def test_constraints_and_files_of_another_folder_keep_their_markers_and_line_ends() -> None:
    commands = ("cd ci && pip install -r need.txt -c ../hold.txt", "pytest")
    files = {"ci/need.txt": "ray>=2 ; python_version > '3' # actors\r\nnumpy\r\n", "hold.txt": "ray!=2.5\n"}
    made = tree({CI: workflow(*commands)})
    repository = MemoryTree({**made.files, **{path: text.encode() for path, text in files.items()}})
    recipe = PipPin("ray", "<{installed}", comment="3.0.1 breaks actors")
    proved = patch(recipe, "test", CI, facts=NEW_RAY, repository=repository)
    assert proved.state is PatchState.PATCH, proved.reason
    assert "+# 3.0.1 breaks actors\r\n+ray>=2,<3.0.1 ; python_version > '3' # actors\r\n" in proved.diff
    assert "+ray!=2.5,<3.0.1\n" in proved.diff


def test_a_compiled_file_is_left_to_its_compiler() -> None:
    text = "# This file was autogenerated by uv via the following command:\n#    uv pip compile need.in -o need.txt\nray>=2\n"
    made = tree({CI: workflow("pip install -r need.txt", "pytest"), "need.in": "ray\n"})
    repository = MemoryTree({**made.files, "need.txt": text.encode()})
    found = draft(PIN, "test", CI, facts=NEW_RAY, repository=repository)
    assert found.state is PatchState.ADVICE
    assert "run `uv pip compile need.in -o need.txt`" in found.reason


@pytest.mark.parametrize("grow", ['extras["dev"].extend(one)', 'extras["dev"] += one'])
def test_an_extra_that_grows_by_the_others(grow: str) -> None:
    text = f"""
        from setuptools import setup

        extras = {{"serve": ["ray>=2"], "docs": ["sphinx"]}}
        extras["dev"] = []
        for one in extras.values():
            {grow}
        setup(extras_require=extras)
    """
    proved = patch(PIN, "test", CI, facts=NEW_RAY, repository=setup(text, "pip install -e .[dev]"))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1] == '+extras = {"serve": ["ray>=2,<3.0.1"], "docs": ["sphinx"]}'
    other = draft(PIN, "test", CI, facts=NEW_RAY, repository=setup(text, "pip install -e .[docs]"))
    assert not other.edits


def test_what_dockerfiles_install_is_left_to_the_image_where_no_job_chooses_the_extra() -> None:
    named = project(EXTRAS, "pip install -e .", "pytest").files
    inside = named[CI].decode().replace("runs-on: [gpu-8]", "runs-on: [gpu-8]\n    container: example/train:1")
    image = b"FROM base:1\nRUN pip install numpy && \\\n    pip install opencv-python\n"
    recipe = PipInstall(module="{module}")
    made = MemoryTree({**named, CI: inside.encode(), "docker/Dockerfile.base": image})
    said = draft(recipe, "test", CI, captures=MISSING, repository=made)
    assert said.state is PatchState.ADVICE
    assert "docker/Dockerfile.base:3 installs it" in said.reason
    other = named[CI].decode().replace("pip install -e .", "pip install -e .[vision]").encode()
    chosen = MemoryTree({**made.files, ".github/workflows/other.yml": other})
    assert patch(recipe, "test", CI, captures=MISSING, repository=chosen).state is PatchState.PATCH
    outside = MemoryTree({**named, "docker/Dockerfile.base": image})
    assert patch(recipe, "test", CI, captures=MISSING, repository=outside).state is PatchState.PATCH
