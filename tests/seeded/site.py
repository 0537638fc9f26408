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
# Where the runner checks the repository out, and where it writes a step's script.
HOME = "/home/runner/work/repo/repo"
SHELL = "/home/runner/work/_temp/0b2f4a5e-7c1d-4f3a-9a63-2d1f6f0c9e77.sh"
# What a run knows by itself, and what stands for the values that only it knows.
_GIVEN: Mapping[str, str] = {
    "github.event_name": "push",
    "github.ref_name": "main",
    "github.ref": "refs/heads/main",
    "github.repository": "repo/repo",
    "github.sha": "9c1f0a2e77bd36d5e4f3c2b1a09f8e7d6c5b4a39",
    "github.workspace": HOME,
    "runner.os": "Linux",
    "github": "17012345678",
    "inputs": "given",
    "steps": "made",
    "needs": "made",
    "vars": "kept",
}
_FOLDER = ".github/workflows/"


@dataclass(frozen=True, slots=True)
class Job:
    """A job with steps of its own. `values`: the first cell of its matrix, by `matrix.NAME`; `permissions`: of its
    token, None where the workflow does not say."""

    workflow: str
    id: str
    body: Mapping[str, Any] = field(repr=False)
    env: Mapping[str, Any] = field(repr=False, default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    permissions: Mapping[str, str] | None = None

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
            if name.startswith("secrets."):
                return "***"
            own = str(self.env.get(name.removeprefix("env."), "")) if name.startswith("env.") else ""
            return self.values.get(name, own or _GIVEN.get(name, _GIVEN.get(name.partition(".")[0], "")))

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
    return Site(repo, tree, tuple(job for path in workflows_of(tree) for job in jobs_of(path, tree.read(path))))


def workflows_of(tree: Tree) -> list[str]:
    return [one for one in tree.paths() if one.startswith(_FOLDER) and one.endswith((".yml", ".yaml"))]


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
            yield Job(
                path, str(id_), body, env, _cell(body), _granted(body.get("permissions", read.get("permissions")))
            )


_SCOPES = ("actions", "checks", "contents", "deployments", "issues", "packages", "pull-requests", "statuses")


def _granted(said: object) -> Mapping[str, str] | None:
    match said:
        case dict():
            return {str(scope): str(access) for scope, access in said.items()}
        case "write-all" | "read-all":
            return dict.fromkeys(_SCOPES, said.partition("-")[0])
        case _:
            return None


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
