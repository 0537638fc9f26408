"""How long a report takes, and how much memory: python -m tests.bench.report_scale [ATTEMPTS [WEEKS]]

Writes a made-up history of that many job attempts over that many weeks into an SQLite file, then builds the report in
a fresh process, once over the last week and once over everything, and prints the plans of the queries.
Budget: 1,000,000 attempts within 20 s and 1.5 GB.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from sqlalchemy import insert, text

from triage.storage import aggregates, series
from triage.storage.database import History
from triage.storage.schema import job_attempts, run_attempts

REPO = "example/train"
LAST = 20_787  # 2026-11-30, in days since 1970
JOBS = [(f"workflow_{number // 4}", f"job_{number}", f"pool_{number % 6}") for number in range(60)]
SIGNATURES = [(f"signature-{number}", f"family-{number % 12}") for number in range(80)]


def attempts(count: int, days: int, random: Random) -> Iterator[dict[str, object]]:
    """Twelve jobs a run; every tenth attempt fails, half of those are rerun and mostly pass."""
    job_id = run_id = 0
    while job_id < count:
        run_id += 1
        day = LAST - days + 1 + run_id * 12 * days // count % days
        on_base = int(run_id % 3 == 0)
        for workflow, job, pool in random.sample(JOBS, 12):
            attempt = 1
            failed_before = False
            while True:
                job_id += 1
                failed = random.random() < 0.1
                signature, family = random.choice(SIGNATURES) if failed and random.random() < 0.9 else ("", "")
                rerun = failed and attempt == 1 and random.random() < 0.5
                yield {
                    "repo": REPO, "job_id": job_id, "run_id": run_id, "attempt": attempt, "workflow": workflow,
                    "workflow_path": f".github/workflows/{workflow}.yml", "job": job, "event": "push" if on_base else "pull_request",
                    "branch": "main" if on_base else f"topic-{run_id % 5000}", "on_base": on_base, "sha": f"{run_id:040x}",
                    "author": f"author-{run_id % 90}", "pull_request": 0 if on_base else run_id % 5000,
                    "conclusion": "failure" if failed else "success", "passed": int(not failed),
                    "first": int(attempt == 1), "later": int(random.random() < 0.8) if rerun else None,
                    "runner": f"{pool}-{random.randrange(24)}", "pool": pool, "platform": "cuda", "gpus": 8, "held": 0,
                    "created": day * 86_400 + 100, "started": day * 86_400 + 400, "completed": day * 86_400 + 3000 + job_id % 80_000,
                    "day": day, "queue_seconds": random.randrange(3000), "run_seconds": random.randrange(600, 4000),
                    "step": "Run" if failed else "", "log": "read" if failed else "not-needed", "log_detail": "",
                    "signature": signature, "family": family, "unexplained": "" if signature or not failed else "an odd line",
                    "unexplained_line": 7, "catalogue": "bench" if failed else "", "url": f"https://github.example/{job_id}",
                }  # fmt: skip
                failed_before = failed
                attempt += 1
                if not (rerun and failed_before):
                    break


def fill(path: Path, count: int, days: int) -> None:
    history = History.open(str(path), REPO)
    random = Random(1)
    rows: list[dict[str, object]] = []
    with history.writing() as connection:
        for row in attempts(count, days, random):
            rows.append(row)
            if len(rows) == 20_000:
                connection.execute(insert(job_attempts), rows)
                rows.clear()
        if rows:
            connection.execute(insert(job_attempts), rows)
        connection.execute(
            text(
                "INSERT INTO causes SELECT repo, job_id, 0, day, signature, family, 'flaky', signature, 7, 'a line', 'Run',"
                " 'high' FROM job_attempts WHERE signature <> ''"
            )
        )
        runs = connection.execute(
            text(
                "SELECT repo, run_id, MIN(workflow), MIN(event), MIN(branch), MIN(on_base), MIN(sha), MIN(passed),"
                " MAX(completed), MAX(day) FROM job_attempts GROUP BY repo, run_id"
            )
        ).all()
        names = ("repo", "run_id", "workflow", "event", "branch", "on_base", "sha", "passed", "completed", "day")
        connection.execute(
            insert(run_attempts),
            [
                {**dict(zip(names, run, strict=True)), "attempt": 1, "conclusion": "success" if run[7] else "failure"}
                for run in runs
            ],
        )
        connection.execute(text("ANALYZE"))
    history.close()


def report(path: str, days: int) -> None:
    """In its own process: prints seconds and the peak of memory."""
    from triage.model.history import Period
    from triage.output import report_html, report_markdown
    from triage.pipeline.report import build_report

    started = time.perf_counter()
    history = History.open(path, REPO)
    built = build_report(history, Period(LAST - days + 1, LAST), datetime(2026, 11, 30, tzinfo=UTC))
    built_in = time.perf_counter() - started
    pages = len(report_html.render(built)) + len(report_markdown.render(built))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    taken = time.perf_counter() - started
    print(
        json.dumps(
            {
                "days": days,
                "build_s": round(built_in, 2),
                "all_s": round(taken, 2),
                "cpu_s": round(time.process_time(), 2),
                "peak_MiB": round(peak),
                "characters": pages,
            }
        )
    )


def plans(path: Path) -> None:
    history = History.open(str(path), REPO)
    queries = {
        name: query
        for module in (aggregates, series)
        for name, query in vars(module).items()
        if name.isupper() and isinstance(query, str) and "SELECT" in query and ":repo" in query
    }
    values = {"repo": REPO, "first": LAST - 6, "last": LAST, "since": (LAST - 36) * 86_400, "until": (LAST + 1) * 86_400,
              "signature": "signature-1", "runner": "pool_1-1", "pool": "pool_1", "count": 3, "workflow": "workflow_1",
              "job": "job_4", "start": LAST * 86_400, "stop": LAST * 86_400}  # fmt: skip
    with history.reading() as connection:
        for name, query in sorted(queries.items()):
            used = {key: value for key, value in values.items() if f":{key}" in query}
            print(f"\n{name}")
            for row in connection.execute(text("EXPLAIN QUERY PLAN " + query), used):
                print(f"  {row[3]}")
    history.close()


def main() -> None:
    if sys.argv[1:2] == ["--report"]:
        report(sys.argv[2], int(sys.argv[3]))
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    weeks = int(sys.argv[2]) if len(sys.argv) > 2 else 26
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "history.db"
        started = time.perf_counter()
        fill(path, count, weeks * 7)
        print(
            f"{count:,} attempts over {weeks} weeks: {path.stat().st_size / 1e6:.0f} MB, written in {time.perf_counter() - started:.0f} s"
        )
        for days in (7, weeks * 7):
            subprocess.run([sys.executable, "-m", __spec__.name, "--report", str(path), str(days)], check=True)
        plans(path)


if __name__ == "__main__":
    main()
