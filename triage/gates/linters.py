"""Supporting gates: linters of this machine, before and after. Only findings that the draft adds count."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from triage.fixes.workflow.files import is_workflow
from triage.gates.change import Change, failed, ok, skipped
from triage.gates.places import in_untouched
from triage.gates.programs import Ended, NotRun, ask
from triage.gates.shell_syntax import is_script
from triage.model.patch import Gate

Findings = Counter[str]
# How a repository writes all of its steps: one more that is written as they are is nothing new.
_HABITS = ("unpinned-uses:", "artipacked:", "excessive-permissions:")
# What a recipe's own step is found to do, which it has to: who pushes needs what the checkout leaves behind.
_BROUGHT = {
    "copy_checkout": ("artipacked:", "unpinned-uses:"),
    # What the input held was there before, under a name by which the linter did not know it.
    "rename_input": ("template-injection:",),
    "image": ("unpinned-images:",),
    "set_up_language": ("unpinned-uses:",),
}
# Begins the finding that a linter could not read the file at all.
_UNREAD = "cannot be read: "
# What it calls a file that is read in and that it was not given: it says nothing of the script itself.
_NOT_FOLLOWED = (1090, 1091)
# What shellcheck calls a script that does not parse: parsing stopped here, and the expression that it was in.
_NOT_PARSED = (1072, 1073)


@dataclass(frozen=True, slots=True)
class Linter:
    """`command` gets the paths appended; `read` turns its output into findings without line numbers, which move."""

    name: str
    command: tuple[str, ...]
    wants: Callable[[str, bytes], bool]
    read: Callable[[Ended], Findings]


class UnreadableOutput(Exception):  # noqa: N818 - an outcome: the gate is skipped
    pass


def linters(change: Change) -> tuple[Gate, ...]:
    """One gate for each linter that has something to read."""
    wanted = [
        (linter, [path for path in sorted(change.new) if linter.wants(path, change.new[path])]) for linter in LINTERS
    ]
    return tuple(_gate(linter, change, paths) for linter, paths in wanted if paths)


def _gate(linter: Linter, change: Change, paths: Sequence[str]) -> Gate:
    name = f"{linter.name} finds nothing new"
    after = _findings(linter, change.new, paths)
    if isinstance(after, NotRun):
        return skipped(name, after.reason, mandatory=False)
    if not after:
        return ok(name, mandatory=False)
    before = _findings(linter, change.old, [path for path in paths if path in change.old])
    if isinstance(before, NotRun):
        return skipped(name, before.reason, mandatory=False)
    if any(_is_unread(finding) for finding in before) and not any(_is_unread(finding) for finding in after):
        after = Counter({one: count for one, count in after.items() if not in_untouched(one, change.old, change.new)})
        if not after or linter.name != "check-jsonschema":
            return ok(name, "it could not read the file before", mandatory=False)
        before = Counter()
    brought = _BROUGHT.get(change.draft.recipe, ())
    added = [
        finding
        for finding in after - before
        if (finding not in before or not finding.startswith(_HABITS)) and not finding.startswith(brought)
    ]
    if added:
        return failed(name, added[0], mandatory=False)
    return ok(name, f"{after.total()} from before", mandatory=False)


def _is_unread(finding: str) -> bool:
    return finding.startswith(_UNREAD)


def _findings(linter: Linter, files: Mapping[str, bytes], paths: Sequence[str]) -> Findings | NotRun:
    ended = ask((*linter.command, *paths), {path: files[path] for path in paths})
    if isinstance(ended, NotRun):
        return ended
    try:
        return linter.read(ended)
    except (UnreadableOutput, ValueError, KeyError, TypeError) as error:
        return NotRun(f"{linter.name}'s output cannot be read: {error}")


def _zizmor(ended: Ended) -> Findings:
    """Audits as JSON; a workflow that it cannot read at all is an error on stderr."""
    if not ended.output.strip():
        return Counter(f"{_UNREAD}{line}" for line in _lines_with(ended.errors, "WARN"))
    return Counter(f"{entry['ident']}: {entry['desc']}" for entry in json.loads(ended.output))


def _check_jsonschema(ended: Ended) -> Findings:
    report: dict[str, Any] = json.loads(ended.output)
    unreadable = [f"{_UNREAD}{entry['filename']}" for entry in report.get("parse_errors", ())]
    closest = [(e["filename"], e.get("best_deep_match") or e) for e in report.get("errors", ())]
    return Counter([*unreadable, *(f"{name}: {match['path']}: {match['message'][:200]}" for name, match in closest)])


def _shellcheck(ended: Ended) -> Findings:
    """Where it cannot parse a script it says so, and nothing of what it would find in it."""
    comments = json.loads(ended.output)["comments"]
    return Counter(
        f"{_UNREAD if _unparsed(entry) else ''}{entry['file']}: SC{entry['code']}: {entry['message']}"
        for entry in comments
        if entry["code"] not in _NOT_FOLLOWED
    )


def _unparsed(entry: Mapping[str, Any]) -> bool:
    return entry["level"] == "error" and entry["code"] in _NOT_PARSED


def _actionlint(ended: Ended) -> Findings:
    entries = json.loads(ended.output or "[]") or []
    return Counter(f"{entry['filepath']}: {entry['kind']}: {entry['message']}" for entry in entries)


def _lines_with(text: str, word: str) -> list[str]:
    found = [line.strip() for line in text.splitlines() if line.strip().startswith(word)]
    if text.strip() and not found:
        raise UnreadableOutput(text.strip().splitlines()[0])
    return found


def _workflows(path: str, _content: bytes) -> bool:
    return is_workflow(path)


LINTERS = (
    Linter("zizmor", ("zizmor", "--offline", "--no-config", "--no-progress", "--format", "json"), _workflows, _zizmor),
    Linter(
        "check-jsonschema",
        ("check-jsonschema", "--builtin-schema", "vendor.github-workflows", "--output-format", "json"),
        _workflows,
        _check_jsonschema,
    ),
    Linter("shellcheck", ("shellcheck", "--format", "json1", "--norc"), is_script, _shellcheck),
    Linter("actionlint", ("actionlint", "-format", "{{json .}}"), _workflows, _actionlint),
)
