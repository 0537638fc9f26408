from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.fixes.refusal import Refusal
from triage.fixes.yaml.nodes import YamlDocument, child, content_end, entries, parse_yaml


def parsed(text: str | bytes) -> YamlDocument:
    document = parse_yaml("w.yml", text if isinstance(text, bytes) else text.encode())
    assert isinstance(document, YamlDocument), document
    return document


@pytest.mark.parametrize(
    ("data", "said", "line"),
    [
        (b"a: 1\nb: [1", "not valid YAML", 3),
        (b"a: b: c", "not valid YAML", 1),
        (b"ok: 1\nbad: \xff\n", "not UTF-8", 2),
        (b"a\x00b", "not valid YAML", 0),
        (b"a: 1\n---\nb: 2\n", "not valid YAML", 2),
        (b"[" * 500, "nested more than", 0),
        (b"[" * 200_000, "nest", 0),
        (b"{a: " * 2000, "nested more than", 0),
        (b"? " * 2000, "nested more than", 0),
        (b"# a comment\n" * 100_000, "larger than 1 MiB", 0),
        (b"- [a, b]\n" * 30_000, "more than 50000 nodes", 0),
        (b"a: &x [*x]", "cycle", 0),
        (
            "\n".join(["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40))]).encode(),
            "alias",
            0,
        ),
    ],
)
def test_what_is_no_single_document_is_refused_with_its_line(data: bytes, said: str, line: int) -> None:
    refused = parse_yaml("w.yml", data)
    assert isinstance(refused, Refusal)
    assert said in refused.reason
    assert refused.path == "w.yml"
    if line:
        assert refused.line == line


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=60), st.text(alphabet="ab:-{}[]&*|>'\"# \n\t?!%@`,", max_size=40)))
def test_any_text_parses_or_is_refused(text: str) -> None:
    assert isinstance(parse_yaml("w.yml", text.encode("utf-8", "surrogatepass")), YamlDocument | Refusal)


def test_offsets_count_bytes_behind_bom_and_umlauts() -> None:
    data = b"\xef\xbb\xbf" + "é: über\nkey: value\n".encode()
    document = parsed(data)
    node = child(document.root, "key")
    assert node is not None
    assert data[document.start(node) : document.end(node)] == b"value"


def test_content_ends_before_comments_and_blank_lines() -> None:
    text = "a:\n  - x: 1\n\n  # about the next\n  - y: |\n      last\n\n# end\nb: 2\n"
    document = parsed(text)
    first, second = (child(document.root, "a", at) for at in (0, 1))
    assert first is not None
    assert second is not None
    assert text[: content_end(text, first)].endswith("x: 1")
    assert text[: content_end(text, second)].endswith("last")


def test_merges_come_behind_own_keys_and_shared_nodes_are_known() -> None:
    document = parsed("base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  x: 3\n")
    use = child(document.root, "use")
    assert [(name, node.value) for name, _, node in entries(use)] == [("x", "3"), ("y", "2")]
    assert id(child(document.root, "base")) in document.aliased
    assert id(use) not in document.aliased


def test_duplicate_keys_take_the_last_and_on_stays_text() -> None:
    document = parsed("on: push\na: 1\na: 2\n")
    assert entries(document.root)[0][0] == "on"
    found = child(document.root, "a")
    assert isinstance(found, yaml.ScalarNode)
    assert found.value == "2"


def test_a_file_of_ten_thousand_lines_is_read() -> None:
    text = "steps:\n" + "".join(f"  - run: echo {number}\n" for number in range(10_000))
    assert child(parsed(text).root, "steps", 9_999, "run") is not None
