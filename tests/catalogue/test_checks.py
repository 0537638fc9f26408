"""Every named check has a signature here that it must name, and a clean one that it must not."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from triage.catalogue import across
from triage.catalogue.decoding import MAX_CHARACTERS, Examined, examine
from triage.catalogue.findings import CHECKS, Finding
from triage.catalogue.tables import examine_tables
from triage.model.signature import Tables
from triage.pipeline.signatures import check_catalogue

GOOD = """\
title: The port {port} is in use
owner: infra
family: port-in-use
category: flaky
severity: medium
rank: root
status: experimental
match:
  all:
    - regex: 'bind failed on port (?P<port>\\d+)'
    - none: [{contains: "trying the next port"}]
fingerprint: [port]
explain: {what: "Somebody holds {port}."}
fixes:
  - title: Stop the other server
    recipe: effective_value
    with: {knob: server_port, to: "0"}
    when: {platform: [cuda, known]}
    applicability: unsafe
    because: Tests do not care which port it is.
references:
  - {issue: "example/train#1", role: seen_in}
examples:
  match: ["bind failed on port 8000"]
  no_match: ["bind failed on port many"]
"""
SOURCE = "signatures/infra/port-held.yaml"
MATCH = "one\n#=> RuntimeError: bind failed on port 8000\n##[error]Process completed with exit code 1.\n"
CLEAN = "bind failed on port many\n3 passed\n"


def of(*changes: tuple[str, str], source: str = SOURCE, text: str = GOOD) -> Examined:
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return examine(text, source)


def named(findings: tuple[Finding, ...] | list[Finding]) -> set[str]:
    return {finding.check for finding in findings}


ALONE = {
    "SIG000": [(("rank: root\n", ""),), (("category: flaky", "category: sometimes"),), (("owner: infra", "owner: {"),)],
    "SIG001": [(("severity: medium", "severity: medium\nsevrity: low"),), (("rank: root", "rank: root\nrank: root"),)],
    "SIG003": [(("owner: infra", 'owner: "  "'),), (("owner: infra\n", ""),)],
    "SIG004": [
        ((r"port (?P<port>\d+)", r"port (?P<port>\d+"),),
        ((r"port (?P<port>\d+)", r"port (\d+) (?P<port>\d+)"),),
        ((r"'bind failed", r"'.*bind failed"),),
        ((r"(?P<port>\d+)", r"(?P<port>\d+)(?:x+)*"),),
        ((r"'bind failed on port (?P<port>\d+)'", r"'(?P<port>\d*)'"),),
    ],
    "SIG005": [(("fingerprint: [port]", "fingerprint: [host]"),), (("Somebody holds {port}", "{who} holds it"),)],
    "SIG006": [
        (
            (
                "match:\n  all:\n    - regex: 'bind failed on port (?P<port>\\d+)'\n    - none: [{contains: \"trying the next port\"}]",
                "match:\n  none: [{contains: x}]",
            ),
        )
    ],
    "SIG007": [
        (('"bind failed on port 8000"', '"bind failed"'),),
        (('"bind failed on port many"', '"bind failed on port 80"'),),
        (('match: ["bind failed on port 8000"]', "match: []"),),
    ],
    "SIG009": [(("    because: Tests do not care which port it is.\n", ""),)],
    "SIG010": [
        (("recipe: effective_value", "recipe: effective_valu"),),
        (("knob: server_port", "konb: server_port"),),
        (("platform: [cuda, known]", "platform: [cudda]"),),
        (("platform: [cuda, known]", "weather: [fine]"),),
        (("with: {knob", "with: {recipe: env, knob"),),
    ],
    "SIG013": [(("'bind failed on port (?P<port>\\d+)'", "'exit code (?P<port>\\d+)'"),)],
    "SIG015": [(("family: port-in-use", "family: ports"),)],
    "SIG016": [((r"\d+", r"\d{1,256}"),)],
    "SIG020": [(('  - {issue: "example/train#1", role: seen_in}\n', ""), ("references:\n", "references: []\n"))],
    "SIG027": [
        (("title: The port {port} is in use", "title: Say in a few words what went wrong (port-held)"),),
        (("title: The port {port} is in use", "title: 'TODO: port {port}'"),),
        (("title: The port {port} is in use", "title: ..."),),
        (("Somebody holds {port}.", "Say what happened."),),
    ],
    "SIG022": [
        (
            (
                '    - none: [{contains: "trying the next port"}]',
                '    - any: [{all: [{none: [{any: [{contains: "trying the next port"}]}]}]}]',
            ),
        )
    ],
}


def test_a_good_signature_has_no_finding() -> None:
    seen = of()
    assert seen.findings == ()
    assert seen.signature is not None
    assert seen.signature.id == "port-held"


@pytest.mark.parametrize(("check", "changes"), [(check, case) for check, cases in ALONE.items() for case in cases])
def test_a_check_names_what_is_wrong_with_one_file(check: str, changes: tuple[tuple[str, str], ...]) -> None:
    seen = of(*changes)
    assert check in named(seen.findings), seen.findings
    assert all(finding.line >= 1 and finding.source == SOURCE for finding in seen.findings)


def test_a_wrong_family_or_owner_is_told_with_what_may_stand_there() -> None:
    def said(old: str, new: str) -> str:
        return " ".join(finding.message for finding in of((old, new)).findings)

    assert "the nearest: port-in-use" in said("family: port-in-use", "family: port-in-us")
    assert "there are: abi-mismatch, " in (unnamed := said("family: port-in-use", 'family: ""'))
    assert unnamed.endswith("more that `triage signatures list` shows")
    assert "build, code, config" in said("owner: infra", 'owner: ""')


def test_sig002_an_id_that_is_not_kebab_case_or_not_its_own() -> None:
    assert named(of(source="signatures/infra/Port_Held.yaml").findings) == {"SIG002"}
    twice = [of(), of(source="signatures/other/port-held.yaml")]
    assert [finding.check for finding in across.doubles(twice)] == ["SIG002"]
    assert not list(across.doubles([of(), of(source="signatures/other/port-taken.yaml")]))


def test_sig011_a_circle_and_sig023_an_edge_to_nowhere() -> None:
    def explaining(name: str, *targets: str) -> Examined:
        return of(("fingerprint: [port]", f"explains: [{', '.join(targets)}]"), source=f"signatures/a/{name}.yaml")

    circle = [explaining("one", "two"), explaining("two", "three"), explaining("three", "one")]
    found = list(across.circles(circle))
    assert [finding.check for finding in found] == ["SIG011"] * 3
    assert "one -> two -> three -> one" in found[0].message
    assert not list(across.circles([explaining("one", "two"), explaining("two", "three"), of()]))
    assert [finding.check for finding in across.dangling([explaining("one", "nobody")])] == ["SIG023"]
    assert not list(across.dangling([explaining("one", "port-held"), of()]))


def test_sig012_equal_conditions_but_not_in_another_scope() -> None:
    other = "signatures/infra/port-taken.yaml"
    reordered = of(
        (
            "    - regex: 'bind failed on port (?P<port>\\d+)'\n    - none: [{contains: \"trying the next port\"}]",
            "    - none: [{contains: \"trying the next port\"}]\n    - regex: 'bind failed on port (?P<port>\\d+)'",
        ),
        source=other,
    )
    assert [(finding.check, finding.source) for finding in across.repeats([of(), reordered])] == [("SIG012", other)]
    scoped = of(("match:\n", "scope: {platform: [rocm]}\nmatch:\n"), source=other)
    assert not list(across.repeats([of(), scoped]))


def test_sig014_a_review_that_is_due_only_warns() -> None:
    seen = [of(("rank: root", "rank: root\nreview_by: 2026-05-01"))]
    assert [finding.check for finding in across.due(seen, date(2026, 5, 2))] == ["SIG014"]
    assert not list(across.due(seen, date(2026, 5, 1)))
    assert CHECKS["SIG014"].warning


def test_sig021_a_knob_that_no_table_translates() -> None:
    assert [finding.check for finding in across.unknown_knobs([of()], Tables())] == ["SIG021"]
    assert not list(across.unknown_knobs([of()], Tables(knobs={"server_port": {"env": ("PORT",)}})))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("knobs", "fsdp_size: [a]"),
        ("knobs", "fsdp_size: {hydra: [{a: b}]}"),
        ("distributions", "yaml: {a: b}"),
        ("models", "tiny: {heads: many}"),
        ("models", "tiny: 3"),
        ("plugins", "mocker: [pytest-mock]"),
        ("companions", "torch: {1.0: torchvision}"),
        ("companions", "torch: 1.0"),
        ("names", "torch: {gone: torch._six}"),
        ("names", "torch: {lost: {torch._six: '2.0'}}"),
        ("names", "torch: {since: {torch.compile: two}}"),
        ("images", "nvidia/cuda: 12.4.1"),
        ("images", "nvidia/cuda: {'12.4': 12.5.1}"),
        ("images", "nvidia/cuda: {'12.4': 12.4.x}"),
        ("switches", "tokens: dynamic"),
        ("switches", "tokens: {dynamic: [a]}"),
        ("weather", "a: b"),
        ("knobs", "- a"),
        ("knobs", "a: ["),
    ],
)
def test_sig024_a_table_that_does_not_decode(name: str, text: str) -> None:
    _, findings = examine_tables({f"signatures/tables/{name}.yaml": text})
    assert named(findings) == {"SIG024"}


def test_sig025_a_file_that_is_too_large() -> None:
    seen = examine("#" * (MAX_CHARACTERS + 1), SOURCE)
    assert named(seen.findings) == {"SIG025"}
    assert seen.signature is None


def write(folder: Path, text: str = GOOD, **siblings: str) -> Path:
    area = folder / "infra"
    area.mkdir(parents=True, exist_ok=True)
    (area / "port-held.yaml").write_text(text, encoding="utf-8")
    for kind, content in siblings.items():
        (area / f"port-held.{kind}.log").write_text(content, encoding="utf-8")
    return folder


STABLE = GOOD.replace("experimental", "stable").replace("knob: server_port", "knob: fsdp_size")
PATCH_FREE = STABLE[: STABLE.index("fixes:")] + STABLE[STABLE.index("references:") :]


def test_sig008_and_sig028_samples_that_the_status_asks_for(tmp_path: Path) -> None:
    experimental = PATCH_FREE.replace("stable", "experimental")
    assert named(check_catalogue(write(tmp_path / "a", experimental)).findings) == {"SIG008", "SIG028"}
    without_near_miss = check_catalogue(write(tmp_path / "b", experimental, match=MATCH))
    assert named(without_near_miss.findings) == {"SIG028"}
    assert CHECKS["SIG028"].warning
    assert without_near_miss.summary == "1 signature, 1 sample: 1 warning"
    assert named(check_catalogue(write(tmp_path / "c", PATCH_FREE, match=MATCH)).findings) == {"SIG008"}
    report = check_catalogue(write(tmp_path / "d", PATCH_FREE, match=MATCH, clean=CLEAN))
    assert report.findings == ()
    assert (report.signatures, report.samples) == (1, 2)


@pytest.mark.parametrize(
    ("match", "clean"),
    [
        (MATCH.replace("#=> ", ""), CLEAN),
        (MATCH.replace("port 8000", "port eight"), CLEAN),
        ("#=> one\n" + MATCH.replace("#=> ", "").removeprefix("one\n"), CLEAN),
        (MATCH, MATCH.replace("#=> ", "")),
    ],
)
def test_sig017_samples_that_contradict(tmp_path: Path, match: str, clean: str) -> None:
    assert "SIG017" in named(check_catalogue(write(tmp_path, PATCH_FREE, match=match, clean=clean)).findings)


def test_sig018_a_green_log_that_is_hit(tmp_path: Path) -> None:
    folder = write(tmp_path / "signatures", PATCH_FREE, match=MATCH, clean=CLEAN)
    green = tmp_path / "green.log"
    green.write_text("bind failed on port 8000\n12 passed in 1.2s\n", encoding="utf-8")
    assert named(check_catalogue(folder, [green]).findings) == {"SIG018"}
    green.write_text("listening on port 8000\n12 passed in 1.2s\n", encoding="utf-8")
    report = check_catalogue(folder, [green])
    assert report.findings == ()
    assert report.green_lines >= 2


WORKFLOW = """\
name: e2e
on: [pull_request]
jobs:
  e2e:
    runs-on: ubuntu-24.04
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v4
      - run: bash run.sh
"""
TIMEOUT = PATCH_FREE.replace(
    "references:",
    "fixes:\n  - {title: Wait longer, recipe: timeout, applicability: unsafe, because: It is slow.}\nreferences:",
)


def patch_sample(folder: Path, minutes: int) -> None:
    sample = folder / "infra" / "port-held.patch"
    (sample / "tree/.github/workflows").mkdir(parents=True)
    (sample / "tree/.github/workflows/e2e.yml").write_text(WORKFLOW, encoding="utf-8")
    (sample / "tree/run.sh").write_text("python3 -m trainer\n", encoding="utf-8")
    (sample / "case.yaml").write_text("workflow: .github/workflows/e2e.yml\njob: e2e\n", encoding="utf-8")
    golden = f"""\
--- a/.github/workflows/e2e.yml
+++ b/.github/workflows/e2e.yml
@@ -3,7 +3,7 @@
 jobs:
   e2e:
     runs-on: ubuntu-24.04
-    timeout-minutes: 30
+    timeout-minutes: {minutes}
     steps:
       - uses: actions/checkout@v4
       - run: bash run.sh
"""
    (sample / "golden.patch").write_text(golden, encoding="utf-8")


def test_sig019_a_patch_sample_that_gives_another_patch_and_sig026_none(tmp_path: Path) -> None:
    folder = write(tmp_path / "a", TIMEOUT, match=MATCH, clean=CLEAN)
    assert named(check_catalogue(folder).findings) == {"SIG026"}
    patch_sample(folder, 45)
    assert check_catalogue(folder).findings == ()
    other = write(tmp_path / "b", TIMEOUT, match=MATCH, clean=CLEAN)
    patch_sample(other, 50)
    assert named(check_catalogue(other).findings) == {"SIG019"}
    assert CHECKS["SIG026"].warning


def test_every_check_has_a_test_here() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert all(check in ALONE or f"test_{check.lower()}" in text or f"_{check.lower()}_" in text for check in CHECKS)
