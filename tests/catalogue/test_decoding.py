import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.catalogue.test_checks import GOOD, SOURCE
from triage.catalogue import decode, decode_tables
from triage.catalogue.decoding import examine
from triage.catalogue.schema import json_schema
from triage.errors import CatalogueError, ExitCode
from triage.model.recipe import Advise, EffectiveValue, Together
from triage.model.signature import AllOf, AnyOf, Contains, NoneOf, Occurrence, Regex, Sequence


def test_a_signature_decodes_to_frozen_values() -> None:
    signature = decode(GOOD, SOURCE)
    assert signature.condition == AllOf(
        (Regex(r"bind failed on port (?P<port>\d+)"), NoneOf((Contains("trying the next port"),)))
    )
    assert signature.fixes[0].recipe == EffectiveValue(knob="server_port", to="0")
    assert signature.fixes[0].when == {"platform": ("cuda", "known")}
    assert signature.source == SOURCE


def test_all_errors_of_a_file_are_reported_at_once_with_their_lines() -> None:
    text = (
        GOOD.replace("severity: medium", "severity: awful")
        .replace("rank: root\n", "")
        .replace('to: "0"', 'too: "0"')
        .replace("owner: infra", "ownr: infra")
    )
    with pytest.raises(CatalogueError) as caught:
        decode(text, SOURCE)
    lines = caught.value.message.splitlines()[1:]
    assert len(lines) == 5
    assert f"{SOURCE}:2: SIG001: unknown key `ownr`; `owner` was meant?" in lines
    assert f"{SOURCE}:5: SIG000: `severity` must be low, medium or high" in lines
    assert any(line.startswith(f"{SOURCE}:16: SIG010:") for line in lines)
    assert caught.value.exit_code is ExitCode.CATALOGUE


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("rank: root", "rank: rot", "6: SIG000: `rank` must be root, symptom or wrapper; `root` was meant?"),
        ("rank: root", "rank: [a]", "6: SIG000: `rank` must be root, symptom or wrapper"),
        ("owner: infra", "owner: [a]", "2: SIG003: `owner` must be text"),
        ("family: port-in-use", "added: soon\nfamily: a", "3: SIG000: `added` must be a day such as 2026-12-31"),
        ("when: {platform: [cuda, known]}", "when: 3", "18: SIG000: `when` of entry 1 of `fixes` must hold keys of its own"),
        ("[cuda, known]", "cuda", "18: SIG000: `when.platform` of entry 1 of `fixes` must be a list"),
        ("recipe: effective_value", "recipe: effective_valu",
         "16: SIG010: `recipe` names no recipe that there is; `effective_value` was meant?"),
        ("{knob: server_port", "{konb: server_port", "17: SIG010: unknown key `konb`; `knob` was meant?"),
        ("role: seen_in", "role: seen", ("22: SIG000: `role` of entry 1 of `references` must be fixed_by, introduced_by, "
         "not_this, tracking, seen_in or documents; `seen_in` was meant?")),
        ("- regex: 'bind", "- regexp: 'bind", "10: SIG001: unknown key `regexp` in entry 1 of `match.all`"),
        ("[{contains:", "[{contains: '', anywhere: yes}, {contains:",
         "11: SIG000: `contains` of entry 1 of `none` of entry 2 of `match.all` must not be empty"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_told_in_plain_words(old: str, new: str, said: str) -> None:
    assert old in GOOD
    found = [str(finding) for finding in examine(GOOD.replace(old, new), SOURCE).findings]
    assert f"{SOURCE}:{said}" in found
    assert not any(word in line for line in found for word in ("nput", "instance", "File", "argument"))


def test_sequences_any_and_anywhere_decode() -> None:
    match = """\
match:
  any:
    - sequence: {within_lines: 80, lines: [{contains: a}, {regex: 'bind failed on port (?P<port>\\d+)'}]}
    - {contains: b, anywhere: true}
    - sequence: {within_lines: 9, evidence: first, lines: [{contains: c}, {contains: d}]}
fingerprint"""
    text = GOOD[: GOOD.index("match:")] + match + GOOD[GOOD.index("fingerprint") + len("fingerprint") :]
    seen = examine(text, SOURCE)
    assert seen.signature is not None
    assert seen.signature.condition == AnyOf(
        (
            Sequence((Contains("a"), Regex(r"bind failed on port (?P<port>\d+)")), 80),
            Contains("b", anywhere=True),
            Sequence((Contains("c"), Contains("d")), 9, Occurrence.FIRST),
        )
    )


@pytest.mark.parametrize(
    "condition",
    [
        "{contains: a, regex: b}",
        "{}",
        "{all: []}",
        "{all: [{contains: a}], anywhere: true}",
        "{contains: a, anywhere: yes}",
        "{contains: ''}",
        "{sequence: {within_lines: 0, lines: [{contains: a}, {contains: b}]}}",
        "{sequence: {within_lines: 5, lines: [{contains: a}]}}",
        "a line",
    ],
)
def test_a_condition_of_the_wrong_shape_is_refused_at_its_line(condition: str) -> None:
    start, end = GOOD.index("match:"), GOOD.index("fingerprint")
    seen = examine(f"{GOOD[:start]}match: {condition}\n{GOOD[end:]}", SOURCE)
    assert [(finding.check, finding.line) for finding in seen.findings if finding.line == 8]
    assert seen.signature is None


def test_recipes_nest_and_prose_flows() -> None:
    fixes = """\
fixes:
  - title: Say
      it
    recipe: advise
    with: {text: "one\\n  two"}
  - title: Both
    recipe: together
    with: {recipes: [{recipe: rerun}, {recipe: env, name: A, value: "1"}]}
    because: One alone does nothing.
references"""
    text = GOOD[: GOOD.index("fixes:")] + fixes + GOOD[GOOD.index("references") + len("references") :]
    signature = decode(text, SOURCE)
    assert signature.fixes[0].title == "Say it"
    assert signature.fixes[0].recipe == Advise(text="one two")
    assert isinstance(signature.fixes[1].recipe, Together)


def test_tables_decode_words_and_numbers() -> None:
    tables = decode_tables(
        {
            "signatures/tables/knobs.yaml": "fsdp_size: {hydra: actor.fsdp_size, env: [FSDP_SIZE, SIZE]}",
            "signatures/tables/distributions.yaml": "yaml: PyYAML\ncv2: [opencv-python]",
            "signatures/tables/models.yaml": "example/tiny: {heads: 16, kv_heads: 2}",
        }
    )
    assert tables.knobs == {"fsdp_size": {"hydra": ("actor.fsdp_size",), "env": ("FSDP_SIZE", "SIZE")}}
    assert tables.distributions == {"yaml": ("PyYAML",), "cv2": ("opencv-python",)}
    assert tables.models == {"example/tiny": {"heads": 16, "kv_heads": 2}}
    with pytest.raises(CatalogueError, match="SIG024"):
        decode_tables({"signatures/tables/models.yaml": "a: [b]"})


def test_the_schema_for_editors_takes_the_good_and_refuses_the_bad() -> None:
    validators = pytest.importorskip("openapi_schema_validator")
    schema = json.loads(json.dumps(json_schema()))
    check = validators.OAS31Validator(schema)
    good = yaml.safe_load(GOOD)
    assert not list(check.iter_errors(good))
    for change in (
        {"rank": "branch"},
        {"match": {"contains": "a", "regex": "b"}},
        {"fixes": [{"title": "t", "recipe": "effective_value", "with": {"konb": "x"}}]},
        {"unknown": 1},
        {"family": "ports"},
    ):
        assert list(check.iter_errors(good | change)), change


@given(st.text(max_size=300) | st.lists(st.sampled_from(GOOD.splitlines()), max_size=30).map("\n".join))
def test_no_text_makes_examine_raise(text: str) -> None:
    seen = examine(text, SOURCE)
    assert seen.signature is not None or seen.findings
