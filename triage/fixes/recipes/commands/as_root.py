"""`as_root`: the system's package manager where the user of the step, or of the image, is not root."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import replace

from triage.fixes.document import line_end, line_of, line_start
from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import SiteKind
from triage.fixes.manifests.dockerfile import Instruction, instructions, stage_start
from triage.fixes.recipes.blast import blast_of_calls
from triage.fixes.recipes.commands.scripts import promised, shell_files
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import replace_word
from triage.fixes.workflow.load import workflow_paths
from triage.fixes.workflow.platform import is_hosted
from triage.model.patch import Edit
from triage.model.recipe import AsRoot

# What writes into the system's folders, whatever it is asked to do.
_PROGRAMS = frozenset(
    (
        *("apt", "apt-get", "apt-key", "add-apt-repository", "apt-add-repository", "dpkg", "snap", "yum", "dnf"),
        *("ldconfig", "update-alternatives", "locale-gen"),
    )
)
_ASKS = frozenset(("list", "show", "search", "policy", "--version", "-l", "-s", "-S", "--print-architecture"))


# What changes or takes away files, and where only root may.
_TOUCHES = frozenset(("chmod", "chown", "chgrp", "rm", "rmdir", "mv", "cp", "ln", "tee", "install", "touch", "unlink"))
_OF_SYSTEM = ("/usr/", "/etc/", "/opt/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/var/", "/boot/", "/srv/")


def as_root(recipe: AsRoot, here: Situation) -> Outcome:
    if recipe.program:
        return _touching(recipe, here)
    if here.image:
        return _as_another_user(here)
    if here.job.image is not None:
        return Words(f"the image of {here.job.id} has another user than root: give its container `--user root`")
    calls = {one.calls[-1].key: one for one in here.concerned if one.calls and not one.substitution and _manages(one)}
    plain = [one for one in calls.values() if "sudo" not in _words(one.argv[: one.inner])]
    if not calls:
        return Refusal(f"no command of {here.job.id} is one of a package manager", here.job.path, here.job.line)
    if not plain:
        return InPlace("the package manager runs by sudo")
    if here.step is None and len(plain) > 1:
        return Words("the failed step is not known: run the package manager by sudo there")
    if not _has_sudo(here, plain):
        return Words("run the package manager by sudo, where the machine has it, or as a user who is root")
    return _by_sudo(here, plain)


def _touching(recipe: AsRoot, here: Situation) -> Outcome:
    """What is the system's, or what the job itself has left to root: an earlier command ran by sudo."""
    program, path = (here.captures.get(one.strip("{}"), "") for one in (recipe.program, recipe.path))
    if program not in _TOUCHES or here.image or here.job.image is not None or here.step is None:
        return Refusal(f"nothing says that `{program}` runs on a machine, as a user who is not root")
    own = [one for one in here.concerned if one.calls and not one.substitution and _names(one, program, path)]
    if any("sudo" in _words(one.argv[: one.inner]) for one in own):
        return InPlace(f"`{program}` runs by sudo")
    begun = [
        one for one in here.evaluation.invocations if one.step < here.step.index and "sudo" in _words(one.argv[:1])
    ]
    if len(own) != 1 or not (path.startswith(_OF_SYSTEM) or begun):
        return Refusal(f"nothing says that `{path}` is root's", here.job.path, here.job.line)
    made = _by_sudo(here, own) if _has_sudo(here, own) else Refusal("the machine may have no sudo", here.job.path)
    return replace(made, title=f"Run `{program}` by sudo") if isinstance(made, Edited) else made


def _names(one: Invocation, program: str, path: str) -> bool:
    words = [word.text or "" for word in one.program]
    named = any(word.rstrip("/") == path.rstrip("/") or path.startswith(f"{word.rstrip('/')}/") for word in words[1:])
    return bool(words) and posixpath.basename(words[0]) == program and named


def _words(values: Sequence[object]) -> list[str]:
    return [str(value) for value in values]


def _manages(one: Invocation) -> bool:
    words = [word.text or "" for word in one.program]
    return bool(words) and posixpath.basename(words[0]) in _PROGRAMS and not _ASKS & set(words[1:3])


def _has_sudo(here: Situation, plain: Sequence[Invocation]) -> bool:
    """GitHub's machines have it; of others only what the repository itself does there says so. A script that an image's
    build may run as well is another matter: there it has to use sudo already."""
    scripts = {call.path for one in plain for call in one.calls[-1:]} - {here.job.path}
    if any(b"sudo " not in here.tree.read(path) for path in scripts if path in here.tree):
        return False
    hosted = bool(here.job.labels) and all(is_hosted(label) for label in here.job.labels)
    return hosted or any(
        b"sudo apt" in here.tree.read(path) for path in (*workflow_paths(here.tree), *shell_files(here.tree))
    )


def _by_sudo(here: Situation, plain: Sequence[Invocation]) -> Outcome:
    edits: list[Edit] = []
    for one in plain:
        call, word = one.calls[-1], one.program[0]
        site = word.sites[0] if len(word.sites) == 1 else None
        if site is None or site.kind is not SiteKind.LITERAL or site.path != call.path or not call.insertable:
            return Refusal("the command is put together at run time", call.path, call.line)
        text = here.tree.read(site.path)[site.start : site.end].decode("utf-8", "replace")
        made = replace_word(here.tree, site, f"sudo {text}", why=f"`{word.text}` writes into the system's folders")
        if isinstance(made, Refusal):
            return made
        edits += made
    declared = tuple(dict.fromkeys(declared_at(here, one.calls[-1].path, one.step) for one in plain))
    made_edits = tuple(dict.fromkeys(edits))
    shared = blast_of_calls(here, tuple(one.calls[-1] for one in plain if one.calls[-1].path != here.job.path))
    return replace(Edited(made_edits, declared, promised(here, made_edits)), blast_radius=shared)


def _as_another_user(here: Situation) -> Outcome:
    """`USER root` before the failed instruction, and the user from before after it."""
    data = here.tree.read(here.image)
    found = instructions(data)
    if isinstance(found, Refusal) or here.instruction < 0:
        return Refusal("the failed instruction is not known", here.image)
    own = found[here.instruction]
    begun = stage_start(found, here.instruction)
    users = [one for one in found[begun : here.instruction] if one.name == "USER"]
    line = line_of(data, own.named)
    if not users:
        return Words(
            f"the image that {here.image}:{line} builds on has another user than root: put `USER root` before it"
        )
    user = _text(data, users[-1])
    if user.split(":")[0] in ("root", "0"):
        return InPlace(f"{here.image}:{line} runs as root")
    return _switched(here, data, own, user)


def _text(data: bytes, one: Instruction) -> str:
    return data[one.start : one.end].decode("utf-8", "replace").strip()


def _switched(here: Situation, data: bytes, own: Instruction, user: str) -> Outcome:
    start, end = line_start(data, own.named), line_end(data, max(own.end - 1, own.start))
    eol = b"\r\n" if data[end : end + 2] == b"\r\n" else b"\n"
    why = f"the package manager writes into the system's folders, which {user} may not"
    edits = (
        Edit(here.image, start, start, b"USER root" + eol, why),
        Edit(here.image, end, end, eol + b"USER " + user.encode(), f"what follows runs as {user} again"),
    )
    declared = (here.image, f"{here.image}:+USER", f"{here.image}:+USER")
    title = f"Run the instruction at {here.image}:{line_of(data, own.named)} as root"
    return Edited(edits, declared, promised(here, edits), title=title)
