"""Where the catalogue is found, which file wins, what is left out, and whom the cache trusts."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.catalogue.test_checks import GOOD
from triage.errors import CatalogueError, UsageError
from triage.sources import catalogue as source
from triage.sources.private import private_folder, read_private, write_private


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "triage"


def folder(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_", "-")
        path = path.with_suffix(".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def test_the_built_in_folder_holds_signatures_and_tables(cache: Path) -> None:
    loaded = source.load()
    assert loaded.signatures["python-module-not-found"].source == "signatures/install/python-module-not-found.yaml"
    assert loaded.tables.knobs
    assert loaded.tables.distributions
    assert len(loaded.version) == 12


def test_a_wheel_holds_the_folder_inside_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "site" / "triage" / "signatures").mkdir(parents=True)
    monkeypatch.setattr(source, "_PACKAGE", tmp_path / "site" / "triage")
    assert source.built_in() == tmp_path / "site" / "triage" / "signatures"
    (tmp_path / "site" / "triage" / "signatures").rmdir()
    with pytest.raises(CatalogueError, match="no signatures folder"):
        source.built_in()


def test_a_repositorys_signature_wins_over_the_built_in_one_of_the_same_id(tmp_path: Path, cache: Path) -> None:
    own = folder(tmp_path / "own", infra__address_already_in_use=GOOD, infra__port_held=GOOD.replace("bind", "bound"))
    loaded = source.load([own])
    assert loaded.left_out == ()
    assert loaded.signatures["address-already-in-use"].title == "The port {port} is in use"
    assert loaded.signatures["port-held"].source == f"{own}/infra/port-held.yaml"
    assert len(loaded.signatures) == len(source.load().signatures) + 1


def test_an_invalid_one_is_left_out_and_named_and_takes_no_valid_one_away(tmp_path: Path, cache: Path) -> None:
    bad = GOOD.replace("rank: root", "rank: rot")
    wrong = GOOD.replace("bind failed on port many", "bind failed on port 1")
    own = folder(tmp_path / "own", a__address_already_in_use=bad, b__no_space_left=wrong, c__port_held=GOOD)
    loaded = source.load([own])
    assert loaded.signatures["address-already-in-use"].source.startswith("signatures/")
    assert loaded.signatures["no-space-left"].source.startswith("signatures/")
    assert "port-held" in loaded.signatures
    assert [line.split(": ")[1] for line in loaded.left_out] == ["SIG000", "SIG007"]
    assert all(line.startswith(str(own)) for line in loaded.left_out)


def test_circles_and_repeats_are_left_out_too(tmp_path: Path, cache: Path) -> None:
    def explaining(target: str, port: str) -> str:
        text = GOOD.replace("fingerprint: [port]", f"explains: [{target}]").replace("on port (", f"on {port} (")
        return text.replace("on port 8000", f"on {port} 8000")

    own = folder(
        tmp_path / "own", a__one=explaining("two", "gate"), a__two=explaining("one", "door"), b__three=GOOD, b__zed=GOOD
    )
    loaded = source.load([own])
    assert {"one", "two", "zed"}.isdisjoint(loaded.signatures)
    assert "three" in loaded.signatures
    assert sorted(line.split(": ")[1] for line in loaded.left_out) == ["SIG011", "SIG011", "SIG012"]


def test_a_folder_that_is_not_there_is_a_usage_error(tmp_path: Path, cache: Path) -> None:
    with pytest.raises(UsageError, match="no folder of signatures"):
        source.load([tmp_path / "nowhere"])


def test_samples_and_hidden_folders_are_not_read(tmp_path: Path) -> None:
    own = folder(tmp_path / "own", a__port_held=GOOD)
    for hidden in (".git/x.yaml", "a/port-held.patch/tree/.github/workflows/e2e.yml"):
        (own / hidden).parent.mkdir(parents=True)
        (own / hidden).write_text("name: x", encoding="utf-8")
    assert list(source.read_folder(own).signatures) == [f"{own}/a/port-held.yaml"]


def test_a_warm_cache_gives_the_same_and_imports_neither_yaml_nor_pydantic(cache: Path) -> None:
    cold = source.load()
    assert len(list(cache.glob("catalogue-*.json"))) == 1
    assert source.load() == cold
    program = (
        "import sys\nfrom triage.sources.catalogue import load\nprint(len(load().signatures))\n"
        "print([name for name in ('yaml', 'pydantic', 're2', 'pandas', 'github') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.split("\n")[:2] == [str(len(cold.signatures)), "[]"]


def test_a_changed_file_is_another_key_and_old_ones_are_forgotten(tmp_path: Path, cache: Path) -> None:
    own = folder(tmp_path / "own", a__port_held=GOOD)
    first = source.load([own])
    for number in range(12):
        folder(own, a__port_held=GOOD.replace("title: The", f"title: {number} The"))
        changed = source.load([own])
    assert changed.version != first.version
    assert changed.signatures["port-held"].title.startswith("11 ")
    assert len(list(cache.glob("catalogue-*.json"))) == 8


def test_a_changed_vocabulary_of_recipes_is_another_key(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vocabulary = tmp_path / "package" / "model" / "recipe" / "installs.py"
    vocabulary.parent.mkdir(parents=True)
    monkeypatch.setattr(source, "_PACKAGE", tmp_path / "package")
    (tmp_path / "package" / "signatures").mkdir()
    for text in ("class PipPin: ...", "class PipPin: version: str"):
        vocabulary.write_text(text, encoding="utf-8")
        source.load()
    assert len(list(cache.glob("catalogue-*.json"))) == 2


@pytest.mark.parametrize("spoilt", ["{}", "not json", '{"$":"Catalogue","signatures":3}'])
def test_a_spoilt_cache_is_read_past(cache: Path, spoilt: str) -> None:
    whole = source.load()
    next(cache.glob("*.json")).write_text(spoilt, encoding="utf-8")
    assert len(source.load().signatures) == len(whole.signatures)


def test_a_cache_that_others_may_write_is_not_trusted(cache: Path) -> None:
    source.load()
    file = next(cache.glob("*.json"))
    file.write_text('{"$":"Catalogue","signatures":{}}', encoding="utf-8")
    assert source.load().signatures == {}, "the owner's own file is believed"
    file.chmod(file.stat().st_mode | stat.S_IWOTH)
    assert source.load().signatures
    file.chmod(0o600)
    cache.chmod(0o777)
    assert source.load().signatures
    assert read_private(file) is None
    assert not private_folder(cache)


def test_links_and_missing_files_are_not_read(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    assert read_private(tmp_path / "nothing") is None
    assert write_private(tmp_path / "file", "text")
    assert read_private(tmp_path / "file") == "text"
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert read_private(tmp_path / "link") is None
    assert not write_private(tmp_path / "nowhere" / "file", "text")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    assert read_private(tmp_path / "bytes") is None


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners are a matter of POSIX")
def test_somebody_elses_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o700)
    write_private(tmp_path / "file", "text")
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    assert read_private(tmp_path / "file") is None
    assert not private_folder(tmp_path)


def test_what_is_shipped_is_not_linted_at_every_start_and_what_a_repository_adds_is(tmp_path: Path) -> None:
    from triage.catalogue import decoding

    seen: list[str] = []
    plain = decoding.inspect
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(decoding, "inspect", lambda one, document: seen.append(one.id) or plain(one, document))
        (tmp_path / "own").mkdir()
        (tmp_path / "own/our-oom.yaml").write_text(GOOD)
        decoding.examine.cache_clear()
        source.load([tmp_path], cache=False)
    assert seen == ["our-oom"]
