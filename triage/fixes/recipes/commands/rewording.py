"""Commands that are written otherwise: through a shell, under the program's new name, with an option, from a folder."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from triage.fixes.document import line_start
from triage.fixes.evaluate.invocation import Call, Invocation
from triage.fixes.evaluate.values import Site, SiteKind, Value
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.builds.later_installs import option_for_later
from triage.fixes.recipes.commands.scripts import promised, text_of_file
from triage.fixes.recipes.dependencies.installs import verb_at
from triage.fixes.recipes.failing import failing
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import append_argument, replace_at, replace_word
from triage.fixes.whereabouts.naming import in_tree
from triage.model.patch import Edit, Expectation
from triage.model.recipe import OwnFolder, PassOption, ReplaceCommand, RunWithShell

# With its flags: a script that is written for `bash -e` goes on behind a failure without.
_SHEBANG = re.compile(
    r"#!\s*(?:/usr/bin/env\s+(?:-S\s+)?)?(?:/[\w./-]*/)?"
    r"(?P<program>(?:bash|dash|sh|zsh|python3?)(?: -[A-Za-z]+)*)[ \t\r]*(?:\n|\Z)"
)
# The subcommands of `huggingface-cli` and what `hf` calls them (huggingface_hub docs, guides/cli).
_OF_HUB: Mapping[str, str] = {
    **{name: f"auth {name}" for name in ("login", "logout", "whoami")},
    **{name: name for name in ("download", "upload", "upload-large-folder", "env", "version")},
}
_REPLACED: Mapping[str, tuple[str, Mapping[str, str]]] = {"huggingface-cli": ("hf", _OF_HUB)}
# Options of the old program that the new one does not take.
_GONE = ("--local-dir-use-symlinks", "--resume-download")
# What an installer asks for, and the programs that take it. apt and uv say it of one command, pip of every one.
_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "--allow-change-held-packages": ("apt-get", "apt"),
    "--allow-downgrades": ("apt-get", "apt"),
    "--break-system-packages": ("pip", "pip3", "pip3.11", "pip3.12", "pip3.13"),
    "--prerelease=allow": ("uv",),
    "--default-timeout=300": ("pip", "pip3", "pip3.10", "pip3.11", "pip3.12", "pip3.13"),
}
# How long pip waits for a server: of one command, as those before it came through.
_WAITS = ("--default-timeout", "--timeout")
_OF_EVERY_PIP = "--break-system-packages"
_ZERO = re.compile(r"dirname\s+(?:--\s+)?\"?(?P<zero>\$(?:0\b|\{0\}))")


def reword(recipe: RunWithShell | ReplaceCommand | PassOption | OwnFolder, here: Situation) -> Outcome:
    match recipe:
        case RunWithShell(path=path):
            return _with_shell(here, here.captures.get(path.strip("{}"), ""))
        case ReplaceCommand(command=command):
            return _replaced(here, here.captures.get(command.strip("{}"), ""))
        case PassOption(option=option):
            return _passed(here, here.captures.get(option.strip("{}"), "") if option.startswith("{") else option)
        case OwnFolder(script=script, path=path):
            return _own_folder(here, *(here.captures.get(one.strip("{}"), "") for one in (script, path)))


def _with_shell(here: Situation, named: str) -> Outcome:
    path = in_tree(here.tree, named.removeprefix("./")) if "/" in named else ""
    text = text_of_file(here.tree, path) if path else ""
    found = _SHEBANG.match(text)
    program = found["program"] if found else "bash" if path.endswith((".sh", ".bash")) and text[:2] != "#!" else ""
    nothing = Refusal(f"no command of {here.job.id} runs `{named}` of the repository", here.job.path, here.job.line)
    if not path or not program:
        return Refusal(f"the first line of {path} names no shell", path) if path else nothing
    calls = {call.key: (one, call) for one in here.concerned for call in one.calls if call.path in here.tree}
    entered = [(one, call) for one, call in calls.values() if path in (call.enters, _script(here, one, call))]
    plain = [(one, call) for one, call in entered if _begins(here, call, named)]
    if not plain:
        return InPlace(f"{path} is read by its shell") if entered else nothing
    why = f"{path} may not be executed"
    edits = [replace_at(here.tree, call.path, call.start, named, f"{program} {named}", why=why) for _, call in plain]
    if refused := [one for one in edits if isinstance(one, Refusal)]:
        return refused[0]
    made = tuple(edit for one in edits if not isinstance(one, Refusal) for edit in one)
    declared = tuple(dict.fromkeys(declared_at(here, call.path, one.step) for one, call in plain))
    return Edited(made, declared, promised(here, made), title=f"Start {path} with {program}")


def _begins(here: Situation, call: Call, named: str) -> bool:
    """Whether the command is the script's path itself, whatever follows."""
    data = here.tree.read(call.path)[call.start :]
    return call.insertable and re.match(re.escape(named.encode()) + rb"(?![\w./-])", data) is not None


def _script(here: Situation, one: Invocation, call: Call) -> str:
    """The file of the repository that a command starts, itself or through Python: none that is followed into."""
    words = [word.text or "" for word in one.program[:2]]
    text = words[-1] if words and posixpath.basename(words[0]).startswith("python") else "".join(words[:1])
    if call is not one.calls[-1] or "/" not in text:
        return ""
    if one.inside is not None:
        return one.inside.own(text)
    path = posixpath.normpath(posixpath.join(one.directory or ".", text))
    return path if path in here.tree else ""


def _replaced(here: Situation, old: str) -> Outcome:
    if old not in _REPLACED:
        return Refusal(f"nothing says what took the place of `{old}`")
    new, subcommands = _REPLACED[old]
    calls = [one for one in _once(here.evaluation.invocations) if one.program and one.program[0].text == old]
    if not calls and any(one.program and one.program[0].text == new for one in here.evaluation.invocations):
        return InPlace(f"{here.job.id} calls `{new}`")
    if not calls:
        return Refusal(f"no command of {here.job.id} calls `{old}`", here.job.path, here.job.line)
    wanted: list[tuple[Invocation, Value, str]] = []
    for one in calls:
        words = [word.text or "" for word in one.program]
        name = words[1] if len(words) > 1 else ""
        at = f"{one.calls[-1].path}:{one.calls[-1].line}" if one.calls else here.job.path
        gone = [word for word in words if word.partition("=")[0] in _GONE]
        if name not in subcommands or gone:
            return Words(f"`{old} {name}` at {at} becomes one of `{new}`, which takes no {' '.join(gone) or name}")
        wanted.append((one, one.program[0], new))
        wanted += [] if subcommands[name] == name else [(one, one.program[1], subcommands[name])]
    return _written(here, wanted, f"`{old}` no longer works")


def _passed(here: Situation, option: str) -> Outcome:
    programs = _OPTIONS.get(option, ())
    calls = [one for one in _once(here.concerned) if _installs(one, programs)]
    if not calls:
        return Refusal(f"no command of {here.job.id} installs with {' or '.join(programs[:2]) or 'it'}", here.job.path)
    if "uv" in programs or option.startswith(_WAITS):
        calls = _once(failing(here.facts, calls) or calls)
    if option.startswith(_WAITS):
        if any((word.text or "").startswith(_WAITS) for one in calls for word in one.program):
            return InPlace("pip is told how long to wait")
        if len(calls) > 1:
            return Words(f"pass {option} to the one install that failed")
    lacking = [one for one in calls if all(word.text != option for word in one.program)]
    if not lacking:
        return InPlace(f"{option} is passed")
    if len(lacking) > 1 and {"apt", "uv"} & {*programs}:
        places = ", ".join(f"{one.calls[-1].path}:{one.calls[-1].line}" for one in lacking if one.calls)
        return Words(f"pass {option} to the one of {places} that failed")
    if (read := _options_of(here, lacking[0])) is not None:
        return _in_variable(here, lacking[0], read, option)
    if "uv" in programs:
        return _appended(here, lacking[0], option)
    verbs = [(one, next(word for word in one.program if word.text == "install")) for one in lacking]
    made = _written(here, [(one, verb, f"install {option}") for one, verb in verbs], f"it demands {option}")
    later = option_for_later(here, option) if option == _OF_EVERY_PIP else ()
    if not isinstance(made, Edited) or not later:
        return made
    edits = (*made.edits, *later)
    return replace(made, edits=edits, expectations=promised(here, edits))


def _options_of(here: Situation, one: Invocation) -> Site | None:
    """The last option that a variable holds, where another one holds the program: a branch that chooses another
    program, which may not know the option, chooses other options with it."""
    held = {SiteKind.ASSIGN, SiteKind.DEFAULT}
    last = [site for word in one.program for site in word.sites[-1:] if site.kind in held and site.path in here.tree]
    named = bool(one.program) and any(site.kind in held for site in one.program[0].sites)
    options = any((word.text or "").startswith("-") and word.sites and word.sites[-1] in last for word in one.program)
    return last[-1] if named and options else None


def _appended(here: Situation, one: Invocation, option: str) -> Outcome:
    """Behind the command, which a trace of it still tells from its neighbours."""
    edits = append_argument(here.tree, one.calls[-1], option, why="it demands it")
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("command", f"{one.command_line} {option}", here.target.job, here.target.workflow_path)
    declared = (declared_at(here, one.calls[-1].path, one.step),)
    return Edited(edits, declared, (promise,))


def _in_variable(here: Situation, one: Invocation, site: Site, option: str) -> Outcome:
    text = here.tree.read(site.path)[site.start : site.end].decode("utf-8", "replace")
    edits = replace_at(here.tree, site.path, site.start, text, f"{text} {option}", why="it demands it")
    if isinstance(edits, Refusal) or not site.quote:
        return edits if isinstance(edits, Refusal) else Refusal(f"`{text}` stands in no quotes", site.path, site.line)
    declared = (declared_at(here, site.path, one.step),)
    return Edited(edits, declared, promised(here, edits), blast_radius=blast_radius(here, (site,)))


def _installs(one: Invocation, programs: Sequence[str]) -> bool:
    words = [word.text or "" for word in one.program]
    named = posixpath.basename(words[0]) if words else ""
    own = named in programs or ("pip" in programs and one.module == "pip")
    return own and "install" in words and (named in ("apt", "apt-get") or verb_at(words, "install") > 0)


def _own_folder(here: Situation, named: str, missing: str) -> Outcome:
    """`$(dirname "$0")` is the folder of the program that runs, or of the shell, when the script is read in."""
    path, name = in_tree(here.tree, named), posixpath.basename(missing)
    text = text_of_file(here.tree, path) if path else ""
    if not text or posixpath.join(posixpath.dirname(path), name) not in here.tree:
        return Refusal(f"no script of the repository looks for `{name}` in its own folder")
    edits = tuple(_zeros(path, text, name))
    if not edits and re.search(rf"BASH_SOURCE[^\n]*{re.escape(name)}", text):
        return InPlace(f"{path} looks for {name} in its own folder")
    if not edits:
        return Refusal(f"{path} does not look for `{name}` in the folder of $0", path)
    if re.search(r"#!.*\b(?:sh|dash)\b", text.split("\n", 1)[0]) and "bash" not in text.split("\n", 1)[0]:
        return Refusal(f"{path} is read by a shell that has no BASH_SOURCE", path)
    title = f"Look for {name} in the folder of {path}, whoever reads it in"
    return Edited(edits, (path,), promised(here, edits), title=title)


def _zeros(path: str, text: str, name: str) -> Iterator[Edit]:
    for found in _ZERO.finditer(text):
        end = text.find("\n", found.end())
        if name in text[found.end() : end if end >= 0 else len(text)]:
            first, last = (len(text[:at].encode()) for at in found.span("zero"))
            yield Edit(path, first, last, b"${BASH_SOURCE[0]}", "$0 is what reads the script in")


def _once(invocations: Sequence[Invocation]) -> list[Invocation]:
    """Each command once, whatever cells of a matrix run it."""
    found: dict[object, Invocation] = {}
    for one in invocations:
        if one.calls and not one.substitution:
            found.setdefault((one.calls[-1].key, one.command_line), one)
    return list({one.calls[-1].key: one for one in found.values()}.values())


def _written(here: Situation, words: Sequence[tuple[Invocation, Value, str]], why: str) -> Outcome:
    """Words that stand in the commands themselves become others: one of a variable may be read elsewhere."""
    edits: list[Edit] = []
    sites: dict[Site, int] = {}
    for one, word, new in words:
        site = word.sites[0] if len(word.sites) == 1 else None
        if site is None or site.kind is not SiteKind.LITERAL or site.quote or not _holds(here, site, word):
            return Refusal(f"`{word}` is put together where it cannot be replaced", here.job.path, here.job.line)
        made = replace_word(here.tree, site, new, why=why)
        if isinstance(made, Refusal):
            return made
        edits += made
        sites[site] = one.step
    declared = tuple(dict.fromkeys(declared_at(here, site.path, step) for site, step in sites.items()))
    radius = blast_radius(here, tuple(sites))
    return Edited(tuple(edits), declared, promised(here, edits), blast_radius=radius)


def _holds(here: Situation, site: Site, word: Value) -> bool:
    data = here.tree.read(site.path)
    alone = data[line_start(data, site.start) : site.start].rstrip(b" \t")[-1:] not in (b"$",)
    return alone and data[site.start : site.end] == (word.text or "").encode()
