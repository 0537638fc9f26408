"""Faults seeded into a small tree of our own: each kind finds a place there, and the product finds the way back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.seeded.__main__ import replay
from tests.seeded.kinds import KINDS
from tests.seeded.log import written
from tests.seeded.site import Site, site_of
from triage.sources.trees import ContentTree

_WORKFLOW = b"""\
name: tests
on: [push]
jobs:
  unit:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    strategy:
      matrix:
        python: ["3.11", "3.12"]
    steps:
      - uses: actions/checkout@v4
      - name: Install
        run: pip install einops pytest
      - name: Test
        env:
          TOKEN: ${{ secrets.TOKEN }}
        run: pytest -x tests
  listed:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: pip install -r requirements.txt
      - run: pytest tests
  project:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: pip install -e .
      - run: python examples/train.py
  tune:
    runs-on: [gpu-8]
    steps:
      - uses: actions/checkout@v4
      - run: bash scripts/tune.sh
      - run: python tools/export.py --output-format safetensors
"""
_INSTALLING = b"""\
name: installing
on: [push]
jobs:
  films:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: |
          pip install pytest
          pip install -r checks/requirements.txt
      - run: pytest checks
  extra:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: |
          python -V
          pip install -e '.[test]'
      - run: pytest trials
  scripted:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: bash ci/install.sh
      - run: python tools/report.py
  itself:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: |
          pip install pytest
          pip install -e .
      - run: pytest units
"""
_TUNE = b"""\
python -m train.tune \\
    data.train_files=data/rows.parquet \\
    data.batch_size=64 \\
    model.learning_rate=1e-5 \\
    +model.extra.warmup_steps=3 \\
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2 \\
    actor_rollout_ref.rollout.gpu_memory_utilization=0.5 \\
    actor_rollout_ref.rollout.max_model_len=2048 \\
    actor_rollout_ref.rollout.tensor_model_parallel_size=2 \\
    trainer.n_gpus_per_node=8
vllm serve Qwen/Qwen2.5-0.5B-Instruct --gpu-memory-utilization 0.8
"""
_CONFIGURATION = b"""\
data: {train_files: '', batch_size: 8}
model: {learning_rate: 1e-4, extra: {}}
actor_rollout_ref:
  actor: {ppo_micro_batch_size_per_gpu: 1}
  rollout: {gpu_memory_utilization: 0.5, max_model_len: 1024, tensor_model_parallel_size: 1}
trainer: {nnodes: 1, n_gpus_per_node: 8}
"""
_MAIN = b'import hydra\n\n\n@hydra.main(config_path="config", config_name="tune")\ndef main(config): ...\n'
# Trainings that people start by hand; sizes go together in each.
_PPO = b"""\
python3 -m ppo.main \\
    data.train_batch_size=64 \\
    data.max_prompt_length=512 \\
    data.max_response_length=512 \\
    actor_rollout_ref.actor.ppo_mini_batch_size=32 \\
    actor_rollout_ref.rollout.tensor_model_parallel_size=4 \\
    actor_rollout_ref.rollout.max_num_batched_tokens=1024 \\
    trainer.n_gpus_per_node=8 \\
    trainer.nnodes=1
"""
_SFT = b"""\
torchrun --nproc_per_node=8 -m sft_trainer data.train_batch_size=64
"""
_PRETRAIN = b"""\
torchrun --nproc_per_node=8 pretrain.py --global-batch-size 64 --micro-batch-size 2 --tensor-model-parallel-size 2
"""
_STRICT = b"""\
#!/usr/bin/env bash
set -euo pipefail
MODEL_PATH=models/small
OUTPUT_DIR=out/small
echo "$MODEL_PATH"
mkdir -p "$OUTPUT_DIR"
python convert.py "$MODEL_PATH" --out "$OUTPUT_DIR"
"""
_EXPORT = b"""\
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--output-format", choices=["safetensors", "pickle"])
"""
# How jobs hang together, and what their steps name.
_WIRED = b"""\
name: wired
on: [push]
jobs:
  plan:
    runs-on: ubuntu-latest
    outputs:
      cases: ${{ steps.choose.outputs.cases }}
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0
      - id: choose
        run: |
          if [ -d examples ]; then
            echo "cases=[1]" >> "$GITHUB_OUTPUT"
          fi
      - name: Keep
        uses: actions/cache@v4
        with:
          path: build
          key: ${{ steps.choose.outputs.cases }}
      - run: git diff origin/main...HEAD
  build:
    needs: plan
    runs-on: ${{ matrix.machine }}
    strategy:
      matrix:
        machine: [ubuntu-latest]
        case: ${{ fromJson(needs.plan.outputs.cases) }}
    steps:
      - uses: actions/checkout@v4
      - uses: ./.github/actions/prepare
      - working-directory: examples
        run: |
          pip wheel \\
            --wheel-dir wheels
      - run: python examples/train.py "all"
      - uses: actions/upload-artifact@v4
        with:
          name: "wheels-built"
          path: examples/wheels
  check:
    needs: build
    runs-on: ubuntu-latest
    steps:
      - uses: actions/download-artifact@v4
        with:
          name: wheels-built
  publish:
    needs: build
    runs-on: ubuntu-latest
    steps:
      - uses: actions/download-artifact@v4
        with:
          name: wheels-built
  called:
    uses: ./.github/workflows/called.yml
    with:
      machine: cpu
      count: 2
  again:
    uses: ./.github/workflows/called.yml
    with:
      machine: cpu
      count: 3
"""
# What surrounds a step.
_STEPS = b"""\
name: steps
on: [push]
permissions:
  contents: read
jobs:
  report:
    runs-on: ubuntu-latest
    permissions:
      contents: read
      issues: write
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.10"
      - uses: actions/setup-java@v4
        with:
          distribution: temurin
          java-version: 21
      - name: Ask
        env:
          GH_TOKEN: ${{ github.token }}
        run: gh issue create --title red --body red
      - name: Long
        timeout-minutes: 30
        run: timeout 600 make
      - run: bash tools/setup.sh
      - env:
          WHERE: train-data
          LEVEL: high
        run: python tools/fetch.py
  again:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-java@v4
        with:
          distribution: temurin
          java-version: 17
      - env:
          WHERE: train-data
          LEVEL: high
        run: python tools/fetch.py
"""
_CALLED = b"""\
on:
  workflow_call:
    inputs:
      machine: {type: string, required: true}
      count: {type: number, required: true}
jobs:
  run:
    runs-on: ubuntu-latest
    steps:
      - run: echo ${{ inputs.count }}
"""
_VERSIONS = b"""\
on: [push]
jobs:
  bounded:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: pip install "protobuf<4" "wandb<1" tqdm==4.67.1
      - run: pytest tests
  system:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: sudo apt-get update && sudo apt-get install -y ffmpeg pandoc
      - run: pandoc README.md -o page.html
  document:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: |
          sudo apt-get update
          sudo apt-get install -y numactl
          numactl --show
"""
_SET_UP = """\
  {0}:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.11"
      - run: pip install -e .
  {0}-gpu:
    runs-on: [gpu-8]
    container: example/train:latest-cuda
    steps:
      - uses: example/cache@0123456789abcdef0123456789abcdef01234567
      - run: pip install flash-attn --no-build-isolation
"""
# An image without anything, and where uv installs into.
_IMAGE = b"""\
FROM ubuntu:24.04
RUN apt-get update && apt-get install -y \\
    curl \\
    git \\
    python3-pip
RUN git clone https://github.com/example/train
RUN uv pip install --system numpy
"""
_WITH_UV = """\
  {0}:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: |
          uv venv
          uv pip install numpy
      - run: source .venv/bin/activate
"""
_UV = "on: [push]\njobs:\n" + _WITH_UV.format("one") + _WITH_UV.format("two")
_UV += """\
  three:
    runs-on: ubuntu-latest
    steps:
      - run: uv pip install --system numpy
      - run: uv pip install --system scipy
"""
_SETUPS = "on: [push]\njobs:\n" + "".join(map(_SET_UP.format, ("lint", "wheel", "docs")))
_PROJECT = b'[project]\nname = "train"\nversion = "1"\nrequires-python = ">=3.10"\ndependencies = [\n  "numpy",\n  "pandas",\n  "soundfile",\n]\n[project.optional-dependencies]\ntest = [\n  "parameterized",\n  "hypothesis",\n]\n'


@pytest.fixture
def site() -> Site:
    files = {
        ".github/workflows/tests.yml": _WORKFLOW,
        ".github/workflows/wired.yml": _WIRED,
        ".github/workflows/called.yml": _CALLED,
        ".github/workflows/steps.yml": _STEPS,
        "tools/setup.sh": b"echo set up\n",
        "tools/fetch.py": b'import os\n\nwhere = os.environ["WHERE"]\n',
        ".github/actions/prepare/action.yml": b"runs:\n  using: composite\n  steps: []\n",
        ".github/workflows/installing.yml": _INSTALLING,
        ".github/workflows/versions.yml": _VERSIONS,
        ".github/workflows/setups.yml": _SETUPS.encode(),
        "pyproject.toml": _PROJECT,
        "requirements.txt": b"pytest\ntabulate\n",
        "tests/test_train.py": b"import einops\nfrom wandb import init\nfrom tabulate import tabulate\n",
        "train/__init__.py": b"import pandas\n",
        "examples/train.py": b"import train\n",
        "checks/requirements.txt": b"imageio\nseaborn\n",
        "checks/test_films.py": b"import imageio\nimport seaborn\n",
        "train/sound.py": b"import soundfile\n",
        "sounds/test_sound.py": b"from train import sound\n",
        "trials/test_many.py": b"from parameterized import parameterized\n",
        "ci/install.sh": b"pip install rich toml\n",
        "tools/report.py": b"import rich\n",
        "src/loader/__init__.py": b"",
        "units/test_loader.py": b"import loader\n",
        "docker/Dockerfile": _IMAGE,
        ".github/workflows/uv.yml": _UV.encode(),
        "README.md": b"Serve `Qwen/Qwen2.5-0.5B-Instruct`.\n",
        "scripts/tune.sh": _TUNE,
        "runs/convert.sh": _STRICT,
        "runs/ppo.sh": _PPO,
        "runs/sft.sh": _SFT,
        "runs/pretrain.sh": _PRETRAIN,
        "tools/export.py": _EXPORT,
        "train/config/tune.yaml": _CONFIGURATION,
        "train/tune.py": _MAIN,
    }
    return site_of("example/train", ContentTree("a" * 40, files))


@pytest.mark.parametrize("kind", KINDS)
def test_the_way_back_is_found(site: Site, kind: str) -> None:
    seeds = list(KINDS[kind](site))
    scores = [replay(site, seed, f"{kind}:{number}", kind) for number, seed in enumerate(seeds)]
    assert scores
    assert [one.right_knob and not one.unrelated for one in scores] == [True] * len(scores)


def test_the_log_shows_the_steps_as_they_ran(site: Site, tmp_path: Path) -> None:
    seed = next(KINDS["package-not-in-command"](site))
    replay(site, seed, "one", "package-not-in-command", tmp_path)
    lines = (tmp_path / "one.log").read_text(encoding="utf-8").splitlines()
    assert any(line.endswith("\x1b[36;1mpip install pytest\x1b[0m") for line in lines)
    assert any(line.endswith("  TOKEN: ***") for line in lines)
    assert any(line.endswith("Complete job name: unit (3.11)") for line in lines)
    assert not written(seed.job, seed).count("${{")
