"""Corrections of one word or one entry, where the word has company that makes another change of it."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, by_path, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import BuildStep, Facts
from triage.model.patch import Patch, PatchState
from triage.model.recipe import ChooseValue, ContainerVariable, DropItem, DropOption, DropProxy, NumberVariable, Recipe

CI = ".github/workflows/ci.yml"
OF_PIP = DropOption("{it}", programs=("pip", "pip3"))
OF_TESTS = DropOption("{it}")
NUMBER = NumberVariable("{name}", "{value}")
PROXY = DropProxy("{host}", "{port}")
CHOICE = ChooseValue("{value}", "{choices}")
PORT = {"host": "p.example", "port": "3128"}


def repository(run: str, **files: str) -> MemoryTree:
    lines = "".join(f"          {line}\n" for line in run.splitlines())
    text = f"on: push\njobs:\n  a:\n    runs-on: [gpu]\n    steps:\n      - name: Run\n        run: |\n{lines}"
    return tree({CI: text, **by_path(files)})


def made(recipe: Recipe, here: MemoryTree, captures: dict[str, str], facts: Facts = Facts()) -> Patch:
    return patch(recipe, "a", CI, step="Run", captures=captures, facts=facts, repository=here)


@pytest.mark.parametrize(
    ("run", "option", "expected"),
    [
        ("pip install --use-feature fast-deps -r a.txt", "--use-feature", "pip install -r a.txt"),
        ("pip install --root-user-action ignore torch", "--root-user-action", "pip install torch"),
        ("pip install --use-feature=fast-deps torch", "--use-feature", "pip install torch"),
        ("pip install --break-system-packages torch", "--break-system-packages", "pip install torch"),
    ],
)
def test_the_value_of_an_option_of_pip_is_not_left_to_be_installed(run: str, option: str, expected: str) -> None:
    assert changed(made(OF_PIP, repository(run), {"it": option})) == [f"-{run}", f"+{expected}"]


@pytest.mark.parametrize("run", ["pytest --shard 3 tests", "pytest tests --shard 3", "pytest --shard $N tests"])
def test_a_word_that_may_be_the_value_of_an_option_of_the_tests_is_not_left_behind(run: str) -> None:
    held = repository(run, tests__test_a="", **{"tests__test_a.py": ""})
    assert made(OF_TESTS, held, {"it": "--shard"}).state is PatchState.ADVICE
    path = repository("pytest --shard tests/test_a.py::test_b", **{"tests__test_a.py": ""})
    assert changed(made(OF_TESTS, path, {"it": "--shard"}))[1] == "+pytest tests/test_a.py::test_b"


def test_a_comment_is_no_setting_and_places_are_counted_in_bytes() -> None:
    named = {"name": "DEBUG_ON", "value": "True"}
    proved = made(NUMBER, repository("# DEBUG_ON=True is slow\nDEBUG_ON=True pytest"), named)
    assert changed(proved) == ["-DEBUG_ON=True pytest", "+DEBUG_ON=1 pytest"]
    latin = MemoryTree({**repository("bash a.sh").files, "a.sh": b"# caf\xe9\xe9\xe9\nexport DEBUG_ON=True\n"})
    (edit,) = draft(NUMBER, "a", CI, step="Run", captures=named, repository=latin).edits
    assert latin.read("a.sh")[edit.start : edit.end] == b"True"


@pytest.mark.parametrize(
    ("run", "files"),
    [
        ('DEBUG_ON=true\nif [ "$DEBUG_ON" = "true" ]; then echo a; fi', {}),
        ("DEBUG_ON=true\nif [[ ${DEBUG_ON} == true ]]; then echo a; fi", {}),
        ("DEBUG_ON=true pytest", {"a.py": 'if os.environ.get("DEBUG_ON", "") == "true":\n    pass\n'}),
    ],
)
def test_a_variable_whose_word_is_asked_for_elsewhere_keeps_it(run: str, files: dict[str, str]) -> None:
    proved = made(NUMBER, repository(run, **files), {"name": "DEBUG_ON", "value": "true"})
    assert proved.state is PatchState.ADVICE


def test_a_proxy_is_not_cut_out_of_an_assignment_that_goes_on() -> None:
    text = "FROM a\nENV A=b \\\n    https_proxy=http://p.example:3128\nRUN pip install x\n"
    facts = Facts(build=BuildStep("Dockerfile", {4: "RUN pip install x"}))
    built = made(PROXY, repository("docker build .", Dockerfile=text), PORT, facts)
    assert "take the proxy" in str(built.reason)
    run = "http_proxy=http://p.example:3128 \\\n  https_proxy=http://p.example:3128\ncurl x"
    assert made(PROXY, repository(run), PORT).state is PatchState.ADVICE


def test_the_last_item_of_a_list_in_json_takes_the_comma_before_it_along() -> None:
    text = '[\n  "https://a.example/x",\n  "https://b.example/y"\n]\n'
    proved = made(DropItem("{url}"), repository("x", **{"docs__a.json": text}), {"url": "https://b.example/y"})
    assert changed(proved) == ['-"https://a.example/x",', '-"https://b.example/y"', '+"https://a.example/x"']


def test_only_what_the_container_itself_starts_is_moved() -> None:
    recipe = ContainerVariable("{it}")
    proved = made(recipe, repository("docker run img env A=1 make\ndocker run img A=1 make"), {"it": "A=1"})
    assert changed(proved) == ["-docker run img A=1 make", "+docker run -e A=1 img make"]
    assert made(recipe, repository("docker exec c sudo A=1 make"), {"it": "A=1"}).state is PatchState.REFUSED
    quoted = made(recipe, repository('docker run img "A=1" make'), {"it": "A=1"})
    assert "cannot be changed" in str(quoted.reason)


@pytest.mark.parametrize(
    ("run", "files"),
    [
        ("pip install torch_x", {}),
        ("docker pull torch_x", {}),
        ("python a.py", {"environment.yml": "dependencies:\n  - torch_x\n"}),
        ("python a.py", {"deploy__a.sh": "kubectl apply torch_x\n"}),
    ],
)
def test_no_word_of_a_log_names_what_is_installed_or_stands_alone(run: str, files: dict[str, str]) -> None:
    proved = made(CHOICE, repository(run, **files), {"value": "torch_x", "choices": "'torch', 'jax'"})
    assert proved.state is PatchState.REFUSED
