"""A workflow that GitHub does not take: a job that is not there, a called workflow's inputs, broken YAML."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from tests.seeded.seed import Seed
from tests.seeded.site import Job, Site
from tests.seeded.text import Entry, Node, Text, misspelt, place, workflows

_QUOTED = re.compile(r"^(\s+(?:- )?[\w.-]+: )(['\"])([^'\"]+)\2\s*$")
_PLAIN = re.compile(r"^(\s+)(runs-on|uses|name|timeout-minutes|python-version|if|id): (?=[\w.$])")


def needs(site: Site) -> Iterator[Seed]:
    """A misspelt name in `needs`."""
    for path, text in workflows(site):
        for id_, body in _jobs(text):
            found = text.entry(body, "needs")
            nodes = _scalars(found[1]) if found else []
            for node in nodes[-1:]:
                wrong = misspelt(node.value)
                if wrong in dict(_jobs(text)):
                    continue
                words = f"Job '{id_}' depends on unknown job '{wrong}'."
                yield _seed(path, id_, text.with_scalar(node, wrong), node, words)


def called_input(site: Site) -> Iterator[Seed]:
    """An input that a called workflow does not define, by a slip."""
    for path, id_, text, entry, callee in _calls(site):
        for name, _value in text.entries(entry[1]):
            if name.value in _defined(callee):
                wrong = misspelt(name.value)
                words = f"Invalid input, {wrong} is not defined in the referenced workflow."
                yield _seed(path, id_, text.with_scalar(name, wrong), name, words)
                break


def called_lacks(site: Site) -> Iterator[Seed]:
    """A required input of a called workflow that is no longer given; only where another call gives the same value."""
    calls = list(_calls(site))
    for path, id_, text, entry, callee in calls:
        entries = list(text.entries(entry[1]))
        for name, value in entries if len(entries) > 1 else ():
            said = _defined(callee).get(name.value)
            if not isinstance(said, dict) or said.get("required") is not True or "default" in said:
                continue
            if not isinstance(value, yaml.ScalarNode):
                continue
            others = {
                other.value
                for _, other_id, other_text, other_entry, other_callee in calls
                if other_callee == callee and (other_id, other_text.text) != (id_, text.text)
                for other_name, other in other_text.entries(other_entry[1])
                if other_name.value == name.value and isinstance(other, yaml.ScalarNode)
            }
            if others != {value.value}:
                continue
            uses = text.entry(text.root, "jobs", id_, "uses")[1]
            words = f"Input {name.value} is required, but not provided while calling."
            yield _seed(path, id_, text.without((name, value)), uses, words)


def called_path(site: Site) -> Iterator[Seed]:
    """The path of a called workflow, with a slip in it."""
    for path, text in workflows(site):
        for id_, body in _jobs(text):
            uses = text.entry(body, "uses")
            if not uses or not uses[1].value.startswith("./") or uses[1].value[2:] not in site.tree:
                continue
            folder, _, name = uses[1].value.rpartition("/")
            stem, dot, ending = name.rpartition(".")
            wrong = f"{folder}/{misspelt(stem)}{dot}{ending}"
            if wrong[2:] in site.tree:
                continue
            call = f'error parsing called workflow "{path}" -> "{wrong}" (source branch with sha:{"9c1f0a2e" * 5})'
            where = "https://docs.github.com/actions/learn-github-actions/reusing-workflows"
            lines = (
                f"Invalid workflow file: {path}#L{uses[1].start_mark.line + 1}",
                f"{call} : workflow was not found. See {where}#access-to-reusable-workflows for more information.",
            )
            spoilt = text.with_scalar(uses[1], wrong)
            yield _without_run(path, id_, spoilt, lines, wrong)


def cell_misspelt(site: Site) -> Iterator[Seed]:
    """`runs-on` asks the matrix for an axis that it does not have."""
    for path, text in workflows(site):
        for id_, body in _jobs(text):
            runs = text.entry(body, "runs-on")
            found = runs and re.fullmatch(r"\$\{\{ *matrix\.([\w-]+) *\}\}", str(runs[1].value))
            if not found or not text.entry(body, "strategy", "matrix", found[1]):
                continue
            wrong = misspelt(found[1])
            lines = (f"Error when evaluating 'runs-on' for job '{id_}'. {path} {place(runs[1])}: Unexpected value ''",)
            spoilt = text.with_scalar(runs[1], runs[1].value.replace(found[1], wrong))
            yield _without_run(path, id_, spoilt, lines, wrong)


def quote(site: Site) -> Iterator[Seed]:
    """A value that has lost its closing quote."""
    for path, text in workflows(site):
        for at, line in enumerate(text.text.split("\n")):
            found = _QUOTED.match(line)
            if found:
                yield from _broken(site, path, text, text.with_line(at, line.rstrip()[:-1]), at)


def tab(site: Site) -> Iterator[Seed]:
    """A line indented by a tab."""
    for path, text in workflows(site):
        for at, line in enumerate(text.text.split("\n")):
            found = _PLAIN.match(line)
            if found:
                yield from _broken(site, path, text, text.with_line(at, "\t" + line.lstrip()), at)


def indentation(site: Site) -> Iterator[Seed]:
    """A key of a step that stands one column too far to the left or to the right."""
    for path, text in workflows(site):
        lines = text.text.split("\n")
        for at, line in enumerate(lines):
            found = _PLAIN.match(line)
            if found and len(found[1]) > 4 and at and re.match(rf"{found[1][2:]}- |{found[1]}\w", lines[at - 1]):
                new = line[1:] if at % 2 else " " + line
                yield from _broken(site, path, text, text.with_line(at, new), at)


def colon(site: Site) -> Iterator[Seed]:
    """A key without its colon."""
    for path, text in workflows(site):
        for at, line in enumerate(text.text.split("\n")):
            if _PLAIN.match(line):
                yield from _broken(site, path, text, text.with_line(at, line.replace(": ", " ", 1)), at)


def _broken(site: Site, path: str, text: Text, spoilt: str, at: int) -> Iterator[Seed]:
    """Where it is no YAML now: the message of a parser of the family that GitHub's is of too."""
    try:
        yaml.compose(spoilt, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        line = (error.problem_mark or error.context_mark).line + 1
        lines = (
            f"Invalid workflow file: {path}#L{line}",
            f"You have an error in your yaml syntax on line {line}",
        )
        job = next((id_ for id_, body in reversed(_jobs(text)) if body.start_mark.line <= at), "")
        yield _without_run(path, job, spoilt, lines, f"line {at + 1}, said {line}")


def _seed(path: str, id_: str, spoilt: str, at: Node, words: str) -> Seed:
    """`at`: what GitHub's message points to."""
    lines = (
        f"Invalid workflow file: {path}#L{at.start_mark.line + 1}",
        f"The workflow is not valid. {path} {place(at)}: {words}",
    )
    return _without_run(path, id_, spoilt, lines, words)


def _without_run(path: str, id_: str, spoilt: str, lines: tuple[str, ...], about: str) -> Seed:
    return Seed(Job(path, id_, {"steps": []}), -1, {path: spoilt.encode()}, lines, about)


def _jobs(text: Text) -> list[tuple[str, Node]]:
    jobs = text.entry(text.root, "jobs")
    return [(key.value, value) for key, value in text.entries(jobs[1])] if jobs else []


def _calls(site: Site) -> Iterator[tuple[str, str, Text, Entry, str]]:
    """Jobs that call a workflow of the tree, with their `with`."""
    for path, text in workflows(site):
        for id_, body in _jobs(text):
            uses, given = text.entry(body, "uses"), text.entry(body, "with")
            if uses and given and str(uses[1].value).startswith("./") and uses[1].value[2:] in site.tree:
                yield path, id_, text, given, site.text(uses[1].value[2:])


def _defined(callee: str) -> dict[str, object]:
    try:
        told = yaml.load(callee, Loader=yaml.CSafeLoader)
        return told[True]["workflow_call"]["inputs"] or {}
    except (yaml.YAMLError, KeyError, TypeError):
        return {}


def _scalars(node: Node) -> list[yaml.ScalarNode]:
    nodes = node.value if isinstance(node, yaml.SequenceNode) else [node]
    return [one for one in nodes if isinstance(one, yaml.ScalarNode) and not one.style]
