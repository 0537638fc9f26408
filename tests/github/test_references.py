import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.errors import UsageError
from triage.github import RunReference, parse_reference

CASES = {
    "42": RunReference(run=42),
    "  42\n": RunReference(run=42),
    "example/train#12": RunReference(pull=12, repo="example/train"),
    "https://github.com/example/train": RunReference(repo="example/train", host="github.com"),
    "https://github.com/example/train.git": RunReference(repo="example/train", host="github.com"),
    "https://github.com/example/train/actions/runs/42": RunReference(42, repo="example/train", host="github.com"),
    "github.com/example/train/actions/runs/42/": RunReference(42, repo="example/train", host="github.com"),
    "<https://github.com/example/train/actions/runs/42?pr=7>": RunReference(
        42, repo="example/train", host="github.com"
    ),
    "https://github.com/example/train/actions/runs/42/workflow": RunReference(
        42, repo="example/train", host="github.com"
    ),
    "https://github.com/example/train/actions/runs/42/attempts/3": RunReference(
        42, 3, repo="example/train", host="github.com"
    ),
    "https://github.com/example/train/actions/runs/42/job/77#step:5:12": RunReference(
        42, job=77, repo="example/train", host="github.com"
    ),
    "https://github.com/example/train/actions/runs/42/attempts/2/job/77": RunReference(
        42, 2, 77, repo="example/train", host="github.com"
    ),
    "https://github.com/example/train/runs/77?check_suite_focus=true": RunReference(
        job=77, repo="example/train", host="github.com"
    ),
    "https://github.com/example/train/pull/12/checks?check_run_id=77": RunReference(
        job=77, pull=12, repo="example/train", host="github.com"
    ),
    "https://github.com/example/train/pull/12/files": RunReference(pull=12, repo="example/train", host="github.com"),
    "https://api.github.com/repos/example/train/actions/runs/42/jobs": RunReference(
        42, repo="example/train", host="github.com"
    ),
    "https://git.example/api/v3/repos/example/train/actions/jobs/77/logs": RunReference(
        job=77, repo="example/train", host="git.example"
    ),
    "http://127.0.0.1:8080/example/train/actions/runs/42": RunReference(
        42, repo="example/train", host="127.0.0.1:8080"
    ),
    "https://user:secret@github.com/example/train/actions/runs/42": RunReference(
        42, repo="example/train", host="github.com"
    ),
}


@pytest.mark.parametrize(("text", "reference"), CASES.items(), ids=range(len(CASES)))
def test_what_people_paste(text: str, reference: RunReference) -> None:
    assert parse_reference(text) == reference


@pytest.mark.parametrize(
    "text",
    ["", "main", "-1", "4.2", "example/train", "ftp://github.com/example/train", "https://github.com/", "²",
     "https://github.com/example/train/actions/runs/x", "https://[bad/example/train", "1" * 30,
     "https://github.com/example/train/issues/1/../actions/runs/42"],
)  # fmt: skip
def test_anything_else_is_refused_with_a_remedy(text: str) -> None:
    if text == "example/train":
        # Looks like a host with a path, and names nothing there.
        text = "example/train/x/y"
    with pytest.raises(UsageError) as refused:
        parse_reference(text)
    assert "URL" in refused.value.remedy


@given(st.text(max_size=200) | st.from_regex(r"https://[a-z.]{1,9}/[a-z/0-9?#&=%]{0,60}", fullmatch=True))
def test_every_text_is_understood_or_refused(text: str) -> None:
    try:
        found = parse_reference(text)
    except UsageError:
        return
    assert found.run >= 0
    assert found.repo.count("/") in (0, 1)


@given(st.integers(1, 10**18), st.integers(0, 999), st.integers(0, 10**18))
def test_a_made_address_comes_back(run: int, attempt: int, job: int) -> None:
    address = f"https://github.com/example/train/actions/runs/{run}"
    address += f"/attempts/{attempt}" if attempt else ""
    address += f"/job/{job}" if job else ""
    assert parse_reference(address) == RunReference(run, attempt, job, 0, "example/train", "github.com")


@pytest.mark.parametrize("text", ["0", "00", "https://github.com/example/train/actions/runs/0", "example/train#0"])
def test_nothing_has_the_number_0(text: str) -> None:
    with pytest.raises(UsageError, match="names no run"):
        parse_reference(text)
