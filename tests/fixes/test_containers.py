"""Commands that a job hands to a container or another host: what runs there, what it sees, and what stays unknown."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.fixes.test_evaluate import evaluated, one_step, repository
from triage.fixes.evaluate.invocation import Invocation

WORK = "docker run -d --name ci -v $PWD:/w -w /w -e A=1 img sleep 9\n"


def inside(script: str, files: Mapping[str, str] = {}) -> list[Invocation]:
    return [one for one in evaluated(one_step(script, files)).invocations if one.system]


def commands(script: str, files: Mapping[str, str] = {}) -> list[str]:
    return [one.command_line for one in inside(script, files)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("docker exec c pip install a", ["pip install a"]),
        ("docker exec -it -e B=2 --workdir /x -u root c pip install a", ["pip install a"]),
        ("docker exec -itu root -eB=2 -w/x c pip install a", ["pip install a"]),
        ("docker container exec c pip install a", ["pip install a"]),
        ("docker --context far exec c pip install a", ["pip install a"]),
        ("sudo docker exec c pip install a", ["pip install a"]),
        ("timeout 60 docker exec c timeout 5 pip install a", ["timeout 5 pip install a"]),
        ("podman exec c pip install a", ["pip install a"]),
        ("docker exec c bash -c 'pip install a && python b.py'", ["pip install a", "python b.py"]),
        ('docker exec c bash -lc "set -e; pip install a"', ["pip install a"]),
        ("docker exec c /bin/sh -euxo pipefail -c 'pip install a'", ["pip install a"]),
        ("docker exec c bash -c 'bash -c \"pip install a\"'", ["pip install a"]),
        ("docker run --rm --gpus all --shm-size=16g img python a.py", ["python a.py"]),
        ("docker run --rm -itd --privileged=true -v a:/b img bash -c 'python a.py'", ["python a.py"]),
        ("docker run --entrypoint bash img -c 'python a.py'", ["python a.py"]),
        ("docker run --entrypoint='' img bash -c 'python a.py'", ["python a.py"]),
        ("docker run --entrypoint python img a.py", ["python a.py"]),
        ("docker run $OPTIONS img bash -c 'python a.py'", ["python a.py"]),
        ("docker run --rm ${GITHUB_IMAGE} bash -c 'python a.py'", ["python a.py"]),
        ("docker run --rm ${GITHUB_IMAGE} ./run.sh b", ["./run.sh b"]),
        ("docker compose -f c.yml run --rm -T svc python a.py", ["python a.py"]),
        ("docker compose exec -e A=1 svc bash -c 'python a.py'", ["python a.py"]),
        ("docker-compose exec -T svc python a.py", ["python a.py"]),
        ("ssh -o A=b -p 22 host 'cd x && python a.py'", ["python a.py"]),
        ("ssh host python a.py 'b;' python c.py", ["python a.py b", "python c.py"]),
        ("srun -N1 --ntasks=1 --gres gpu:1 python a.py", ["python a.py"]),
        ("srun --container-image=img bash -c 'python a.py'", ["python a.py"]),
        ("docker exec -i c bash <<'EOF'\npython a.py\nEOF", ["python a.py"]),
        ("docker exec -i c bash -s b <<EOF\npython $1\npython \\$1\nEOF", ["bash -s b"]),
        ("docker exec -i c bash <<EOF\npython a.py\nEOF", ["python a.py"]),
        ("echo python a.py | docker exec -i c bash", ["python a.py"]),
        (
            "f() { docker exec -w /x c \"$@\"; }\nf pip install a\nf bash -c 'python b.py'",
            ["pip install a", "python b.py"],
        ),
        ("C=$(docker run -d img sleep 5)\ndocker exec $C pip install a", ["sleep 5", "pip install a"]),
        ('ARGS=(--rm -e A=1)\ndocker run "${ARGS[@]}" img python a.py', ["python a.py"]),
        ("for c in one two; do docker exec $c pip install a; done", ["pip install a", "pip install a"]),
    ],
)
def test_what_runs_inside_is_followed(line: str, expected: list[str]) -> None:
    assert commands(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "docker run --rm img",
        "docker run --rm img --model x",  # arguments of the image's own entry point
        "docker run --rm img report tests",
        "docker run --not-known x img python a.py",
        "docker exec --not-known x c pip install a",
        "docker exec ${GITHUB_THING} pip install a",  # may be an option and the container's name
        "docker exec $(which one) pip install a",
        "docker run $(options) img python a.py",
        "docker run --entrypoint $GITHUB_X img python a.py",
        "docker build -t x .",
        "docker cp a c:/b",
        "docker compose up -d",
        "ssh host",
        "ssh host $(commands)",
        "docker exec c",
        "docker $GITHUB_VERB c python a.py",
        "docker pull img python",
    ],
)
def test_what_is_not_sure_is_not_read(line: str) -> None:
    assert commands(line) == []


def test_the_line_itself_is_seen_as_before() -> None:
    found = evaluated(one_step("timeout 60 docker exec -e A=1 c bash -c 'pip install a'")).invocations
    assert [one.command_line for one in found if not one.system] == [
        "timeout 60 docker exec -e A=1 c bash -c pip install a"
    ]
    assert found[0].program[0].text == "docker"
    assert [call.line for call in found[1].calls] == [8, 8, 8]


def test_a_container_has_an_environment_of_its_own() -> None:
    tree = one_step(
        """
        export OUTER=o HANDED=h
        B=2 docker run --name ci -d -e A=1 -e HANDED -e B -e UNSET -e "OPEN=$(x)" img sleep 9
        docker exec -e C=3 -e A=4 ci python a.py $A '$OUTER'
        docker exec ci bash -c 'python b.py $A-$OUTER-$HANDED-$GITHUB_WORKSPACE-$CI'
        docker exec other bash -c 'python c.py $A'
        """
    )
    seen = {one.program[1].text: one for one in evaluated(tree).invocations if one.system and one.module == ""}
    given = {name: value.text for name, value in seen["a.py"].environment.items()}
    assert given == {"A": "4", "HANDED": "h", "B": "2", "OPEN": None, "C": "3"}
    assert str(seen["b.py"].program[2]) == "1-${ci: OUTER}-h-${ci: GITHUB_WORKSPACE}-${ci: CI}"
    assert seen["c.py"].environment == {}
    assert str(seen["c.py"].program[2]) == "${other: A}"


def test_what_a_container_sets_does_not_come_out() -> None:
    tree = one_step(
        """
        docker exec c bash -c 'export A=1; f() { :; }; cd /x; echo B=2 >> $GITHUB_ENV; exit 1'
        X=$(docker exec c echo hello)
        python a.py ${A:-none} $X "$PWD"
        """
    )
    (after,) = [one for one in evaluated(tree).invocations if not one.system and one.program[0].text == "python"]
    assert after.program[2].text == "none"
    assert after.program[3].text is None
    assert after.directory == "."


def test_a_mounted_checkout_is_the_checkout() -> None:
    files = {
        "ci/run.sh": "#!/bin/bash\ncd tests && python a.py\n",
        "tests/a.py": "",
        "req.txt": "",
    }
    for mount in ("-v $PWD:/w -w /w", "-v ${{ github.workspace }}:/w:ro -w /w", "-v .:/w --workdir=/w",
                  "--mount type=bind,source=$GITHUB_WORKSPACE,target=/w -w /w"):  # fmt: skip
        for command in ("bash ci/run.sh", "/w/ci/run.sh", "bash -c 'cd ci && ./run.sh; cd /w; source ci/run.sh'"):
            found = inside(f"docker run --rm {mount} img {command}", files)
            assert {one.command_line for one in found} == {"python a.py"}, (mount, command)
            assert found[0].calls[-1].path == "ci/run.sh"
    (one,) = inside("docker run --rm -v $(pwd):$(pwd) -w $(pwd)/tests img python a.py", files)
    assert one.directory == "tests"
    (one,) = inside("docker run --rm -v $PWD:/w -v /data:/w/tests -w /w/tests img python a.py", files)
    assert one.directory is None
    (one,) = inside("docker run --rm -v $PWD/tests:/t -w /t img python a.py", files)
    assert one.directory == "tests"
    (one,) = inside("docker run --rm -v work:/w -w /w img bash ci/run.sh", files)
    assert one.command_line == "bash ci/run.sh"


def test_a_folder_that_nothing_mounts_is_not_the_checkout() -> None:
    files = {"ci/run.sh": "#!/bin/bash\npython a.py\n", "setup.py": ""}
    for line in (
        "docker exec c bash ci/run.sh",
        "docker exec -w /w c bash ci/run.sh",
        "docker exec c bash -c 'bash $GITHUB_WORKSPACE/ci/run.sh'",
        'docker exec c bash -c "bash $GITHUB_WORKSPACE/ci/run.sh"',
        'docker exec c bash -c "cd $PWD; bash ci/run.sh"',
        "ssh host bash ci/run.sh",
    ):
        (one,) = inside(line, files)
        assert one.command_line.startswith("bash "), line
        assert one.directory is None
    assert commands("docker exec c bash -c '[ -f setup.py ] && python a.py || python b.py'", files) == [
        "python a.py",
        "python b.py",
    ]


def test_a_known_container_is_known_in_later_steps_and_scripts() -> None:
    workflow = """
        on: push
        jobs:
          test:
            runs-on: x
            steps:
              - uses: actions/checkout@v4
              - run: bash ci/start.sh
              - run: bash ci/exec.sh python a.py
              - run: bash ci/exec.sh -e B=2 python a.py
        """
    files = {
        "ci/start.sh": 'docker run -dt ${GPU} -v "$GITHUB_WORKSPACE:/w" -w /w -e A=1 --name ci "$IMAGE"\n',
        "ci/exec.sh": """
            E=()
            while [[ $# -gt 0 ]]; do
              case $1 in
                -e) E+=(-e "$2"); shift 2 ;;
                *) break ;;
              esac
            done
            docker exec "${E[@]}" ci "$@"
        """,
    }
    found = [one for one in evaluated(repository(workflow, files)).invocations if one.system == "ci"]
    assert [(one.command_line, one.directory) for one in found] == [("python a.py", ".")] * 2
    assert [{name: value.text for name, value in one.environment.items()} for one in found] == [
        {"A": "1"},
        {"A": "1", "B": "2"},
    ]


def test_two_ways_to_make_a_container_leave_what_they_share() -> None:
    script = """
        if [ "$GITHUB_X" = a ]; then
          docker run -d --name ci -e A=1 -e B=1 -v $PWD:/w -w /w img sleep 9
        else
          docker run -d --name ci -e A=2 -e B=1 -v $PWD:/w -w /v img sleep 9
        fi
        docker exec ci python a.py
        """
    one = next(one for one in inside(script) if one.program[0].text == "python")
    assert {name: value.text for name, value in one.environment.items()} == {"B": "1"}
    assert one.directory is None


@pytest.mark.parametrize("variable", ["-e $GITHUB_PAIR", '-e "$GITHUB_PAIR"'])
def test_a_variable_of_any_name_may_be_every_one(variable: str) -> None:
    found = inside(f"docker run --rm -e A=1 {variable} img bash -c 'python a.py'")
    assert all(one.environment == {} for one in found)


def test_a_job_step_of_a_cluster_sees_the_environment_and_the_files() -> None:
    files = {"run.sh": "python a.py $A\n"}
    (one,) = inside("export A=1\nsrun -N 2 bash run.sh", files)
    assert (one.command_line, one.directory, one.system) == ("python a.py 1", ".", "srun")
    (one,) = inside("export A=1\nsrun --container-image=x bash run.sh", files)
    assert one.command_line == "bash run.sh"
    (one,) = inside("export A=1\nsrun --export=NONE bash -c 'python a.py $A'", files)
    assert one.program[2].text is None


def test_systems_in_systems_are_others() -> None:
    (one,) = [one for one in inside("ssh host 'docker exec c pip install a'") if one.program[0].text == "pip"]
    assert one.system == "ssh host/c"
    (one,) = [one for one in inside("docker run -d --name c -e A=1 img sleep 9\nssh host docker exec c pip install a")
              if one.program[0].text == "pip"]  # fmt: skip
    assert one.environment == {}


HOSTILE = [
    "docker exec c bash -c",
    "docker exec c bash -c ''",
    "docker exec c bash -c '" + "(" * 300,
    "docker exec c " * 60 + "pip install a",
    "docker exec -e c",
    "docker exec -w",
    "docker run -v : img python a.py",
    "docker run -v :: -w '' img python a.py",
    "docker run --mount , --mount type= img python a.py",
    "docker run --name '' -d img sleep 1; docker exec '' python a.py",
    "docker run -e = -e =x -e '' img python a.py",
    "docker exec c bash -c 'docker exec c bash -c \"docker exec c bash -c x\"'",
    'docker() { docker exec c "$@"; }\ndocker pip install a',
    "f() { docker exec c f; }\nf",
    'docker exec c bash -c "$(cat x)"',
    "docker exec c bash -c $'pip install\\ta'",
    "docker exec -i c bash <<EOF\n$(cat x)\nEOF",
    "docker exec -i c bash <<'EOF'\ncat <<'X'\nX\nEOF",
    "docker exec -i c bash <<'EOF'",
    "ssh -o",
    "ssh host -- python a.py",
    "srun",
    "docker run -v $PWD:/ -w / img bash -c 'cd ../../..; ls'",
    "docker run -v /:/w -w /w/../.. img bash x.sh",
    "docker exec c bash -c 'exit' ; docker exec c bash -c 'exec bash -c \"exec pip install a\"'",
    'docker exec -ti c bash -c "pip install \'a\' \\"b\\" \\$c \\`d\\`"',
    "docker run img bash -c 'x' | docker exec -i c bash",
    "docker exec c \\ python",
    "docker exec ${c:-$(docker exec ${c:-$(docker exec d x)} y)} z",
    "docker exec c bash -c 'é ü' 'ß'",
]


@pytest.mark.parametrize("script", HOSTILE)
@pytest.mark.parametrize("files", [{}, {"x.sh": "docker exec c bash x.sh\nbash x.sh\n"}])
def test_hostile_lines_are_read_to_their_end(script: str, files: Mapping[str, str]) -> None:
    found = evaluated(one_step(script, files))
    assert all(one.inside is not None for one in found.invocations if one.system and one.system != "srun")
    for one in found.invocations:
        for call in one.calls:
            assert 0 <= call.start <= call.argument_end <= call.end


def test_paths_do_not_leave_the_checkout() -> None:
    files = {"x.sh": "python a.py\n"}
    for script in HOSTILE[-10:]:
        for one in inside(script, files):
            assert one.directory is None or not one.directory.startswith("..")
