"""`extra_index`: one more index for an install command, or the only one that it reads beside the default."""

from __future__ import annotations

import re
from dataclasses import replace

from triage.fixes.evaluate.values import Value
from triage.fixes.manifests.dockerfile import instructions, is_dockerfile
from triage.fixes.recipes.blast import blast_of_calls
from triage.fixes.recipes.dependencies.installs import Install, installs
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.steps import on_bare_machine
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import normalised
from triage.fixes.shell.edits import append_argument, replace_at
from triage.model.patch import Edit, Expectation
from triage.model.recipe import ExtraIndex

# The index from which PyTorch's own instructions install its builds without CUDA.
_PROCESSORS = "https://download.pytorch.org/whl/cpu"
_OWN, _MORE = ("-i", "--index-url"), "--extra-index-url"
# What an index of torch's has itself: that it is missing there has another cause.
_TORCH = frozenset(("torch", "torchvision", "torchaudio", "triton", "pytorch-triton", "pytorch-triton-rocm"))
# Words of an image's name that mean a GPU of NVIDIA's or AMD's in it.
_DEVICES = re.compile(rb"cuda|nvidia|pytorch|rocm|\bcu[0-9]{2,3}\b", re.I)
# And those that mean a machine without one. An image may run on another machine than the one that it is built on.
_OTHERS = re.compile(rb"(?:^|[^a-z])(?:cpu|cann|ascend|npu|xpu|hpu|gaudi|tpu)(?![a-z])", re.I)


def extra_index(recipe: ExtraIndex, here: Situation) -> Outcome:
    """The failed step's (or instruction's) install commands; more than one that fits is words where it matters."""
    package = normalised(here.captures.get(recipe.package.strip("{}"), ""))
    if package in _TORCH:
        return Refusal(f"{package} is what that index is for")
    if recipe.processors and (reason := _needs_devices(here)):
        return Refusal(reason)
    done = [one for one in installs(here.concerned) if not here.image or one.invocation.step == here.instruction]
    alone = here.captures.get(recipe.instead_of.strip("{}"), "").rstrip("/") if recipe.instead_of else ""
    meant = [one for one in done if not alone or _given(one, *_OWN).rstrip("/") == alone]
    besides = next((one for one in done if alone and _given(one, _MORE).rstrip("/") == alone), None)
    if not meant and besides is not None:
        return InPlace(f"{besides.call.path}:{besides.call.line} reads {alone} besides pip's own index")
    if not meant:
        return Refusal(f"no install command of {here.job.id} reads {alone or 'an index'}", here.job.path, here.job.line)
    lacking = [one for one in meant if not _given(one, _MORE)]
    if not lacking:
        return InPlace(f"the install reads {_given(meant[0], _MORE)} besides")
    if any(one.uv for one in lacking):
        more = _PROCESSORS if recipe.processors else "the public index"
        return Words(f"let it read {more} as well: uv asks an extra index first, so give torch its index by itself")
    if recipe.processors and len(lacking) > 1:
        lines = ", ".join(f"{one.call.path}:{one.call.line}" for one in lacking)
        return Words(f"pass `{_MORE} {_PROCESSORS}` to the one of {lines} that brings torch")
    places = {one.call.key: one for one in lacking}
    reading = _besides if recipe.processors else _instead
    return together([reading(here, one) for one in places.values()])


def _needs_devices(here: Situation) -> str:
    """Why a build of torch for processors would not do, "" where it would."""
    if not here.image:
        return "" if on_bare_machine(here) else f"{here.job.id} may run on a machine with a GPU"
    data = here.tree.read(here.image)
    found = instructions(data)
    bases = [] if isinstance(found, Refusal) else [one for one in found if one.name in ("FROM", "ARG")]
    texts = [data[one.start : one.end] for one in bases if one.name == "FROM" or b"/" in data[one.start : one.end]]
    said = [here.image.encode(), *texts]
    if any(_DEVICES.search(one) for one in said) or not any(_OTHERS.search(one) for one in said):
        return f"nothing says that {here.image} is for a machine without a GPU of that kind"
    return ""


def _given(one: Install, *options: str) -> str:
    """The last value that a command gives one of the options."""
    found, before = "", ""
    for word in one.invocation.argv:
        text = _text(word)
        name, equals, value = text.partition("=")
        found = text if before in options else value if equals and name in options else found
        before = text
    return found


def _text(word: Value) -> str:
    return word.text if word.text is not None else str(word)


def _besides(here: Situation, one: Install) -> Outcome:
    """The index of torch's builds without CUDA, besides the one that it reads."""
    more = f"{_MORE} {_PROCESSORS}"
    edits = append_argument(here.tree, one.call, more, why="the index that it reads has only a part of it")
    return _promised(here, one, edits, f"{one.invocation.command_line} {more}")


def _instead(here: Situation, one: Install) -> Outcome:
    """The index that it reads alone becomes one more, so that pip's own default counts again."""
    texts = [_text(word) for word in one.invocation.argv]
    at = max(at for at, text in enumerate(texts) if text.partition("=")[0] in _OWN)
    option, sites = texts[at].partition("=")[0], one.invocation.argv[at].sites
    call = one.call
    if not sites or sites[0].path != call.path or not call.start <= sites[0].start < call.end:
        return Refusal(f"`{option}` is not written in the command", call.path, call.line)
    edits = replace_at(here.tree, call.path, sites[0].start, option, _MORE, why="an index of its own replaces pip's")
    texts[at] = texts[at].replace(option, _MORE, 1)
    return _promised(here, one, edits, " ".join(texts))


def _promised(here: Situation, one: Install, edits: tuple[Edit, ...] | Refusal, command: str) -> Outcome:
    if isinstance(edits, Refusal):
        return edits
    call = one.call
    promise = Expectation("command", command, here.target.job, here.target.workflow_path)
    made = Edited(edits, (declared_at(here, call.path, one.invocation.step),), (promise,))
    shared = () if is_dockerfile(call.path) or call.path == here.job.path else (call,)
    return replace(made, blast_radius=blast_of_calls(here, shared))
