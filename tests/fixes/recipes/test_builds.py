"""Fixes whose place is the Dockerfile: of a build that failed, and of the image that a job runs in."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fixes.memory_tree import MemoryTree, by_path, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import PatchState
from triage.model.recipe import (
    BaseImage,
    ContainerOption,
    DeepClone,
    PinSource,
    PipInstall,
    PipPin,
    PipUninstall,
    RepairBuild,
    SetEnv,
)

CI = ".github/workflows/ci.yml"
FILE = "docker/Dockerfile.ci"
BUILD = """
    on: push
    jobs:
      image:
        runs-on: ubuntu-latest
        steps:
          - uses: actions/checkout@v4
          - name: Build
            uses: docker/build-push-action@v6
            with:
              context: .
              file: ./docker/Dockerfile.ci
              push: true
"""


def repository(dockerfile: str, workflow: str = BUILD, **files: str) -> MemoryTree:
    return tree({CI: workflow, FILE: dockerfile, **by_path(files)})


def failed(dockerfile: str, first: int, last: int, name: str = "Dockerfile.ci", **facts: object) -> Facts:
    """The facts of a log that shows lines `first`..`last` of the Dockerfile as those at which the build failed."""
    written = tree({"x": dockerfile}).read("x").decode().splitlines()
    lines = {number: written[number - 1] for number in range(first, last + 1)}
    return Facts(build=BuildStep(name, lines), **facts)  # type: ignore[arg-type]


CHAIN = """
    FROM registry.invalid/base:1 AS tools
    RUN pip install poetry
    FROM registry.invalid/base:1
    ARG FLAVOUR=dev
    COPY requirements/ci.txt /tmp/ci.txt
    WORKDIR /work
    RUN pip install -r /tmp/ci.txt
    RUN apt-get update && \\
        # the engine comes first
        pip install "engine>=2" trainer && \\
        pip install --no-build-isolation kernels && rm -rf /root/.cache
    RUN <<EOF
    set -e
    uv venv
    uv sync --extra ${FLAVOUR}
    EOF
"""


def test_a_pin_is_written_where_the_failed_build_installs_it() -> None:
    proved = patch(
        PipPin("engine", "<{installed}"), "image", CI, repository=repository(CHAIN, requirements__ci__txt="x"),
        facts=failed(CHAIN, 8, 11, installed={"engine": "2.4.0"}),
    )  # fmt: skip
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [
        '-pip install "engine>=2" trainer && \\',
        '+pip install "engine>=2,<2.4.0" trainer && \\',
    ]


def test_a_requirements_file_that_the_image_copies_is_the_place() -> None:
    files = tree({CI: BUILD, FILE: CHAIN, "requirements/ci.txt": "numpy\n", "ci.txt": "numpy\n"})
    facts = failed(CHAIN, 7, 7, installed={"numpy": "2.9"})
    proved = patch(PipPin("numpy", "<{installed}"), "image", CI, repository=files, facts=facts)
    assert proved.state is PatchState.PATCH, proved.reason
    assert proved.files == ("requirements/ci.txt",)


def test_a_bound_that_nothing_names_joins_the_one_install_that_failed() -> None:
    text = "FROM base:1\nRUN pip install wheel\nRUN cd /x && pip install trainer \\\n    accelerator\n"
    proved = patch(PipPin("setuptools", "<82"), "image", CI, repository=repository(text), facts=failed(text, 3, 4))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-accelerator", '+accelerator "setuptools<82"']
    several = draft(PipPin("setuptools", "<82"), "image", CI, repository=repository(CHAIN), facts=failed(CHAIN, 8, 11))
    assert several.state is PatchState.ADVICE
    assert f"2 commands of the instruction at {FILE}:8 may bring it" in several.reason


def test_what_comes_after_the_failure_is_no_place_and_lower_bounds_are_not_loosened() -> None:
    text = "FROM base:1\nRUN pip install trainer\nRUN pip install 'setuptools<80'\n"
    proved = patch(PipPin("setuptools", "<82"), "image", CI, repository=repository(text), facts=failed(text, 2, 2))
    assert changed(proved) == ["-RUN pip install trainer", '+RUN pip install trainer "setuptools<82"']
    held = draft(PipPin("setuptools", "<82"), "image", CI, repository=repository(text), facts=failed(text, 3, 3))
    assert held.state is PatchState.IN_PLACE
    assert "keeps as much out" in held.reason


def test_a_missing_module_is_installed_before_the_instruction_that_needs_it() -> None:
    text = "FROM base:1\nRUN pip install wheel && \\\n    pip list\nRUN pip install --no-build-isolation kernels\n"
    files = tree({CI: BUILD, FILE: text, "requirements.txt": "DataQueue==0.1.7\n"})
    recipe = PipInstall(module="data_queue", form="pinned")
    proved = patch(recipe, "image", CI, repository=files, facts=failed(text, 4, 4))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["+pip install --no-deps DataQueue==0.1.7 && \\"]
    assert proved.files == (FILE,)


def test_a_missing_module_joins_a_command_of_the_failed_instruction_that_has_run() -> None:
    """What the log lists as just installed shows that the command ended well; the template beside it is named."""
    text = "FROM base:1\nCOPY . .\nRUN pip install tables rich && \\\n    pip install --no-build-isolation . && \\\n    pip install pytest\n"
    files = {CI: BUILD, FILE: text, "docker/Dockerfile.jinja": text, "pyproject.toml": '[project]\nname = "train"\n'}
    recipe, missing = PipInstall(module="{module}", form="file"), {"module": "cv2"}
    ran = failed(text, 3, 5, installed={"tables": "3.9"}, brought=frozenset({"tables"}))
    proved = patch(recipe, "image", CI, captures=missing, repository=tree(files), facts=ran)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1] == "+RUN pip install tables rich opencv-python && \\"
    assert "docker/Dockerfile.jinja holds the same command" in " ".join(proved.notes)
    unknown = draft(recipe, "image", CI, captures=missing, repository=tree(files), facts=failed(text, 3, 5))
    assert not unknown.edits


def test_a_variable_stands_before_the_commands_that_read_it() -> None:
    lock = SetEnv("UV_CONCURRENT_INSTALLS", "1", level="step")
    proved = patch(lock, "image", CI, repository=repository(CHAIN), facts=failed(CHAIN, 12, 16))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [
        "-uv sync --extra ${FLAVOUR}",
        "+UV_CONCURRENT_INSTALLS=1 uv sync --extra ${FLAVOUR}",
    ]
    jobs = patch(SetEnv("MAX_JOBS", "4"), "image", CI, repository=repository(CHAIN), facts=failed(CHAIN, 8, 11))
    assert [line for line in changed(jobs) if line[0] == "+"] == [
        '+MAX_JOBS=4 pip install "engine>=2" trainer && \\',
        "+MAX_JOBS=4 pip install --no-build-isolation kernels && rm -rf /root/.cache",
    ]


def test_a_variable_that_the_instruction_sets_itself_is_changed_there() -> None:
    text = "FROM base:1\nENV MAX_JOBS=32\nRUN export MAX_JOBS=16 && pip install kernels\n"
    proved = patch(SetEnv("MAX_JOBS", "4"), "image", CI, repository=repository(text), facts=failed(text, 3, 3))
    assert changed(proved) == [
        "-RUN export MAX_JOBS=16 && pip install kernels", "+RUN export MAX_JOBS=4 && pip install kernels",
    ]  # fmt: skip
    text = text.replace("export MAX_JOBS=16 && ", "")
    proved = patch(SetEnv("MAX_JOBS", "4"), "image", CI, repository=repository(text), facts=failed(text, 3, 3))
    assert changed(proved) == ["-ENV MAX_JOBS=32", "+ENV MAX_JOBS=4"]


def test_which_of_several_dockerfiles_failed() -> None:
    other = CHAIN.replace("trainer", "other-trainer")
    files = tree({CI: BUILD, FILE: CHAIN, "docker/old/Dockerfile.ci": other, "docker/copy/Dockerfile.ci": CHAIN})
    facts = failed(CHAIN, 8, 11, installed={"engine": "2.4.0"})
    assert draft(PipPin("engine", "<{installed}"), "image", CI, repository=files, facts=facts).edits[0].path == FILE
    elsewhere = BUILD.replace("file: ./docker/Dockerfile.ci", "file: ${{ steps.choose.outputs.file }}")
    files = tree({CI: elsewhere, FILE: CHAIN, "docker/copy/Dockerfile.ci": CHAIN})
    refused = draft(PipPin("engine", "<{installed}"), "image", CI, repository=files, facts=facts)
    assert refused.state is PatchState.REFUSED
    assert "hold the failed instruction alike" in refused.reason
    gone = draft(PipPin("engine", "<1"), "image", CI, repository=repository("FROM base:1\n"), facts=facts)
    assert gone.state is PatchState.REFUSED
    assert "holds the instruction at which the build failed" in gone.reason


JOINED = """
    FROM registry.invalid/base:1
    RUN apt-get install -y \\
        git curl \\
        cmake && \\
        pip uninstall -y older oldest \\
        # Clear extra files
        rm -rf /tmp/* && \\
        pip cache purge
    ENV A=1
"""


def repaired(text: str, captures: Mapping[str, str], first: int, last: int):  # type: ignore[no-untyped-def]
    return patch(
        RepairBuild(), "image", CI, repository=repository(text), facts=failed(text, first, last), captures=captures
    )


def test_two_commands_are_joined_where_the_log_shows_the_astray_words() -> None:
    proved = repaired(JOINED, {"word": "/tmp/*"}, 2, 8)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-pip uninstall -y older oldest \\", "+pip uninstall -y older oldest && \\"]


def test_options_that_pip_reads_as_a_file_show_where_the_commands_meet() -> None:
    proved = repaired(JOINED, {"file": "f"}, 2, 8)
    assert changed(proved) == ["-pip uninstall -y older oldest \\", "+pip uninstall -y older oldest && \\"]
    assert repaired(JOINED, {"file": "x"}, 2, 8).state is PatchState.REFUSED


@pytest.mark.parametrize("word", ["curl", "cmake", "oldest", "elsewhere", ""])
def test_words_that_stand_where_they_belong_are_left(word: str) -> None:
    """`git curl` and `cmake` begin lines of the list of packages, as commands would."""
    assert repaired(JOINED, {"word": word}, 2, 8).state is PatchState.REFUSED


@pytest.mark.parametrize(
    ("above", "line", "joined"),
    [
        ("RUN pip install a &&", "    pip install b", "RUN pip install a && \\"),
        ("RUN pip install a", "    --no-deps b", "RUN pip install a \\"),
        ("RUN pip install a", "    && pip install b", "RUN pip install a \\"),
        ("RUN pip install a", "    pip install b", "RUN pip install a && \\"),
    ],
)
def test_a_line_that_lost_the_backslash_before_it(above: str, line: str, joined: str) -> None:
    text = f"FROM base:1\n{above}\n    # why\n{line}\nENV A=1\n"
    proved = repaired(text, {"instruction": line.split()[0]}, 4, 4)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [f"-{above}", f"+{joined}"]


def test_a_line_that_may_be_anything_is_only_named() -> None:
    text = "FROM base:1\nRUN pip install a\n<<<<<<< HEAD\n"
    proved = repaired(text, {"instruction": "<<<<<<<"}, 3, 3)
    assert proved.state is PatchState.ADVICE
    assert f"{FILE}:3" in proved.reason


def test_an_instruction_that_the_one_before_takes_in_is_set_free() -> None:
    text = "FROM base:1\nRUN pip install a && \\\n    pip install b && \\\n\nENV A=1\nRUN true\n"
    proved = repaired(text, {"word": "ENV"}, 2, 3)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-pip install b && \\", "+pip install b"]
    assert repaired(text, {"word": "COPY"}, 2, 3).state is PatchState.REFUSED


FLOATING = """
    FROM registry.invalid/base:1
    ARG CORE=main
    RUN git clone https://git.invalid/example/core.git
    RUN cd core && git checkout ${CORE} && git apply x.patch
    RUN pip install git+https://git.invalid/example/bridge.git tool==1
"""
COMMIT = "0123456789abcdef0123456789abcdef01234567"
SETUP = f"git clone https://git.invalid/example/core.git\ncd core\ngit checkout {COMMIT}\n"


def test_what_floats_is_held_where_the_tree_holds_it_elsewhere() -> None:
    files = tree({CI: BUILD, FILE: FLOATING, "setup.sh": SETUP})
    proved = patch(PinSource(), "image", CI, repository=files, facts=failed(FLOATING, 4, 4))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-ARG CORE=main", f"+ARG CORE={COMMIT}"]
    beside = "FROM x:1\nRUN pip install git+https://git.invalid/example/bridge.git@abcdef1\n"
    far = "pip install git+https://git.invalid/example/bridge.git@1234567\n"
    files = tree({CI: BUILD, FILE: FLOATING, "docker/Dockerfile.gpu": beside, "scripts/a.sh": far, "scripts/b.sh": far})
    proved = patch(PinSource(), "image", CI, repository=files, facts=failed(FLOATING, 5, 5))
    assert changed(proved)[1] == "+RUN pip install git+https://git.invalid/example/bridge.git@abcdef1 tool==1"


def test_what_the_tree_holds_nowhere_is_named_with_its_line() -> None:
    made = draft(PinSource(), "image", CI, repository=repository(FLOATING), facts=failed(FLOATING, 4, 4))
    assert made.state is PatchState.ADVICE
    assert f"{FILE}:2 takes CORE from `main`, which moves" in made.reason
    given = BUILD.replace("push: true", 'build-args: "CORE=v1"')
    files = tree({CI: given, FILE: FLOATING, "setup.sh": SETUP})
    overridden = draft(PinSource(), "image", CI, repository=files, facts=failed(FLOATING, 4, 4))
    assert overridden.state is PatchState.ADVICE
    assert "given another value" in overridden.reason


JOBS = """
    on: push
    jobs:
      gpu:
        runs-on: [gpu-8]
        container:
          image: ${{ matrix.image }}
        strategy:
          matrix:
            image: ["registry.invalid/team/train-gpu:latest"]
        steps:
          - run: |
              pip install -e ".[test]" --no-deps
              pytest tests
      bare:
        runs-on: [gpu-8]
        container: team/train-gpu
        steps:
          - run: pytest tests
"""
IMAGES = """
    on: workflow_dispatch
    env: {NAME: team/train-gpu}
    jobs:
      build:
        runs-on: ubuntu-latest
        steps:
          - run: docker build -f docker/cpu/Dockerfile -t team/train-cpu .
          - uses: docker/build-push-action@v6
            with:
              context: ./docker/gpu
              tags: ${{ env.NAME }}
"""
GPU = """
    FROM nvidia/cuda:12.1.0-devel AS build
    RUN source activate train && \\
        python3 -m pip install -U \\
        torch numpy \\
        train[test]@git+https://git.invalid/team/train
    RUN pip uninstall -y apex
"""
SETUP_CFG = "[metadata]\nname = train\n\n[options]\n\n[options.extras_require]\ntest =\n    pytest\nvlm =\n    pillow\n"


def jobs(**files: str) -> MemoryTree:
    named = {name.replace("___", "/").replace("__", "."): text for name, text in files.items()}
    given = {
        CI: JOBS,
        ".github/workflows/images.yml": IMAGES,
        "docker/gpu/Dockerfile": GPU,
        "docker/cpu/Dockerfile": GPU.replace("torch", "torch-cpu"),
        "setup.cfg": SETUP_CFG,
    }
    return tree({**given, **named})


def test_the_image_of_the_job_gets_the_extra_that_its_own_install_leaves_out() -> None:
    proved = patch(PipInstall(module="pillow"), "gpu", CI, repository=jobs())
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [
        "-train[test]@git+https://git.invalid/team/train",
        "+train[test,vlm]@git+https://git.invalid/team/train",
    ]
    notes = " ".join(proved.notes)
    assert "has to be built and pushed anew" in notes
    assert "docker/cpu/Dockerfile holds the same" in notes


def test_all_images_of_a_matrix_get_the_extra() -> None:
    """Also where triage's own table knows the distribution: the job leaves what the project requires to its images."""
    two = JOBS.replace(':latest"]', ':latest", "registry.invalid/team/train-cpu:latest"]')
    proved = patch(PipInstall(module="pillow"), "gpu", CI, repository=jobs(**{CI: two}))
    assert proved.state is PatchState.PATCH, proved.reason
    assert proved.files == ("docker/cpu/Dockerfile", "docker/gpu/Dockerfile")
    assert "holds the same" not in " ".join(proved.notes)
    unknown = two.replace("train-cpu", "train-tpu")
    made = draft(PipInstall(module="pillow"), "gpu", CI, repository=jobs(**{CI: unknown}))
    assert made.state is not PatchState.PATCH


def test_a_job_that_installs_nothing_has_its_pins_in_the_image() -> None:
    facts = Facts(installed={"numpy": "2.0"})
    proved = patch(PipPin("numpy", "<2"), "bare", CI, repository=jobs(), facts=facts)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-torch numpy \\", '+torch "numpy<2" \\']
    gone = draft(PipUninstall("apex"), "bare", CI, repository=jobs())
    assert gone.state is PatchState.IN_PLACE


def test_bounds_that_the_log_asks_for_move_the_exact_pin_of_the_image() -> None:
    """Also behind `conda run`, which starts pip in one of its environments."""
    held = GPU.replace("torch numpy", "torch numpy==2.0").replace("python3 -m pip", "conda run -n train pip")
    captures = {"distribution": "numpy", "bounds": ">=1.26,<2"}
    recipe = PipPin("{distribution}", "{bounds}")
    files = jobs(**{"docker/gpu/Dockerfile": held})
    proved = patch(recipe, "bare", CI, captures=captures, facts=Facts(installed={"numpy": "2.0"}), repository=files)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-torch numpy==2.0 \\", '+torch "numpy>=1.26,<2" \\']


def test_an_image_that_may_come_from_several_dockerfiles_stays_advice() -> None:
    twice = {".github/workflows/more.yml": IMAGES.replace("./docker/gpu\n", "./docker/gpu2\n")}
    plain = {CI: JOBS, ".github/workflows/images.yml": IMAGES, "docker/gpu/Dockerfile": GPU, "setup.cfg": SETUP_CFG}
    several = tree({**plain, **twice, "docker/gpu2/Dockerfile": GPU})
    assert draft(PipPin("numpy", "<2"), "bare", CI, repository=several).state is PatchState.ADVICE
    unknown = tree({**plain, ".github/workflows/images.yml": IMAGES.replace("env.NAME", "inputs.name")})
    assert draft(PipPin("numpy", "<2"), "bare", CI, repository=unknown).state is PatchState.ADVICE


def test_folders_and_instructions_name_images_too() -> None:
    plain = {CI: JOBS, "setup.cfg": SETUP_CFG}
    called = tree({**plain, "docker/train-gpu/Dockerfile": GPU, "docker/train/Dockerfile": GPU})
    assert draft(PipPin("numpy", "<2"), "bare", CI, repository=called).edits[0].path == "docker/train-gpu/Dockerfile"
    told = (
        "Build it:\n```\ndocker build --no-cache \\\n  --build-arg A=$B \\\n  . -t team/train-gpu:${TAG:-latest}\n```\n"
    )
    documented = tree({**plain, "docker/Dockerfile": GPU, "docker/README.md": told, "docker/cpu.Dockerfile": GPU})
    made = draft(PipPin("numpy", "<2"), "bare", CI, repository=documented)
    assert made.edits[0].path == "docker/Dockerfile"
    assert any(note.startswith("docker/README.md builds team/train-gpu") for note in made.notes)


def test_the_base_is_copied_from_a_sibling_and_never_made_up() -> None:
    fix = BaseImage("{held}", "{wanted}", title="CUDA")
    captures = {"held": "12.1", "wanted": "12.4"}
    newer = {"docker___bench___Dockerfile": "FROM nvidia/cuda:12.4.1-devel\n"}
    proved = patch(fix, "bare", CI, repository=jobs(**newer), captures=captures)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1] == "+FROM nvidia/cuda:12.4.1-devel AS build"
    for others in ({}, newer | {"docker___more___Dockerfile": "FROM nvidia/cuda:12.4.0-devel\n"}):
        advised = draft(fix, "bare", CI, repository=jobs(**others), captures=captures)
        assert advised.state is PatchState.ADVICE
        assert "docker/gpu/Dockerfile:1 is made from nvidia/cuda:12.1.0-devel" in advised.reason
    other = draft(fix, "bare", CI, repository=jobs(**newer), captures={"held": "2.1", "wanted": "12.4"})
    assert other.state is PatchState.REFUSED


SHM = ContainerOption("--shm-size", "16g")


def steps(*lines: str) -> str:
    run = "".join(f"                      {line}\n" for line in lines)
    return f"""
            on: push
            jobs:
              image:
                runs-on: x
                steps:
                  - uses: actions/checkout@v4
                  - run: |
{run}
"""


@pytest.mark.parametrize(
    ("command", "becomes"),
    [
        ("docker run --gpus all -e A=1 img pytest", "docker run --shm-size=16g --gpus all -e A=1 img pytest"),
        ("docker run --shm-size 2g img pytest", "docker run --shm-size 16g img pytest"),
        ("docker run --shm-size=2g img pytest", "docker run --shm-size=16g img pytest"),
        ("sudo podman run img", "sudo podman run --shm-size=16g img"),
    ],
)
def test_containers_that_a_step_starts(command: str, becomes: str) -> None:
    proved = patch(SHM, "image", CI, repository=tree({CI: steps(command), "run.sh": ""}))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [f"-{command}", f"+{becomes}"]


def test_containers_that_are_large_enough_or_started_by_no_step() -> None:
    large = draft(SHM, "image", CI, repository=tree({CI: steps("docker run --shm-size=32g img")}))
    assert large.state is PatchState.IN_PLACE
    none = draft(SHM, "image", CI, repository=tree({CI: steps("docker pull img", "docker run-x")}))
    assert none.state is PatchState.REFUSED
    assert "starts no container" in none.reason


def test_builds_get_less_and_in_their_own_command_or_input() -> None:
    text = "FROM base:1\nRUN python loader.py\n"
    script = 'set -e\ndocker build \\\n  --no-cache \\\n  -f "docker/Dockerfile.ci" \\\n  "$@" .\n'
    files = tree({CI: steps("./build.sh -t x", "docker run x"), FILE: text, "build.sh": f"#!/bin/bash\n{script}"})
    proved = patch(SHM, "image", CI, repository=files, facts=failed(text, 2, 2))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["-docker build \\", "+docker build --shm-size=1g \\"]
    proved = patch(SHM, "image", CI, repository=repository(text), facts=failed(text, 2, 2), step="Build")
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["+shm-size: 1g"]


def test_a_script_that_only_the_log_shows() -> None:
    text = "FROM base:1\nRUN python loader.py\n"
    action = BUILD.replace("docker/build-push-action@v6", "example/tools/build@main")
    script = '#!/bin/bash\nNAME=$1\ndocker build -f docker/Dockerfile.ci -t "$NAME" .\n'
    files = tree({CI: action, FILE: text, "ci/build.sh": script})
    facts = failed(text, 2, 2, commands=("cd ci && ./build.sh img", "docker build -f docker/Dockerfile.ci -t img ."))
    proved = patch(SHM, "image", CI, repository=files, facts=facts)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved)[1] == '+docker build --shm-size=1g -f docker/Dockerfile.ci -t "$NAME" .'


def test_a_container_without_options_gets_them() -> None:
    mapped = JOBS.replace("image: ${{ matrix.image }}", "image: team/train-gpu")
    proved = patch(SHM, "gpu", CI, repository=tree({CI: mapped}))
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == ["+options: --shm-size=16g"]
    assert draft(SHM, "bare", CI, repository=jobs()).state is PatchState.REFUSED


@pytest.mark.parametrize(
    ("clone", "becomes"),
    [
        ("git clone --depth 1 https://h.invalid/o/speed.git", "git clone https://h.invalid/o/speed.git"),
        ("git clone https://h.invalid/o/speed --depth=1 --single-branch", "git clone https://h.invalid/o/speed"),
        (
            "git clone --depth 1 --recursive git@h.invalid:o/x.git speed",
            "git clone --recursive git@h.invalid:o/x.git speed",
        ),
    ],
)
def test_a_commit_needs_the_whole_history(clone: str, becomes: str) -> None:
    files = tree(
        {CI: steps("git clone --depth 1 https://h.invalid/o/other", clone, "cd speed", "git checkout f2b0977e")}
    )
    proved = patch(DeepClone("{revision}"), "image", CI, repository=files, captures={"revision": "f2b0977e"})
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [f"-{clone}", f"+{becomes}"]
    other = draft(DeepClone("{revision}"), "image", CI, repository=files, captures={"revision": "0000000"})
    assert other.state is PatchState.REFUSED


def test_a_commit_that_a_whole_clone_lacks_is_gone() -> None:
    files = tree({CI: steps("git clone https://h.invalid/o/speed", "git -C speed checkout f2b0977e")})
    made = draft(DeepClone("{revision}"), "image", CI, repository=files, captures={"revision": "f2b0977e"})
    assert made.state is PatchState.IN_PLACE


NCCL = SetEnv("NCCL_NVLS_ENABLE", "0")


@pytest.mark.parametrize(
    ("command", "becomes"),
    [
        ("docker run --gpus all img pytest", "docker run -e NCCL_NVLS_ENABLE=0 --gpus all img pytest"),
        ("docker run -e NCCL_NVLS_ENABLE=1 img x", "docker run -e NCCL_NVLS_ENABLE=0 img x"),
        ("docker run --env=NCCL_NVLS_ENABLE=1 img x", "docker run --env=NCCL_NVLS_ENABLE=0 img x"),
    ],
)
def test_variables_for_a_container_that_the_step_starts(command: str, becomes: str) -> None:
    """The job's `env` would do nothing there."""
    files = tree({CI: steps(command).replace("- run: |", "- name: Test\n                    run: |")})
    proved = patch(NCCL, "image", CI, repository=files, step="Test")
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [f"-{command}", f"+{becomes}"]


def test_the_program_in_a_container_that_runs_already_gets_the_variable() -> None:
    lines = ("docker run -d --name c img sleep 1d", "docker exec c pytest tests")
    files = tree({CI: steps(*lines).replace("- run: |", "- name: Test\n                    run: |")})
    proved = patch(NCCL, "image", CI, repository=files, step="Test")
    assert changed(proved) == ["-docker exec c pytest tests", "+docker exec -e NCCL_NVLS_ENABLE=0 c pytest tests"]
    both = tree(
        {
            CI: steps("docker run img clean", "pytest tests").replace(
                "- run: |", "- name: Test\n                    run: |"
            )
        }
    )
    assert changed(patch(NCCL, "image", CI, repository=both, step="Test"))[-1] == '+NCCL_NVLS_ENABLE: "0"'
    outside = tree({CI: steps("pytest tests").replace("- run: |", "- name: Test\n                    run: |")})
    assert changed(patch(NCCL, "image", CI, repository=outside, step="Test"))[-1] == '+NCCL_NVLS_ENABLE: "0"'


@pytest.mark.parametrize(
    ("line", "becomes"),
    [
        ("ARG A = 1", "ARG A=1"),
        ('ENV A ="b c"', 'ENV A="b c"'),
        ("LABEL a.b= c", "LABEL a.b=c"),
        ("ENV A=1 B = 2", ""),
        ("ENV A = b c", ""),
        ("RUN A = 1", ""),
    ],
)
def test_blanks_around_the_sign_of_one_assignment(line: str, becomes: str) -> None:
    proved = repaired(f"FROM base:1\n{line}\nRUN true\n", {"assignment": "="}, 2, 2)
    assert (proved.state is PatchState.PATCH) is bool(becomes), proved.reason
    assert changed(proved) == ([f"-{line}", f"+{becomes}"] if becomes else [])
