"""From tagged sources to the release that lost or got a name."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.exports.changes import gone, since
from tests.exports.history import snapshots

RELEASES = {
    "v1.0.0": {
        "src/kit/__init__.py": "from .core import Ring, load\nfrom .old import thing\n",
        "src/kit/core.py": "import json\nclass Ring: ...\ndef load(): ...\ndef _hidden(): ...\n",
        "src/kit/old.py": "def thing(): ...\n",
        "src/kit/lazy.py": "def __getattr__(name): ...\n",
    },
    "v1.1.0": {
        "src/kit/__init__.py": "from .core import Ring\n_import_structure = {'core': ['Rows']}\n"
        "def __getattr__(name):\n    if name == 'load':\n        return 1\n",
        "src/kit/core.py": "class Ring: ...\nclass Rows: ...\n",
        "src/kit/old/__init__.py": "def thing(): ...\n",
        "src/kit/lazy.py": "def __getattr__(name): ...\n",
    },
    "v1.2.0rc1": {"src/kit/__init__.py": ""},
    "v1.2.1": {
        "src/kit/__init__.py": "from .core import Ring\n_import_structure = {'core': ['Rows']}\n",
        "src/kit/core.py": "try:\n    class Ring: ...\nexcept ImportError:\n    Rows = None\n",
        "src/kit/lazy.py": "def __getattr__(name): ...\n",
    },
}


@pytest.fixture
def history(tmp_path: Path) -> Path:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=example", "-c", "user.email=example@example.com"]
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q")
    for tag, files in RELEASES.items():
        git("rm", "-rqf", "--ignore-unmatch", ".")
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text, encoding="utf-8")
        git("add", "-A")
        git("commit", "-qm", tag)
        git("tag", tag)
    return tmp_path / ".git"


def test_what_went_for_good_has_the_first_release_without_it(history: Path) -> None:
    assert gone(snapshots(history, "src/kit", 2000)) == {
        "kit.core.load": (1, 1, 0),
        "kit.load": (1, 2, 1),
        "kit.old": (1, 2, 1),
        "kit.thing": (1, 1, 0),
    }


def test_what_came_to_stay_has_its_first_release(history: Path) -> None:
    assert since(snapshots(history, "src/kit", 2000)) == {"kit.Rows": (1, 1, 0)}


def test_releases_before_the_first_year_are_left_out(history: Path) -> None:
    assert snapshots(history, "src/kit", 9999) == ()
