"""Names by which jobs hand things on: of artifacts, of outputs of a step, of outputs of a job."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from tests.seeded.seed import Seed
from tests.seeded.site import Job, Site
from tests.seeded.text import Node, Text, misspelt, place, read, workflows

_OUTPUT = re.compile(r"\$\{\{ *(?P<whole>steps\.(?P<of>[\w-]+)\.outputs\.(?P<name>[\w-]+)) *\}\}")


def downloaded(site: Site) -> Iterator[Seed]:
    """The name of an artifact, at the step that downloads it."""
    for text, job, number, name in _named(site, "actions/download-artifact@"):
        uploads = [
            one.value for _, other, _, one in _named(site, "actions/upload-artifact@") if other.workflow == job.workflow
        ]
        if uploads.count(name.value) == 1:
            yield _not_found(text, job, number, name, misspelt(name.value))


def uploaded(site: Site) -> Iterator[Seed]:
    """The name at the step that uploads it, where two steps download it by its right name."""
    for text, job, _number, name in _named(site, "actions/upload-artifact@"):
        readers = [
            (other, at, one)
            for _, other, at, one in _named(site, "actions/download-artifact@")
            if other.workflow == job.workflow and one.value == name.value
        ]
        if len(readers) > 1:
            other, at, one = readers[0]
            seed = _not_found(text, other, at, one, name.value)
            yield Seed(
                other, at, {job.workflow: text.with_scalar(name, misspelt(name.value)).encode()}, seed.lines, seed.about
            )


def _named(site: Site, action: str) -> Iterator[tuple[Text, Job, int, yaml.ScalarNode]]:
    for job in site.jobs:
        text = read(site.text(job.workflow))
        for number, step in enumerate(job.steps):
            if text and str(step.get("uses", "")).startswith(action):
                name = text.of_step(job, number, "with", "name")
                if name and not {"run-id", "github-token"} & set(step["with"]) and "${{" not in name[1].value:
                    yield text, job, number, name[1]


def _not_found(text: Text, job: Job, number: int, node: yaml.ScalarNode, wrong: str) -> Seed:
    words = (
        "Downloading single artifact",
        f"##[error]Unable to download artifact(s): Artifact not found for name: {wrong}",
        "        Please ensure that your artifact is not expired and the artifact was uploaded using a compatible version",
    )
    return Seed(job, number, {job.workflow: text.with_scalar(node, wrong).encode()}, words, wrong)


def output_of_step(site: Site) -> Iterator[Seed]:
    """`steps.ID.outputs.NAME` with a slip, as the one value of an input that an action demands."""
    for text, job, number, name, node, found in _asked(site):
        if _writes(job, found["of"], found["name"]):
            wrong = f".outputs.{misspelt(found['name'])}"
            yield from _empty(text, job, number, name, node, found, (f".outputs.{found['name']}", wrong))


def id_of_step(site: Site) -> Iterator[Seed]:
    """The same with a slip in the step's id."""
    for text, job, number, name, node, found in _asked(site):
        if any(step.get("id") == found["of"] for step in job.steps):
            yield from _empty(text, job, number, name, node, found, (f".{found['of']}.", f".{misspelt(found['of'])}."))


def _empty(
    text: Text, job: Job, number: int, name: str, node: yaml.ScalarNode, found: re.Match[str], slip: tuple[str, str]
) -> Iterator[Seed]:
    spoilt = text.with_scalar(node, node.value.replace(*slip))
    words = (f"##[error]Input required and not supplied: {name}",)
    if spoilt != text.text:
        yield Seed(job, number, {job.workflow: spoilt.encode()}, words, found["whole"])


# The inputs that these actions demand, and the words with which the runner's toolkit refuses an empty one.
_DEMANDED = {
    "actions/cache": ("path", "key"),
    "actions/cache/restore": ("path", "key"),
    "actions/cache/save": ("path", "key"),
    "actions/upload-artifact": ("path",),
    "actions/github-script": ("script",),
}


def _asked(site: Site) -> Iterator[tuple[Text, Job, int, str, yaml.ScalarNode, re.Match[str]]]:
    for job in site.jobs:
        text = read(site.text(job.workflow))
        for number, step in enumerate(job.steps):
            names = _DEMANDED.get(str(step.get("uses", "")).partition("@")[0], ())
            for name in names if text else ():
                found = text.of_step(job, number, "with", name)
                value = str(found[1].value).strip() if found else ""
                match = _OUTPUT.fullmatch(value)
                if match:
                    yield text, job, number, name, found[1], match


def _writes(job: Job, id_: str, name: str) -> bool:
    step = next((one for one in job.steps if one.get("id") == id_), {})
    return f"{name}=" in str(step.get("run", ""))


def output_of_job(site: Site) -> Iterator[Seed]:
    """`fromJson(needs.JOB.outputs.NAME)` of a matrix, or `runs-on`, with a slip in the output's name."""
    for path, text in workflows(site):
        jobs = text.entry(text.root, "jobs")
        for key, body in text.entries(jobs[1]) if jobs else ():
            for node in _below(text, body):
                found = re.search(r"needs\.([\w-]+)\.outputs\.([\w-]+)", node.value)
                declared = text.entry(text.root, "jobs", found[1], "outputs", found[2]) if found else None
                if not declared:
                    continue
                wrong = misspelt(found[2])
                spoilt = text.with_scalar(node, node.value.replace(f".outputs.{found[2]}", f".outputs.{wrong}"))
                at = f"{path} {place(node)}"
                if "fromJ" in node.value:
                    words = (
                        f"Error when evaluating 'strategy' for job '{key.value}'. {at}: Error parsing fromJson,{at}:"
                        " Error reading JToken from JsonReader. Path '', line 0, position 0.,"
                        f"{at}: Unexpected value ''"
                    )
                else:
                    words = f"Error when evaluating 'runs-on' for job '{key.value}'. {at}: Unexpected value ''"
                if spoilt != text.text:
                    yield Seed(Job(path, key.value, {"steps": []}), -1, {path: spoilt.encode()}, (words,), wrong)


def _below(text: Text, body: Node) -> Iterator[yaml.ScalarNode]:
    """The scalars of a job's matrix, and its machine."""
    matrix = text.entry(body, "strategy", "matrix")
    for found in (matrix, text.entry(body, "runs-on")):
        nodes = [found[1]] if found else []
        while nodes:
            node = nodes.pop(0)
            if isinstance(node, yaml.ScalarNode):
                yield node
            elif isinstance(node, yaml.SequenceNode):
                nodes += node.value
            else:
                nodes += [value for _, value in node.value]
