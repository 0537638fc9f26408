"""A distribution that the repository's own project no longer declares: always, for an extra, for a group."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from configparser import Error, RawConfigParser
from dataclasses import dataclass

from tests.seeded.kinds.lines import plain
from tests.seeded.kinds.missing_package import NAME, name_of
from tests.seeded.kinds.needs import Need, every_need, needs, steps
from tests.seeded.seed import Seed
from tests.seeded.site import Site

_FILES = ("setup.py", "setup.cfg", "pyproject.toml")
_OF_TESTS = re.compile(r"(?:tests?|testing|dev)\Z")
# Whose lock, or whose own list, holds everything beside.
_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock")


@dataclass(frozen=True, slots=True)
class Declared:
    """A line of a file that holds nothing but one requirement; `extra` is "" for what always comes."""

    path: str
    line: str
    dist: str
    extra: str


def always(site: Site) -> Iterator[Seed]:
    """Of what the project always requires, by setup.py, setup.cfg or pyproject.toml: what its own package imports."""
    declared = {one.dist: one for one in _declared(site) if not one.extra}
    for at, need in enumerate(every_need(site, frozenset(declared))):
        if not need.by_test and need.way[-1][0].split("/")[0] not in ("tests", "test", "examples", "benchmarks"):
            install = ("pip install -e .", "pip install .", "python -m pip install --upgrade .")[at % 3]
            yield from _seed(need, declared[need.dist], install)


def extra(site: Site) -> Iterator[Seed]:
    """Of an extra for tests that the job installs: what only that names, and a test imports."""
    declared = {one.dist: one for one in _declared(site) if _OF_TESTS.match(one.extra)}
    for at, need in enumerate(every_need(site, frozenset(declared))):
        name = declared[need.dist].extra
        install = (f'pip install -e ".[{name}]"', f"pip install .[{name}]", f"uv pip install --system -e .[{name}]")[
            at % 3
        ]
        if need.by_test:
            yield from _seed(need, declared[need.dist], install)


def _seed(need: Need, one: Declared, install: str) -> Iterator[Seed]:
    text = need.site.text(one.path)
    others = [need.site.text(path) for path in _FILES if path in need.site.tree and path != one.path]
    others += [need.site.text(path) for path in _read(need.site)]
    word = re.compile(rf"(?<![\w-]){re.sub('[-_.]', '[-_.]', one.dist)}(?![\w-])", re.I)
    if text.count(f"{one.line}\n") != 1 or len(word.findall(text)) != 1 or any(map(word.search, others)):
        return
    files = {one.path: (text, text.replace(f"{one.line}\n", "", 1))}
    yield need.seed(steps("pip install pytest", install, f"pytest {need.folder}"), files, need.traceback())


def _read(site: Site) -> list[str]:
    """Lists that the project's files name, and so may read."""
    texts = " ".join(site.text(one) for one in _FILES if one in site.tree)
    return [one for one in re.findall(r"[\w./-]+\.txt", texts) if one in site.tree]


def _declared(site: Site) -> Iterator[Declared]:
    if any(one in site.tree for one in _LOCKS):
        return
    found = {
        "setup.py": _of_setup(site.text("setup.py") if "setup.py" in site.tree else ""),
        "setup.cfg": _of_cfg(site.text("setup.cfg") if "setup.cfg" in site.tree else ""),
        "pyproject.toml": _of_project(site.text("pyproject.toml") if "pyproject.toml" in site.tree else ""),
    }
    for path, lists in found.items():
        for text in site.text(path).split("\n") if path in site.tree else ():
            word = text.split("#")[0].strip().rstrip(",").strip("\"'")
            extras = [extra for extra, words in lists.items() if word in words]
            if word and len(extras) == 1 and NAME.fullmatch(name_of(word)) and "@" not in word:
                yield Declared(path, text, plain(name_of(word)), extras[0])


def _of_setup(text: str) -> Mapping[str, list[str]]:
    try:
        nodes = [*ast.walk(ast.parse(text))]
    except SyntaxError:
        return {}
    bound = {
        target.id: node.value
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found = {}
    for node in nodes:
        if isinstance(node, ast.keyword) and node.arg == "install_requires":
            found[""] = _strings(bound.get(getattr(node.value, "id", ""), node.value))
        if isinstance(node, ast.keyword) and node.arg == "extras_require":
            held = bound.get(getattr(node.value, "id", ""), node.value)
            for key, value in zip(held.keys, held.values, strict=True) if isinstance(held, ast.Dict) else ():
                if isinstance(key, ast.Constant):
                    found[str(key.value)] = _strings(bound.get(getattr(value, "id", ""), value))
    return found


def _strings(node: ast.expr) -> list[str]:
    nodes = node.elts if isinstance(node, ast.List | ast.Tuple) else []
    return [one.value for one in nodes if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def _of_cfg(text: str) -> Mapping[str, list[str]]:
    parser = RawConfigParser()
    try:
        parser.read_string(text)
    except Error:
        return {}
    extras = parser.options("options.extras_require") if parser.has_section("options.extras_require") else []
    found = {one: parser.get("options.extras_require", one).split("\n") for one in extras}
    return {**found, "": parser.get("options", "install_requires", fallback="").split("\n")}


def _of_project(text: str) -> Mapping[str, list[str]]:
    try:
        project = tomllib.loads(text).get("project", {})
    except tomllib.TOMLDecodeError:
        return {}
    extras = project.get("optional-dependencies", {})
    return {
        **{name: [*map(str, words)] for name, words in extras.items()},
        "": [*map(str, project.get("dependencies", []))],
    }


def group(site: Site) -> Iterator[Seed]:
    """Of a dependency group, of poetry's or pdm's, or of an environment of hatch: what a test imports."""
    if any(one in site.tree for one in (*_LOCKS, "setup.py", "setup.cfg")):
        return  # the group alone would do nothing, or the project needs more than it
    for at, need in enumerate(needs(site)):
        tool = ("groups", "run", "pip", "poetry", "pdm", "hatch")[(at + len(site.repo)) % 6]
        files = {"pyproject.toml": (_text(need, tool, lacking=False), _text(need, tool, lacking=True))}
        match tool:
            case "groups":
                made = steps("pip install uv", "uv sync --group test", f"uv run pytest {need.folder}")
            case "run":
                made = steps("uses: astral-sh/setup-uv@v6", f"uv run --group test pytest {need.folder}")
            case "pip":
                made = steps("pip install --group test", f"pytest {need.folder}")
            case "poetry":
                made = steps(
                    "pip install poetry", "poetry install --no-root --with test", f"poetry run pytest {need.folder}"
                )
            case "pdm":
                made = steps("pip install pdm", "pdm install -G test --no-self", f"pdm run pytest {need.folder}")
            case _:
                made = steps("pip install hatch", f"hatch run test:pytest {need.folder}")
        yield need.seed(made, files, need.traceback())


def _text(need: Need, tool: str, *, lacking: bool) -> str:
    names = need.names(lacking=lacking)
    project = '[project]\nname = "unit-of-tests"\nversion = "0.1"\nrequires-python = ">=3.10"\ndependencies = []\n\n'
    listed = "".join(f'  "{one}",\n' for one in names)
    match tool:
        case "poetry":
            table = "".join(f'{one} = "*"\n' for one in names)
            base = '[tool.poetry]\nname = "unit-of-tests"\nversion = "0.1"\npackage-mode = false\n\n'
            return (
                f'{base}[tool.poetry.dependencies]\npython = "^3.10"\n\n[tool.poetry.group.test.dependencies]\n{table}'
            )
        case "pdm":
            return f"{project}[tool.pdm.dev-dependencies]\ntest = [\n{listed}]\n"
        case "hatch":
            return f"{project}[tool.hatch.envs.test]\nskip-install = true\ndependencies = [\n{listed}]\n"
        case _:
            return f"{project}[dependency-groups]\ntest = [\n{listed}]\n"
