"""Writes what the README shows: `python -m tests.readme`. `tests/test_readme.py` checks that it is still true."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from triage.errors import ExitCode

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PICTURE = ROOT / ".github" / "assets" / "demo.svg"
WIDTH = 80
# As after `pip install .`: whatever else this machine has of what the extras bring is not seen.
_PLAIN = """
import importlib.util, shutil
find_spec, which = importlib.util.find_spec, shutil.which
importlib.util.find_spec = lambda name, *more: None if name == "hydra" else find_spec(name, *more)
shutil.which = lambda name, *more, **named: which(name, *more, **named) if name in ("git", "bash") else None
from triage.__main__ import main
main()
"""

MEANINGS = {
    ExitCode.DONE: "done",
    ExitCode.BUG: "a bug in triage",
    ExitCode.USAGE: "usage or configuration",
    ExitCode.NOTHING_TO_TRIAGE: "nothing to triage",
    ExitCode.GITHUB: "GitHub: the run or its list of jobs cannot be read",
    ExitCode.CATALOGUE: "the catalogue is not valid",
    ExitCode.ALL_EXPLAINED: "with `--exit-status`: every failure has a named cause",
    ExitCode.SOME_UNEXPLAINED: "with `--exit-status`: some failure has none, or only one of low confidence",
    ExitCode.INTERRUPTED: "interrupted",
}


def demo(*, color: bool) -> str:
    """What `triage demo` prints on stdout after a plain installation, as on a terminal of WIDTH columns."""
    ran = subprocess.run(
        [sys.executable, "-c", _PLAIN, "demo"],
        capture_output=True,
        text=True,
        check=True,
        env={**_clean_environment(), "COLUMNS": str(WIDTH), **({"FORCE_COLOR": "1"} if color else {})},
    )
    return ran.stdout


def commands() -> str:
    """A table of the commands, from the command line itself."""
    import typer

    from triage.cli.main import app

    group = typer.main.get_command(app)
    rows = ["| command | does |", "|---|---|"]
    for name, command in sorted(group.commands.items()):  # type: ignore[attr-defined] # a group has commands
        help_text = (command.help or "").strip().split("\n")[0]
        inner = getattr(command, "commands", None)
        choices = "\\|".join(sorted(inner or ()))
        alone = getattr(command, "invoke_without_command", False)
        shown = " ".join(filter(None, (name, f"[{choices}]" if alone else choices)))
        rows.append(f"| `triage {shown}` | {help_text} |")
    return "\n".join(rows)


def exit_codes() -> str:
    return "\n".join(
        ["| code | meaning |", "|---|---|", *(f"| {code.value} | {MEANINGS[code]} |" for code in ExitCode)]
    )


def written() -> str:
    """The README with its generated parts made anew."""
    text = README.read_text(encoding="utf-8")
    first = demo(color=False).split("\nexample/train · ")[0]
    for name, body in (("commands", commands()), ("demo", f"```\n{first.rstrip()}\n```"), ("exit-codes", exit_codes())):
        text = re.sub(
            rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- /{name} -->)", lambda found, body=body: found[1] + body + "\n" + found[2],
            text, flags=re.DOTALL,
        )  # fmt: skip
    return text


def picture() -> str:
    console = Console(record=True, width=WIDTH, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    shown = demo(color=True).split("\n\x1b[1mexample/train · ")[0].rstrip()
    console.print(Text.from_ansi(shown))
    return console.export_svg(title="triage demo", unique_id="triage-demo")


def _clean_environment() -> dict[str, str]:
    import os

    return {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR", "CI"}}


if __name__ == "__main__":
    README.write_text(written(), encoding="utf-8")
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8")
