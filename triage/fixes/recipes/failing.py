"""Which of several commands failed, as far as the log says it: by the commands that a shell traced before the failure,
else by the files of the traceback."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterable, Sequence
from itertools import takewhile

from triage.fixes.evaluate.invocation import Invocation
from triage.model.diagnosis import Facts

# `python a.py` and `python b.py` have one word in common that says nothing.
_TELLS = 2
# Commands that prepare and look: one of them beside others is seldom what failed, and says nothing of where those run.
_PLAIN = frozenset(
    [
        *("apt", "apt-get", "cat", "cd", "chmod", "cp", "curl", "date", "df", "dnf", "du", "echo", "env", "export"),
        *("find", "free", "git", "grep", "ln", "ls", "mkdir", "mv", "nproc", "npm", "nvidia-smi", "printf", "pwd"),
        *("rm", "sed", "set", "sleep", "source", "sudo", "tar", "tee", "test", "touch", "ulimit", "unset", "unzip"),
        *("wget", "which", "yum"),
    ]
)


# Programs of which only these verbs run anything of the repository; the others start, stop and clean up.
_VERBS = {
    "docker": ("build", "buildx", "compose", "exec", "run"),
    "podman": ("build", "exec", "run"),
    "ray": ("job",),
    **dict.fromkeys(("kill", "killall", "pkill", "reboot", "rmdir", "shutdown", "systemctl"), ()),
}


def is_chore(one: Invocation) -> bool:
    """Whether the command only prepares, looks or clears away: nobody reproduces a failure by it."""
    program = _program(one)
    words = [value.text or "" for value in one.program[1:]]
    verb = next((word for word in words if not word.startswith("-")), "")
    return program in _PLAIN or (program in _VERBS and verb not in _VERBS[program])


def may_fail(commands: Sequence[Invocation]) -> tuple[Invocation, ...]:
    """Those that are more than a shell's own, where there are any."""
    return tuple(one for one in commands if _program(one) not in _PLAIN) or tuple(commands)


def _program(one: Invocation) -> str:
    return posixpath.basename((one.program[0].text if one.program else "") or "")


def failing(facts: Facts, commands: Sequence[Invocation]) -> tuple[Invocation, ...]:
    """Those of one place in a script; none where the log does not tell them apart."""
    return _traced(facts.traced, commands) or _in_frames(facts.frames, commands)


def _traced(traced: Sequence[str], commands: Sequence[Invocation]) -> tuple[Invocation, ...]:
    """The last trace that is one of the commands decides, also when it is as much like another one."""
    for text in reversed(traced):
        words = _words(text)
        alike = [_alike(one, words) for one in commands]
        best = max(alike, default=0)
        if best:
            return _of_one_place(one for one, count in zip(commands, alike, strict=True) if count == best)
    return ()


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return []


def _alike(one: Invocation, words: Sequence[str]) -> int:
    """How many words of the program, without its wrappers, stand in the trace, from its first one on; 0: too few."""
    program = [value.text for value in one.program]
    starts = (at for at, word in enumerate(words) if program and word == program[0])
    pairs = (zip(program, words[at:], strict=False) for at in starts)
    count = max((sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], each)) for each in pairs), default=0)
    return count if count >= min(_TELLS, len(program)) else 0


def _in_frames(frames: Sequence[str], commands: Sequence[Invocation]) -> tuple[Invocation, ...]:
    """The outermost file that one of the commands runs."""
    for path in frames:
        found = [one for one in commands if _runs(one, path)]
        if found:
            return _of_one_place(found)
    return ()


def _runs(one: Invocation, path: str) -> bool:
    """Whether the program is given the file, its module, or a folder of tests that holds it."""
    words = [(value.text or "").partition("::")[0] for value in one.program]
    module = one.module.replace(".", "/")
    files = [word for word in words if word.endswith(".py")] + (
        [f"{module}.py", f"{module}/__main__.py"] if module else []
    )
    tests = any(posixpath.basename(word) == "pytest" for word in words)
    folders = [word for word in words if tests and "/" in word and not word.endswith(".py")]
    whole = f"/{path.lstrip('/')}"
    return any(whole.endswith(f"/{_placed(one, word)}") for word in files) or any(
        f"/{_placed(one, word)}/" in whole for word in folders
    )


def _placed(one: Invocation, word: str) -> str:
    return posixpath.normpath(posixpath.join(one.directory or "", word)).lstrip("/")


def _of_one_place(found: Iterable[Invocation]) -> tuple[Invocation, ...]:
    every = tuple(found)
    return every if len({one.calls[-1].key for one in every}) == 1 else ()
