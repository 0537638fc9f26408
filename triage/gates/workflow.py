"""The gate that no edit may leave a workflow invalid: GitHub would then run none of its jobs."""

from __future__ import annotations

from triage.fixes.wellformed import check
from triage.gates.change import Change, failed, ok
from triage.model.patch import Gate

NAME = "YAML parses and every step is well-formed"


def workflow(change: Change) -> Gate:
    """Defects that were there before count too: a workflow that stays invalid proves nothing."""
    yaml_files = [path for path in sorted(change.new) if path.endswith((".yml", ".yaml"))]
    for path in yaml_files:
        findings = check(path, change.new[path])
        if findings:
            more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
            return failed(NAME, f"{findings[0]}{more}")
    return ok(NAME, ", ".join(yaml_files) or "no YAML is changed")
