"""`fewer_jobs`: half as many compilers at once as the job, its script or its image's build asks for, else a number."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from triage.fixes.evaluate.values import Site, SiteKind
from triage.fixes.manifests.dockerfile import instructions
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.builds.built import set_in_build
from triage.fixes.recipes.builds.containers import builds_image, set_in_container
from triage.fixes.recipes.builds.makefiles import bounded_makefile, in_place
from triage.fixes.recipes.builds.unexported import exported, handed
from triage.fixes.recipes.commands.scripts import Script, promised, scripts_of, text_of_file
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.environment import set_variable
from triage.fixes.recipes.wiring.steps import on_bare_machine
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.files import is_workflow
from triage.model.patch import Edit, Expectation
from triage.model.recipe import FewerJobs, SetEnv

_NAME = re.compile(r"\$\{?\w+\}?")
_NUMBER = re.compile(r"[0-9]{1,4}\Z")
# What a script works out from the machine: all its cores, or a share of something.
_CORES = re.compile(r"nproc")
_COUNTED = re.compile(r"\$\(nproc\)|`nproc`")
_SHARE = re.compile(r"\$\(\(\s*(?P<whole>[\w${}() ]{1,60}?)\s*/\s*(?P<parts>[0-9]{1,3})\s*\)\)")
# One of two numbers, by what a test of the shell says.
_CHOSEN = re.compile(
    r"\$\( *(?:\[\[?|test) [^\n]{1,200}? && echo (?P<one>[0-9]{1,3}) \|\| echo (?P<other>[0-9]{1,3}) *\)"
)
# `-j` of a build tool with as many jobs as it likes, or as there are cores.
_UNBOUNDED = re.compile(
    r"\b(?:make|ninja|cmake --build)\b[^\n;&|]{0,200}?\s"
    r"(?P<jobs>(?:-j|--parallel)(?:[ =]?\"?(?:\$\(nproc\)|`nproc`|(?P<number>[0-9]{1,4}))\"?)?)"
    r"(?=\s|$|[;&|)])(?! ?[\"']?[$`0-9])"
)
# `-j` of a build tool with a number from elsewhere, which no variable of ours changes.
_ELSEWHERE = re.compile(
    r"\b(?:make|ninja|cmake --build)\b[^\n;&|]{0,200}?\s(?:-j|--parallel)[ =]?[\"']?(?P<number>\$\{?\{?[^\s\"';&|]+)"
)
_COMMENTED = re.compile(r"\s*(?:#|echo\b|printf\b)")
# The compiler's own threads, of projects whose build reads them.
_THREADS, _READERS = "NVCC_THREADS", ("setup.py", "CMakeLists.txt")
_NEAR = 2


def fewer_jobs(recipe: FewerJobs, here: Situation) -> Outcome:
    """Where the number stands decides: what a command or a script sets itself is not seen from the job's `env`."""
    texts = list(_texts(here))
    every = [*texts, *handed(here, texts)]
    if recipe.settled:
        done = any(recipe.settled in text for _, text, _ in every) or _given(recipe.settled, here)
        done = done or in_place(recipe.settled, here, texts)
        return InPlace(f"`{recipe.settled}` is there already") if done else Refusal("it is not there any more")
    if not here.image and any(one.environment.get(_THREADS) is not None for one in here.concerned):
        recipe = replace(recipe, threads="")
    if (kept := exported(recipe, here, every)) is not None:
        return kept
    by_text = [[(text[0], hit) for hit in _assigned(recipe.name, *text[1:])] for text in texts]
    by_text = [[one for one in hits if not _own(recipe.name, one[1][2])] for hits in by_text]
    named = next((hits for hits in by_text if hits), []) if here.image else [one for hits in by_text for one in hits]
    if named:
        return _halved(recipe, here, named)
    held = [site for one in here.concerned if (value := one.environment.get(recipe.name)) for site in value.sites]
    if held and not here.image:
        return _in_layer(recipe, here, held[0])
    tools = [(script, hit, offset) for script, text, offset in texts for hit in _started(_UNBOUNDED, text)]
    tools = [one for one in tools if one[1]["number"] != "1"]
    if tools:
        return _bounded(recipe, here, tools)
    if (made := bounded_makefile(recipe, here, texts)) is not None:
        return made
    numbers = [hit["number"] for _, text, _ in texts for hit in _started(_ELSEWHERE, text)]
    if others := [one for one in numbers if not re.search(rf"\b{recipe.name}\b", one)]:
        return Refusal(f"the build tool starts `{others[0]}` compilers at once, whatever {recipe.name} is")
    if not here.image and (built := next(filter(builds_image, here.concerned), None)) is not None:
        return Refusal(f"the compilers run inside of `{built.command_line[:60]}`, which gives them no environment")
    plain = SetEnv(recipe.name, recipe.value, level="step", as_in_workflow=True)
    made = set_in_build(plain, here) if here.image else set_in_container(plain, here) or set_variable(plain, here)
    return replace(made, settled=made.settled or plain) if isinstance(made, Edited) else made


def _texts(here: Situation) -> Iterator[tuple[Script, str, int]]:
    """What is read, the part of it that counts, and where that begins: of a Dockerfile the failed instruction, and
    what sets the environment of all."""
    if not here.image:
        yield from ((script, script.text, 0) for script in scripts_of(here))
        return
    text = text_of_file(here.tree, here.image)
    found = instructions(here.tree.read(here.image))
    numbered = [] if isinstance(found, Refusal) else list(enumerate(found))
    failed = [(at, one) for at, one in numbered if at == here.instruction]
    for at, one in [*failed, *reversed(numbered)]:
        if at == here.instruction or (one.name in ("ENV", "ARG") and at < here.instruction):
            start = len(here.tree.read(here.image)[: one.named - len(one.name) - 1].decode("utf-8", "replace"))
            end = len(here.tree.read(here.image)[: one.end].decode("utf-8", "replace"))
            yield Script(here.image, text), text[start:end], start


def _started(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Hits in commands, not in comments and in what a script says."""
    for hit in pattern.finditer(text):
        if not _COMMENTED.match(text[text.rfind("\n", 0, hit.start()) + 1 : hit.end()]):
            yield hit


def _assigned(name: str, text: str, offset: int) -> Iterator[tuple[int, int, str]]:
    """Where a value of the variable stands: its characters, and what is written."""
    head = rf"(?<![\w-]){re.escape(name)}(?:=|[ \t]+(?=[0-9]))[\"']?"
    pattern = rf"{head}(?P<value>\$\(\([^\n]*?\)\)|\$\([^\n]*?\)(?=[\s\"']|$)|[^\s\"';&|]*)"
    for hit in re.finditer(pattern, text):
        comment = text.rfind("\n", 0, hit.start()) + 1
        if not text[comment : hit.start()].lstrip().startswith("#"):
            yield offset + hit.start("value"), offset + hit.end("value"), hit["value"]


def _halved(recipe: FewerJobs, here: Situation, named: Sequence[tuple[Script, tuple[int, int, str]]]) -> Outcome:
    """One text for all places, else nobody knows which of them counts."""
    worked_out = [(script, at) for script, at in named if not _NUMBER.match(at[2]) and _half(at[2])]
    clamps = all(at[2] == "1" or _NAME.fullmatch(at[2]) for one in named if one not in worked_out for at in one[1:])
    changing = worked_out if worked_out and clamps else named
    olds = {value for _, (_, _, value) in changing}
    if len(olds) != 1:
        lines = ", ".join(f"{script.path}:{script.line(start)}" for script, (start, _, _) in changing)
        return Refusal(f"{recipe.name} is set at several places ({lines})" if lines else f"{recipe.name} is not set")
    old, script, start = olds.pop(), changing[0][0], changing[0][1][0]
    new = _half(old)
    if not new and (threads := _threads(recipe, here)) is not None:
        return threads
    new = new or _fewer_of_two(old)
    if not new:
        return Refusal(f"{recipe.name} is `{old}` ({script.path}:{script.line(start)}), which cannot be halved")
    why = f"{recipe.name} is {old} here, and as many compilers need more memory than there is"
    edits: list[Edit] = []
    for script, (first, last, _) in changing:
        made = script.replace(first, last, new, why=why)
        if isinstance(made, Refusal):
            return made
        edits += made
    declared = tuple(dict.fromkeys(script.declared(here) for script, _ in changing))
    settled = replace(recipe, settled=f"{recipe.name}={new}")
    whole = Edited(tuple(edits), declared, promised(here, edits), settled=settled)
    was = old if _NUMBER.match(old) else "more"
    titled = f"Run {new} instead of {was} compilers at once" if _NUMBER.match(new) else ""
    return replace(whole, title=titled, blast_radius=blast_radius(here, edits))


def _own(name: str, value: str) -> bool:
    """Whether the variable is only handed on."""
    return value in (f"${name}", f"${{{name}}}")


def _half(old: str) -> str:
    """ "" for one job, and for what is worked out in another way."""
    if _NUMBER.match(old):
        return str(int(old) // 2) if int(old) > 1 else ""
    if _COUNTED.fullmatch(old):
        return "$(( ($(nproc) + 1) / 2 ))"
    share = _SHARE.fullmatch(old)
    return f"$(( {share['whole']} / {int(share['parts']) * 2} ))" if share else ""


def _fewer_of_two(old: str) -> str:
    """The smaller of two numbers that a test chooses between, where the larger one failed: it is half of it or less."""
    chosen = _CHOSEN.fullmatch(old)
    few, many = sorted((int(chosen["one"]), int(chosen["other"]))) if chosen is not None else (0, 0)
    return str(few) if 0 < few <= many // 2 else ""


def _threads(recipe: FewerJobs, here: Situation) -> Outcome | None:
    """Where one job is too many: fewer threads of the compiler, if the project's own build reads their number."""
    own = [path for path in here.tree.paths() if posixpath.basename(path) in _READERS and path.count("/") < _NEAR]
    reads = any(_THREADS.encode() in here.tree.read(path) for path in own)
    if not recipe.threads or here.image or not reads:
        return None
    settled = SetEnv(_THREADS, recipe.threads, level="step")
    made = set_variable(settled, here)
    title = f"Let the compiler itself use {recipe.threads} threads"
    because = f"No fewer compilers can run at once here, and the build reads {_THREADS}."
    return replace(made, title=title, because=because, settled=settled) if isinstance(made, Edited) else made


def _in_layer(recipe: FewerJobs, here: Situation, site: Site) -> Outcome:
    """A number in an `env` of the workflow."""
    data = here.tree.read(site.path) if site.path in here.tree else b""
    old = data[site.start : site.end].decode("utf-8", "replace")
    new = _half(old)
    if site.kind is not SiteKind.YAML_ENV or not new:
        return _threads(recipe, here) or Refusal(
            f"{recipe.name} cannot be lowered where it is set", site.path, site.line
        )
    edit = Edit(site.path, site.start, site.end, new.encode(), f"{recipe.name} is {old} for every command of the job")
    promise = Expectation("environment", f"{recipe.name}={new}", here.target.job, here.target.workflow_path)
    declared = site.path if not is_workflow(site.path) else declared_at(here, site.path, 0).partition(":")[0]
    settled = replace(recipe, settled=f"{recipe.name}={new}")
    title = f"Run {new} instead of {old} compilers at once"
    return Edited(
        (edit,), (declared,), (promise,), settled=settled, title=title, blast_radius=blast_radius(here, (site,))
    )


def _given(settled: str, here: Situation) -> bool:
    name, _, value = settled.partition("=")
    return any((held := one.environment.get(name)) is not None and held.text == value for one in here.concerned)


def _bounded(recipe: FewerJobs, here: Situation, tools: Sequence[tuple[Script, re.Match[str], int]]) -> Outcome:
    """`make -j` starts as many compilers as there are files that are ready."""
    few = "2" if on_bare_machine(here) else recipe.value
    counted = all(_CORES.search(hit["jobs"]) for _, hit, _ in tools)
    numbers = {hit["number"] for _, hit, _ in tools}
    if numbers != {None}:
        half = _half(numbers.pop() or "") if len(numbers) == 1 else ""
        if not half:
            return Refusal("the build tools run several numbers of compilers")
        few = half
    new = "-j$(( ($(nproc) + 1) / 2 ))" if counted else f"-j{few}"
    edits: list[Edit] = []
    why = "one compiler a core needs more memory than there is" if counted else "as many compilers need too much memory"
    for script, hit, offset in tools:
        made = script.replace(offset + hit.start("jobs"), offset + hit.end("jobs"), new, why=why)
        if isinstance(made, Refusal):
            return made
        edits += made
    declared = tuple(dict.fromkeys(script.declared(here) for script, _, _ in tools))
    settled = replace(recipe, settled=new)
    title = "Run half as many compilers as there are cores" if counted else f"Run no more than {few} compilers at once"
    because = "The build tool starts one compiler a core here, or as many as there are files, and reads no variable."
    whole = Edited(tuple(edits), declared, promised(here, edits), settled=settled, title=title, because=because)
    return replace(whole, blast_radius=blast_radius(here, edits))
