"""A heading, or an exception that only passes another one on, gives way to the line near it that says why."""

from __future__ import annotations

import pytest

FRAME = '  File "/opt/train/train.py", line 5, in <module>\n    main()\n'
STARTS = f"Traceback (most recent call last):\n{FRAME}"
CAUSED = "\nThe above exception was the direct cause of the following exception:\n\n"
NCCL = "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:93, "
NOT_THERE = (
    "huggingface_hub.errors.LocalEntryNotFoundError: An error happened while trying to locate the file on the Hub and we "
    "cannot find the requested files in the local cache. Please check your connection and try again.\n"
)
NO_CONNECTION = (
    "OSError: We couldn't connect to 'https://huggingface.co' to load the files, and couldn't find them in the cache.\n"
)
WORKER = (
    '  File "/opt/venv/lib/python3.12/site-packages/torch/utils/data/_utils/worker.py", line 349, in _worker_loop\n'
)


def nccl(heading: str, name: str, why: str) -> str:
    return f"{STARTS}{NCCL}{heading}, NCCL version 2.28.9\n{name}: This is what it means.\nLast error:\n{why}\n"


def raised_again(where: str, error: str, message: str) -> str:
    return (
        f"{STARTS}{error}: Caught {error.split('.')[-1]} in {where}.\n"
        f"Original Traceback (most recent call last):\n{WORKER}    data = fetcher.fetch(index)\n{error}: {message}\n"
    )


CASES = {
    "two ranks on one GPU": (
        nccl(
            "invalid usage", "ncclInvalidUsage", "Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 1b000"
        ),
        "Duplicate GPU detected",
        "nccl-error",
    ),
    "a setting of NCCL": (
        nccl("invalid argument", "ncclInvalidArgument", "Invalid config cgaClusterSize attribute value 99"),
        "Invalid config cgaClusterSize",
        "nccl-error",
    ),
    "a system call": (
        nccl("unhandled system error", "ncclSystemError", "Call to bind failed: Cannot assign requested address"),
        "Call to bind failed",
        "nccl-error",
    ),
    "peers without access": (
        nccl("unhandled cuda error", "ncclUnhandledCudaError", "Cuda failure 217 'peer access is not supported'"),
        "Cuda failure 217",
        "nccl-error",
    ),
    "a peer that is gone": (
        nccl(
            "remote process exited or there was a network error", "ncclRemoteError", "socketProgress: Connection closed"
        ),
        "socketProgress",
        "nccl-error",
    ),
    "no word of NCCL": (
        nccl(
            "unhandled system error", "ncclSystemError", "Exception raised from checkForNCCLErrorsInternal at a.cpp:1"
        ),
        "NCCL error in: ",
        "nccl-error",
    ),
    "what the compiler raised": (
        (
            f"{STARTS}torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:\n"
            "LoweringException: AssertionError: \n  target: aten.convolution.default\n"
        ),
        "LoweringException",
        "triton-compile",
    ),
    "keys of a checkpoint": (
        (
            f"{STARTS}RuntimeError: Error(s) in loading state_dict for Net:\n"
            '\tMissing key(s) in state_dict: "head.weight". \n\tUnexpected key(s) in state_dict: "lm_head.weight". \n'
        ),
        "Missing key(s)",
        "code-error",
    ),
    "the names of a host": (
        (
            f"httpcore.ConnectError: [Errno -3] Temporary failure in name resolution\n{CAUSED}"
            f"{STARTS}httpx.ConnectError: [Errno -3] Temporary failure in name resolution\n{CAUSED}{STARTS}{NOT_THERE}"
        ),
        "httpx.ConnectError: [Errno -3]",
        "hf-hub",
    ),
    "the host": (f"{STARTS}{NOT_THERE}{CAUSED}{STARTS}{NO_CONNECTION}", "We couldn't connect to", "hf-hub"),
    "a hub that is switched off": (
        (
            f"{STARTS}huggingface_hub.errors.LocalEntryNotFoundError: Cannot find the requested files in the disk cache and "
            f"outgoing traffic has been disabled.\n{CAUSED}{STARTS}{NO_CONNECTION}"
        ),
        "outgoing traffic has been disabled",
        "hf-hub",
    ),
    "a field of a configuration": (
        (
            f"{STARTS}pydantic_core._pydantic_core.ValidationError: 1 validation error for TrainConfig\nmicro_batch\n"
            "  Input should be a valid integer, unable to parse string as an integer [type=int_parsing, input_value='four']\n"
        ),
        "Input should be a valid integer",
        "config-error",
    ),
    "a worker's own error": (
        raised_again("DataLoader worker process 0", "KeyError", "'image'"),
        "KeyError: 'image'",
        "code-error",
    ),
    "a worker's name without a value": (
        raised_again("DataLoader worker process 0", "UnboundLocalError", "local variable 'pid' referenced").replace(
            "/opt/train/train.py", "/opt/venv/lib/python3.12/site-packages/torch/_utils.py", 1
        ),
        "local variable 'pid'",
        "code-error",
    ),
    "a batch that cannot be stacked": (
        raised_again(
            "DataLoader worker process 3", "RuntimeError", "stack expects each tensor to be equal size, but got"
        ),
        "stack expects each tensor",
        "code-error",
    ),
    "what a C++ exception says": (
        "terminate called after throwing an instance of 'std::runtime_error'\n  what():  the shard has no rows\n",
        "the shard has no rows",
        "code-error",
    ),
    "sizes that differ between ranks": (
        (
            "terminate called after throwing an instance of 'gloo::EnforceNotMet'\n"
            "  what():  [enforce fail at gloo/transport/tcp/pair.cc:456] op.preamble.length <= op.nbytes. 12 vs 4.\n"
        ),
        "12 vs 4",
        "code-error",
    ),
    "what TorchScript says": (
        f"{STARTS}RuntimeError: \nPython builtin <built-in method sorted> is currently not supported in Torchscript:\n",
        "Python builtin",
        "code-error",
    ),
    "a message that begins with a line break": (
        f"{STARTS}ValueError: \n\n    The rows of this batch are not sorted.\n    Sort them.\n",
        "The rows of this batch",
        "code-error",
    ),
    "memory of a replica": (
        raised_again(
            "replica 1 on device 1", "torch.OutOfMemoryError", "CUDA out of memory. Tried to allocate 2.00 GiB."
        ),
        "CUDA out of memory",
        "gpu-oom",
    ),
}


@pytest.mark.parametrize("prefix", ["", "[rank1]: ", "(WorkerDict pid=7, ip=10.0.0.1) "])
@pytest.mark.parametrize("case", list(CASES))
def test_the_line_that_says_why_is_named(whole, case, prefix) -> None:
    text, why, family = CASES[case]
    printed = "".join(f"{prefix}{line}\n" for line in text.splitlines())
    (said,) = whole(f"{printed}##[error]Process completed with exit code 1.\n")
    assert why in said.causes[0].line.text
    assert said.causes[0].family == family


@pytest.mark.parametrize("prefix", ["[rank{}]: ", ""])
def test_two_ranks_that_print_at_once_are_one_cause(whole, prefix) -> None:
    why = "Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 1b000"
    text = nccl("invalid usage", "ncclInvalidUsage", why).splitlines()
    printed = "".join(f"{prefix.format(rank)}{line}\n" for line in text for rank in (1, 0))
    (said,) = whole(f"{printed}##[error]Process completed with exit code 1.\n")
    (cause,) = said.causes
    assert cause.line.text == why
    assert cause.ranks == ((0, 1) if prefix else ())


def test_the_best_line_that_nothing_explains_is_the_message_below(whole) -> None:
    printed = f"{STARTS}train.errors.FetchError: \n\nThe shard server said no (code 17)\n"
    (said,) = whole(f"{printed}##[error]Process completed with exit code 1.\n")
    assert said.unexplained.line.text == "The shard server said no (code 17)"


def test_the_frames_belong_to_a_message_that_begins_below_them(whole) -> None:
    said = "SpeechTokenizer requires the SentencePiece library but it was not found in your environment."
    printed = f"{STARTS}ImportError: \n{said}\nPlease note that you may need to restart your runtime.\n"
    (found,) = whole(f"{printed}##[error]Process completed with exit code 1.\n")
    assert found.causes[0].line.text == said
    assert found.facts.frames


@pytest.mark.parametrize("tells", ["  If you see `{}` then update.", "* When you run into '{}', raise the limit."])
def test_a_text_that_tells_what_to_do_about_an_error_is_not_the_error(whole, tells: str) -> None:
    error = "  Caused by: Bytecode timed out (60s) compiling file: `a/numbers.py`"
    ends = "error: something that nothing knows\n##[error]Process completed with exit code 1.\n"
    (plain,) = whole(f"{error}\n{ends}")
    assert "uv-bytecode-timed-out" in [one.signature for one in plain.causes]
    (told,) = whole(f"usage: tool [-h]\n{tells.format(error)}\n{ends}")
    assert "uv-bytecode-timed-out" not in [one.signature for one in told.causes]
