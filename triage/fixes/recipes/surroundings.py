"""Where a command of a job runs: in the job's own system and Python, or in another one that it starts or enters."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.recipes.failing import failing
from triage.fixes.recipes.situation import Situation

# Programs that hand a job to a cluster, where it runs in an image or environment of its own.
CLUSTERS = frozenset(("anyscale", "beaker", "gantry", "modal", "runai", "sbatch", "sky"))
# Programs that run a command in a container, and on another host.
CONTAINERS = frozenset(("docker", "podman", "nerdctl", "kubectl", "apptainer", "singularity", "enroot", "lxc"))
HOSTS = frozenset(("ssh", "srun"))
CONDA = frozenset(("conda", "mamba", "micromamba"))
# Programs that make the environment in which they run what they are told to run.
MAKERS = frozenset(("tox", "nox", "hatch", "pixi", "pipenv", "poetry", "pdm", "pre-commit", "rye", "pipx", "uvx"))
_SYSTEMS = CLUSTERS | CONTAINERS | HOSTS
# `sudo` finds the programs of its own path: the system's Python.
_ENVIRONMENTS = MAKERS | CONDA | {"uv", "sudo"}
_MANAGES = re.compile(r"conda|mamba|pixi", re.I)
_PLACED = re.compile(r"(?:python|pip|pytest)[0-9.]*\Z")
_ENTERS = re.compile(r"(?m)^\s*(?:(?:source|\.)\s+\S*activate\b|(?:conda|mamba|micromamba)\s)")
# Conda's `activate` stands in the profile, which only a login shell reads.
_LOGIN = re.compile(r"\s-(?:\w*l|-login)")


def in_other_system(one: Invocation) -> bool:
    """Whether the command, or what it is wrapped in, hands its words to another machine or container."""
    return bool(one.system or _SYSTEMS & _leading(one))


def in_other_python(here: Situation, one: Invocation) -> bool:
    """Whether another Python than the one that plain `pip` belongs to runs it, so far as the job says it."""
    first = one.argv[0].text or "" if one.argv else ""
    placed = "/" in first and bool(_PLACED.match(posixpath.basename(first)))
    return placed or in_other_system(one) or bool(_ENVIRONMENTS & _leading(one)) or enters_environment(here)


def enters_environment(here: Situation) -> bool:
    """Whether the failed step, or an action before it, enters an environment: another step does not see it."""
    step = here.step
    if step is None:
        return False
    by_action = any(_MANAGES.search(one.uses) for one in here.job.steps[: step.index])
    shell = step.shell or here.job.shell
    script = step.run.value if step.run is not None else ""
    return by_action or bool(_MANAGES.search(shell) or _LOGIN.search(shell) or _ENTERS.search(script))


def timing(here: Situation) -> Callable[[Invocation], bool]:
    """Whether a command runs before the one that failed, so far as the log tells which one that is: that is looked for
    once, as a script may hold thousands of commands that are asked for."""
    step = here.step
    if step is None or here.image:
        return lambda _: True
    failed = failing(here.facts, here.concerned)
    order = here.evaluation.invocations
    places = {id(each): at for at, each in enumerate(order)}

    def place(one: Invocation) -> int:
        at = places.get(id(one), -1)
        return at if at >= 0 or one not in order else order.index(one)

    last = place(failed[0]) if failed else -1
    last = last if last >= 0 else len(order)
    return lambda one: one.step < step.index or (one.step == step.index and place(one) <= last)


def _leading(one: Invocation) -> set[str]:
    """The program and what wraps it."""
    return {posixpath.basename(value.text or "") for value in one.argv[: one.inner + 1]}
