"""Scripts of other shells, as far as their lines are commands that read alike in every shell."""

from __future__ import annotations

import re

# A program and words without any sign that a shell gives a meaning to; quoted words hold no variables.
_PLAIN = re.compile(
    rb"[ \t]*(?:(?:python3?|py) +-m +)?(?:pip3?|uv|git|cd)"
    rb"(?: +(?:[\w./=:,@+\[\]~!-]+|\"[^\"$`\n]*\"|'[^'\n]*'))+[ \t\r]*"
)
_ON = (b"`", b"\\", b"^", b"|", b",", b"(")


def plain_commands(data: bytes) -> bytes:
    """As long as `data`: lines outside of braces that are such commands, blanks for all others."""
    lines, depth, going = [], 0, False
    for line in data.split(b"\n"):
        bare = line.strip()
        keeps = depth == 0 and not going and _PLAIN.fullmatch(line) is not None
        lines.append(line if keeps else b" " * len(line))
        if not bare.startswith(b"#"):
            depth = max(0, depth + bare.count(b"{") - bare.count(b"}"))
        going = bare.endswith(_ON)
    return b"\n".join(lines)
