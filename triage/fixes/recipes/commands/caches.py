"""`clear_cache`: what an earlier job left below a home's `.cache` is removed before the command that reads it."""

from __future__ import annotations

import posixpath
import re

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.recipes.held import holds_word
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import insert_line
from triage.model.patch import Expectation
from triage.model.recipe import ClearCache

_BELOW = re.compile(r"(?:^|/)\.cache/([A-Za-z0-9][A-Za-z0-9_.-]*)/")
# Folders of known libraries that hold nothing but what they build again.
_BUILT = {
    "torch_extensions": "~/.cache/torch_extensions",
    "flashinfer": "~/.cache/flashinfer",
    "tvm-ffi": "~/.cache/tvm-ffi",
    "deep_gemm": "~/.cache/deep_gemm",
}
# Folders in which models, wheels and data lie: what is lost there must be downloaded again.
_KEPT = frozenset({"huggingface", "modelscope", "pip", "uv", "torch", "conda", "ccache", "datasets", "vllm", "sglang"})
_STARTS = re.compile(r"(?:python[0-9.]*|pytest|torchrun|accelerate|deepspeed|bash|sh|make)\Z")
_TEXTS = (".py", ".sh", ".md", ".rst", ".cpp", ".toml")


def clear_cache(recipe: ClearCache, here: Situation) -> Outcome:
    found = _BELOW.search(here.captures.get(recipe.path.strip("{}"), recipe.path))
    if found is None:
        return Refusal("what failed to load does not lie below a `.cache`")
    folder = _BUILT.get(found[1]) or _own(here, found[1])
    if not folder:
        return Refusal(f"whether `.cache/{found[1]}` holds more than what is built again is not known")
    if any(_removes(one, folder) for one in here.evaluation.invocations):
        return InPlace(f"{here.job.id} already removes {folder}")
    first = next((one for one in here.concerned if _runs(one)), None)
    line = f"rm -rf {folder}"
    if first is None or first.calls[0].path != here.job.path:
        return Words(f"run `{line}` before the step that fails in {here.job.id} ({here.job.path}:{here.job.line})")
    call = first.calls[0]
    edits = insert_line(here.tree, call, line, why=f"what lies in {folder} was built for other versions", before=True)
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("line", line, here.target.job, call.path)
    cost = "the extensions are built again in every run of this job"
    return Edited(edits, (declared_at(here, call.path, first.step),), (promise,), costs=(cost,))


def _own(here: Situation, name: str) -> str:
    """A folder that the repository's own code puts there; the log only says which."""
    if name in _KEPT:
        return ""
    return f"~/.cache/{name}" if holds_word(here.tree, f".cache/{name}", _TEXTS) else ""


def _removes(one: Invocation, folder: str) -> bool:
    words = [str(value) for value in one.program]
    below = folder.removeprefix("~/")
    return bool(words) and words[0] == "rm" and any(posixpath.normpath(word).endswith(below) for word in words[1:])


def _runs(one: Invocation) -> bool:
    """Not an install: the cache is read by what runs afterwards."""
    words = [str(value) for value in (one.calls[0].words or one.argv)]
    head = posixpath.basename(words[0]) if words else ""
    return bool(_STARTS.match(head)) and "install" not in words and "pip" not in words
