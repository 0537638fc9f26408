"""`use_bash`: what only bash understands is read by bash, where a plain `sh` was given it.

GitHub runs the steps of a job in a container by `sh -e`, docker the RUN lines of an image by `/bin/sh -c`; on Debian
and Ubuntu that is dash.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from triage.fixes.counting import foremost
from triage.fixes.document import line_of, line_start
from triage.fixes.manifests.dockerfile import Instruction, instructions, is_dockerfile, stage_start
from triage.fixes.recipes.builds.own_instruction import instruction_before
from triage.fixes.recipes.commands.said.quoting import state_at
from triage.fixes.recipes.commands.scripts import promised, shell_files
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.siblings import sibling_jobs
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.parse import has_errors
from triage.fixes.workflow.load import workflow_paths
from triage.fixes.workflow.model import Step
from triage.fixes.yaml.edits import add_mapping, set_key
from triage.fixes.yaml.nodes import child
from triage.model.patch import Edit, Expectation
from triage.model.recipe import UseBash

_PLAIN = re.compile(r"(?:/(?:usr/)?bin/)?(?:sh|dash)\b")
_BASH = re.compile(r"(?:/(?:usr/)?bin/)?bash\b")
# The runner's own file for a step's script.
_TEMPORARY = re.compile(r"(?:^|/)_temp/")
_ONLY_BASH = re.compile(
    r"\[\[ |pipefail|<<<|[<>]\(|\$\{\w+(?://?|\^|,|:[0-9])"
    r"|(?:^|[;&|(])[ \t]*(?:source|pushd|popd|shopt|declare|mapfile|readarray)[ \t]|^[ \t]*\w+\+?=\(",
    re.M,
)
_EXPRESSION = re.compile(r"\$\{\{.*?\}\}")
_SHEBANG = re.compile(rb"#![ \t]*(?:/usr/bin/env[ \t]+|/(?:usr/)?bin/)(sh|dash)(?=[ \t\r\n])")
_ALPINE = re.compile(r"alpine|busybox|distroless", re.I)
# Beside workflows, scripts and Dockerfiles.
_CALLERS = ("GNUmakefile", "Makefile", "makefile", "justfile", "Justfile", "package.json", "tox.ini")
_LONGEST = 2000
_SHOWS = re.compile(r"(?:^|[;&|]|run:)[ \t-]*(?:echo|printf)\b[^;&|]*\Z")


def use_bash(recipe: UseBash, here: Situation) -> Outcome:
    said = here.captures.get(recipe.script.strip("{}"), "")
    if said and not _TEMPORARY.search(said) and not _PLAIN.fullmatch(said):
        return _of_script(here, said)
    if here.image:
        return _of_build(here)
    step = here.step
    if step is None or step.run is None or here.typed:
        return Words("start what the shell names by `bash`: the step that ran it is not known")
    return _of_step(here, step)


def _of_step(here: Situation, step: Step) -> Outcome:
    shell = step.shell or here.job.shell
    if _BASH.match(shell):
        return InPlace(f"{shell} reads the step already")
    if shell and not _PLAIN.match(shell):
        return Refusal(f"`{shell}` reads the step", step.path, step.line)
    if not shell and child(here.job.node, "container") is None:
        return Words(f"`shell: bash` for the step at {step.path}:{step.line}, and bash on the machine that runs it")
    if here.job.hands_script or step.document is not here.job.document:
        return Refusal("the step is not the job's own", step.path, step.line)
    script, at = step.run.value if step.run is not None else "", (step.path, step.line)
    if not _ONLY_BASH.search(script):
        return Refusal("nothing in the step is bash's alone: a script that it calls is read by `sh`", *at)
    if has_errors(_EXPRESSION.sub("x", script).encode()):
        return Refusal("bash does not read the step either", *at)
    if lacks := _lacks_bash(here):
        return Words(f"write the step at {step.path}:{step.line} for `sh`, or install bash before it: {lacks} has none")
    return _default(here) if not step.shell and not here.job.shell and _of_all(here) else _own(here, step)


def _lacks_bash(here: Situation) -> str:
    """The job's image, where it is of a kind that comes without bash, and no step installs one."""
    image = here.job.image.value if here.job.image is not None else ""
    brings = any(re.search(r"\b(?:apk|install)\b.*\bbash\b", line) for step in here.job.steps for line in step.script)
    return image if _ALPINE.search(image) and not brings else ""


def _own(here: Situation, step: Step) -> Outcome:
    """`shell: bash` for the one step, as other steps of the file write it."""
    shells = (one.shell for job in (here.job, *sibling_jobs(here, b"shell")) for one in job.steps)
    value = _usual(shell for shell in shells if _BASH.match(shell))
    edits = set_key(here.job.document, step.node, "shell", value, why="only bash understands the step's script")
    place = f"{here.place}.steps[{step.index}].shell"
    return _written(here, edits, place, value, f"Run the step by bash ({step.path}:{step.line})")


def _of_all(here: Situation) -> bool:
    """Whether more steps of the job need bash, or the jobs in containers of the tree have it from `defaults`."""
    open_steps = [one.run.value for one in here.job.steps if one.run is not None and not one.shell]
    needing = [script for script in open_steps if _ONLY_BASH.search(script)]
    return len(needing) > 1 or bool(_defaults(here))


def _default(here: Situation) -> Outcome:
    """`defaults.run.shell`, of the job or of the whole workflow as the siblings have it."""
    told = _defaults(here)
    whole, value = sum(whole for whole, _ in told) * 2 > len(told), _usual(shell for _, shell in told)
    owner, place = (here.job.workflow.node, "") if whole else (here.job.node, f"{here.place}.")
    why, document = "in a container GitHub runs steps by `sh`, which is not bash", here.job.document
    run = child(owner, "defaults", "run")
    if run is not None:
        edits = set_key(document, run, "shell", value, why=why)
    else:
        edits = add_mapping(document, owner, "defaults", ("run:", f"  shell: {value}"), why=why)
    whose = "the workflow" if whole else here.job.id
    made = _written(here, edits, f"{place}defaults.run.shell", value, f"Run the steps of {whose} by bash")
    return replace(made, declared=(f"{here.job.path}:{place}defaults",)) if isinstance(made, Edited) else made


def _defaults(here: Situation) -> list[tuple[bool, str]]:
    """Whether the workflow or the job says so, and the shell, for each other job in a container that has bash so."""
    found = []
    for job in sibling_jobs(here, b"shell"):
        own = child(job.node, "defaults", "run", "shell")
        if child(job.node, "container") is not None and _BASH.match(job.shell):
            found.append((own is None, job.shell))
    return found


def _usual(shells: Iterable[str]) -> str:
    found = foremost(shells)
    return found[0] if found is not None else "bash"


def _written(here: Situation, edits: tuple[Edit, ...] | Refusal, place: str, value: str, title: str) -> Outcome:
    if isinstance(edits, Refusal):
        return edits
    promise = Expectation("value", f"{place}={value}", here.target.job, here.job.path)
    made = Edited(edits, (f"{here.job.path}:{place}",), (promise,), title=title)
    stops = "`shell: bash` also ends a step when a command before a pipe fails" if value == "bash" else ""
    return made.noting(stops)


def _of_build(here: Situation) -> Outcome:
    """A SHELL instruction before the one that failed; what follows in its stage is read by bash too."""
    data = here.tree.read(here.image)
    found = instructions(data)
    if isinstance(found, Refusal) or not 0 <= here.instruction < len(found):
        return Refusal("the failed instruction is not known", here.image)
    own = found[here.instruction]
    stage = found[stage_start(found, here.instruction) :]
    before = [one for one in stage if one.start < own.start]
    if own.name != "RUN" or not _ONLY_BASH.search(data[own.start : own.end].decode("utf-8", "replace")):
        return Refusal("nothing in the instruction is bash's alone", here.image, line_of(data, own.named))
    shells = [data[one.start : one.end] for one in before if one.name == "SHELL"]
    if shells and b"bash" in shells[-1]:
        return InPlace(f"bash reads {here.image}:{line_of(data, own.named)} already")
    if shells:
        return Refusal("a SHELL instruction stands before it already", here.image, line_of(data, own.named))
    if _ALPINE.search(_base(data, found[: here.instruction])):
        return Words(f"write {here.image}:{line_of(data, own.named)} for `sh`: an image like its base has no bash")
    usual = foremost(_shells(here))
    text = usual[0] if usual is not None else 'SHELL ["/bin/bash", "-c"]'
    edit = instruction_before(here.image, data, own, text, "only bash understands the instruction")
    title = f"Let bash read {here.image}:{line_of(data, own.named)} and what follows in its stage"
    return Edited((edit,), (here.image, f"{here.image}:+SHELL"), promised(here, (edit,)), title=title)


def _base(data: bytes, before: Sequence[Instruction]) -> str:
    """What the last stage is made from, in the end: by the defaults of its arguments, and through other stages."""
    given, named, base = dict[str, str](), dict[str, str](), ""
    for one in before:
        text = data[one.start : one.end].decode("utf-8", "replace")
        if one.name == "ARG":
            name, _, value = text.partition("=")
            given[name.strip()] = value.strip(" \t\"'")
        if one.name == "FROM":
            said, _, alias = re.sub(r"\$\{?(\w+)\}?", lambda found: given.get(found[1], ""), text).partition(" ")
            base = named.get(said, said)
            named[alias.split()[-1] if alias else said] = base
    return base


def _shells(here: Situation) -> Iterator[str]:
    """The SHELL instructions of the tree's other Dockerfiles that name bash."""
    for path in here.tree.paths():
        if is_dockerfile(path) and path != here.image:
            data = here.tree.read(path)
            found = instructions(data)
            for one in () if isinstance(found, Refusal) else found:
                text = data[one.start : one.end].decode("utf-8", "replace").strip()
                if one.name == "SHELL" and "bash" in text and "\n" not in text:
                    yield f"SHELL {text}"


def _of_script(here: Situation, said: str) -> Outcome:
    """The program that calls it, or its own first line, whichever says `sh`."""
    named = posixpath.normpath(said)
    paths = [one for one in here.tree.paths() if one == named or named.endswith(f"/{one}") or one.endswith(f"/{named}")]
    if len(paths) != 1:
        return Refusal(f"{said} is no one file of the repository")
    path, data = paths[0], here.tree.read(paths[0])
    if has_errors(data) or not _ONLY_BASH.search(data.decode("utf-8", "replace")):
        return Refusal("nothing in it is bash's alone, or bash does not read it either", path)
    why, edits = f"only bash understands {path}", tuple(_calls(here, path))
    if first := _SHEBANG.match(data):
        edits = (*edits, Edit(path, first.start(1), first.end(1), b"bash", why))
    if not edits and (re.match(rb"#![^\n]*\bbash\b", data) or any(_calls(here, path, "bash"))):
        return InPlace(f"nothing in the repository's workflows and scripts calls {path} by `sh`")
    if not edits:
        return Words(f"let `bash` read {path}, whatever calls it: no workflow and no script of the repository does")
    if lacks := _lacks_bash(here):
        return Words(f"write {path} for `sh`, or install bash before: {lacks} has none")
    return Edited(edits, tuple(dict.fromkeys(one.path for one in edits)), promised(here, edits))


def _calls(here: Situation, path: str, shell: str = "sh") -> Iterator[Edit]:
    """Every `sh PATH` of workflows, scripts and Dockerfiles, however deep the path is written; by its whole path where
    the repository has several files of that name."""
    name = posixpath.basename(path)
    alone = [posixpath.basename(one) for one in here.tree.paths()].count(name) == 1
    call = re.compile(
        rb"(?<![\w./-])(?:/(?:usr/)?bin/)?(%s)(?:[ \t]|\\\r?\n)+(?:-[a-z]+[ \t]+)*[\"']?((?:[\w.$\{\}-]+/)*"
        % shell.encode()
        + re.escape(name.encode())
        + rb")(?![\w.-])"
    )
    others = [one for one in here.tree.paths() if is_dockerfile(one) or posixpath.basename(one) in _CALLERS]
    for file in dict.fromkeys((*workflow_paths(here.tree), *shell_files(here.tree), *others)):
        data = here.tree.read(file)
        for found in call.finditer(data):
            start = line_start(data, found.start())
            if found.start() - start > _LONGEST:  # a line that nobody wrote
                continue
            before = data[start : found.start()].decode("utf-8", "replace")
            if state_at(before, len(before)) == "#" or _SHOWS.search(before):
                continue
            written = posixpath.normpath(found[2].decode())
            if alone or written == path or written.endswith(f"/{path}"):
                yield Edit(file, found.start(1), found.end(1), b"bash", f"only bash understands {path}")
