from hypothesis import given
from hypothesis import strategies as st

from triage.catalogue.document import read

SOURCE = "a.yaml"


def test_scalars_stay_as_they_were_typed() -> None:
    document, findings = read("version: 3.10\non: yes\nno: 0x1F\nempty:\nnull_too: ~\n", SOURCE)
    assert findings == ()
    assert document.value == {"version": "3.10", "on": "yes", "no": "0x1F", "empty": "", "null_too": ""}


def test_every_value_knows_its_line() -> None:
    document, _ = read("title: a\nmatch:\n  all:\n    - contains: x\n    - regex: y\n", SOURCE)
    assert document.line(("match", "all", 1, "regex")) == 5
    assert document.line(("match", "all", 1, "unknown", "deeper")) == 5
    assert document.line(("nowhere",)) == 1


def test_a_syntax_error_is_one_finding_with_its_line() -> None:
    document, findings = read("a: b\nc: [d\n", SOURCE)
    assert document.value == {}
    assert [(finding.check, finding.line) for finding in findings] == [("SIG000", 3)]


def test_a_key_given_twice_and_an_alias_of_itself_are_findings() -> None:
    assert [finding.check for finding in read("a: b\na: c\n", SOURCE)[1]] == ["SIG001"]
    assert {finding.check for finding in read("a: &x [*x]\n", SOURCE)[1]} == {"SIG000"}
    assert [finding.check for finding in read("[a, b]: c\n", SOURCE)[1]] == ["SIG000"]


def test_aliases_of_aliases_do_not_exhaust_memory() -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    document, findings = read("\n".join(rows), SOURCE)
    assert [finding.message for finding in findings] == ["more than 20000 values"]
    assert len(document.lines) < 21_000


@given(st.text(max_size=200))
def test_no_text_makes_the_reader_raise(text: str) -> None:
    document, findings = read(text, SOURCE)
    assert document.source == SOURCE
    assert all(finding.line >= 1 for finding in findings)
