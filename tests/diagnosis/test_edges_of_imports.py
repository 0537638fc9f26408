"""What the errors of imports and of settings explain of each other."""

from triage.cli.knowledge import know
from triage.pipeline.log import triage_logs
from triage.pipeline.trees import no_trees
from triage.sources.logs import SpooledLog


def _named(text: str) -> list[str]:
    result = triage_logs([SpooledLog("log", text.encode())], know(None, None, None), no_trees("", "x")).result
    return [cause.signature for failure in result.failures for cause in failure.diagnosis.causes]


def test_a_name_that_another_package_lost_is_named_where_a_package_takes_it_on_import() -> None:
    assert _named(
        "/opt/env/lib/python3.8/site-packages/engine/types.py:513: in <module>\n"
        "    np.object,\n"
        "E   AttributeError: module 'numpy' has no attribute 'object'\n"
        "##[error]Process completed with exit code 2.\n"
    )[:1] == ["import-from-installed-package"]


def test_the_setting_that_a_message_asks_for_comes_before_the_switch_that_it_names_too() -> None:
    assert _named(
        "ValueError: sharded saving needs one format. Please set `save_format: sharded`, or disable shard_on_save.\n"
        "##[error]Process completed with exit code 1.\n"
    )[:1] == ["setting-requires-another"]
