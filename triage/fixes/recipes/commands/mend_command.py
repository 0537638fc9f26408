"""`mend_command`: one command of the failed job, by what its program says of it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

from triage.fixes.document import line_end, line_of, line_start
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.numbers import whole
from triage.fixes.recipes.blast import blast_of_calls
from triage.fixes.recipes.builds.cmake_prefix import say_where
from triage.fixes.recipes.builds.dockerfiles import is_build, options, positional
from triage.fixes.recipes.commands.clean_checkout import force_checkout
from triage.fixes.recipes.commands.coverage_source import cover_own
from triage.fixes.recipes.commands.git_settings import submodules
from triage.fixes.recipes.commands.in_container import hand_whole
from triage.fixes.recipes.commands.lowered_name import lower_name
from triage.fixes.recipes.commands.no_environment import into_environment
from triage.fixes.recipes.commands.prompts import answer
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.commands.short_options import part_short_options
from triage.fixes.recipes.commands.wheel_globs import mend_wheel_glob
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.slipped_inputs import name_as_looked_for
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import append_argument, replace_at, replace_command
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.edits import add_entry, splice_scalar
from triage.fixes.yaml.nodes import child, text_of
from triage.fixes.yaml.scalar_edits import Edits
from triage.model.patch import Edit, Expectation
from triage.model.recipe import MendCommand

_GPUS = re.compile(r"--gpus[= ]+[\"']?(0)[\"']?(?=\s|\Z)")
# Lists of architectures to compile for, in a script, a workflow or a Dockerfile.
_ARCHES = re.compile(
    rb"(?:CMAKE_CUDA_ARCHITECTURES|TORCH_CUDA_ARCH_LIST|CUDAARCHS|CUDA_ARCHS|CUDA_ARCHITECTURES)(?:=|: *| )[\"']?"
    rb"([0-9][0-9a-z.+PTX]*(?:[;, ]+[0-9][0-9a-z.+PTX]*)*)"
)
_ARCH = re.compile(r"(?:compute_|sm_)?([0-9]{2,3})[a-f]?\Z")
# The newest that CUDA 13 dropped: what is older is missing in new toolkits, what is newer in old ones.
_OLD = 72
_REMOVED = ("--install-option", "--global-option")
_APART = "--no-build-isolation"
_ANSWERS = ("-y", "--yes")
_CHECKOUT = "actions/checkout@"
_FETCHES = re.compile(r"git submodule|--recurse-submodules|--recursive")


def mend_command(recipe: MendCommand, here: Situation) -> Outcome:
    made: dict[str, Callable[[Situation], Outcome]] = {
        "architectures": _architectures,
        "asks-nothing": _asks_nothing,
        "cmake-prefix": say_where,
        "context": _context,
        "coverage-source": cover_own,
        "dirty": force_checkout,
        "environment": into_environment,
        "in-container": hand_whole,
        "lower-case": lower_name,
        "no-gpus": _gpus,
        "pip-option": _pip_option,
        "prompt": answer,
        "short-option": part_short_options,
        "slipped-input": name_as_looked_for,
        "submodules": _submodules,
        "upgrade": _upgrade,
        "wheel-glob": mend_wheel_glob,
    }
    return made[recipe.fault](here)


def _made(here: Situation, one: Invocation, edits: Edits | Refusal, title: str) -> Outcome:
    if isinstance(edits, Refusal):
        return edits
    call = one.calls[-1]
    declared, blast = (declared_at(here, call.path, one.step),), blast_of_calls(here, (call,))
    return Edited(tuple(edits), declared, promised(here, edits), blast_radius=blast, title=title)


def _ran(here: Situation) -> Iterator[tuple[Invocation, list[str]]]:
    """Each command once, with its words."""
    seen: set[tuple[str, int]] = set()
    for one in here.concerned:
        if one.calls and not one.substitution and one.calls[-1].key not in seen:
            seen.add(one.calls[-1].key)
            yield one, [word.text or "" for word in one.program]


def _context(here: Situation) -> Outcome:
    """The folder in which the command runs, where it holds the Dockerfile."""
    builds = [(one, words) for one, words in _ran(here) if is_build(words)]
    lacking = [
        (one, words)
        for one, words in builds
        if "-" not in words and not positional(words) and all(word.text is not None for word in one.program)
    ]
    if not lacking:
        return InPlace(f"{here.job.id} builds from a folder") if builds else Refusal(f"{here.job.id} builds no image")
    one, words = lacking[0]
    call, folder = one.calls[-1], one.directory
    file = next(iter(options(words, "-f", "--file")), "Dockerfile")
    if folder is None or posixpath.normpath(posixpath.join(folder, file)) not in here.tree:
        return Words(
            f"{call.path}:{call.line} builds from no folder: name the one that its COPY instructions start from"
        )
    edits = append_argument(here.tree, call, ".", why="the folder that the image is built from is missing")
    return _made(here, one, edits, "Build from the folder that holds the Dockerfile")


def _asks_nothing(here: Situation) -> Outcome:
    """uv takes no answer beforehand: it uninstalls without a question."""
    own = [(one, words) for one, words in _ran(here) if "uv" in map(posixpath.basename, words[:3])]
    own = [(one, words) for one, words in own if {"pip", "uninstall"} <= {*words}]
    edits: list[Edit] = []
    for one, words in own:
        for flag in _ANSWERS:
            made = (
                ()
                if flag not in words
                else replace_command(
                    here.tree, one.calls[-1], f" {flag}", "", why="uv asks nothing, and takes no answer"
                )
            )
            if isinstance(made, Refusal):
                return made
            edits += made
    if not edits:
        return InPlace("no answer is given to uv") if own else Refusal(f"{here.job.id} uninstalls nothing with uv")
    return _made(here, own[0][0], tuple(edits), "Leave the answer out that uv does not take")


def _upgrade(here: Situation) -> Outcome:
    """The lists are still updated, and what the job needs is installed by its name."""
    found = [
        one
        for one, words in _ran(here)
        if words and posixpath.basename(words[0]) in ("apt-get", "apt") and {"upgrade", "dist-upgrade"} & {*words[1:]}
    ]
    if not found:
        return InPlace(f"{here.job.id} does not upgrade the whole system")
    if len(found) > 1:
        return Refusal(f"{here.job.id} upgrades its system more than once")
    call = found[0].calls[-1]
    data = here.tree.read(call.path)
    head = data[line_start(data, call.start) : call.start]
    tail = data[call.end : line_end(data, call.end)]
    if joined := re.search(rb"[ \t]*&&[ \t]*\Z", head):
        start, end = call.start - len(joined[0]), call.end
    elif joined := re.match(rb"[ \t]*&&[ \t]*(?!\\)", tail):
        start, end = call.start, call.end + joined.end()
    else:
        return Words(f"{call.path}:{call.line} upgrades the whole system: take it away, it is not what the job needs")
    old = data[start:end].decode("utf-8", "replace")
    edits = replace_at(
        here.tree, call.path, start, old, "", why="an upgrade of the whole machine can fail on any package"
    )
    return _made(here, found[0], edits, f"Do not upgrade the whole system at {call.path}:{call.line}")


def _pip_option(here: Situation) -> Outcome:
    """`--config-settings` hands it to the build; what pip built so before it did in the environment itself."""
    option = here.captures.get("option", "")
    if option not in _REMOVED:
        return Refusal(f"`{option}` is no option that pip has another one for")
    for one, words in _ran(here):
        given = [word for word, text in zip(one.program, words, strict=True) if text.startswith(f"{option}=")]
        if not given or "install" not in words:
            continue
        call = one.calls[-1]
        text = here.tree.read(call.path)[call.start : call.end]
        plain = list(re.finditer(re.escape(option.encode()) + rb"=(['\"]?)(--?[\w-]+)\1(?=\s|\Z)", text))
        if len(plain) != len(given) or call.nested or not call.insertable:
            return Words(f"{call.path}:{call.line}: pass `--config-settings` instead of {option}")
        edits: list[Edit] = []
        for hit in plain:
            new, old = f'--config-settings "--build-option={hit[2].decode()}"', hit[0].decode()
            why = f"pip has no {option} any more"
            made = replace_at(here.tree, call.path, call.start + hit.start(), old, new, why=why)
            if isinstance(made, Refusal):
                return made
            edits += made
        if _APART not in words:
            apart = append_argument(here.tree, call, _APART, why="the build saw the environment before")
            edits += () if isinstance(apart, Refusal) else apart
        return _made(here, one, tuple(edits), f"Hand the build its options by --config-settings instead of {option}")
    if any("--config-settings" in words for _, words in _ran(here)):
        return InPlace(f"{here.job.id} hands the build its options by --config-settings")
    return Refusal(f"no command of {here.job.id} passes {option}", here.job.path)


def _architectures(here: Situation) -> Outcome:
    """What the toolkit does not know leaves the one list that names it, with what is newer still (or older still)."""
    found = _ARCH.match(here.captures.get("arch", ""))
    lacking = whole(found[1]) if found else None
    if lacking is None:
        return Refusal("the log names no architecture")
    called = dict.fromkeys(call.path for one in here.evaluation.invocations for call in one.calls)
    lists = [(path, hit) for path in called if path in here.tree for hit in _ARCHES.finditer(here.tree.read(path))]
    hits = [(path, hit) for path, hit in lists if lacking in map(_number, re.split(r"[;, ]+", hit[1].decode()))]
    if lists and not hits:
        return InPlace(f"{lists[0][0]} does not ask for {lacking}")
    if len(hits) != 1:
        return Refusal(f"{'several lists name' if hits else 'no list of architectures names'} {lacking}")
    path, hit = hits[0]
    text = hit[1].decode()
    new = _shortened(text, lacking)
    if not new:
        return Words(
            f"{path}:{line_of(here.tree.read(path), hit.start(1))} names no architecture that the toolkit knows"
        )
    edits = replace_at(here.tree, path, hit.start(1), text, new, why=f"the toolkit compiles for no {lacking}")
    if isinstance(edits, Refusal):
        return edits
    step = next(one.step for one in here.evaluation.invocations for call in one.calls if call.path == path)
    title = f"Compile for {new} alone at {path}:{line_of(here.tree.read(path), hit.start(1))}"
    made = Edited(tuple(edits), (declared_at(here, path, step),), promised(here, edits), title=title)
    return made.noting("a newer CUDA toolkit knows the others: where their GPUs are used, move to it instead")


def _number(arch: str) -> int:
    """90 of `90`, `90a`, `9.0`, `9.0+PTX`."""
    bare = arch.partition("+")[0].rstrip("abcdef")
    major, point, minor = bare.partition(".")
    return (whole(major) or 0) * 10 + (whole(minor) or 0) if point else whole(bare) or 0


def _shortened(text: str, lacking: int) -> str:
    kept: list[str] = []
    parts = re.split(r"([;, ]+)", text)
    for arch, sign in zip(parts[::2], ["", *parts[1::2]], strict=False):
        gone = _number(arch) <= lacking if lacking <= _OLD else _number(arch) >= lacking
        kept += [] if gone else [sign if kept else "", arch]
    return "".join(kept)


def _gpus(here: Situation) -> Outcome:
    node = here.job.container_options
    found = _GPUS.search(node.value) if node is not None else None
    if node is None or found is None:
        held = node is not None and "--gpus" in node.value
        return (
            InPlace("the container is given GPUs")
            if held
            else Refusal(f"{here.job.id} gives its container no `--gpus 0`")
        )
    edits = splice_scalar(here.job.document, node, *found.span(1), "all", why="`--gpus 0` asks for none")
    if isinstance(edits, Refusal):
        return edits
    place = f"{here.place}.container.options"
    value = node.value[: found.start(1)] + "all" + node.value[found.end(1) :]
    promise = Expectation("value", f"{place}={value.strip()}", here.target.job, here.job.path)
    return Edited(edits, (f"{here.job.path}:{place}",), (promise,), title="Give the job's container the GPUs")


def _submodules(here: Situation) -> Outcome:
    """Only where what is missing lies below a submodule by its name or its path, and nothing fetches them."""
    places = submodules(here.tree)
    if not places or not here.job.path or here.job.path != here.target.workflow_path:
        return Refusal("the repository has no submodules, or the job is not known")
    missing = here.captures.get("message", "").partition(":")[0] or here.captures.get("path", "")
    own = next((place for place in places if _below(missing, place)), "")
    if not own:
        return Refusal(f"`{missing}` is of no submodule")
    step = next((step for step in here.job.steps if _takes_all(step)), None)
    if step is None or step.path != here.job.path:
        return Refusal(f"{here.job.id} has no checkout of its own", here.job.path, here.job.line)
    held = text_of(child(step.node, "with", "submodules"))
    if held not in ("", "false") or any(
        _FETCHES.search(one.run.value) for one in here.job.steps if one.run is not None
    ):
        return InPlace(f"{here.job.id} fetches the submodules")
    if held:
        return Words(f"{step.path}:{step.line} fetches no submodules, and {missing} comes with {own}")
    why = f"{missing} comes with the submodule {own}"
    edits = add_entry(here.job.document, step.node, "with", "submodules", "recursive", why=why)
    if isinstance(edits, Refusal):
        return edits
    place = f"{here.place}.steps[{step.index}].with"
    declared = f"{here.job.path}:{place}" + (".submodules" if child(step.node, "with") is not None else "")
    promise = Expectation("value", f"{place}.submodules=recursive", here.target.job, here.job.path)
    return Edited(edits, (declared,), (promise,), title=f"Check the submodules out, of which {own} is one")


def _takes_all(step: Step) -> bool:
    return step.uses.startswith(_CHECKOUT) and child(step.node, "with", "repository") is None


def _below(missing: str, place: str) -> bool:
    """`cutlass/cutlass.h` of 3rdparty/cutlass, /src/third_party/fmt/x of third_party/fmt."""
    name = posixpath.basename(place).lower()
    return missing.partition("/")[0].lower() == name or f"/{place}/" in f"/{missing.lstrip('/')}/"
