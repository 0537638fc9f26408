"""One word of a command, or one entry of a file, that the log says is wrong."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, by_path, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.diagnosis import Facts
from triage.model.patch import PatchState
from triage.model.recipe import (
    AlikeKey,
    ChooseValue,
    ContainerVariable,
    CopyEnv,
    DropItem,
    DropOption,
    DropProxy,
    LighterLoss,
    NumberVariable,
    PassOption,
    Recipe,
    SetInput,
)

CI = ".github/workflows/ci.yml"
NUMBER = NumberVariable("{name}", "{value}")
INSIDE = ContainerVariable("{assignment}")
EITHER = DropOption("{option}", other="{other}")
OF_PIP = DropOption("{argument}", programs=("pip", "pip3"))
OF_TESTS = DropOption("{argument}")
PROXY = DropProxy("{host}", "{port}")
LISTED = DropItem("{url}")
CHOICE = ChooseValue("{value}", "{choices}")
UPLOAD = SetInput("codecov/codecov-action", "fail_ci_if_error", "false", from_value="true")
TOKEN = CopyEnv(("{name}",), token=True)


def repository(run: str, *, before: str = "", **files: str) -> MemoryTree:
    lines = "".join(f"          {line}\n" for line in run.splitlines())
    text = f"on: push\njobs:\n  a:\n    runs-on: [gpu]\n    steps:\n      - uses: actions/checkout@v4\n{before}"
    text += f"      - name: Run\n        run: |\n{lines}"
    return tree({CI: text, **by_path(files)})


def made(recipe: Recipe, here: MemoryTree, captures: dict[str, str], facts: Facts = Facts()) -> list[str]:
    proved = patch(recipe, "a", CI, step="Run", captures=captures, facts=facts, repository=here)
    assert proved.state is PatchState.PATCH, proved.reason
    return changed(proved)


def refused(recipe: Recipe, here: MemoryTree, captures: dict[str, str]) -> str:
    drafted = draft(recipe, "a", CI, step="Run", captures=captures, repository=here)
    assert drafted.state is not PatchState.PATCH
    return str(drafted.reason)


@pytest.mark.parametrize(
    ("run", "value", "expected"),
    [
        ("DEBUG_ON=True pytest a.py", "True", ["-DEBUG_ON=True pytest a.py", "+DEBUG_ON=1 pytest a.py"]),
        ('export DEBUG_ON="off"\npytest', "off", ['-export DEBUG_ON="off"', '+export DEBUG_ON="0"']),
        ("docker run -e DEBUG_ON=yes b", "yes", ["-docker run -e DEBUG_ON=yes b", "+docker run -e DEBUG_ON=1 b"]),
    ],
)
def test_a_truth_value_becomes_the_number_that_the_program_reads(run: str, value: str, expected: list[str]) -> None:
    assert made(NUMBER, repository(run), {"name": "DEBUG_ON", "value": value}) == expected


def test_a_variable_that_several_files_set_is_left_alone_unless_the_job_runs_one_of_them() -> None:
    files = {"a.sh": "DEBUG_ON=True pytest\n", "b.sh": "DEBUG_ON=True pytest\n"}
    captures = {"name": "DEBUG_ON", "value": "True"}
    assert "several files" in refused(NUMBER, repository("make", **files), captures)
    assert made(NUMBER, repository("bash a.sh", **files), captures) == ["-DEBUG_ON=True pytest", "+DEBUG_ON=1 pytest"]


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (
            "docker run -v a:b img:1 MODE=x bash a.sh",
            ["-docker run -v a:b img:1 MODE=x bash a.sh", "+docker run -v a:b -e MODE=x img:1 bash a.sh"],
        ),
        (
            "podman run --rm img MODE=x N=2 python a.py",
            ["-podman run --rm img MODE=x N=2 python a.py", "+podman run --rm -e MODE=x -e N=2 img python a.py"],
        ),
        ("docker exec box MODE=x ls", ["-docker exec box MODE=x ls", "+docker exec -e MODE=x box ls"]),
    ],
)
def test_an_assignment_before_the_program_of_a_container_becomes_an_option(run: str, expected: list[str]) -> None:
    assert made(INSIDE, repository(run), {"assignment": "MODE=x"}) == expected


def test_an_assignment_that_is_an_option_already_stays() -> None:
    assert "option" in refused(INSIDE, repository("docker run -e MODE=x img bash a.sh"), {"assignment": "MODE=x"})


@pytest.mark.parametrize(
    ("run", "option", "other", "expected"),
    [
        ("maturin build --release --profile ci", "--release", "--profile", "+maturin build --profile ci"),
        ("maturin build --profile ci --release", "--profile", "--release", "+maturin build --profile ci"),
        ("train --quick --steps=4 a", "--quick", "--steps", "+train --steps=4 a"),
    ],
)
def test_of_two_options_that_exclude_each_other_the_one_without_a_value_goes(
    run: str, option: str, other: str, expected: str
) -> None:
    assert made(EITHER, repository(run), {"option": option, "other": other}) == [f"-{run}", expected]


def test_two_options_that_both_have_values_are_left_to_a_person() -> None:
    here = repository("train --steps 4 --epochs 2")
    assert "both options" in refused(EITHER, here, {"option": "--steps", "other": "--epochs"})


def test_pip_loses_only_an_option_that_it_does_not_need() -> None:
    here = repository("pip install --upgrade pip --break-system-packages")
    gone = made(OF_PIP, here, {"argument": "--break-system-packages"})
    assert gone == ["-pip install --upgrade pip --break-system-packages", "+pip install --upgrade pip"]
    here = repository("pip install a --index-strategy unsafe")
    assert "not known" in refused(OF_PIP, here, {"argument": "--index-strategy"})


DEFINITION = "steps:\n- commands:\n  - pytest -v evals/test_a.py --size=1\n  - pytest evals/test_a.py -x --size=2\n"


@pytest.mark.parametrize("conftest", ["", "other__conftest.py"])
def test_an_option_that_nothing_gives_to_pytest_goes_wherever_the_tests_are_given_it(conftest: str) -> None:
    files = {"pipelines__steps.yaml": DEFINITION, "evals__test_a.py": ""}
    files |= {conftest: 'def pytest_addoption(parser):\n    parser.addoption("--size")\n'} if conftest else {}
    facts = Facts(commands=("+ pytest -v evals/test_a.py --size=1",))
    assert made(OF_TESTS, repository("echo", **files), {"argument": "--size=1"}, facts) == [
        "-- pytest -v evals/test_a.py --size=1",
        "-- pytest evals/test_a.py -x --size=2",
        "+- pytest -v evals/test_a.py",
        "+- pytest evals/test_a.py -x",
    ]


def test_an_option_that_the_tests_declare_or_a_plugin_has_stays() -> None:
    own = {"conftest.py": 'def pytest_addoption(parser):\n    parser.addoption("--size")\n'}
    assert "declares" in refused(OF_TESTS, repository("pytest --size=1", **own), {"argument": "--size=1"})
    assert "plugin" in refused(OF_TESTS, repository("pytest --cov=a"), {"argument": "--cov=a"})


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (
            "docker build --build-arg http_proxy=http://10.0.0.9:7890 --build-arg A=1 -t b .",
            [
                "-docker build --build-arg http_proxy=http://10.0.0.9:7890 --build-arg A=1 -t b .",
                "+docker build --build-arg A=1 -t b .",
            ],
        ),
        (
            "export https_proxy=http://10.0.0.9:7890\npip install a",
            ["-export https_proxy=http://10.0.0.9:7890"],
        ),
        (
            "pip install --proxy http://10.0.0.9:7890 a",
            ["-pip install --proxy http://10.0.0.9:7890 a", "+pip install a"],
        ),
    ],
)
def test_what_names_the_proxy_goes(run: str, expected: list[str]) -> None:
    assert made(PROXY, repository(run), {"host": "10.0.0.9", "port": "7890"}) == expected


def test_an_address_that_is_no_proxy_stays() -> None:
    here = repository("curl http://10.0.0.9:7890/data")
    assert "no file" in refused(PROXY, here, {"host": "10.0.0.9", "port": "7890"})


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("mkdocs.yml", "inventories:\n  - https://a.example/objects.inv\n  - https://b.example/objects.inv\n"),
        ("docs/conf.py", 'LINKS = [\n    "https://a.example/objects.inv",\n    "https://b.example/objects.inv",\n]\n'),
        ("docs/a.json", '{"urls": [\n  "https://b.example/objects.inv",\n  "https://a.example/objects.inv"\n]}\n'),
    ],
)
def test_the_entry_of_a_list_goes(path: str, text: str) -> None:
    proved = patch(LISTED, "", "", captures={"url": "https://b.example/objects.inv"}, repository=tree({path: text}))
    assert proved.state is PatchState.PATCH, proved.reason
    assert [line.strip("-,\" '") for line in changed(proved)] == ["https://b.example/objects.inv"]


@pytest.mark.parametrize("text", ["a: [https://b.example/x]\n", "- https://b.example/x\n", "- https://a.example/x\n"])
def test_an_entry_that_stands_alone_or_in_a_line_with_others_stays(text: str) -> None:
    drafted = draft(LISTED, "", "", captures={"url": "https://b.example/x"}, repository=tree({"a.yml": text}))
    assert drafted.state is not PatchState.PATCH


@pytest.mark.parametrize(
    ("value", "choices", "new"),
    [
        ("energon_pairs", "'mock', 'pairs'", "pairs"),
        ("adam_w", "adamw, sgd", "adamw"),
        ("flashinfr", "flashinfer", "flashinfer"),
        ("tiny-in", "'default'", "default"),  # there is one alone
    ],
)
def test_the_choice_that_a_value_resembles_is_asked_for(value: str, choices: str, new: str) -> None:
    here = repository("python train.py --config a.yaml", **{"train.py": "", "a.yaml": f"kind: {value}\nsize: 1\n"})
    assert made(CHOICE, here, {"value": value, "choices": choices}) == [f"-kind: {value}", f"+kind: {new}"]


def test_a_value_that_resembles_none_or_stands_twice_stays() -> None:
    files = {"train.py": "", "a.yaml": "kind: pears\nother: pears\n"}
    here = repository("python train.py --config a.yaml", **files)
    assert "several places" in refused(CHOICE, here, {"value": "pears", "choices": "pairs, mock"})
    assert "none of" in refused(CHOICE, here, {"value": "pears", "choices": "x1, x2"})


STEP = "      - uses: {}\n        with:\n          {}\n"


def test_an_upload_no_longer_fails_the_job_where_it_did() -> None:
    here = repository("pytest", before=STEP.format("codecov/codecov-action@v4", "fail_ci_if_error: true"))
    assert made(UPLOAD, here, {}) == ["-fail_ci_if_error: true", "+fail_ci_if_error: false"]
    here = repository("pytest", before=STEP.format("codecov/codecov-action@v4", "files: a.xml"))
    assert "not set" in refused(UPLOAD, here, {})


@pytest.mark.parametrize("name", ["GITHUB_TOKEN", "GH_TOKEN", "GITHUB_API_TOKEN"])
def test_a_token_of_github_that_a_program_reads_is_given_to_its_step(name: str) -> None:
    here = repository("python draft.py", **{"draft.py": f'import os\nos.environ["{name}"]\n'})
    assert made(TOKEN, here, {"name": name}) == ["+env:", f"+{name}: ${{{{ secrets.GITHUB_TOKEN }}}}"]


def test_another_variable_is_only_copied_and_one_that_nothing_reads_is_none() -> None:
    here = repository("python draft.py", **{"draft.py": 'import os\nos.environ["DATA_ROOT"]\n'})
    assert "no sibling" in refused(TOKEN, here, {"name": "DATA_ROOT"})
    assert "no program" in refused(TOKEN, here, {"name": "GH_TOKEN"})


LOSSES = "{key}:\n  {kind}: train.losses.{name}\nmodel:\n  path: a\n{more}"


def configurations(key: str, kind: str, light: str, more: str = "") -> dict[str, str]:
    files = {f"recipes__{at}.yaml": LOSSES.format(key=key, kind=kind, name=light, more=more) for at in range(2)}
    return files | {"recipes__own.yaml": LOSSES.format(key=key, kind=kind, name="plain.CrossEntropy", more="")}


@pytest.mark.parametrize(
    ("key", "kind", "light", "more", "program", "extra"),
    [
        ("loss_fn", "_target_", "fused.FusedLinearCrossEntropy", "", "", []),
        ("loss", "_component_", "parts.ChunkedCrossEntropy", "  keep_states: true\n", "", ["+keep_states: true"]),
        (
            *("loss_fn", "_target_", "fused.LinearCrossEntropy", ""),
            'raise ValueError("LinearCrossEntropy requires the states. Set `model.keep_states=True` for it.")\n',
            ["+keep_states: true"],
        ),
    ],
)
def test_the_loss_of_configurations_alike_that_needs_less_memory(
    key: str, kind: str, light: str, more: str, program: str, extra: list[str]
) -> None:
    files = configurations(key, kind, light, more)
    here = repository("torchrun train.py --config recipes/own.yaml", **{"train.py": program, **files})
    lines = made(LighterLoss(), here, {})
    changed_loss = [f"-{kind}: train.losses.plain.CrossEntropy", f"+{kind}: train.losses.{light}"]
    assert sorted(lines) == sorted([*changed_loss, *extra])


def test_one_configuration_is_no_evidence_and_a_light_loss_stays() -> None:
    files = configurations("loss_fn", "_target_", "fused.FusedLinearCrossEntropy")
    run = "torchrun train.py --config recipes/{}.yaml"
    few = {name: text for name, text in files.items() if name != "recipes__1.yaml"}
    assert "no configuration" in refused(LighterLoss(), repository(run.format("own"), **{"train.py": ""}, **few), {})
    assert "Fused" in refused(LighterLoss(), repository(run.format("0"), **{"train.py": ""}, **files), {})


@pytest.mark.parametrize("light", ["fused.LinearDPOLoss", "parts.ChunkedKLLoss"])
def test_a_loss_that_trains_something_else_is_none(light: str) -> None:
    files = {"train.py": "", **configurations("loss", "_component_", light)}
    here = repository("torchrun train.py --config recipes/own.yaml", **files)
    assert "no configuration" in refused(LighterLoss(), here, {})


MISSING = AlikeKey("{key}")
REQUIRED = AlikeKey("{name}", value="{value}")
OTHERS = ("data:\n  add_prompt: {}\n  size: 1\nmodel:\n  dtype: {}\n", "data:\n  size: 1\nmodel:\n  path: a\n")
RUN_OWN = "python run.py --config recipes/own.yaml"


def recipes(*others: tuple[str, str]) -> dict[str, str]:
    files = {f"recipes__{at}.yaml": OTHERS[0].format(*one) for at, one in enumerate(others)}
    return {"run.py": "", "recipes__own.yaml": OTHERS[1], **files}


@pytest.mark.parametrize("value", ["false", "4", "fp32"])
def test_a_key_that_is_lacking_is_what_most_configurations_alike_have(value: str) -> None:
    here = repository(RUN_OWN, **recipes((value, "a"), (value, "b"), (value, "a")))
    assert made(MISSING, here, {"key": "add_prompt"}) == [f"+add_prompt: {value}"]


@pytest.mark.parametrize("name", ["dtype", "--dtype"])
def test_a_setting_that_another_requires_has_the_value_that_the_program_names(name: str) -> None:
    here = repository(RUN_OWN, **recipes(("1", "fp32"), ("1", "bf16"), ("2", "bf16")))
    assert made(REQUIRED, here, {"name": name, "value": "fp32"}) == ["+dtype: fp32"]


SECTION = "data:\n  size: 1\nmodel:\n  path: a\npack:\n  {}\n"
PLAIN = "data:\n  size: 1\nmodel:\n  path: a\n"


def sections(*others: str, own: str = PLAIN) -> dict[str, str]:
    return {"run.py": "", "recipes__own.yaml": own} | {
        f"recipes__{at}.yaml": SECTION.format(one) for at, one in enumerate(others)
    }


@pytest.mark.parametrize("off", ["False", "false"])
def test_a_section_that_others_switch_off_is_off_where_it_is_lacking(off: str) -> None:
    files = sections(f"enabled: {off}", f"enabled: {off}\n  size: 8", "enabled: True\n  size: 8")
    here = repository(RUN_OWN, **files)
    assert made(MISSING, here, {"key": "pack"}) == ["+pack:", f"+enabled: {off}"]


@pytest.mark.parametrize(
    "others",
    [
        ("enabled: True\n  size: 8", "enabled: True\n  size: 8"),
        ("enabled: False\n  size: 8", "enabled: False\n  size: 4"),  # the size may be read all the same
        ("enabled: False", "enabled: True\n  size: 8"),  # one alone is no use
        ("size: 8", "size: 8"),
    ],
)
def test_a_section_that_others_do_not_switch_off_is_not_made_up(others: tuple[str, str]) -> None:
    assert "hold" in refused(MISSING, repository(RUN_OWN, **sections(*others)), {"key": "pack"})


def test_the_configuration_after_which_this_one_is_named_decides() -> None:
    files = recipes(("true", "a"), ("true", "a"), ("true", "a")) | {
        "recipes__tune.yaml": OTHERS[0].format("false", "a")
    }
    files["recipes__tune-small.yaml"] = OTHERS[1]
    here = repository(RUN_OWN.replace("own", "tune-small"), **files)
    assert made(MISSING, here, {"key": "add_prompt"}) == ["+add_prompt: false"]


def test_the_nearest_folder_that_has_several_decides() -> None:
    files = {f"recipes__text__{at}.yaml": OTHERS[0].format("true", "a") for at in range(5)}
    files |= {f"recipes__vision__big__{at}.yaml": OTHERS[0].format("false", "a") for at in range(2)}
    files |= {"run.py": "", "recipes__vision__small__own.yaml": OTHERS[1]}
    here = repository("python run.py --config recipes/vision/small/own.yaml", **files)
    assert made(MISSING, here, {"key": "add_prompt"}) == ["+add_prompt: false"]


def test_where_configurations_disagree_or_hold_no_such_key_nothing_is_set() -> None:
    here = repository(RUN_OWN, **recipes(("true", "a"), ("false", "a")))
    assert "hold" in refused(MISSING, here, {"key": "add_prompt"})
    assert "no configurations" in refused(MISSING, here, {"key": "never_seen"})
    assert "hold" in refused(REQUIRED, here, {"name": "dtype", "value": "b"})


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("kernel: fused\na: 1\nb: 2\nc: 3\nd: 4\n", ["+kernel: fused"]),
        ("a: 1\nb: 2\nc: 3\nmodel:\n  kernel: fused\n", ["+kernel: fused"]),
        ("a: 1\nb: 2\nc: 3\nserving:\n  kernel: fused\n", []),  # a section that this file does not have
        ("kernel: plain\na: 1\nb: 2\nc: 3\n", []),  # nobody has the value
    ],
)
def test_a_value_that_the_program_asks_for_stands_where_others_have_it(other: str, expected: list[str]) -> None:
    here = repository(RUN_OWN, **{"run.py": "", "recipes__own.yaml": OTHERS[1], "recipes__other.yaml": other})
    captures = {"name": "kernel", "value": "fused"}
    assert (made(REQUIRED, here, captures) if expected else not refused(REQUIRED, here, captures)) == (
        expected or False
    )


def test_a_key_is_read_by_its_whole_path_where_others_hold_it_there() -> None:
    others = {f"recipes__{at}.yaml": OTHERS[1] + "  cut: 3\nrest: 1\n" for at in range(3)}
    own = OTHERS[1] + "rest: 1\n"
    here = repository(RUN_OWN, **{"run.py": "", "recipes__own.yaml": own, **others})
    assert made(MISSING, here, {"key": "model.cut"}) == ["+cut: 3"]


def alike(own: str, *others: str) -> MemoryTree:
    files = {f"recipes__{at}.yaml": text for at, text in enumerate(others)}
    return repository(RUN_OWN, **{"run.py": "", "recipes__own.yaml": own, **files})


def test_a_key_that_stands_in_two_sections_is_added_where_it_is_lacking_alone() -> None:
    base, critic = "model: a\noptim:\n  name: adam\n{}data: x\n", "critic:\n  rate: 9\n"
    other = base.format("  rate: 1\n") + critic
    assert "optim.rate, critic.rate" in refused(MISSING, alike(base.format(""), other, other), {"key": "rate"})
    assert made(MISSING, alike(base.format("") + critic, other, other), {"key": "rate"}) == ["+rate: 1"]
    both = alike(base.format("  rate: 2\n") + critic, other, other)
    assert "is 2" in refused(MISSING, both, {"key": "rate"})


def test_a_number_that_is_a_text_elsewhere_is_not_written_as_a_number() -> None:
    own, other = "data:\n  size: 1\nmodel: a\n", "data:\n  size: 1\n  rate: '5'\nmodel: a\n"
    assert "as a text" in refused(MISSING, alike(own, other, other), {"key": "rate"})


def test_a_truth_value_is_the_same_in_python_and_in_yaml() -> None:
    own, other = "data:\n  packed: true\nmodel: a\n", "data:\n  packed: false\nmodel: a\n"
    lines = made(REQUIRED, alike(own, other, other), {"name": "packed", "value": "False"})
    assert lines == ["-packed: true", "+packed: false"]


WAIT = PassOption("--default-timeout=300")


@pytest.mark.parametrize(
    ("run", "traced", "expected"),
    [
        ("pip install a", (), ["-pip install a", "+pip install --default-timeout=300 a"]),
        ("python -m pip install -r a.txt", (), ["-python -m pip install -r a.txt"]),
        (
            "pip install a\npip install b",
            ("pip install b",),
            ["-pip install b", "+pip install --default-timeout=300 b"],
        ),
    ],
)
def test_pip_waits_longer_in_the_install_that_failed(run: str, traced: tuple[str, ...], expected: list[str]) -> None:
    lines = made(WAIT, repository(run), {}, Facts(traced=traced, commands=traced))
    assert lines[: len(expected)] == expected


@pytest.mark.parametrize("run", ["pip install --timeout 60 a", "pip install a\npip install b"])
def test_pip_that_waits_already_or_one_of_several_installs_is_left_alone(run: str) -> None:
    assert refused(WAIT, repository(run), {})
