import json
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest

from triage.errors import GitHubError
from triage.github.replies import (
    LONGEST_WAIT,
    Again,
    Decision,
    Refuse,
    Reply,
    Take,
    Wait,
    allowance_in,
    decide,
    error,
    message_of,
)

SECONDARY = "You have exceeded a secondary rate limit."
DATE = "Wed, 04 Mar 2026 05:06:07 GMT"
NOW = int(datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC).timestamp())


def reply(status: int, message: str = "", **headers: str) -> Reply:
    return Reply(status, {k.replace("_", "-"): v for k, v in headers.items()}, json.dumps({"message": message}))


@pytest.mark.parametrize(
    ("answer", "tries", "decision"),
    [
        (reply(200), 1, Take()),
        (reply(304), 1, Take()),
        (reply(302), 1, Take()),
        (reply(404), 1, Refuse()),
        (reply(410), 1, Refuse()),
        (reply(403, "Resource not accessible", x_ratelimit_remaining="4000"), 1, Refuse()),
        (reply(502), 1, Again()),
        (reply(503), 3, Again()),
        (reply(403, retry_after="7"), 1, Wait(7.0, "rate limit")),
        (reply(429, retry_after="0"), 1, Wait(1.0, "rate limit")),
        (reply(403, SECONDARY), 1, Wait(60.0, "secondary rate limit")),
        (reply(403, SECONDARY), 2, Wait(120.0, "secondary rate limit")),
        (reply(429), 1, Wait(60.0, "secondary rate limit")),
        (reply(429, retry_after="soon"), 1, Wait(60.0, "secondary rate limit")),
        (
            reply(403, x_ratelimit_remaining="0", x_ratelimit_reset=str(NOW + 30), date=DATE),
            1,
            Wait(31.0, "the hour's requests are used up"),
        ),
        (
            reply(429, x_ratelimit_remaining="0", x_ratelimit_reset=str(NOW - 30), date=DATE),
            1,
            Wait(1.0, "the hour's requests are used up"),
        ),
        (reply(403, x_ratelimit_remaining="0"), 1, Wait(60.0, "secondary rate limit")),
        (
            reply(429, retry_after=format_datetime(datetime.fromtimestamp(NOW + 20, UTC), usegmt=True), date=DATE),
            1,
            Wait(20.0, "rate limit"),
        ),
        (reply(429, retry_after="Wed, 21 Oct 2015 07:28:00 GMT", date=DATE), 1, Wait(1.0, "rate limit")),
        *((reply(429, retry_after=odd), 1, Wait(60.0, "secondary rate limit")) for odd in ("", "soon", "nan", "1, 2")),
        *((reply(429, retry_after=far), 1, Wait(LONGEST_WAIT, "rate limit")) for far in ("9" * 30, "1e300")),
        (reply(429, retry_after="Fri, 31 Dec 9999 23:59:59 GMT"), 1, Wait(LONGEST_WAIT, "rate limit")),
        (
            reply(403, x_ratelimit_remaining="0.0", x_ratelimit_reset="99999999999", date=DATE),
            1,
            Wait(LONGEST_WAIT, "the hour's requests are used up"),
        ),
        (
            reply(403, "API rate limit exceeded for user ID 1."),
            1,
            Wait(60.0, "the hour's requests are used up"),
        ),
        *((reply(status), 1, Again()) for status in (501, 520, 530, 599)),
    ],
)
def test_what_is_done_with_an_answer(answer: Reply, tries: int, decision: Decision) -> None:
    assert decide(answer, tries) == decision


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (reply(401, "Bad credentials"), ["refuses the token", "GH_TOKEN"]),
        (
            reply(403, "Resource not accessible by integration", x_accepted_github_permissions="actions=read"),
            ["No permission for run 7", "needs: actions=read"],
        ),
        (reply(403, "Must have admin rights", x_accepted_oauth_scopes="repo"), ["scopes: repo"]),
        (reply(403, "This workflow is already running"), ["GitHub refuses run 7 (403: This workflow is"]),
        (reply(404, "Not Found"), ["cannot find run 7", "--repo"]),
        (reply(410, "Server Error"), ["no longer has run 7", "expired"]),
        (reply(502), ["failed at run 7", "repeatedly"]),
        (reply(422, "Validation Failed"), ["did not accept", "Validation Failed", "triage doctor"]),
        (reply(451, "Blocked"), ["may not show run 7", "Blocked", "legal"]),
    ],
)
def test_errors_name_the_thing_and_the_remedy(answer: Reply, says: list[str]) -> None:
    fault = error(answer, "run 7", "GH_TOKEN")
    assert all(part in str(fault) for part in says)
    assert fault.status == answer.status
    assert "\n" not in str(fault)


def test_anonymous_requests_are_told_of_tokens() -> None:
    for status in (401, 403, 404):
        assert "GH_TOKEN" in error(reply(status), "run 7", "").remedy


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("--token", "give another one with --token"),
        ("GITHUB_TOKEN", "set GITHUB_TOKEN anew"),
        ("gh auth token", "run `gh auth login`"),
        ("GitHub App 7", "Check the key of GitHub App 7"),
    ],
)
def test_a_refused_token_is_replaced_where_it_came_from(source: str, says: str) -> None:
    assert says in error(reply(401), "run 7", source).remedy


def test_single_sign_on_is_told_without_the_address_that_holds_a_secret() -> None:
    answer = reply(
        403, "Resource protected by organization SAML enforcement", x_github_sso="required; url=https://x/?a=b"
    )
    remedy = error(answer, "run 7", "GH_TOKEN").remedy
    assert "Configure SSO" in remedy
    assert "http" not in remedy


@pytest.mark.parametrize(
    ("what", "suspects"),
    [
        ("run 42 of example/train", "Check the number and --repo;"),
        ("the repository example/train2", "Check --repo;"),
        ("the runs of example/train", "Check --repo;"),
        ("the runs of the workflow e2e2.yml of example/train", "Check the workflow's name and --repo;"),
    ],
)
def test_what_is_not_found_puts_under_suspicion_only_what_it_names(what: str, suspects: str) -> None:
    assert error(reply(404), what, "GH_TOKEN").remedy.startswith(suspects)


def test_foreign_words_come_on_one_line_without_secrets_and_controls() -> None:
    said = "no\n\x1b[31m \u202e ghp_0123456789abcdefghij at https://store.example/x?sig=abcdef123 " + "x" * 999
    message = message_of(reply(403, said))
    assert "ghp_" not in message
    assert "abcdef123" not in message
    assert len(message) <= 300
    assert message.isprintable()


def test_the_details_of_a_rejection_are_kept() -> None:
    body = {"message": "Validation Failed", "errors": [{"message": "Reference already exists"}, "odd"]}
    assert message_of(Reply(422, {}, json.dumps(body))) == "Validation Failed; Reference already exists"


@pytest.mark.parametrize("text", ["<html>", "", "[1]", "null"])
def test_answers_without_a_message_have_none(text: str) -> None:
    assert message_of(Reply(500, {}, text)) == ""


def test_an_answer_that_is_not_json_is_an_error_with_a_remedy() -> None:
    with pytest.raises(GitHubError, match="not JSON"):
        Reply(200, {}, "<html>").json()


def test_what_is_left_of_the_hour() -> None:
    left = allowance_in(reply(200, x_ratelimit_remaining="12", x_ratelimit_reset=str(NOW)))
    assert left is not None
    assert (left.remaining, left.resets_at) == (12, datetime.fromtimestamp(NOW, UTC))
    assert allowance_in(reply(200)) is None
