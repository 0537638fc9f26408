"""`env` at the program: the environment that a cluster gives it, else an `export` in the script that starts it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from triage.fixes.document import eol_at, line_end, line_start
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.programs import PYTHON
from triage.fixes.evaluate.submitting import runtime_json, runtime_variables
from triage.fixes.evaluate.values import Site, SiteKind
from triage.fixes.hydra.config import Present
from triage.fixes.recipes.blast import blast_of_calls, blast_radius
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.recipes.overrides.knobs import program
from triage.fixes.recipes.overrides.shown import shown_file
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.settings.alike import held_alike
from triage.fixes.settings.chain import read_chain
from triage.fixes.settings.setting import environments, is_environment, set_in_file, value_in_file
from triage.fixes.shell.edits import insert_line
from triage.fixes.workflow.files import is_workflow
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation

_SAFE = re.compile(r"[\w.+:/@%,=-]+\Z")
# Commands that make an environment, a folder or a setting, and train nothing.
_PREPARING = re.compile(
    r"(?:apt(?:-get)?|cat|cd|ch(?:mod|own)|conda|cp|curl|dnf|echo|eval|export|git|ldconfig|ls|lscpu|(?:micro)?mamba|mkdir"
    r"|mv|nvidia-smi|pip3?|pwd|rm|rocm-smi|sed|set|source|tar|test|uv|wget|which|yum|[.:])\Z"
)
_CONTAINED = re.compile(rb"\b(?:docker|podman|srun|sbatch|ssh|kubectl)\b")
_EXPORT = re.compile(rb"[ \t]*export[ \t]+[A-Za-z_]\w*=\S*[ \t]*(?:#.*)?\r?\Z")


def set_near_program(here: Situation, name: str, value: str, *, why: str, comment: str = "") -> Outcome:
    """Refused where no script of the repository starts the program: then it is the job's `env` that counts."""
    if not _SAFE.match(value):
        return Refusal(f"`{value}` cannot be written without quoting")
    programs = [one for one in here.concerned if not one.substitution and starts_program(one)]
    if not programs:
        return Refusal(f"no command of {here.job.id} starts a program", here.job.path, here.job.line)
    submitting = [one for one in programs if runtime_json(one.argv) is not None]
    if submitting:
        return _into_json(here, submitting, name, value, why=why)
    held = held_in_file(here, name)
    exported = Refusal("a configuration sets it") if held else _export(here, programs, name, value, why, comment)
    if not isinstance(exported, Refusal):
        return exported
    places = [(held[0], held[1].rpartition(".")[0])] if held else _environments(here, programs)
    places = places or _alike(here, programs, name)
    if len(places) != 1:
        return exported
    path, place = places[0]
    return set_in_file(here.tree, path, f"{place}.{name}", value, job=here.target.job, why=why)


def _alike(here: Situation, programs: Sequence[Invocation], name: str) -> list[tuple[str, str]]:
    """Where configurations like the program's give their harness this variable."""
    files = dict.fromkeys(path for one in programs if (path := program(here.tree, one, here.tables).file))
    found = [(path, held_alike(here.tree, path, name).rpartition(".")[0]) for path in files]
    return [(path, place) for path, place in found if is_environment(place)]


def held_in_file(here: Situation, name: str) -> tuple[str, str, str] | None:
    """File, path and value of a variable that the configuration of a program holds."""
    programs = [one for one in here.concerned if not one.substitution and starts_program(one)]
    for path, place in _environments(here, programs):
        configuration = read_chain(here.tree, path)
        found = None if isinstance(configuration, Refusal) else configuration.look(f"{place}.{name}")
        held = (found.value if isinstance(found, Present) else "") or value_in_file(here.tree, path, f"{place}.{name}")
        if held:
            return path, f"{place}.{name}", held
    return None


def _environments(here: Situation, programs: Sequence[Invocation]) -> list[tuple[str, str]]:
    files = dict.fromkeys(path for one in programs if (path := program(here.tree, one, here.tables).file))
    files = files or dict.fromkeys(path for one in programs if (path := shown_file(here, one)))
    return [(path, place) for path in files for place in environments(here.tree, path)]


def starts_program(invocation: Invocation) -> bool:
    """Whether the command starts Python in one of its ways, behind launchers too."""
    words = [value.text or "" for value in invocation.program]
    return bool(words) and (posixpath.basename(words[0]) in PYTHON or any(word.endswith(".py") for word in words))


def hands_on(invocation: Invocation, tree: Tree) -> bool:
    """Whether the command runs targets of the repository's Makefile, which see its environment; containers do not."""
    first = posixpath.basename((invocation.program[0].text if invocation.program else "") or "")
    return first == "make" and "Makefile" in tree and _CONTAINED.search(tree.read("Makefile")) is None


def _into_json(here: Situation, programs: Sequence[Invocation], name: str, value: str, *, why: str) -> Outcome:
    """One more entry of `env_vars` in the JSON that the submit command carries, written as its neighbours are."""
    if any(name in dict(runtime_variables(one.argv)) for one in programs):
        return Refusal(f"{name} has another value in the runtime environment of the submitted program")
    found = {span for one in programs if (span := _span(one)) is not None}
    if len(found) != 1:
        return Refusal("the runtime environment of the submitted program is put together at run time")
    path, start, end = found.pop()
    data = here.tree.read(path)
    at = _end_of_entries(data, start, end)
    if at is None:
        return Refusal("the runtime environment has no env_vars that take another entry", path)
    quote = b'\\"' if b'\\"' in data[start:end] else b'"'
    first = line_start(data, at)
    own_line = data[first:at].lstrip().startswith((quote, b'"'))
    indent = data[first : first + len(data[first:at]) - len(data[first:at].lstrip())]
    gap = eol_at(data, at) + indent if own_line else b" "
    entry = quote + name.encode() + quote + b": " + quote + value.encode() + quote
    edit = Edit(path, at, at, b"," + gap + entry, why)
    promise = Expectation("environment", f"{name}={value}", here.target.job, here.target.workflow_path)
    return Edited((edit,), (path,), (promise,), blast_radius=blast_radius(here, (edit,)))


def _span(invocation: Invocation) -> tuple[str, int, int] | None:
    """File and bytes of the text that the JSON is written in; None where several files or computed parts make it."""
    text = runtime_json(invocation.argv)
    pieces = text.pieces if text is not None else ()
    quotes = [piece.site for piece in pieces if piece.text and '"' in piece.text]
    first = quotes[0] if quotes else None
    if first is None or first.kind not in (SiteKind.ASSIGN, SiteKind.LITERAL):
        return None
    # Texts of the same assignment; the values of variables in it stand elsewhere.
    whole = [site for piece in pieces if (site := piece.site) is not None and _beside(site, first)]
    if any(site not in whole for site in quotes):
        return None
    return first.path, min(site.start for site in whole), max(site.end for site in whole)


def _beside(site: Site, first: Site) -> bool:
    return (site.path, site.name, site.kind) == (first.path, first.name, first.kind)


def _end_of_entries(data: bytes, start: int, end: int) -> int | None:
    """The byte after the last entry of `env_vars`; braces of `${NAME}` are not JSON's."""
    at = data.find(b"env_vars", start, end)
    at = data.find(b"{", at, end) if at >= 0 else -1
    if at < 0:
        return None
    depth, inside = 0, at
    while at < end:
        if data[at : at + 2] == b"${":
            at = data.find(b"}", at, end)
            if at < 0:
                return None
        elif data[at : at + 1] == b"{":
            depth += 1
        elif data[at : at + 1] == b"}":
            depth -= 1
            if depth == 0:
                last = len(data[:at].rstrip())
                return last if last > inside + 1 else None
        at += 1
    return None


def _export(here: Situation, programs: Sequence[Invocation], name: str, value: str, why: str, comment: str) -> Outcome:
    """After the last `export` of the script that comes before the program, else on the line before it."""
    call = programs[0].calls[-1]
    if is_workflow(call.path) or (here.typed and call.path == here.job.path) or call.path not in here.tree:
        return Refusal("no script of the repository starts the program", call.path, call.line)
    line = f"export {name}={value}"
    promise = Expectation("environment", f"{name}={value}", here.target.job, here.target.workflow_path)
    data = here.tree.read(call.path)
    sites = [site for one in programs[0].environment.values() for site in one.sites]
    last = max((_end_of_export(data, site) for site in sites if _alone(data, site, call.path, call.start)), default=0)
    if last and not call.function:
        eol = eol_at(data, last)
        text = eol + (f"# {comment}".encode() + eol if comment else b"") + line.encode()
        edits: tuple[Edit, ...] = (Edit(call.path, last, last, text, why),)
    else:
        inserted = insert_line(here.tree, call, line, why=why, before=True)
        if isinstance(inserted, Refusal):
            return inserted
        edits = inserted
    return Edited(edits, (call.path,), (promise,), blast_radius=blast_of_calls(here, (call,)))


def export_in_step(here: Situation, name: str, value: str, *, why: str) -> Outcome:
    """In the step's own script, before the first thing that it starts: for a step that takes no `env`."""
    if not _SAFE.match(value):
        return Refusal(f"`{value}` cannot be written without quoting")
    begun = work_of(here)
    if not begun or begun[0].calls[0].path != here.job.path:
        return Refusal(f"the script of {here.job.id} starts no program", here.job.path, here.job.line)
    call = begun[0].calls[0]
    edits = insert_line(here.tree, call, f"export {name}={value}", why=why, before=True)
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("environment", f"{name}={value}", here.target.job, here.target.workflow_path)
    return Edited(edits, (declared_at(here, call.path, begun[0].step),), (promise,))


def work_of(here: Situation) -> tuple[Invocation, ...]:
    """What the failed step runs from the first command on that prepares nothing, in every cell of a matrix."""
    begun: set[str] = set()
    kept: list[Invocation] = []
    for one in here.concerned:
        if not one.substitution and (one.combination in begun or not _prepares(one)):
            begun.add(one.combination)
            kept.append(one)
    return tuple(kept)


def _prepares(invocation: Invocation) -> bool:
    word = (invocation.program[0].text if invocation.program else "") or ""
    return _PREPARING.match(posixpath.basename(word)) is not None or invocation.module == "pip"


def _alone(data: bytes, site: Site, path: str, before: int) -> bool:
    """Whether a line at the script's top level holds this export and nothing else."""
    if site.path != path or site.kind is not SiteKind.ASSIGN or site.start >= before or site.conditions:
        return False
    start = line_start(data, site.start)
    line = data[start : line_end(data, site.end)]
    return _EXPORT.match(line) is not None and not line[:1].isspace()


def _end_of_export(data: bytes, site: Site) -> int:
    return line_end(data, site.end)
