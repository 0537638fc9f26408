"""Commands that end a step because what they should bring about is so already."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import Tolerate

OWN = ".github/workflows/own.yml"
RECIPE = Tolerate("{program}", "{subject}")
HEAD = "on: [push]\njobs:\n  boot:\n    runs-on: [gpu]\n    steps:\n      - name: Boot\n"


def repository(script: str, step: str = "        run: bash tools/boot.sh\n") -> MemoryTree:
    return tree({OWN: HEAD + step, "tools/boot.sh": script})


def said(program: str, subject: str) -> dict[str, str]:
    return {"program": program, "subject": subject}


@pytest.mark.parametrize(
    ("script", "captures", "expected"),
    [
        (
            "#!/bin/bash\nset -e\nsudo swapoff /swap.img\nsudo rm /swap.img\nsync\n",
            said("swapoff", "/swap.img"),
            ["+if [[ -e /swap.img ]]; then", "+sudo swapoff /swap.img", "+sudo rm /swap.img", "+fi"],
        ),
        (
            "#!/bin/sh\nset -e\n  umount /mnt/data\nmake\n",
            said("umount", "/mnt/data"),
            ["+if [ -e /mnt/data ]; then", "+umount /mnt/data", "+fi"],
        ),
        ("set -e\nmkdir out\n", said("mkdir", "out"), ["+mkdir -p out"]),
        (
            'set -e\nif [ -d "/cache/$BASE" ]; then\n  mkdir /cache/new && cp a /cache/new\nfi\n',
            said("mkdir", "/cache/new"),
            ["+mkdir -p /cache/new && cp a /cache/new"],
        ),
        ("set -e\nif [ ! -d out ]; then\n  make\nelse\n  mkdir out\nfi\n", said("mkdir", "out"), ["+mkdir -p out"]),
        ("set -e\nmkdir -m 700 out\n", said("mkdir", "out"), ["+mkdir -pm 700 out"]),
        ("set -e\nrm build/old.txt && make\n", said("rm", "build/old.txt"), ["+rm -f build/old.txt && make"]),
        ("set -e\nrm *.txt\nrm *.log\n", said("rm", "*.txt"), ["+rm -f *.txt"]),
        ("set -e\nrm -r build/*.o\n", said("rm", "build/*.o"), ["+rm -fr build/*.o"]),
        ("set -e\nln -s /a /usr/bin/b\n", said("ln", "/usr/bin/b"), ["+ln -fs /a /usr/bin/b"]),
        ("set -e\npkill -f worker\n", said("pkill", "worker"), ["+pkill -f worker || true"]),
        ("set -e\nsudo userdel worker\n", said("userdel", "worker"), ["+sudo userdel worker || true"]),
        ("set -e\nrm -- -x\n", said("rm", "-x"), ["+rm -f -- -x"]),
        ("set -e\nrm old # || true\n", said("rm", "old"), ["+rm -f old # || true"]),
        ("set -e\nrm old; make || true\n", said("rm", "old"), ["+rm -f old; make || true"]),
        ("set -e\nif [ -f other ]; then\n  rm old\nfi\n", said("rm", "old"), ["+rm -f old"]),
        # What stands behind the name of the program that xargs runs is that one's.
        ("set -e\nls a | xargs pip uninstall -y\n", said("xargs", "pip"), ["+ls a | xargs -r pip uninstall -y"]),
        ("set -e\nls a | xargs -t pip uninstall -yr\n", said("xargs", "pip"), ["+ls a | xargs -rt pip uninstall -yr"]),
        ("set -e\ndocker pull a\ndocker rm box\n", said("docker", "box"), ["+docker rm box || true"]),
    ],
)
def test_the_command_accepts_what_is_so_already(script: str, captures: dict[str, str], expected: list[str]) -> None:
    made = patch(RECIPE, "boot", OWN, step="Boot", captures=captures, repository=repository(script))
    assert made.state is PatchState.PATCH, made.reason
    assert [line for line in changed(made) if line[0] == "+"] == expected


@pytest.mark.parametrize(
    ("script", "captures", "reason"),
    [
        ("set -e\nmkdir -p out\n", said("mkdir", "out"), "accepts that out is so already"),
        ("set -e\n[ -d out ] || mkdir out\n", said("mkdir", "out"), "accepts that out is so already"),
        ("set -e\nif [ ! -d out ]; then\n  mkdir out\nfi\n", said("mkdir", "out"), "accepts that out is so already"),
        ("set -e\nrm old || true\n", said("rm", "old"), "accepts that old is so already"),
        ("set -e\nrm old 2>&1 || true\n", said("rm", "old"), "accepts that old is so already"),
        ("set -e\nif [ -f old ]; then\n  rm old\nfi\n", said("rm", "old"), "accepts that old is so already"),
        ("set -e\ndocker pull box\n", said("docker", "box"), "no command of boot"),
        ("set -e\ndocker run --name box a\n", said("docker", "box"), "no command of boot"),
        ("set -e\nmkdir out\nmake\nmkdir out\n", said("mkdir", "out"), "let the one that failed accept it"),
        ("set -e\nrm *.log\n", said("rm", "*.txt"), "no command of boot is `rm ... *.txt`"),
        ("set -e\nrm -f *.txt\n", said("rm", "*.txt"), "accepts that *.txt is so already"),
        ("set -e\nls | xargs -tr pip uninstall -y\n", said("xargs", "pip"), "accepts that pip is so already"),
        ("set -e\nrm /other\n", said("rm", "/data/old"), "no command of boot is `rm ... /data/old`"),
        ("set -e\nswapoff /swap.img | tee log\n", said("swapoff", "/swap.img"), "shares its line"),
        ("set -e\nkill $A\nkill $B\n", said("kill", "4711"), "no command of boot"),
        ("set -e\nmount /dev/x /mnt\n", said("mount", "/mnt"), "let it accept that this is so already"),
    ],
)
def test_otherwise_nothing_is_edited(script: str, captures: dict[str, str], reason: str) -> None:
    made = draft(RECIPE, "boot", OWN, step="Boot", captures=captures, repository=repository(script))
    assert made.state is not PatchState.PATCH
    assert reason in made.reason


def test_several_lines_of_a_run_block_become_no_block() -> None:
    there = repository("", "        run: |\n          swapoff /swap.img\n          make\n")
    made = draft(RECIPE, "boot", OWN, step="Boot", captures=said("swapoff", "/swap.img"), repository=there)
    assert made.state is PatchState.REFUSED
    there = repository("", "        run: |\n          mkdir out\n          make\n")
    made_there = patch(RECIPE, "boot", OWN, step="Boot", captures=said("mkdir", "out"), repository=there)
    assert made_there.state is PatchState.PATCH, made_there.reason
    assert changed(made_there)[1] == "+mkdir -p out"
