"""Where in a file a finding of a schema lies, and whether a change touched that place."""

from __future__ import annotations

import re
from collections.abc import Mapping

from triage.fixes.refusal import Refusal
from triage.fixes.yaml.nodes import child, content_end, parse_yaml

# The file, where in it by keys and indices, and what is wrong there.
_FOUND = re.compile(r"(?P<file>[^:]+): \$(?P<path>(?:\.[\w-]+|\[[0-9]+\]|\['[^']*'\])+): ")
_PART = re.compile(r"\.(?P<name>[\w-]+)|\[(?P<index>[0-9]+)\]|\['(?P<quoted>[^']*)'\]")


def in_untouched(finding: str, old: Mapping[str, bytes], new: Mapping[str, bytes]) -> bool:
    """Whether a finding about a file that could not be read before is about text that stood there already."""
    found = _FOUND.match(finding)
    if found is None or found["file"] not in old or found["file"] not in new:
        return False
    document = parse_yaml(found["file"], new[found["file"]])
    if isinstance(document, Refusal):
        return False
    keys = [
        int(one["index"]) if one["index"] else one["name"] or one["quoted"] for one in _PART.finditer(found["path"])
    ]
    node = child(document.root, *keys)
    if node is None:
        return False
    # With what leads there: the same lines under another key are another place.
    start = document.text.rfind("\n", 0, node.start_mark.index - node.start_mark.column - 1) + 1
    return document.text[start : content_end(document.text, node)].encode() in old[found["file"]]
