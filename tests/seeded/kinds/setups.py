"""What sets a job up: the release of an action, the image, the Python."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from tests.seeded.kinds.lines import block_of, certain, home, hosted, in_job
from tests.seeded.kinds.places import INSTALL, OWN
from tests.seeded.seed import Seed
from tests.seeded.site import Job, Site

_USED = re.compile(r"([\w.-]+/[\w./-]+)@v(\d+)(?:\.\d+)*")
_HASHED = re.compile(r"([\w.-]+/[\w./-]+)@([0-9a-f]{40})")
_FLOOR = re.compile(r"^requires-python\s*=\s*[\"']\s*>=\s*3\.(\d+)(?:\.\d+)?[^\"']*[\"']", re.M)
_PIP = re.compile(r"(?:^|[;&|]\s*|\n\s*)(?:python3? -m )?pip3? install\b")


def action_release(site: Site) -> Iterator[Seed]:
    """The tag of an action raised to one that there is not, where other jobs have the right one."""
    yield from _actions(site, _USED, lambda found: f"{found[1]}@v{int(found[2]) + 40}")


def action_commit(site: Site) -> Iterator[Seed]:
    """The same with a commit: two of its digits changed."""
    yield from _actions(
        site, _HASHED, lambda found: f"{found[1]}@{found[2][:-2]}{'a1' if found[2][-2:] != 'a1' else 'b2'}"
    )


def _actions(site: Site, pattern: re.Pattern[str], wrong: Callable[[re.Match[str]], str]) -> Iterator[Seed]:
    every = Counter(str(step["uses"]) for job in site.jobs for step in job.steps if "uses" in step)
    for job in site.jobs:
        own = Counter(str(step.get("uses")) for step in job.steps)
        for uses, times in own.items():
            found = pattern.fullmatch(uses)
            others = [one for one in every if one.partition("@")[0] == uses.partition("@")[0]]
            if not found or times != 1 or every[uses] < 2 or len(others) != 1:
                continue
            new = wrong(found)
            spoilt = in_job(site, job, f"uses: {uses}", f"uses: {new}")
            if spoilt:
                action, _, release = new.partition("@")
                lines = (
                    "Getting action download info",
                    f"##[error]Unable to resolve action `{action}@{release}`, unable to find version `{release}`",
                )
                yield Seed(job, -1, spoilt, lines, new, setting_up=True)


def image_tag(site: Site) -> Iterator[Seed]:
    """The tag of a job's container misspelt, where another job has the right one."""
    images = Counter(one for job in site.jobs if (one := _image(job)))
    for job in site.jobs:
        image = _image(job)
        name, _, tag = image.rpartition(":")
        if images[image] < 2 or len(tag) < 3 or "/" in tag or "$" in image:
            continue
        wrong = f"{name}:{tag[:-2]}{tag[-1]}{tag[-2]}" if tag[-1] != tag[-2] else f"{image}0"
        spoilt = in_job(site, job, image, wrong)
        if spoilt:
            lines = (
                "##[group]Checking docker version",
                "##[command]/usr/bin/docker version --format '{{.Server.APIVersion}}'",
                "'1.48'",
                "##[endgroup]",
                "##[group]Starting job container",
                f"##[command]/usr/bin/docker pull {wrong}",
                f"Error response from daemon: manifest for {wrong} not found: manifest unknown: manifest unknown",
                "##[warning]Docker pull failed with exit code 1, back off 4.9 seconds before retry.",
                f"##[command]/usr/bin/docker pull {wrong}",
                f"Error response from daemon: manifest for {wrong} not found: manifest unknown: manifest unknown",
                "##[error]Docker pull failed with exit code 1",
            )
            yield Seed(job, -1, spoilt, lines, wrong, setting_up=True)


def _image(job: Job) -> str:
    container = job.body.get("container")
    found = container.get("image") if isinstance(container, dict) else container
    return found if isinstance(found, str) else ""


def python_too_old(site: Site) -> Iterator[Seed]:
    """The Python of the setup step below what the project requires."""
    text = site.text("pyproject.toml") if "pyproject.toml" in site.tree else ""
    floor = _FLOOR.search(text)
    least = int(floor[1]) if floor else 0
    for job in site.jobs if least > 8 else ():
        at = _setup(job)
        step = job.steps[at] if at >= 0 else {}
        version = str((step.get("with") or {}).get("python-version", ""))
        installing = next((n for n, script in certain(job) if n > at and _own(script)), -1)
        if not re.fullmatch(r"3\.\d+", version) or installing < 0:
            continue
        written = next(
            (
                one
                for one in (f'"{version}"', f"'{version}'", version)
                if f"python-version: {one}\n" in block_of(site.text(job.workflow), job)
            ),
            "",
        )
        old = f"python-version: {written}\n"
        spoilt = in_job(site, job, old, old.replace(version, f"3.{least - 1}")) if written else {}
        if spoilt:
            said = f"'{floor[0].split('=', 1)[1].strip()[1:-1]}'" if floor else ""
            lines = (
                f"Processing {home(site)}",
                "  Installing build dependencies: started",
                "  Installing build dependencies: finished with status 'done'",
                "  Getting requirements to build wheel: started",
                "  Getting requirements to build wheel: finished with status 'done'",
                f"ERROR: Package 'train' requires a different Python: 3.{least - 1}.18 not in {said}",
            )
            yield Seed(job, installing, spoilt, lines, f"3.{least - 1} in {said}")


def _own(script: str) -> bool:
    return any(OWN.search(found["rest"]) and not found[0].startswith("uv") for found in INSTALL.finditer(script))


def _setup(job: Job) -> int:
    every = [n for n, step in enumerate(job.steps) if str(step.get("uses", "")).startswith("actions/setup-python@")]
    return every[0] if len(every) == 1 and not job.steps[every[0]].get("if") else -1


def no_python(site: Site) -> Iterator[Seed]:
    """The step that sets Python up taken out, on a machine whose own Python the system manages; siblings have it."""
    having = sum(_setup(job) >= 0 for job in site.jobs)
    for job in site.jobs if having > 2 else ():
        at = _setup(job)
        if at < 0 or not hosted(job) or "22.04" in str(job.body.get("runs-on")):
            continue
        text, block = site.text(job.workflow), block_of(site.text(job.workflow), job)
        step = re.search(
            r"(?m)^(?P<margin> +)- (?:(?!\n(?P=margin)- |\n {0,5}\S)[\s\S])*?uses: actions/setup-python@(?:(?!\n(?P=margin)- |\n {0,5}\S)[\s\S])*\n",
            block,
        )
        installing = next((n for n, script in job.runs() if n > at), -1)
        script = dict(job.runs()).get(installing, "")
        if (
            not step
            or "uses:" in step[0].replace("uses: actions/setup-python", "", 1)
            or not _PIP.search(script)
            or "venv" in script
        ):
            continue
        lines = (
            "error: externally-managed-environment",
            "",
            "× This environment is externally managed",
            "╰─> To install Python packages system-wide, try apt install",
            "    python3-xyz, where xyz is the package you are trying to",
            "    install.",
            "    ",
            "    If you wish to install a non-Debian-packaged Python package,",
            "    create a virtual environment using python3 -m venv path/to/venv.",
            "    Then use path/to/venv/bin/python and path/to/venv/bin/pip. Make",
            "    sure you have python3-full installed.",
            "    ",
            "note: If you believe this is a mistake, please contact your Python installation or OS distribution provider. You can override this, at the risk of breaking your Python installation or OS, by passing --break-system-packages.",
            "hint: See PEP 668 for the detailed specification.",
        )
        spoilt = {job.workflow: text.replace(block, block.replace(step[0], "", 1), 1).encode()}
        yield Seed(job, installing - 1, spoilt, lines, "setup-python", accepts="uses: actions/setup-python@")
