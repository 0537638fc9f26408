import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.golden import check
from tests.output.reports import demo_week, empty_week, hostile_week, priced_week
from triage.model.report import Report, Spent
from triage.output import report_csv, report_html, report_json, report_markdown, report_terminal, report_words

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("report-demo.md", report_markdown.render(demo_week())),
        ("report-priced.md", report_markdown.render(priced_week())),
        ("report-priced.txt", report_terminal.render(priced_week())),
        ("report-demo.txt", report_terminal.render(demo_week(), width=120)),
        ("report-empty.md", report_markdown.render(empty_week())),
        ("report-empty.csv", report_csv.render(empty_week())),
        ("report-empty.json", report_json.render(empty_week())),
    ],
)
def test_golden(name: str, text: str, update_golden: bool) -> None:
    check(GOLDEN / name, text, update_golden)


def test_money_is_what_a_hand_computes() -> None:
    report = priced_week()
    assert {row.signature: (row.hours, row.money) for row in report.costs} == {"gpu-oom": (24.0, 24.0), "": (2.0, 4.5)}
    assert {row.job: (row.gpu_hours, row.money) for row in report.jobs} == {
        "ppo": (16.0, 24.0), "moe": (2.0, 4.5), "npu": (8.0, None),
    }  # fmt: skip
    assert (report.flakes, report.failures) == (Spent(16.0, 24.0), Spent(10.0, 4.5))
    assert (report.flakes.hours + report.failures.hours) == sum(row.hours for row in report.costs)
    assert report.method[-1] == (
        "Cost: GPU-hours lost x the price of a GPU-hour in today's triage.toml (L20x8 1.5 EUR, mi300 2.25 EUR). "
        "Not in it, without a price: a2 npu."
    )


def test_money_is_in_every_form_of_a_priced_report() -> None:
    report = priced_week()
    page = Page(report_html.render(report))
    text = " ".join("".join(page.text).split())
    assert "Flakes cost 16.0 GPU-hours (24.00 EUR), other failures 10.0 GPU-hours (4.50 EUR)." in text
    assert page.text.count("Cost in EUR") == 2
    assert "16.0 GPU-hours (24.00 EUR)" in report_terminal.render(report)
    found = json.loads(report_json.render(report))
    assert found["currency"] == "EUR"
    assert found["prices"] == [{"pool": "L20x8", "price": 1.5}, {"pool": "mi300", "price": 2.25}]
    assert [row["money"] for row in found["costs"]] == [24.0, 4.5]
    assert found["flakes"] == {"hours": 16.0, "money": 24.0}
    rows = list(csv.DictReader(io.StringIO(report_csv.render(report))))
    assert {(row["section"], row["name"]): float(row["value"]) for row in rows if row["measure"] == "cost in EUR"} == {
        ("cause", "gpu-oom"): 24.0, ("cause", "unexplained"): 4.5, ("job", "ppo"): 24.0, ("job", "moe"): 4.5,
        ("lost", "flakes"): 24.0, ("lost", "other failures"): 4.5,
    }  # fmt: skip


def test_without_a_price_there_is_no_money() -> None:
    report = demo_week()
    for text in (report_markdown.render(report), report_html.render(report), report_csv.render(report)):
        assert not re.search(r"(?i)\bcost in\b|>cost<|\| cost \|", text)
    assert not re.search(r'"(?:money|prices|currency)"', report_json.render(report))


@pytest.mark.parametrize("width", [80, 120])
def test_a_terminal_is_not_left_nor_steered(width: int) -> None:
    for report in (demo_week(), priced_week(), hostile_week()):
        text = report_terminal.render(report, width=width)
        assert not set(text) & set("\x1b\u202e\u2066\u200b")
        assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("width", [80, 100, 120])
def test_causes_and_shares_stay_whole_on_a_terminal(width: int) -> None:
    report = demo_week()
    fix = "Lower the longest request that the engine must serve to what fits"
    told = replace(report, prices=priced_week().prices, costs=tuple(replace(row, fix=fix) for row in report.costs))
    text = report_terminal.render(told, width=width)
    assert max(map(len, text.splitlines())) <= width
    for row in told.costs[: report_terminal.ROWS]:
        assert re.search(rf"^{re.escape(row.signature or 'unexplained')} ", text, re.MULTILINE)
    assert not re.search(r"^ *%", text, re.MULTILINE)
    if width == 80:
        assert " ".join(text.split()).count(fix) == len(told.costs)


class Page(HTMLParser):
    """What a browser would see: every start tag with its attributes, and ids."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.stack: list[str] = []
        self.text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "br", "link", "circle", "rect", "line", "polyline", "polygon"):
            self.stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("circle", "rect", "line", "polyline", "polygon"):
            return
        assert self.stack.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.mark.parametrize("report", [demo_week(), empty_week(), hostile_week()], ids=["demo", "empty", "hostile"])
def test_the_page_is_whole_and_needs_nothing_from_outside(report: Report) -> None:
    text = report_html.render(report)
    page = Page(text)
    assert page.stack == []
    assert len(page.all("script")) == 1
    assert len(page.all("style")) == 1
    assert page.all("img") == page.all("link") == page.all("iframe") == []
    for _, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on") or name == "src"]
    assert not re.search(r"@import|url\(", text)
    targets = [str(attributes["href"]) for attributes in page.all("a")]
    assert all(target.startswith(("#", "https://")) for target in targets)
    ids = [str(attributes["id"]) for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {target[1:] for target in targets if target.startswith("#")} <= set(ids)


def test_every_chart_has_a_title_and_every_head_a_scope() -> None:
    page = Page(report_html.render(demo_week()))
    charts = [attributes for attributes in page.all("svg") if attributes.get("role") == "img"]
    assert len(charts) == 6
    assert all(attributes.get("scope") in ("col", "row") for attributes in page.all("th"))
    assert [attributes.get("lang") for attributes in page.all("html")] == ["en"]
    assert len(page.all("h1")) == 1


def test_hostile_text_stays_text_in_html() -> None:
    text = report_html.render(hostile_week())
    assert "<img" not in text
    assert text.count("<script>") == 1
    assert "alert(1)" in text
    assert not set(text) & set("\x1b\u202e\u2066\u200b")


def test_hostile_text_stays_text_in_markdown() -> None:
    text = report_markdown.render(hostile_week())
    html = (
        MarkdownIt("commonmark", {"html": True, "linkify": True})
        .enable(["table", "linkify", "strikethrough"])
        .render(text)
    )
    page = HTMLParser()
    tags: list[tuple[str, dict[str, str | None]]] = []
    page.handle_starttag = lambda tag, attributes: tags.append((tag, dict(attributes)))  # type: ignore[method-assign, assignment]
    page.feed(html)
    assert not {tag for tag, _ in tags} & {"script", "img", "style", "iframe", "h4", "hr"}
    assert [attributes.get("href") for tag, attributes in tags if tag == "a"] == []
    assert not re.search(r"@everyone", re.sub(r"<code>.*?</code>", "", html))
    assert not set(text) & set("\x1b\u202e\u2066")


def test_tables_in_markdown_keep_their_columns() -> None:
    for report in (demo_week(), hostile_week()):
        html = MarkdownIt("commonmark").enable("table").render(report_markdown.render(report))
        for body in re.findall(r"<table>.*?</table>", html, re.DOTALL):
            heads = body.count("<th>")
            assert {row.count("<td>") for row in re.findall(r"<tr>.*?</tr>", body, re.DOTALL)[1:]} <= {heads}


def test_markdown_fits_whatever_there_is_and_names_what_it_leaves_out() -> None:
    many = replace(demo_week(), changes=demo_week().changes * 400, clusters=demo_week().clusters * 900)
    text = report_markdown.render(many)
    assert len(text) <= report_markdown.LIMIT
    assert "*Left out to fit here: What changed." in text
    assert "## Method" in text


def test_json_is_one_object_with_the_rates_spelled_out() -> None:
    found = json.loads(report_json.render(demo_week()))
    assert found["schema"] == "triage.report/1"
    job = next(row for row in found["jobs"] if row["job"] == "grpo_megatron")
    assert job["state"] == "degraded"
    assert job["failing"]["value"] == pytest.approx(job["failing"]["k"] / job["failing"]["n"])
    assert found["costs"][0]["hours"] >= found["costs"][1]["hours"]
    assert json.loads(report_json.render(empty_week()))["jobs"] == []


def test_csv_has_one_figure_a_row_and_no_formula() -> None:
    rows = list(csv.DictReader(io.StringIO(report_csv.render(demo_week()))))
    flake = [row for row in rows if row["section"] == "job" and row["name"] == "ppo_vllm" and row["measure"] == "flake"]
    assert len(flake) == 1
    assert float(flake[0]["value"]) == pytest.approx(int(flake[0]["k"]) / int(flake[0]["n"]))
    hostile = replace(demo_week(), repo="x", jobs=(replace(demo_week().jobs[0], job="=cmd|' /C calc'!A0"),))
    assert "'=cmd" in report_csv.render(hostile)
    # What nobody sees before it makes it no less a formula.
    for unseen in ("\u200b", "\x1b", " ", "\t", "\u202e "):
        hidden = report_csv.render(replace(hostile, jobs=(replace(hostile.jobs[0], job=f"{unseen}=cmd"),)))
        assert ",=cmd" not in hidden
        assert not set(hidden) & set("\x1b\u202e\u200b\t")


def test_three_lines_for_a_chat() -> None:
    first, second, third = report_words.chat_lines(demo_week())
    assert first.startswith("example/train: 2026-11-23 to 2026-11-29: trunk green 8")
    assert "degraded: grpo_megatron" in second
    assert "suspect runner l20-05" in second
    assert third.startswith("dearest: ")
    for line in report_words.chat_lines(hostile_week()):
        assert "\n" not in line
        assert not re.search(r"<|@everyone", line)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(None, "–"), (0, "0 s"), (119, "119 s"), (120, "2 min"), (7199, "119 min"), (7200, "2.0 h"), (200_000, "2.3 d")],
)
def test_times(seconds: int | None, said: str) -> None:
    assert report_words.seconds(seconds) == said


@pytest.mark.parametrize(
    ("share", "said"),
    [(None, "–"), (0.0, "0.0 %"), (0.0004, "<0.1 %"), (0.0512, "5.1 %"), (0.0999, "10 %"), (1.0, "100 %")],
)
def test_shares(share: float | None, said: str) -> None:
    assert report_words.percent(share) == said
