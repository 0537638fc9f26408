"""The result as a job summary, and as annotations of a check run."""

from triage.model.patch import PatchState
from triage.model.result import TriageResult
from triage.model.run import Annotation
from triage.output import markdown
from triage.output.plain import plain, shorten

_MESSAGE = 4000


def summary(result: TriageResult, short: str, room: int) -> str:
    """The whole result in at most `room` bytes of UTF-8; `short` (the comment) when it is too long, "" without room."""
    whole = markdown.render(result)
    for text in (whole, f"{short}\nThe whole result is too long for a job summary.\n"):
        if len(text.encode()) <= room:
            return text
    return ""


def places(result: TriageResult) -> tuple[Annotation, ...]:
    """One at each place that a first choice edits. They are plain text on GitHub, not Markdown."""
    found = []
    for group in result.causes:
        for patch in result.patches_of(group)[:1]:
            if patch.state is PatchState.PATCH:
                title = shorten(plain(group.title), 200)
                found += [
                    Annotation(
                        "warning", shorten(plain(f"{patch.title}: {hunk.why}"), _MESSAGE), title, hunk.path, hunk.line
                    )
                    for hunk in patch.hunks
                ]
    return tuple(found)
