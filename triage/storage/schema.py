"""The tables, for queries. What creates and changes them is `migrations`; a test holds the two together.

Times are seconds since 1970 UTC as integers: the same arithmetic in both databases, and no time zones to lose.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Integer, MetaData, String, Table

metadata = MetaData()

job_attempts = Table(
    "job_attempts",
    metadata,
    Column("repo", String, primary_key=True),
    Column("job_id", BigInteger, primary_key=True),
    Column("run_id", BigInteger),
    Column("attempt", Integer),
    Column("workflow", String),
    Column("workflow_path", String),
    Column("job", String),
    Column("event", String),
    Column("branch", String),
    Column("on_base", Integer),
    Column("sha", String),
    Column("author", String),
    Column("pull_request", Integer),
    Column("conclusion", String),
    Column("passed", Integer),  # 1, 0, or null: says nothing about the job
    Column("first", Integer),  # 1: the first settled attempt of this job in its run
    Column("later", Integer),  # `passed` of the next settled attempt of this job in its run, null when there is none
    Column("runner", String),
    Column("pool", String),
    Column("platform", String),
    Column("gpus", Integer),
    Column("held", Integer),  # 1: the pool's machines are taken while the job waits
    Column("created", BigInteger),
    Column("started", BigInteger),
    Column("completed", BigInteger),
    Column("day", Integer),
    Column("queue_seconds", Integer),
    Column("run_seconds", Integer),
    Column("step", String),
    Column("log", String),
    Column("log_detail", String),
    Column("signature", String),  # of the first cause, "" when there is none
    Column("family", String),
    Column("unexplained", String),
    Column("unexplained_line", Integer),
    Column("catalogue", String),
    Column("url", String),
)

causes = Table(
    "causes",
    metadata,
    Column("repo", String, primary_key=True),
    Column("job_id", BigInteger, primary_key=True),
    Column("position", Integer, primary_key=True),  # 0: the root that was chosen first
    Column("day", Integer),
    Column("signature", String),
    Column("family", String),
    Column("category", String),
    Column("fingerprint", String),
    Column("line", Integer),
    Column("text", String),
    Column("step", String),
    Column("confidence", String),
)

run_attempts = Table(
    "run_attempts",
    metadata,
    Column("repo", String, primary_key=True),
    Column("run_id", BigInteger, primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("workflow", String),
    Column("event", String),
    Column("branch", String),
    Column("on_base", Integer),
    Column("sha", String),
    Column("conclusion", String),
    Column("passed", Integer),
    Column("completed", BigInteger),
    Column("day", Integer),
)

# What a sync has seen: one row per run as last listed. `read_attempt`, `read_updated`: as last read whole.
runs = Table(
    "runs",
    metadata,
    Column("repo", String, primary_key=True),
    Column("run_id", BigInteger, primary_key=True),
    Column("attempt", Integer),
    Column("updated", BigInteger),
    Column("created", BigInteger),
    Column("conclusion", String),
    Column("completed", Integer),  # 1: GitHub says that the run is over
    Column("read_attempt", Integer),
    Column("read_updated", BigInteger),
    Column("listed", String),  # the run as JSON, so that reading it need not ask for it again
)

# Intervals of creation times whose listing was read to its end.
windows = Table(
    "windows",
    metadata,
    Column("repo", String, primary_key=True),
    Column("start", BigInteger, primary_key=True),
    Column("stop", BigInteger),
    Column("runs", Integer),
    Column("listed_at", BigInteger),
)

fixes = Table(
    "fixes",
    metadata,
    Column("repo", String, primary_key=True),
    Column("id", String, primary_key=True),
    Column("signature", String),
    Column("title", String),
    Column("workflow_path", String),
    Column("job", String),
    Column("state", String),
    Column("proposed", BigInteger),
    Column("recipe", String),
    Column("expectation_kind", String),
    Column("expectation_text", String),
    Column("expectation_program", String),
    Column("expectation_step", Integer),
    Column("merged", BigInteger),
    Column("merge_sha", String),
    Column("pull_request", Integer),
    Column("expires", Integer),  # day since 1970
    Column("owner", String),
)
