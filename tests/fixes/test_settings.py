"""Where a configuration's file holds variables for its program."""

from __future__ import annotations

from tests.fixes.memory_tree import tree
from triage.fixes.settings.setting import environments

ITEMS = "test_cases:\n  - name: small\n    envs:\n      PORT: 1\n"


def test_what_items_of_a_list_share_stands_before_them() -> None:
    shared = tree({"a.yaml": "_envs: &envs\n  PORT: 1\n" + ITEMS.replace("PORT: 1", "<<: *envs\n      SLOW: 1")})
    assert environments(shared, "a.yaml") == ("_envs",)
    assert environments(tree({"a.yaml": ITEMS}), "a.yaml") == ("test_cases[0].envs",)
