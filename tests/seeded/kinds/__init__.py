"""The kinds of faults, by name. A new one is a module here and an entry in this table."""

from __future__ import annotations

from collections.abc import Mapping

from tests.seeded.kinds import (
    arguments,
    artifacts,
    checkouts,
    hydra,
    invalid,
    missing_package,
    paths,
    scripts,
    settings,
    time_limit,
)
from tests.seeded.seed import Kind

KINDS: Mapping[str, Kind] = {
    "choice-misspelt": arguments.choice_misspelt,
    "flag-misspelt": arguments.flag_misspelt,
    "hydra-key-misspelt": hydra.key_misspelt,
    "hydra-plus-lacking": hydra.plus_lacking,
    "hydra-plus-too-many": hydra.plus_too_many,
    "package-not-in-command": missing_package.from_command,
    "package-not-in-list": missing_package.from_list,
    "package-not-in-project": missing_package.from_project,
    "needs-misspelt": invalid.needs,
    "called-input-misspelt": invalid.called_input,
    "called-input-out": invalid.called_lacks,
    "called-path-misspelt": invalid.called_path,
    "matrix-axis-misspelt": invalid.cell_misspelt,
    "yaml-quote-lost": invalid.quote,
    "yaml-tab": invalid.tab,
    "yaml-indentation": invalid.indentation,
    "yaml-colon-lost": invalid.colon,
    "script-misspelt": paths.script,
    "folder-misspelt": paths.folder,
    "tests-misspelt": paths.tests,
    "working-directory-misspelt": paths.working_directory,
    "local-action-misspelt": paths.action,
    "checkout-missing": checkouts.missing,
    "fetch-depth-out": checkouts.fetch_depth,
    "artifact-download-misspelt": artifacts.downloaded,
    "artifact-upload-misspelt": artifacts.uploaded,
    "step-output-misspelt": artifacts.output_of_step,
    "step-id-misspelt": artifacts.id_of_step,
    "job-output-misspelt": artifacts.output_of_job,
    "shell-block-end-lost": scripts.block_end,
    "shell-quote-lost": scripts.quote,
    "shell-then-lost": scripts.then,
    "shell-continuation-lost": scripts.continuation,
    "engine-share-raised": settings.engine_share,
    "micro-batch-raised": settings.micro_batch,
    "server-share-cut": settings.server_share,
    "more-gpus-asked": settings.more_gpus,
    "engine-wider-than-heads": settings.engine_wider,
    "longer-than-model": settings.longer_than_model,
    "time-limit-cut": time_limit.cut,
}
