"""Whether a distribution is a matter of images: Dockerfiles of the tree install it by itself, and no job its extra."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from triage.fixes.document import line_of
from triage.fixes.manifests.dockerfile import is_dockerfile, run_commands
from triage.fixes.recipes.dependencies.installs import verb_at
from triage.fixes.recipes.siblings import sibling_jobs
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import naming, parsed
from triage.fixes.workflow.platform import job_platform
from triage.interfaces import Tree


def left_to_images(here: Situation, extra: str, names: Iterable[str]) -> str:
    """`path:line` of the first Dockerfile that installs one of the names, where the job runs in an image and no job of
    the same hardware chooses the extra; "" otherwise."""
    if here.image or here.job.image is None or _is_chosen(here, extra):
        return ""
    return next(_installing(here.tree, tuple(names)), "")


def _is_chosen(here: Situation, extra: str) -> bool:
    chosen = re.compile(
        rf"\[(?:[\w.-]+, *)*{re.escape(extra)}(?:, *[\w.-]+)*\]|--extra[ =]{re.escape(extra)}\b|--all-ex"
    )
    platform = job_platform(here.job)
    alike = (job for job in (here.job, *sibling_jobs(here, extra.encode())) if job_platform(job) == platform)
    runs = (step.run.value for job in alike for step in job.steps if step.run is not None)
    return any(chosen.search(run) for run in runs)


def _installing(tree: Tree, wanted: Sequence[str]) -> Iterator[str]:
    for path in tree.paths():
        data = tree.read(path) if is_dockerfile(path) else b""
        found = run_commands(data) if b"install" in data else ()
        for command in () if isinstance(found, Refusal) else found:
            words = [word.literal or "" for word in command]
            at = verb_at(words, "install")
            named = [each for word in words[at + 1 :] for each in parsed(word, path)] if at > 0 else []
            if naming(named, wanted):
                yield f"{path}:{line_of(data, command[0].start)}"
