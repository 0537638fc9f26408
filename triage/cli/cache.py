"""`triage cache show|clear`: the logs, trees and answers kept on disk."""

from __future__ import annotations

import os
from datetime import datetime

import typer

app = typer.Typer(help="Logs, trees and answers of GitHub that are kept on disk.", no_args_is_help=True)


@app.command()
def show() -> None:
    """Where the cache lies, what is in it, and how large it is."""
    from triage.github.cache import DEFAULT_LIMIT, default_folder, measure

    folder = default_folder(os.environ)
    areas = measure(folder)
    typer.echo(str(folder))
    for area in areas:
        since = f"  oldest use {datetime.fromtimestamp(area.oldest):%Y-%m-%d %H:%M}" if area.files else ""
        typer.echo(f"{area.name:<8} {area.files:>6} files {area.size / 1e6:>9.1f} MB{since}")
    total = sum(area.size for area in areas)
    typer.echo(f"{'in all':<8} {sum(area.files for area in areas):>6} files {total / 1e6:>9.1f} MB", nl=False)
    typer.echo(f" of {DEFAULT_LIMIT / 1e6:.0f} MB")


@app.command()
def clear() -> None:
    """Remove everything that triage keeps there, and nothing else."""
    from triage.errors import UsageError
    from triage.github import cache
    from triage.output.plain import count

    folder = cache.default_folder(os.environ)
    typer.echo(f"{cache.clear(folder) / 1e6:.1f} MB freed in {folder}")
    if stays := sum(area.files for area in cache.measure(folder)):
        raise UsageError(
            f"{count(stays, 'file')} in {folder} could not be removed.",
            "Are they another user's, is a folder there a link, or does another triage run now?",
        )
