"""Installs for a Python, or a system, that is not the one which failed: nothing is done about it."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import PipInstall, PipPin, SystemPackage

CI = ".github/workflows/ci.yml"
MODULE = PipInstall(module="{module}")
CV = {"module": "cv2"}


def job(*steps: str, extra: str = "", **files: str) -> MemoryTree:
    body = ""
    for at, step in enumerate(steps):
        lines = "".join(f"          {line}\n" for line in step.splitlines())
        body += f"      - {step}\n" if step.startswith("uses:") else f"      - name: s{at}\n        run: |\n{lines}"
    ci = f"on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n{extra}    steps:\n      - uses: actions/checkout@v4\n"
    return tree({CI: ci + body, **{path.replace("_dot_", "."): text for path, text in files.items()}})


@pytest.mark.parametrize(
    "script",
    [
        "docker run --rm base python a.py",
        "docker exec c python a.py",
        "srun --container-image=base python a.py",
        "ssh host python a.py",
        "sudo python3 a.py",
        "poetry run python a.py",
        "hatch run test",
        "tox -e py",
        "pre-commit run --all-files",
        ".venv/bin/python a.py",
        "source .venv/bin/activate\npython a.py",
        "conda activate train\npython a.py",
    ],
)
def test_a_plain_pip_is_not_the_one_of_another_python(script: str) -> None:
    assert not draft(MODULE, "test", CI, step="s0", captures=CV, repository=job(script)).edits


def test_an_environment_that_the_job_enters_has_its_own_pip() -> None:
    login = "    defaults:\n      run:\n        shell: bash -el {0}\n"
    for there in (
        job("uses: conda-incubator/setup-miniconda@v3", "python a.py"),
        job("echo", "python a.py", extra=login),
    ):
        assert not draft(MODULE, "test", CI, step="s1", captures=CV, repository=there).edits


def test_what_is_built_with_torch_is_not_installed_by_itself() -> None:
    there = job("python a.py", requirements_dot_txt="flash-attn\n")
    found = draft(MODULE, "test", CI, step="s0", captures={"module": "flash_attn"}, repository=there)
    assert not found.edits


def test_an_install_behind_the_failed_step_is_no_place() -> None:
    proved = patch(MODULE, "test", CI, step="s0", captures=CV, repository=job("python a.py", "pip install x y"))
    assert changed(proved) == ["+pip install opencv-python"]
    assert proved.diff.index("+          pip") < proved.diff.index(" python a.py")


@pytest.mark.parametrize("option", ["--target lib", "--dry-run", "--prefix=/opt/x", "--no-index"])
def test_a_command_that_installs_elsewhere_gets_no_further_word(option: str) -> None:
    there = job(f"pip install {option} x", "python a.py")
    assert "opencv-python" not in patch(MODULE, "test", CI, step="s1", captures=CV, repository=there).diff.replace(
        "+          pip install opencv-python\n", ""
    )


def test_what_a_build_without_isolation_lacks_never_comes_behind_it() -> None:
    late = job("pip install --no-build-isolation -e .\npip install c d")
    found = draft(MODULE, "test", CI, step="s0", captures=CV, repository=late)
    assert found.state is PatchState.REFUSED, found.reason
    early = job("pip install a b\npip install --no-build-isolation -e .\npip install c d")
    proved = patch(MODULE, "test", CI, step="s0", captures=CV, repository=early)
    assert changed(proved)[-1] == "+pip install a b opencv-python"
    other = job("pip install --no-build-isolation -e .\npip install c d\npython a.py")
    proved = patch(MODULE, "test", CI, step="s0", captures=CV, repository=other)
    assert changed(proved)[-1] == "+pip install c d opencv-python"


@pytest.mark.parametrize(
    "steps",
    [
        ("docker run base bash -c 'wget x'",),
        ("ssh host wget x",),
        ("apt-get install -y git vim", "docker run base bash fetch.sh"),
    ],
)
def test_a_container_or_another_machine_does_not_get_what_the_job_installs(steps: tuple[str, ...]) -> None:
    found = draft(
        SystemPackage(needed="{needed}"),
        "test",
        CI,
        step=f"s{len(steps) - 1}",
        captures={"needed": "wget"},
        repository=job(*steps),
    )
    assert found.state is PatchState.ADVICE, found.reason
    assert not found.edits


def test_a_command_that_only_upgrades_installs_nothing() -> None:
    there = job("apt-get install -y --only-upgrade git vim", "wget x")
    proved = patch(
        SystemPackage(needed="{needed}"), "test", CI, step="s1", captures={"needed": "wget"}, repository=there
    )
    assert changed(proved) == ["+sudo apt-get update && sudo apt-get install -y wget"]


@pytest.mark.parametrize(("release", "new"), [("3.0.0rc1", "+templates<3.0.0"), ("3.0a1", "+templates<3.0")])
def test_a_candidate_is_kept_out_with_all_the_others_of_its_release(release: str, new: str) -> None:
    there = job("pip install -r d.txt", "pytest", d_dot_txt="numpy\n")
    facts = Facts(installed={"templates": release})
    proved = patch(PipPin("templates", "<{installed}"), "test", CI, step="s1", facts=facts, repository=there)
    assert changed(proved) == [new]


@pytest.mark.parametrize("release", ["1!3.0", "2.7.1+cu128"])
def test_a_release_that_no_plain_bound_is_for_is_not_bounded(release: str) -> None:
    there = job("pip install -r d.txt", "pytest", d_dot_txt="numpy\n")
    facts = Facts(installed={"templates": release})
    assert not draft(PipPin("templates", "<{installed}"), "test", CI, step="s1", facts=facts, repository=there).edits


def test_a_constraint_of_the_file_itself_holds_the_distribution_already() -> None:
    there = job("pip install -r d.txt", "pytest", d_dot_txt="-c c.txt\nnumpy\n", c_dot_txt="templates==3.1.1\n")
    facts = Facts(installed={"templates": "3.1.1"})
    found = draft(PipPin("templates", "<{installed}"), "test", CI, step="s1", facts=facts, repository=there)
    assert found.state is PatchState.REFUSED
    assert "constraint" in found.reason


def test_a_program_that_runs_others_is_installed_like_any_other() -> None:
    recipe = PipInstall(program="{program}", form="pinned")
    for script in ("spell --all", "docker run base spell --all"):
        found = draft(recipe, "test", CI, step="s0", captures={"program": "spell"}, repository=job(script))
        assert bool(found.edits) is (script == "spell --all")
