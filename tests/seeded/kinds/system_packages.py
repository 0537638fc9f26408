"""A package of the system that the job no longer installs, and commands of apt that lack what makes them work."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tests.seeded.kinds.debian import HOSTED, LIBRARIES, NAME, PROGRAMS, asks
from tests.seeded.kinds.lines import brought, certain, hosted, in_job
from tests.seeded.seed import Seed
from tests.seeded.site import Job, Site

_APT = re.compile(r"(?P<sudo>sudo )?(?P<command>apt(?:-get)?(?: -\S+)* install)(?P<rest>(?: [^\s&|;\\]+)+)")
_UPDATE = re.compile(r"(?:sudo )?apt(?:-get)? update(?: -\S+)*(?: \|\| true)?(?: &&|\n)\s*")
_BUILDS = re.compile(
    r"\b(?:pip3? install|uv pip install|python setup\.py|cmake|make|cargo|maturin|python3? -m build)\b"
)
_RUNS = re.compile(r"\b(?:pytest|python3? )")


def taken_out(site: Site) -> Iterator[Seed]:
    """One of several packages of a line, where a later line of the job calls the program that it brings."""
    for job in site.jobs:
        for number, script in certain(job):
            for found in _APT.finditer(script):
                names = [word for word in found["rest"].split() if not word.startswith("-")]
                for name in names if len(names) > 1 else ():
                    spoilt = in_job(site, job, found[0], re.sub(rf" {re.escape(name)}(?= |$)", "", found[0], count=1))
                    if spoilt:
                        yield from _missed(site, job, number, found.end(), name, spoilt)


def whole_line(site: Site) -> Iterator[Seed]:
    """The only package of a line, with the line, in a script that goes on for more."""
    for job in site.jobs:
        for number, script in certain(job):
            for line in script.split("\n"):
                found = _APT.fullmatch(line.strip())
                names = [word for word in found["rest"].split() if not word.startswith("-")] if found else []
                if len(names) == 1 and script.count("\n") > 1:
                    spoilt = in_job(site, job, line.strip(), ":")
                    gone = {path: re.sub(rb"\n *:(?=\n)", b"", text, count=1) for path, text in spoilt.items()}
                    if gone:
                        yield from _missed(site, job, number, script.index(line) + len(line), names[0], gone)


def _missed(site: Site, job: Job, number: int, at: int, name: str, spoilt: Mapping[str, bytes]) -> Iterator[Seed]:
    later = [(n, script[at:] if n == number else script) for n, script in job.runs() if n >= number]
    program = PROGRAMS.get(name, "")
    if program and not (hosted(job) and name in HOSTED):
        called = re.compile(rf"(?:^|[|;&(]|\$\()[ \t]*(?:sudo )?{re.escape(program)}(?=[ \t\n)])", re.M)
        for n, script in later if not brought(site, job, name) else ():
            hit = called.search(script)
            if hit:
                whole = dict(job.runs())[n]
                line = whole[: whole.index(script) + hit.end()].count("\n") + 1
                yield Seed(
                    job,
                    n,
                    spoilt,
                    (_not_found(job, program, line), "##[error]Process completed with exit code 127."),
                    name,
                    accepts=name,
                )
                return
    said = LIBRARIES.get(name)
    wants = _RUNS if said and "Error: " in said[-1] and "ImportError" in said[-1] else _BUILDS
    for n, script in later if said else ():
        if wants.search(script) and "apt" not in script.split("\n")[0]:
            yield Seed(job, n, spoilt, said, name, accepts=name)
            return


def _not_found(job: Job, program: str, line: int) -> str:
    if job.body.get("container"):
        return f"/__w/_temp/6f1c9d52-0c0e-4d3c-9c9e-3f1d1a0f7a11.sh: {line}: {program}: not found"
    return f"/home/runner/work/_temp/6f1c9d52-0c0e-4d3c-9c9e-3f1d1a0f7a11.sh: line {line}: {program}: command not found"


def no_update(site: Site) -> Iterator[Seed]:
    """`apt-get update` taken out: on a bare image no list knows the package, on a machine of GitHub's an old one does."""
    for job in site.jobs:
        for number, script in certain(job):
            updates = list(_UPDATE.finditer(script))
            found = _APT.search(script)
            if len(updates) != 1 or not found or updates[0].end() > found.start():
                continue
            spoilt = _without_update(site, job, updates[0][0])
            if not spoilt or any(_UPDATE.search(other) for n, other in job.runs() if n != number):
                continue
            names = [word for word in found["rest"].split() if NAME.fullmatch(word)]
            if names:
                lines = _stale(names[0]) if hosted(job) else _unknown(names)
                yield Seed(
                    job,
                    number,
                    spoilt,
                    (*lines, "##[error]Process completed with exit code 100."),
                    names[0],
                    accepts="(?:apt|apt-get) update",
                )


def _without_update(site: Site, job: Job, text: str) -> Mapping[str, bytes]:
    if "\n" not in text:
        return in_job(site, job, text, "")
    line = text.rstrip()
    spoilt = in_job(site, job, line + "\n", ":\n")
    return {path: re.sub(rb"\n *:(?=\n)", b"", text, count=1) for path, text in spoilt.items()}


def _unknown(names: list[str]) -> tuple[str, ...]:
    return (
        "Reading package lists...",
        "Building dependency tree...",
        "Reading state information...",
        *(f"E: Unable to locate package {name}" for name in names),
    )


def _stale(name: str) -> tuple[str, ...]:
    file = f"{name}_1.2.3-0ubuntu1_amd64.deb"
    place = f"http://archive.example/ubuntu/pool/main/{name[0]}/{name}/{file}"
    return (
        "Reading package lists...",
        "Building dependency tree...",
        "Reading state information...",
        "The following NEW packages will be installed:",
        f"  {name}",
        "0 upgraded, 1 newly installed, 0 to remove and 21 not upgraded.",
        "Need to get 1284 kB of archives.",
        f"Ign:1 {place.replace(file, '')} noble-updates/main amd64 {name} amd64 1.2.3-0ubuntu1",
        f"Err:1 mirror+file:/etc/apt/apt-mirrors.txt noble-updates/main amd64 {name} amd64 1.2.3-0ubuntu1",
        "  404  Not Found [IP: 52.252.163.49 80]",
        f"E: Failed to fetch {place}  404  Not Found [IP: 52.252.163.49 80]",
        "E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?",
    )


def no_yes(site: Site) -> Iterator[Seed]:
    """`-y` taken out: apt asks, and nobody answers."""
    for job in site.jobs:
        if "DEBIAN_FRONTEND" in str(job.env):
            continue
        for number, script in job.runs():
            found = _APT.search(script)
            names = [word for word in found["rest"].split() if NAME.fullmatch(word)] if found else []
            bare = re.sub(r" -y(?= |$)", "", found[0], count=1) if found else ""
            spoilt = in_job(site, job, found[0], bare) if found and bare != found[0] and names else {}
            if spoilt:
                yield Seed(job, number, spoilt, asks(names), names[0], accepts=r"install.* -y\b|-y.* install")


def no_sudo(site: Site) -> Iterator[Seed]:
    """`sudo` taken out on a machine whose user is not root."""
    for job in site.jobs:
        for number, script in certain(job):
            found = _APT.search(script)
            spoilt = in_job(site, job, found[0], found[0].removeprefix("sudo ")) if found and found["sudo"] else {}
            if spoilt and hosted(job):
                lines = (
                    "E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)",
                    "E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), are you root?",
                    "##[error]Process completed with exit code 100.",
                )
                yield Seed(job, number, spoilt, lines, found[0])
