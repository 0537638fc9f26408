"""The image that a job builds itself and starts a container of, where the container's command failed: what is missing
there is missing in its Dockerfile, and the job's next run builds it anew."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import replace

from triage.fixes.recipes.builds.building import inside
from triage.fixes.recipes.builds.dockerfiles import Build, builds
from triage.fixes.recipes.dependencies.installs import installs
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal

_ENGINES = ("docker", "podman", "nerdctl")


def own_container(here: Situation) -> Situation | None:
    """What the build of that image runs; None where the failed step starts no container of such an image, or several,
    and where commands in the container install things themselves."""
    if here.image or here.step is None:
        return None
    started = [*_started(here)]
    found = {build.path: build for words in started for build in builds(here) if _is_of(words, build)}
    inner = any(one.invocation.system for one in installs(here.evaluation.invocations))
    if len(started) != 1 or len(found) != 1 or inner:
        return None
    made = inside(here, next(iter(found.values())))
    return None if isinstance(made, Refusal) else replace(made, system=here.system or "container")


def _started(here: Situation) -> Iterator[tuple[str, ...]]:
    """The words of each command of the failed step that starts a container."""
    seen = set()
    for one in here.concerned:
        words = tuple(value.text or "" for value in one.program)
        name = posixpath.basename(words[0]) if words else ""
        if name in _ENGINES and "run" in words[1:3] and one.calls[-1].key not in seen:
            seen.add(one.calls[-1].key)
            yield words


def _is_of(words: tuple[str, ...], build: Build) -> bool:
    named = {word if ":" in word else f"{word}:latest" for word in words[2:]}
    return any((tag if ":" in tag else f"{tag}:latest") in named for tag in build.tags)
