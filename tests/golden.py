"""Golden files: `pytest --update-golden` writes what was printed, git shows what changed."""

from pathlib import Path


def check(path: Path, text: str, update: bool) -> None:
    if update:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
