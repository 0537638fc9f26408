"""Blast radius: which other jobs read the lines that a fix edits in files that jobs share."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

import yaml

from triage.fixes.document import line_of
from triage.fixes.evaluate.invocation import Call, Invocation
from triage.fixes.evaluate.job import evaluate_job
from triage.fixes.evaluate.values import Site
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.files import is_workflow
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
# What of a step decides what it runs, and what later ones see of it.
_STEP = ("id", "if", "env", "uses", "with", "run", "shell", "working-directory")
_SCRIPTS = (".sh", ".bash", ".py")
# What finds names of files in a text.
_Names = re.Pattern[bytes]


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
            way = (job.path, job.id) if job.path in paths else _way(job, names)
            if way not in known:
                known[way] = lines_of(evaluate_job(here.tree, job, Facts()).invocations)
            if known[way]:
                lines.append(_line(job, sorted(known[way])))
    return tuple(sorted(dict.fromkeys(lines)))


def _way(job: Job, names: _Names) -> Hashable:
    """What the steps run that name one of the files, or may before that set what those see, and what the workflow and
    the job give all of their steps."""
    said = [step.document.data[step.document.start(step.node) : step.end] for step in job.steps]
    last = max((at for at, text in enumerate(said) if names.search(text)), default=-1)
    chosen = [job.steps[at] for at in range(last + 1) if names.search(said[at]) or _SETS.search(said[at])]
    steps = tuple(_texts(job, step.node, _STEP) for step in chosen)
    matrix = any(b"matrix" in text for one in steps for text in one)
    keys = ("env", "container", "defaults", "with", *(("strategy",) if matrix else ()))
    given = (*_texts(job, job.node, keys), *_texts(job, job.document.root, ("env", "defaults")))
    runs_windows = any("windows" in label.lower() for label in job.labels)
    return (job_platform(job), runs_windows, steps, given, tuple(job.inputs.items()))


def _texts(job: Job, node: yaml.Node | None, keys: Iterable[str]) -> tuple[bytes, ...]:
    """What stands under these keys, key by key; b"" for one that is not there."""
    document, found = job.document, [child(node, key) for key in keys]
    return tuple(b"" if one is None else document.data[document.start(one) : document.end(one)] for one in found)


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
        if _mentions(job, re.compile(re.escape(path.encode())))
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
        if path in own or names.search(content):
            workflow = load_workflow(tree, path)
            if not isinstance(workflow, Refusal):
                yield from (job for job in jobs_of(tree, workflow) if _mentions(job, names) or path in own)


def _mentions(job: Job, names: _Names) -> bool:
    return names.search(job.document.data[job.document.start(job.node) : job.document.end(job.node)]) is not None


def _whole(names: Iterable[bytes]) -> _Names:
    """Finds each name where it stands by itself, and not at the end of a longer one; no name is found nowhere."""
    found = b"|".join(map(re.escape, sorted(names)))
    return re.compile(rb"(?<![\w.-])(?:%s)(?![\w-])" % found if found else rb"(?!)")


def _mentioning(tree: Tree, names: set[str]) -> _Names:
    """The names, and those of all scripts that mention one of them, directly or not."""
    found = {name.encode() for name in names}
    if not found:
        return _whole(found)
    scripts = {path: tree.read(path) for path in tree.paths() if path.endswith(_SCRIPTS[:2])}
    grown = True
    while grown:
        said = _whole(found)
        callers = {posixpath.basename(path).encode() for path, text in scripts.items() if said.search(text)}
        grown = not callers <= found
        found |= callers
    return _whole(found)
