"""No mention, link, image, heading or HTML comes from untrusted text, in anything that triage prints or posts."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest

from tests.attacks.corpus import ATTACKS, hostile
from tests.output.github_markdown import look_at
from tests.output.situations import CONTEXT, mixed
from triage.output import comment, html, markdown, sarif, summary, terminal
from triage.output import json as json_output
from triage.output.plain import plain
from triage.redaction import redacted

every_attack = pytest.mark.parametrize("name", sorted(ATTACKS))
# Words that only attacks hold: as links, in tags and in headings they would be theirs.
OURS = {"Needs you"}


@cache
def markdowns(text: str) -> dict[str, str]:
    result = hostile(text)
    context = replace(CONTEXT, head_sha="f" * 40, base_ref=text, prices=tuple((one.id, text) for one in result.causes))
    posted = comment.render(result, context)
    return {
        "comment": posted,
        "short comment": comment.render(result, context, limit=3000),
        "all passed": comment.all_passed(replace(context, head_sha=text), result),
        "markdown": markdown.render(result),
        "job summary": summary.summary(result, posted, 1 << 20),
    }


@every_attack
def test_markdown_is_only_what_we_wrote(name: str) -> None:
    for form, written in markdowns(ATTACKS[name]).items():
        found = look_at(written)
        assert found.images == [], form
        assert found.html == [], form
        assert found.autolinks == [], form
        hosts = {urlsplit(link).netloc for link in found.links}
        assert hosts <= {"github.com"}, form
        expected = {"comment", "short comment", "all passed"}
        if form in expected:
            assert set(found.headings) <= OURS, form
        else:
            assert all(one.startswith(("triage: ", "The module ", "No cause named: `")) for one in found.headings), form


@every_attack
def test_a_comment_fits_and_its_first_line_is_ours(name: str) -> None:
    for form, written in markdowns(ATTACKS[name]).items():
        if form != "markdown" and form != "job summary":
            assert len(written.encode("utf-16-le", "surrogatepass")) // 2 <= 60_000
            assert not written.startswith("<!--")
        assert written.encode("utf-8"), form
        assert len(written.encode()) <= 1 << 20 or form == "markdown"


@every_attack
def test_nothing_hides_or_reorders(name: str) -> None:
    result = hostile(ATTACKS[name])
    shown = {**markdowns(ATTACKS[name]), "html": html.render(result), "terminal": terminal.render(result, width=100)}
    for form, written in shown.items():
        # U+200B is ours: it stops GitHub's own links.
        rest = set(written) - {"\u200b", "\n"}
        bad = {one for one in rest if unicodedata.category(one) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}}
        assert bad == set(), form


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


ALLOWED_TAGS = frozenset(
    [
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "a",
        "header",
        "h1",
        "p",
        "button",
        "nav",
        "ul",
        "li",
        "main",
        "section",
        "h2",
        "h3",
        "span",
        "div",
        "ol",
        "dl",
        "dt",
        "dd",
        "code",
        "strong",
        "details",
        "summary",
        "footer",
        "script",
        "br",
    ]
)


@every_attack
def test_the_page_holds_no_tag_of_theirs(name: str) -> None:
    page = html.render(hostile(ATTACKS[name]))
    tags = Tags()
    tags.feed(page)
    assert {tag for tag, _ in tags.seen} <= ALLOWED_TAGS
    assert sum(tag == "script" for tag, _ in tags.seen) == 1
    assert sum(tag == "style" for tag, _ in tags.seen) == 1
    for tag, attributes in tags.seen:
        assert not any(one.startswith("on") or one in {"src", "style", "srcset"} for one in attributes), tag
        address = attributes.get("href") or ""
        assert address == "" or address.startswith(("#", "https://github.com/example/train/")), address


@every_attack
def test_machine_output_stays_one_valid_object(name: str) -> None:
    result = hostile(ATTACKS[name])
    assert json.loads(json_output.render(result).encode("utf-8", "replace"))["schema"] == "triage.result/1"
    log = json.loads(sarif.render(result))
    for one in log["runs"][0]["results"]:
        text = one["message"]["text"]
        assert plain(text) == text
        bare = text.replace("\\\\", "").replace("\\[", "").replace("\\]", "")
        assert "[" not in bare
        assert "]" not in bare


def test_secrets_do_not_reach_what_is_posted() -> None:
    token, key = "ghp_" + "a1" * 18, "-----BEGIN RSA PRIVATE KEY-----abc-----END RSA PRIVATE KEY-----"
    signed, basic = "https://store.example/x?sig=abcdefgh123", "https://user:hunter22@host.example/"
    result = redacted(hostile(f"{token} {key} {signed} {basic}"))
    for written in (
        comment.render(result, CONTEXT),
        markdown.render(result),
        html.render(result),
        sarif.render(result),
    ):
        for secret in (token, "BEGIN RSA", "abcdefgh123", "hunter22"):
            assert secret not in written


def test_what_is_ours_is_still_there() -> None:
    """The measures above must not have emptied the comment."""
    found = look_at(comment.render(mixed(), CONTEXT))
    assert found.headings == ["Needs you"]
    assert len(found.links) > 10
    assert any("transfer_queue" in one for one in found.code)
