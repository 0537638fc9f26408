"""Ctrl-C, as the terminal sends it, to a process that is in the middle of its transfers."""

import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.github.worlds import REPO, TOKEN, make_world
from triage.demo.server import Server, slow

PROGRAM = """
import sys
import signal
from pathlib import Path
from triage.github import Options, connect

# A shell that runs the tests in the background lets its children ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
with connect(sys.argv[1], sys.argv[2], sys.argv[3], options=Options(cache_folder=Path(sys.argv[4]))) as github:
    jobs = github.jobs(github.run(4200))
    print("started", flush=True)
    for job, log in github.fetch_logs(jobs):
        print(job.id)
"""


def test_ctrl_c_ends_at_once_and_leaves_nothing(tmp_path: Path) -> None:
    with Server(make_world(failed=6)) as server:
        server.inject(slow("blob", 20, times=99))
        command = [sys.executable, "-c", PROGRAM, REPO, server.api_url, TOKEN, str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline() == "started\n"
            while "blob" not in server.calls:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            started = time.monotonic()
            process.wait(30)
            assert time.monotonic() - started < 10
            said = process.stderr.read()
        assert "KeyboardInterrupt" in said
        assert TOKEN not in said
        assert "sig=" not in said
    assert list(tmp_path.rglob("*.part")) == []
