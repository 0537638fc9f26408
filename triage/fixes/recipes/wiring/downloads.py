"""`copy_command`: the line by which a sibling job downloads the model, or the step that prepares the data, that a job
lacks."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from triage.fixes.evaluate.invocation import Call
from triage.fixes.recipes.held import holds_word
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.siblings import same_runner, sibling_jobs
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.preparations import copy_preparation
from triage.fixes.recipes.wiring.steps import install_anchor
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import insert_line
from triage.fixes.yaml.steps import insert_step
from triage.model.patch import Expectation
from triage.model.recipe import CopyCommand

# A name as the Hub writes it, `owner/model`, at the end of a path or alone.
_NAME = re.compile(r"(?:^|/)([A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)/?$")
_HOME = re.compile(r"\$\{?HOME\}?")
# A path whose folders say that a model lies there; a bare `owner/name` says it too.
_OF_MODEL = re.compile(
    r"(?:^|/)(?:[\w.-]*(?:model|checkpoint|ckpt|weight)[\w.-]*|hub|huggingface)/|^[\w.-]+/[\w.-]+$", re.I
)
# A file of data is no model, wherever it lies.
_OF_DATA = re.compile(r"\.(?:parquet|jsonl?|csv|tsv|txt|arrow|npy|npz|gz|zip|tar)/?$", re.I)
_FOLDER = "--local-dir"
# What a folder begins with that is another one in the log: the home directory, where the step runs.
_ROOT = re.compile(r"^(?:\$\{?HOME\}?|~|\.|\$\{?PWD\}?)(?=/|$)")
_STEP = "Download the model"
_TEXTS = (".sh", ".py", ".yml", ".yaml")


@dataclass(frozen=True, slots=True)
class Line:
    """A download line of some job, with its step's name; `exact` when it brings the subject to where that is read."""

    text: str
    step: str
    source: str
    own: bool
    exact: bool


def copy_command(recipe: CopyCommand, here: Situation) -> Outcome:
    subject = here.captures.get(recipe.subject.strip("{}"), recipe.subject)
    if not recipe.commands:
        return copy_preparation(subject, here)
    found = _NAME.search(subject)
    if found is None or not _OF_MODEL.search(subject) or _OF_DATA.search(subject):
        return Refusal("the log names no model as `owner/name`")
    name = found[1]
    lines = list(_lines(recipe, here, name, subject))
    own = next((line for line in lines if line.own and line.exact), None)
    if own is not None:
        return InPlace(f"{here.job.id} downloads {name} already ({own.source})")
    if not _named_in_tree(here, name):
        return Refusal(f"nothing in the repository names {name}")
    chosen = _chosen(lines, name, subject)
    if chosen is None:
        where = "" if name == subject else f" to {subject}, where it is read,"
        add = f"add the step that downloads {name}{where}"
        return Words(f"{add} to {here.job.id} ({here.job.path}:{here.job.line})")
    text, line = chosen
    return _inserted(recipe, here, text, line)


def _lines(recipe: CopyCommand, here: Situation, name: str, subject: str) -> Iterator[Line]:
    """Of the job itself first, then of siblings on the same kind of runner."""
    for job in (here.job, *sibling_jobs(here, b"download")):
        own = job is here.job
        if not own and not same_runner(here, job):
            continue
        for step in job.steps:
            for at, line in enumerate(step.run.value.splitlines() if step.run is not None else ()):
                words = _words(line)
                if _starts(recipe, words):
                    source = f"{step.path}:{step.line + at}"
                    exact = name in words and _fills(words, subject)
                    yield Line(line.strip(), step.name, source, own, exact)


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line, comments=True)
    except ValueError:
        return []


def _fills(words: Sequence[str], subject: str) -> bool:
    """Whether a download writes where the log says that it is read: the cache for a name, that folder for a path."""
    given = next((word.partition("=")[2] for word in words if word.startswith(f"{_FOLDER}=")), "")
    behind = words[words.index(_FOLDER) + 1 :] if _FOLDER in words else []
    folder = given or (behind[0] if behind else "")
    if not folder:
        return _NAME.fullmatch(subject) is not None
    below = _ROOT.sub("", folder).strip("/")
    return f"/{subject.strip('/')}".endswith(f"/{below}") and bool(below)


def _starts(recipe: CopyCommand, words: Sequence[str]) -> bool:
    return any(words[: len(start.split())] == start.split() for start in recipe.commands)


def _named_in_tree(here: Situation, name: str) -> bool:
    """A name from the log only selects: some file of the repository must ask for it."""
    return holds_word(here.tree, name, _TEXTS)


def _chosen(lines: Sequence[Line], name: str, subject: str) -> tuple[str, Line] | None:
    """The line that most siblings have for this model; else the shape of line that they have for others, when it names
    the model twice at most and nothing else changes with it. Either writes where the model is read."""
    exact = [line for line in lines if line.exact and _fixed(line.text)]
    if exact:
        text, _ = Counter(line.text for line in exact).most_common(1)[0]
        return text, next(line for line in exact if line.text == text)
    made = [(_shaped(line.text, name), line) for line in lines]
    shapes = [(shaped, line) for shaped, line in made if shaped and _fills(_words(shaped), subject)]
    if not shapes:
        return None
    text, _ = Counter(shaped for shaped, _ in shapes).most_common(1)[0]
    return text, next(line for shaped, line in shapes if shaped == text)


def _fixed(text: str) -> bool:
    """Whether a line means the same in another job: no variable but HOME, and nothing behind the command."""
    return "$" not in _HOME.sub("", text) and not re.search(r"[;&|<>\\]|\$\(", text)


def _shaped(text: str, name: str) -> str:
    """`download a/b --local-dir ~/models/a/b` for another name; "" for a line of another shape."""
    words = _words(text)
    at = next((at for at, word in enumerate(words) if word == "download"), -1)
    other = words[at + 1] if 0 <= at < len(words) - 1 else ""
    if not _fixed(text) or not _NAME.fullmatch(other) or "--local-dir" not in words:
        return ""
    behind = words[words.index("--local-dir") + 1 :]
    fits = len(words) == at + 4 and behind and behind[0].endswith(f"/{other}")
    return text.replace(other, name) if fits else ""


def _inserted(recipe: CopyCommand, here: Situation, text: str, line: Line) -> Outcome:
    """Behind the job's last download, else as a step of its own behind the installs."""
    why = f"as {line.source} downloads it"
    promise = Expectation("command", " ".join(_words(text)[:3]), here.target.job, here.target.workflow_path)
    call = _last_download(recipe, here)
    if call is not None:
        step = next(one.step for one in here.evaluation.invocations if one.calls[0].key == call.key)
        edits = insert_line(here.tree, call, text, why=why)
        if not isinstance(edits, Refusal):
            return Edited(edits, (declared_at(here, call.path, step),), (promise,))
    anchor = install_anchor(here)
    if isinstance(anchor, Refusal):
        return anchor
    if here.step is not None and here.step.index <= anchor.index:
        return Words(f"run `{text}` before `{here.step.name}` ({here.job.path}:{here.step.line}), {why}")
    edits = insert_step(here.job.document, anchor, _STEP if line.own else line.step, text, why=why)
    if isinstance(edits, Refusal):
        return edits
    return Edited(edits, (f"{here.job.path}:{here.place}.steps[+{anchor.index}]",), (promise,))


def _last_download(recipe: CopyCommand, here: Situation) -> Call | None:
    """Of the workflow itself, before the step that failed."""
    step = here.step
    calls = [
        one.calls[0]
        for one in here.evaluation.invocations
        if len(one.calls) == 1
        and one.calls[0].path == here.job.path
        and _starts(recipe, [str(word) for word in one.argv])
        and (step is None or one.step < step.index)
    ]
    return calls[-1] if calls else None
