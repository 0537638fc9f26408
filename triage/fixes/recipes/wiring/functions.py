"""Functions that GitHub's expressions do not have: what a shell does just as well is left to the step's shell."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from triage.fixes.recipes.outcome import Edited, Outcome, together
from triage.fixes.recipes.wiring.misfits import blanked, expressions, scalars
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.edits import add_entry, splice_scalar
from triage.fixes.yaml.encode import quoted
from triage.fixes.yaml.nodes import YamlDocument, child, entries, items, text_of
from triage.model.patch import Expectation

# https://docs.github.com/en/actions/reference/workflows-and-actions/expressions#functions
_KNOWN = frozenset(
    (
        *("and", "or", "not"),  # of another language, and mended as such
        *("contains", "startswith", "endswith", "format", "join", "tojson", "fromjson", "hashfiles", "case"),
        *("success", "always", "cancelled", "failure"),
    )
)
_OF_TWO = re.compile(r"(?<![\w.-])(?P<name>contains|startsWith|endsWith)\((?P<inside>[^(),']*)\)")
_CALL = re.compile(r"(?<![\w.-])(?P<name>[A-Za-z_]\w*)[ \t]*\(")
_WHOLE = re.compile(
    r"\$\{\{\s*(?P<name>[A-Za-z]+)\(\s*(?P<what>[a-z]\w*(?:\.[\w-]+)+)\s*"
    r"(?:,\s*'(?P<old>[\w .:/@+-]+)'\s*,\s*'(?P<new>[\w .:/@+-]*)'\s*)?\)\s*\}\}"
)
_CASES = {"lower": ",,", "tolower": ",,", "lowercase": ",,", "upper": "^^", "toupper": "^^", "uppercase": "^^"}


def unknown_functions(document: YamlDocument) -> Iterator[Outcome]:
    """`replace(x, 'a', 'b')` and `lower(x)` in a script of bash become the shell's own `${X//a/b}` and `${X,,}`."""
    for place, job, node in scalars(document.root, "", ""):
        for _, text in expressions(place, node.value):
            plain = blanked(text)
            strange = [one["name"] for one in _CALL.finditer(plain) if one["name"].lower() not in _KNOWN]
            lacking = _OF_TWO.search(plain)
            if strange:
                yield _by_shell(document, node, place, job, strange[0])
                break
            if lacking is not None:
                why = f"`{lacking['name']}` takes two arguments, and is given one"
                yield Refusal(why, document.path, document.line(node))
                break


def _by_shell(document: YamlDocument, node: yaml.ScalarNode, place: str, job: str, name: str) -> Outcome:
    nothing = Refusal(f"GitHub's expressions have no function `{name}`", document.path, document.line(node))
    found = list(_WHOLE.finditer(node.value))
    step = _step(document, place, job)
    if step is None or not place.endswith(".run") or len(found) != 1 or not _in_bash(document, step, job):
        return nothing
    one = found[0]
    variable = re.sub(r"\W", "_", one["what"].rpartition(".")[2]).upper()
    before = node.value[node.value.rfind("\n", 0, one.start()) + 1 : one.start()]
    if before.count("'") % 2 or child(step, "env", variable) is not None or f"${variable}" in node.value:
        return nothing
    shell = _expansion(one, variable)
    if not shell:
        return nothing
    why = f"GitHub's expressions have no function `{name}`, and the shell does the same"
    spliced = splice_scalar(document, node, one.start(), one.end(), shell, why=why)
    value = f"${{{{ {one['what']} }}}}"
    written = quoted(value)
    given = written if isinstance(written, Refusal) else add_entry(document, step, "env", variable, value, why=why)
    if isinstance(spliced, Refusal) or isinstance(given, Refusal):
        return nothing
    whole = f"{node.value[: one.start()]}{shell}{node.value[one.end() :]}".strip()
    own = place.rpartition(".")[0]
    held = f"{own}.env.{variable}" if child(step, "env") is not None else f"{own}.env"
    parts: list[Outcome] = [
        Edited(spliced, (f"{document.path}:{place}",), (Expectation("value", f"{place}={whole}", job, document.path),)),
        Edited(
            given,
            (f"{document.path}:{held}",),
            (Expectation("value", f"{own}.env.{variable}={value}", job, document.path),),
        ),
    ]
    return together(parts)


def _expansion(one: re.Match[str], variable: str) -> str:
    name = one["name"].lower()
    if name == "replace" and one["old"] is not None:
        return f"${{{variable}//{one['old'].replace('/', chr(92) + '/')}/{one['new']}}}"
    return f"${{{variable}{_CASES[name]}}}" if name in _CASES and one["old"] is None else ""


def _step(document: YamlDocument, place: str, job: str) -> yaml.Node | None:
    found = re.match(r"jobs\.(?P<job>.+)\.steps\[(?P<at>[0-9]+)\]\.", place)
    steps = items(child(document.root, "jobs", job, "steps")) if found and found["job"] == job else []
    return steps[int(found["at"])] if found and int(found["at"]) < len(steps) else None


def _in_bash(document: YamlDocument, step: yaml.Node, job: str) -> bool:
    own = child(document.root, "jobs", job)
    shells = [child(step, "shell"), *(child(one, "defaults", "run", "shell") for one in (own, document.root))]
    said = next((text_of(one) for one in shells if one is not None), "")
    machine = child(own, "runs-on")
    named = " ".join([text_of(machine), *(text_of(one) for one in items(machine))]).lower()
    grouped = any(name == "group" for name, _, _ in entries(machine))
    on_unix = "windows" not in named and "${{" not in named and not grouped
    return said.startswith("bash") or (not said and on_unix)
