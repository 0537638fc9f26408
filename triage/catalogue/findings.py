"""Findings: what a named check has to say about one line of one file, and the table of checks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from triage.errors import CatalogueError


@dataclass(frozen=True, slots=True)
class Check:
    """`leaves_out`: a signature with such a finding cannot be trusted at run time. `warning`: never fails a check."""

    sentence: str
    leaves_out: bool = True
    warning: bool = False


CHECKS = {
    "SIG000": Check("the file is not YAML of the right shape, lacks a field or holds a value of the wrong kind"),
    "SIG001": Check("a key is unknown or given twice"),
    "SIG002": Check("the id (the file's stem) is not kebab-case, or two files of one catalogue share it"),
    "SIG003": Check("nobody owns the signature"),
    "SIG004": Check("a regex does not compile, has an unnamed group, a nested quantifier or a leading .*"),
    "SIG005": Check("a capture is used that no pattern makes"),
    "SIG006": Check("the condition consists of `none` alone"),
    "SIG007": Check("an inline example contradicts the condition, or a pattern has none"),
    "SIG008": Check("a sibling sample is missing that the status asks for", leaves_out=False),
    "SIG009": Check("a fix that is not safe does not say why (`because`)", leaves_out=False),
    "SIG010": Check("a recipe or its `when` has wrong arguments"),
    "SIG011": Check("`explains` forms a circle"),
    "SIG012": Check("two signatures have the same condition and scope"),
    "SIG013": Check("a root's evidence may be a line that only wraps a failure"),
    "SIG014": Check("the review is due", leaves_out=False, warning=True),
    "SIG015": Check("the family is not one of the closed list"),
    "SIG016": Check("a bounded repeat is above 255"),
    "SIG017": Check("a sibling sample contradicts the signature", leaves_out=False),
    "SIG018": Check("the signature hits a green log", leaves_out=False),
    "SIG019": Check("the patch sample gives another patch", leaves_out=False),
    "SIG020": Check("no reference names where the failure was seen", leaves_out=False),
    "SIG021": Check("a knob is in no table", leaves_out=False),
    "SIG022": Check("conditions nest more than three deep"),
    "SIG023": Check("`explains` names no signature", leaves_out=False),
    "SIG024": Check("a table does not decode"),
    "SIG025": Check("a file is too large for a signature"),
    "SIG026": Check("a stable signature shows patches that no patch sample proves", leaves_out=False, warning=True),
    "SIG027": Check("the title or the explanation is still a placeholder"),
    "SIG028": Check("no near miss shows what must not match", leaves_out=False, warning=True),
}


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """`line` counts from 1; 0 concerns the whole file."""

    source: str
    line: int
    check: str
    message: str

    def __str__(self) -> str:
        place = f"{self.source}:{self.line}" if self.line else self.source
        return f"{place}: {self.check}: {self.message}"


def leaves_out(findings: Iterable[Finding]) -> bool:
    return any(CHECKS[finding.check].leaves_out for finding in findings)


def is_error(finding: Finding) -> bool:
    return not CHECKS[finding.check].warning


def refuse(findings: Iterable[Finding], what: str) -> CatalogueError:
    """The error that lists `findings`, one a line."""
    listed = "\n".join(str(finding) for finding in sorted(findings))
    return CatalogueError(f"{what}:\n{listed}", "Run `triage signatures check` after the correction.")
