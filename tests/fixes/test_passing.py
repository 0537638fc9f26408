from __future__ import annotations

import pytest

from tests.fixes.test_evaluate import evaluated, job_of, one_step
from triage.fixes.evaluate.passing import Manner, Verdict, pass_through
from triage.model.diagnosis import Facts


@pytest.mark.parametrize(
    ("script", "verdict", "manner", "trailing"),
    [
        ('prog a "$@"', Verdict.ALL, Manner.QUOTED, ()),
        ("prog a $@", Verdict.ALL, Manner.UNQUOTED, ()),
        ('prog "$@" last=1', Verdict.ALL, Manner.QUOTED, ("last=1",)),
        ('prog "$*"', Verdict.ALL, Manner.JOINED, ()),
        ('prog "all: $*"', Verdict.ALL, Manner.JOINED, ()),
        ("prog none", Verdict.NONE, Manner.ABSENT, ()),
        ('prog "$1"', Verdict.NONE, Manner.ABSENT, ()),
        ('A=("$@"); prog "${A[@]}"', Verdict.ALL, Manner.QUOTED, ()),
        ('A=("$@"); prog "${A[@]:1}"', Verdict.ALL, Manner.QUOTED, ()),
        ('A=("$@"); prog "${A[@]:5}"', Verdict.NONE, Manner.ABSENT, ()),
        ('A=("$@"); prog "${A[@]@Q}"', Verdict.UNKNOWN, Manner.ABSENT, ()),
        ('shift 9 || true; prog "$@"', Verdict.ALL, Manner.QUOTED, ()),
        ('if [ -f x ]; then prog "$@"; else prog dropped; fi', Verdict.SOME, Manner.QUOTED, ()),
        ('f() { prog "$@"; }; f "$@"', Verdict.ALL, Manner.QUOTED, ()),
        ('set -- new "$@"; prog "$@"', Verdict.ALL, Manner.QUOTED, ()),
        ("set -- new; prog $@", Verdict.NONE, Manner.ABSENT, ()),
        ('exec bash inner.sh "$@"', Verdict.ALL, Manner.QUOTED, ()),
        ('for a in "$@"; do args+=("$a"); done; prog "${args[@]}"', Verdict.ALL, Manner.QUOTED, ()),
        ('prog "$@" 2>&1 | tee log', Verdict.ALL, Manner.QUOTED, ()),
        ('eval "$(hidden)"', Verdict.UNKNOWN, Manner.ABSENT, ()),
        ("other things", Verdict.UNKNOWN, Manner.ABSENT, ()),
    ],
)
def test_whether_and_how_an_argument_arrives(
    script: str, verdict: Verdict, manner: Manner, trailing: tuple[str, ...]
) -> None:
    tree = one_step("A=1 bash s.sh first 2>&1 | tee log", {"s.sh": script, "inner.sh": 'prog "$@"\n'})
    job = job_of(tree)
    call = next(one for one in evaluated(tree).invocations if len(one.calls) > 1).calls[0]
    found = pass_through(tree, job, call, Facts(), lambda one: one.program[0].text == "prog")
    assert (found.verdict, found.manner, found.trailing) == (verdict, manner, trailing)


def test_a_program_called_directly_takes_its_argument() -> None:
    tree = one_step("python3 -m train a=1")
    (invocation,) = evaluated(tree).invocations
    found = pass_through(tree, job_of(tree), invocation.calls[0])
    assert (found.verdict, found.manner) == (Verdict.ALL, Manner.DIRECT)
