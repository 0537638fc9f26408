"""Issues that triage keeps: one for a purpose, found again by its marker and its author."""

from __future__ import annotations

from triage.errors import GitHubError
from triage.github import decode
from triage.github.client import Client
from triage.github.comments import Comments
from triage.github.replies import UncertainWrite


class Issues:
    def __init__(self, client: Client, repo: str) -> None:
        self._client = client
        self._repo = repo

    def keep(self, marker: str, title: str, body: str) -> str:
        """Edit our open issue that holds `marker`, or open one; returns its address. Raises GitHubError.

        Marker and author must both match: whoever quotes the marker does not get their issue overwritten.
        """
        if marker not in body:
            raise GitHubError("An issue must hold its own marker.")
        number = self._ours(marker)
        if number == 0:
            try:
                return self._send("POST", f"/repos/{self._repo}/issues", {"title": title, "body": body})
            except UncertainWrite:
                number = self._ours(marker)
                if number == 0:
                    raise
        return self._send("PATCH", f"/repos/{self._repo}/issues/{number}", {"title": title, "body": body})

    def _ours(self, marker: str) -> int:
        """The oldest open issue of ours that holds the marker; 0 when there is none."""
        login = Comments(self._client, self._repo).viewer()
        query = {"creator": login, "state": "open", "sort": "created", "direction": "asc"}
        what = f"the issues of {login}"
        for listed in self._client.pages(f"/repos/{self._repo}/issues", what, query):
            one = decode.decoded(decode.issue, listed, what)
            if not one.pull_request and one.author == login and marker in one.body:
                return one.number
        return 0

    def _send(self, verb: str, path: str, body: dict[str, str]) -> str:
        what = "the report's issue"
        return decode.decoded(decode.issue, self._client.write(verb, path, what, body).json(), what).url
