"""`triage log` is on the hot path: what it does not need it must not import."""

import json
import subprocess
import sys
from pathlib import Path

HEAVY = [
    *("pandas", "github", "matplotlib", "sqlalchemy", "hydra", "jinja2", "numpy", "requests"),
    # What works out and proves patches: a log without a tree has none.
    *("triage.fixes", "triage.gates", "tree_sitter"),
]

PROGRAM = """
import json, sys
sys.argv = ["triage", *json.loads(sys.argv[1])]
from triage.cli import main
code = main._exit_code()
print(json.dumps({"code": code, "loaded": [name for name in json.loads(sys.stdin.read()) if name in sys.modules]}))
"""


def loaded_after(*arguments: str) -> dict[str, object]:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(arguments)],
        input=json.dumps(HEAVY),
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, object] = json.loads(ran.stdout.splitlines()[-1])
    return found


def test_log_imports_nothing_heavy(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text("ModuleNotFoundError: No module named 'transfer_queue'\n")
    found = loaded_after("log", str(log))
    assert found == {"code": 0, "loaded": []}


def test_help_imports_nothing_heavy() -> None:
    assert loaded_after("--help") == {"code": 0, "loaded": []}
