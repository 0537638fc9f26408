"""Slips in the script of a step, which the shell names: a block without its end, a quote, a line's continuation."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator

from tests.seeded.seed import Seed
from tests.seeded.site import SHELL, Job, Site
from tests.seeded.text import Text, of_scripts, read


def block_end(site: Site) -> Iterator[Seed]:
    """A `fi` or `done` of its own line that is gone."""
    for job, number, text, lines in _scripts(site):
        for at, line in lines:
            if re.fullmatch(r"\s*(?:fi|done|esac)\s*;?\s*", line):
                yield from _parsed(job, number, text, text.without_lines(at, at), line.strip())


def quote(site: Site) -> Iterator[Seed]:
    """The last quote of a line."""
    for job, number, text, lines in _scripts(site):
        for at, line in lines:
            if re.search(r"[\"']\s*$", line) and line.count('"') in (2, 4) and line.count("'") in (0, 2):
                written = text.line(at).rstrip()
                yield from _parsed(job, number, text, text.with_line(at, written[:-1]), line.strip())


def then(site: Site) -> Iterator[Seed]:
    """`; then` or `; do` that is gone."""
    for job, number, text, lines in _scripts(site):
        for at, line in lines:
            if re.search(r"; (?:then|do)\s*$", line):
                written = re.sub(r"; (?:then|do)\s*$", "", text.line(at))
                yield from _parsed(job, number, text, text.with_line(at, written), line.strip())


def continuation(site: Site) -> Iterator[Seed]:
    """The `\\` at the end of a line before options: the shell takes the next line as a command."""
    for job, number, text, lines in _scripts(site):
        for place, (at, line) in enumerate(lines[:-1]):
            follows = lines[place + 1][1].strip()
            found = re.match(r"(--?[\w-][\w.=-]*)", follows)
            if not re.search(r"\s\\\s*$", line) or not found or (place == 0 and not line.strip()):
                continue
            spoilt = text.with_line(at, re.sub(r"\s+\\\s*$", "", text.line(at)))
            word = re.split(r"\s", follows)[0]
            lost = "No such file or directory" if "/" in job.filled(word) else "command not found"
            words = (f"{SHELL}: line {place + 2}: {job.filled(word)}: {lost}",)
            yield Seed(job, number, {job.workflow: spoilt.encode()}, words, follows, code=127)


def _parsed(job: Job, number: int, text: Text, spoilt: str, about: str) -> Iterator[Seed]:
    """With what bash itself says when it reads the script, without running it."""
    new = read(spoilt)
    node = new.of_step(job, number, "run") if new else None
    if node is None:
        return
    script = job.filled(node[1].value)
    ended = subprocess.run(["bash", "-n"], input=script.encode(), capture_output=True, check=False)
    if ended.returncode:
        said = ended.stderr.decode("utf-8", "replace").rstrip("\n").split("\n")
        lines = tuple(re.sub(r"^bash: ", f"{SHELL}: ", one) for one in said)
        yield Seed(job, number, {job.workflow: spoilt.encode()}, lines, about, code=2)


def _scripts(site: Site) -> Iterator[tuple[Job, int, Text, list[tuple[int, str]]]]:
    for job, number, text, found in of_scripts(site, "run"):
        if str(job.steps[number].get("shell", "bash")) == "bash" and "windows" not in str(job.body.get("runs-on")):
            yield job, number, text, list(text.script(found[1]))
