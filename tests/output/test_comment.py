from dataclasses import replace
from pathlib import Path

import pytest

from tests.golden import check
from tests.output.github_markdown import look_at
from tests.output.situations import CONTEXT, SITUATIONS, mixed, yours
from triage.model.result import TriageResult
from triage.output import comment, comment_words
from triage.output.marker import Marker, cause_digest, is_worse, read

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", sorted(SITUATIONS))
def test_what_is_posted(name: str, update_golden: bool) -> None:
    check(GOLDEN / f"comment-{name}.md", comment.render(SITUATIONS[name](), CONTEXT), update_golden)


@pytest.mark.parametrize("name", sorted(SITUATIONS))
def test_nobody_is_told_to_merge(name: str) -> None:
    text = comment.render(SITUATIONS[name](), CONTEXT).lower()
    assert not any(word in text for word in ("merge normally", "can merge", "safe to merge", "ready to merge"))


def test_the_first_line_counts_jobs_by_the_gravest_of_their_causes() -> None:
    first = comment.render(mixed(), CONTEXT).split("\n", 1)[0]
    assert (
        first
        == "**9 jobs failed: 3 likely yours, 2 not classified, 1 broken on the base branch, 1 known flake, 1 infrastructure, 1 muted**"
    )


def test_what_needs_the_author_is_open_and_the_rest_is_folded() -> None:
    text = comment.render(mixed(), CONTEXT)
    assert text.index("### Needs you") < text.index("transfer\\_queue") < text.index("<details><summary>Not caused by")
    assert text.index("Not caused by") < text.index("custom all-reduce") < text.index("Could not classify")
    assert "<details open>" not in text


def test_shards_of_a_matrix_are_one_job() -> None:
    found = yours()
    assert comment_words.jobs(found.failures).endswith("×3")
    assert comment_words.jobs(found.failures[:1]).startswith("[`train (1 gpus)`](https://github.com/")


def many(count: int, text: str) -> TriageResult:
    base = yours()
    cause = base.failures[0].diagnosis.causes[0]
    failures, groups, patches = [], [], []
    for number in range(count):
        one = replace(cause, id=f"{cause.id}:{number}", line=replace(cause.line, text=text))
        found = replace(base.failures[0].diagnosis, causes=(one,))
        failures.append(replace(base.failures[0], id=f"job-{number}", diagnosis=found))
        patches.append(replace(base.patches[0], id=f"p{number}", diff=base.patches[0].diff + " context\n" * 200))
        groups.append(replace(base.causes[0], id=one.id, failures=(f"job-{number}",), fixes=(f"p{number}",)))
    return replace(base, failures=tuple(failures), causes=tuple(groups), patches=tuple(patches))


@pytest.mark.parametrize("count", [1, 19, 21, 300])
@pytest.mark.parametrize("text", ["short", "x" * 70_000, "𝕏" * 70_000, "`" * 5000])
def test_however_much_failed_it_fits_and_every_fold_is_closed(count: int, text: str) -> None:
    written = comment.render(many(count, text), CONTEXT)
    assert len(written.encode("utf-16-le")) // 2 <= comment.LIMIT
    assert written.count("<details") == written.count("</details>")
    assert written.encode("utf-8")
    assert written.count("No module") <= comment.ROWS
    assert not look_at(written).html
    if count > comment.ROWS:
        assert "more cause" in written


def test_when_nothing_else_fits_the_verdict_is_left() -> None:
    written = comment.render(mixed(), CONTEXT, limit=900)
    assert written.startswith("**9 jobs failed:")
    assert len(written) <= 900


def test_passing_is_one_line_and_says_what_still_runs() -> None:
    nothing = TriageResult("example/train", triage_version="0.1.0", catalogue_version="a")
    text = comment.all_passed(replace(CONTEXT, pending=3), nothing)
    assert text.startswith("No job has failed at `fffffffff` (12 workflows, 3 of them still running).")


def test_a_marker_comes_back_as_it_was_written() -> None:
    marker = Marker(12, 2, 3, 1_700_000_000, frozenset({cause_digest("a"), cause_digest("b")}), "abc", "0f")
    assert read(f"{marker.line()}\nbody", 12) == marker
    assert read(f"{marker.line()}\r\nbody", 12) == marker
    assert read(f" {marker.line()}\nbody", 12) is None
    assert read(f"body\n{marker.line()}", 12) is None
    assert read(f"{marker.line()}\nbody", 13) is None
    assert is_worse(marker, 3, frozenset({"ffffffff"}))
    assert not is_worse(marker, 3, marker.yours)
    assert not is_worse(marker, 1, frozenset())


def test_a_marker_with_a_hundred_causes_can_still_be_read() -> None:
    marker = Marker(12, 1, 3, 1, frozenset(cause_digest(str(number)) for number in range(100)), "", "0f")
    assert read(marker.line(), 12) is not None
