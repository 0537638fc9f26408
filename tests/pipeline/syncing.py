"""A sync in a process of its own, to be killed: python -m tests.pipeline.syncing DATABASE RUNS"""

import sys
from datetime import timedelta

from tests.histories import REPO, opened
from tests.pipeline.made_up_github import START, busy, diagnose
from triage.pipeline.history import SyncSettings, sync
from triage.pipeline.outcomes import Place

if __name__ == "__main__":
    with opened(sys.argv[1], REPO) as history:
        print("started", flush=True)
        sync(history, busy(int(sys.argv[2])), diagnose, SyncSettings(Place("main")), START, START + timedelta(days=3))
    print("done", flush=True)
