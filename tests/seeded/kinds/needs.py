"""Tests of a repository with what they import, and a job of our own that runs them: its requirements can stand wherever
other repositories keep them."""

from __future__ import annotations

import hashlib
import posixpath
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from tests.seeded.kinds.missing_package import modules_by_distribution
from tests.seeded.kinds.reached import Chain, modules_of, printed
from tests.seeded.seed import Seed
from tests.seeded.site import HOME, Job, Site, jobs_of

WORKFLOW = ".github/workflows/kept.yml"
# What so many others require that it is there anyway.
_BROUGHT = frozenset(
    [
        *("accelerate", "aiohttp", "antlr4-python3-runtime", "anyio", "attrs", "certifi", "charset-normalizer"),
        *("click", "cloudpickle", "dill", "exceptiongroup", "fastapi", "filelock", "fsspec", "gitpython"),
        *("grpcio", "httpx", "huggingface-hub", "idna", "jax", "jinja2", "joblib", "jsonschema"),
        *("lightning-utilities", "markupsafe", "mpmath", "msgpack", "multiprocess", "networkx", "ninja"),
        *("numpy", "omegaconf", "packaging", "pandas", "pillow", "pip", "platformdirs", "pluggy", "protobuf"),
        *("psutil", "py-cpuinfo", "pyarrow", "pydantic", "pydantic-core", "pygments", "pyparsing", "pytest"),
        *("python-dateutil", "pytz", "pyyaml", "regex", "requests", "rich", "safetensors", "scikit-learn"),
        *("scipy", "sentencepiece", "setuptools", "sglang", "six", "starlette", "sympy", "tensorflow"),
        *("tokenizers", "torch", "torchvision", "tqdm", "transformers", "triton", "typing-extensions"),
        *("tzdata", "urllib3", "uvicorn", "uvloop", "vllm", "wheel"),
    ]
)  # fmt: skip
_TEST = re.compile(r"(?:^|/)test_[^/]*\.py$")
# Folders that are looked at in one repository, and tests in one that is small enough.
_FOLDERS, _TESTS = 12, 60
_PYTHON = "3.11"


@dataclass(frozen=True, slots=True)
class Need:
    """`dist` provides `module`, which the tests of `folder` import by `way`; they import `others` as well."""

    site: Site = field(repr=False)
    folder: str
    dist: str
    module: str
    way: Chain
    others: tuple[str, ...]

    @property
    def by_test(self) -> bool:
        """Whether a test itself imports it."""
        return len(self.way) == 1

    def seed(self, steps: str, files: Mapping[str, tuple[str, str]], printed: Sequence[str], accepts: str = "") -> Seed:
        """`steps`: of the job, the last one fails. `files`: as they should be, and as they are."""
        workflow = f"name: kept\non: [push]\njobs:\n  unit:\n    runs-on: ubuntu-22.04\n    steps:\n{steps}"
        job = next(jobs_of(WORKFLOW, workflow.encode()))
        spoilt = {WORKFLOW: workflow, **{path: text for path, (_, text) in files.items()}}
        mended = {WORKFLOW: workflow, **{path: text for path, (text, _) in files.items()}}
        return Seed(
            job,
            len(job.steps) - 1,
            {path: text.encode() for path, text in spoilt.items()},
            tuple(printed),
            f"{self.dist} for {self.folder}",
            mended={path: text.encode() for path, text in mended.items()},
            accepts=accepts or rf"(?i)(?:^|[\s\"']){re.sub('[-_.]', '[-_.]', self.dist)}(?:[\s\"',;]|$)",
        )

    def traceback(self, home: str = HOME) -> list[str]:
        error = f"ModuleNotFoundError: No module named '{self.module}'"
        return [line.replace(HOME, home) for line in printed(self.way, error, pytest=True)]

    def names(self, *, lacking: bool) -> list[str]:
        """What the tests need, with pytest; `lacking`: without the one."""
        return sorted({"pytest", *self.others, *([] if lacking else [self.dist])})


def steps(*scripts: str, python: bool = True) -> str:
    """The steps of the job: the checkout, Python, and these scripts."""
    found = "      - uses: actions/checkout@v4\n"
    found += (
        f'      - uses: actions/setup-python@v5\n        with:\n          python-version: "{_PYTHON}"\n'
        if python
        else ""
    )
    for script in scripts:
        lines = script.split("\n")
        if script.startswith("uses:"):
            found += "".join(f"{'      - ' if not at else '        '}{line}\n" for at, line in enumerate(lines))
        elif len(lines) == 1:
            found += f"      - run: {script}\n"
        else:
            found += "      - run: |\n" + "".join(f"          {line}\n" for line in lines)
    return found


def needs(site: Site, least: int = 2) -> Iterator[Need]:
    """Of each folder of tests the first thing that nothing else brings, each thing once; `least`: of others beside."""
    seen: set[str] = set()
    for folder in _folders(site):
        every = _dists(site, folder)
        own = [one for one in every if one not in _BROUGHT and one not in seen]
        for dist in sorted(own, key=lambda one: hashlib.sha256(f"{folder}{one}".encode()).digest()):
            module, way = every[dist]
            others = tuple(one for one in every if one != dist)
            need = Need(site, folder, dist, module, way, others)
            if len(others) >= least and not _related(dist, others):
                seen.add(dist)
                yield need
                break


def every_need(site: Site, wanted: frozenset[str]) -> Iterator[Need]:
    """Each of the wanted distributions that tests reach and nothing else brings, once."""
    seen: set[str] = set()
    for folder in _folders(site):
        every = _dists(site, folder)
        for dist, (module, way) in every.items():
            others = tuple(one for one in every if one != dist)
            if dist in wanted and dist not in _BROUGHT and dist not in seen and not _related(dist, others):
                seen.add(dist)
                yield Need(site, folder, dist, module, way, others)


def _related(dist: str, others: Sequence[str]) -> bool:
    """Whether one of the others may bring it: both are of one family."""
    stem = re.split(r"[-_.]", dist)[0]
    return any(re.split(r"[-_.]", one)[0] == stem for one in others)


def _folders(site: Site) -> list[str]:
    tests: dict[str, int] = {}
    for path in site.tree.paths():
        if _TEST.search(path) and "/" in path:
            tests[posixpath.dirname(path)] = tests.get(posixpath.dirname(path), 0) + 1
    fitting = [one for one, count in tests.items() if count <= _TESTS and " " not in one]
    return sorted(fitting, key=lambda one: hashlib.sha256(one.encode()).digest())[:_FOLDERS]


def _dists(site: Site, folder: str) -> dict[str, tuple[str, Chain]]:
    """By distribution the module and the way, of all that the tests there import and a table knows."""
    job = Job("", "", {"steps": [{"run": f"pytest {folder}"}]})
    reached = modules_of(site.tree, job, 0)
    known = _providers()
    found = {}
    for module, way in reached.items():
        if module in known and module not in sys.stdlib_module_names:
            found[known[module]] = (module, way)
    return found


@lru_cache(maxsize=1)
def _providers() -> Mapping[str, str]:
    """By module the one distribution that the reviewed table gives it."""
    found: dict[str, set[str]] = {}
    for dist, modules in modules_by_distribution().items():
        for module in modules:
            found.setdefault(module.partition(".")[0], set()).add(dist)
    return {module: next(iter(dists)) for module, dists in found.items() if len(dists) == 1}
