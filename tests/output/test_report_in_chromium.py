"""The page in a real browser: at 400 and 1,400 pixels, light and dark, on paper; measured, and kept as screenshots.

TRIAGE_SCREENSHOTS names a folder to keep them in.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.output.reports import demo_week, empty_week, hostile_week
from triage.model.report import Report
from triage.output import report_html

pytestmark = pytest.mark.chromium
AUDIT = (Path(__file__).parent / "audit.js").read_text()
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--virtual-time-budget=3000",
)  # fmt: skip
DARK = ("--blink-settings=preferredColorScheme=0",)
LIGHT = ("--blink-settings=preferredColorScheme=1",)


def chromium(page: Path, tmp_path: Path, *flags: str) -> str:
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    command = [program, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", *flags, page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    shutil.rmtree(tmp_path / "profile", ignore_errors=True)
    assert done.returncode == 0, done.stderr[-500:]
    return done.stdout


def write(report: Report, folder: Path, audit: bool) -> Path:
    text = report_html.render(report)
    page = folder / "report.html"
    page.write_text(text.replace("</body>", f"<script>{AUDIT}</script></body>") if audit else text, encoding="utf-8")
    return page


REPORTS = {"demo": demo_week, "empty": empty_week, "hostile": hostile_week}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("name", sorted(REPORTS))
def test_nothing_trips_a_person_up(name: str, width: int, scheme: str, tmp_path: Path) -> None:
    page = write(REPORTS[name](), tmp_path, audit=True)
    # Headless windows are at least 500 pixels wide; a frame of the wanted width stands in for a phone.
    flags = (f"--window-size={width},1600", *(DARK if scheme == "dark" else LIGHT))
    dom = chromium(_framed(page, width) if width < 500 else page, tmp_path, *flags, "--dump-dom")
    found = re.search(r'data-audit="([^"]*)"', dom)
    assert found is not None, "the audit did not run to its end"
    audit = json.loads(html.unescape(found[1]))
    assert audit["problems"] == []
    assert audit["dark"] is (scheme == "dark")
    assert audit["charts"] == (0 if name == "empty" else 6)


def _framed(page: Path, width: int) -> Path:
    """The page in a frame of that width, which hands its audit up when it is done."""
    frame = page.with_name("frame.html")
    content = html.escape(page.read_text(encoding="utf-8"))
    script = "const f = document.querySelector('iframe'); f.onload = () => setTimeout(() => { document.body.dataset.audit = f.contentDocument.body.dataset.audit; }, 500);"
    frame.write_text(
        f'<!doctype html><meta charset="utf-8"><body><iframe style="width:{width}px;height:1600px;border:0" srcdoc="{content}"></iframe><script>{script}</script></body>',
        encoding="utf-8",
    )
    return frame


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
def test_screenshots(width: int, scheme: str, tmp_path: Path) -> None:
    page = write(demo_week(), tmp_path, audit=False)
    folder = Path(os.environ.get("TRIAGE_SCREENSHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    shot = folder / f"report-{width}-{scheme}.png"
    chromium(
        page, tmp_path, f"--window-size={width},3000", *(DARK if scheme == "dark" else LIGHT), f"--screenshot={shot}"
    )
    head = shot.read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    assert int.from_bytes(head[16:20], "big") >= width
    assert shot.stat().st_size > 50_000, "a blank page"


def test_it_prints(tmp_path: Path) -> None:
    page = write(demo_week(), tmp_path, audit=False)
    chromium(page, tmp_path, f"--print-to-pdf={tmp_path / 'report.pdf'}", "--no-pdf-header-footer")
    content = (tmp_path / "report.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", content)) <= 12
