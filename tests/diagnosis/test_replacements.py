"""What an install put in the place of another release, and what drew it in."""

from __future__ import annotations

import pytest
import re2

from triage.diagnosis.replacements import REPLACEMENT_PROBES, replaced_of, retreats_of
from triage.model.diagnosis import Replaced
from triage.model.log import LogReading


def read(log, *lines: str) -> LogReading:  # type: ignore[no-untyped-def]
    probes = {
        **REPLACEMENT_PROBES,
        "installed": r"^Successfully installed (?P<list>\S.*)$",
        "uv_installed": r"^ ?\+ (?P<name>[A-Za-z0-9][\w.-]*)==(?P<version>\S+)$",
    }
    for text in lines:
        line = log.says(text)
        for name, pattern in probes.items():
            if found := re2.compile(pattern).search(text):
                log.probe(line, name, **{key: value or "" for key, value in found.groupdict().items()})
    return log.reading


def test_pip_says_what_was_there_and_what_asked_for_the_other(log):
    reading = read(
        log,
        "Collecting vision==0.20.1 (from -r requirements.txt (line 20))",
        "Collecting torch==2.5.1 (from vision==0.20.1->-r requirements.txt (line 20))",
        "    Found existing installation: torch 2.7.1",
        "    Found existing installation: vision 0.22.1",
        "    Found existing installation: numpy 2.1.0",
        "Successfully installed numpy-2.1 torch-2.5.1 vision-0.20.1",
    )
    assert replaced_of(reading) == (
        Replaced("torch", "2.7.1", "2.5.1", "vision==0.20.1"),
        Replaced("vision", "0.22.1", "0.20.1"),
    )


def test_two_installs_of_one_job_say_it_as_well(log):
    reading = read(log, "Successfully installed torch-2.11.0+cu129 x-1.0", "Successfully installed torch-2.12.1+cu129")
    assert replaced_of(reading) == (Replaced("torch", "2.11.0+cu129", "2.12.1+cu129"),)


@pytest.mark.parametrize(
    "lines",
    [
        (
            "Successfully installed torch-2.11.0",
            "Successfully installed torch-2.12.1",
            "Successfully installed torch-2.11.0",
        ),
        (" - torch==2.8.0", " + torch==2.8.0+cu128"),
        ("    Found existing installation: torch 2.8.0", "no such file"),
        ("Successfully installed torch-2.8.0",),
    ],
)
def test_what_ends_where_it_began_was_not_replaced(log, lines):
    assert replaced_of(read(log, *lines)) == ()


def test_uv_lists_what_went_and_what_came(log):
    reading = read(log, " - tvm-ffi==0.1.10", " + tvm-ffi==0.1.11rc2", " + other==1.0")
    assert replaced_of(reading) == (Replaced("tvm-ffi", "0.1.10", "0.1.11rc2"),)


def test_ever_older_releases_of_one_distribution_are_a_retreat(log):
    reading = read(
        log,
        "  Downloading audio_lib-0.11.0-py3-none-any.whl.metadata (8.7 kB)",
        "  Downloading jitlib-0.61.2-cp312-cp312-manylinux2014_x86_64.whl.metadata (2.8 kB)",
        "  Using cached https://files.test/a/audio_lib-0.10.2.post1-py3-none-any.whl.metadata (8.6 kB)",
        "  Downloading audio_lib-0.9.2.tar.gz (8.2 kB)",
        "Downloading jitlib-0.61.2-cp312-cp312-manylinux2014_x86_64.whl (3.8 MB)",
    )
    assert retreats_of(reading) == {"audio-lib": ("0.11.0", "0.10.2.post1", "0.9.2")}


def test_what_is_taken_anew_by_a_later_install_is_none(log):
    reading = read(
        log, "  Downloading wheel-0.38.4-py3-none-any.whl (3 kB)", "  Downloading wheel-0.44-py3-none-any.whl (3 kB)"
    )
    assert retreats_of(reading) == {}
