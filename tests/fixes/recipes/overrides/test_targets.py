"""Classes that configurations name by a path at which there are none."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import tree
from tests.fixes.recipes.repository import changed, patch
from triage.model.patch import Patch, PatchState
from triage.model.recipe import CorrectTarget

READS = "def main(cfg):\n    return cfg.pipe\n"
OWN = "model: a\npipe:\n  _target_: {0}\n  stages: 2\n"
OLD = "pkg.parts.pipe.core.Pipe"


def made(files: dict[str, str], target: str = OLD) -> Patch:
    base = {
        "pkg/__init__.py": "",
        "pkg/main.py": READS,
        "pkg/parts/__init__.py": "",
        "cases/own.yaml": OWN.format(target),
    }
    return patch(CorrectTarget("{target}"), "", "", repository=tree(base | files), captures={"target": target})


@pytest.mark.parametrize(
    ("files", "new"),
    [
        ({"pkg/parts/pipes.py": "class Pipe: ...\n"}, "pkg.parts.pipes.Pipe"),  # where it is defined
        (  # as the programs import it
            {
                "pkg/parts/pipes.py": "class Pipe: ...\n",
                "pkg/parts/__init__.py": "from pkg.parts.pipes import Pipe\n",
                "pkg/main.py": f"from pkg.parts import Pipe\n{READS}",
            },
            "pkg.parts.Pipe",
        ),
        (  # as another configuration calls it, although two files define one
            {
                "pkg/parts/pipes.py": "class Pipe: ...\n",
                "pkg/other.py": "class Pipe: ...\n",
                "cases/like.yaml": OWN.format("pkg.parts.pipes.Pipe"),
            },
            "pkg.parts.pipes.Pipe",
        ),
        ({"src/pkg/parts/pipes.py": "class Pipe: ...\n", "src/pkg/__init__.py": ""}, "pkg.parts.pipes.Pipe"),
        # The package has another name, and is otherwise the same.
        ({"new/__init__.py": "", "new/parts/pipe/__init__.py": "", "new/parts/pipe/core.py": "class Pipe: ...\n"}, "new.parts.pipe.core.Pipe"),
    ],
)  # fmt: skip
def test_the_path_at_which_the_repository_has_it(files: dict[str, str], new: str) -> None:
    proved = made(files)
    assert proved.state is PatchState.PATCH, proved.reason
    assert changed(proved) == [f"-_target_: {OLD}", f"+_target_: {new}"]


def test_in_every_file_that_names_it_and_with_what_is_taken_from_the_class() -> None:
    old = "pkg.Model.from_pretrained"
    files = {
        "pkg/models.py": "class Model: ...\n",
        "cases/two.yaml": 'pipe:\n  _component_: "pkg.Model.from_pretrained"\n',
        "run.sh": "python -m pkg.main pipe._target_=pkg.Model.from_pretrained\n",
    }
    proved = made(files, old)
    assert proved.state is PatchState.PATCH, proved.reason
    assert proved.files == ("cases/own.yaml", "cases/two.yaml", "run.sh")
    assert "+_target_: pkg.models.Model.from_pretrained" in changed(proved)


@pytest.mark.parametrize(
    "files",
    [
        {},  # nothing is called so
        {"pkg/a.py": "class Pipe: ...\n", "pkg/b.py": "class Pipe: ...\n"},  # two are
        {"pkg/a.py": "class Pipe: ...\n", "pkg/main.py": ""},  # nobody takes the section
        {"tests/a.py": "class Pipe: ...\n"},  # a test's own
        {"pkg/a.py": '"""\nclass Pipe: ...\n"""\n'},  # a text only
        {"other/__init__.py": "", "other/a.py": "class Pipe: ...\n"},  # a twin in another package
    ],
)
def test_words_where_the_tree_does_not_tell(files: dict[str, str]) -> None:
    assert made(files).state is PatchState.ADVICE


def test_refused_where_the_repository_has_it_at_that_path_or_nothing_names_it() -> None:
    here = {"pkg/parts/pipe/core.py": "import gone\nclass Pipe: ...\n"}
    assert made(here).state is PatchState.REFUSED
    assert made({"pkg/parts/pipe/core.py": "from pkg.all import *\n"}).state is PatchState.REFUSED
    assert made({"cases/own.yaml": "a: b\n"}).state is PatchState.REFUSED
    assert made({}, "Pipe; rm").state is PatchState.REFUSED


def test_a_configuration_beside_it_with_the_section_is_reason_enough() -> None:
    files = {"pkg/a.py": "class Pipe: ...\n", "pkg/main.py": "", "cases/like.yaml": "pipe:\n  stages: 2\n"}
    assert changed(made(files)) == [f"-_target_: {OLD}", "+_target_: pkg.a.Pipe"]


STAGE = "  - model_stage: {stage}\n    worker: pkg.work.Worker\n    scheduler: {scheduler}\n    eager: true\n    share: 0.6\n"
GONE, PLAIN, LATE = "pkg.sched.old.Scheduler", "pkg.sched.plain.PlainScheduler", "pkg.sched.late.LateScheduler"


def stages(*held: tuple[str, str]) -> str:
    return "stages:\n" + "".join(STAGE.format(stage=stage, scheduler=one) for stage, one in held)


SCHEDULERS = {
    "pkg/sched/__init__.py": "",
    "pkg/sched/plain.py": "class PlainScheduler: ...\n",
    "pkg/sched/late.py": "class LateScheduler: ...\n",
    "cases/one.yaml": stages(("think", PLAIN), ("draw", LATE)),
    "cases/two.yaml": stages(("think", PLAIN), ("draw", LATE)),
}


@pytest.mark.parametrize("said", [GONE, "pkg.sched.old"])
def test_what_replaced_a_class_stands_in_the_sections_that_are_most_like_its_own(said: str) -> None:
    found = made(SCHEDULERS | {"cases/own.yaml": stages(("think", GONE), ("draw", LATE))}, said)
    assert changed(found) == [f"-scheduler: {GONE}", f"+scheduler: {PLAIN}"], found.reason


@pytest.mark.parametrize(
    "files",
    [
        {"cases/own.yaml": stages(("think", GONE), ("draw", GONE))},  # two sections, and each has another one
        {"cases/own.yaml": stages(("sing", GONE))},  # as like the one as the other
        {"cases/own.yaml": stages(("think", GONE)), "cases/two.yaml": stages(("think", LATE))},
        {"cases/own.yaml": f"scheduler: {GONE}\neager: true\n"},  # hardly like any
        {"cases/own.yaml": stages(("think", GONE)), "pkg/sched/plain.py": ""},  # theirs is gone too
    ],
)
def test_what_replaced_a_class_is_not_guessed(files: dict[str, str]) -> None:
    assert made(SCHEDULERS | files, GONE).state is PatchState.ADVICE
