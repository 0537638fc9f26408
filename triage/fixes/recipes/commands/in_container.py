"""Commands behind `docker run ... IMAGE first &&`: only the first one runs in the container, the host runs the rest."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Value
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import replace_at
from triage.model.patch import Edit

_ENGINES = ("docker", "podman", "nerdctl")
# What prepares a container for the commands that follow.
_FIRST = ("pip", "pip3", "python", "python3", "apt-get", "apt", "uv", "conda", "git", "cd", "make")
_FLAGS = (
    "--rm",
    "-i",
    "-t",
    "-it",
    "-ti",
    "-d",
    "-dit",
    "--privileged",
    "--init",
    "--detach",
    "--tty",
    "--interactive",
)
_EXPRESSION = re.compile(r"\$\{\{[^}]*\}\}")
# What reads otherwise inside of quotes.
_QUOTED = re.compile(r"[\"'`()<>|;#]|\$[^A-Za-z_{]|(?<!&)&(?!&)|\|\|")


def hand_whole(here: Situation) -> Outcome:
    """The whole list as one argument of the container's shell, where the host lacked one of its later commands."""
    command = here.captures.get("command", "")
    found = {one.calls[-1].key: one for one in here.concerned if one.calls and not one.substitution and _starts(one)}
    meant = [(one, at) for one in found.values() if (at := _command_at(one.argv)) > 0]
    for one, at in meant:
        text = _listed(here, one, one.argv[at])
        words = [part.split() for part in re.sub(r"\\\r?\n", " ", text).split("&&")[1:]]
        if not command or not any(part[:1] == [command] for part in words):
            continue
        if _QUOTED.search(_EXPRESSION.sub("", text)):
            return Refusal("the list of commands is quoted itself", one.calls[-1].path, one.calls[-1].line)
        return _whole(here, one, one.argv[at], text)
    handed = any(word.text in ("-c", "-lc", "-ec") for one in found.values() for word in one.argv)
    if handed and not meant:
        return InPlace("the container's shell is handed its commands")
    return Refusal(f"`{command}` follows no command that starts a container", here.job.path, here.job.line)


def _starts(one: Invocation) -> bool:
    words = [word.text or "" for word in one.argv[:4]]
    return any(posixpath.basename(word) in _ENGINES for word in words[:2]) and bool({"run", "exec"} & set(words))


def _command_at(words: Sequence[Value]) -> int:
    """The word behind the image's or container's name; 0 where that cannot be told."""
    texts = [word.text or "" for word in words]
    for at in range(3, len(texts)):
        option = texts[at - 2]
        valued = option.startswith("-") and "=" not in option and option not in _FLAGS
        if texts[at] in _FIRST and not texts[at - 1].startswith("-"):
            return 0 if valued or len(words[at].sites) != 1 else at
    return 0


def _listed(here: Situation, one: Invocation, first: Value) -> str:
    """The text from the container's command to the end of the line on which the list ends."""
    site = first.sites[0]
    if site.path not in here.tree or site.path != one.calls[-1].path:
        return ""
    data = here.tree.read(site.path)
    end = re.compile(rb"(?<!\\)\r?(?:\n|\Z)").search(data, site.start)
    return data[site.start : end.start() if end else len(data)].decode("utf-8", "replace").rstrip()


def _whole(here: Situation, one: Invocation, first: Value, text: str) -> Outcome:
    site, call = first.sites[0], one.calls[-1]
    why = "the host runs what stands behind the first `&&`"
    edits: list[Edit] = []
    end = site.start + len(text.encode()) - len(text[-1].encode())
    ends = ((site.start, text[0], f'/bin/bash -c "{text[0]}'), (end, text[-1], f'{text[-1]}"'))
    whole = ((site.start, text, f'/bin/bash -c "{text}"'),)
    for at, old, new in ends if "\n" in text else whole:
        made = replace_at(here.tree, site.path, at, old, new, why=why)
        if isinstance(made, Refusal):
            return made
        edits += made
    title = f"Run the whole list in the container at {call.path}:{call.line}"
    return Edited(tuple(edits), (declared_at(here, call.path, one.step),), promised(here, edits), title=title)
