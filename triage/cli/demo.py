"""`triage demo`: the whole way on made-up runs, without a network and without a token."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from triage.cli import options
from triage.cli.options import Format
from triage.cli.report import OutOption

if TYPE_CHECKING:
    from triage.model.result import TriageResult
    from triage.pipeline.triage import Triaged

# Formats in which one result may follow another, an empty line between them; the others are one document.
_PAGES = frozenset({Format.TERMINAL, Format.MARKDOWN})


def demo(
    context: typer.Context,
    form: options.FormatOption = Format.TERMINAL,
    report: Annotated[
        bool, typer.Option("--report", help="The weekly report over a made-up half-year instead.")
    ] = False,
    out: OutOption = None,
) -> int:
    """Triage three bundled red runs, without a network.

    They are those of a made-up repository; their patches are applied in a temporary clone of it. --out is for --report.
    """
    if report:
        from triage.cli.report import demo_report

        return demo_report(out or (), form=form.value if options.typed(context, "form") else "")
    options.refuse(context, "without --report", "out")
    from triage.cli.show import say, show
    from triage.demo.runs import RED_RUNS, REPO, build_world, make_clone
    from triage.demo.server import Server
    from triage.pipeline.joined import joined, told_apart

    with TemporaryDirectory(prefix="triage-demo-") as folder, _own_surroundings(Path(folder)):
        clone = Path(folder) / "train"
        with Server(build_world(*make_clone(clone))) as server:
            done: list[Triaged] = []
            results: list[TriageResult] = []
            for result in told_apart(_triage_each([red.id for red in RED_RUNS], REPO, server.api_url, done)):
                if form in _PAGES:
                    print("\n" if results else "", end="")
                    show(result, form, first=1 + sum(len(one.causes) for one in results))
                results.append(result)
        if form not in _PAGES:
            show(joined(results), form)
        passed = sum(_applies(one, clone) for one in done)
    say(_outcome(passed, results, REPO))
    return 0 if passed == len(done) else 1


def _outcome(passed: int, results: Sequence[TriageResult], repo: str) -> str:
    """How many of the first choices were applied, and how many verified patches were printed beside them."""
    from triage.model.patch import PatchState

    patches = [patch for one in results for patch in one.patches if patch.state is PatchState.PATCH]
    firsts = [patch.id for patch in patches if not patch.alternative_of]
    others = len(patches) - len(firsts)
    return (
        f"{passed} of {len(firsts)} first choices ({', '.join(firsts)}) pass git apply --check and were applied in a "
        f"temporary clone of {repo}; the other {others} of {len(patches)} verified patches are alternatives."
    )


def _triage_each(run_ids: Sequence[int], repo: str, api_url: str, done: list[Triaged]) -> Iterator[TriageResult]:
    """The result of one run after the other; `done` gets what lies behind each."""
    for run_id in run_ids:
        done.append(_triage(run_id, repo, api_url))
        yield done[-1].result


def _triage(run_id: int, repo: str, api_url: str) -> Triaged:
    """What `triage run RUN-ID --repo REPO` does."""
    from triage.cli.find import Wanted, find_run
    from triage.cli.knowledge import know_of
    from triage.cli.reach import reach
    from triage.cli.run import trees_for
    from triage.github.evidence import Evidence
    from triage.pipeline.run import Request, triage_run

    with reach(str(run_id), repo, api_url, "demo", None) as (github, named):
        found = find_run(github, named, Wanted())
        trees = trees_for(github, found, None, apply=False)
        return triage_run(github, found, know_of(github, None, None), trees, Request(evidence=Evidence(github)))


def _applies(triaged: Triaged, clone: Path) -> bool:
    """What `--apply` does, in the clone; whether there is a patch and it could be applied."""
    from triage.cli.show import say
    from triage.errors import UsageError
    from triage.pipeline.prove import compose
    from triage.sources import checkout

    diff, left_out = compose(triaged.prescription)
    try:
        checkout.apply(clone, diff)
    except UsageError as fault:
        say(f"the patch of run {triaged.result.runs[0].id} does not apply: {fault}")
        return False
    return bool(diff) and not left_out


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
