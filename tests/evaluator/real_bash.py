"""Runs a job's scripts under real bash with every program replaced by one that only logs its arguments.

For development: it executes scripts, so it is never part of the product. Only `basename` and `dirname` are real; every
other name ends in `command_not_found_handle`, which writes the arguments down and goes on behind wrappers.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HANDLER = r"""
shopt -u expand_aliases
command_not_found_handle() {
  set +eu
  local -a argv=("$@") inner=()
  local name="${1##*/}" at=1
  case "$name" in
    timeout) while [[ "${argv[at]}" == -* ]]; do case "${argv[at]}" in -k|-s) ((at++));; esac; ((at++)); done; ((at++)) ;;
    nohup|setsid|time) while [[ "${argv[at]}" == -* ]]; do ((at++)); done ;;
    nice) while [[ "${argv[at]}" == -* ]]; do [[ "${argv[at]}" == -n ]] && ((at++)); ((at++)); done ;;
    env|sudo) while [[ "${argv[at]}" == -* ]]; do [[ "${argv[at]}" == -u ]] && ((at++)); ((at++)); done
              while [[ "${argv[at]}" == [A-Za-z_]*=* ]]; do export "${argv[at]}"; ((at++)); done ;;
    uv) at=0
        if [[ "${argv[1]}" == run ]]; then at=2
          while [[ "${argv[at]}" == -* ]]; do
            case "${argv[at]}" in --extra|--with|--group|--package|--python|-p|--with-requirements) ((at++));; esac; ((at++)); done
        fi ;;
    *) at=0 ;;
  esac
  if ((at > 0)); then
    inner=("${argv[@]:at}")
    case "${inner[0]##*/}" in bash|sh) "${inner[@]}"; return 0 ;; esac
  fi
  { printf '%s\0' "$@"; printf '\1\0'; } >> "$TRIAGE_LOG/$BASHPID"
  case "${inner[0]:-$name}" in python|python3) printf '%s\n' "$TRIAGE_DEVICE" ;;
    tee) while IFS= read -r line; do [[ "${argv[-1]}" == "$GITHUB_ENV" ]] && printf '%s\n' "$line" >> "$GITHUB_ENV"; done ;;
    cat) while IFS= read -r line; do :; done ;; esac
  return 0
}
if [[ -n "${TRIAGE_SKIP:-}" ]]; then
  # Files of an image that is not here: their absence would end the step.
  source() { if [[ -f "$1" ]]; then builtin source "$@"; fi; }
fi
command() { if [[ "$1" == -* ]]; then builtin command "$@"; else "$@"; fi; }
"""

REAL = ("basename", "dirname", "bash")


@dataclass(frozen=True, slots=True)
class Ran:
    """The commands in order, each as its list of arguments; whether the script came to its end."""

    commands: list[list[str]]
    succeeded: bool


@dataclass(frozen=True, slots=True)
class Bash:
    """`root` holds a copy of the repository in `tree`, the home folder, the handler and the logs."""

    root: Path
    # Go on where a sourced file is missing.
    skip_missing: bool = False

    @property
    def tree(self) -> Path:
        return self.root / "tree"

    @property
    def home(self) -> Path:
        return self.root / "home"

    def prepare(self) -> None:
        for folder in (self.home, self.root / "bin"):
            folder.mkdir(parents=True, exist_ok=True)
        for name in REAL:
            (self.root / "bin" / name).symlink_to(shutil.which(name) or f"/usr/bin/{name}")
        (self.root / "bin" / "sh").symlink_to(shutil.which("bash") or "/bin/bash")
        (self.root / "handler.sh").write_text(HANDLER)
        for folder, _, _ in os.walk(self.root):
            Path(folder).chmod(0o777)

    def run(
        self, script: bytes, options: Sequence[str], environment: Mapping[str, str], device: str
    ) -> list[list[str]]:
        """The commands that a step's script runs, in order, each as its list of arguments."""
        log, step, exports = self.root / "log", self.root / "step.sh", self.root / "exports"
        # One file a process: the stages of a pipeline log at the same time.
        shutil.rmtree(log, ignore_errors=True)
        log.mkdir()
        log.chmod(0o777)
        exports.write_bytes(b"")
        exports.chmod(0o666)
        step.write_bytes(script)
        given = {
            "HOME": str(self.home),
            **environment,
            "PATH": str(self.root / "bin"),
            "BASH_ENV": str(self.root / "handler.sh"),
            "TRIAGE_LOG": str(log),
            "TRIAGE_DEVICE": device,
            "GITHUB_ENV": str(exports),
            "TRIAGE_SKIP": "1" if self.skip_missing else "",
        }
        bash = shutil.which("bash") or "/bin/bash"
        user = {"user": 65534, "group": 65534} if os.geteuid() == 0 else {}
        ended = subprocess.run(
            [bash, *options, str(step)],
            cwd=self.tree,
            env=given,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=60,
            check=False,
            **user,  # type: ignore[call-overload]
        )
        return Ran(_records(b"".join(one.read_bytes() for one in log.iterdir())), ended.returncode == 0)

    def exported(self) -> dict[str, str]:
        """What the last script wrote to $GITHUB_ENV."""
        lines = (self.root / "exports").read_text(errors="replace").splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)


def _records(log: bytes) -> list[list[str]]:
    records: list[list[str]] = []
    current: list[str] = []
    for part in log.split(b"\0")[:-1]:
        if part == b"\1":
            records.append(current)
            current = []
        else:
            current.append(part.decode("utf-8", "replace"))
    return records
