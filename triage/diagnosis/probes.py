"""Named RE2 patterns that are no signatures: what the scan should note on its way, for the facts and the ending.

Each must be rare in an ordinary log: the scan keeps the first hits of a probe and its last ones, not all.
"""

from __future__ import annotations

from collections.abc import Mapping

from triage.diagnosis.builds import BUILD_PROBES
from triage.diagnosis.replacements import REPLACEMENT_PROBES
from triage.diagnosis.shown_installs import SHOWN_PROBES
from triage.diagnosis.spacing import SPACING_PROBES

_NUMBER = r"\d+(?:\.\d+)?"

PLATFORM_PROBES: Mapping[str, str] = {
    "platform_said": r"Automatically detected platform (?P<platform>\w+)",
    # Device names, wheel tags and libraries. Names of variables prove nothing: ray prints those of every vendor.
    "platform_cuda": (
        r"NVIDIA-SMI \d|\bNVIDIA (?:A10|A100|A30|B200|B300|GB200|GeForce|H100|H20|H200|L4|L40|RTX|T4|Tesla|Tensor)"
        r"|libcud(?:a|art|nn)\.so|CUDA (?:Version: \d|out of memory)|\+cu1[1-3]\d\b|torch_cuda|Cuda compilation tools"
        r"|\bCUDA error: |TORCH_USE_CUDA_DSA|WARN Cuda failure|\[CUDA\]|NCCL version \d[\d.]*\+cuda"
        r"|CUDA used to build PyTorch: \d"
    ),
    "platform_rocm": (
        r"\bHIP (?:error|out of memory|version: \d)|\bhipError[A-Z]\w+|\+rocm\d|\brocm-?\d\.\d|/opt/rocm|AMD Instinct"
        r"|\bMI[23]\d{2}X?\b|\bgfx(?:9[04]\w|950|1[012]\d\d)\b|libamdhip64|librocm|HSA_STATUS_|ROCm version: \d"
        r"|ROCM used to build PyTorch: \d|RCCL version|NCCL version \d[\d.]*\+hip|on AMD GPUs?\b"
    ),
    "platform_npu": (
        r"\btorch_npu\b|\bNPU (?:out of memory|error)|\bHCCL (?:error|function)|\bE[EIJZ]\d{4}\b: |Ascend ?910"
        r"|ascend-toolkit|vllm[-_]ascend|\bnpu-smi \d"
    ),
}

VERSION_PROBES: Mapping[str, str] = {
    "version": (
        r"(?i)\b(?P<name>torch|vllm|sglang|transformers|ray|triton|flash[-_]attn|deepspeed|megatron[-_]core|xformers"
        r"|numpy|flashinfer(?:[-_]python)?|tensorrt[-_]llm|transformer[-_]engine|sgl[-_]kernel|torch[-_]npu|aiter"
        r"|accelerate|peft|trl|nccl|pytest)"
        r"(?:==| version:? |-)v?(?P<version>\d+\.\d+[0-9A-Za-z.+]*)"
    ),
    # A package that tells which of its own releases does not fit another one.
    "version_for": r"\bversion \S{1,40} for (?P<name>[a-z][\w-]{1,40}) version v?(?P<version>\d+\.\d+[\w.+]*)",
    # Transformers writes its own release into every configuration that it prints.
    "config_version": r"^\s*\"transformers_version\": \"(?P<version>\d+\.\d+[0-9A-Za-z.+]*)\",?$",
    "engine_version": (
        r"(?:Initializing an? (?:V\d )?LLM engine \(|(?P<server>vLLM API server) version )"
        r"v?(?P<version>\d+\.\d+[\w.+]*)"
    ),
    "python_version": r"(?:^platform \w+ -- |\bUsing )Python:? (?P<version>3\.\d+\.\d+)"
    r"|^Python (?P<plain>3\.\d+\.\d+)$",
    "driver_version": r"Driver Version: (?P<driver>[\d.]+) +CUDA Version: (?P<cuda>[\d.]+)",
    "build_version": r"^(?P<name>PyTorch|CUDA runtime|ROCM used to build PyTorch|CUDA used to build PyTorch)"
    r"(?: version)?: (?P<version>\d[\w.+]*)",
}

INSTALL_PROBES: Mapping[str, str] = {
    "installed": r"^Successfully installed (?P<list>\S.*)$",
    "satisfied": r"^Requirement already satisfied: (?P<name>[A-Za-z0-9][\w.-]*)[^()]*"
    r"(?: in \S+ )?(?:.*\((?P<version>[\w.+!-]+)\))?",
    "uv_installed": r"^ ?\+ (?P<name>[A-Za-z0-9][\w.-]*)==(?P<version>\S+)(?: \(.*\))?$",
    "listed": r"^(?P<name>[A-Za-z][\w.-]*)(?:==| {2,})(?P<version>\d+(?:\.\w+)+(?:\+[\w.]+)?)(?: +\S+)?$",
}

SETTING_PROBES: Mapping[str, str] = {
    "engine_config": r"LLM engine \(v[^)]*\) with config: |\bwith config: model="
    r"|\b(?:non-default args|server_args=ServerArgs)\b",
    # A pretty-printed configuration begins with two keys on one line; the rest is read around the hit.
    "config_dump": r"^\{'\w+': (?:\{|'|\d|None|True|False|\[)",
    # Not the advice of every out-of-memory message to set it.
    "allocator": r"^\W{0,4}(?:export |env )?(?P<key>PYTORCH_(?:CUDA_|HIP_|NPU_)?ALLOC_CONF)\b\W{1,4}"
    r"(?P<value>\w+:[\w.:,]+)",
    "world_size": r"\b(?:world_size|nproc_per_node|tensor_parallel_size|num_gpus)['\"]?[=: ]+(?P<gpus>\d{1,4})\b",
    "gpu_listed": r"^GPU (?P<index>\d{1,2}): ",
}

MEMORY_PROBES: Mapping[str, str] = {
    "out_of_memory": r"out of memory\. Tried to allocate (?P<asked>" + _NUMBER + r" ?[KMGT]?i?[Bb]\w*)",
    # What shares memory between processes, by the names that it has there.
    "shared_memory": r"/dev/shm\b|\bshared_memory\b|\bshm_broadcast\b|\bpsm_[0-9a-f]{6}|\btorch_shm_manager\b"
    r"|\bDataLoader worker\b",
    "memory_at_step": r"(?i)(?P<name>[\w./-]*memory[\w.-]*(?:allocated|reserved|used|usage|usage_gb)[\w.-]*)"
    r"['\"]?[:=] ?(?P<value>" + _NUMBER + ")",
}

PHASE_PROBES: Mapping[str, str] = {
    "graph_capture": r"(?i)Capturing (?:the model for )?(?:CUDA|HIP|NPU|ACL)? ?graphs?\b"
    r"|Capture (?:cuda|hip) graph begin",
    "engine_start": r"(?i)Starting to load model|Loading safetensors checkpoint shards|Load weight begin"
    r"|Loading weights took|# GPU blocks:|GPU KV cache size",
}

ENDING_PROBES: Mapping[str, str] = {
    "exit_code": (
        r"(?i)\b(?:exit(?:ed|s)?(?: with)?(?: a)?(?: code| status)?|returned(?: a)? non-zero exit status|exitcode|rc"
        r"|exit code:)[ :=]+(?P<code>-?\d{1,10})\b"
    ),
    "runner_error": r"^##\[error\]",
    "died": (
        r"\bKilled$|\bKilled +\S|\bSegmentation fault\b|\(core dumped\)|Fatal Python error|died unexpectedly"
        r"|received signal:? SIG|Signal (?:4|6|7|8|9|11) \(SIG\w+\) received by PID|failed \(exitcode: -\d+\)"
        r"|\*\*\* SIG[A-Z]+ received|Received sig(?:quit|term|kill)|Caught signal \d+|LLVM ERROR"
    ),
    # What a person typed, or GitLab's runner shows before it runs it. A prompt may name environment, user, machine and
    # folder; behind those root's `#` is one too, which else begins a comment.
    "typed": r"^(?:\([\w.+/-]{1,60}\) ?){0,3}(?:\$|(?:\[?[\w.-]{1,60}@[\w.-]{1,100}[: ]|PS )"
    r"(?P<folder>[^\s$#%>\]]{1,200})\]? ?[$#%>]) (?P<command>(?:[A-Za-z_]\w*=\S* )*[\w./~-]+(?: .*)?)$",
    # A scheduler, a wrapper or a launcher says which script it is about to run.
    "script_named": r"^(?:(?:\[[^\]]+\]|[A-Z]+:?|[\d:.,TZ/-]+|[+=>-]+|\$|bash|sh|srun|sbatch"
    r"|(?i:run|running|executing|exec|launching|starting|submitting|submitted|command|script|test|job):?) ){0,4}"
    r"(?:[A-Z_]+=)?(?P<path>[\w.-]*/[\w./-]+\.(?:sh|bash|sub|slurm))(?: .*)?$",
    # A launcher, a harness or a program says which configuration it reads: by a path, or by the name of its case.
    "configuration_named": r"(?i)(?:^|[\s\[({,|\"'])"
    r"(?:(?:config(?:uration)?|cfg)(?:[_ -]?(?:path|file|name))?|recipe|test[_ ]?case)"
    r"[\"']?\s?[=:]\s?[\"']?(?P<name>[\w./-]{8,200})",
    "tests_failed": (
        r"\b(?P<failed>[1-9]\d*) (?:failed|errors?)\b.* in \d[\d.:]*m?s?|^FAILED \((?:failures|errors)="
        r"|^\[  FAILED  \] \d+ test|^FAILED (?:\S+::|CONSISTENTLY)|^(?:ERROR|FAILED)[: ].*\btests? failed\b"
        # ctest, cargo; and the share of the code that tests must cover, which a run whose tests pass can miss.
        r"|^\d{1,3}% tests passed, [1-9]\d* tests? failed out of \d|^Errors while running CTest|^test result: FAILED\. "
        r"|^FAIL Required test coverage of [\d.]{1,8}% not reached|^(?:ERROR: )?Coverage failure: total of [\d.]{1,8}"
        r"|^(?:Jest: |ERROR: )[^\n]{0,200}\b[Cc]overage (?:threshold )?for \w{1,12} \([\d.]{1,8}%\) (?:not|does)"
    ),
    "check_failed": r"[│|] +FAIL +[│|] +(?P<check>[^│|\n]{4,160}?) *[│|] +(?P<value>[\d.e+-]{1,40}|nan|inf) +[│|]"
    r"|(?:^|: )Assertion failed: (?P<asserted>[\w./-]{2,120} [<>]=? \S{1,20}), got \S",
    "stopped": r"The operation was canceled|CANCELLED AT \S+|DUE TO TIME LIMIT|KeyboardInterrupt"
    r"|timed out after \d+ minutes|^(?:##\[error\] ?|Error: |X )?Invalid workflow file: \.github/",
    "command_failed": r"(?i)^(?:make|ninja|gmake)(?:\[\d+\])?: (?:\*\*\*|build stopped)|^npm (?:ERR!|error)"
    r"|^error: command .* failed|did not complete successfully",
    "succeeded": r"^=* ?(?:\d+ (?:skipped|deselected|xfailed|warnings?), )*\d+ passed"
    r"(?:, \d+ (?:skipped|deselected|xfailed|xpassed|warnings?|rerun|subtests passed))* in \d"
    r"|^OK(?: \(|$)|^\[  PASSED  \]|^Job succeeded$|"
    r"^Status: (?:Downloaded newer image|Image is up to date) for \S|^\W{0,12}(?i:all tests (?:have )?passed)\W{0,6}$"
    # Whole builds: docker's two builders, Maven and Gradle, Vite, Bazel, cargo.
    r"|^Successfully (?:built [0-9a-f]{12}|tagged \S{1,300}:\S{1,128})$"
    r"|^#\d+ naming to \S{1,300}(?: [0-9.]{1,8}s)? done$"
    r"|^(?:\[INFO\] )?BUILD SUCCESS(?:FUL\b.{0,40})?$|^\W{1,3} built in [0-9]|^INFO: Build completed successfully\b"
    r"|^test result: ok\. "
    # Transformers' Trainer, at its end, and what trainers of one's own mostly say.
    r"|\{'train_runtime': |^\W{0,12}(?i:training (?:is |has |was )?(?:finished|completed?|done))\b",
    # What the CI says of the whole job, as its last word: Jenkins, GitLab, CircleCI, Travis, HTCondor.
    "verdict": r"^Finished: SUCCESS$|^Job succeeded$|^CircleCI received exit code 0$"
    r"|^Done\. Your build exited with 0\.$|^\s*\(1\) Normal termination \(return value 0\)",
    # A server that came up has survived what was printed before it.
    "served": r"\bUvicorn running on http|^To see the GUI go to: http"
    r"|^ ?\* Running on (?:all addresses|local URL|http)|The server is fired up and ready",
    "run_separator": r"^tail: \S+: file truncated$|^Sender: LSF System <|^Script started on ",
    "pytest_section": r"^={3,} (?P<section>X?PASSES|XFAILURES|FAILURES|ERRORS|short test summary info|warnings summary"
    r"|test session starts) ={3,}",
}

JOB_PROBES: Mapping[str, str] = {
    "job_name": r"^Complete job name: (?P<name>.+)$",
    "repository": r"^Syncing repository: (?P<name>[\w.-]{1,100}/[\w.-]{1,100})$",
    # A job that no runner took checks nothing out.
    "defined_at": r"^Job defined at: (?P<name>[\w.-]{1,100}/[\w.-]{1,100})/\.github/workflows/[\w.-]{1,100}@",
    # The tasks of a job of Azure Pipelines, by their names.
    "section_started": r"^(?:##\[section\])?Starting: (?P<name>\S[^\n]{0,120})$",
    "secret_source": r"^Secret source: (?P<name>\w{1,40})$",
}

PROBES: Mapping[str, str] = {
    **JOB_PROBES,
    **BUILD_PROBES,
    **PLATFORM_PROBES,
    **VERSION_PROBES,
    **INSTALL_PROBES,
    **SHOWN_PROBES,
    **REPLACEMENT_PROBES,
    **SPACING_PROBES,
    **SETTING_PROBES,
    **MEMORY_PROBES,
    **PHASE_PROBES,
    **ENDING_PROBES,
}
