"""Reports read no more than they need: every query of theirs is answered through an index, by day or by key."""

from pathlib import Path

import pytest
from sqlalchemy import text

from tests.histories import empty_history
from triage.storage import aggregates, past, series

QUERIES = {
    name: query
    for module in (aggregates, series, past)
    for name, query in vars(module).items()
    if name.isupper() and isinstance(query, str) and ":repo" in query
}
# Answered from the index alone: the rows themselves are never touched.
COVERED = {"JOB_DAYS", "RUNNERS", "QUEUES", "RUN_DAYS", "SIGNATURE_DAYS"}
VALUES = {"repo": "example/train", "first": 1, "last": 2, "since": 1, "until": 2, "start": 1, "stop": 2, "count": 3,
          "signature": "s", "cause": "c", "pull": 1, "runner": "r", "pool": "p", "workflow": "w", "job": "j"}  # fmt: skip


def plan(query: str, folder: Path) -> list[str]:
    used = {key: value for key, value in VALUES.items() if f":{key}" in query}
    with empty_history("sqlite", folder) as history, history.reading() as connection:
        return [str(row[3]) for row in connection.execute(text("EXPLAIN QUERY PLAN " + query), used)]


def test_there_are_queries_to_look_at() -> None:
    assert {"LOSSES", "RERUN_LOSSES", "STREAKS", "SIGHTINGS", "COMMITS", "EPISODES"} | COVERED <= set(QUERIES)


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_no_table_is_scanned(name: str, tmp_path: Path) -> None:
    steps = plan(QUERIES[name], tmp_path)
    tables = ("job_attempts", "causes", "run_attempts", " j", " c", " r", " b", " e")
    scanned = [step for step in steps if step.startswith("SCAN") and step.removeprefix("SCAN").startswith(tables)]
    # The common table of few branches may be walked; what it is joined to may not.
    assert [step for step in scanned if step not in ("SCAN red", "SCAN results")] == []
    assert any(step.startswith("SEARCH") for step in steps)


@pytest.mark.parametrize("name", sorted(COVERED))
def test_what_is_counted_most_is_answered_from_the_index_alone(name: str, tmp_path: Path) -> None:
    searched = [step for step in plan(QUERIES[name], tmp_path) if step.startswith("SEARCH")]
    assert searched
    assert all("USING COVERING INDEX" in step for step in searched)
    assert all("day>?" in step for step in searched)
