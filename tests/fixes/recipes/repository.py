"""A made-up repository that trains models: workflows, scripts, a Hydra configuration, requirements, a uv project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tests.fixes.memory_tree import MemoryTree, tree
from triage.fixes import Target, prescribe
from triage.gates import prove
from triage.model.diagnosis import Cause, Facts
from triage.model.log import Confidence, Line
from triage.model.patch import Draft, Patch
from triage.model.recipe import Recipe
from triage.model.signature import (
    Applicability,
    Category,
    Contains,
    Explain,
    FixStep,
    Rank,
    Severity,
    Signature,
    Status,
    Tables,
)

TRAIN = ".github/workflows/train.yml"
UNIT = ".github/workflows/unit.yml"
UV = ".github/workflows/uv.yml"

TABLES = Tables(
    knobs={
        "rollout_tensor_parallel": {"hydra": ("rollout.tp",), "vllm": ("--tensor-parallel-size",)},
        "rollout_gpus": {"hydra": ("rollout.gpus",)},
        "uv_http_timeout": {"env": ("UV_HTTP_TIMEOUT",)},
        "hybrid_engine": {"hydra": ("hybrid",)},
        "trainer_gpus": {"hydra": ("trainer.gpus",)},
        "fsdp_size": {"hydra": ("actor.fsdp_size",)},
        "memory": {"hydra": ("rollout.memory",), "vllm": ("--gpu-memory-utilization",)},
        "sequences": {"hydra": ("rollout.max_seqs",)},
        "rollout_engine": {"hydra": ("rollout.name",)},
        "model_path": {"hydra": ("model.path",)},
        "eager": {
            "hydra:vllm": ("rollout.engine_kwargs.vllm.eager",),
            "hydra:sglang": ("rollout.engine_kwargs.sglang.eager",),
        },
        "jobs": {"env": ("MAX_JOBS",)},
        "tokens": {"hydra": ("critic.tokens",)},
        "micro_batch": {"hydra": ("critic.micro",)},
        "dynamic": {"hydra": ("critic.dynamic",)},
        "engine_arguments": {"vllm": ("eager", "no_custom")},
    },
    switches={"tokens": {"dynamic": "True"}, "micro_batch": {"dynamic": "!True"}},
    distributions={
        "data_queue": ("DataQueue",),
        "cv2": ("opencv-python",),
        "duo": ("duo-a", "duo-b"),
        "flash_attn": ("flash-attn",),
        "megatron": ("megatron-core",),
        "mpi4py": ("mpi4py",),
        "megatron.energon": ("megatron-energon",),
    },
    programs={"queue-server": ("DataQueue",), "spell": ("speller",), "spy": ("spy",), "several": ("one", "other")},
    packages={
        **{
            name: {"apt": (name,), "dnf": (name,), "apk": (name,)} for name in ("wget", "ffmpeg", "patch", "gcc", "zip")
        },
        "libGL.so.1": {"apt": ("libgl1", "libgl1-mesa-glx"), "apk": ("mesa-gl",)},
        "Python.h": {"apt": ("python3-dev",), "dnf": ("python3-devel",)},
    },
    models={"Small-1B": {"heads": 14, "kv_heads": 2, "layers": 24}},
    plugins={
        "--cov": "pytest-cov",
        "--cov-report": "pytest-cov",
        "--report-log": "pytest-reportlog",
        "mocker": "pytest-mock",
    },
    images={"nvidia/cuda": {"11.7": "11.7.1", "12.2": "12.2.2", "12.4": "12.4.1", "12.8": "12.8.1"}},
    hooks={"sorters/sorter": "5.12.0", "checks/checks": "v4.6.0"},
    exports={"parsekit": {"gone": {"2.4": "parsekit.loads parsekit.cores"}, "since": {"1.8": "parsekit.Rows"}}},
    names={
        "parsekit": {
            "gone": {"parsekit.fsm": "2.0", "parsekit.load": "1.4", "parsekit.Reader.strict": "1.8"},
            "since": {"parsekit.types.Audio": "1.6"},
        }
    },
    companions={
        "torch": {"2.6.0": {"torchvision": "0.21.0", "torchaudio": "2.6.0"}, "2.6.1": {"torchvision": "0.21.1"}}
    },
)

REPOSITORY = tree(
    {
        TRAIN: """
            name: train
            on: push
            env:
              IMAGE: "registry.invalid/train:v1"
            jobs:
              rocm_small:
                runs-on: [rocm-mi300]
                timeout-minutes: 40 # raise when needed
                container:
                  image: "example/train:rocm-1"
                  options: >-
                    --device /dev/kfd
                    --shm-size 2g
                env:
                  HOME: "/root"
                steps:
                  - uses: actions/checkout@v4
                  - name: Install
                    run: |
                      pip install --no-deps -e .
                      pip uninstall -y oldthing
                  - name: Train
                    run: |
                      ray stop --force
                      MODE=fast bash tests/run.sh
                  - name: Merge
                    run: python -m pkg.merge --dir out
                  - name: Train again
                    run: bash tests/run.sh trainer.steps=2
              rocm_large:
                runs-on: [rocm-mi300]
                container:
                  image: "example/train:rocm-1"
                steps:
                  - uses: actions/checkout@v4
                  - name: Train
                    timeout-minutes: 30
                    run: bash tests/run.sh
              clean:
                needs: [rocm_small, rocm_large]
                runs-on: [rocm-mi300]
                steps:
                  - run: rm -rf out
              async:
                runs-on: [gpu-8]
                env:
                  STRATEGY: "fsdp2"
                steps:
                  - uses: actions/checkout@v4
                  - name: Async
                    run: bash tests/async.sh
              async_npu:
                runs-on: [npu-8]
                env: {STRATEGY: fsdp2}
                steps:
                  - run: bash tests/async.sh
              async_megatron:
                runs-on: [gpu-8]
                env: {STRATEGY: megatron}
                steps:
                  - run: bash tests/async.sh
              closed:
                runs-on: [gpu-8]
                steps:
                  - run: bash tests/closed.sh
              serve:
                runs-on: [gpu-8]
                env:
                  PYTORCH_CUDA_ALLOC_CONF: "expandable_segments:True,max_split_size_mb:256"
                steps:
                  - run: |
                      vllm serve model --tensor-parallel-size 1 --gpu-memory-utilization=0.9 --port 80
        """,
        "tests/run.sh": """
            #!/usr/bin/env bash
            set -x
            TP=${TP:-2}
            MEMORY=${MEMORY:-0.8}
            python3 -m pkg.train.main \\
                rollout.name=vllm \\
                rollout.tp=${TP} \\
                rollout.memory=${MEMORY} \\
                reward.enable=True reward.rollout.name=vllm \\
                trainer.steps=1 $@ \\
                | tee out.txt
        """,
        "tests/async.sh": """
            #!/usr/bin/env bash
            set -xeuo pipefail
            NAME=${NAME:-vllm}
            common=(
                hybrid=False
                rollout.name=${NAME}
                rollout.gpus=4
                trainer.gpus=4
                model.path=${HOME}/models/Small-1B-Chat
            )
            if [ "${STRATEGY}" == "fsdp2" ]; then
                if [ "${NAME}" = "trtllm" ]; then
                    gen_tp=${GEN_TP:-4}
                else
                    gen_tp=1
                fi
                fsdp_size=1
                python3 -m pkg.train.main "${common[@]}" rollout.tp=${gen_tp} actor.fsdp_size=${fsdp_size} "$@"
            else
                gen_tp=2
                python3 -m pkg.train.main "${common[@]}" rollout.tp=${gen_tp} "$@"
            fi
        """,
        "tests/closed.sh": "python3 -m pkg.train.main rollout.name=vllm\necho done\n",
        "pkg/__init__.py": "",
        "pkg/merge.py": "",
        "pkg/train/main.py": """
            import hydra
            @hydra.main(config_path="config", config_name="trainer", version_base=None)
            def main(config): ...
        """,
        "pkg/train/config/trainer.yaml": """
            defaults:
              - rollout@rollout: rollout
              - rollout@reward.rollout: rollout
              - _self_
            hybrid: true
            model: {path: none}
            actor: {fsdp_size: -1}
            reward: {enable: false}
            trainer: {gpus: 8, steps: 1}
        """,
        "pkg/train/config/rollout/rollout.yaml": """
            name: ???
            gpus: 8
            tp: 2
            memory: 0.5
            max_seqs: 256
            engine_kwargs:
              vllm: {}
              sglang: {}
        """,
        "requirements.txt": "numpy<2.0.0\nDataQueue==0.1.7\nray\n",
        "requirements-test.txt": "pytest\n",
        "requirements-npu.txt": "DataQueue==0.1.6\n",
        UNIT: """
            on: push
            jobs:
              unit:
                runs-on: [gpu-8]
                steps:
                  - uses: actions/checkout@v4
                  - name: Install
                    run: |
                      pip3 install -r requirements-test.txt
                      pip3 install --no-deps -e .
                  # - name: Download
                  - name: Test
                    run: pytest tests
              other:
                runs-on: [gpu-8]
                steps:
                  - name: Install
                    run: |
                      pip3 install -r requirements-test.txt
                      pip3 install --no-deps --force-reinstall .
                  - name: Prepare data
                    run: |
                      python3 prepare.py
                  - run: pytest tests
              one_line:
                runs-on: [gpu-8]
                steps:
                  - name: Install
                    run: pip install torch==2.9 # the image's is older
                  - run: pytest tests
              bare:
                runs-on: [gpu-8]
                steps:
                  - run: pytest tests
        """,
        "pyproject.toml": """
            [project]
            name = "train"
            [project.optional-dependencies]
            core = ["DataQueue", "accelerate"]
            vllm = ["train[core]", "vllm==0.11"]
            math = ["math-verify"]
            late = ["unlocked"]
        """,
        "uv.lock": '[[package]]\nname = "dataqueue"\nversion = "0.1.9"\n\n[[package]]\nname = "math-verify"\nversion = "0.9.0"\n',
        UV: """
            on: push
            jobs:
              uv:
                runs-on: [gpu-8]
                env:
                  UV_RUN: "uv run --frozen --extra vllm"
                steps:
                  - name: Test
                    run: |
                      $UV_RUN ray stop --force
                      $UV_RUN pytest tests
        """,
    }
)


def signature(*recipes: Recipe, status: Status = Status.STABLE) -> Signature:
    fixes = tuple(FixStep(f"fix {at}", recipe, applicability=Applicability.UNSAFE) for at, recipe in enumerate(recipes))
    return Signature(
        "made-up",
        "made up",
        "infra",
        "code-error",
        Category.DETERMINISTIC,
        Severity.HIGH,
        Rank.ROOT,
        status,
        Contains("x"),
        Explain("x"),
        fixes=fixes,
    )


def drafts(
    recipe: Recipe | Signature,
    job: str,
    path: str = TRAIN,
    *,
    step: str = "",
    facts: Facts = Facts(),
    captures: Mapping[str, str] | None = None,
    repository: MemoryTree = REPOSITORY,
    tested: MemoryTree | None = None,
    siblings: bool = False,
) -> tuple[Draft, ...]:
    fix = recipe if isinstance(recipe, Signature) else signature(recipe)
    line = Line(1, "")
    cause = Cause("c", fix.id, "", "code-error", fix.category, fix.rank, line, "", Confidence.HIGH, captures or {})
    return prescribe(cause, fix, facts, Target(path, job, step), tested or repository, repository, TABLES, siblings)


def draft(recipe: Recipe, job: str, path: str = TRAIN, **rest: object) -> Draft:
    (only,) = drafts(recipe, job, path, **rest)  # type: ignore[arg-type]
    return only


def patch(recipe: Recipe, job: str, path: str = TRAIN, *, facts: Facts = Facts(), **rest: object) -> Patch:
    """The proved patch; `PATCH` means that every mandatory gate is ok."""
    repository = rest.get("repository", REPOSITORY)
    assert isinstance(repository, MemoryTree)
    worked_out = draft(recipe, job, path, facts=facts, **rest)
    return prove(worked_out, repository, "p1", ("c",), Target(path, job), facts, TABLES)


def changed(patch: Patch) -> list[str]:
    """Removed and added lines of the diff, without their indentation."""
    lines = [line for line in patch.diff.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    return [f"{line[0]}{line[1:].strip()}" for line in lines]


HYDRA_MAIN = """
import hydra
@hydra.main(config_path="config", config_name="trainer", version_base=None)
def main(config): ...
"""


def hydra_job(
    script: str, config: str, files: Mapping[str, str] | None = None, *, path: str = "tests/run.sh"
) -> MemoryTree:
    """One job, `train` of TRAIN, runs a script, which starts the Hydra program `pkg.main`; `files` stand beside them."""
    job = f"on: [push]\njobs:\n  train:\n    runs-on: [gpu-8]\n    steps:\n      - name: Train\n        run: bash {path}\n"
    own = {TRAIN: job, path: script, "pkg/main.py": HYDRA_MAIN, "pkg/config/trainer.yaml": config}
    return tree({**own, **(files or {})})


def with_file(path: str, text: str) -> MemoryTree:
    return replace(REPOSITORY, files={**REPOSITORY.files, path: text.encode()})


def replaced(path: str, old: str, new: str) -> MemoryTree:
    text = REPOSITORY.read(path).decode()
    assert old in text
    return with_file(path, text.replace(old, new))
