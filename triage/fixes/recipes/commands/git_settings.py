"""`git_identity` and `trust_folder`: what git must be told before it works in a job."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from triage.fixes.document import eol_at, lines_of, starts_of
from triage.fixes.evaluate.invocation import Call, Invocation
from triage.fixes.recipes.blast import blast_of_calls
from triage.fixes.recipes.commands.scripts import Script, promised, shell_files, text_of_file
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import insert_line
from triage.fixes.whereabouts.headers import steps_of_job
from triage.fixes.workflow.files import is_workflow
from triage.fixes.workflow.load import workflow_paths
from triage.fixes.workflow.model import Step
from triage.interfaces import Tree
from triage.model.patch import Edit
from triage.model.recipe import TrustFolder

# https://github.com/actions/checkout#push-a-commit-using-the-built-in-token
_BOT = ("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com")
# Subcommands that write commits.
_COMMITS = ("commit", "rebase", "merge", "cherry-pick", "am", "revert", "pull", "stash", "tag", "subtree")
# Programs that write one themselves, with the word that makes them do so.
_WRITERS = {
    **dict.fromkeys(
        ("ghp-import", "semantic-release", "standard-version", "gh-pages", "bumpversion", "bump2version"), ""
    ),
    "bump-my-version": "bump",
    "mkdocs": "gh-deploy",
    "mike": "deploy",
    "cz": "bump",
}
# A command of its own; of several words only within quotes.
_SET = (
    r"(?m)^(?:[^#\n]*(?:&&|;|:|-)[ \t])?[ \t]*git config (?:--(?:global|local) )?user\.{0} "
    r"(?:(?P<quote>[\"'])(?P<quoted>[\w.@+\[\]-]+(?: [\w.@+\[\]-]+)*)(?P=quote)|(?P<bare>[\w.@+\[\]-]+))"
    r"[ \t]*(?:&&|;|\r?$)"
)
_NAME, _ADDRESS = (re.compile(_SET.format(one)) for one in ("name", "email"))
# Before these there is no repository whose configuration takes a name.
_BEGINS = ("init", "clone")
_TRUSTS = re.compile(
    r"(?m)^[ \t]*git config --global --add safe\.directory (?P<quote>[\"']?)(?P<path>/[\w./-]+)(?P=quote)[ \t]*\r?$"
)
_PATH = re.compile(r"/[\w./-]+")
_MODULE = re.compile(r"(?m)^[ \t]*path[ \t]*=[ \t]*(\S+)[ \t]*\r?$")


def git_identity(here: Situation) -> Outcome:
    if here.step is None and any(_begins(step, here.target.step) for step in here.job.steps):
        return InPlace("the failed step tells git who commits")
    if here.step is None:
        return Refusal("the failed step is not known", here.job.path, here.job.line)
    own = [one for one in here.concerned if one.calls and not one.substitution and _subcommand(one)]
    if any(_subcommand(one) == "config" and "user.email" in [str(word) for word in one.program] for one in own):
        return InPlace(f"`{here.step.name}` tells git who commits")
    if not any(_subcommand(one) in _COMMITS for one in own):
        own = [one for one in here.concerned if one.calls and not one.substitution and _writes(_words(one))]
    if not own:
        return Refusal(f"no command of `{here.step.name}` writes a commit", here.job.path, here.job.line)
    begun = [at for at, one in enumerate(own) if _subcommand(one) in _BEGINS]
    first = own[begun[-1] + 1 if begun and begun[-1] + 1 < len(own) else 0]
    if any(one.directory != first.directory for one in own) or any("-C" in _words(one) for one in own):
        return Words("set `user.name` and `user.email` where the step writes the commit")
    (name, address), source = _identity(here)
    lines = [f'git config user.name "{name}"', f'git config user.email "{address}"']
    edits = _before(here, first.calls[-1], lines)
    if isinstance(edits, Refusal):
        return edits
    made = Edited(edits, (declared_at(here, first.calls[-1].path, first.step),), promised(here, edits))
    made = replace(made, blast_radius=blast_of_calls(here, (first.calls[-1],)))
    return made.noting(source or "the commits carry the name of GitHub's own bot; write another where yours has one")


def _subcommand(one: Invocation) -> str:
    words = _words(one)
    return words[1] if len(words) > 1 and posixpath.basename(words[0]) == "git" else ""


def _writes(words: Sequence[str]) -> bool:
    """Whether the program writes a commit without a git command of the script."""
    name = posixpath.basename(words[0]) if words else ""
    return name in _WRITERS and (not _WRITERS[name] or _WRITERS[name] in words[1:])


def _words(one: Invocation) -> list[str]:
    return [word.text or "" for word in one.program]


def _begins(step: Step, header: str) -> bool:
    """Whether the step that a log calls by its first command says who commits before that."""
    lines = step.script
    behind = [line for line in lines if not line.startswith("git config user.")]
    return behind[:1] != lines[:1] and bool(behind) and header == f"Run {behind[0]}"


def _before(here: Situation, call: Call, lines: Sequence[str]) -> tuple[Edit, ...] | Refusal:
    """Two lines before the command; one line, where the script has to become a block."""
    why = "git writes no commit without a name and an address"
    parts = [insert_line(here.tree, call, line, why=why, before=True) for line in lines]
    edits = [one for part in parts if not isinstance(part, Refusal) for one in part]
    if len(edits) == len(lines) and len({(one.path, one.start, one.end) for one in edits}) == 1:
        return (replace(edits[0], new=b"".join(one.new for one in edits)),)
    made = insert_line(here.tree, call, " && ".join(lines), why=why, before=True)
    return made if isinstance(made, Refusal) else tuple(made)


def _identity(here: Situation) -> tuple[tuple[str, str], str]:
    """The pair that most files of the repository set, and from where; the bot's where none does."""
    found: Counter[tuple[str, str]] = Counter()
    for path in (*workflow_paths(here.tree), *shell_files(here.tree)):
        text = text_of_file(here.tree, path)
        names, addresses = (_said(wanted, text) for wanted in (_NAME, _ADDRESS))
        if len(names) == len(addresses) == 1:
            found[names.pop(), addresses.pop()] += 1
    if not found:
        return _BOT, ""
    pair = max(found, key=lambda one: (found[one], one))
    return pair, f"other steps of the repository commit as {pair[0]}"


def _said(wanted: re.Pattern[str], text: str) -> set[str]:
    return {one["quoted"] or one["bare"] for one in wanted.finditer(text)}


def trust_folder(recipe: TrustFolder, here: Situation) -> Outcome:
    path = here.captures.get(recipe.path.strip("{}"), "").rstrip("/")
    root = next((path.removesuffix(f"/{one}") for one in submodules(here.tree) if path.endswith(f"/{one}")), "")
    if not root or not _PATH.fullmatch(path):
        return Refusal(f"{path or 'the folder'} is no submodule of the repository")
    held = [(script, one) for script in _scripts(here) for one in _TRUSTS.finditer(script.text)]
    if any(one["path"].rstrip("/") == path for _, one in held):
        return InPlace(f"{here.job.id} lets git trust {path}")
    around = [(script, one) for script, one in held if one["path"].rstrip("/") == root]
    if len(around) != 1:
        return Words(f"run `git config --global --add safe.directory {path}` as the user that the failed command has")
    script, one = around[0]
    data = here.tree.read(script.path)
    lines = lines_of(data)
    at = script.line(one.start("path")) - 1
    line = lines[at].rstrip(b"\r\n")
    end = starts_of(lines)[at] + len(line)
    new = eol_at(data, end) + line.replace(one["path"].encode(), path.encode())
    edit = Edit(script.path, end, end, new, f"git trusts {root} and not what lies in it")
    declared = script.declared(here) if script.path == here.job.path else script.path
    return Edited((edit,), (declared,), promised(here, (edit,)), title=f"Let git trust {path} too")


def submodules(tree: Tree) -> list[str]:
    """Their folders."""
    return _MODULE.findall(text_of_file(tree, ".gitmodules")) if ".gitmodules" in tree else []


def _scripts(here: Situation) -> Iterator[Script]:
    """All that the job runs, in its steps, in those of actions of the repository and in scripts: other jobs of its file
    trust for themselves."""
    for step in steps_of_job(here.tree, here.job):
        alone = step.run is not None and id(step.run) not in step.document.aliased
        if step.run is not None and step.run.style == "|" and alone:
            yield Script(step.path, step.run.value, step.index, step.document, step.run)
    for path in dict.fromkeys(call.path for one in here.evaluation.invocations for call in one.calls):
        if path in here.tree and not is_workflow(path) and path.endswith((".sh", ".bash")):
            yield Script(path, text_of_file(here.tree, path))
