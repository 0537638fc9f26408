"""From what a person typed to a connection: which repository, which GitHub, which run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from triage.cli.options import MAX_WAIT
from triage.errors import UsageError

if TYPE_CHECKING:
    from triage.github import GitHub
    from triage.github.references import RunReference


@contextmanager
def reach(
    reference: str,
    repo: str,
    api_url: str,
    token: str,
    checkout: Path | None,
    *,
    max_wait: float = MAX_WAIT,
    ca_bundle: Path | None = None,
    no_cache: bool = False,
    takes: str = "",
) -> Iterator[tuple[GitHub, RunReference]]:
    """The adapter, open until the block ends, and what the reference names. UsageError when no repository is named.

    `takes` says what else the command takes that names one, such as "the run's URL".
    The repository: `--repo`, else the URL's, else GITHUB_REPOSITORY, else the checkout's remote.
    """
    from triage.github import Limits, Options, connect
    from triage.github.hosts import resolve_api_url
    from triage.github.references import RunReference, parse_reference

    named = parse_reference(reference) if reference else RunReference()
    address = resolve_api_url(api_url, named.host, os.environ)
    chosen = Options(limits=Limits(max_wait=max_wait), ca_bundle=str(ca_bundle or ""), use_cache=not no_cache)
    with connect(_repository(repo, named.repo, checkout, takes), address, token, options=chosen) as github:
        yield github, named


def _repository(flag: str, named: str, checkout: Path | None, takes: str) -> str:
    if flag and named and flag.lower() != named.lower():
        raise UsageError(f"the URL is of {named}, but --repo names {flag}.", "Give one of them.")
    found = flag or named or os.environ.get("GITHUB_REPOSITORY", "") or _remote(checkout)
    if not found:
        here = "this folder" if checkout in (None, Path()) else str(checkout)
        others = f", give {takes}, or go into a clone" if takes else ", or go into a clone of it"
        raise UsageError(
            f"no repository is named, and {here} is no clone of one on GitHub.", f"Add --repo OWNER/NAME{others}."
        )
    return found


def _remote(checkout: Path | None) -> str:
    from triage.sources.checkout import is_git, remote_repository

    folder = checkout or Path()
    return remote_repository(folder) if is_git(folder) else ""
