"""Files that tell another system than GitHub's what to run: of other CI systems, of make and its kin; and the lines of
them that name a path, with the folder that their command runs in."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from triage.fixes.document import line_end, line_start
from triage.fixes.yaml.nodes import YamlDocument, child, children, entries, parse_yaml, text_of
from triage.interfaces import Tree

_CI = re.compile(
    r"(?:.*/)?(?:\.buildkite|\.circleci|\.gitlab|\.azure[\w-]*|azure-pipelines|\.ci|\.jenkins|\.tekton)/.*\.ya?ml\Z"
    r"|(?:.*/)?(?:[\w.-]*\.gitlab-ci|azure-pipelines[\w.-]*|\.cirrus|\.travis|bitbucket-pipelines|cloudbuild)\.ya?ml\Z"
)
_MAKE = re.compile(r"(?:.*/)?(?:GNUmakefile|[Mm]akefile|[\w.-]+\.mk|justfile|tox\.ini)\Z")
_SCRIPT = re.compile(r".*\.(?:sh|bash|slurm|sbatch)\Z")
_LARGEST = 1_000_000
_BEFORE, _AFTER = rb"(?<![\w./~$}-])", rb"(?![\w/-])(?!\.\w)"
# Keys by which a step says where it runs.
_FOLDERS = ("working_dir", "working_directory", "working-directory", "workingDirectory", "workdir")
_CD = re.compile(r"(?:^|&&|;|\n)[ \t]*(?:cd|pushd)[ \t]+(?P<folder>[^\s;&|]+)")
# An entry that is the path alone is watched, and no command.
_ENTRY = re.compile(rb"[ \t]*-[ \t]+['\"]?[^\s'\"]+['\"]?[ \t]*(?:#.*)?\Z")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file names `text`. `folder` is the one that the command enters, as written; "" where nothing says it."""

    path: str
    start: int
    end: int
    folder: str


def kinds_of_definitions() -> tuple[re.Pattern[str], ...]:
    """In the order in which they are asked: the one that answers first is meant."""
    return (_CI, _MAKE, _SCRIPT)


def documents_of_ci(tree: Tree) -> Iterator[YamlDocument]:
    """The definitions of other CI systems than GitHub's, but for those that cannot be read."""
    for path in sorted(path for path in tree.paths() if _CI.match(path)):
        data = tree.read(path)
        document = parse_yaml(path, data) if len(data) <= _LARGEST else None
        if isinstance(document, YamlDocument):
            yield document


def is_script(path: str) -> bool:
    return _SCRIPT.match(path) is not None


def places(tree: Tree, kind: re.Pattern[str], text: str) -> Iterator[Place]:
    wanted = re.compile(_BEFORE + rb"(?:\./)?(?P<path>" + re.escape(text.encode()) + rb")" + _AFTER)
    for path in tree.paths():
        data = tree.read(path) if kind.match(path) else b""
        hits = [one for one in wanted.finditer(data) if _is_command(data, one.start())] if len(data) < _LARGEST else []
        document = parse_yaml(path, data) if hits and kind is _CI else None
        for hit in hits:
            folder = _folder(document, hit.start()) if isinstance(document, YamlDocument) else ""
            yield Place(path, *hit.span(1), folder or _entered(_above(data, hit.start(), path)))


def _is_command(data: bytes, at: int) -> bool:
    line = data[line_start(data, at) : line_end(data, at)]
    return not _ENTRY.match(line) and b"#" not in data[line_start(data, at) : at]


def _above(data: bytes, at: int, path: str) -> str:
    """What a script, or the rule of a makefile, runs before."""
    text = data[:at].decode("utf-8", "replace")
    if _MAKE.match(path):
        return text[text.rfind("\n\n") + 1 :]
    return text if is_script(path) else ""


def _entered(script: str) -> str:
    """The folder that the last `cd` leads to; "?" for a part of it that cannot be told: `?/tests`."""
    folder = ""
    for found in _CD.finditer(script):
        word = found["folder"].strip("\"'")
        unknown = set("$`()~") & {*word} or word.startswith("-")
        folder = "?" if unknown else posixpath.join(folder, word)
    return folder


def _folder(document: YamlDocument, at: int) -> str:
    """By the `cd` of the commands before, else by the key of the innermost mapping that says it."""
    found, before = "", ""
    node: yaml.Node | None = document.root
    while node is not None and not isinstance(node, yaml.ScalarNode):
        own = next((text_of(value) for name, _, value in entries(node) if name in _FOLDERS), "")
        found, before = own or found, "" if isinstance(node, yaml.MappingNode) else before
        inner = next((one for one in children(node) if document.start(one) <= at < document.end(one)), None)
        if isinstance(node, yaml.SequenceNode):
            earlier = (one for one in node.value if inner is not None and document.end(one) <= document.start(inner))
            before = "\n".join(_text(one) for one in earlier)
        node = inner
    if node is None:
        return found
    inside = document.data[document.start(node) : at].decode("utf-8", "replace").lstrip("|->+0123456789\n ")
    return _entered(f"{before}\n{inside}") or found


def _text(node: yaml.Node) -> str:
    """An item's command, also where it stands under a key."""
    return text_of(node) or text_of(child(node, "run")) or text_of(child(node, "run", "command"))
