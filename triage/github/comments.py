"""Comments of a pull request. Creating one never happens twice because an answer was lost."""

from __future__ import annotations

from triage.errors import GitHubError
from triage.github import decode
from triage.github.client import Client
from triage.github.replies import ApiError, UncertainWrite
from triage.model.run import Comment

MAX_BODY = 65_536
_MINIMISE = """mutation($id: ID!) {
  minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) { minimizedComment { isMinimized } }
}"""
_VIEWER = "query { viewer { login } }"


class Comments:
    def __init__(self, client: Client, repo: str) -> None:
        self._client = client
        self._repo = repo
        self._login = ""

    def list(self, number: int) -> tuple[Comment, ...]:
        """All of them, over all pages, oldest first."""
        what = f"the comments of #{number}"
        path = f"/repos/{self._repo}/issues/{number}/comments"
        return tuple(decode.decoded(decode.comment, one, what) for one in self._client.pages(path, what))

    def create(self, number: int, body: str, marker: str) -> Comment:
        """Posts once. When no answer came, looks for `marker` in our own comments, and posts again only without one.

        `marker` must be part of the body and of no other comment of ours here. Raises GitHubError.
        """
        if marker not in body:
            raise GitHubError("A comment must hold its own marker.")
        try:
            return self._post(number, body)
        except UncertainWrite:
            known = self._ours(number, marker)
            return known if known is not None else self._post(number, body)

    def _post(self, number: int, body: str) -> Comment:
        what = f"a comment on #{number}"
        reply = self._client.write("POST", f"/repos/{self._repo}/issues/{number}/comments", what, {"body": body})
        return decode.decoded(decode.comment, reply.json(), what)

    def _ours(self, number: int, marker: str) -> Comment | None:
        login = self.viewer()
        found = [one for one in self.list(number) if one.author == login and marker in one.body]
        return found[0] if found else None

    def edit(self, comment_id: int, body: str) -> Comment | None:
        """The comment as it is now; None when somebody deleted it meanwhile."""
        what = f"comment {comment_id}"
        try:
            reply = self._client.write(
                "PATCH", f"/repos/{self._repo}/issues/comments/{comment_id}", what, {"body": body}
            )
        except ApiError as fault:
            if fault.status in (404, 410):
                return None
            raise
        return decode.decoded(decode.comment, reply.json(), what)

    def delete(self, comment_id: int) -> None:
        """One that is gone already is as good as deleted."""
        try:
            self._client.write("DELETE", f"/repos/{self._repo}/issues/comments/{comment_id}", f"comment {comment_id}")
        except ApiError as fault:
            if fault.status not in (404, 410):
                raise

    def minimise(self, comment: Comment) -> None:
        """Folds it as outdated. May be repeated."""
        self._client.graphql(_MINIMISE, {"id": comment.node_id}, f"minimising comment {comment.id}")

    def viewer(self) -> str:
        """The login that our comments bear: a person's, or `name[bot]` for Apps and Actions' own token. Asked once."""
        if not self._login:
            self._login = self._ask_login()
        return self._login

    def _ask_login(self) -> str:
        answer = self._client.graphql(_VIEWER, {}, "the name of the token's user")
        login = decode.record(answer.get("viewer"), "the token's user").get("login")
        if not isinstance(login, str) or not login:
            raise GitHubError("GitHub does not say whose token this is.")
        return login
