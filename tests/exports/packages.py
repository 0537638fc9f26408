"""Which packages are read: those that CI of training repositories installs unpinned, and that often move names."""

from __future__ import annotations

from typing import NamedTuple


class Package(NamedTuple):
    """`folder` is where its import package lies in the repository."""

    distribution: str
    repository: str
    folder: str


PACKAGES = (
    Package("accelerate", "huggingface/accelerate", "src/accelerate"),
    Package("bitsandbytes", "bitsandbytes-foundation/bitsandbytes", "bitsandbytes"),
    Package("click", "pallets/click", "src/click"),
    Package("datasets", "huggingface/datasets", "src/datasets"),
    Package("deepspeed", "deepspeedai/DeepSpeed", "deepspeed"),
    Package("diffusers", "huggingface/diffusers", "src/diffusers"),
    Package("evaluate", "huggingface/evaluate", "src/evaluate"),
    Package("flash-attn", "Dao-AILab/flash-attention", "flash_attn"),
    Package("flashinfer-python", "flashinfer-ai/flashinfer", "flashinfer"),
    Package("httpx", "encode/httpx", "httpx"),
    Package("huggingface-hub", "huggingface/huggingface_hub", "src/huggingface_hub"),
    Package("liger-kernel", "linkedin/Liger-Kernel", "src/liger_kernel"),
    Package("llmcompressor", "vllm-project/llm-compressor", "src/llmcompressor"),
    Package("lm-eval", "EleutherAI/lm-evaluation-harness", "lm_eval"),
    Package("marshmallow", "marshmallow-code/marshmallow", "src/marshmallow"),
    Package("mcp", "modelcontextprotocol/python-sdk", "src/mcp"),
    Package("megatron-core", "NVIDIA/Megatron-LM", "megatron/core"),
    Package("mosaicml", "mosaicml/composer", "composer"),
    Package("networkx", "networkx/networkx", "networkx"),
    Package("openai", "openai/openai-python", "src/openai"),
    Package("optimum", "huggingface/optimum", "optimum"),
    Package("outlines", "dottxt-ai/outlines", "outlines"),
    Package("peft", "huggingface/peft", "src/peft"),
    Package("pydantic", "pydantic/pydantic", "pydantic"),
    Package("pytorch-lightning", "Lightning-AI/pytorch-lightning", "src/pytorch_lightning"),
    Package("sentence-transformers", "UKPLab/sentence-transformers", "sentence_transformers"),
    Package("setuptools", "pypa/setuptools", "setuptools"),
    Package("starlette", "encode/starlette", "starlette"),
    Package("torchao", "pytorch/ao", "torchao"),
    Package("torchmetrics", "Lightning-AI/torchmetrics", "src/torchmetrics"),
    Package("torchrl", "pytorch/rl", "torchrl"),
    Package("torchtune", "pytorch/torchtune", "torchtune"),
    Package("trl", "huggingface/trl", "trl"),
    Package("typer", "fastapi/typer", "typer"),
    Package("verl", "verl-project/verl", "verl"),
    Package("werkzeug", "pallets/werkzeug", "src/werkzeug"),
    Package("xformers", "facebookresearch/xformers", "xformers"),
)
