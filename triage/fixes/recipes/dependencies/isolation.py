"""Distributions whose build imports torch, which pip's isolated build does not see: no list may name them alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from triage.fixes.recipes.dependencies.beside import anchor_of
from triage.fixes.recipes.dependencies.installs import Install
from triage.fixes.recipes.failing import failing
from triage.fixes.recipes.outcome import Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import in_file, normalised

UNISOLATED = "--no-build-isolation"
# The READMEs of flash-attn and transformer-engine say `--no-build-isolation`; setup.py of the others imports torch too.
# megatron-bridge requires some of them.
# Not deepspeed, which builds without torch as well, and not what has wheels for every common release.
_BUILT_WITH_TORCH = frozenset(
    (
        "apex",
        "causal-conv1d",
        "flash-attn",
        "grouped-gemm",
        "mamba-ssm",
        "megatron-bridge",
        "transformer-engine",
        "transformer-engine-torch",
    )
)


def built_with_torch(here: Situation, done: Sequence[Install], title: str, name: str) -> Words | None:
    """The command that would bring it, and behind which line; None for what pip installs like anything else."""
    if normalised(name) not in _BUILT_WITH_TORCH:
        return None
    bringing = [one for one in done if brings_torch(here, one)]
    after = bringing[-1] if bringing else anchor_of(done)
    head = " ".join(after.head) if after is not None else "pip"
    place = f"behind {after.call.path}:{after.call.line} (`{after.invocation.command_line}`)" if after else "to the job"
    return Words(
        f"`{title}` comes with {name}, which the repository names nowhere. Where no wheel fits, its build imports "
        "torch, which pip's isolated build does not see: one more line of a list, or a plain `pip install`, may fail. "
        f"Add `{head} install --no-build-isolation {name}` {place}, where torch has to be there already, with the "
        "release that fits it; or have the image hold it",
        image=after is None,
    )


def needs_torch(one: Install) -> bool:
    """Whether the command names a distribution whose build imports torch."""
    return any(normalised(named.name) in _BUILT_WITH_TORCH for named, _ in one.named)


def brings_torch(here: Situation, one: Install) -> bool:
    listed = [*(named for named, _ in one.named), *(named for path in one.files for named in in_file(here.tree, path))]
    return any(named.name == "torch" for named in listed)


def builds_without_isolation(here: Situation, done: Sequence[Install]) -> bool:
    """Whether the failed step does nothing but install, and builds without isolation there, so that only a build can
    have asked for what is missing."""
    written = [one for one in here.concerned if one.calls]
    failed = {one.calls[-1].key for one in failing(here.facts, written) or written}
    installing = {one.call.key for one in done}
    return (here.step is not None and failed <= installing) and any(
        UNISOLATED in one.flags and one.call.key in failed for one in done
    )


def ahead_of_builds(here: Situation, done: Sequence[Install]) -> tuple[Install, ...]:
    """What is installed before the first command of the failed step, or instruction, that builds without isolation."""
    return tuple(done[: next(builds_at(here, done), 0)])


def builds_at(here: Situation, done: Sequence[Install]) -> Iterator[int]:
    """Where among `done` the commands of the failed step, or instruction, stand that build without isolation."""
    own = of_failed_step(here)
    yield from (at for at, one in enumerate(done) if UNISOLATED in one.flags and one.call.key in own)


def of_failed_step(here: Situation) -> set[tuple[str, int]]:
    """The calls of the failed step, or instruction."""
    return {one.calls[-1].key for one in here.concerned if one.calls}
