"""Which of several lists a missing distribution goes into, where no job and no log says which of them is installed.

The list that the project or its folder points to is the place, but for three cases:
a list that only includes others holds nothing itself: the one of them that is for everybody is the place;
lists for one device stand beside it, and what imports the distribution is for such a device: that device's list is;
a device's list beside it names the distribution: each device has its own, and which one lacks it is not known.
Where more than one list is left it would be a guess: then they are named.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from triage.fixes.recipes.dependencies.listing import for_a_purpose
from triage.fixes.recipes.dependencies.supplying import in_requirements_file
from triage.fixes.recipes.outcome import Edited, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import in_file, requirement_files
from triage.interfaces import Tree

_DEVICES = {"npu": "npu", "ascend": "npu", "rocm": "rocm", "amd": "rocm", "cuda": "cuda", "nvidia": "cuda",
            "cpu": "cpu", "xpu": "xpu", "tpu": "tpu", "hpu": "hpu", "gaudi": "hpu", "musa": "musa", "maca": "maca",
            "neuron": "neuron", "openvino": "openvino", "hip": "rocm"}  # fmt: skip
_WORD = re.compile(r"[a-z]+")
# What everybody needs, among lists that one includes.
_FOR_ALL = ("base", "common", "core", "main", "runtime")


def in_settled_list(
    here: Situation, made: Outcome | None, importer: str, names: Sequence[str], spec: str
) -> Outcome | None:
    """`made`, or the same line in the list that it belongs to instead; words where several are left."""
    path = made.edits[0].path if isinstance(made, Edited) else ""
    if not path.endswith((".txt", ".in")):
        return made
    lists = _candidates(here.tree, path, importer, names)
    match lists:
        case [] | [_] if not lists or lists[0] == path:
            return made
        case [other]:
            return in_requirements_file(here, other, spec)
        case _:
            named = ", ".join(lists)
            return Words(f"several lists could carry {spec}: {named}. Add it to the one that what failed installs")


def _candidates(tree: Tree, path: str, importer: str, names: Sequence[str]) -> list[str]:
    """No list stands for `path` itself."""
    named = in_file(tree, path)
    included = list(dict.fromkeys(one.path for one in named if one.path != path))
    if included and all(one.path != path for one in named):
        plain = [one for one in included if posixpath.splitext(posixpath.basename(one))[0] in _FOR_ALL]
        own = [one for one in included if posixpath.splitext(posixpath.basename(one))[0] in importer.split("/")]
        return own if len(own) == 1 else plain if len(plain) == 1 and not own else included
    beside = _for_devices(tree, path)
    fitting = [one for one in beside if _devices(posixpath.basename(one)) & _devices(importer)]
    if fitting and not _devices(posixpath.basename(path)):
        return fitting
    holding = [one for one in beside if any(each.name in names and each.path == one for each in in_file(tree, one))]
    return [one for one in beside if one not in holding] + [path] if holding else []


def _for_devices(tree: Tree, path: str) -> list[str]:
    """Lists for one device in the folder of `path`, for no purpose of their own."""
    near = (one for one in requirement_files(tree) if posixpath.dirname(one) == posixpath.dirname(path) and one != path)
    return [one for one in near if _devices(posixpath.basename(one)) and not for_a_purpose(posixpath.basename(one))]


def _devices(path: str) -> frozenset[str]:
    return frozenset(_DEVICES[word] for word in _WORD.findall(path.lower()) if word in _DEVICES)
