from __future__ import annotations

from pathlib import Path

import pytest

from triage.errors import UsageError
from triage.matching import NoMatch, compile_patterns, explain, parallel, scan, scan_all
from triage.model.log import Match
from triage.model.signature import AllOf, AnyOf, Contains, NoneOf, Regex, Scope, Sequence
from triage.sources.logs import FileLog

OOM = Contains("CUDA out of memory")
LOG = b"""\
starting the worker
[rank0]: CUDA out of memory. Tried to allocate 2 GiB
[rank1]: retrying with a smaller batch
worker 3 exited with code 1
"""


def test_a_match_is_returned_as_it_is(make, held) -> None:
    found = explain(make(OOM), held("x", LOG))
    assert isinstance(found, Match)
    assert found.line.number == 2


@pytest.mark.parametrize(
    ("condition", "failing", "reason", "nearest"),
    [
        (AllOf((OOM, Contains("worker 3 was killed"))), "worker 3 was killed", "no line holds it", 4),
        (AllOf((OOM, Regex("exited with code [1-9]"))), "exited with code", "in another stream", 4),
        (AllOf((OOM, NoneOf((Contains("allocate 2"),)))), "none", "must not be there is", 2),
        (AllOf((NoneOf((Contains("allocate 2"),)), OOM)), "none", "must not be there is", 2),
        (AnyOf((Contains("zzzz"), Contains("qqqq"))), "any", "no line holds it", None),
        (
            Sequence((OOM, Contains("exited with code 7")), 9),
            "sequence",
            "its line 2, contains 'exited with code 7'",
            4,
        ),
        (Sequence((OOM, Contains("starting the worker")), 9), "sequence", "not in order, stream and distance", 1),
    ],
)
def test_the_first_condition_that_fails_is_named(make, held, condition, failing, reason, nearest) -> None:
    found = explain(make(condition), held("x", LOG))
    assert isinstance(found, NoMatch)
    assert failing in found.condition
    assert reason in found.reason
    assert (found.nearest.number if found.nearest else None) == nearest


def test_a_scope_alone_does_not_veto_without_a_job(make, held) -> None:
    assert isinstance(explain(make(OOM, scope=Scope(job=("nope",))), held("x", LOG)), Match)


def logs(folder: Path, count: int) -> list[FileLog]:
    found = []
    for number in range(count):
        path = folder / f"{number}.log"
        path.write_bytes(b"step\n" * number + LOG)
        found.append(FileLog(path.name, path))
    return found


def test_processes_give_what_one_process_gives(make, tmp_path: Path) -> None:
    patterns = compile_patterns([make(OOM)], {"exit": r"exited with code (?P<code>\d)"})
    sources = logs(tmp_path, 4)
    assert scan_all(sources, patterns, processes=2) == tuple(scan(source, patterns) for source in sources)


def test_what_cannot_be_read_or_sent_is_its_own_result(make, held, tmp_path: Path) -> None:
    class Local(held):  # type: ignore[misc, valid-type]
        """Cannot be pickled: it is read in this process."""

    patterns = compile_patterns([make(OOM)], {})
    sources = [*logs(tmp_path, 2), FileLog("gone", tmp_path / "gone"), Local("here", LOG)]
    for processes in (1, 2):
        one, two, gone, here = scan_all(sources, patterns, processes=processes)
        assert isinstance(gone, UsageError)
        assert "gone: cannot be read" in gone.message
        assert [len(found[0].matches) for found in (one, two, here)] == [1, 1, 1]


def test_little_text_starts_no_process(make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_scan_in_processes", lambda *_: pytest.fail("a process was started"))
    assert len(scan_all(logs(tmp_path, 3), compile_patterns([make(OOM)], {}))) == 3


def test_importing_matching_is_light() -> None:
    import subprocess
    import sys

    asked = "import sys, triage.matching; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"pydantic", "yaml", "pandas", "github", "rich", "typer", "sqlalchemy", "multiprocessing", "zipfile"}
    assert not heavy & set(loaded)
