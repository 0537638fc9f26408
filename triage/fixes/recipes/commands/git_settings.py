"""`git_identity` and `trust_folder`: what git must be told before it works in a job."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from triage.fixes.document import eol_at, line_end
from triage.fixes.evaluate.invocation import Call, Invocation
from triage.fixes.recipes.blast import blast_of_calls
from triage.fixes.recipes.commands.scripts import promised, shell_files, text_of_file
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import insert_line
from triage.fixes.workflow.load import workflow_paths
from triage.fixes.workflow.model import Step
from triage.model.patch import Edit
from triage.model.recipe import TrustFolder

# https://github.com/actions/checkout#push-a-commit-using-the-built-in-token
_BOT = ("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com")
# Subcommands that write commits.
_COMMITS = ("commit", "rebase", "merge", "cherry-pick", "am", "revert", "pull", "stash", "tag", "subtree")
_SET = (
    r"git config (?:--(?:global|local) )?user\.{0} (?P<quote>[\"']?)(?P<value>[^\"'$\s]+(?: [^\"'$\s]+)*)(?P=quote)\s*$"
)
_NAME, _ADDRESS = (re.compile(r"(?m)" + _SET.format(one)) for one in ("name", "email"))
_TRUSTS = re.compile(
    r"(?m)^[ \t]*git config --global --add safe\.directory (?P<quote>[\"']?)(?P<path>/[\w./-]+)(?P=quote)[ \t]*\r?$"
)
_MODULE = re.compile(r"(?m)^\s*path\s*=\s*(\S+)\s*$")


def git_identity(here: Situation) -> Outcome:
    if here.step is None and any(_begins(step, here.target.step) for step in here.job.steps):
        return InPlace("the failed step tells git who commits")
    if here.step is None:
        return Refusal("the failed step is not known", here.job.path, here.job.line)
    own = [one for one in here.concerned if one.calls and not one.substitution and _subcommand(one)]
    if any(_subcommand(one) == "config" and "user.email" in [str(word) for word in one.program] for one in own):
        return InPlace(f"`{here.step.name}` tells git who commits")
    if not any(_subcommand(one) in _COMMITS for one in own):
        return Refusal(f"no command of `{here.step.name}` writes a commit", here.job.path, here.job.line)
    first = own[0]
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
        names, addresses = ({one["value"] for one in wanted.finditer(text)} for wanted in (_NAME, _ADDRESS))
        if len(names) == len(addresses) == 1:
            found[names.pop(), addresses.pop()] += 1
    if not found:
        return _BOT, ""
    pair = max(found, key=lambda one: (found[one], one))
    return pair, f"other steps of the repository commit as {pair[0]}"


def trust_folder(recipe: TrustFolder, here: Situation) -> Outcome:
    path = here.captures.get(recipe.path.strip("{}"), "").rstrip("/")
    modules = _MODULE.findall(text_of_file(here.tree, ".gitmodules")) if ".gitmodules" in here.tree else []
    root = next((path.removesuffix(f"/{one}") for one in modules if path.endswith(f"/{one}")), "")
    if not root:
        return Refusal(f"{path or 'the folder'} is no submodule of the repository")
    files = dict.fromkeys([here.job.path, *(call.path for one in here.evaluation.invocations for call in one.calls)])
    held = [
        (file, one) for file in files if file in here.tree for one in _TRUSTS.finditer(text_of_file(here.tree, file))
    ]
    if any(one["path"].rstrip("/") == path for _, one in held):
        return InPlace(f"{here.job.id} lets git trust {path}")
    around = [(file, one) for file, one in held if one["path"].rstrip("/") == root]
    if len(around) != 1:
        return Words(f"run `git config --global --add safe.directory {path}` as the user that the failed command has")
    file, one = around[0]
    data = here.tree.read(file)
    end = line_end(data, len(text_of_file(here.tree, file)[: one.start("path")].encode()))
    line = one[0].rstrip("\r").replace(one["path"], path)
    edit = Edit(file, end, end, eol_at(data, end - 1) + line.encode(), f"git trusts {root} and not what lies in it")
    declared = _declared(here, file, edit)
    return Edited((edit,), (declared,), promised(here, (edit,)), title=f"Let git trust {path} too")


def _declared(here: Situation, file: str, edit: Edit) -> str:
    if file != here.job.path:
        return file
    document = here.job.document
    steps = [one for one in here.job.steps if document.start(one.node) <= edit.start <= document.end(one.node)]
    return declared_at(here, file, steps[0].index) if steps else file
