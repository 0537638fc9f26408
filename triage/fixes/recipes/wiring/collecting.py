"""`let_fail`: a step that only collects what the job left behind, and whose own failure turned the job red."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

import yaml

from triage.fixes.document import eol_at, line_end
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome
from triage.fixes.recipes.siblings import sibling_jobs
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.edits import Edits, insert_before
from triage.fixes.yaml.nodes import child, text_of
from triage.model.patch import Edit, Expectation, Sibling
from triage.model.recipe import LetFail

_KEY = "continue-on-error"
# The step runs whatever became of the job: what it does is no part of what the job proves.
_LATE = re.compile(r"(?<!!)\b(?:always|failure|cancelled)\( *\)|!cancelled\( *\)")
# Programs that copy, pack and show, and change nothing that a test or a release is made of.
_PLAIN = frozenset(
    [
        *("7z", "basename", "cat", "cd", "chmod", "cp", "date", "df", "dirname", "dmesg", "du", "echo"),
        *("file", "find", "free", "grep", "gzip", "head", "hostname", "journalctl", "ls", "lscpu"),
        *("lsof", "mkdir", "mv", "netstat", "nproc", "npu-smi", "nvidia-smi", "printenv", "printf", "ps"),
        *("pwd", "rocm-smi", "rsync", "sed", "set", "sleep", "sort", "ss", "stat", "tail", "tar", "tee"),
        *("top", "touch", "tree", "true", "uname", "uptime", "vmstat", "wc", "zip", "compress-archive"),
        *("copy-item", "get-childitem", "get-content", "get-eventlog", "get-process", "new-item", "out-file"),
        *("write-host", "write-output"),
    ]
)
# Of other programs only what asks.
_VERBS = {
    "docker": ("cp", "images", "info", "inspect", "logs", "ps", "stats", "version"),
    "podman": ("cp", "inspect", "logs", "ps"),
    "kubectl": ("cp", "describe", "get", "logs", "top"),
    "pip": ("freeze", "list"),
    "conda": ("info", "list"),
    "ray": ("list", "status", "summary"),
}
_WORDS = frozenset(
    [
        *("if", "then", "else", "elif", "fi", "for", "in", "do", "done", "while", "until", "case", "esac"),
        *("!", "{", "}", "(", ")", "[", "[[", "test", "exit"),
    ]
)
_OPENING = ("then", "else", "do", "{", "(")
_QUIET = re.compile(r"-[a-zA-Z]*q|--quiet|--silent")
_SPLIT = re.compile(r"\|\||&&|[;|&\n]")
_CLOSED = re.compile(r"'[^'\n]*'|\"(?:[^\"\\\n]|\\.)*\"")
_SHORT = re.compile(r"(?:[0-9]*>+&?|&>+|<)\s*\S+")


def let_fail(recipe: LetFail, here: Situation) -> Outcome:
    step = here.step
    if step is None or step.run is None or step.path != here.job.path:
        return Refusal("the failed step is not known, or runs an action", here.job.path, here.job.line)
    standing = text_of(child(step.node, _KEY))
    if standing == "true":
        return InPlace(f"`{_KEY}` of `{step.name}` stands already")
    if standing or not is_collecting(step):
        return Refusal(f"`{step.name}` is more than a step that collects what is left", here.job.path, step.line)
    edits = _added(step)
    if isinstance(edits, Refusal):
        return edits
    place = f"{here.place}.steps[{step.index}].{_KEY}"
    promise = Expectation("value", f"{place}=true", here.target.job, here.job.path)
    return Edited(edits, (f"{here.job.path}:{place}",), (promise,), siblings=tuple(_alike(here, step)))


def is_collecting(step: Step) -> bool:
    return _is_late(step.condition) and step.run is not None and _only_collects(step.run.value)


def _is_late(condition: str) -> bool:
    """`success() || failure()` is late too, `success() && ...` is not."""
    plain = re.sub(r"! +", "!", condition)
    return bool(_LATE.search(plain)) and ("success(" not in plain or "||" in plain)


def _only_collects(script: str) -> bool:
    """Whether each command is one of those; what stands in quotes or behind `>` is no command."""
    lines = "\n".join(line for line in script.replace("\\\n", " ").split("\n") if not line.lstrip().startswith("#"))
    plain = _SHORT.sub("", _CLOSED.sub("''", lines))
    if "<<" in lines or "`" in lines or "$(" in lines:
        return False
    commands = [words for part in _SPLIT.split(plain) if (words := _command(part.split()))]
    return bool(commands) and all(_is_plain(words) for words in commands) and not _judges(plain)


def _judges(script: str) -> bool:
    """Whether it is red where it chooses: it ends with a number, or ends by a question that nothing answers."""
    parts = _SPLIT.split(script)
    signs = [*_SPLIT.findall(script), ""]
    for part, sign in zip(parts, signs, strict=True):
        words = part.split()
        while words and words[0] in _OPENING:
            words = words[1:]
        if words[:1] == ["exit"] and words[1:2] not in ([], ["0"]):
            return True
        asks = words[:1] == ["grep"] and any(_QUIET.match(word) for word in words)
        if (asks or words[:1] in (["["], ["[["], ["test"], ["!"])) and sign not in ("&&", "||"):
            return True
    return False


def _command(words: list[str]) -> list[str]:
    if words[:1] == ["for"]:
        return []
    while words and (words[0] in _WORDS or re.match(r"[A-Za-z_]\w*=", words[0]) or words[0] == "sudo"):
        words = [] if words[0] in ("[", "[[", "test", "exit", "case") else words[1:]
    return words


def _is_plain(words: list[str]) -> bool:
    name = posixpath.basename(words[0]).lower()
    if name == "find" and any(word in ("-exec", "-execdir", "-ok") for word in words):
        return any(word in _PLAIN for word in words[1:])
    return name in _PLAIN or any(word in _VERBS.get(name, ()) for word in words[1:3])


def _added(step: Step) -> Edits | Refusal:
    """Behind the condition that it goes with."""
    why = "what it collects is no part of what the job proves"
    condition = child(step.node, "if")
    if step.node.flow_style or id(step.node) in step.document.aliased:
        return Refusal("the step takes no further line", step.path, step.line)
    column = step.node.value[0][0].start_mark.column
    if (
        not isinstance(condition, yaml.ScalarNode)
        or condition.style in ("|", ">")
        or id(condition) in step.document.aliased
    ):
        below = next((key for key, value in step.node.value[1:] if value is not condition), step.node.value[-1][0])
        return insert_before(step.document, below, [f"{_KEY}: true"], column, why=why)
    at = line_end(step.document.data, step.document.end(condition))
    text = eol_at(step.document.data, at - 1) + b" " * column + _KEY.encode() + b": true"
    return (Edit(step.path, at, at, text, why),)


def _alike(here: Situation, step: Step) -> Iterator[Sibling]:
    """Jobs that hold the same step."""
    for job in sibling_jobs(here, b"if:"):
        if any(one.script == step.script and not text_of(child(one.node, _KEY)) for one in job.steps):
            yield Sibling(job.path, job.id, f"its step `{step.name}` would turn it red too")
