"""Blast radius: which other jobs read the lines that a fix edits in files that jobs share."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

from triage.fixes.document import line_of
from triage.fixes.evaluate.invocation import Call, Invocation
from triage.fixes.evaluate.job import evaluate_job
from triage.fixes.evaluate.values import Site
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.wellformed import is_workflow
from triage.fixes.workflow.load import load_workflow, workflow_paths
from triage.fixes.workflow.model import Job
from triage.fixes.workflow.names import jobs_of
from triage.fixes.workflow.platform import job_platform
from triage.fixes.yaml.nodes import child
from triage.interfaces import Tree
from triage.model.diagnosis import Facts
from triage.model.patch import Edit

# What a step leaves for later ones: through GitHub's files, or through an action of the repository.
_SETS = re.compile(rb"GITHUB_(?:ENV|PATH)|uses:[ \t]*[\"']?\./")
_SCRIPTS = (".sh", ".bash", ".py")


def blast_radius(here: Situation, places: Sequence[Site | Edit]) -> tuple[str, ...]:
    """One line a job, other than this one, whose commands take text from the same bytes; sorted by file and job."""
    shared = [place for place in places if not is_workflow(place.path) or place.path != here.job.path]
    shared += [place for place in places if place.path == here.job.path and not _inside(here.job, place)]
    if not shared:
        return ()

    def lines_of(invocations: Sequence[Invocation]) -> set[int]:
        sites = {site for one in invocations for site in _sites(one)}
        hit = [place for place in shared if any(_holds(site, place) for site in sites)]
        return {line_of(here.tree.read(place.path), place.start) for place in hit}

    return _reached(here, {place.path for place in shared}, lines_of)


def blast_of_calls(here: Situation, calls: Sequence[Call]) -> tuple[str, ...]:
    """The same for commands that an argument is appended to: which other jobs run them."""
    keys = {call.key for call in calls if call.path != here.job.path}

    def lines_of(invocations: Sequence[Invocation]) -> set[int]:
        return {call.line for one in invocations for call in one.calls if call.key in keys}

    return _reached(here, {path for path, _ in keys}, lines_of)


def _reached(here: Situation, paths: set[str], lines_of: Callable[[Sequence[Invocation]], set[int]]) -> tuple[str, ...]:
    """Jobs that come to a file by the same steps read the same of it: one of them is evaluated."""
    names = _mentioning(here.tree, {posixpath.basename(path) for path in paths if not is_workflow(path)})
    known: dict[Hashable, set[int]] = {}
    lines = []
    for job in candidate_jobs(here.tree, paths):
        if (job.path, job.id) != (here.job.path, here.job.id):
            way = job.id if job.path in paths else _way(job, names)
            if (job.path, way) not in known:
                known[job.path, way] = lines_of(evaluate_job(here.tree, job, Facts()).invocations)
            if known[job.path, way]:
                lines.append(_line(job, sorted(known[job.path, way])))
    return tuple(sorted(dict.fromkeys(lines)))


def _way(job: Job, names: Iterable[bytes]) -> Hashable:
    """The text of the steps that name one of the files, or may set what later steps see, and of what the job gives
    all of its steps."""
    said = [step.document.data[step.document.start(step.node) : step.end] for step in job.steps]
    steps = tuple(text for text in said if _SETS.search(text) or any(name in text for name in names))
    keys = ("env", "container", "defaults", "with") + (("strategy",) if any(b"matrix" in one for one in steps) else ())
    parts = [child(job.node, key) for key in keys]
    given = tuple(
        job.document.data[job.document.start(one) : job.document.end(one)] for one in parts if one is not None
    )
    runs_windows = any("windows" in label.lower() for label in job.labels)
    return (job_platform(job), runs_windows, steps, given, tuple(job.inputs.items()))


def callers(here: Situation | Refusal, edits: Sequence[Edit]) -> tuple[str, ...]:
    """Other workflows that call the reusable workflow, or run the action, that is edited."""
    if isinstance(here, Refusal) or here.job.path == here.target.workflow_path:
        return ()
    lines = []
    for path in sorted({edit.path for edit in edits if edit.path.endswith((".yml", ".yaml"))}):
        called = f"uses: ./{path}".encode()
        others = [one for one in workflow_paths(here.tree) if called in here.tree.read(one)]
        lines += [f"{one} calls {path} too" for one in others if one != here.target.workflow_path]
    return tuple(lines)


def jobs_that_install(here: Situation, path: str) -> tuple[str, ...]:
    """Other jobs whose text names a requirements file that a fix edits."""
    paths = [one for one in workflow_paths(here.tree) if path.encode() in here.tree.read(one)]
    workflows = [load_workflow(here.tree, one) for one in paths]
    jobs = [job for one in workflows if not isinstance(one, Refusal) for job in jobs_of(here.tree, one)]
    others = [job for job in jobs if (job.path, job.id) != (here.job.path, here.job.id)]
    return tuple(
        f"{job.path}: {job.id} ({job_platform(job) or 'unknown platform'}) mentions {path} too"
        for job in others
        if _mentions(job, (path.encode(),))
    )


def _line(job: Job, read: Sequence[int]) -> str:
    platform = job_platform(job)
    where = ", ".join(str(line) for line in read)
    return (
        f"{job.path}: {job.id} ({platform or 'unknown platform'}) reads line{'s' if len(read) > 1 else ''} {where} too"
    )


def _inside(job: Job, place: Site | Edit) -> bool:
    return job.document.start(job.node) <= place.start <= job.document.end(job.node)


def _sites(invocation: Invocation) -> Iterator[Site]:
    """Sites of a program's arguments and environment, and of the places that they came through."""
    for value in (*invocation.argv, *invocation.environment.values()):
        for piece in value.pieces:
            yield from (site for site in (piece.site, *piece.via) if site is not None)


def _holds(site: Site, place: Site | Edit) -> bool:
    return site.path == place.path and site.start <= place.start and place.end <= site.end


def candidate_jobs(tree: Tree, paths: Iterable[str]) -> Iterator[Job]:
    """Jobs whose workflow mentions one of the files, or a script that (through others) does."""
    names = _mentioning(tree, {posixpath.basename(path) for path in paths if not is_workflow(path)})
    own = {path for path in paths if is_workflow(path)}
    for path in workflow_paths(tree):
        content = tree.read(path)
        if path in own or any(name in content for name in names):
            workflow = load_workflow(tree, path)
            if not isinstance(workflow, Refusal):
                yield from (job for job in jobs_of(tree, workflow) if _mentions(job, names) or path in own)


def _mentions(job: Job, names: Iterable[bytes]) -> bool:
    text = job.document.data[job.document.start(job.node) : job.document.end(job.node)]
    return any(name in text for name in names)


def _mentioning(tree: Tree, names: set[str]) -> set[bytes]:
    """The names, and those of all scripts that mention one of them, directly or not."""
    found = {name.encode() for name in names}
    if not found:
        return found
    scripts = {path: tree.read(path) for path in tree.paths() if path.endswith(_SCRIPTS[:2])}
    grown = True
    while grown:
        callers = {posixpath.basename(path).encode() for path, text in scripts.items() if any(n in text for n in found)}
        grown = not callers <= found
        found |= callers
    return found
