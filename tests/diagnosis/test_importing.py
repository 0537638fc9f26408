"""What a failed statement imports, as the traceback shows it above the error."""

from __future__ import annotations

import pytest

from triage.diagnosis.importing import imported_at


@pytest.mark.parametrize(
    ("shown", "imported"),
    [
        (["    import megatron.bridge"], "megatron.bridge"),
        (["    from megatron.bridge import AutoBridge", "    ^^^^^^^^^^^"], "megatron.bridge"),
        (["    from megatron import bridge"], "megatron.bridge"),
        (["    from megatron.bridge import ("], "megatron.bridge"),
        (["E       import google.protobuf"], "google.protobuf"),
        (["    import megatron.bridge", "    load()"], ""),
        ([], ""),
    ],
)
def test_the_statement_right_above_the_error_says_which_part_is_imported(log, shown: list[str], imported: str) -> None:
    before = [log.says(text) for text in shown]
    assert imported_at(log.says("ModuleNotFoundError: No module named 'megatron'"), before) == imported
    assert imported_at(None, before) == ""
