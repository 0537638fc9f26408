"""A distribution that is missing where a job keeps what its tests need: tox, nox, conda, groups, an image."""

from __future__ import annotations

from collections.abc import Iterator

from tests.seeded.kinds.needs import Need, needs, steps
from tests.seeded.seed import Seed
from tests.seeded.site import HOME, Site


def _lines(names: list[str], before: str, after: str = "") -> str:
    return "".join(f"{before}{one}{after}\n" for one in names)


def tox_deps(site: Site) -> Iterator[Seed]:
    """A line of `deps` in `tox.ini`."""
    if any(one in site.tree for one in ("tox.ini", "tox.toml")):
        return
    for at, need in enumerate(needs(site)):
        name = ("unit", "py311")[at % 2]
        section = "testenv" if name == "py311" else "testenv:unit"

        def text(*, lacking: bool, need: Need = need, name: str = name, section: str = section) -> str:
            return (
                f"[tox]\nenvlist = {name}\nskipsdist = true\n\n[{section}]\nsetenv =\n    PYTHONPATH = {{toxinidir}}\n"
                f"deps =\n{_lines(need.names(lacking=lacking), '    ')}commands =\n    pytest {need.folder} {{posargs}}\n"
                "\n[testenv:lint]\nskip_install = true\ndeps =\n    ruff\ncommands =\n    ruff check .\n"
            )

        files = {"tox.ini": (text(lacking=False), text(lacking=True))}
        said = [
            f"{name}: install_deps> python -I -m pip install {' '.join(need.names(lacking=True))}",
            f"{name}: commands[0]> pytest {need.folder}",
            *need.traceback(),
            f"{name}: exit 2 (4.31 seconds) {HOME}> pytest {need.folder} pid=2214",
            f"  {name}: FAIL code 2 (61.14=setup[56.83]+cmd[4.31] seconds)",
            "  evaluation failed :( (61.30 seconds)",
        ]
        script = f"tox -e {name}" if at % 2 == 0 else "tox run -e py311"
        yield need.seed(steps("pip install tox", script), files, said)


def nox_install(site: Site) -> Iterator[Seed]:
    """A word of `session.install` in `noxfile.py`."""
    if "noxfile.py" in site.tree:
        return
    for at, need in enumerate(needs(site)):

        def text(*, lacking: bool, need: Need = need, at: int = at) -> str:
            names = need.names(lacking=lacking)
            listed = (
                f"    session.install({', '.join(map(repr, names))})\n".replace("'", '"')
                if at % 2
                else "    session.install(\n" + _lines(names, '        "', '",') + "    )\n"
            )
            return (
                'import nox\n\n\n@nox.session(python="3.11")\ndef tests(session: nox.Session) -> None:\n'
                f'{listed}    session.run("pytest", "{need.folder}", *session.posargs)\n\n\n'
                '@nox.session\ndef lint(session: nox.Session) -> None:\n    session.install("ruff")\n'
                '    session.run("ruff", "check", ".")\n'
            )

        files = {"noxfile.py": (text(lacking=False), text(lacking=True))}
        said = [
            "nox > Running session tests-3.11",
            "nox > Creating virtual environment (virtualenv) using python3.11 in .nox/tests-3-11",
            f"nox > python -m pip install {' '.join(need.names(lacking=True))}",
            f"nox > pytest {need.folder}",
            *need.traceback(),
            f"nox > Command pytest {need.folder} failed with exit code 2",
            "nox > Session tests-3.11 failed.",
        ]
        yield need.seed(steps("pip install nox", "nox -s tests"), files, said)


def conda_pip(site: Site) -> Iterator[Seed]:
    """A line of pip's list in the environment file that conda creates the environment from."""
    return _conda(site, "  - pip\n  - pip:\n", "      - ")


def conda_own(site: Site) -> Iterator[Seed]:
    """A line of conda's own list in such a file, which has no list of pip's."""
    return _conda(site, "", "  - ")


def _conda(site: Site, head: str, before: str) -> Iterator[Seed]:
    for at, need in enumerate(needs(site)):
        path = ("environment.yml", "ci/environment-test.yml", "conda/env.yaml")[at % 3]
        if path in site.tree:
            continue
        whole, lacking = (
            f"name: unit\nchannels:\n  - conda-forge\ndependencies:\n  - python=3.11\n{head}{_lines(names, before)}"
            for names in (need.names(lacking=False), need.names(lacking=True))
        )
        yield _of_conda(need, at, path, whole, lacking)


def _of_conda(need: Need, at: int, path: str, whole: str, lacking: str) -> Seed:
    test = f"python -m pytest {need.folder}"
    match at % 3:
        case 0:
            made = steps(f"conda env create -f {path}", f"conda run -n unit {test}", python=False)
        case 1:
            uses = f"uses: conda-incubator/setup-miniconda@v3\nwith:\n  environment-file: {path}\n  activate-environment: unit"
            made = steps(uses, test, python=False)
        case _:
            uses = f"uses: mamba-org/setup-micromamba@v2\nwith:\n  environment-file: {path}"
            made = steps(uses, f"micromamba run -n unit {test}", python=False)
    return need.seed(made, {path: (whole, lacking)}, need.traceback())


def image_pip(site: Site) -> Iterator[Seed]:
    """A word of `pip install` in the Dockerfile that the job builds the image from in which it runs its tests."""
    for at, need in enumerate(needs(site)):
        path = ("docker/Dockerfile.unit", "ci/unit.Dockerfile")[at % 2]
        if path in site.tree:
            continue

        def text(*, lacking: bool, need: Need = need, at: int = at) -> str:
            names = need.names(lacking=lacking)
            listed = " ".join(names) if at % 2 else "\\\n" + " \\\n".join(f"    {one}" for one in names)
            return (
                "FROM python:3.11-slim\n\nRUN apt-get update && apt-get install -y git\n"
                f"RUN pip install --no-cache-dir {listed}\n\nWORKDIR /app\nCOPY . .\nENV PYTHONPATH=/app\n"
            )

        files = {path: (text(lacking=False), text(lacking=True))}
        build = f"docker build -t train-unit -f {path} ."
        run = f"docker run --rm train-unit pytest {need.folder}"
        made = steps(build, run, python=False) if at % 2 else steps(f"{build}\n{run}", python=False)
        yield need.seed(made, files, need.traceback("/app"))
