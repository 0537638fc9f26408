"""Check runs and their annotations: where GitHub keeps what a dead runner could not log."""

from __future__ import annotations

from collections.abc import Sequence

from triage.github import decode
from triage.github.client import Client
from triage.github.replies import ApiError
from triage.model.run import Annotation, CheckRun, Job

PER_REQUEST = 50
_LEVELS = {"error": "failure", "failure": "failure", "warning": "warning", "notice": "notice"}


class Checks:
    def __init__(self, client: Client, repo: str) -> None:
        self._client = client
        self._repo = repo

    def annotations(self, job: Job) -> tuple[Annotation, ...]:
        """Empty when they may not be read: fine-grained tokens have no such permission, and none of it is vital."""
        what = f"the annotations of job {job.id}"
        path = f"/repos/{self._repo}/check-runs/{job.id}/annotations"
        try:
            return tuple(decode.decoded(decode.annotation, one, what) for one in self._client.pages(path, what, most=5))
        except ApiError as fault:
            if fault.status in (403, 404):
                return ()
            raise

    def of(self, sha: str) -> tuple[CheckRun, ...]:
        what = f"the check runs of {sha[:12]}"
        path = f"/repos/{self._repo}/commits/{sha}/check-runs"
        return tuple(
            decode.decoded(decode.check_run, one, what) for one in self._client.pages(path, what, key="check_runs")
        )

    def create(
        self,
        name: str,
        sha: str,
        conclusion: str,
        title: str,
        summary: str,
        annotations: Sequence[Annotation] = (),
    ) -> CheckRun:
        """A completed check run; needs an App's token. Annotations beyond the first 50 follow in further requests."""
        what = f"check run {name!r}"
        body = {
            "name": name,
            "head_sha": sha,
            "status": "completed",
            "conclusion": conclusion,
            "output": _output(title, summary, annotations[:PER_REQUEST]),
        }
        made = decode.decoded(
            decode.check_run, self._client.write("POST", f"/repos/{self._repo}/check-runs", what, body).json(), what
        )
        for start in range(PER_REQUEST, len(annotations), PER_REQUEST):
            more = {"output": _output(title, summary, annotations[start : start + PER_REQUEST])}
            # GitHub appends annotations, so that a repeated update would show them twice.
            self._client.write("PATCH", f"/repos/{self._repo}/check-runs/{made.id}", what, more, idempotent=False)
        return made


def _output(title: str, summary: str, annotations: Sequence[Annotation]) -> dict[str, object]:
    shown = [
        {
            "path": one.path,
            "start_line": max(one.line, 1),
            "end_line": max(one.line, 1),
            "annotation_level": _LEVELS.get(one.level, "notice"),
            "message": one.message,
            **({"title": one.title} if one.title else {}),
        }
        for one in annotations
    ]
    return {"title": title, "summary": summary, "annotations": shown}
