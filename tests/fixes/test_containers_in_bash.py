"""What is read of a command in a container, against bash itself with a `docker` that runs it in a clean environment."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixes.test_evaluate import evaluated, one_step

DOCKER = """#!/bin/bash
shift
given=()
while [[ $1 == -* ]]; do
  case $1 in
    -e) case $2 in *=*) given+=("$2") ;; *) [ -n "${!2+x}" ] && given+=("$2=${!2}") ;; esac; shift 2 ;;
    *) shift ;;
  esac
done
shift
exec env -i PATH="$PATH" "${given[@]}" "$@"
"""
SAYS = '#!/bin/bash\nprintf "%s" "${0##*/}"; printf "|%s" "$@"; echo\n'
OUTER = [
    "$A",
    "${A}",
    '"$A"',
    "'$A'",
    '"$A b"',
    "'a b'",
    "a\\ b",
    '"\\$A"',
    "\\$A",
    "'\"'",
    '"\'"',
    "$B",
    "*",
    '"$(pip)"',
]
INNER = ["$A", '"$A"', "$B", '"$B"', "a", "'a b'", '"a b"', "${B:-d}", "\\$A", '"\\""', "#", "$((1 + 2))", "é"]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bin")
    for name, text in (("docker", DOCKER), ("pip", SAYS), ("python", SAYS)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return folder


def in_bash(script: str, programs: Path, folder: Path) -> list[str]:
    environment = {"PATH": f"{programs}:{os.environ['PATH']}"}
    ended = subprocess.run(
        ("bash",), input=script, capture_output=True, text=True, env=environment, cwd=folder, check=False
    )
    return [line for line in ended.stdout.splitlines() if "|" in line]


def read(script: str) -> list[str | None]:
    """The programs that are known to run, with their words; None for one of whose words some are not known."""
    found = []
    for one in evaluated(one_step(script)).invocations:
        words = [value.text for value in one.argv]
        if words[0] in ("pip", "python") and not one.substitution:
            found.append(None if None in words else f"{words[0]}|{'|'.join(word or '' for word in words[1:])}")
    return found


def agrees(script: str, programs: Path, folder: Path) -> None:
    """Every program is seen, in order; what is known of its words is what bash gives it."""
    ran, seen = in_bash(script, programs, folder), read(script)
    assert len(seen) == len(ran), (script, seen, ran)
    for known, real in zip(seen, ran, strict=True):
        assert known is None or known == real, script


@settings(max_examples=120, deadline=None)
@given(
    st.lists(st.sampled_from(OUTER), max_size=3), st.sampled_from(["", "-e A", "-e B=2", "-e A=3 -e B", "-i -e B=x"])
)
def test_words_that_the_outer_shell_reads(
    programs: Path, tmp_path_factory: pytest.TempPathFactory, words: list[str], given_: str
) -> None:
    folder = tmp_path_factory.mktemp("work")
    agrees(f"export A=one\ndocker exec {given_} c pip x {' '.join(words)}\n", programs, folder)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(INNER), max_size=3),
    st.lists(st.sampled_from(INNER), max_size=2),
    st.sampled_from(["", "-e A", "-e B=2", "-e A=3 -e B", "-e A='p q'"]),
    st.sampled_from(["'", '"', "<", "<<"]),
)
def test_scripts_that_the_inner_shell_reads(
    programs: Path,
    tmp_path_factory: pytest.TempPathFactory,
    first: list[str],
    second: list[str],
    given_: str,
    quote: str,
) -> None:
    folder = tmp_path_factory.mktemp("work")
    text = f"pip x {' '.join(first)}\nA=5\npython y {' '.join(second)}"
    if quote == "'":
        text = text.replace("'", "")
        line = f"docker exec {given_} c bash -c '{text}'"
    elif quote == '"':
        line = (
            f'docker exec {given_} c bash -c "{text}"'
            if '"' not in text
            else f'docker exec {given_} c bash -c "{text.replace(chr(34), chr(92) + chr(34))}"'
        )
    else:
        end = "'EOF'" if quote == "<" else "EOF"
        line = f"docker exec -i {given_} c bash <<{end}\n{text}\nEOF"
    ran = in_bash(f"export A=one\n{line}\n", programs, folder)
    if len(ran) == 2:
        seen = read(f"export A=one\n{line}\n")
        assert not seen or len(seen) == len(ran), (line, seen, ran)
        for known, real in zip(seen, ran, strict=False):
            assert known is None or known == real, line
