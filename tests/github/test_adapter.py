from pathlib import Path

import pytest

from tests.github.worlds import options
from triage.errors import UsageError
from triage.github import connect


@pytest.mark.parametrize(
    "repo", ["", "train", "a/b/c", "/train", "example/", "example/train?x=1", "a b/c", "../x/y", "é/x"]
)
def test_what_cannot_be_a_repository_is_refused(repo: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no repository") as refused:
        connect(repo, options=options(tmp_path))
    assert "owner/name" in refused.value.remedy


def test_nothing_is_asked_before_it_is_needed(tmp_path: Path) -> None:
    with connect("example/train", "http://127.0.0.1:9", "t", options=options(tmp_path)) as github:
        assert github.requests_sent == 0
        assert "'t'" not in repr(github.credentials)
