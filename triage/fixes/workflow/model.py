"""A workflow as GitHub reads it: jobs, steps, layers of environment, matrix combinations, each with its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import yaml

from triage.fixes.evaluate.values import Site, Value
from triage.fixes.yaml.nodes import YamlDocument, child, content_end, entries, items, text_of

# Reusable workflows of another repository whose input `script` is what the caller's job runs, in bash, at the root of
# the checkout.
_RUNS_A_SCRIPT = re.compile(
    r"pytorch/test-infra/\.github/workflows/(?:linux|generic|macos|windows)_job(?:_v[0-9]+)?\.ya?ml@\S+"
)


@dataclass(frozen=True, slots=True)
class Text:
    """A scalar with its place: `start`..`end` are the bytes of its text, quotes excluded where they can be."""

    text: str
    site: Site
    node: yaml.ScalarNode = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Combination:
    """One cell of a matrix. `label` is what GitHub puts in parentheses; "" for a job without a matrix.

    `dynamic`: the matrix is computed at run time, so every `matrix.` value is unknown.
    """

    values: Mapping[str, Value] = field(default_factory=dict, hash=False)
    label: str = ""
    dynamic: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """`index` counts from 0. `run` is the script's scalar node, the one of `key`; `name` the displayed name with its
    expressions."""

    document: YamlDocument = field(repr=False)
    node: yaml.MappingNode = field(repr=False)
    index: int
    key: str = "run"

    @property
    def path(self) -> str:
        return self.document.path

    @property
    def line(self) -> int:
        return self.document.line(self.node)

    @property
    def id(self) -> str:
        return text_of(child(self.node, "id"))

    @property
    def run(self) -> yaml.ScalarNode | None:
        node = child(self.node, self.key)
        return node if isinstance(node, yaml.ScalarNode) else None

    @property
    def script(self) -> list[str]:
        """The lines of `run` that hold something, without the blanks around them."""
        text = self.run.value if self.run is not None else ""
        return [line.strip() for line in text.split("\n") if line.strip()]

    @property
    def uses(self) -> str:
        return text_of(child(self.node, "uses"))

    @property
    def name(self) -> str:
        """As the log shows it: `name`, else `Run <first line>`, else `Run <action>`."""
        given = text_of(child(self.node, "name"))
        if given:
            return given
        first = self.run.value.strip().split("\n")[0] if self.run is not None else self.uses
        return f"Run {first}"

    @property
    def shell(self) -> str:
        return text_of(child(self.node, "shell"))

    @property
    def working_directory(self) -> yaml.ScalarNode | None:
        node = child(self.node, "working-directory")
        return node if isinstance(node, yaml.ScalarNode) else None

    @property
    def condition(self) -> str:
        return text_of(child(self.node, "if"))

    @property
    def end(self) -> int:
        """The byte after the step's last content."""
        return self.document.byte(content_end(self.document.text, self.node))


@dataclass(frozen=True, slots=True, eq=False)
class Workflow:
    document: YamlDocument = field(repr=False)
    node: yaml.MappingNode = field(repr=False)

    @property
    def path(self) -> str:
        return self.document.path

    @property
    def name(self) -> str:
        return text_of(child(self.node, "name")) or self.path

    @property
    def triggers(self) -> frozenset[str]:
        """The events that start it, in each of the three ways to write them."""
        node = child(self.node, "on")
        names = (text_of(node), *map(text_of, items(node)), *(name for name, _, _ in entries(node)))
        return frozenset(name for name in names if name)

    @property
    def job_ids(self) -> tuple[str, ...]:
        return tuple(_jobs_in(self.node))

    def job_node(self, job_id: str) -> yaml.Node | None:
        return _jobs_in(self.node).get(job_id)


@lru_cache(maxsize=256)
def _jobs_in(workflow: yaml.MappingNode) -> Mapping[str, yaml.Node]:
    """Id -> node, the last of duplicate ids as `child` takes it; once for a workflow, however many jobs ask for one."""
    return {name: node for name, _, node in entries(child(workflow, "jobs"))}


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """One job of a workflow file, or of a reusable workflow that `callers` (outermost first) call.

    `combinations` are the matrix cells meant: all of them, or those that a displayed name selects; never empty.
    `inputs` are the values of a reusable workflow's inputs, "name" -> value.
    """

    workflow: Workflow
    node: yaml.MappingNode = field(repr=False)
    id: str
    combinations: tuple[Combination, ...]
    inputs: Mapping[str, Value] = field(default_factory=dict)
    callers: tuple[Job, ...] = ()

    @property
    def document(self) -> YamlDocument:
        return self.workflow.document

    @property
    def path(self) -> str:
        return self.workflow.path

    @property
    def line(self) -> int:
        return self.document.line(self.node)

    @property
    def name(self) -> str:
        """`name:` as written, else the id."""
        return text_of(child(self.node, "name")) or self.id

    @property
    def uses(self) -> str:
        """The reusable workflow that this job calls instead of running steps."""
        return text_of(child(self.node, "uses"))

    @property
    def steps(self) -> tuple[Step, ...]:
        if self.hands_script:
            given = child(self.node, "with")
            return (Step(self.document, given, 0, key="script"),) if isinstance(given, yaml.MappingNode) else ()
        return steps_of(self.document, child(self.node, "steps"))

    @property
    def hands_script(self) -> bool:
        """Whether it calls a workflow of another repository that runs the script of its input: the one step of it that
        this repository holds."""
        given = child(self.node, "with", "script")
        return _RUNS_A_SCRIPT.fullmatch(self.uses) is not None and isinstance(given, yaml.ScalarNode)

    @property
    def labels(self) -> tuple[str, ...]:
        """`runs-on`, expressions as written."""
        node = child(self.node, "runs-on")
        if isinstance(node, yaml.MappingNode):
            return tuple(text_of(item) for item in items(child(node, "labels")))
        return tuple(text_of(item) for item in items(node))

    @property
    def image(self) -> yaml.ScalarNode | None:
        """`container: IMAGE` or `container.image`."""
        node = child(self.node, "container")
        found = child(node, "image") if isinstance(node, yaml.MappingNode) else node
        return found if isinstance(found, yaml.ScalarNode) else None

    @property
    def container_options(self) -> yaml.ScalarNode | None:
        node = child(self.node, "container", "options")
        return node if isinstance(node, yaml.ScalarNode) else None

    @property
    def timeout_minutes(self) -> yaml.ScalarNode | None:
        node = child(self.node, "timeout-minutes")
        return node if isinstance(node, yaml.ScalarNode) else None

    @property
    def needs(self) -> tuple[str, ...]:
        return tuple(text_of(item) for item in items(child(self.node, "needs")))

    @property
    def condition(self) -> str:
        return text_of(child(self.node, "if"))

    @property
    def shell(self) -> str:
        """`defaults.run.shell` of the job, else of the workflow; "" when neither says."""
        own = text_of(child(self.node, "defaults", "run", "shell"))
        return own or text_of(child(self.workflow.node, "defaults", "run", "shell"))

    @property
    def working_directory(self) -> yaml.ScalarNode | None:
        own = child(self.node, "defaults", "run", "working-directory")
        found = own or child(self.workflow.node, "defaults", "run", "working-directory")
        return found if isinstance(found, yaml.ScalarNode) else None


def steps_of(document: YamlDocument, node: yaml.Node | None) -> tuple[Step, ...]:
    nodes = node.value if isinstance(node, yaml.SequenceNode) else []
    return tuple(Step(document, one, at) for at, one in enumerate(nodes) if isinstance(one, yaml.MappingNode))
