"""A command that the shell does not find, called so that it is: as the lines beside it call it, as a module of Python,
or by the name under which the repository installs it."""

from __future__ import annotations

import posixpath
import re

from triage.fixes.recipes.commands.said.named import Said
from triage.fixes.recipes.commands.said.quoting import in_here_document, line_state
from triage.fixes.recipes.outcome import Outcome
from triage.fixes.refusal import Refusal
from triage.fixes.resembling import resembling, slip_of
from triage.interfaces import Tree
from triage.model.diagnosis import Facts

# Tools that are modules too, by the name of the module.
_MODULES = {
    **{name: name for name in ("wheel", "pip", "pytest", "build", "twine", "black", "ruff", "isort", "flake8", "mypy")},
    **{
        name: name
        for name in ("coverage", "pylint", "tox", "nox", "ninja", "cmake", "maturin", "auditwheel", "virtualenv")
    },
    "pip3": "pip",
    "pre-commit": "pre_commit",
    "torchrun": "torch.distributed.run",
    "ipython": "IPython",
    "sphinx-build": "sphinx",
    "cibuildwheel": "cibuildwheel",
    "yapf": "yapf",
    "gdown": "gdown",
    "uv": "uv",
}
_INSTALLED = {"torchrun": "torch", "pip3": "pip", "sphinx-build": "sphinx"}
_WORDS = r"\b(?:if|then|do|else|elif|while|until|time|exec|sudo)\b"
_BEGINS = rf"(?:^|[;&|(`\"']|{_WORDS}|!)[ \t]*(?:[A-Za-z_]\w*=\S*[ \t]+)*"
_PRINTS = re.compile(
    r"(?:^|[;&|({!]|\b(?:then|do|else))[ \t]*(?:echo|printf|die|fail|\w*(?:log|warn|error|msg|info))\b[^;&|]*\Z"
)
_RUNS, _ELSE = re.compile(r"RUN|EXEC|CONDA|MAMBA|ENV", re.I), re.compile(r"SUDO|DRY|SRUN|MPI|TIME|ROOT", re.I)
# So many letters, and a slip has one like.
_LEAST = 4
_BEGUN = re.compile(_BEGINS + r"(?P<name>[a-z][\w.+-]{2,})(?=[ \t])", re.M)
_NAME = re.compile(r"[A-Za-z][\w.+-]*\Z")
_PYTHON = re.compile(r"(?<![\w./-])(?P<program>python3?|pip3?)(?![\w./-])")
_SCRIPT = re.compile(r"[\"'](?:bin/)?(?P<name>[A-Za-z][\w.-]*)(?:[\"']|\s*=\s*[\w.]+:\w+)")


def call_otherwise(said: Said, facts: Facts) -> Outcome:
    if not _NAME.match(said.subject):
        return Refusal(f"`{said.subject}` is no command's name")
    bare = re.compile(_BEGINS + rf"(?P<command>{re.escape(said.subject)})(?=[ \t;)\n]|\\?$)", re.M)
    spans = [
        found.span("command")
        for found in bare.finditer(said.script.text)
        if _is_command(said.script.text, found.start("command"))
    ]
    if not spans:
        return Refusal(f"{said.script.path} calls no `{said.subject}`", said.script.path)
    prefix = _prefix(said.script.text, said.subject)
    if prefix:
        return _written(said, spans, f"{prefix} {said.subject}", "the other lines of the script call it so")
    named = _console(said.tree, said.subject)
    if named:
        return _written(said, spans, named, "it is installed under this name")
    module = _MODULES.get(said.subject, "")
    if module and _INSTALLED.get(said.subject, said.subject) in facts.installed:
        return _written(
            said, spans, f"{_python(said.script.text)} -m {module}", "it is installed, its script is not on the PATH"
        )
    meant = slip_of(said.subject, {*_MODULES, *_commands(said.script.text)} - {said.subject})
    if meant and len(said.subject) >= _LEAST:
        return _written(said, spans, meant, f"nothing is called {said.subject}, which is one slip from {meant}")
    return Refusal(f"nothing says how `{said.subject}` is called", said.script.path)


def _commands(text: str) -> set[str]:
    """What begins the other commands of the script."""
    return {one["name"] for one in _BEGUN.finditer(text)}


def _written(said: Said, spans: list[tuple[int, int]], new: str, why: str) -> Outcome:
    return said.edited([(*span, new) for span in spans], why, f"Call `{new}` in {said.script.path}")


def _is_command(text: str, at: int) -> bool:
    """Text that is printed, handed on or commented out is none; that of `bash -c` or of a variable may be one."""
    state, line = line_state(text, at), text[text.rfind("\n", 0, at) + 1 : at]
    return state != "#" and not (state and _PRINTS.search(line)) and not in_here_document(text, at)


def _prefix(text: str, command: str) -> str:
    """What stands before the command wherever anything does: `${CONDA_RUN} pip`, `conda run -n env pip`."""
    runner = (
        r"(?P<prefix>\$\{?[A-Za-z_]\w*\}?|(?:conda|mamba|micromamba) run(?: -\S+(?: [^\s-]\S*)?)*|uv run|poetry run)"
    )
    found = re.finditer(rf"(?m)^[ \t]*(?:if[ \t]+)?{runner}[ \t]+{re.escape(command)}(?=[ \t])", text)
    prefixes = {one["prefix"].strip() for one in found}
    # Of variables those that say where a command is found; `$SUDO` and `$DRY_RUN` say something else.
    prefixes = {one for one in prefixes if not one.startswith("$") or (_RUNS.search(one) and not _ELSE.search(one))}
    return prefixes.pop() if len(prefixes) == 1 else ""


def _console(tree: Tree, command: str) -> str:
    """The script that the repository installs, whose name the command has with an ending, or nearly."""
    names: set[str] = set()
    for path in tree.paths():
        if posixpath.basename(path) in ("setup.py", "setup.cfg", "pyproject.toml") and path.count("/") <= 1:
            names |= _names(tree.read(path).decode("utf-8", "replace"))
    if command in names or command in _MODULES:
        return ""
    stem = command.partition(".")[0]
    return stem if stem in names and stem != command else resembling(command, names)


def _names(text: str) -> set[str]:
    """Of `scripts=[...]`, `console_scripts` and the tables of pyproject.toml."""
    found = set()
    for part in re.finditer(r"(?:scripts\s*=\s*|console_scripts['\"]?\s*[:=]\s*)\[(?P<list>[^\]]*)\]", text):
        found |= {one["name"] for one in _SCRIPT.finditer(part["list"])}
    for part in re.finditer(r"(?m)^\[(?:project|tool\.poetry)\.scripts\]\n(?P<body>(?:[^\[\n].*\n?|\n)*)", text):
        found |= set(re.findall(r"(?m)^\"?([\w.-]+)\"?\s*=", part["body"]))
    return found


def _python(text: str) -> str:
    """As the script calls it; the one that its pip belongs to."""
    found = next((one["program"] for one in _PYTHON.finditer(text)), "python3")
    return "python3" if found.endswith("3") else "python"
