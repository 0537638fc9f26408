"""Whether the repository, or our tables, hold a word that a log gave: only then may it be written into a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from triage.fixes.requirements import normalised
from triage.interfaces import Tree
from triage.model.signature import Tables

# Of a large repository not every text is read, nor any that is far larger than what people write.
_MOST, _LARGEST = 3000, 4_000_000
_INSTALLING = (".txt", ".in", ".toml", ".cfg", ".lock", ".sh", ".yml", ".yaml", "setup.py", "Makefile")
# Switches of the frameworks that train and serve. What names a path, a program, an address or a secret, what only makes
# a program talk, and what decides what the interpreter or the loader runs, is none.
_SWITCH = re.compile(
    r"(?:VLLM|SGLANG|SGL|NCCL|RCCL|HCCL|GLOO|TORCH|TORCHINDUCTOR|TORCHDYNAMO|PYTORCH|CUDA|HIP|ROCM|ASCEND|NVTE|TE"
    r"|TRITON|RAY|HF|TRANSFORMERS|TOKENIZERS|ACCELERATE|DS|DEEPSPEED|MEGATRON|FLASHINFER|FLASH_ATTN\w*|XLA|JAX|OMP|MKL)"
    r"_[A-Z0-9_]{2,60}\Z"
)
_NO_SWITCH = re.compile(
    r"(?:PATH|HOME|DIR|FILE|COMMAND|CMD|PREFIX|TOKEN|KEY|SECRET|PASSWORD|HOST|ADDR|URL|ENDPOINT|PROXY|EXEC\w*|DEBUG|LOGS?"
    r"|LOGGING\w*|VERBOS\w*|TRACE\w*|PROFIL\w*|BLOCKING|DSA|DEVICES|PLUGIN\w*|TRUST\w*|REMOTE\w*|WEIGHTS_ONLY\w*|CACHE"
    r"|INSECURE\w*|UNSAFE\w*|CODE|EVAL|PICKLE\w*|SERIALI[SZ]\w*|SSL\w*|TLS\w*|VERIF\w*|AUTH\w*|CERT\w*|DEV_MODE"
    r"|RUNTIME_LORA\w*|SANDBOX\w*|ROOT)"
    r"(?=_|\Z)"
)
_SWITCHED = re.compile(r"(?:[0-9]{1,9}|[Tt]rue|[Ff]alse|TRUE|FALSE|on|off|spawn|fork|forkserver)\Z")
# PEP 508, in ASCII: look-alikes of other scripts are no names.
_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")


def holds_word(tree: Tree, word: str, ends: Sequence[str]) -> bool:
    """Whether a text of the tree has it as a word of its own: `example/tiny` is no part of `sample/tiny-2`."""
    wanted = word.encode("utf-8", "replace")
    whole = re.compile(rb"(?<![\w.-])" + re.escape(wanted) + rb"(?![\w-]|\.\w)")
    return any(wanted in data and whole.search(data) for data in _texts(tree, ends))


def is_switch(name: str, value: str) -> bool:
    """Whether a variable and its value, as a log words them, turn a framework's switch and can do nothing else."""
    words = name.partition("_")[2]
    return bool(_SWITCH.match(name) and not _NO_SWITCH.search(words) and _SWITCHED.match(value))


def is_name(name: str) -> bool:
    """Whether it may be the name of a distribution or of a module."""
    return _NAME.fullmatch(name) is not None


def knows_distribution(tree: Tree, tables: Tables, name: str) -> bool:
    """Whether our tables or anything that installs in the tree, locks included, name the distribution."""
    wanted = normalised(name)
    listed = (*tables.distributions.values(), tables.companions, tables.names, tables.exports, tables.plugins.values())
    within = (others for kept in tables.companions.values() for others in kept.values())
    if any(wanted == normalised(one) for names in (*listed, *within) for one in names):
        return True
    spelled = r"[-_.]+".join(re.escape(part) for part in wanted.split("-"))
    whole = re.compile(rf"(?<![\w.-]){spelled}(?![\w-]|\.[a-z])".encode(), re.I)
    return any(whole.search(data) for data in _texts(tree, _INSTALLING))


def _texts(tree: Tree, ends: Sequence[str]) -> Iterator[bytes]:
    """Those near the root first."""
    named = [path for path in tree.paths() if path.endswith(tuple(ends)) or _is_image(path)]
    for path in sorted(named, key=lambda path: (not path.startswith(".github/"), path.count("/")))[:_MOST]:
        data = tree.read(path)
        if len(data) <= _LARGEST:
            yield data


def _is_image(path: str) -> bool:
    return "dockerfile" in path.rpartition("/")[2].lower()
