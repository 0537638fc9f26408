from __future__ import annotations

from collections.abc import Iterator

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from triage.fixes.document import splice
from triage.fixes.refusal import Refusal
from triage.fixes.yaml.edits import splice_scalar
from triage.fixes.yaml.nodes import YamlDocument, child, children, parse_yaml
from triage.fixes.yaml.scalars import ScalarMap, map_scalar


def scalars(document: YamlDocument) -> Iterator[yaml.ScalarNode]:
    def walk(node: yaml.Node) -> Iterator[yaml.ScalarNode]:
        if isinstance(node, yaml.ScalarNode):
            yield node
        for one in children(node):
            yield from walk(one)

    if document.root is not None:
        yield from walk(document.root)


def mapped(text: str, *route: str | int) -> tuple[ScalarMap, bytes]:
    document = parse_yaml("w.yml", text.encode())
    assert isinstance(document, YamlDocument)
    node = child(document.root, *route)
    assert isinstance(node, yaml.ScalarNode)
    found = map_scalar(document, node)
    assert isinstance(found, ScalarMap), found
    assert found.text == node.value
    return found, document.data


@pytest.mark.parametrize(
    "text",
    [
        "a: plain text # comment\n",
        "a: 'it''s'\n",
        'a: "tab\\t quote\\" uni\\u00e9 hex\\x41 slash\\/ \\\n  joined"\n',
        "a: plain\n  over\n\n  lines\n",
        "a: 'one\n\n  two  \n  three'\n",
        'a: "one\n  two\n\n\n  three"\n',
        "a: |\n  first\n    deeper\n\n  last\n",
        "a: |-\n  strip\n\n\nb: 1\n",
        "a: |+\n  keep\n\n\nb: 1\n",
        "a: |2\n   led by a blank\n  not\n",
        "a: | # comment\n  text\n",
        "a: >\n  folded\n  together\n\n  apart\n    deeper\n  back\n",
        "a: >-\n  one\n\n\n  two\n",
        "a: >+\n\n  led\n\n",
        "a: |\r\n  crlf\r\n  lines\r\n",
        "a: |\n  no final newline",
        "a: |\nb: 1\n",
        "a: é|\n",
        "a: |\n  ünïcode ✓\n  more\n",
        "a: ''\n",
        "a: ~\n",
    ],
)
def test_every_style_is_traced_to_its_source(text: str) -> None:
    found, data = mapped(text, "a")
    for char, start, end in zip(found.text, found.starts, found.ends, strict=True):
        if char not in " \n" and b"\\" not in data[start:end] and b"''" not in data[start:end]:
            assert data[start:end].decode() == char


STYLES = st.sampled_from([None, "'", '"', "|", ">"])
TEXTS = st.text(alphabet="ab é'\"\\:#-\n\t$", min_size=1, max_size=40)


@settings(max_examples=150, deadline=None)
@given(TEXTS, STYLES, st.integers(2, 9), st.integers(10, 60))
def test_what_yaml_writes_is_traced(text: str, style: str | None, indent: int, width: int) -> None:
    dumped = yaml.dump({"jobs": [{"run": text}]}, default_style=style, indent=indent, width=width, allow_unicode=True)
    document = parse_yaml("w.yml", dumped.encode())
    assert isinstance(document, YamlDocument)
    for node in scalars(document):
        found = map_scalar(document, node)
        assert isinstance(found, ScalarMap), (dumped, node.value)
        assert list(found.starts) == sorted(found.starts)
        assert all(start <= end for start, end in zip(found.starts, found.ends, strict=True))


@settings(max_examples=150, deadline=None)
@given(TEXTS, STYLES, st.integers(0, 40), st.integers(0, 5), st.text(alphabet="xyz'\" :#é", max_size=6))
def test_a_splice_changes_the_decoded_text_as_asked_or_is_refused(
    text: str, style: str | None, at: int, size: int, new: str
) -> None:
    dumped = yaml.dump(
        {"before": 1, "run": text, "zafter": 2}, default_style=style, allow_unicode=True, sort_keys=False
    )
    document = parse_yaml("w.yml", dumped.encode())
    assert isinstance(document, YamlDocument)
    node = child(document.root, "run")
    assert isinstance(node, yaml.ScalarNode)
    start, end = min(at, len(text)), min(at + size, len(text))
    assume("\n" not in text[start:end] and text[start - 1 : start] != "\n" and text[end : end + 1] != "\n")
    assume(not (style in ("|", ">", None) and (not text[:start].strip(" ") or not text[end:].strip(" "))))
    edits = splice_scalar(document, node, start, end, new, why="test")
    if isinstance(edits, Refusal):
        return
    edited = splice(document.data, edits)
    assert isinstance(edited, bytes)
    again = yaml.safe_load(edited)
    assert list(again) == ["before", "run", "zafter"]
    if style in ("'", '"'):
        assert again["run"] == text[:start] + new + text[end:]
