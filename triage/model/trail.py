"""What a log says that ran, for finding its place in the repository."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Announced:
    """A step as its header shows it: `title` follows `##[group]`; `script` is its text as it ran, `environment` holds
    NAME=value as the runner printed them (secrets as `***`)."""

    title: str
    script: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()


# Ends a `cd` that nobody typed: the prompt names the folder.
BY_PROMPT = "  # as the prompt says"


@dataclass(frozen=True, slots=True)
class Trail:
    """`announced` are the steps; `traced` are the commands of shells (xtrace)
    up to the failure, the last ones; `tests` the files of the tests that failed; `named` the scripts that a launcher
    says it runs, as it calls them; `configured` the configurations, by their paths or the names of their cases;
    `whole`: no step is left out."""

    announced: tuple[Announced, ...] = ()
    traced: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    configured: tuple[str, ...] = ()
    whole: bool = True

    def earlier(self, last: Announced) -> int:
        """How many steps with the same text ran before the last of them; -1: not known."""
        same = [one for one in self.announced if (one.title, one.script) == (last.title, last.script)]
        return len(same) - 1 if self.whole else -1
