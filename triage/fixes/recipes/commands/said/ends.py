"""A command that ends the failed step though nothing is wrong: it asks for what need not be there."""

from __future__ import annotations

import re
from collections.abc import Callable

from triage.fixes.recipes.commands.said.named import Said
from triage.fixes.recipes.commands.said.quoting import has_comment
from triage.fixes.recipes.outcome import InPlace, Outcome
from triage.fixes.refusal import Refusal

# What takes something away by its name, and the command that asks whether it is there; "" where nothing short does.
_TAKES = {
    "gh release delete": "gh release view",
    "git tag -d": "",
    "git branch -D": "",
    "git branch -d": "",
    "git push origin --delete": "",
    "git remote remove": "git remote get-url",
    "git remote rm": "git remote get-url",
    "kubectl delete": "",
}
_SPACE = r"[ \t]+"
_WORD = r"(?:\"[^\"\n]*\"|'[^'\n]*'|\$\{[^}\n]*\}|[^\s;&|\"'])+"
_TEST = re.compile(r"\s*(?P<test>(?:\[\[? .+? \]?\]|test .+?))[ \t]+&&[ \t]+(?P<then>[^|&;].*)\Z")
_LISTS = re.compile(r"\$\((?:ls|find)(?: -\w+)*[ \t]+(?P<folder>[\w./~${}-]+)\)")


def only_what_is_there(said: Said) -> Outcome:
    """`gh release delete X` becomes `if gh release view X; then gh release delete X; fi`."""
    found = [(command, number) for command in _TAKES for number in _numbers(said, command)]
    if len(found) != 1:
        return Refusal("the step does not take away just one thing by its name", said.script.path)
    ((command, number),) = found
    line, above = said.lines[number - 1], said.lines[number - 2] if number > 1 else ""
    if "||" in line or re.match(r"\s*(?:el)?if\b", above):
        return InPlace(f"`{command}` may find nothing in {said.script.path}")
    hit = re.search(rf"(?P<before>.*?)(?P<command>{_words(command)}{_SPACE}(?P<name>{_WORD}).*)", line)
    if hit is None or re.search(r"[|;&]|\\$", hit["command"]) or line.lstrip().startswith(("if ", "while ")):
        return Refusal("the command shares its line with others", said.script.path)
    before = hit["before"].strip()
    if has_comment(line) or (before and not before.endswith(("&&", ";"))):
        return Refusal("the command shares its line with others", said.script.path)
    why = "what it takes away need not be there"
    title = f"Let `{command}` find nothing in {said.script.path}"
    asks = _TAKES[command]
    alone = [before.removesuffix("&&").removesuffix(";").rstrip()] if before else []
    if not asks:
        return said.rewritten(number, [*alone, f"{hit['command'].rstrip()} || true"], why, title)
    block = [f"if {asks} {hit['name']} > /dev/null 2>&1; then", f"  {hit['command'].rstrip()}", "fi"]
    return said.rewritten(number, [*alone, *block], why, title)


def may_answer_nothing(said: Said) -> Outcome:
    """`X=$(gh pr view ...)`, where the next lines have a default for an empty X: that must not end the step."""
    whole = re.compile(rf"\s*(?P<name>[A-Za-z_]\w*)=\"?\$\([^\n]*?{_words(said.subject)}\b[^\n]*\)\"?\s*\Z")
    hits = [(number, found) for number, line in enumerate(said.lines, 1) if (found := whole.match(line))]
    if not hits and any(re.search(rf"{_words(said.subject)}\b[^\n]*\|\|", line) for line in said.lines):
        return InPlace(f"{said.script.path} goes on where `{said.subject}` answers nothing")
    if len(hits) != 1:
        return Refusal(f"the step does not take just one answer of `{said.subject}`", said.script.path)
    ((number, found),) = hits
    behind = "\n".join(said.lines[number:])
    if not re.search(rf"\$\{{{found['name']}:?-", behind) and not re.search(
        rf"-[nz] \"?\$\{{?{found['name']}\b", behind
    ):
        return Refusal(f"nothing says what holds where {found['name']} is empty", said.script.path)
    at = said.start(number) + len(said.lines[number - 1].rstrip())
    why = f"the lines below know what to do where {found['name']} is empty"
    return said.edited([(at, at, " || true")], why, f"Let `{said.subject}` answer nothing in {said.script.path}")


def false_test(said: Said) -> Outcome:
    """`[ -n "$(ls A)" ] && cp A/* B` as the last command: where the test is false the step fails with its status."""
    last = next((number for number in range(len(said.lines), 0, -1) if said.lines[number - 1].strip()), 0)
    found = _TEST.match(said.lines[last - 1]) if last else None
    if found is None or said.subject.rstrip("/") not in found["test"]:
        return Refusal("the step does not end in a test that asks for it", said.script.path)
    listed = _LISTS.search(found["test"])
    there = f"[ -d {listed['folder'].rstrip('/')} ] && " if listed else ""
    block = [f"if {there}{found['test']}; then", f"  {found['then'].rstrip()}", "fi"]
    title = f"Let the test be false in {said.script.path}"
    return said.rewritten(last, block, "a test that is false is no failure of the step", title)


def list_by_release(said: Said) -> Outcome:
    """`pip freeze` names what was built from a folder or an address so (`x @ file://...`), in three words."""
    spans = [
        found.span(1) for found in re.finditer(r"(?<![\w.-])pip[0-9.]*[ \t]+(freeze)(?![\w./-])", said.script.text)
    ]
    if not spans or said.subject != "@" or not re.search(r"xargs[^\n]*uninstall|uninstall[^\n]*\$", said.script.text):
        return Refusal("the step does not hand a list of pip to pip", said.script.path)
    new = [(*span, "list --format=freeze") for span in spans]
    return said.edited(new, "a requirement with an address is three words", "List what is installed by its release")


STEPS: dict[str, Callable[[Said], Outcome]] = {
    "absent": only_what_is_there,
    "answer": may_answer_nothing,
    "test": false_test,
    "freeze": list_by_release,
}


def _words(command: str) -> str:
    return _SPACE.join(re.escape(word) for word in command.split())


def _numbers(said: Said, command: str) -> list[int]:
    pattern = re.compile(rf"(?<![\w.-]){_words(command)}(?![\w-])")
    return [number for number, line in enumerate(said.lines, 1) if pattern.search(line.partition(" #")[0])]
