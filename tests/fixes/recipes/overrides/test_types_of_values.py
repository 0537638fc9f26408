"""Values of a configuration that are right but for their type."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.patch import Patch, PatchState
from triage.model.recipe import FitType

JOB = ".github/workflows/own.yml"
WORDS = "'fixed' or 'variable'"


def made(text: str, key: str, kind: str, name: str = "cases/own.yaml", more: str = "", choices: str = "") -> Patch:
    run = f"uv run main @ {name}{more}"
    job = f"on: [push]\njobs:\n  train:\n    runs-on: [gpu]\n    steps:\n      - name: Train\n        run: {run}\n"
    held = tree({JOB: job, name: text, "cases/other.yaml": text})
    captures = {"key": key, "kind": kind, "choices": choices}
    return patch(FitType("{key}", "{kind}", "{choices}"), "train", JOB, captures=captures, repository=held)


@pytest.mark.parametrize(
    ("text", "key", "kind", "lines"),
    [
        (
            "a: 1\nsets:\n  path: c4\n  # of it\n  name: en\nb: 2\n",
            "sets",
            "list",
            ["-path: c4", "-# of it", "-name: en", "+- path: c4", "+# of it", "+name: en"],
        ),
        ("data:\n  files: a/b.json\n", "data.files", "list", ["-files: a/b.json", "+files: [a/b.json]"]),
        ('data:\n  files: "a b"  # one\n', "data.files", "list", ['-files: "a b"  # one', '+files: ["a b"]  # one']),
        ("run:\n  name: 12\n", "run.name", "string", ["-name: 12", '+name: "12"']),
        ("run:\n  name: 1e3  # x\n", "run.name", "string", ["-name: 1e3  # x", '+name: "1e3"  # x']),
        (
            "data:\n  fake:\n    type: fixed\n  n: 1\n",
            "data.fake",
            "literal",
            ["-fake:", "-type: fixed", "+fake: fixed"],
        ),
        # In braces.
        ("data:\n  fake: {type: fixed} # one\n", "data.fake", "literal", ["-fake: {type: fixed} # one", "+fake: fixed # one"]),
        ("data: {fake: {type: fixed}, n: 1}\n", "data.fake", "literal", ["-data: {fake: {type: fixed}, n: 1}", "+data: {fake: fixed, n: 1}"]),
        ("data: {files: a, n: 1}\n", "data.files", "list", ["-data: {files: a, n: 1}", "+data: {files: [a], n: 1}"]),
        ("run: {name: 12}\n", "run.name", "string", ["-run: {name: 12}", '+run: {name: "12"}']),
    ],
)  # fmt: skip
def test_yaml(text: str, key: str, kind: str, lines: list[str]) -> None:
    proved = made(text, key, kind, choices=WORDS)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == lines


@pytest.mark.parametrize(
    ("text", "key", "kind", "lines"),
    [
        ('[data]\nfiles = "a"\n', "data.files", "list", ['-files = "a"', '+files = ["a"]']),
        ("name = 12 \n[data]\na = 1\n", "name", "string", ["-name = 12", '+name = "12"']),
        (
            'n = 1\n[data]\nseq = 1\n\n[data.fake]\ntype = "fixed"',
            "data.fake",
            "literal",
            ["-", "-[data.fake]", '-type = "fixed"', '+fake = "fixed"'],
        ),
        (
            '[data]\nseq = 1\n\n[data.fake]\ntype = "fixed"\n\n[b]\nc = 1\n',
            "data.fake",
            "literal",
            ["-", "-[data.fake]", '-type = "fixed"', '+fake = "fixed"'],
        ),
    ],
)
def test_toml(text: str, key: str, kind: str, lines: list[str]) -> None:
    proved = made(text, key, kind, "cases/own.toml", choices=WORDS)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == lines


@pytest.mark.parametrize(
    ("text", "key", "kind", "name"),
    [
        ("sets:\n", "sets", "list", "cases/own.yaml"),  # nothing to make a list of
        ("sets: {a: b}\n", "sets", "list", "cases/own.yaml"),
        ("sets: |\n  a\n", "sets", "list", "cases/own.yaml"),
        ("name:\n  a: b\n", "name", "string", "cases/own.yaml"),
        ("fake:\n  type: other\n", "fake", "literal", "cases/own.yaml"),
        ("fake:\n  type: fixed\n  n: 1\n", "fake", "literal", "cases/own.yaml"),
        ('[fake]\ntype = "fixed"\nn = 1\n', "fake", "literal", "cases/own.toml"),
        ('[data]\n[x]\na = 1\n[data.fake]\ntype = "fixed"\n', "data.fake", "literal", "cases/own.toml"),
        ("files = 3\n", "files", "list", "cases/own.toml"),
    ],
)
def test_words_where_the_value_is_not_told(text: str, key: str, kind: str, name: str) -> None:
    assert made(text, key, kind, name, choices=WORDS).state is PatchState.ADVICE


def test_refused_or_in_place() -> None:
    assert made("sets:\n  - path: c4\n", "sets", "list").state is PatchState.IN_PLACE
    assert made("name: '12'\n", "name", "string").state is PatchState.IN_PLACE
    assert made("a: 1\n", "sets", "list").state is PatchState.REFUSED
    assert made("sets:\n  a: 1\n", "sets", "list", more=" cases/other.yaml").state is PatchState.REFUSED
    assert made("a: &x\n  b: 1\nsets: *x\n", "sets", "list").state is PatchState.REFUSED


@pytest.mark.parametrize("mark", ["&own", "!own"])
def test_a_mapping_with_a_mark_of_its_own_is_left(mark: str) -> None:
    assert made(f"sets: {mark}\n  path: c4\n", "sets", "list").diff == ""
