from __future__ import annotations

import pytest

from triage.gates.places import in_untouched

OLD = b"on:\n  push:\n    branches: main\njobs:\n  run-x:\n    strategy:\n      fail-fast: true\n  a:\n broken\n"
NEW = OLD.replace(b" broken", b"    runs-on: gpu\n    step: []")


@pytest.mark.parametrize(
    ("place", "untouched"),
    [
        ("$.on.push.branches", True),
        ("$.jobs['run-x'].strategy", True),
        ("$.jobs.a", False),
        ("$.jobs", False),
        ("$.jobs.b", False),
        ("$.jobs.a.step[3]", False),
    ],
)
def test_a_finding_about_what_stood_there_already_is_nothing_new(place: str, untouched: bool) -> None:
    found = f"own.yml: {place}: is not of type 'array'"
    assert in_untouched(found, {"own.yml": OLD}, {"own.yml": NEW}) is untouched
