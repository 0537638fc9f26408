"""A pin to a release that the index does not have, and a build that no longer sees what is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.seeded.kinds.lines import certain, in_job
from tests.seeded.kinds.places import INSTALL, Place, named_elsewhere, places, spoilt
from tests.seeded.seed import Seed
from tests.seeded.site import Site

_EXACT = re.compile(r"==\s*(\d+(?:\.\d+)+)")
_READS_TORCH = re.compile(r"flash[-_]attn|apex|causal[-_]conv1d|mamba[-_]ssm|transformer[-_]engine|grouped[-_]gemm")
_DIST = re.compile(r"[\"']?([A-Za-z][\w.-]*)[\"']?")


def absent(site: Site) -> Iterator[Seed]:
    """The last number of an exact pin raised beyond what was released; pip lists what there is."""
    for place in places(site):
        found = _EXACT.fullmatch(place.bound)
        if not found or place.tool != "pip" or named_elsewhere(site, place):
            continue
        asked = f"{found[1].rpartition('.')[0]}.{int(found[1].rpartition('.')[2]) + 37}"
        files = spoilt(site, place, f"=={asked}")
        if files:
            yield Seed(place.job, place.step, files, tuple(_lines(place, asked, found[1])), f"{place.whole} -> {asked}")


def _lines(place: Place, asked: str, there: str) -> Iterator[str]:
    base, _, last = there.rpartition(".")
    major = base.split(".")[0]
    before = [f"{major}.0.0", *(f"{base}.{number}" for number in range(max(0, int(last) - 2), int(last) + 1))]
    listed = ", ".join(dict.fromkeys([*before, f"{int(major) + 1}.0.0", f"{int(major) + 1}.1.0"]))
    origin = f" (from {place.path})" if place.path.endswith(".txt") else ""
    yield f"ERROR: Could not find a version that satisfies the requirement {place.name}=={asked}{origin} (from versions: {listed})"
    yield f"ERROR: No matching distribution found for {place.name}=={asked}"


def isolated(site: Site) -> Iterator[Seed]:
    """`--no-build-isolation` taken out where the build reads PyTorch: of what is known to, or of the repository's own."""
    setup = site.text("setup.py") if "setup.py" in site.tree else ""
    project = re.sub(r"#.*", "", site.text("pyproject.toml")) if "pyproject.toml" in site.tree else ""
    needs = re.search(r"^(?:import|from) torch\b", setup, re.M) and not re.search(r"requires = \[[^\]]*torch", project)
    for job in site.jobs:
        for number, script in certain(job):
            for found in INSTALL.finditer(script):
                if " --no-build-isolation" not in found[0] or "\n" in found[0]:
                    continue
                files = in_job(site, job, found[0], found[0].replace(" --no-build-isolation", "", 1))
                uv = found[0].startswith("uv")
                what = next((one for one in found["rest"].split() if not one.startswith("-")), ".")
                if files and (needs if what.startswith((".", "source")) else _READS_TORCH.match(what.strip("\"'"))):
                    yield Seed(job, number, files, tuple(_of_uv(what) if uv else _of_pip(what)), found[0])


def _hooks(place: str) -> Iterator[str]:
    for line, function, text in (
        (331, "get_requires_for_build_wheel", "return self._get_build_requires(config_settings, requirements=[])"),
        (301, "_get_build_requires", "self.run_setup()"),
        (512, "run_setup", "super().run_setup(setup_script=setup_script)"),
        (317, "run_setup", "exec(code, locals())"),
    ):
        yield f'  File "{place}/setuptools/build_meta.py", line {line}, in {function}'
        yield f"    {text}"


def _of_pip(what: str) -> Iterator[str]:
    yield f"Collecting {what}" if what[0].isalpha() else "Processing /home/runner/work/repo/repo"
    yield "  Installing build dependencies: started"
    yield "  Installing build dependencies: finished with status 'done'"
    yield "  Getting requirements to build wheel: started"
    yield "  Getting requirements to build wheel: finished with status 'error'"
    yield "  error: subprocess-exited-with-error"
    yield "  "
    yield "  × Getting requirements to build wheel did not run successfully."
    yield "  │ exit code: 1"
    yield "  ╰─> [17 lines of output]"
    yield "      Traceback (most recent call last):"
    yield from (f"      {line}" for line in _hooks("/tmp/pip-build-env-8h1xq0za/overlay/lib/python3.11/site-packages"))
    yield '        File "<string>", line 22, in <module>'
    yield "      ModuleNotFoundError: No module named 'torch'"
    yield "      [end of output]"
    yield "  "
    yield "  note: This error originates from a subprocess, and is likely not a problem with pip."
    yield "ERROR: Failed to build 'package' when getting requirements to build wheel"


def _of_uv(what: str) -> Iterator[str]:
    name = _DIST.match(what)
    yield f"  × Failed to build `{name[1] if name else 'repo @ file:///home/runner/work/repo/repo'}`"
    yield "  ├─▶ The build backend returned an error"
    yield "  ╰─▶ Call to `setuptools.build_meta:__legacy__.build_wheel` failed (exit status: 1)"
    yield ""
    yield "      [stderr]"
    yield "      Traceback (most recent call last):"
    yield from (f"      {line}" for line in _hooks("/root/.cache/uv/builds-v0/.tmpU7Jx2e/lib/python3.11/site-packages"))
    yield '        File "<string>", line 22, in <module>'
    yield "      ModuleNotFoundError: No module named 'torch'"
