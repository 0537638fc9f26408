import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.pipeline.scrub import scrub


@pytest.mark.parametrize(
    ("line", "scrubbed"),
    [
        ("connect to 192.168.7.21:29500", "connect to 10.0.0.9:29500"),
        ("bind 127.0.0.1 and 0.0.0.0", "bind 127.0.0.1 and 0.0.0.0"),
        ("torch 2.9.0.1 of alice@corp.example", "torch 10.0.0.9 of someone@mail.example"),
        ('File "/home/alice/train.py", line 3', 'File "/home/someone/train.py", line 3'),
        ("/__w/secret/secret/tests/a.py", "/__w/train/train/tests/a.py"),
        ("GET https://files.corp.internal/x", "GET https://files.example/x"),
        ("https://github.com/corp/secret.git", "https://github.com/example/train"),
        ("Runner name: 'gpu-corp-17'", "Runner name: 'gpu-runner-9'"),
        ("step:1 - actor/loss:0.02", "step:1 - actor/loss:0.02"),
    ],
)
def test_what_must_not_be_committed_is_made_up(line: str, scrubbed: str) -> None:
    assert scrub(line) == scrubbed


@given(st.text(max_size=300))
def test_scrubbing_twice_changes_nothing_more(line: str) -> None:
    once = scrub(line)
    assert scrub(once) == once
