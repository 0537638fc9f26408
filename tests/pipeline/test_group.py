"""Placeholders of titles and advice."""

from __future__ import annotations

import pytest

from triage.pipeline.group import fill


@pytest.mark.parametrize(
    ("text", "captures", "filled"),
    [
        ("The port {port} is already in use", {"port": "8000"}, "The port 8000 is already in use"),
        ("The port {port} is already in use", {}, "The port is already in use"),
        ("The artifact {artifact} is not there", {"artifact": ""}, "The artifact is not there"),
        ("Install {module} before the tests", {}, "Install a module before the tests"),
        ("The linker cannot resolve {symbol}", {}, "The linker cannot resolve a symbol"),
        ("{package} fails while it is imported", {}, "A package fails while it is imported"),
        ("The installed {package} lacks {name}", {"name": "x"}, "The installed package lacks x"),
        ("pytest does not know {argument}", {}, "pytest does not know an argument"),
        ("A metric left its golden value ({metric})", {}, "A metric left its golden value"),
        ("A metric left its golden value ({metric})", {"metric": "loss"}, "A metric left its golden value (loss)"),
        ("A step had to log in and could not: {reason}", {}, "A step had to log in and could not."),
        ("A step could not: {reason}", {"reason": "Bad credentials"}, "A step could not: Bad credentials"),
        ("Uncaught {error}", {}, "Uncaught error"),
        ("{a}{b} and {a}", {"a": "1", "b": "2"}, "12 and 1"),
    ],
)
def test_what_was_not_captured_stays_readable_and_is_not_said_twice(
    text: str, captures: dict[str, str], filled: str
) -> None:
    assert fill(text, captures) == filled
