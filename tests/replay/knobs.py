"""Which settings a change turned, read mechanically from the texts before and after: the same reading for a merged
commit and for a patch, so that neither is favoured."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from difflib import SequenceMatcher

from tests.replay.cases import Knob

Token = tuple[str, str, str]

_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_BOUND = r"(?:\s*(?:===?|!=|<=|>=|~=|<|>)\s*[\w.*+!${}-]+\s*,?)"
_REQUIREMENT = re.compile(rf"(?<![\w/.$-])({_NAME})(\[[\w,\s-]*\])?({_BOUND}+)")
_QUOTED = re.compile(
    rf"^[\"']({_NAME})(\[[\w,\s-]*\])?((?:\s*(?:===?|!=|<=|>=|~=|<|>|@)[^\"';]*)?)(?:;[^\"']*)?[\"'],?$"
)
_TABLE = re.compile(rf"^[\"']?({_NAME})[\"']?\s*=\s*(\[?\{{.*)$")
_BARE = re.compile(rf"^({_NAME})(\[[\w,\s-]*\])?$")
_GIT = re.compile(r"(?:git\+)?https?://[\w.@:-]+/[\w.-]+/([\w-]+?)(?:\.git)?(?:@([\w./-]+))?(?=[\"'\s#,&;)]|$)")
_CHECKOUT = re.compile(r"git (?:checkout|reset --hard)\s+(\S+)")
_INSTALL = re.compile(r"\b(?:pip3?|uv pip|uv)\s+(install|uninstall|add)\s+(.*)")
_TOOL = re.compile(rf"\b(?:uvx|pipx run)\s+({_NAME})(@\S+)?")
_FILE = re.compile(r"(?:-r|--requirement)[ =](\S+)")
_ASSIGN = re.compile(r"(?<![\w.+-])([A-Z][A-Z0-9_]{2,})(?::-|=|:\s+)(\$\([^()\n]*\)|[\"']?[^\s\"'}]*)")
_LOWER = re.compile(r"^\s*(?:export |local )?([a-z_][a-z0-9_]*)=[\"']?([^\s\"')]*)")
_DOCKER_ENV = re.compile(r"^\s*(?:ENV|ARG)\s+([A-Za-z_]\w*)[ =](.*)")
_DOTTED = re.compile(r"(?<![\w/.])\+{0,2}([a-z_]\w*(?:\.\w+)+)=(\S*)")
_FLAG = re.compile(r"(?<![\w-])(--[a-zA-Z][\w.-]*)(?:[= :]+(?!-)([^\s\\\"']+))?")
_IMAGE = re.compile(r"^\s*(?:FROM|image:|container:)\s*[\"']?([\w./-]+)(?::([\w.-]+))?")
_ENTRY = re.compile(r"^\s*(?:- )?([\w.-]+):\s*(.*)$")
_PAIR = re.compile(r'(?<!\\)"([a-z][\w.-]*)":\s*"?([\w.+-]+)"?')
_ZERO = re.compile(r"\d+\.\d*0\Z")
_SKIPPED_NAMES = frozenset({"run", "name", "uses", "with", "if", "env", "steps", "id", "python", "pip", "pip3"})


def turned(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> tuple[Knob, ...]:
    """The knobs of every file that differs, in the order of files and names."""
    knobs: set[Knob] = set()
    for path in sorted({*before, *after}):
        old, new = (_text(side.get(path, b"")) for side in (before, after))
        if old != new:
            knobs.update(_turned(path, old, new))
    return tuple(sorted(knobs))


def _text(content: bytes) -> list[str]:
    return content.decode("utf-8", "replace").splitlines()


def _turned(path: str, old: list[str], new: list[str]) -> Iterator[Knob]:
    gone: Counter[Token] = Counter()
    come: Counter[Token] = Counter()
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            gone.update(token for at in range(i1, i2) for token in tokens(path, old, at))
            come.update(token for at in range(j1, j2) for token in tokens(path, new, at))
    lost, won = gone - come, come - gone
    names = dict.fromkeys((kind, name) for kind, name, _ in [*lost, *won])
    for kind, name in names:
        yield Knob(path, kind, name, _value(lost, kind, name), _value(won, kind, name))
    yield from () if names else _reworded(path, old, new)


def _reworded(path: str, old: list[str], new: list[str]) -> Iterator[Knob]:
    """Lines whose settings stay, while their words change: an extra that is chosen, commands that `&&` joins."""
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for before, after in zip(old[i1:i2], new[j1:j2], strict=False) if tag == "replace" else ():
            lost, won = (
                Counter(before.split()) - Counter(after.split()),
                Counter(after.split()) - Counter(before.split()),
            )
            kept = [word for word in before.split() if word in after.split()]
            name = " ".join(kept[:3]) or re.split(r"[\[<>=!~@(:]", before.strip())[0]
            if (lost or won) and not before.lstrip().startswith("#"):
                yield Knob(path, "text", name, " ".join(lost), " ".join(won))


def _value(tokens: Counter[Token], kind: str, name: str) -> str:
    values = [value for own, other, value in tokens if (own, other) == (kind, name)]
    return min(values) if values else ""


def tokens(path: str, lines: list[str], at: int) -> Iterator[Token]:
    """The settings that one line holds. A comment holds none."""
    line = re.sub(r"(^|\s)#(?!egg).*$", "", lines[at]).rstrip().rstrip("\\").rstrip()
    if not line.strip() or line.strip().startswith("//"):
        return
    # Who commits is no requirement, though a bot's name with `[bot]` and an address with `@` look like one.
    readers = () if line.strip().startswith("git config user.") else _readers(path)
    seen = [token for reader in readers for token in reader(line)]
    yield from dict.fromkeys(seen)
    if not seen:
        yield ("command", " ".join(line.split()[:3]), "")


def _readers(path: str) -> tuple[Callable[[str], Iterator[Token]], ...]:
    name = path.rpartition("/")[2]
    if name.endswith((".txt", ".in")):
        return (_requirements,)
    if name.endswith((".toml", ".cfg", ".py")):
        return (_listed, _git)
    if name.endswith((".yml", ".yaml")):
        return (_image, _listed, _installed, _git, _assigned, _dotted, _flags, _entries)
    return (_image, _installed, _git, _assigned, _dotted, _flags, _json)


def _json(line: str) -> Iterator[Token]:
    """Entries of JSON that a script hands to a program as one argument."""
    for name, value in _PAIR.findall(line) if '{"' in line else ():
        yield ("key", name, value)


def _requirements(line: str) -> Iterator[Token]:
    text = line.partition(";")[0].strip()
    found = _REQUIREMENT.match(text) or _BARE.match(text)
    if found:
        yield ("dist", _dist(found[1]), _bound(found.groups()[2] if len(found.groups()) > 2 else ""))
    yield from _git(line)


def _listed(line: str) -> Iterator[Token]:
    for part in re.findall(r"[\"'][^\"']*[\"']", line):
        found = _QUOTED.match(part.strip())
        if found and (found[3] or line.strip().rstrip(",") == part or "install" in line or "[" in line):
            yield ("dist", _dist(found[1]), _bound(found[3]))
    table = _TABLE.match(line.strip())
    if table:
        yield ("dist", _dist(table[1]), _bound(table[2]))


def _installed(line: str) -> Iterator[Token]:
    """Requirements of install commands, and of their continuation lines where they carry a version."""
    command = _INSTALL.search(line)
    if command:
        words = re.split(r"\s+", re.split(r"&&|;|\|", command[2])[0])
        sign = "-" if command[1] == "uninstall" else ""
        for word in words:
            bare = word.strip("\"'")
            found = _REQUIREMENT.match(bare) or _BARE.match(bare)
            if found and not bare.startswith(("-", "http", "git+")) and bare not in ("y", "."):
                bound = found.groups()[2] if len(found.groups()) > 2 else ""
                yield ("dist", sign + _dist(found[1]), _bound(bound))
    else:
        for found in _REQUIREMENT.finditer(line):
            if not found[1].isupper():
                yield ("dist", _dist(found[1]), _bound(found[3]))
    for tool in _TOOL.finditer(line):
        yield ("dist", _dist(tool[1]), tool[2] or "")
    for named in _FILE.finditer(line):
        yield ("file", named[1].strip("\"'"), "")


def _git(line: str) -> Iterator[Token]:
    for found in _GIT.finditer(line):
        if found[2] or "git+" in line or "git clone" in line:
            yield ("dist", _dist(found[1]), f"@{found[2]}" if found[2] else "")
    for found in _CHECKOUT.finditer(line):
        yield ("name", "git checkout", found[1])


def _assigned(line: str) -> Iterator[Token]:
    found = _DOCKER_ENV.match(line)
    if found:
        yield ("name", found[1], found[2].strip("\"' "))
        return
    for one in _ASSIGN.finditer(line):
        yield ("name", one[1], one[2].lstrip("\"'"))
    lower = _LOWER.match(line)
    if lower:
        yield ("name", lower[1], lower[2])


def _dotted(line: str) -> Iterator[Token]:
    for found in _DOTTED.finditer(line):
        yield ("key", found[1], found[2].strip("\"'"))


def _flags(line: str) -> Iterator[Token]:
    for found in _FLAG.finditer(line):
        yield ("flag", found[1], found[2] or "")


def _image(line: str) -> Iterator[Token]:
    found = _IMAGE.match(line)
    if found:
        yield ("image", "image", f"{found[1]}:{found[2] or ''}")


def _entries(line: str) -> Iterator[Token]:
    found = _ENTRY.match(line)
    if found and found[1] not in _SKIPPED_NAMES and not found[2].startswith(("|", ">")):
        yield ("path", found[1], _scalar(found[2]))
    if found and found[1] == "if":
        yield ("path", "if", found[2])
    if found and found[1] == "uses":
        yield ("path", f"uses: {found[2].partition('@')[0]}", found[2].partition("@")[2])


def _scalar(written: str) -> str:
    """Without its quotes, but for a number that ends in a zero: to YAML it is another one without them."""
    bare = written.strip("\"' ")
    return f'"{bare}"' if _ZERO.match(bare) and written.strip() != bare else bare


def _dist(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _bound(text: str | None) -> str:
    return re.sub(r"\s+", "", text or "").rstrip(",")
