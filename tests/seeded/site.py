"""Where a fault can be seeded: the jobs of a repository's workflows, read by a plain YAML parser and nothing of the
product, so that both do not share one mistake."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from triage.interfaces import Tree

_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}")
_FOLDER = ".github/workflows/"


@dataclass(frozen=True, slots=True)
class Job:
    """A job with steps of its own. `values`: the first cell of its matrix, by `matrix.NAME`."""

    workflow: str
    id: str
    body: Mapping[str, Any] = field(repr=False)
    env: Mapping[str, Any] = field(repr=False, default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def steps(self) -> Sequence[Mapping[str, Any]]:
        return [step for step in self.body["steps"] if isinstance(step, Mapping)]

    @property
    def name(self) -> str:
        """As the log shows it."""
        name = self.filled(str(self.body.get("name") or self.id))
        cell = [value for key, value in self.values.items() if key.startswith("matrix.")]
        return name if "${{" in str(self.body.get("name")) or not cell else f"{name} ({', '.join(cell)})"

    def filled(self, text: str) -> str:
        """`text` with the expressions whose value the first cell gives; the others become empty, secrets stars."""

        def value(found: re.Match[str]) -> str:
            name = found[1].strip()
            return "***" if name.startswith("secrets.") else self.values.get(name, "")

        return _EXPRESSION.sub(value, text)

    def runs(self) -> Iterator[tuple[int, str]]:
        """The steps that run a script, by their number from 0."""
        for number, step in enumerate(self.steps):
            if isinstance(step.get("run"), str):
                yield number, step["run"]


@dataclass(frozen=True, slots=True)
class Site:
    """One repository at one commit."""

    repo: str
    tree: Tree = field(repr=False)
    jobs: tuple[Job, ...] = field(repr=False)

    def text(self, path: str) -> str:
        return self.tree.read(path).decode("utf-8", "replace")


def site_of(repo: str, tree: Tree) -> Site:
    paths = [one for one in tree.paths() if one.startswith(_FOLDER) and one.endswith((".yml", ".yaml"))]
    return Site(repo, tree, tuple(job for path in paths for job in jobs_of(path, tree.read(path))))


def jobs_of(path: str, content: bytes) -> Iterator[Job]:
    """The jobs with steps of one workflow; none where it is no YAML."""
    try:
        read = yaml.safe_load(content)
    except (yaml.YAMLError, ValueError):
        return
    jobs = read.get("jobs") if isinstance(read, dict) else None
    for id_, body in jobs.items() if isinstance(jobs, dict) else ():
        if isinstance(body, dict) and isinstance(body.get("steps"), list):
            env = {**_mapping(read.get("env")), **_mapping(body.get("env"))}
            yield Job(path, str(id_), body, env, _cell(body))


def _cell(body: Mapping[str, Any]) -> Mapping[str, str]:
    matrix = _mapping(_mapping(body.get("strategy")).get("matrix"))
    axes = {name: values[0] for name, values in matrix.items() if isinstance(values, list) and values}
    include = axes.pop("include", None)
    axes.pop("exclude", None)
    if not axes and isinstance(include, dict):
        axes = include
    return {f"matrix.{name}": str(value) for name, value in axes.items() if not isinstance(value, dict | list)}


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
