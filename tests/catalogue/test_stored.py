import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.catalogue.stored import NotACatalogue, from_json, to_json
from triage.model.signature import Catalogue, Tables
from triage.sources.catalogue import load


def test_the_whole_catalogue_comes_back_as_it_was() -> None:
    catalogue = load(cache=False)
    again = from_json(to_json(catalogue))
    assert again == catalogue
    # A word is equal to the member of an enumeration that it spells, but is none.
    assert repr(again) == repr(catalogue)


def test_tables_and_sentences_come_back() -> None:
    catalogue = Catalogue(
        {}, Tables({"k": {"env": ("A",)}}, {"yaml": ("PyYAML",)}, {"m": {"heads": 2}}), ("x: bad",), "1"
    )
    assert from_json(to_json(catalogue)) == catalogue


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "null",
        '{"$":"Signature"}',
        '{"$":"os"}',
        '{"$":"Catalogue"}',
        '{"$":"Catalogue","x":1}',
        "[" * 9999,
    ],
)
def test_what_is_no_stored_catalogue_is_refused(text: str) -> None:
    with pytest.raises(NotACatalogue):
        from_json(text)


@given(st.text(max_size=100))
def test_no_text_raises_anything_else(text: str) -> None:
    with pytest.raises(NotACatalogue):
        from_json(text)
