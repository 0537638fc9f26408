"""A package that pip installs and CMake looks for: where it lies is for the configuring command to say."""

from __future__ import annotations

import posixpath

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.recipes.blast import blast_of_calls
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.dependencies.installs import installs, installs_one
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import append_argument

# CMake's package, the distribution that brings it, and what says where, as each one's documentation has it.
_PACKAGES = {
    "Torch": ("torch", "CMAKE_PREFIX_PATH", "import torch; print(torch.utils.cmake_prefix_path)"),
    "pybind11": ("pybind11", "pybind11_DIR", "import pybind11; print(pybind11.get_cmake_dir())"),
    "nanobind": ("nanobind", "nanobind_DIR", "import nanobind; print(nanobind.cmake_dir())"),
}
_OTHER_MODES = ("--build", "--install", "-E", "--open", "--workflow", "-P")


def say_where(here: Situation) -> Outcome:
    wanted = _PACKAGES.get(here.captures.get("what", ""))
    if wanted is None:
        return Refusal("it is nothing that a package of Python is known to bring to CMake")
    distribution, variable, words = wanted
    own = [one for one in here.concerned if one.calls and not one.substitution and _configures(one)]
    if not own:
        return Refusal(f"no command of {here.job.id} configures with cmake", here.job.path, here.job.line)
    found = [one for one in own if any(f"-D{variable}" in (word.text or str(word)) for word in one.argv)]
    if found:
        return InPlace(f"{found[0].calls[-1].path}:{found[0].calls[-1].line} sets {variable}")
    if not any(installs_one(one, (distribution,)) for one in installs(here.evaluation.invocations)):
        return Words(f"tell cmake where {distribution} lies (`{variable}`), or install it before")
    if len(own) != 1:
        return Words(f"set {variable} for the command of cmake that failed")
    call = own[0].calls[-1]
    python = _python(here)
    argument = f"-D{variable}=\"$({python} -c '{words}')\""
    edits = append_argument(here.tree, call, argument, why=f"pip installs {distribution} where cmake does not look")
    if isinstance(edits, Refusal):
        return edits
    declared, blast = (declared_at(here, call.path, own[0].step),), blast_of_calls(here, (call,))
    title = f"Tell cmake where {distribution} lies"
    return Edited(tuple(edits), declared, promised(here, edits), blast_radius=blast, title=title)


def _configures(one: Invocation) -> bool:
    words = [word.text or "" for word in one.program]
    return bool(words) and posixpath.basename(words[0]) == "cmake" and not any(word in _OTHER_MODES for word in words)


def _python(here: Situation) -> str:
    """As the job calls the one that it installs with."""
    heads = [posixpath.basename(one.argv[0].text or "") for one in here.concerned if one.argv]
    every = [posixpath.basename(one.argv[0].text or "") for one in here.evaluation.invocations if one.argv]
    named = [one for one in (*heads, *every) if one.startswith("python")]
    return named[0] if named else "python"
