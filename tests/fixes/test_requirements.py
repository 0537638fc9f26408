from __future__ import annotations

from tests.fixes.memory_tree import tree
from triage.fixes.requirements import (
    distributions,
    in_file,
    in_pyproject,
    is_module_of,
    locked,
    naming,
    requirement_files,
)
from triage.model.signature import Tables

TABLES = Tables(distributions={"cv2": ("opencv-python-headless", "opencv-python"), "data_queue": ("DataQueue",)})
REPOSITORY = tree(
    {
        "requirements.txt": """
            # everything
            numpy<2.0.0
            ray[default]>=2.41  # the cluster
            DataQueue==0.1.7
            -r docs/requirements-docs.txt
            --extra-index-url https://example.invalid/simple
            git+https://example.invalid/x.git
        """,
        "docs/requirements-docs.txt": "sphinx; python_version > '3.10'\n",
        "pyproject.toml": """
            [project]
            name = "train"
            dependencies = ["torch==2.9"]
            [project.optional-dependencies]
            vision = ["opencv-python>=4"]
            [dependency-groups]
            dev = ["pytest", {include-group = "lint"}]
        """,
        "uv.lock": """
            version = 1

            [[package]]
            name = "dataqueue"
            version = "0.1.9"
        """,
        "train/__init__.py": "",
        "src/extra/one.py": "",
    }
)


def test_requirements_of_a_file_and_of_what_it_includes() -> None:
    named = in_file(REPOSITORY, "requirements.txt")
    assert [(one.name, one.pin, one.path) for one in named] == [
        ("numpy", "<2.0.0", "requirements.txt"),
        ("ray", ">=2.41", "requirements.txt"),
        ("dataqueue", "==0.1.7", "requirements.txt"),
        ("sphinx", "", "docs/requirements-docs.txt"),
    ]
    assert requirement_files(REPOSITORY) == ("docs/requirements-docs.txt", "requirements.txt")


def test_extras_and_groups_of_pyproject() -> None:
    assert [(one.name, one.extra) for one in in_pyproject(REPOSITORY)] == [
        ("torch", ""),
        ("opencv-python", "vision"),
        ("pytest", "dev"),
    ]


def test_a_module_selects_only_what_the_tree_names() -> None:
    named = in_file(REPOSITORY, "requirements.txt")
    assert [one.spec for one in naming(named, distributions("data_queue.client", TABLES))] == ["DataQueue==0.1.7"]
    assert naming(named, distributions("evil_package", TABLES)) == ()
    assert [one.extra for one in naming(in_pyproject(REPOSITORY), distributions("cv2", TABLES))] == ["vision"]


def test_separators_do_not_tell_names_apart() -> None:
    assert [one.spec for one in naming(in_file(REPOSITORY, "requirements.txt"), ("data-queue",))] == [
        "DataQueue==0.1.7"
    ]


def test_the_lock_and_the_repositorys_own_modules() -> None:
    assert locked(REPOSITORY) == {"dataqueue": "0.1.9"}
    assert is_module_of(REPOSITORY, "train.main")
    assert is_module_of(REPOSITORY, "extra")
    assert not is_module_of(REPOSITORY, "numpy")


def test_files_that_include_each_other_end() -> None:
    loop = tree({"requirements.txt": "-r requirements.txt\nnumpy\n"})
    assert {one.name for one in in_file(loop, "requirements.txt")} == {"numpy"}
