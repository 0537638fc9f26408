from datetime import date
from pathlib import Path

import pytest

from triage.errors import ConfigurationError
from triage.sources.configuration import decode_configuration, read_configuration

WHOLE = b"""
leave_out = ["docs*"]
signatures = [".github/triage/signatures"]
minimum_n = 20
currency = "EUR"

[owners]
rollout = "@example/rollout"

[[runners]]
label = "L20x8"
platform = "cuda"
gpus = 8
price = 1.2
held_while_queued = true

[[known_issues]]
signature = "nccl-watchdog-timeout"
url = "https://github.com/example/train/issues/7"
until = 2026-12-31
mute = true

[rerun]
enabled = true
per_sha = 1
"""


def test_every_key_is_read() -> None:
    read = decode_configuration(WHOLE, "triage.toml")
    assert (read.runners[0].label, read.runners[0].gpus, read.runners[0].price) == ("L20x8", 8, 1.2)
    assert read.runners[0].held_while_queued
    assert read.known_issues[0].until == date(2026, 12, 31)
    assert read.known_issues[0].mute
    assert read.leave_out == ("docs*",)
    assert read.minimum_n == 20
    assert read.currency == "EUR"
    assert (read.rerun.enabled, read.rerun.per_sha) == (True, 1)
    assert read.owner_of("rollout") == "@example/rollout"
    assert read.owner_of("build") == "build"


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"minimum_n = [", "not valid TOML"),
        (b"\xff", "not valid TOML"),
        (b"minimum = 3", "minimum: extra inputs"),
        (b'minimum_n = "3"', "minimum_n: input should be a valid integer"),
        (b'[[runners]]\nlabel = "x"\ngpus = -1', "runners.0.gpus"),
    ],
)
def test_a_fault_names_the_file_and_the_key(raw: bytes, said: str) -> None:
    with pytest.raises(ConfigurationError) as fault:
        decode_configuration(raw, "somewhere/triage.toml")
    assert "somewhere/triage.toml" in str(fault.value)
    assert said in str(fault.value)


def test_a_missing_file_is_a_one_line_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="--config"):
        read_configuration(tmp_path / "absent.toml")
