"""Slips of a shell's line: an unquoted version, a sign behind a short option, a list of which a container gets one."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import MendCommand, MendInstruction, RepairLine

OWN = ".github/workflows/own.yml"
QUOTE = RepairLine("redirected", "{script}", "{line}", "{file}")


def step(*lines: str) -> str:
    run = "".join(f"          {line}\n" for line in lines)
    return f"on: [push]\njobs:\n  unit:\n    runs-on: x\n    steps:\n      - name: Run\n        run: |\n{run}"


def quoted(files: Mapping[str, str], script: str, line: str, file: str, job: str = "unit") -> Patch:
    captures = {"script": script, "line": line, "file": file}
    path = OWN if job else ""
    return patch(QUOTE, job, path, step="Run", captures=captures, repository=tree(dict(files)))


@pytest.mark.parametrize(
    ("line", "file", "new"),
    [
        ("pip install torch<2.0", "2.0", 'pip install "torch<2.0"'),
        ("uv pip install -U numpy>=1.21,<=2.0 tqdm", "=2.0", 'uv pip install -U "numpy>=1.21,<=2.0" tqdm'),
        ("python3 -m pip install a[b]<3 c>=1 && make", "3", 'python3 -m pip install "a[b]<3" "c>=1" && make'),
        ("conda install -y mkl<2024.1", "2024.1", 'conda install -y "mkl<2024.1"'),
        ("pip install datasets<1.13.0 'x<2'", "1.13.0", "pip install \"datasets<1.13.0\" 'x<2'"),
    ],
)
def test_a_version_that_the_shell_would_read_is_quoted(line: str, file: str, new: str) -> None:
    made = quoted({OWN: step("set -e", line)}, "/home/runner/work/_temp/1.sh", "2", file)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [f"-{line}", f"+{new}"]
    files = {"ci/install.sh": f"set -e\n{line}\n", "docs/install.sh": "pip install 'other<9'\n"}
    alone = quoted(files, "install.sh", "2", file, job="")
    assert alone.state is PatchState.PATCH, alone.reason
    assert alone.files == ("ci/install.sh",)


def test_what_reads_a_file_or_is_quoted_is_left() -> None:
    for text in ("sort < 2.0", "echo 'pip install torch<2.0'", "cat > a.sh <<EOF\npip install torch<2.0\nEOF"):
        assert quoted({"a.sh": f"{text}\n"}, "a.sh", "1", "2.0", job="").state is not PatchState.PATCH
    assert quoted({"a.sh": 'pip install "torch<2.0"\n'}, "a.sh", "1", "2.0", job="").state is PatchState.IN_PLACE
    twice = "pip install a<2.0\npip install b<2.0\n"
    assert len(changed(quoted({"a.sh": twice}, "a.sh", "2", "2.0", job=""))) == 4
    assert quoted({"a.sh": twice}, "a.sh", "2", "../x", job="").state is PatchState.REFUSED


def in_image(text: str, failed: str, recipe: MendInstruction, **captures: str) -> Patch:
    number = text.split("\n").index(failed) + 1
    files = {OWN: step("docker build ."), "Dockerfile": text, "pyproject.toml": "[project]\nname = 'train'\n"}
    facts = Facts(build=BuildStep("Dockerfile", {number: failed}))
    return patch(recipe, "unit", OWN, facts=facts, captures=captures, repository=tree(files))


def test_a_version_in_an_image_is_quoted() -> None:
    run = "RUN pip install torch<2.0 && pip install numpy>=1.0"
    made = in_image(f"FROM a:1\n{run}\n", run, MendInstruction("redirected"), file="2.0")
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made)[1] == '+RUN pip install "torch<2.0" && pip install "numpy>=1.0"'
    assert in_image(f"FROM a:1\n{run}\n", run, MendInstruction("redirected"), file="3").state is PatchState.REFUSED


@pytest.mark.parametrize(
    ("copy", "run", "new"),
    [
        ("COPY . app/", "RUN pip install -e .[test]", "RUN cd app && pip install -e .[test]"),
        ("ADD . ./src", "RUN pip3 install --no-cache-dir .", "RUN cd src && pip3 install --no-cache-dir ."),
        (
            "COPY ./ train",
            "RUN apt-get update && uv pip install .",
            "RUN apt-get update && cd train && uv pip install .",
        ),
    ],
)
def test_the_project_is_installed_where_it_was_copied(copy: str, run: str, new: str) -> None:
    made = in_image(f"FROM a:1\nWORKDIR /work\n{copy}\n{run}\n", run, MendInstruction("project"))
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [f"-{run}", f"+{new}"]


@pytest.mark.parametrize(
    ("before", "run"),
    [
        ("COPY . .", "RUN pip install ."),
        ("COPY . app/\nWORKDIR /work/app", "RUN pip install ."),
        ("COPY requirements.txt app/", "RUN pip install ."),
        ("COPY . app/\nCOPY . copy/", "RUN pip install ."),
        ("COPY . app/", "RUN cd lib && pip install ."),
        ("COPY . /opt/app", "RUN pip install ."),
        ("COPY . app/", "RUN pip install -r requirements.txt"),
    ],
)
def test_another_folder_is_not_guessed(before: str, run: str) -> None:
    made = in_image(f"FROM a:1\n{before}\n{run}\n", run, MendInstruction("project"))
    assert made.state is PatchState.REFUSED, made.diff


def mended(fault: str, *lines: str, **captures: str) -> Patch:
    recipe = MendCommand(fault)  # type: ignore[arg-type]
    return patch(recipe, "unit", OWN, step="Run", captures=captures, repository=tree({OWN: step(*lines)}))


@pytest.mark.parametrize(
    ("line", "new"),
    [
        ("pip wheel -r a.txt -f=https://x.example/whl", "pip wheel -r a.txt -f https://x.example/whl"),
        ("python -m pip install -i=https://x.example/simple b", "python -m pip install -i https://x.example/simple b"),
        (
            "pip3 install -r=a.txt --find-links=https://x.example",
            "pip3 install -r a.txt --find-links=https://x.example",
        ),
    ],
)
def test_a_short_option_has_no_sign(line: str, new: str) -> None:
    made = mended("short-option", "set -e", line)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [f"-{line}", f"+{new}"]


def test_other_programs_have_short_options_of_their_own() -> None:
    assert mended("short-option", "cut -f=2 a", "pip install -r a.txt").state is PatchState.IN_PLACE
    assert mended("short-option", "sort -i=2 a").state is PatchState.REFUSED
    for lines in (('pip install "-f=https://x.example" a',), ('O="-f=https://x.example"', "pip install $O a")):
        said = mended("short-option", *lines)
        assert (said.state, "`-f https://x.example`" in said.reason) == (PatchState.ADVICE, True)


@pytest.mark.parametrize(
    ("line", "command", "new"),
    [
        (
            "docker run --rm -v $PWD:/w example/hpu:1 pip install hub && hub login && pytest tests",
            "hub",
            'docker run --rm -v $PWD:/w example/hpu:1 /bin/bash -c "pip install hub && hub login && pytest tests"',
        ),
        (
            "docker exec box pip install -e . && pytest tests",
            "pytest",
            'docker exec box /bin/bash -c "pip install -e . && pytest tests"',
        ),
        (
            "sudo podman run --ipc=host example/cpu:1 cd src && tox -e py",
            "tox",
            'sudo podman run --ipc=host example/cpu:1 /bin/bash -c "cd src && tox -e py"',
        ),
    ],
)
def test_the_container_gets_the_whole_list(line: str, command: str, new: str) -> None:
    made = mended("in-container", line, command=command)
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [f"-{line}", f"+{new}"]


def test_a_list_of_several_lines_keeps_them() -> None:
    made = mended("in-container", "docker run a/b:1 \\", "  pip install hub && \\", "  hub login", command="hub")
    assert made.state is PatchState.PATCH, made.reason
    new = ['+/bin/bash -c "pip install hub && \\', '+hub login"']
    assert changed(made) == ["-pip install hub && \\", "-hub login", *new]


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("docker run a/b:1 pip install hub && hub login", "other"),
        ("docker run a/b:1 pip install hub && hub login 'a b'", "hub"),
        ("docker run a/b:1 pip install hub && hub login > log", "hub"),
        ("docker run --name pip a/b:1 && hub login", "hub"),
        ("pip install hub && hub login", "hub"),
    ],
)
def test_what_is_not_meant_for_the_container_stays(line: str, command: str) -> None:
    assert mended("in-container", line, command=command).state is PatchState.REFUSED


@pytest.mark.parametrize(
    ("lines", "old", "new"),
    [
        (("git clone https://x.example/engine", "cd engine", "git checkout 0a1b"), "git checkout 0a1b", "git checkout -f 0a1b"),
        (("git clone $URL engine && cd engine && git checkout $SHA",), "git clone $URL engine && cd engine && git checkout $SHA", "git clone $URL engine && cd engine && git checkout -f $SHA"),
        (("git clone https://x.example/engine", "cd engine", "echo v2 >&2", "git checkout v2"), "git checkout v2", "git checkout -f v2"),
        (("git clone https://x.example/other", "git clone https://x.example/engine.git", "git -C engine switch v2"), "git -C engine switch v2", "git -C engine switch -f v2"),
    ],
)  # fmt: skip
def test_a_fresh_clone_has_no_work_to_lose(lines: tuple[str, ...], old: str, new: str) -> None:
    made = mended("dirty", *lines, name="engine")
    assert made.state is PatchState.PATCH, made.reason
    assert changed(made) == [f"-{old}", f"+{new}"]


@pytest.mark.parametrize(
    "lines",
    [
        ("git checkout main",),
        ("git clone https://x.example/engine", "cd engine", "sed -i s/a/b/ setup.py", "git checkout v2"),
        ("git clone https://x.example/engine", "cd engine", "git apply ../a.patch", "git checkout v2"),
        ("git clone u/a", "git -C a checkout v1", "git clone u/b", "git -C b checkout v2"),
        ("git clone https://x.example/engine", "cd engine", "perl -pi -e s/a/b/ setup.py", "git checkout v2"),
        ("git clone https://x.example/engine", "cd engine", "make generated", "git checkout v2"),
        ("git clone https://x.example/engine", "cd engine", "echo a > setup.cfg", "git checkout v2"),
        ("git clone https://x.example/engine", "cd other", "git checkout v2"),
    ],
)
def test_work_of_the_job_is_kept(lines: tuple[str, ...]) -> None:
    assert mended("dirty", *lines, name="engine").state is PatchState.REFUSED
