"""Variables of scripts and of steps under a name that nobody reads, or reads of a name that nobody sets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.seeded.launch import pick
from tests.seeded.seed import Seed
from tests.seeded.site import HOME, SHELL, Job, Site
from tests.seeded.text import misspelt, of_scripts

_STRICT = re.compile(r"(?m)^\s*set (?:-\w*u\w*|-o nounset)|^set -[eux]+o? pipefail.*u", re.M)
_CALLED = re.compile(r"(?:^|[\s;&|])(?:bash|sh) (?:-\w+ )*(?:\./)?([\w./-]+\.sh)\b|(?:^|\s)\./([\w./-]+\.sh)\b")
_ASSIGNED = re.compile(r"^(?:export )?(?P<name>[A-Za-z_]\w{4,})=", re.M)


def read_misspelt(site: Site) -> Iterator[Seed]:
    """A variable's name where a strict script reads it, at the left margin: no branch or function leaves it out."""
    for job, step, path, text in _scripts(site):
        lines = text.split("\n")
        own = [
            (at, line)
            for at, line in enumerate(lines)
            if (found := _read_in(line, _names(text))) and lines.index(line) == at and f"{found}:-" not in line
        ]
        chosen = pick(own, path)
        if chosen:
            name = _read_in(chosen[1], _names(text))
            wrong = misspelt(name)
            if wrong not in text:
                line = re.sub(rf"(\$\{{?){name}\b", rf"\g<1>{wrong}", chosen[1], count=1)
                spoilt = "\n".join([*lines[: chosen[0]], line, *lines[chosen[0] + 1 :]])
                # Where nothing else reads it, the other name may be the slip.
                accepts = rf"^\s*(?:export )?{wrong}=" if len(re.findall(rf"\$\{{?{name}\b", text)) == 1 else ""
                said = f"{path}: line {chosen[0] + 1}: {wrong}: unbound variable"
                yield Seed(job, step, {path: spoilt.encode()}, (said,), f"{name} read as {wrong}", accepts=accepts)


def set_misspelt(site: Site) -> Iterator[Seed]:
    """A variable's name where a strict script sets it, and it alone."""
    for job, step, path, text in _scripts(site):
        lines = text.split("\n")
        own = [
            (at, line)
            for at, line in enumerate(lines)
            if (found := _ASSIGNED.match(line)) and _set_once(text, found["name"]) and _first_read(lines, found["name"])
        ]
        chosen = pick(own, path)
        if chosen:
            name = _ASSIGNED.match(chosen[1])["name"]  # type: ignore[index]
            wrong = misspelt(name)
            at = _first_read(lines, name)
            if wrong not in text and at > chosen[0] + 1:
                line = chosen[1].replace(f"{name}=", f"{wrong}=", 1)
                spoilt = "\n".join([*lines[: chosen[0]], line, *lines[chosen[0] + 1 :]])
                said = f"{path}: line {at}: {name}: unbound variable"
                accepts = rf"\$\{{?{wrong}\b" if len(re.findall(rf"\$\{{?{name}\b", text)) == 1 else ""
                yield Seed(job, step, {path: spoilt.encode()}, (said,), f"{name} set as {wrong}", accepts=accepts)


def env_misspelt(site: Site) -> Iterator[Seed]:
    """An entry of a step's or a job's `env` that a Python script of the tree, or a strict one of a shell, demands."""
    for job, number, text, run in of_scripts(site, "run"):
        script = str(job.steps[number].get("run", ""))
        layers = [text.of_step(job, number, "env"), text.entry(text.root, "jobs", job.id, "env")]
        for layer in layers:
            for key, _value in text.entries(layer[1]) if layer else ():
                said = _demands(site, script, key.value)
                wrong = misspelt(key.value)
                once = text.text.count(key.value) == 1 or layer is layers[0]
                if said and once and key.value not in _elsewhere(job, number, layer is layers[0]) and run:
                    spoilt = text.with_scalar(key, wrong).encode()
                    yield Seed(job, number, {job.workflow: spoilt}, said, f"{key.value} -> {wrong}")


def _elsewhere(job: Job, number: int, of_step: bool) -> str:
    """What sets variables for the step besides."""
    own = job.steps[number].get("env") if not of_step else job.env
    return str(own) + "".join(run for _, run in job.runs() if "GITHUB_ENV" in run)


def _demands(site: Site, script: str, name: str) -> tuple[str, ...]:
    for found in re.finditer(r"python3? ([\w./-]+\.py)|(?:bash|sh) (?:\./)?([\w./-]+\.sh)\b", script):
        path = found[1] or found[2]
        if path not in site.tree or name in script:
            continue
        lines = site.text(path).splitlines()
        if found[1]:
            asked = next(
                (at for at, line in enumerate(lines) if re.match(rf"\w+ = os\.environ\[[\"']{name}", line)), -1
            )
            if asked >= 0:
                return (
                    "Traceback (most recent call last):",
                    f'  File "{HOME}/{path}", line {asked + 1}, in <module>',
                    f"    {lines[asked].strip()}",
                    '  File "<frozen os>", line 685, in __getitem__',
                    f"KeyError: '{name}'",
                )
        at = _first_read(lines, name)
        if found[2] and at and _STRICT.search(site.text(path)) and name not in _names(site.text(path)):
            return (f"{path}: line {at}: {name}: unbound variable",)
    lines = script.splitlines()
    at = _first_read(lines, name)
    if at and _STRICT.search(script) and f"{name}=" not in script:
        return (f"{SHELL}: line {at}: {name}: unbound variable",)
    return ()


def _scripts(site: Site) -> Iterator[tuple[Job, int, str, str]]:
    """Strict scripts that a job starts, then some that somebody starts by hand."""
    seen: set[str] = set()
    for job in site.jobs:
        for number, script in job.runs():
            for groups in _CALLED.findall(script):
                path = groups[0] or groups[1]
                if path in site.tree and path not in seen and _STRICT.search(site.text(path)):
                    seen.add(path)
                    yield job, number, path, site.text(path)
    for path in site.tree.paths():
        if path.endswith(".sh") and path not in seen and _STRICT.search(site.text(path)):
            yield Job("", "", {"steps": [{"run": f"bash {path}"}]}), 0, path, site.text(path)


def _names(text: str) -> frozenset[str]:
    return frozenset(_ASSIGNED.findall(text))


def _set_once(text: str, name: str) -> bool:
    return len(re.findall(rf"(?<![\w$]){name}\+?=", text)) == 1 and f"{name}:-" not in text and f"{name}-" not in text


def _read_in(line: str, names: frozenset[str]) -> str:
    if not re.match(r"[A-Za-z\"$]", line) or line.startswith(("if ", "function ", "trap ")) or "'" in line:
        return ""
    found = [one for one in re.findall(r"\$\{?([A-Za-z_]\w{4,})(?=[}/\"\s.]|$)", line) if one in names]
    return found[0] if len(found) == 1 else ""


def _first_read(lines: list[str], name: str) -> int:
    """The number of the line, from 1, at the left margin; 0 where it is read elsewhere first, or never."""
    at = next((at for at, line in enumerate(lines) if re.search(rf"\$\{{?{name}\b", line)), -1)
    plain = at >= 0 and bool(re.match(r"[A-Za-z\"$]", lines[at])) and "'" not in lines[at]
    asks = at >= 0 and bool(re.search(rf"\$\{{{name}:?[-+?=]", lines[at]) or lines[at].lstrip().startswith("trap"))
    return at + 1 if plain and not asks else 0
