"""`triage demo`: the whole way on made-up runs, without a network and without a token."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from triage.cli import options
from triage.cli.options import Format

# Formats in which one result follows another: an empty line sets them apart.
_PAGES = frozenset({Format.TERMINAL, Format.MARKDOWN})


def demo(
    form: options.FormatOption = Format.TERMINAL,
    report: Annotated[
        bool, typer.Option("--report", help="The weekly report over a made-up half-year instead.")
    ] = False,
) -> int:
    """Triage three bundled red runs, without a network.

    They are those of a made-up repository; their patches are applied in a temporary clone of it.
    """
    if report:
        from triage.cli.report import demo_report
        from triage.errors import UsageError

        if form is not Format.TERMINAL:
            raise UsageError("--report has no --format: it writes one file of each.", "Leave out --format.")

        return demo_report()
    from triage.demo.runs import RED_RUNS, REPO, build_world, make_clone
    from triage.demo.server import Server

    with TemporaryDirectory(prefix="triage-demo-") as folder, _own_surroundings(Path(folder)):
        clone = Path(folder) / "train"
        with Server(build_world(*make_clone(clone))) as server:
            checked: list[bool] = []
            for red in RED_RUNS:
                if checked and form in _PAGES:
                    print()
                checked.append(_triage(red.id, REPO, server.api_url, clone, form))
    passed = sum(checked)
    from triage.cli.show import say

    say(f"{passed} of {len(checked)} patches pass git apply --check and were applied in a temporary clone of {REPO}.")
    return 0 if passed == len(checked) else 1


def _triage(run_id: int, repo: str, api_url: str, clone: Path, form: Format) -> bool:
    """What `triage run RUN-ID --repo REPO --patch FILE` does, then the patch applied; whether it could be.

    Where the patch was written is not said: the folder is gone when the demo ends.
    """
    from triage.cli.run import run
    from triage.cli.show import say
    from triage.errors import UsageError
    from triage.sources import checkout

    patch = clone.parent / f"{run_id}.patch"
    with redirect_stderr(StringIO()):
        run(str(run_id), repo=repo, api_url=api_url, token="demo", form=form, patch=patch)
    try:
        checkout.apply(clone, patch.read_text(encoding="utf-8"))
    except (OSError, UsageError) as fault:
        say(f"the patch of run {run_id} does not apply: {fault}")
        return False
    return True


@contextmanager
def _own_surroundings(folder: Path) -> Iterator[None]:
    """The user's cache and proxies have no part in the demo, and get nothing of it."""
    changed = {"XDG_CACHE_HOME": str(folder / "cache"), "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    before = {name: os.environ.get(name) for name in changed}
    os.environ.update(changed)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
