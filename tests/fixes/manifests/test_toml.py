"""The spans of TOML strings: what stands there is what `tomllib` reads, and damaged documents are refused."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.fixes.manifests.toml import load, scalars, shown, strings
from triage.fixes.refusal import Refusal

DOCUMENT = b"""\
# a comment = "no"
title = 'plain'  # trailing "quoted"
when = 1979-05-27 07:32:00

[project]
name = "caf\xc3\xa9"
dependencies = [
  "ray[default]>=2.9", # why
  # "old==1",
  'numpy<2;python_version<"3.12"',
]
"quoted.key".inner = "x"

[project.optional-dependencies]
test = ["pytest", "ray" ]
empty = []

[[tool.index]]
name = "one"
options = { url = "u#1", nested = [["a"], []] }
[[tool.index]]
name = "two"
[tool.index.auth]
text = \"\"\"
many
lines\"\"\"
"""


def test_every_string_stands_where_it_is_said_to_stand():
    placed = strings(DOCUMENT)
    assert not isinstance(placed, Refusal)
    by_place = {shown(one.place): one for one in placed}
    for one in placed:
        assert DOCUMENT[one.start : one.end].decode() == one.value
    assert by_place["project.dependencies[0]"].value == "ray[default]>=2.9"
    assert by_place["project.optional-dependencies.test[1]"].value == "ray"
    assert by_place["tool.index[0].options.nested[0][0]"].value == "a"
    assert by_place["tool.index[1].name"].value == "two"
    assert "old==1" not in {one.value for one in placed}


def test_crlf_documents_have_the_same_places():
    def places(data):
        found = strings(data)
        assert not isinstance(found, Refusal)
        return [(one.place, one.value) for one in found if "\n" not in one.value]

    assert places(DOCUMENT.replace(b"\n", b"\r\n")) == places(DOCUMENT)


@pytest.mark.parametrize("damaged", [b"a = [", b"a = 'x", b"[a]\n[a]\n", b"\xff = 1", b"a = {b = 1,,}", b"= 1"])
def test_damaged_documents_are_refused(damaged):
    assert isinstance(strings(damaged), Refusal)
    assert isinstance(scalars(damaged), Refusal)
    assert isinstance(load(damaged), Refusal)


_TEXT = st.text(
    st.characters(codec="utf-8", exclude_characters="\\\"'\n\r", exclude_categories=["Cc", "Cs"]), max_size=8
)
_QUOTED = st.builds(lambda text, quote: f"{quote}{text}{quote}", _TEXT, st.sampled_from(['"', "'", '"""', "'''"]))
_VALUES = st.recursive(
    _QUOTED | st.sampled_from(["1", "true", "1.5e3", '"es\\tcape"']),
    lambda inner: st.lists(inner, max_size=3).map(lambda items: "[ " + ",\n # [ note\n".join(items) + " ]"),
    max_leaves=6,
)


@given(st.lists(st.tuples(st.sampled_from(["", "[t.u]\n", "[[t.many]]\n"]), _VALUES), max_size=4))
@settings(max_examples=80, deadline=None)
def test_generated_documents_agree_with_the_parser(parts):
    text = ""
    for seen, (header, value) in enumerate(parts):
        if header == "[t.u]\n" and header in text:
            header = ""
        text += f"{header}k{seen} = {value}\n"
    data = text.encode()
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assert isinstance(strings(data), Refusal)
        return
    placed = strings(data)
    assert not isinstance(placed, Refusal), placed
    for one in placed:
        assert data[one.start : one.end].decode() == one.value
