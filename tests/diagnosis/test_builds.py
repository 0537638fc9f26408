"""At which instruction an image's build ended, from the text that builders print."""

from __future__ import annotations

import re2

from triage.diagnosis.builds import BUILD_PROBES, build_step_of
from triage.model.diagnosis import BuildStep
from triage.model.log import Line, LogReading, Probed

BUILDKIT = """\
Dockerfile:3
--------------------
   1 |     FROM base
   3 | >>> COPY missing .
--------------------
ERROR: failed to solve: not found
docker/Dockerfile.ci:36
--------------------
  35 |     # Install
  36 | >>> RUN pip install a && \\
  38 | >>>     pip install b
  39 |
--------------------
  12 | >>> nothing of this frame
"""
CLASSIC = """\
Step 1/2 : FROM base
Step 2/2 : RUN pip install a &&     pip install b
The command '/bin/sh -c pip install a &&     pip install b' returned a non-zero code: 1
"""
BUILDAH = """\
STEP 1/2: FROM base
STEP 2/2: RUN make
Error: building at STEP "RUN make": while running runtime: exit status 2
"""


def step(text: str) -> BuildStep | None:
    probed = []
    for number, line in enumerate(text.splitlines(), 1):
        for name, pattern in BUILD_PROBES.items():
            found = re2.search(pattern, line)
            if found:
                probed.append(Probed(name, Line(number, line), found.groupdict()))
    return build_step_of(LogReading("log", 0, 0, probed=tuple(probed)))


def test_the_last_frame_counts_and_its_lines_keep_their_numbers():
    assert step(BUILDKIT) == BuildStep("docker/Dockerfile.ci", {36: "RUN pip install a && \\", 38: "    pip install b"})


def test_builders_without_frames_show_the_instruction():
    assert step(CLASSIC) == BuildStep(text="RUN pip install a &&     pip install b")
    assert step(BUILDAH) == BuildStep(text="RUN make")


def test_the_end_of_a_long_instruction_is_seen():
    long = " &&     ".join(f"make part{at}" for at in range(60))
    text = f"Step 1/1 : RUN {long}\nThe command '/bin/sh -c {long}' returned a non-zero code: 2\n"
    assert step(text) == BuildStep(text=f"RUN {long}")


def test_a_build_that_ended_well_is_none():
    assert step("Step 1/1 : FROM base\nSuccessfully built 0123\n") is None
    assert step("main.py:36\n  36 | >>> x\n") is None
    assert step("Dockerfile:1\n") is None


STAGES = """\
#1 [internal] load build definition from Dockerfile.gpu
#6 [tools 3/14] RUN apt-get update &&     apt-get install -y git
------
 > [tools 3/14] RUN apt-get update &&     apt-get install -y git:
#6 3.9 E: Unable to locate package git
------
"""


def test_the_summary_of_buildkit_names_the_instruction_where_no_frame_follows():
    text = "RUN apt-get update &&     apt-get install -y git"
    assert step(STAGES) == BuildStep("Dockerfile.gpu", text=text, stage="tools", count=3)
    assert step(f"{STAGES}docker/Dockerfile.gpu:17\n") == BuildStep("docker/Dockerfile.gpu", {17: ""}, text, "tools", 3)
    assert step(STAGES.replace("tools ", "")) == BuildStep("Dockerfile.gpu", text=text, count=3)


def test_kaniko_logs_the_instruction_that_it_came_to():
    text = "INFO[0012] RUN apt-get update\nINFO[0014] RUN make\nerror building image: error building stage: exit status 2\n"
    assert step(text) == BuildStep(text="RUN make")
    assert step(text.partition("error")[0]) is None


def test_an_instruction_of_an_unnamed_stage_and_one_that_the_summary_cuts_short():
    failed = '#8 ERROR: process "/bin/sh -c a" did not complete successfully: exit code: 2\n'
    assert step(f"#8 [4/4] RUN a && b\n{failed}") == BuildStep(text="RUN a && b")
    assert step(f"#8 [ 4/14] RUN a && b\n{failed}") == BuildStep(text="RUN a && b")
    assert step(f"#8 [ 4/14] RUN a\n{failed} > [ 4/14] RUN a:\n") == BuildStep(text="RUN a", count=4)
    whole = step(f"#8 [x 4/4] RUN a && b && c\n{failed} > [x 4/4] RUN a && ...:\n")
    assert whole == BuildStep(text="RUN a && b && c", stage="x", count=4)
