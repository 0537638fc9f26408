"""A program that asks, where nobody answers: the word by which it takes yes for an answer."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.failing import failing
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import append_argument, replace_word
from triage.model.patch import Edit

# Programs, the subcommands of theirs that ask, and the option that answers; from their manuals.
_VERBS = ("install", "remove", "upgrade", "dist-upgrade", "full-upgrade", "purge", "autoremove", "update", "create",
          "groupinstall", "localinstall", "downgrade", "reinstall", "uninstall", "clean")  # fmt: skip
_SYSTEM = ("apt-get", "apt", "aptitude", "yum", "dnf", "microdnf", "zypper", "conda", "mamba", "micromamba")
_ANSWERS = ("-y", "--yes", "--assume-yes", "--assumeyes", "-qq", "-qy", "-yq", "-qqy", "-yqq", "--noninteractive")
_NO_QUESTION = {"conda": ("update", "clean"), "apt-get": ("update", "clean"), "apt": ("update", "clean"),
                "yum": ("clean",), "dnf": ("clean",)}  # fmt: skip


def answer(here: Situation) -> Outcome:
    """The failing command, where the log tells it from others, else the only one that would ask."""
    written = [one for one in here.concerned if one.calls and not one.substitution]
    asking = [one for one in written if _place(one) > 0]
    silent = [one for one in asking if _answers(one)]
    open_ones = [one for one in asking if not _answers(one)]
    failed = [one for one in failing(here.facts, written) if one in open_ones]
    chosen = _once(failed or open_ones)
    if not chosen and silent:
        return InPlace(f"`{silent[0].command_line}` answers by itself")
    if not chosen:
        return _by_module(here, written)
    edits: list[Edit] = []
    for one in chosen:
        verb = one.program[_place(one)]
        site = verb.sites[0] if len(verb.sites) == 1 else None
        if site is None or here.tree.read(site.path)[site.start : site.end] != (verb.text or "").encode():
            return Words(f"`{one.command_line}` asks before it goes on: pass -y")
        made = replace_word(here.tree, site, f"{verb.text} -y", why="nobody is there to answer")
        if isinstance(made, Refusal):
            return made
        edits += made
    return _edited(here, chosen, edits, "-y")


def _by_module(here: Situation, written: Sequence[Invocation]) -> Outcome:
    """A program of somebody's own: as another command of the repository calls it that does not ask."""
    failed = failing(here.facts, written) or (tuple(written) if len(_once(written)) == 1 else ())
    if len(_once(failed)) != 1:
        return Refusal("the log does not tell which command asked", here.job.path)
    one = failed[0]
    if _answers(one):
        return InPlace(f"`{one.command_line}` answers by itself")
    option = _elsewhere(here, one)
    if not option:
        return Words(
            f"`{one.command_line}` asks, and nobody answers: pass its option for that, or start it as `yes | ...`"
        )
    edits = append_argument(here.tree, one.calls[-1], option, why="nobody is there to answer")
    return edits if isinstance(edits, Refusal) else _edited(here, [one], edits, option)


def _elsewhere(here: Situation, one: Invocation) -> str:
    """The answer that files of the repository pass to the same module or script; "" for none."""
    named = one.module or next((word.text or "" for word in one.program if (word.text or "").endswith(".py")), "")
    if not named:
        return ""
    for path in here.tree.paths():
        if not path.endswith((".sh", ".bash", ".yml", ".yaml", ".md", ".rst")) and "ockerfile" not in path:
            continue
        for line in here.tree.read(path).decode("utf-8", "replace").splitlines():
            words = line.strip().split()
            if named in words and (found := next((word for word in words if word in ("-y", "--yes")), "")):
                return found
    return ""


def _place(one: Invocation) -> int:
    """Where the word stands after which the program asks; 0 where it does not."""
    words = [word.text or "" for word in one.program]
    name = posixpath.basename(words[0]) if words else ""
    if name in _SYSTEM:
        at = next((at for at, word in enumerate(words) if at and word in _VERBS), 0)
        return 0 if words[at] in _NO_QUESTION.get(name, ()) else at
    pip = name.startswith("pip") or one.module == "pip"
    return next((at for at, word in enumerate(words) if at and word == "uninstall"), 0) if pip else 0


def _answers(one: Invocation) -> bool:
    words = [word.text or "" for word in one.program]
    always = one.environment.get("CONDA_ALWAYS_YES")
    piped = "--dry-run" in words or (always is not None and always.text in ("1", "true", "yes"))
    return piped or any(word in _ANSWERS for word in words)


def _once(commands: Sequence[Invocation]) -> list[Invocation]:
    return list({one.calls[-1].key: one for one in commands}.values())


def _edited(here: Situation, chosen: Sequence[Invocation], edits: Sequence[Edit], option: str) -> Outcome:
    places: Iterator[str] = (declared_at(here, one.calls[-1].path, one.step) for one in chosen)
    title = f"Pass {option}: nobody is there to answer"
    return Edited(tuple(edits), tuple(dict.fromkeys(places)), promised(here, edits), title=title)
