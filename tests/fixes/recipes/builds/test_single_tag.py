"""Images that are named with their tag twice."""

from __future__ import annotations

import pytest

from tests.fixes.memory_tree import MemoryTree, tree
from tests.fixes.recipes.repository import changed, draft, patch
from triage.model.patch import PatchState
from triage.model.recipe import SingleTag

OWN = ".github/workflows/own.yml"
RECIPE = SingleTag()
NAME = "hub.io:5000/a/train-2.3"


def repository(steps: str, job: str = "", **files: str) -> MemoryTree:
    return tree({OWN: f"on: push\njobs:\n  train:\n    runs-on: [gpu]\n{job}    steps:\n{steps}", **files})


@pytest.mark.parametrize(
    ("steps", "job", "files", "old", "new"),
    [
        (f"      - run: docker pull {NAME}:latest:latest\n", "", {}, f"{NAME}:latest:latest", f"{NAME}:latest"),
        # What is put together from a variable loses what stands behind it.
        (
            '      - run: docker pull "$IMAGE:v1-dev"\n',
            f"    env: {{IMAGE: '{NAME}:v1-dev'}}\n",
            {},
            '"$IMAGE:v1-dev"',
            '"$IMAGE"',
        ),
        (
            "      - run: docker run --rm -v /data:/data:ro $IMAGE bash\n",
            f"    env:\n      IMAGE: {NAME}:main:main\n",
            {},
            f"{NAME}:main:main",
            f"{NAME}:main",
        ),
        ("      - run: bash pull.sh\n", "", {"pull.sh": "docker pull a/b:x:x\n"}, "a/b:x:x", "a/b:x"),
        ("      - run: make\n", "    container: a/b:x1:x1\n", {}, "a/b:x1:x1", "a/b:x1"),
        (
            "      - uses: docker/build-push-action@v6\n        with:\n          tags: |\n            a/b:c1\n            a/b:x1:x1\n",
            "",
            {},
            "a/b:x1:x1",
            "a/b:x1",
        ),
    ],
)
def test_the_second_of_two_equal_tags_goes(steps: str, job: str, files: dict[str, str], old: str, new: str) -> None:
    made = patch(RECIPE, "train", OWN, repository=repository(steps, job, **files))
    assert made.state is PatchState.PATCH, made.reason
    before, after = changed(made)
    assert before[1:].replace(old, new) == after[1:]


@pytest.mark.parametrize(
    ("command", "state"),
    [
        # Another tag is meant, or none: nobody but a person knows which.
        ("docker pull a/b:latest:v2", PatchState.ADVICE),
        ("docker buildx imagetools create --tag a/b:v1,hub.io/a/b:v1 a/b:amd64", PatchState.ADVICE),
        # Mounts, ports and times have colons too, and a digest is no tag.
        ("docker run -v cache:ro:ro -p 80:80:80 --mount x:y:y a/b:v1 sleep 12:30:30", PatchState.REFUSED),
        ("docker run --volume=cache:ro:ro a/b@sha256:abc", PatchState.REFUSED),
        ("echo a/b:x:x", PatchState.REFUSED),
        ("docker pull a/b:x:x:x", PatchState.REFUSED),
        # Both are written elsewhere; the last part of the name is no tag that the command holds as it stands.
        ('docker pull "a/b:latest:${TAG}"', PatchState.ADVICE),
    ],
)
def test_other_colons_stay(command: str, state: PatchState) -> None:
    job = "    env: {TAG: latest}\n"
    made = draft(RECIPE, "train", OWN, repository=repository(f"      - run: |\n          {command}\n", job))
    assert (made.state, made.edits) == (state, ()), made.reason
