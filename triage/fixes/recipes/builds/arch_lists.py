"""`arch_list` and `force_build`: what the build of an extension must be told, as no GPU and no wheel says it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from triage.fixes.document import line_end, line_of, line_start
from triage.fixes.evaluate.invocation import Call, Invocation
from triage.fixes.manifests.dockerfile import Instruction, instructions, is_dockerfile, simple_commands
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.dependencies.installs import verb_at
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import insert_line
from triage.interfaces import Tree
from triage.model.patch import Edit
from triage.model.recipe import ForceBuild

_NAME = "TORCH_CUDA_ARCH_LIST"
_SET = re.compile(
    rb"\bTORCH_CUDA_ARCH_LIST[=:][ \t]*(?:\$\{TORCH_CUDA_ARCH_LIST:-)?([\"']?)([0-9][0-9.+PTX;, ]*[0-9X])\1"
)
# A line of its own that builds with the environment's torch.
_INSTALLS = re.compile(
    rb"(?m)^(?<!\\\n)[ \t]*(?:uv )?(?:python3? -m )?pip3? install [^\n\\]*--no-build-isolation[^\n\\]*$"
)
# Somebody else's project says what that one is built for.
_FOREIGN = re.compile(r"(?:^|/)(?:third[_-]?party|3rd[_-]?party|vendor(?:ed)?|external|submodules)/", re.I)
_SEVERAL = 2
_READ = (".sh", ".bash", ".yml", ".yaml")
_CUDA = re.compile(r"cuda:?(?P<major>1[1-9])\.(?P<minor>[0-9]+)|\bcu(?P<both>1[1-9][0-9])\b")
# From a release of CUDA on, what its compiler builds for among the GPUs of data centres (CUDA's release notes).
_BUILDS = (
    ((13, 0), "8.0;9.0;10.0;12.0"),
    ((12, 8), "8.0;9.0;10.0;12.0"),
    ((11, 8), "7.0;8.0;9.0"),
    ((11, 0), "7.0;8.0"),
)
# Extensions that look for a finished wheel while pip builds them, and the variable that keeps them from it.
_FORCED = {
    "flash_attn": ("flash-attn", "FLASH_ATTENTION_FORCE_BUILD"),
    "causal_conv1d": ("causal-conv1d", "CAUSAL_CONV1D_FORCE_BUILD"),
    "selective_scan": ("mamba-ssm", "MAMBA_FORCE_BUILD"),
}


def arch_list(here: Situation) -> Outcome:
    """In the script of the repository that several images' instructions run, else in the Dockerfile."""
    if not here.image:
        return Words(
            f"set {_NAME} to the architectures of the GPUs that will run it, as numbers: 8.0 for A100, 9.0 for H100"
        )
    own = [one for one in here.concerned if one.step == here.instruction and one.calls and _compiles(one)]
    if any(_NAME in one.environment for one in own) or _is_set(here):
        return InPlace(f"{_NAME} is set for the instruction at {here.image}:{_line(here)}")
    value, why = _agreed(here.tree) or _of_toolkit(here)
    if not value:
        return Words(f"set {_NAME} before {here.image}:{_line(here)}; what the image's CUDA builds for is not known")
    script = _script(here) if not own else None
    if script is not None:
        return _before_line(here, *script, value, why)
    scripts = [one for one in own if not is_dockerfile(one.calls[-1].path) and one.calls[-1].path in here.tree]
    if len(scripts) == 1 and len(own) == 1 and _entered(here, scripts[0].calls[-1].path) > 1:
        return _in_script(here, scripts[0], value, why)
    return _as_env(here, here.image, _found(here), f'{_NAME}="{value}"', why)


def _is_set(here: Situation) -> bool:
    """In an ENV above the failed instruction, or in the script that it runs."""
    found = instructions(here.tree.read(here.image))
    above = () if isinstance(found, Refusal) else found[: max(here.instruction, 0)]
    data = here.tree.read(here.image)
    given = any(one.name in ("ENV", "ARG") and _NAME.encode() in data[one.start : one.end] for one in above)
    return given or any(_NAME.encode() in here.tree.read(path) for path in _run_scripts(here))


def _run_scripts(here: Situation) -> list[str]:
    """Scripts of the repository that the failed instruction names, by the path that they have in it."""
    own = [one for one in here.concerned if one.step == here.instruction]
    words = dict.fromkeys(word.text or "" for one in own for word in one.program[:2])
    return [path for path in words if path.endswith((".sh", ".bash")) and path in here.tree]


def _script(here: Situation) -> tuple[str, int] | None:
    """The script that several instructions run, and where the line starts in it that installs what failed."""
    package = here.captures.get("package", "").rpartition("-")[2].lower()
    for path in _run_scripts(here):
        if not package or _entered(here, path) < _SEVERAL:
            continue
        data = here.tree.read(path)
        lines = [hit for hit in _INSTALLS.finditer(data) if package in hit[0].decode("utf-8", "replace").lower()]
        if len(lines) == 1:
            return path, lines[0].start()
    return None


def _before_line(here: Situation, path: str, at: int, value: str, why: str) -> Outcome:
    data = here.tree.read(path)
    indent = data[at : line_end(data, at)]
    indent = indent[: len(indent) - len(indent.lstrip())]
    eol = b"\r\n" if data[line_end(data, at) :][:2] == b"\r\n" else b"\n"
    line = f'export {_NAME}="${{{_NAME}:-{value}}}"'.encode()
    edit = Edit(path, at, at, indent + line + eol, why)
    return Edited((edit,), (path,), promised(here, (edit,))).noting("a list that is set outside is kept")


def _found(here: Situation) -> Instruction | Refusal:
    found = instructions(here.tree.read(here.image))
    if isinstance(found, Refusal) or here.instruction < 0:
        return Refusal("the failed instruction is not known", here.image)
    return found[here.instruction]


def _line(here: Situation) -> int:
    own = _found(here)
    return 0 if isinstance(own, Refusal) else line_of(here.tree.read(here.image), own.named)


def _compiles(one: Invocation) -> bool:
    """An install that builds with the environment's own torch, or a build of its own."""
    words = [word.text or "" for word in one.program]
    text = " ".join(str(word) for word in one.program)
    return (verb_at(words, "install") > 0 and "--no-build-isolation" in words) or "setup.py" in text


def _agreed(tree: Tree) -> tuple[str, str] | None:
    """The list that most files set, where they set one; None where two are set as often."""
    found: Counter[str] = Counter()
    for path in tree.paths():
        if (is_dockerfile(path) or path.endswith(_READ)) and not _FOREIGN.search(path):
            data = tree.read(path)
            found.update(set(_lists(data)) if _NAME.encode() in data else ())
    (value, count), *others = found.most_common(2) or [("", 0)]
    if not value or any(times == count for _, times in others):
        return None
    return value, f"other files of the repository build for {value}"


def _lists(data: bytes) -> Iterator[str]:
    """What is set, not what a comment says."""
    for hit in _SET.finditer(data):
        if b"#" not in data[line_start(data, hit.start()) : hit.start()]:
            yield hit[2].decode()


def _of_toolkit(here: Situation) -> tuple[str, str]:
    """Of the one release of CUDA that the images of the Dockerfile name."""
    releases = {release for text in _texts(here.tree, here.image, "FROM") for release in _releases(text)}
    if not releases:
        return "", ""
    oldest = min(releases)
    value = next((value for since, value in _BUILDS if oldest >= since), "")
    return value, f"CUDA {oldest[0]}.{oldest[1]} of the image builds for these, and the machine has no GPU to ask"


def _releases(text: str) -> Iterator[tuple[int, int]]:
    for hit in _CUDA.finditer(text):
        yield (int(hit["both"][:2]), int(hit["both"][2:])) if hit["both"] else (int(hit["major"]), int(hit["minor"]))


def _entered(here: Situation, path: str) -> int:
    """How many instructions of Dockerfiles run a script."""
    name = path.rpartition("/")[2]
    paths = [other for other in here.tree.paths() if is_dockerfile(other)]
    return sum(name in text for other in paths for text in _texts(here.tree, other, "RUN"))


def _texts(tree: Tree, path: str, name: str) -> Iterator[str]:
    """The instructions of one kind."""
    data = tree.read(path)
    found = instructions(data)
    for one in () if isinstance(found, Refusal) else found:
        if one.name == name:
            yield data[one.start : one.end].decode("utf-8", "replace")


def _in_script(here: Situation, one: Invocation, value: str, why: str) -> Outcome:
    call: Call = one.calls[-1]
    line = f'export {_NAME}="${{{_NAME}:-{value}}}"'
    edits = insert_line(here.tree, call, line, why=why, before=True)
    if isinstance(edits, Refusal):
        return edits
    made = Edited(edits, (declared_at(here, call.path, one.step),), promised(here, edits))
    return made.noting("a list that is set outside is kept")


def _as_env(here: Situation, path: str, own: Instruction | Refusal, pair: str, why: str) -> Outcome:
    if isinstance(own, Refusal):
        return own
    data = here.tree.read(path)
    start = line_start(data, own.named)
    eol = b"\r\n" if data[line_end(data, start) :][:2] == b"\r\n" else b"\n"
    edit = Edit(path, start, start, f"ENV {pair}".encode() + eol, why)
    made = Edited((edit,), (path, f"{path}:+ENV"), promised(here, (edit,)))
    return made.noting("the image keeps the variable: what compiles in it later reads it too")


def force_build(recipe: ForceBuild, here: Situation) -> Outcome:
    """Before the one instruction of a Dockerfile that installs it."""
    module = here.captures.get(recipe.module.strip("{}"), "")
    if module not in _FORCED:
        return Refusal(f"nothing says how {module or 'the extension'} is kept from fetching a wheel")
    distribution, name = _FORCED[module]
    places = [
        (path, one)
        for path in here.tree.paths()
        if is_dockerfile(path)
        for one in _installing(here.tree, path, distribution)
    ]
    shown = [(path, one) for path, one in places if any(path in text.split() for text in here.facts.commands)]
    meant = shown or places
    if any(name.encode() in here.tree.read(path) for path, _ in meant):
        return InPlace(f"{meant[0][0]} sets {name}")
    if len(meant) != 1:
        listed = ", ".join(sorted({path for path, _ in meant}))
        return Words(f"set {name}=TRUE where {distribution} is installed{f': {listed}' if listed else ''}")
    path, one = meant[0]
    why = f"the wheel that {distribution} fetches was built against another torch"
    made = _as_env(here, path, one, f"{name}=TRUE", why)
    title = f"Compile {distribution} at {path}:{line_of(here.tree.read(path), one.named)}"
    return replace(made, title=title) if isinstance(made, Edited) else made


def _installing(tree: Tree, path: str, distribution: str) -> Iterator[Instruction]:
    data = tree.read(path)
    found = instructions(data)
    for one in () if isinstance(found, Refusal) else found:
        for words in simple_commands(data, one):
            texts = [word.literal or "" for word in words]
            named = {re.split(r"[\[=<>!~ ;@]", text)[0].lower().replace("_", "-") for text in texts}
            if verb_at(texts, "install") > 0 and distribution in named:
                yield one
                break
