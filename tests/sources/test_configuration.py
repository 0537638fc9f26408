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
        (b"minimum_n = [", "somewhere/triage.toml: not valid TOML"),
        (b"\xff", "somewhere/triage.toml: not valid TOML"),
        (b"minimum = 3", "somewhere/triage.toml:1: unknown key `minimum`; `minimum_n` was meant? The README"),
        (b'\nminimum_n = "3"', "triage.toml:2: `minimum_n` must be a whole number. The README"),
        (b"minimum_n = 0", "`minimum_n` must be 1 or more."),
        (b"minimum_n = " + b"9" * 30, "`minimum_n` must be at most 100000."),
        (
            b"[[runners]]\nlabel = 'x'\nprice = inf",
            "triage.toml:3: `price` of entry 1 of `runners` must be at most 100000.",
        ),
        (b"[[runners]]\nlabel = 'x'\nprice = 1e400", "`price` of entry 1 of `runners` must be at most 100000."),
        (b"[[runners]]\nlabel = 'x'\ngpus = 9999999999999", "`gpus` of entry 1 of `runners` must be at most 100000."),
        (b"\xef\xbb\xbf\nminimum = 3", "triage.toml:2: unknown key `minimum`"),
        (b'leave_out = "docs"', "`leave_out` must be a list."),
        (b"[owners]\nrollout = 3", "triage.toml:2: `owners.rollout` must be text."),
        (b'[rerun]\nper_sha = 1\nenabled = "yes"', "triage.toml:3: `rerun.enabled` must be true or false."),
        (b"[rerun]\nenable = true", "triage.toml:2: unknown key `enable` in `rerun`; `enabled` was meant?"),
        (
            b'[[runners]]\nlabel = "x"\n[[runners]]\ngpus = -1\nprice = "x"',
            (
                "triage.toml:3: `label` of entry 2 of `runners` is missing; "
                "somewhere/triage.toml:4: `gpus` of entry 2 of `runners` must be 0 or more; "
                "somewhere/triage.toml:5: `price` of entry 2 of `runners` must be a number."
            ),
        ),
        (b"runners = [{gpus = 1}]", "triage.toml:1: `label` of entry 1 of `runners` is missing."),
        (
            b"[[known_issues]]\nsignature = 'a'\nurl = 'u'\nuntil = 'soon'",
            "`until` of entry 1 of `known_issues` must be a day such as 2026-12-31.",
        ),
        # Where a text of several lines may hold what looks like a key, no line is named.
        (b"leave_out = ['''\nminimum_n = 3\n''']\nminimum_n = 0", "triage.toml: `minimum_n` must be 1 or more."),
    ],
)
def test_a_fault_names_the_file_the_line_and_the_key_in_plain_words(raw: bytes, said: str) -> None:
    with pytest.raises(ConfigurationError) as fault:
        decode_configuration(raw, "somewhere/triage.toml")
    assert "somewhere/triage.toml" in str(fault.value)
    assert said in str(fault.value)
    assert "nput should" not in str(fault.value)


def test_a_byte_order_mark_is_no_key() -> None:
    assert decode_configuration(b"\xef\xbb\xbfminimum_n = 3", "x").minimum_n == 3


def test_a_missing_file_is_a_one_line_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="--config"):
        read_configuration(tmp_path / "absent.toml")
