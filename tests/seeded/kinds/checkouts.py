"""A checkout that is not there, or that brings less than later steps need."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.seeded.seed import Seed
from tests.seeded.site import HOME, Job, Site
from tests.seeded.text import Text, read

# The exit code, and what is printed.
_Said = tuple[int, tuple[str, ...]]


def missing(site: Site) -> Iterator[Seed]:
    """No checkout step: the first step that reads the repository fails."""
    for job in site.jobs:
        text = read(site.text(job.workflow))
        at = _checkouts(job)
        if text is None or len(at) != 1 or at[0] >= len(job.steps) - 1:
            continue
        node = text.step(job, at[0])
        step = job.steps[at[0]]
        if node is None or {"repository", "path", "ref"} & set(step.get("with") or {}) or step.get("if"):
            continue
        for number in range(at[0] + 1, len(job.steps)):
            said = _needs(site, job, job.steps[number])
            if said:
                spoilt = _without_step(text, job, at[0])
                if spoilt:
                    yield Seed(job, number - 1, {job.workflow: spoilt}, said[1], f"missing: {said[1][0]}", code=said[0])
                break


def fetch_depth(site: Site) -> Iterator[Seed]:
    """`fetch-depth: 0` taken out where a step asks git for the past."""
    for job in site.jobs:
        text = read(site.text(job.workflow))
        at = _checkouts(job)
        given = text.of_step(job, at[0], "with") if text and len(at) == 1 else None
        found = text.entry(given[1], "fetch-depth") if text and given else None
        if not text or not found:
            continue
        for number, script in job.runs():
            said = _past(job.filled(script))
            if number > at[0] and said:
                spoilt = text.without_one(given, found).encode()
                yield Seed(job, number, {job.workflow: spoilt}, said[1], said[1][0], code=said[0])
                break


def _checkouts(job: Job) -> list[int]:
    return [n for n, step in enumerate(job.steps) if str(step.get("uses", "")).startswith("actions/checkout@")]


def _without_step(text: Text, job: Job, number: int) -> bytes:
    steps = text.entry(text.root, "jobs", job.id, "steps")[1].value
    first, after = steps[number].start_mark.line, steps[number + 1].start_mark.line
    lines = text.text.split("\n")
    while after > first + 1 and (not lines[after - 1].strip() or lines[after - 1].lstrip().startswith("#")):
        after -= 1
    if not lines[first].lstrip().startswith("- "):
        return b""
    return text.without_lines(first, after - 1).encode()


def _needs(site: Site, job: Job, step: Mapping[str, Any]) -> _Said | None:
    """What a step that reads the repository says where there is none."""
    used, given = str(step.get("uses", "")), step.get("with")
    names = given if isinstance(given, dict) else {}
    if used.startswith("./"):
        under = f"##[error]Can't find 'action.yml', 'action.yaml' or 'Dockerfile' under '{HOME}/{used[2:]}'."
        return 1, (f"{under} Did you forget to run actions/checkout before running your local action?",)
    keeps = bool(names.get("cache")) and "cache-dependency-path" not in names
    if keeps and used.startswith("actions/setup-python@") and names["cache"] == "pip":
        listed = f"##[error]No file in {HOME} matched to [**/requirements.txt or **/pyproject.toml]"
        return 1, (f"{listed}, make sure you have checked out the target repository",)
    if keeps and used.startswith("actions/setup-node@"):
        listed = f"##[error]Dependencies lock file is not found in {HOME}. Supported file patterns:"
        return 1, (f"{listed} package-lock.json,npm-shrinkwrap.json,yarn.lock",)
    script = step.get("run")
    if not isinstance(script, str) or step.get("working-directory"):
        return None
    for line in job.filled(script).split("\n"):
        if re.match(r"\s*cd\b", line):
            return None
        said = next((one for one in _said(site, line)), None)
        if said:
            return said
    return None


_NPM = (
    "npm error code EUSAGE",
    "npm error",
    "npm error The `npm ci` command can only install with an existing package-lock.json or",
    "npm error npm-shrinkwrap.json with lockfileVersion >= 1. Run an install with npm@5 or",
    "npm error later to generate a package-lock.json file, then try again.",
)
_PYTEST = (
    "============================= test session starts ==============================",
    "collected 0 items",
    "",
    "============================ no tests ran in 0.01s =============================",
    "ERROR: file or directory not found: {}",
    "",
)
# How a command begins, the file of the root that it reads ("" for the one that it names), its exit code and its words.
_COMMANDS: Sequence[tuple[str, str, int, tuple[str, ...]]] = (
    (
        r"pip3? install\b.*?-r\s+([\w./-]+\.txt)",
        "",
        1,
        ("ERROR: Could not open requirements file: [Errno 2] No such file or directory: '{}'",),
    ),
    (
        r"pip3? install (?:-e )?[\"']?\.(?:\[[\w,-]+\])?[\"']?(?:\s|$)",
        "pyproject.toml",
        1,
        (
            f"ERROR: file://{HOME} does not appear to be a Python project: neither 'setup.py' nor 'pyproject.toml' found.",
        ),
    ),
    (
        r"python3? ([\w./-]+\.py)",
        "",
        2,
        (f"python: can't open file '{HOME}/{{}}': [Errno 2] No such file or directory",),
    ),
    (r"(?:bash|sh) (?:\./)?([\w./-]+\.sh)", "", 127, ("bash: {}: No such file or directory",)),
    (r"npm ci\b", "package-lock.json", 1, _NPM),
    (
        r"cargo (?:build|test|clippy|check|fmt)\b",
        "Cargo.toml",
        101,
        (f"error: could not find `Cargo.toml` in `{HOME}` or any parent directory",),
    ),
    (
        r"go (?:build|test|vet|mod)\b",
        "go.mod",
        1,
        ("go: go.mod file not found in current directory or any parent directory; see 'go help modules'",),
    ),
    (
        r"git (?:log|diff|describe|config --local|rev-parse|fetch|status|add)\b",
        ".github/workflows",
        128,
        ("fatal: not a git repository (or any of the parent directories): .git",),
    ),
    (r"(?:python3? -m )?pytest ([\w./-]+)\s*$", "", 4, _PYTEST),
)


def _said(site: Site, line: str) -> Iterator[_Said]:
    for command, file, code, words in _COMMANDS:
        found = re.match(rf"\s*(?:python3? -m )?{command}", line)
        named = (file or found[1]).rstrip("/") if found else ""
        if found and any(one == named or one.startswith(f"{named}/") for one in site.tree.paths()):
            yield code, tuple(one.replace("{}", file or found[1]) for one in words)


def _past(script: str) -> _Said | None:
    """What git says in a clone of one commit."""
    for line in script.split("\n"):
        if "||" in line or "2>/dev/null" in line or re.search(r"git fetch\b", script):
            return None
        if re.search(r"git describe\b(?!.*--always)", line):
            return 128, ("fatal: No names found, cannot describe anything.",)
        if found := re.search(r"git (?:diff|log|rev-list|merge-base)\b[^|;]*?(origin/[\w/-]+(?:\.\.\.?HEAD)?)", line):
            if "merge-base" in line:
                return 128, (f"fatal: Not a valid object name {found[1]}",)
            return _ambiguous(found[1])
        if found := re.search(r"git (?:diff|log)\b[^|;]*?(HEAD[~^]\d*(?:\.\.\.?HEAD)?)", line):
            return _ambiguous(found[1])
    return None


def _ambiguous(argument: str) -> _Said:
    return 128, (
        f"fatal: ambiguous argument '{argument}': unknown revision or path not in the working tree.",
        "Use '--' to separate paths from revisions, like this:",
        "'git <command> [<revision>...] -- [<file>...]'",
    )
