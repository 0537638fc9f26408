"""`triage signatures` and `triage explain`, as a person at the shell meets them."""

import json
from pathlib import Path

import pytest

from tests.catalogue.test_checks import CLEAN, GOOD, MATCH, PATCH_FREE, write
from tests.cli.command import triage
from triage.errors import ExitCode
from triage.sources.catalogue import load

Capsys = pytest.CaptureFixture[str]

LOG = """\
2026-09-14T03:20:11.2041170Z ##[group]Run python3 train.py
2026-09-14T03:20:11.2041170Z ##[endgroup]
{noise}
2026-09-14T03:20:12.2041170Z Traceback (most recent call last):
2026-09-14T03:20:12.2041170Z   File "/home/alice/train.py", line 3, in main
2026-09-14T03:20:12.2041170Z     connect("db.internal.corp.example", 5432, token="ghp_{secret}")
2026-09-14T03:20:12.2041170Z FluxError: the flux to 192.168.7.21 is off by 0x7f5d after 31 steps
2026-09-14T03:20:12.2041170Z ##[error]Process completed with exit code 1.
""".replace("{noise}", "\n".join(f"2026-09-14T03:20:11.3041170Z loading shard {n}" for n in range(300))).replace(
    "{secret}", "a1B2" * 9
)


def test_list_names_every_signature_and_filters_by_family(capsys: Capsys) -> None:
    ran = triage(capsys, "signatures", "list")
    assert ran.code == 0
    assert {line.split("\t")[0] for line in ran.out.splitlines()} == set(load().signatures)
    only = triage(capsys, "signatures", "list", "--family", "port-in-use")
    listed = dict(line.split("\t")[:2] for line in only.out.splitlines())
    assert listed["address-already-in-use"] == "port-in-use"
    assert set(listed.values()) == {"port-in-use"}
    unknown = triage(capsys, "signatures", "list", "--family", "ports")
    assert (unknown.code, unknown.out) == (ExitCode.USAGE, "")
    assert "There are: abi-mismatch, " in unknown.err
    near = triage(capsys, "signatures", "list", "--family", "oom")
    assert "Did you mean gpu-oom or host-oom?" in near.err


def test_a_person_gets_aligned_columns(capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "120")
    lines = triage(capsys, "signatures", "list", "--family", "port-in-use").out.splitlines()
    assert len({line.index("  port-in-use") for line in lines}) == 1
    assert not any("\t" in line or len(line) > 120 for line in lines)


def test_a_narrow_terminal_cuts_no_title_off(capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    ran = triage(capsys, "signatures", "list")
    assert max(map(len, ran.out.splitlines())) <= 80
    words = " ".join(ran.out.split())
    for one in load().signatures.values():
        assert f"{one.id} {one.title}".replace("{", "<").replace("}", ">") in words


def test_show_prints_the_file_and_explain_what_it_says(capsys: Capsys, tmp_path: Path) -> None:
    own = str(write(tmp_path))
    assert triage(capsys, "signatures", "show", "port-held", "--signatures", own).out == GOOD
    ran = triage(capsys, "explain", "port-held", "--signatures", own)
    assert ran.code == 0
    assert "Somebody holds <port>." in ran.out
    assert "the line fits" not in ran.out
    assert "the line fits: bind failed" in triage(capsys, "explain", "port-held", "--rule", "--signatures", own).out
    assert triage(capsys, "signatures", "show", "no-space-left").out.startswith("title: The disk is full\n")


def test_an_unknown_id_names_the_nearest_ones(capsys: Capsys) -> None:
    ran = triage(capsys, "explain", "python-module-missing")
    assert ran.code == ExitCode.USAGE
    assert "python-module-not-found" in ran.err
    assert ran.err.count("Did you mean") == 1
    # No name is offered that has nothing to do with what was written.
    assert "Did you mean" not in triage(capsys, "explain", "xqzt").err


def test_a_family_is_explained_by_its_signatures(capsys: Capsys) -> None:
    ran = triage(capsys, "explain", "port-in-use")
    assert ran.code == 0
    assert ran.out.startswith("port-in-use: a family of ")
    assert "\naddress-already-in-use\n  " in ran.out
    assert "disk-full" not in ran.out


def test_a_family_with_the_name_of_a_signature_can_be_had_too(capsys: Capsys) -> None:
    both = triage(capsys, "explain", "gpu-oom")
    assert both.out.startswith("gpu-oom: The GPU is out of memory\n")
    assert both.out.endswith("  triage explain gpu-oom --family\n")
    family = triage(capsys, "explain", "gpu-oom", "--family").out
    assert family.startswith("gpu-oom: a family of ")
    assert "\ngpu-oom-actor-update\n" in family
    assert "--family" not in triage(capsys, "explain", "gpu-oom-actor-update").out


def test_an_id_or_a_family_may_be_written_in_capitals(capsys: Capsys) -> None:
    assert triage(capsys, "explain", "GPU-OOM").out == triage(capsys, "explain", "gpu-oom").out
    assert triage(capsys, "explain", "Port-In-Use").out == triage(capsys, "explain", "port-in-use").out


def test_check_is_silent_on_good_ones_and_exits_with_5_on_bad_ones(capsys: Capsys, tmp_path: Path) -> None:
    good = triage(capsys, "signatures", "check", str(write(tmp_path / "a", PATCH_FREE, match=MATCH, clean=CLEAN)))
    assert good.code == 0
    assert good.out == "1 signature, 2 samples: nothing wrong\n"
    bad = write(tmp_path / "b", PATCH_FREE.replace("owner: infra", "ownr: infra"), match=MATCH, clean=CLEAN)
    ran = triage(capsys, "signatures", "check", str(bad))
    assert ran.code == ExitCode.CATALOGUE
    assert f"{bad}/infra/port-held.yaml:2: SIG001: unknown key `ownr`; `owner` was meant?" in ran.err
    assert "SIG003" in ran.err


def test_a_package_without_samples_is_checked_without_them(
    capsys: Capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = write(tmp_path, PATCH_FREE)
    monkeypatch.setattr("triage.pipeline.signatures.built_in", lambda: installed)
    ran = triage(capsys, "signatures", "check")
    assert ran.code == 0, ran.err
    assert ran.out == "1 signature, no samples (an installed package has none): nothing wrong\n"
    assert triage(capsys, "signatures", "check", str(write(tmp_path / "own", PATCH_FREE))).code == ExitCode.CATALOGUE


def test_explain_fits_the_terminal_and_says_what_was_left_out(
    capsys: Capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    said = triage(capsys, "explain", "no-space-left").out
    assert all(len(line) <= 60 for line in said.splitlines() if "the line" not in line)
    own = write(tmp_path, GOOD.replace("rank: root", "rank: rot"))
    ran = triage(capsys, "explain", "port-held", "--signatures", str(own))
    assert ran.code == ExitCode.USAGE
    assert ran.err.startswith(f"left out: {own}/infra/port-held.yaml:6: SIG000")


def test_list_says_what_was_left_out(capsys: Capsys, tmp_path: Path) -> None:
    own = write(tmp_path, GOOD.replace("rank: root", "rank: rot"))
    ran = triage(capsys, "signatures", "list", "--signatures", str(own))
    assert ran.code == 0
    assert f"left out: {own}/infra/port-held.yaml:6: SIG000" in ran.err


def test_schema_is_json_and_page_is_markdown(capsys: Capsys, tmp_path: Path) -> None:
    assert json.loads(triage(capsys, "signatures", "schema").out)["title"] == "A triage signature"
    assert triage(capsys, "signatures", "page").out.startswith("# Catalogue\n")
    triage(capsys, "signatures", "page", str(tmp_path / "page.md"))
    assert (tmp_path / "page.md").read_text(encoding="utf-8").startswith("# Catalogue\n")


def test_new_writes_a_draft_whose_sample_is_trimmed_scrubbed_and_proved(capsys: Capsys, tmp_path: Path) -> None:
    log, own = tmp_path / "job.log", tmp_path / "own" / "flux"
    log.write_text(LOG, encoding="utf-8")
    ran = triage(capsys, "signatures", "new", "flux-off", "--from-log", str(log), "--folder", str(own))
    assert ran.code == 0, ran.err
    text = (own / "flux-off.yaml").read_text(encoding="utf-8")
    assert r"FluxError: the flux to \d+\.\d+\.\d+\.\d+ is off by 0x[0-9a-fA-F]+ after \d+ steps" in text
    sample = (own / "flux-off.match.log").read_text(encoding="utf-8")
    assert (
        "#=> 2026-09-14T03:20:12.2041170Z FluxError: the flux to 10.0.0.9 is off by 0x7f5d after 31 steps\n" in sample
    )
    assert len(sample.splitlines()) < 30
    assert not {"alice", "ghp_", "192.168.7.21"} & {
        word for word in ("alice", "ghp_", "192.168.7.21") if word in sample
    }
    assert "the verdict is that of the whole log" in ran.err
    assert "left to do: flux-off.yaml:3: SIG015" in ran.err
    assert "left to do: flux-off.clean.log is missing: a near miss" in ran.err
    count = len(LOG.splitlines())
    assert f" to {count} of {count}: the verdict is that of the whole log" in ran.err
    filled = text.replace('owner: ""', "owner: flux").replace('family: ""', "family: code-error")
    filled = filled.replace("Say in a few words what went wrong", "The flux is off")
    filled = filled.replace("Say what happened.", "The flux went off.")
    filled = filled.replace("references: []", "references:\n  - {issue: example/train#1, role: seen_in}")
    (own / "flux-off.yaml").write_text(filled, encoding="utf-8")
    assert triage(capsys, "signatures", "check", str(own.parent)).code == 0


def test_new_takes_the_line_that_is_named_and_refuses_what_it_cannot_do(capsys: Capsys, tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text(LOG, encoding="utf-8")
    arguments = ("--from-log", str(log), "--folder", str(tmp_path))
    assert triage(capsys, "signatures", "new", "shard-seven", *arguments, "--line", "10").code == 0
    assert "regex: 'loading shard \\d+'" in (tmp_path / "shard-seven.yaml").read_text(encoding="utf-8")
    assert triage(capsys, "signatures", "new", "shard-seven", *arguments).code == ExitCode.USAGE
    assert triage(capsys, "signatures", "new", "Shard_Seven", *arguments).code == ExitCode.USAGE
    count = len(LOG.splitlines())
    for line in (9999, count + 1):
        too_far = triage(capsys, "signatures", "new", "far-away", *arguments, "--line", str(line))
        assert too_far.code == ExitCode.USAGE
        assert f"the log has {count} lines, not {line}." in too_far.err


def test_new_does_not_take_the_place_of_a_built_in_one(capsys: Capsys, tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text(LOG, encoding="utf-8")
    folder = tmp_path / "own"
    ran = triage(capsys, "signatures", "new", "gpu-oom", "--from-log", str(log), "--folder", str(folder))
    assert ran.code == ExitCode.USAGE
    assert "gpu-oom is built in: a signature of the same id would take its place." in ran.err
    assert not folder.exists()


@pytest.mark.parametrize(
    "head",
    [
        "E1130 16:29:24.775000 1562 ",
        "[rank3]:[E1130 16:29:24.775000123 flux.cpp:12] ",
        "(WorkerDict pid=4711, ip=10.0.0.9) ",
        "2026-11-30 16:29:24,775 ",
        "[rank3]: ",
    ],
)
def test_a_draft_does_not_ask_for_what_loggers_write_before_the_message(
    capsys: Capsys, tmp_path: Path, head: str
) -> None:
    """A day, a process or a rank of the one log at hand would match no other."""
    log = tmp_path / "job.log"
    log.write_text(f"beginning\n{head}FluxError: the flux is off by 7\n", encoding="utf-8")
    arguments = ("--from-log", str(log), "--folder", str(tmp_path), "--line", "2")
    assert triage(capsys, "signatures", "new", "flux-off", *arguments).code == 0
    assert "regex: 'FluxError: the flux is off by \\d+'" in (tmp_path / "flux-off.yaml").read_text(encoding="utf-8")


def test_new_takes_the_path_of_the_file_to_write(capsys: Capsys, tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text(LOG, encoding="utf-8")
    ran = triage(capsys, "signatures", "new", str(tmp_path / "flux" / "flux-off.yaml"), "--from-log", str(log))
    assert ran.code == 0, ran.err
    assert sorted(path.name for path in (tmp_path / "flux").iterdir()) == ["flux-off.match.log", "flux-off.yaml"]


def test_new_says_when_the_catalogue_knows_the_failure(capsys: Capsys, tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text(
        "Traceback (most recent call last):\nModuleNotFoundError: No module named 'flux'\n", encoding="utf-8"
    )
    for number, line in enumerate(((), ("--line", "2"))):
        arguments = ("--from-log", str(log), "--folder", str(tmp_path / str(number)), *line)
        ran = triage(capsys, "signatures", "new", "flux-missing", *arguments)
        assert "the catalogue already names this line: python-module-not-found" in ran.err


def test_a_folder_without_a_signature_is_not_called_right(capsys: Capsys, tmp_path: Path) -> None:
    ran = triage(capsys, "signatures", "check", str(tmp_path))
    assert ran.code == ExitCode.USAGE
    assert "holds no signature" in ran.err
