"""A variable that a program lacks, where the step gives it under another name that nothing reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import yaml

from triage.fixes.recipes.outcome import Edited
from triage.fixes.recipes.situation import Situation
from triage.fixes.resembling import resembling
from triage.fixes.yaml.nodes import child, entries, text_of
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation
from triage.model.recipe import CopyEnv

_PROGRAMS = (".py", ".sh", ".js", ".ts", ".mjs")
# Variables that libraries and tools read themselves, whatever the repository's own programs read.
OF_TOOLS = re.compile(
    r"(?:GITHUB|GH|HF|HUGGING|TRANSFORMERS|AWS|AZURE|GOOGLE|CUDA|NVIDIA|NCCL|HIP|ROCR|ASCEND|TORCH|PYTORCH|VLLM|RAY|"
    r"WANDB|PIP|UV|CONDA|PYTHON|DOCKER|OMP|MKL|TOKENIZERS|HTTPS?|NO|CI|PATH|HOME|LD)(?:_|\Z)"
)


def renamed_entry(recipe: CopyEnv, here: Situation) -> Edited | None:
    """The one entry of the failed step's own `env` that resembles the name, or is a part of it, and that no program of
    the repository and no command of the job reads; None where there is none."""
    step, wanted = here.step, recipe.names[0]
    if step is None or step.run is None or step.path != here.job.path:
        return None
    found = {name: (key, text_of(value)) for name, key, value in entries(child(step.node, "env"))}
    unread = [name for name in found if not OF_TOOLS.match(name) and not is_read(here, name)]
    meant = _part(wanted, unread) or resembling(wanted, unread)
    if not meant or wanted in found:
        return None
    place = f"{here.place}.steps[{step.index}].env"
    return _renamed(recipe, here, found[meant], (meant, wanted), place)


def programs(tree: Tree) -> Iterator[bytes]:
    """What the repository's programs say, which may read a variable."""
    return (tree.read(path) for path in tree.paths() if path.endswith(_PROGRAMS))


def _part(wanted: str, names: list[str]) -> str:
    """`APP_SECRET` for `LARK_APP_SECRET`: the one name that is the other's end or beginning, in whole words."""
    found = [one for one in names if _ends(one, wanted) or _ends(wanted, one)]
    return found[0] if len(found) == 1 else ""


def _ends(short: str, long: str) -> bool:
    """One word alone (`TOKEN`) says too little to be a part of a name."""
    return "_" in short and (long.endswith(f"_{short}") or long.startswith(f"{short}_"))


def is_read(here: Situation, name: str) -> bool:
    """By its name in quotes, behind a dollar, or as a member: a program's own variable may be called so too."""
    word = re.compile(rb"[\"'`${.%]" + re.escape(name.encode()) + rb"(?![A-Za-z0-9_])")
    commands = "\n".join(line for step in here.job.steps for line in step.script)
    return bool(word.search(commands.encode())) or any(word.search(data) for data in programs(here.tree))


def _renamed(
    recipe: CopyEnv, here: Situation, entry: tuple[yaml.Node, str], names: tuple[str, str], place: str
) -> Edited:
    (key, value), (old, new), document = entry, names, here.job.document
    why = f"the program reads {new}, and nothing reads {old}"
    edit = Edit(document.path, document.start(key), document.end(key), new.encode(), why)
    promise = Expectation("value", f"{place}.{new}={value}", here.target.job, document.path)
    declared = (f"{document.path}:{place}.{old}", f"{document.path}:{place}.{new}")
    because = f"Nothing reads {old}, and the program reads {new}."
    title = f"Name the entry {new}, as the program reads it, instead of {old}"
    settled = replace(recipe, settled=(f"{new}={value}",))
    return Edited((edit,), declared, (promise,), settled=settled, title=title, because=because)
