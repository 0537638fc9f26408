"""Which installed packages a failure's traceback passes."""

from __future__ import annotations

import pytest

from triage.diagnosis.passed import packages_of, parts_of, traceback_of
from triage.model.log import Frame

SITE = "/opt/env/lib/python3.12/site-packages"
OWN = Frame("/__w/train/train/trainer/losses.py", 9, "step")
LOADER = Frame(f"{SITE}/loaderlib/core.py", 4, "load")
HUB = Frame(f"{SITE}/hublib/get.py", 7, "get")
MODULE = Frame(f"{SITE}/torch/nn/modules/module.py", 1965, "__getattr__")


@pytest.mark.parametrize(
    ("frames", "packages"),
    [
        ((OWN, LOADER, HUB), ("hublib", "loaderlib")),
        ((OWN, LOADER, MODULE), ("loaderlib",)),
        ((LOADER, OWN, HUB, LOADER), ("loaderlib", "hublib")),
        ((LOADER, OWN), ()),
        ((OWN, MODULE), ()),
        ((), ()),
    ],
)
def test_packages_from_the_innermost_frame_outwards(log, frames, packages):
    error = log.says("AttributeError: no such thing")
    log.traceback(error, "AttributeError", frames=frames)
    assert packages_of(log.reading, error) == packages


def test_the_parts_of_the_packages_that_it_passes_are_kept_by_their_names(log):
    error = log.says("AttributeError: no such thing")
    wrapped = Frame(f"{SITE}/controllib/sim_lib/engine.py", 4, "step")
    log.traceback(error, "AttributeError", frames=(OWN, HUB, wrapped))
    assert parts_of(log.reading, error) == {"get", "sim-lib", "engine"}
    assert parts_of(log.reading, None) == frozenset()


def test_of_two_readings_of_one_line_the_one_with_frames_counts(log):
    error = log.says("AttributeError: no such thing")
    log.traceback(error, "AttributeError")
    log.traceback(error, "AttributeError", frames=(OWN, HUB))
    assert traceback_of(log.reading, error).frames == (OWN, HUB)


def test_nothing_is_passed_where_no_line_is_the_evidence(log):
    assert packages_of(log.reading, None) == ()


@pytest.mark.parametrize(
    ("between", "message", "packages"), [(0, "", ("lib",)), (2, "", ("lib",)), (3, "", ()), (0, "no", ())]
)
def test_a_message_of_several_lines_belongs_to_the_traceback_above(log, between, message, packages):
    log.says("Traceback (most recent call last):")
    log.says('  File "/venv/lib/python3.12/site-packages/lib/tokens.py", line 3, in load')
    frames = (Frame("/venv/lib/python3.12/site-packages/lib/tokens.py", 3, "load"),)
    log.traceback(log.says(f"ImportError: {message}"), "ImportError", message, frames=frames)
    for _ in range(between):
        log.says("a line of the message")
    line = log.says("The tokenizer requires the SentencePiece library but it was not found in your environment.")
    assert packages_of(log.reading, line) == packages
