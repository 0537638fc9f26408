"""Paths that a script tells from a folder that it works out itself, and folders that it cloned under another name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from triage.fixes.document import line_of
from triage.fixes.manifests.dockerfile import is_dockerfile
from triage.fixes.recipes.commands.homes import is_common, is_there
from triage.fixes.recipes.commands.said.quoting import line_state
from triage.fixes.recipes.commands.scripts import promised_of, text_of_file
from triage.fixes.recipes.outcome import Edited, Outcome
from triage.fixes.target import Target
from triage.fixes.whereabouts.naming import in_tree
from triage.interfaces import Tree
from triage.model.patch import Edit

# `${DIR}/../models/a.sh`: what stands behind the variable.
_BEHIND = re.compile(r"(?P<base>\$\{?[A-Za-z_]\w*\}?|\))[\"']?/(?P<rest>[\w.-]+(?:/[\w.-]+)*)")
_TEXTS = (".sh", ".bash", ".yml", ".yaml", ".jsonnet", ".libsonnet", ".sbatch", ".slurm", ".mk", "Makefile")
_NAME = re.compile(r"[A-Za-z][\w.-]*\Z")


def told_from_own_folder(tree: Tree, target: Target, named: str, missing: str) -> Outcome | None:
    """None where the script does not put the path together so, or nothing in the tree is meant by it alone."""
    script = in_tree(tree, named.removeprefix("./")) if named else ""
    text = text_of_file(tree, script) if script else ""
    hits = [one for one in _BEHIND.finditer(text) if missing.endswith(f"/{one['rest']}")]
    hits = [one for one in hits if line_state(text, one.start()) != "#"]
    for hit in sorted(hits, key=lambda one: -len(one["rest"])):
        rest, base = hit["rest"], posixpath.normpath(missing.removesuffix(f"/{hit['rest']}"))
        folder = _ending(base, posixpath.dirname(script))
        meant = _meant(tree, posixpath.normpath(posixpath.join(folder or ".", rest))) if folder is not None else ""
        # What stands behind another folder is not the script's own.
        bases = {one["base"].strip("${}") for one in hits if one["rest"] == rest}
        if not meant or folder is None or len(bases) > 1:
            continue
        new = posixpath.relpath(meant, folder or ".")
        edits = []
        for one in hits:
            if one["rest"] == rest:
                start, end = (len(text[:at].encode()) for at in one.span("rest"))
                edits.append(
                    Edit(script, start, end, new.encode(), f"{posixpath.basename(meant)} is in the folder of {meant}")
                )
        title = f"Name {meant} in {script}"
        return Edited(tuple(edits), (script,), promised_of(tree, target.job, edits), title=title)
    return None


def _ending(base: str, own: str) -> str | None:
    """The script's folder, or one above it ("" is the root), that the absolute `base` ends in."""
    folder = own
    while folder:
        if f"/{base}".endswith(f"/{folder}"):
            return folder
        folder = posixpath.dirname(folder)
    return None


def _meant(tree: Tree, path: str) -> str:
    """The one file of the name, in a folder of the same name where there are several."""
    if path.startswith("..") or is_there(tree, path):
        return ""
    folder, name = posixpath.split(path)
    files = [one for one in tree.paths() if posixpath.basename(one) == name]
    same = [one for one in files if posixpath.basename(posixpath.dirname(one)) == posixpath.basename(folder)]
    found = same if len(files) > 1 or is_common(name) else files
    return found[0] if len(found) == 1 else ""


def enter_the_clone(tree: Tree, target: Target, missing: str, *, image: bool) -> Outcome | None:
    """`cd OLD` right behind a clone that git puts in a folder called as the repository is now. `image`: the build
    of one failed, so that it stands in a Dockerfile; else in none."""
    if not _NAME.match(missing) or is_there(tree, missing):
        return None
    texts = [path for path in tree.paths() if (is_dockerfile(path) if image else path.endswith(_TEXTS))]
    found = [(path, *one) for path in texts for one in _entered(tree.read(path), missing)]
    if not found or len({path for path, *_ in found}) != 1:
        return None
    edits = tuple(Edit(path, start, end, name, f"git clones to {name.decode()}") for path, start, end, name in found)
    path = edits[0].path
    title = f"Enter {found[0][3].decode()} at {path}:{line_of(tree.read(path), edits[0].start)}"
    return Edited(edits, (path,), promised_of(tree, target.job, edits), title=title)


def _entered(data: bytes, missing: str) -> Iterator[tuple[int, int, bytes]]:
    """Where the old name stands, and the name of the clone."""
    if b"git clone" not in data:
        return
    clone = rb"git clone(?:[ \t]+--?[\w=-]+)*[ \t]+[\"']?[^\s\"']*[/:](?P<name>[\w.-]+?)(?:\.git)?/?[\"']?"
    gap = rb"[ \t]*(?:\\?\r?\n[ \t]*(?:&&|-)?|&&|;)[ \t]*(?:\\?\r?\n)?[ \t]*(?:&&[ \t]*)?"
    for one in re.finditer(clone + gap + rb"cd[ \t]+(?P<old>" + re.escape(missing.encode()) + rb")(?![\w./-])", data):
        if one["name"] != one["old"]:
            yield *one.span("old"), one["name"]
