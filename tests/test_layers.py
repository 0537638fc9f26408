"""The rooms and what each may import: DESIGN section 2, held against the code's own import statements."""

import ast
from collections.abc import Iterator
from pathlib import Path

import triage

ROOT = Path(triage.__file__).parent

LAYERS = {
    "redaction": 0,
    "errors": 0,
    "interfaces": 0,
    "model": 0,
    "logs": 1,
    "catalogue": 1,
    "matching": 1,
    "diagnosis": 1,
    "fixes": 1,
    "flakiness": 1,
    "github": 2,
    "sources": 2,
    "gates": 2,
    "storage": 2,
    "output": 2,
    "pipeline": 3,
    "demo": 3,
    "cli": 4,
}
# Siblings that may import each other, with the reason.
ALLOWED_SIBLINGS = {
    ("matching", "logs"),  # matching runs over the blocks that logs cuts
    ("redaction", "errors"),
    ("interfaces", "model"),
    ("demo", "pipeline"),
}


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(ROOT.rglob("*.py")):
        relative = path.relative_to(ROOT)
        if ("repository" not in relative.parts and len(relative.parts) > 1) or relative.stem in LAYERS:
            yield relative.parts[0].removesuffix(".py"), path


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def test_every_room_has_a_layer() -> None:
    assert {room for room, _ in modules()} <= set(LAYERS)


def test_modules_import_only_from_layers_below() -> None:
    wrong = []
    for room, path in modules():
        for name in imports(path):
            parts = name.split(".")
            if parts[0] != "triage" or len(parts) < 2 or parts[1] == room:
                continue
            other = parts[1]
            below = LAYERS[other] < LAYERS[room]
            if not below and (room, other) not in ALLOWED_SIBLINGS and not (LAYERS[room] == LAYERS[other] == 0):
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert wrong == []


def test_layer_zero_needs_only_the_standard_library() -> None:
    import sys

    outside = [
        f"{path.relative_to(ROOT)} imports {name}"
        for room, path in modules()
        if LAYERS[room] == 0
        for name in imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names | {"triage", "__future__"}
    ]
    assert outside == []


def test_modules_stay_rooms_that_one_can_overlook() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for _, path in modules()
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 300
    }
    assert long == {}
