"""The child of the gate `composes`: composes configurations with Hydra and answers in JSON. Run by path, isolated.

Reads `{"requests": [{"directory", "name", "overrides", "searchpath"}]}` on stdin, folders as they lie below this one;
writes a list with "" for each one that composes, else the error. Nothing is resolved and nothing
is instantiated: `_target_` stays text.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from typing import Any

_BYTES = 2 * 1024**3
_CPU_SECONDS = 30


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_BYTES, _BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    requests = json.load(sys.stdin)["requests"]
    answers = [answer(request) for request in requests]
    json.dump(answers, sys.stdout)


def answer(request: dict[str, Any]) -> str:
    from hydra import compose, initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    here = Path.cwd()
    searched = ",".join(f"file://{here / place}" for place in request["searchpath"])
    places = [f"hydra.searchpath=[{searched}]"] if searched else []
    try:
        with initialize_config_dir(config_dir=str(here / request["directory"]), version_base=None):
            compose(config_name=request["name"], overrides=[*request["overrides"], *places])
    except (HydraException, OmegaConfBaseException, ValueError, TypeError, OSError) as error:
        return " ".join(str(error).split())[:400] or type(error).__name__
    finally:
        GlobalHydra.instance().clear()
    return ""


if __name__ == "__main__":
    main()
