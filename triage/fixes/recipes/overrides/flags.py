"""`repair_flag`: a flag that the program does not know becomes the one of its own flags that it resembles."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace

from triage.fixes.document import is_remark, line_with
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Site, Value, cut
from triage.fixes.hydra.entry import module_path
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.commands.scripts import promised, run_of, shell_files, text_of_file
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.overrides.declared import (
    FLAG,
    PYTEST,
    REPEATED,
    declared_flags,
    flags_of,
    is_pytest,
    meant,
    meant_elsewhere,
    meant_of_pytest,
)
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import replace_value
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import RepairFlag

_PROGRAM = re.compile(r"[\w./-]+\.py\b")
_MODULE = re.compile(r"(?<![\w./-])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?![\w./-])")


def repair_flag(recipe: RepairFlag, here: Situation) -> Outcome:
    found = FLAG.search(here.captures.get(recipe.flag.strip("{}"), recipe.flag))
    if found is None:
        return Refusal("the log does not say which flag it is")
    if "value" in here.captures:
        return Refusal("the program knows the flag, and not its value")
    flag = found[0]
    if recipe.settled and _word(flag).search(text_of_file(here.tree, recipe.settled)):
        return InPlace(f"{recipe.settled} passes {flag}")
    passing = [(one, word) for one in here.concerned for word in one.program[1:] if _is(word, flag)]
    passing = [(one, word) for one, word in passing or _in_one_script(here, flag) if not _of_launcher(one, word)]
    launching = any(_is(word, flag) for one in here.concerned for word in one.argv)
    if not passing and not launching and (made := _in_one_text(recipe, here, flag)) is not None:
        return made
    if not passing:
        return Refusal(f"no command of {here.job.id} passes {flag}", here.job.path, here.job.line)
    places: dict[object, tuple[Invocation, Value]] = {}
    for one, word in passing:
        site = _site(word, flag)
        places.setdefault(word if site is None else site.key, (one, word))
    parts = [_repaired(recipe, here, one, word, flag) for one, word in places.values()]
    whole, settled = together(parts), [part.settled for part in parts if isinstance(part, Edited)]
    return replace(whole, settled=settled[0]) if isinstance(whole, Edited) else whole


def _in_one_script(here: Situation, flag: str) -> list[tuple[Invocation, Value]]:
    """Where the job's commands cannot be followed: the one script of the tree that passes the flag to a program of the
    tree which the log shows running."""
    shown = " ".join(here.facts.commands)
    found: dict[str, list[tuple[Invocation, Value]]] = {}
    for path in shell_files(here.tree):
        if flag.encode() not in here.tree.read(path):
            continue
        for one in run_of(here, path):
            for word in one.program[1:]:
                name = posixpath.basename(module_path(here.tree, one) or "") if _is(word, flag) else ""
                if name and (not shown or name in shown):
                    found.setdefault(path, []).append((one, word))
    return next(iter(found.values())) if len(found) == 1 else []


def _in_one_text(recipe: RepairFlag, here: Situation, flag: str) -> Outcome | None:
    """Where a script puts its command together as a text (`eval "$CMD"`): the one script of the tree that writes the
    flag, once, beside the one program of the tree that it runs."""
    word = _word(flag)
    texts = [(path, text) for path in shell_files(here.tree) if flag in (text := text_of_file(here.tree, path))]
    found = [
        (path, text, hits)
        for path, text in texts
        if (hits := [hit for hit in word.finditer(text) if not _in_remark(text, hit)])
    ]
    if len(found) != 1 or len(found[0][2]) != 1:
        return None
    (path, text, (hit,)) = found[0]
    own = _called(recipe, here, path)
    programs = {name for named in _PROGRAM.findall(text) if (name := named.lstrip("./")) in here.tree}
    programs |= {name for named in _MODULE.findall(text) if (name := f"{named.replace('.', '/')}.py") in here.tree}
    if own and posixpath.basename(own) in text:
        programs = {own}
    if len(programs) != 1 or not (own in programs or _runs(here, path, next(iter(programs)))):
        return None
    program = programs.pop()
    known = declared_flags(here.tree, program)
    if flag in known:
        return InPlace(f"{program} knows {flag}")
    new = meant(flag, known)
    if not new or new in text:
        return None
    first = len(text[: hit.start()].encode())
    edit = Edit(path, first, first + len(flag), new.encode(), f"{program} knows {new} and no {flag}")
    title = f"Pass {new} instead of {flag}"
    return Edited(
        (edit,), (path,), promised(here, (edit,)), title=title, settled=replace(recipe, flag=new, settled=path)
    )


def _word(flag: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(flag)}(?![\w-])")


def _in_remark(text: str, hit: re.Match[str]) -> bool:
    return is_remark(text[: hit.end()].encode(), len(text[: hit.start()].encode()))


def _of_launcher(one: Invocation, word: Value) -> bool:
    """Whether the argument stands before the program that the command starts: `torchrun --nnodes 1 train.py`."""
    if is_pytest(one):
        return False
    ends = [_end(each) for each in one.program]
    start = next((at for at, end in enumerate(ends) if end == "-m" or end.endswith(".py")), -1)
    return any(each is word for each in one.program[:start]) if start > 0 else False


def _end(word: Value) -> str:
    """The last known part of an argument that is no option with its value."""
    return (word.pieces[-1].text or "") if word.pieces and not re.match("--|-.*=", word.head) else ""


def _called(recipe: RepairFlag, here: Situation, script: str) -> str:
    """The file of the tree with the name by which the program calls itself, of several the one beside the script that
    starts it; "" otherwise."""
    name = posixpath.basename(here.captures.get(recipe.program.strip("{}"), "") if recipe.program else "")
    found = [path for path in here.tree.paths() if posixpath.basename(path) == name] if name.endswith(".py") else []
    if name in ("__main__.py", "__init__.py"):
        return ""
    beside = [path for path in found if posixpath.dirname(path) == posixpath.dirname(script)]
    return next(iter(found if len(found) == 1 else beside), "")


def _runs(here: Situation, script: str, program: str) -> bool:
    """Whether the log shows the program, or the job names the script, itself or through its Makefile."""
    if posixpath.basename(program) in " ".join(here.facts.commands):
        return True
    own = "\n".join(step.run.value for step in here.job.steps if step.run is not None)
    makes = "Makefile" in here.tree and re.search(r"\bmake\b", own) is not None
    return script in own or (makes and f"/{posixpath.basename(script)}" in text_of_file(here.tree, "Makefile"))


def _is(word: Value, flag: str) -> bool:
    return word.text == flag or word.startswith(f"{flag}=")


def _site(word: Value, flag: str) -> Site | None:
    piece = word.pieces[0]
    return cut(piece, 0, len(flag)).site if piece.text is not None and piece.text.startswith(flag) else None


def _repaired(recipe: RepairFlag, here: Situation, one: Invocation, word: Value, flag: str) -> Outcome:
    path, known = flags_of(here.tree, one)
    site = _site(word, flag)
    if not path and site is not None:
        own = _called(recipe, here, site.path)
        path = own if any(posixpath.basename(_end(each)) == posixpath.basename(own) for each in one.program) else ""
        known = frozenset(declared_flags(here.tree, path)) if path else known
    where = f"{site.path}:{site.line}" if site is not None else one.step_name
    if flag in known and path == PYTEST:
        return Refusal(f"pytest, or a plugin of its own, has {flag}")
    if flag in known:
        return InPlace(f"{path} knows {flag}")
    new = _meant(here, path, known, flag)
    if not new or site is None:
        reason = f"{path} declares no one flag that resembles it" if path else "the program is not in the tree"
        return Words(f"{where} passes {flag}: rename or remove it there ({reason})")
    if new not in REPEATED and any(_is(other, new) for other in one.program):
        return Words(f"{where} passes {flag} and {new}: remove the first")
    edits = replace_value(here.tree, site, flag, new, why=f"{path} knows {new} and no {flag}")
    if isinstance(edits, Refusal):
        return edits
    where_to = (here.target.job, here.target.workflow_path)
    held = new + word.text.removeprefix(flag) if word.text is not None else ""
    promise = Expectation("argument", held, *where_to, "", one.step) if held else _assigned(new, where_to, site, here)
    made = Edited(edits, (declared_at(here, site.path, one.step),), (promise,))
    radius = blast_radius(here, (site,))
    settled = replace(recipe, flag=new, settled=site.path)
    return replace(made, title=f"Pass {new} instead of {flag}", settled=settled, blast_radius=radius)


def _meant(here: Situation, path: str, known: frozenset[str], flag: str) -> str:
    if path == PYTEST:
        return meant_of_pytest(here.tree, flag)
    # What a parser of another module declares for it, where nothing in the tree knows the flag.
    return meant(flag, known) or (meant_elsewhere(here.tree, path, flag) if path in here.tree else "")


def _assigned(new: str, where: tuple[str, str], site: Site, here: Situation) -> Expectation:
    """Of a value that is not known, the line as the file has it then."""
    line = line_with(here.tree.read(site.path), site.start, site.end, new.encode())
    return Expectation("line", as_promised(line), where[0], site.path)
