"""`tolerate`: a command that ends the step because what it should bring about is so already."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import replace

from triage.fixes.document import eol_at, line_end, line_start
from triage.fixes.evaluate.invocation import Call, Invocation
from triage.fixes.evaluate.values import Condition, Value
from triage.fixes.manifests.dockerfile import is_dockerfile
from triage.fixes.recipes.blast import blast_of_calls
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.model.patch import Edit
from triage.model.recipe import Tolerate

# The program's own way to accept it: the letter of a short option, and what it is called at length.
_OPTIONS = {"mkdir": ("p", "--parents"), "rm": ("f", "--force")}
_LINKS = {"ln": ("f", "--force")}
# What runs another program for its input, and its own way to run none without any.
_RUNNING = {"xargs": ("r", "--no-run-if-empty")}
_WAYS = {**_OPTIONS, **_LINKS, **_RUNNING}
# What acts on one path that may be absent; a block asks for it once.
_ON_PATHS = ("swapoff", "umount", "rm", "rmdir", "unlink", "chmod", "chown", "truncate", "shred", "losetup", "chattr")
# What ends or takes away by name: nothing else follows from its failure.
_BY_NAME = ("pkill", "killall", "docker", "userdel", "groupdel")
# Of docker only what does that; what it pulls, builds or runs is needed.
_ENDING = ("rm", "rmi", "stop", "kill", "down")
_SHORT = re.compile(r"-[A-Za-z]+\Z")
# What follows a command on its line, up to what runs where it fails.
_OR = re.compile(rb"(?:[^;&|#\n]|[<>]&|&>)*\|\|")
_EXISTS = re.compile(r"(?:^|\s)-[defhLrswx]\s")
_NOT = re.compile(r"!\s")
# What ends where its path is there already.
_MAKING = ("mkdir", "ln")
_PATH = re.compile(r"/[\w./-]+\Z")


def tolerate(recipe: Tolerate, here: Situation) -> Outcome:
    subject = here.captures.get(recipe.subject.strip("{}"), "" if "{" in recipe.subject else recipe.subject)
    program = here.captures.get(recipe.program.strip("{}"), "" if "{" in recipe.program else recipe.program)
    if not program or not subject:
        return Refusal("the log names no command and what it is about")
    every = [one for one in here.concerned if one.calls and not one.substitution and _is(one, program)]
    meant = [one for one in every if any(_written(word).rstrip("/") == subject.rstrip("/") for word in one.program)]
    meant = meant or [one for one in every if program in _BY_NAME and len(every) == 1]
    places = {one.calls[-1].key: one for one in meant}
    if not places:
        return Refusal(f"no command of {here.job.id} is `{program} ... {subject}`", here.job.path, here.job.line)
    if all(_tolerates(here, one, program, subject) for one in places.values()):
        call = next(iter(places.values())).calls[-1]
        return InPlace(f"{call.path}:{call.line} accepts that {subject} is so already")
    if len(places) > 1:
        lines = ", ".join(f"{path}:{one.calls[-1].line}" for (path, _), one in places.items())
        return Words(f"`{program}` is called on {subject} at {lines}: let the one that failed accept it")
    (one,) = places.values()
    return _accepting(here, one, program, subject)


def _is(one: Invocation, program: str) -> bool:
    words = [word.text or "" for word in one.program]
    called = bool(words) and posixpath.basename(words[0]) == program
    return called and (program != "docker" or any(word in _ENDING for word in words[1:3]))


def _written(word: Value) -> str:
    """A pattern that fits no file is passed on as it is written."""
    alone = word.pieces[0] if len(word.pieces) == 1 else None
    return alone.name if alone is not None and alone.many and "*" in alone.name else word.text or ""


def _tolerates(here: Situation, one: Invocation, program: str, subject: str) -> bool:
    call = one.calls[-1]
    options = _WAYS.get(program)
    words = [word.text or "" for word in _own_words(one, program)]
    given = options is not None and any(
        word == options[1] or (_SHORT.match(word) is not None and options[0] in word) for word in words
    )
    data = here.tree.read(call.path) if call.path in here.tree else b""
    tail = data[call.end : line_end(data, call.end)]
    return (
        given
        or _OR.match(tail) is not None
        or any(_asks_for(each, subject) and (program not in _MAKING or _absent(each)) for each in one.conditions)
    )


def _asks_for(asked: Condition, subject: str) -> bool:
    """Whether a test asks if the path is there; a variable in it may be the path."""
    return _EXISTS.search(asked.test) is not None and (subject.rstrip("/") in asked.test or "$" in asked.test)


def _absent(asked: Condition) -> bool:
    """Whether the command runs where the path is not there: what is made where another is there is no guard of it."""
    return (_NOT.search(asked.test) is not None) is asked.holds


def _accepting(here: Situation, one: Invocation, program: str, subject: str) -> Outcome:
    call = one.calls[-1]
    if not call.insertable or call.path not in here.tree:
        return Refusal("the command is put together at run time", call.path, call.line)
    if (
        program in _OPTIONS
        or program in _RUNNING
        or (program in _LINKS and any((w.text or "").startswith("-s") for w in one.program))
    ):
        edits: Sequence[Edit] | Refusal = _with_option(here, one, call, program)
    elif program in _ON_PATHS and _PATH.match(subject) and not is_dockerfile(call.path):
        edits = _asked_for(here, call, subject)
    elif program in _BY_NAME:
        edits = _or_true(here, call)
    else:
        return Words(f"{call.path}:{call.line} runs `{program}` on {subject}: let it accept that this is so already")
    if isinstance(edits, Refusal):
        return edits
    made = Edited(tuple(edits), (declared_at(here, call.path, one.step),), promised(here, edits))
    title = f"Let `{program}` at {call.path}:{call.line} accept that {subject} is so already"
    return replace(made, title=title, blast_radius=blast_of_calls(here, (call,)))


def _own_words(one: Invocation, program: str) -> Sequence[Value]:
    """What the program reads itself: what stands behind the name of one that it runs is that one's."""
    words = one.program[1:]
    own = next((at for at, word in enumerate(words) if not (word.text or "").startswith("-")), len(words))
    return words[:own] if program in _RUNNING else words


def _with_option(here: Situation, one: Invocation, call: Call, program: str) -> Sequence[Edit] | Refusal:
    """`-s` becomes `-fs`; a command without a short option gets one of its own."""
    data, option = here.tree.read(call.path), _WAYS[program]
    words = _own_words(one, program)
    options = words[: next((at for at, word in enumerate(words) if word.text == "--"), len(words))]
    short = next((word for word in options if _SHORT.match(word.text or "")), None)
    why = "what it should bring about may be so already"
    if short is not None and len(short.sites) == 1 and short.sites[0].path == call.path:
        at = short.sites[0].start + 1  # the last letter may be one that takes the next word
        return (Edit(call.path, at, at, option[0].encode(), why),)
    named = one.program[0].sites
    if len(named) != 1 or named[0].path != call.path or data[named[0].end : named[0].end + 1] not in (b" ", b"\t"):
        return Refusal("the command's name is put together", call.path, call.line)
    return (Edit(call.path, named[0].end, named[0].end, f" -{option[0]}".encode(), why),)


def _asked_for(here: Situation, call: Call, subject: str) -> Sequence[Edit] | Refusal:
    """`if [[ -e PATH ]]` around the command, and around those on the lines right behind it that act on the path too."""
    data = here.tree.read(call.path)
    first, last = line_start(data, call.start), line_end(data, call.end)
    if call.path.endswith((".yml", ".yaml")):
        return Refusal("several lines of a workflow's script would become a block", call.path, call.line)
    if not _on_its_own(data, call) or not _acts(data[first:last], subject):
        return Refusal("the command shares its line with others", call.path, call.line)
    while last < len(data) and _acts(data[last + 1 : line_end(data, last + 1)], subject):
        last = line_end(data, last + 1)
    indent, eol = data[first : call.start], eol_at(data, first)
    # Where nothing says that bash reads the script, `[[` may be no command of its shell, and the block dead.
    of_bash = b"bash" in data[: line_end(data, 0)] or b"[[ " in data
    test = b"[[ -e " + subject.encode() + b" ]]" if of_bash else b"[ -e " + subject.encode() + b" ]"
    body = eol.join(b"  " + line.rstrip(b"\r") for line in data[first:last].split(b"\n"))
    new = indent + b"if " + test + b"; then" + eol + body + eol + indent + b"fi"
    return (Edit(call.path, first, last, new, f"{subject} need not be there"),)


def _on_its_own(data: bytes, call: Call) -> bool:
    head, tail = data[line_start(data, call.start) : call.start], data[call.end : line_end(data, call.end)]
    return (
        not head.strip()
        and not tail.strip()
        and not data[: line_start(data, call.start)].rstrip(b"\r\n").endswith(b"\\")
    )


def _acts(line: bytes, subject: str) -> bool:
    """A line of one plain command that acts on the path and on nothing else."""
    words = line.decode("utf-8", "replace").split()
    words = words[1:] if words[:1] == ["sudo"] else words
    plain = not set(line) & set(b";|&<>(){}$`\\#\"'")
    return (
        plain and words[:1] != [] and words[0] in _ON_PATHS and [w for w in words[1:] if w[:1] != "-"][-1:] == [subject]
    )


def _or_true(here: Situation, call: Call) -> Sequence[Edit] | Refusal:
    data = here.tree.read(call.path)
    if data[call.end : line_end(data, call.end)].strip():
        return Refusal("the command shares its line with others", call.path, call.line)
    return (Edit(call.path, call.end, call.end, b" || true", "there may be nothing left to end or to take away"),)
