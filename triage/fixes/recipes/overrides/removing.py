"""`remove_override`: an override that a class of the repository does not take any more."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Sequence
from dataclasses import replace

from triage.fixes.document import line_after, line_end, line_start
from triage.fixes.evaluate.values import Site, SiteKind
from triage.fixes.python_text import python_nodes
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.overrides.hits import key_of
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.interfaces import Tree
from triage.model.patch import Edit, Expectation, as_promised
from triage.model.recipe import RemoveOverride

_NAME = re.compile(r"[A-Za-z_]\w*\Z")
# Of the standard library.
_WITHOUT_FIELDS = frozenset(("object", "ABC", "Generic", "Protocol", "Mapping", "MutableMapping"))
# Of pydantic and what is made on top of it, where the repository has no class of the name.
_BARE_MODELS = frozenset(("BaseModel", "BaseSettings", "BaseConfig"))
_SHELL = (".sh", ".bash", ".yml", ".yaml")
_PARTS = re.compile(rb"(?m)(?:^|[;&|])[ \t]*(?:-?[ \t]*run:[ \t]*)?(?:source|\.)[ \t]+[\"']?([^\s;&|\"']+)")
_VARIABLE = re.compile(rb"\$\{?([A-Za-z_]\w*)")


def remove_override(recipe: RemoveOverride, here: Situation) -> Outcome:
    key, name, owner = (here.captures.get(one.strip("{}"), "") for one in (recipe.key, recipe.name, recipe.owner))
    owner = owner.rpartition(".")[2]
    if not (_NAME.match(name) and _NAME.match(owner) and key):
        return Refusal("the log does not say which class refuses which name")
    takes = _takes(here.tree, owner, name)
    if isinstance(takes, Refusal):
        return takes
    if takes:
        return Refusal(f"{owner} takes {name}")
    whole = f"{key}.{name}"
    passing = [(one, word) for one in here.concerned for word in one.program if key_of(word.head) == whole]
    if not passing:
        return InPlace(f"no command of {here.job.id} sets {whole}")
    places = {word.sites[0].key: (word.sites[0], name) for _, word in passing if word.sites}
    places |= _alike(here, key, owner)
    parts = [line_without(here, site, f"{key}.{one}", f"{owner} takes no `{one}`") for site, one in places.values()]
    whole_patch = together(parts)
    return replace(whole_patch, title=f"Do not set {whole}") if isinstance(whole_patch, Edited) else whole_patch


def _alike(here: Situation, key: str, owner: str) -> dict[tuple[str, int, int], tuple[Site, str]]:
    """What else the commands add below the key that the class does not take: the next run would stop at it."""
    found = {}
    for one in here.concerned:
        for word in one.program:
            place = key_of(word.head)
            name = place.removeprefix(f"{key}.")
            added = word.head.startswith("+") and place != name and bool(_NAME.match(name)) and bool(word.sites)
            if added and _takes(here.tree, owner, name) is False:
                found[word.sites[0].key] = (word.sites[0], name)
    return found


def fields_of(tree: Tree, owner: str) -> frozenset[str] | Refusal:
    """The fields of a dataclass of the repository and of the classes that it is derived from; refused where one of them
    is not to be found, or is found twice."""
    found = classes_of(tree, owner)
    if len(found) != 1:
        return Refusal(f"the tree has {len(found)} classes `{owner}`")
    own = {
        node.target.id
        for node in found[0].body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    for base in found[0].bases:
        name = ast.unparse(base).partition("[")[0].rpartition(".")[2]
        if name in _WITHOUT_FIELDS or (name in _BARE_MODELS and not classes_of(tree, name)):
            continue
        inherited = fields_of(tree, name) if _NAME.match(name) and name != owner else Refusal(f"`{owner}` is computed")
        if isinstance(inherited, Refusal):
            return inherited
        own |= inherited
    return frozenset(own)


def types_of(tree: Tree, owner: str) -> dict[str, str]:
    """The annotations of the class's own fields, by their names."""
    return {name: ast.unparse(node) for name, node in _annotated(tree, owner)}


def _annotated(tree: Tree, owner: str) -> list[tuple[str, ast.expr]]:
    fields = (node for one in classes_of(tree, owner) for node in one.body if isinstance(node, ast.AnnAssign))
    return [(ast.unparse(node.target), node.annotation) for node in fields]


def field_class(tree: Tree, owner: str, parents: Sequence[str]) -> str:
    """The class of the field that the names lead to from `owner`, by the annotations; "" where one leads to none of the
    repository's, or to several. Of classes of one name the one that has the field is meant."""
    for parent in parents:
        fields = [node for name, node in _annotated(tree, owner) if name == parent]
        names = {one.id for node in fields[:1] for one in ast.walk(node) if isinstance(one, ast.Name)}
        if len(fields) != 1:
            return ""
        owners = [name for name in names if name[:1].isupper() and classes_of(tree, name)]
        if len(owners) != 1:
            return ""
        owner = owners[0]
    return owner


def _takes(tree: Tree, owner: str, name: str) -> bool | Refusal:
    """Whether a field or an argument of the class is called so; refused where the tree has no, or several, such classes
    or one that takes everything."""
    found = classes_of(tree, owner)
    if len(found) != 1:
        return Refusal(f"the tree has {len(found)} classes `{owner}`")
    text = ast.unparse(found[0])
    if "**" in text.partition("def __init__")[2].partition(":\n")[0]:
        return Refusal(f"`{owner}` takes every name")
    if re.search(rf"\b{re.escape(name)}\b *[:=,)]", text) is not None:
        return True
    names = [ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in found[0].bases]
    inherited = [_takes(tree, one, name) for one in names if one not in _WITHOUT_FIELDS and one != owner]
    if any(one is True for one in inherited):
        return True
    return next((one for one in inherited if isinstance(one, Refusal)), False)


def classes_of(tree: Tree, name: str) -> list[ast.ClassDef]:
    """The classes of that name in the tree's programs."""
    head = b"class " + name.encode()
    sources = (tree.read(path) for path in tree.paths() if path.endswith(".py"))
    nodes = (node for source in sources if head in source for node in python_nodes(source))
    return [node for node in nodes if isinstance(node, ast.ClassDef) and node.name == name]


def _has_part(data: bytes, path: str) -> bool:
    return any(one.endswith(posixpath.basename(path).encode()) for one in _PARTS.findall(data))


def line_without(here: Situation, site: Site, key: str, why: str) -> Outcome:
    """The line that holds the override and nothing else goes."""
    data = here.tree.read(site.path) if site.path in here.tree else b""
    first, last = line_start(data, site.start), line_end(data, site.end)
    line = data[first:last].strip()
    where = f"{site.path}:{site.line}"
    bare = line.removesuffix(b"\\").strip().strip(b"\"'")
    alone = site.kind in (SiteKind.LITERAL, SiteKind.ASSIGN) and key_of(bare.decode("utf-8", "replace")) == key
    goes_on = line.endswith(b"\\") or not data[:first].rstrip().endswith(b"\\")
    if not alone or b" " in bare or not goes_on or here.job.path == site.path:
        return Words(f"remove `{key}` at {where}: {why}")
    edit = Edit(site.path, first, line_after(data, last), b"", why)
    before = _kept_before(data, first)
    made = Edited((edit,), (site.path,), (Expectation("line", before, here.target.job, site.path),))
    unused = [_assignment(here.tree, data, site.path, found) for found in _VARIABLE.findall(bare)]
    edits = (edit, *(one for one in unused if one is not None))
    return replace(made, edits=edits, title=f"Do not set {key}", blast_radius=blast_radius(here, (site,)))


def _kept_before(data: bytes, first: int) -> str:
    """The line before, which stays unless it sets the like."""
    lines = [as_promised(line) for line in data[:first].splitlines()]
    return next((line for line in reversed(lines) if line and not line.startswith("+")), "")


def _assignment(tree: Tree, data: bytes, path: str, name: bytes) -> Edit | None:
    """The line that gives the variable its value, where nothing but the override reads it, also where the script is a
    part of another one or has others as parts."""
    if _PARTS.search(data) or any(_has_part(tree.read(one), path) for one in tree.paths() if one.endswith(_SHELL)):
        return None
    used = len(re.findall(rb"(?<!\w)" + name + rb"(?!\w)", data))
    found = re.search(rb"(?m)^" + name + rb"=(?:[^\s;&|`$()\\]*|\$\(\([^()\n]*\)\))[ \t]*(?:#[^\n]*)?\r?\n", data)
    if used != 2 or found is None:
        return None
    return Edit(path, *found.span(), b"", f"nothing else reads {name.decode()}")
