"""Here-documents: where they end for bash, which command reads them, and scripts that are fed to themselves."""

from __future__ import annotations

import pytest

from tests.fixes.test_evaluate import evaluated
from tests.fixes.test_nested_edits import made, tree_of
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import insert_line, remove_command


def ran(script: str) -> list[str]:
    return [f"{one.system}:{one.command_line}" for one in evaluated(tree_of(script, "sh")).invocations]


@pytest.mark.parametrize("end", ["\tEOF", " EOF", "EOF "])
def test_a_line_that_is_more_than_the_word_ends_none(end: str) -> None:
    """What stands behind it runs in the container, and not in the job."""
    assert ran(f'docker exec -i c bash <<"EOF"\npip a\n{end}\npip b\nEOF\npip d\n') == [
        ":docker exec -i c bash",
        "c:pip a",
        "c:EOF",
        "c:pip b",
        ":pip d",
    ]


@pytest.mark.parametrize(
    "script",
    [
        'bash <<E"O"F\npip $A\nEOF\npip z\n',
        "cat <<EOF\npip a\n\tEOF\npip z\n",
        "cat <<A <<B\npip a\nA\npip b\nB\n",
        "".join(f"cat <<E{at}\npip a\n\tE{at}\npip b\nE{at}\n" for at in range(30)),
    ],
)
def test_text_of_one_that_is_not_understood_is_no_command(script: str) -> None:
    assert not [one for one in ran(f"pip first\n{script}") if one in (":pip a", ":pip b", ":pip z")]
    assert ":pip first" in ran(f"pip first\n{script}")


def test_the_last_one_and_standard_input_alone_are_read() -> None:
    assert ran("bash 3<<EOF\npip a\nEOF\n") == [":bash"]
    assert ran("docker exec -i c bash <<EOF < other.sh\npip a\nEOF\n") == [":docker exec -i c bash", "c:bash"]


@pytest.mark.parametrize(
    "inner", ["bash", "bash <<-EOF\n\tpip b\n\tEOF", "bash -s < x.sh", "{ bash; } < x.sh", "cat | bash"]
)
def test_a_script_from_the_input_is_not_fed_to_itself(inner: str) -> None:
    """What a shell in it reads is the rest of it, or what is not known."""
    found = ran(f"docker exec -i c bash <<'END'\npip a\n{inner}\nEND\npip z\n")
    assert found.count("c:pip a") == 1
    assert found[-1] == ":pip z"


def test_a_script_that_runs_itself_by_its_path_is_followed_so_far() -> None:
    found = ran("#!/bin/bash\n./s.sh\npip z\n")
    assert 1 <= found.count(":pip z") <= 25


def test_a_line_that_ends_in_a_backslash_of_its_own_does_not_go_on() -> None:
    tree = tree_of("pip a \\\\\npip b\npip c\n", "sh")
    call = evaluated(tree).invocations[0].calls[-1]
    assert (
        made(tree, "s.sh", insert_line(tree, call, "pip new", why="")).read("s.sh")
        == b"pip a \\\\\npip new\npip b\npip c\n"
    )
    assert made(tree, "s.sh", remove_command(tree, call, why="")).read("s.sh") == b"pip b\npip c\n"


@pytest.mark.parametrize("rest", [" && pytest", " || pytest", " > log; pytest", " | bash", " \\\n  x && pytest"])
def test_no_other_command_goes_with_one_that_is_removed(rest: str) -> None:
    tree = tree_of(f"pip a{rest}\npip b\n", "sh")
    assert isinstance(remove_command(tree, evaluated(tree).invocations[0].calls[-1], why=""), Refusal)


@pytest.mark.parametrize("rest", ["", " || true", " 2>&1 | tee log", " > log", "  # && pytest", " \\\n  x"])
def test_what_means_nothing_without_it_goes_too(rest: str) -> None:
    tree = tree_of(f"pip a{rest}\npip b\n", "sh")
    edits = remove_command(tree, evaluated(tree).invocations[0].calls[-1], why="")
    assert made(tree, "s.sh", edits).read("s.sh") == b"pip b\n"
