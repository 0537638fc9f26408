"""Which requirements files are meant for a job: those of its hardware, and no example's."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Set

from triage.fixes.recipes.dependencies.importing import last_of
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import in_file
from triage.interfaces import Tree
from triage.model.diagnosis import Platform

# Requirements files for other hardware, by the word in their names.
_HARDWARE = {"npu": Platform.NPU, "ascend": Platform.NPU, "rocm": Platform.ROCM, "amd": Platform.ROCM,
             "cuda": Platform.CUDA, "gpu": Platform.CUDA, "cpu": Platform.CPU}  # fmt: skip
# What a requirements file must not bring along where an image has it: the releases that everything compiled is for.
_FOUNDATIONS = ("torch", "vllm", "sglang", "tensorflow", "jax", "torch-npu")
_OF_EXAMPLES = re.compile(
    r"(?:^|/)(?:examples?|docs?|tutorials?|notebooks?|benchmarks?|demos?|research_projects|recipes)/"
)


def for_job(here: Situation, path: str, used: Set[str]) -> bool:
    """Requirements of an example are for whoever runs that example: for a job that works in its folder. So are those
    beside scripts for the jobs that call one of them."""
    folder = posixpath.dirname(path)
    if path in used or not (_OF_EXAMPLES.search(path) or _has_scripts(here.tree, folder)):
        return True
    called = (call.path for one in here.evaluation.invocations for call in one.calls)
    inside = any(one.startswith(f"{folder}/") for one in (*called, last_of(here.tree, here.facts.frames)))
    return any((one.directory or "").startswith(folder) for one in here.evaluation.invocations) or (
        inside and not _OF_EXAMPLES.search(path)
    )


def _has_scripts(tree: Tree, folder: str) -> bool:
    return bool(folder) and any(posixpath.dirname(one) == folder for one in tree.paths() if one.endswith(".sh"))


def for_hardware(path: str, platform: Platform) -> bool:
    named = hardware_of(path)
    return not named or platform in named


def hardware_of(path: str) -> frozenset[Platform]:
    """What the words of a path name; nothing for a file that is for any."""
    words = path.lower().replace("/", "-").replace("_", "-").replace(".", "-").split("-")
    return frozenset(_HARDWARE[word] for word in words if word in _HARDWARE)


def moves_foundations(tree: Tree, path: str) -> bool:
    return any(is_foundation(one.name) for one in in_file(tree, path))


def is_foundation(name: str) -> bool:
    """Whether what the image pins stands on this distribution."""
    return name in _FOUNDATIONS
