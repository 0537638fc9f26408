"""`triage log`: logs from files, without GitHub."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated

import typer

from triage.cli import options
from triage.cli.options import Format

if TYPE_CHECKING:
    from triage.interfaces import LogSource
    from triage.pipeline.prescription import TreeAccess
    from triage.pipeline.triage import Triaged
    from triage.sources.unreadable import UnreadableLog

_MOST_TOLD = 5
_MOST_NAMED = 8


def log(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Logs, folders or zips of logs; - reads stdin.")],
    checkout: options.CheckoutOption = None,
    workflow: Annotated[
        str, typer.Option(metavar="FILE", help="The workflow file that holds the job: e2e.yml, or its path.")
    ] = "",
    job: Annotated[str, typer.Option(metavar="NAME", help="The job's id or displayed name.")] = "",
    form: options.FormatOption = Format.TERMINAL,
    patch: options.PatchOption = None,
    apply: options.ApplyOption = False,
    siblings: options.SiblingsOption = False,
    signatures: options.SignaturesOption = None,
    config: options.ConfigOption = None,
    exit_status: options.ExitStatusOption = False,
) -> int:
    """Diagnose log files, without GitHub.

    For patches, add --checkout DIR --workflow FILE --job NAME: they say what GitHub would.
    """
    from triage.cli.answering import empty_result
    from triage.cli.knowledge import know
    from triage.cli.reading import reading
    from triage.cli.show import deliver, exit_code, say, show
    from triage.errors import ExitCode
    from triage.pipeline.log import require_failures, triage_logs

    if checkout is None:
        _require_no_tree(workflow, siblings)
    knowledge = know(signatures, config, checkout)
    with empty_result(form):
        logs, faults = _collect(files)
    trees = _trees(checkout, patch is not None or apply, job)
    path = _place(trees, workflow, job)
    notices, unread = [_told(fault) for fault in faults], [fault.name for fault in faults]
    with reading(logs):
        triaged = triage_logs(
            logs, knowledge, trees, job=job, workflow_path=path, notices=notices, unread=unread, siblings=siblings
        )
    if checkout is not None and not workflow:
        triaged = _naming_the_workflow(triaged, trees, job)
    if form in {Format.JSON, Format.SARIF} or triaged.result.failures:
        show(triaged.result, form)
    require_failures(triaged, logs, unread)
    deliver(triaged, patch=patch, apply_to=checkout if apply else None)
    if missed := _named_ones(faults, files):
        say(_sentences(missed))
        return int(ExitCode.USAGE)
    return int(exit_code(triaged.result, exit_status))


def _require_no_tree(workflow: str, siblings: bool) -> None:
    """UsageError for what only a checkout gives a meaning; `--job` alone still says whose log it is."""
    from triage.errors import UsageError

    for given, name, needed in ((workflow, "--workflow", "holds the workflow"), (siblings, "--siblings", "has others")):
        if given:
            raise UsageError(f"{name} needs the tree that {needed}.", f"Add --checkout DIR, or leave out {name}.")


def _named_ones(faults: list[UnreadableLog], files: list[str]) -> list[UnreadableLog]:
    """The faults of inputs that the person named, not of what lies in a folder or is only empty."""
    from triage.errors import ExitCode

    named = {*map(str, map(Path, files)), "''", "standard input"}
    return [fault for fault in faults if fault.code is ExitCode.USAGE and fault.name in named]


def _collect(files: list[str]) -> tuple[list[LogSource], list[UnreadableLog]]:
    """The logs that can be read, and the inputs that cannot.

    When none can: UsageError, or NothingToTriage when there is just nothing in them.
    """
    from triage.cli.show import say
    from triage.errors import ExitCode, NothingToTriage, UsageError
    from triage.sources.logs import collect
    from triage.sources.unreadable import UnreadableLog

    if "-" in files and sys.stdin.isatty() and sys.stderr.isatty():
        say("reading standard input: paste the log, then press Ctrl-D.")
    found = collect(files, sys.stdin.buffer)
    faults = [one for one in found if isinstance(one, UnreadableLog)]
    logs = [one for one in found if not isinstance(one, UnreadableLog)]
    if not logs:
        error = UsageError if any(fault.code is ExitCode.USAGE for fault in faults) else NothingToTriage
        remedy = next((fault.remedy for fault in faults if fault.remedy), "Name log files, folders or zips.")
        raise error(_sentences(faults) or "no logs found.", remedy)
    return logs, faults


def _told(fault: UnreadableLog) -> str:
    return f"{_sentence(fault)} {fault.remedy}".strip()


def _sentences(faults: list[UnreadableLog]) -> str:
    told = " ".join(_sentence(fault) for fault in faults[:_MOST_TOLD])
    return f"{told} And {len(faults) - _MOST_TOLD} more." if len(faults) > _MOST_TOLD else told


def _sentence(fault: UnreadableLog) -> str:
    return fault.message if fault.name in fault.message else f"{fault.name}: {fault.message}"


def _trees(checkout: Path | None, wanted: bool, job: str) -> TreeAccess:
    from triage.errors import UsageError
    from triage.pipeline.trees import no_trees, trees_of_checkout

    if checkout is not None:
        return trees_of_checkout(checkout)
    if wanted:
        raise UsageError("a patch needs a tree.", "Add --checkout DIR, and --workflow FILE --job NAME.")
    if job:
        return no_trees("", "--job only names the job so far; for a patch, add --checkout DIR --workflow FILE: a clone")
    return no_trees("", "for a patch, add --checkout DIR --workflow FILE --job NAME: a clone, and which job this was")


def _place(trees: TreeAccess, workflow: str, job: str) -> str:
    """The path of the workflow that holds the job. UsageError when there is no such workflow, or it has no such job."""
    from triage.pipeline.prescription import Trees

    found = trees("")
    if not isinstance(found, Trees) or not workflow:
        return workflow
    # Parsers for YAML and shell: a log that is read without a tree does not wait for them.
    from triage.errors import UsageError
    from triage.fixes.refusal import Refusal
    from triage.fixes.workflow.load import load_workflow, workflow_paths
    from triage.fixes.workflow.names import find_job

    paths = {PurePosixPath(path): path for path in workflow_paths(found.head)}
    path = next((whole for path, whole in paths.items() if workflow in (whole, path.name, path.stem)), "")
    if not path:
        raise UsageError(f"{workflow}: no such workflow in the checkout.", _nearest(workflow, [p.name for p in paths]))
    loaded = load_workflow(found.head, path)
    if job and not isinstance(loaded, Refusal) and isinstance(refusal := find_job(found.head, loaded, job), Refusal):
        raise UsageError(f"{path}: {refusal.reason}.", "Give --job the job's id or its displayed name.")
    return path


def _nearest(workflow: str, names: list[str]) -> str:
    stems = {PurePosixPath(name).stem: name for name in names}
    near = [stems[stem] for stem in get_close_matches(PurePosixPath(workflow).stem, stems, 3, 0.5)]
    if not names:
        return "It has none: is --checkout the clone of the repository whose job failed?"
    return f"The nearest: {', '.join(near)}." if near else f"There are: {_listed(names)}."


def _listed(names: Iterable[str]) -> str:
    found = sorted(names)
    more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    return ", ".join(found[:_MOST_NAMED]) + more if found else "none"


def _naming_the_workflow(triaged: Triaged, trees: TreeAccess, job: str) -> Triaged:
    """The result with a notice of which workflow may be meant: those that hold such a job, else all. None where the log
    itself led to a patch."""
    from triage.fixes.workflow.load import workflow_paths
    from triage.fixes.workflow.names import workflows_with
    from triage.pipeline.prescription import Trees

    found = trees("")
    made = any(patch.state.value == "patch" for patch in triaged.result.patches)
    if not isinstance(found, Trees) or not triaged.result.failures or made:
        return triaged
    paths = workflow_paths(found.head)
    jobs = {job} if job else {one.diagnosis.job.name for one in triaged.result.failures} - {""}
    holding = {path for name in jobs for path, _ in workflows_with(found.head, name)}
    if len(holding) == 1:
        return triaged  # it was taken, or its steps are not the log's
    names = _listed(PurePosixPath(path).name for path in holding or paths)
    told = f"those with such a job: {names}" if holding else f"one of {names}" if paths else "but the checkout has none"
    unnamed = "" if jobs else "; and --job NAME, which the log does not tell"
    notice = f"for a patch, add --workflow FILE, {told}{unnamed}"
    return replace(triaged, result=replace(triaged.result, notices=(*triaged.result.notices, notice)))
