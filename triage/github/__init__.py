"""The only network: runs, logs, trees, comments and pull requests of one GitHub repository, as our own values.

`connect("owner/name")` gives a `GitHub`. Nothing of PyGithub or requests leaves this package.
"""

from triage.github.adapter import GitHub, Options, connect
from triage.github.auth import AppKey
from triage.github.hosts import resolve_api_url
from triage.github.pace import Limits
from triage.github.references import RunReference, parse_reference
from triage.github.replies import ApiError
from triage.github.runs import RunFilter

__all__ = [
    "ApiError",
    "AppKey",
    "GitHub",
    "Limits",
    "Options",
    "RunFilter",
    "RunReference",
    "connect",
    "parse_reference",
    "resolve_api_url",
]
