"""Takes out of a sample what must not be committed: secrets, addresses, hosts, people's names in paths, mail."""

from __future__ import annotations

import re

from triage.redaction import redact

# Each pattern is linear; what it finds becomes a made-up value of the same shape, so that the line still reads well.
_REPLACED = (
    (re.compile(r"\b(?!127\.0\.0\.1\b|0\.0\.0\.0\b)\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b(?!\.\d)"), "10.0.0.9"),
    (re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}\b"), "someone@mail.example"),
    (re.compile(r"(/(?:home|Users|data/home|fsx|scratch|mnt/home)/)[^/\s'\":]{1,64}"), r"\1someone"),
    (re.compile(r"(/(?:home/runner/work|__w|runner/_work)/)([^/\s'\":]{1,100})/[^/\s'\":]{1,100}"), r"\1train/train"),
    (re.compile(r"(https?://)(?!(?:github\.com|huggingface\.co)\b)[\w.-]{1,253}"), r"\1files.example"),
    (re.compile(r"(github\.com[/:])[\w.-]{1,100}/[\w.-]{1,100}"), r"\1example/train"),
    (re.compile(r"((?:Runner name|Machine name|Hostname|host) {0,8}: {0,8}'?)[\w.-]{1,120}"), r"\1gpu-runner-9"),
    (re.compile(r"\b[0-9a-f]{40}\b"), "0123456789abcdef0123456789abcdef01234567"),
)
_LONGEST = 64 << 10


def scrub(line: str) -> str:
    """One line without secrets, addresses, hosts and names; the same line when it has none."""
    text = redact(line[:_LONGEST])
    for pattern, made_up in _REPLACED:
        text = pattern.sub(made_up, text)
    return text
