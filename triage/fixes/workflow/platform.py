"""Which accelerator a job runs on, as far as its labels, its image and its container's options say."""

from __future__ import annotations

import re

from triage.fixes.workflow.model import Job
from triage.fixes.yaml.nodes import child, entries, text_of

# The first that is found decides. Words of runner labels, images and devices, not of any one repository.
_SIGNS = (
    ("rocm", re.compile(r"rocm|/dev/kfd|\bmi[23][0-9][0-9]x?\b|\bgfx[0-9]|\bamd\b|amdgpu")),
    ("npu", re.compile(r"\bnpu|ascend|davinci|\b910[bc]\b|\ba[23]b?[0-9]*-[0-9]|\bcann\b")),
    (
        "cuda",
        re.compile(
            r"cuda|\bgpus?\b|nvidia|\b(?:a10g?|a100|h100|h200|h800|h20|b200|l4|l20|l40s?|t4|v100|a6000)(?:x[0-9]+)?\b|\bg[456]\."
        ),
    ),
)
_HOSTED = re.compile(r"ubuntu-(?:latest|[0-9][0-9]\.[0-9][0-9])(?:-arm)?|macos-\S+|windows-\S+")


def job_platform(job: Job) -> str:
    """ "cuda", "rocm", "npu", "cpu", or "" when nothing says."""
    labels = [label.lower() for label in job.labels]
    container = [text_of(job.image).lower(), text_of(job.container_options).lower()]
    for signs in (labels, container, [text.lower() for text in _images(job)]):
        for platform, pattern in _SIGNS:
            if any(pattern.search(sign.replace("_", "-")) for sign in signs):
                return platform
    return "cpu" if labels and all(_HOSTED.fullmatch(label) for label in labels) else ""


def is_hosted(label: str) -> bool:
    """Whether a label is one of GitHub's own machines."""
    return bool(_HOSTED.fullmatch(label.lower()))


def _images(job: Job) -> list[str]:
    """Images that the workflow's environment names, for jobs on runners that are created from one."""
    named = entries(child(job.workflow.node, "env"))
    return [text_of(node) for name, _, node in named if "image" in name.lower()]
