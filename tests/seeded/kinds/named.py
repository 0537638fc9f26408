"""A model of the hub whose name is misspelt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from tests.seeded.launch import commands, misspelt, pick
from tests.seeded.seed import Seed
from tests.seeded.site import Site
from triage.interfaces import Tree

_MODEL = re.compile(
    r"(?<![\w/.-])(?:Qwen|meta-llama|deepseek-ai|google|mistralai|HuggingFaceTB|microsoft)/[A-Za-z][\w.-]{5,}(?![\w/])"
)
_TEXTS = (".sh", ".py", ".yml", ".yaml", ".md")


def model_misspelt(site: Site) -> Iterator[Seed]:
    """Two letters of a model's name swapped, where another file has the name too."""
    seen = set()
    for command in commands(site):
        own = [
            (n, line)
            for n, line in command.lines
            if (found := _MODEL.search(line)) and "local-dir" not in line and _files_with(site.tree, found[0]) > 1
        ]
        chosen = pick([one for one in own if command.text.count(_MODEL.search(one[1])[0]) == 1], command.path)  # type: ignore[index]
        if (
            not chosen
            or command.path in seen
            or not re.search(r"\b(?:python3?|vllm|torchrun|accelerate|sglang|uv run)\b", command.joined)
        ):
            continue
        seen.add(command.path)
        name = _MODEL.search(chosen[1])[0]  # type: ignore[index]
        owner, _, model = name.partition("/")
        wrong = f"{owner}/{misspelt(model)}"
        yield command.seed(chosen[0], chosen[1].replace(name, wrong), _not_found(wrong), wrong)


@lru_cache(maxsize=4096)
def _files_with(tree: Tree, name: str) -> int:
    return sum(path.endswith(_TEXTS) and name.encode() in tree.read(path) for path in tree.paths())


def _not_found(name: str) -> tuple[str, ...]:
    return (
        "Traceback (most recent call last):",
        '  File "/usr/local/lib/python3.12/dist-packages/huggingface_hub/utils/_http.py", line 409, in hf_raise_for_status',
        "    response.raise_for_status()",
        f"requests.exceptions.HTTPError: 404 Client Error: Not Found for url: https://huggingface.co/{name}/resolve/main/config.json",
        "",
        "The above exception was the direct cause of the following exception:",
        "",
        "Traceback (most recent call last):",
        '  File "/usr/local/lib/python3.12/dist-packages/transformers/utils/hub.py", line 479, in cached_files',
        "    hf_hub_download(",
        "huggingface_hub.errors.RepositoryNotFoundError: 404 Client Error. (Request ID: Root=1-68f0c2a1-0123456789abcdef)",
        "",
        f"Repository Not Found for url: https://huggingface.co/{name}/resolve/main/config.json.",
        "Please make sure you specified the correct `repo_id` and `repo_type`.",
        "",
        "The above exception was the direct cause of the following exception:",
        "",
        f"OSError: {name} is not a local folder and is not a valid model identifier listed on 'https://huggingface.co/models'",
        (
            "If this is a private repository, make sure to pass a token having permission to this repo either by logging in with "
            "`hf auth login` or by passing `token=<your_token>`"
        ),
    )
