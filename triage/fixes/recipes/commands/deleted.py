"""What GitHub's machines bring, and the job itself deletes to make room before a step needs it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import SiteKind, Value
from triage.fixes.recipes.blast import blast_of_calls
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, together
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.recipes.wiring.steps import on_bare_machine
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import remove_command
from triage.model.patch import Edit, Expectation

# Where the Ubuntu images of GitHub's machines keep a program (actions/runner-images, install scripts).
_NODE = ("/usr/local/lib/node_modules",)
_KEPT = {
    **dict.fromkeys(("npm", "npx", "yarn", "corepack", "lerna", "n"), _NODE),
    "node": ("/usr/local/bin/node", "/usr/local/include/node"),
    **dict.fromkeys(("java", "javac", "jar"), ("/usr/lib/jvm",)),
    "dotnet": ("/usr/share/dotnet",),
    **dict.fromkeys(("ghc", "cabal", "stack", "ghcup"), ("/usr/local/.ghcup", "/opt/ghc")),
    **dict.fromkeys(("swift", "swiftc"), ("/usr/share/swift",)),
    **dict.fromkeys(("gcloud", "gsutil", "bq"), ("/usr/lib/google-cloud-sdk", "/usr/share/google-cloud-sdk")),
    **dict.fromkeys(("adb", "sdkmanager", "avdmanager"), ("/usr/local/lib/android",)),
    **dict.fromkeys(("google-chrome", "google-chrome-stable"), ("/opt/google",)),
    "chromium": ("/usr/local/share/chromium",),
    "pwsh": ("/usr/local/share/powershell", "/opt/microsoft/powershell"),
    **dict.fromkeys(("rustc", "cargo", "rustup"), ("/usr/share/rust", "/etc/skel/.cargo")),
    "conda": ("/usr/share/miniconda",),
    "aws": ("/usr/local/aws-cli",),
    "az": ("/opt/az",),
    "ant": ("/usr/share/ant",),
    "sbt": ("/usr/share/sbt",),
    "kotlinc": ("/usr/share/kotlinc",),
    "heroku": ("/usr/lib/heroku",),
    "vcpkg": ("/usr/local/share/vcpkg",),
    "psql": ("/usr/lib/postgresql",),
}  # fmt: skip
_LITERAL = frozenset({SiteKind.LITERAL})


def kept_from_deletion(here: Situation, needed: str) -> Outcome | None:
    """The deletion without the folder that holds `needed`; in place where the machine brings it and none deletes it.

    None where it is nothing that such a machine brings, or the job runs on another.
    """
    folders = _KEPT.get(needed, ())
    if not folders or here.image or not on_bare_machine(here):
        return None
    hits = [(one, word) for one in here.evaluation.invocations for word in _deleted(here, one, folders)]
    if not hits:
        return InPlace(f"GitHub's machines bring `{needed}`, and no command of the job deletes it")
    made = together([_without(here, one, word, needed) for one, word in hits])
    if not isinstance(made, Edited):
        return made
    room = f"{', '.join(str(word) for _, word in hits)} holds what the step needs; less room is made on the disk"
    return Edited(made.edits, made.declared, made.expectations, blast_radius=made.blast_radius,
                  title=f"Do not delete what brings `{needed}`", because=room)  # fmt: skip


def _deleted(here: Situation, one: Invocation, folders: tuple[str, ...]) -> Iterator[Value]:
    """Words of an `rm -r` before the failure that hold one of the folders."""
    words = list(one.program)
    program = posixpath.basename(words[0].text or "") if words else ""
    late = here.step is not None and one.step > here.step.index
    if program != "rm" or late or not one.calls or one.substitution or not any(_is_deep(word) for word in words):
        return
    for word in words[1:]:
        path = (word.text or "").rstrip("/")
        if any(path == folder or folder.startswith(f"{path}/") for folder in folders) and path.count("/") > 1:
            yield word


def _is_deep(word: Value) -> bool:
    text = word.text or ""
    return text == "--recursive" or (text[:1] == "-" and text[:2] != "--" and "r" in text.lower())


def _without(here: Situation, one: Invocation, word: Value, needed: str) -> Outcome:
    why = f"{word} holds `{needed}`, which {here.job.id} runs afterwards"
    call, given = one.calls[-1], [value for value in one.program[1:] if not (value.text or "").startswith("-")]
    if len(given) == 1:
        edits = remove_command(here.tree, call, why=why)
        promise = Expectation("absent", one.command_line, here.target.job, here.target.workflow_path, step=one.step)
    else:
        edits = _cut(here, word, why)
        rest = " ".join(str(value) for value in one.argv if value is not word)
        promise = Expectation("command", rest, here.target.job, here.target.workflow_path, step=one.step)
    if isinstance(edits, Refusal):
        return edits
    outside = (call,) if call.path != here.job.path else ()
    declared = declared_at(here, call.path, one.step)
    return Edited(edits, (declared,), (promise,), blast_radius=blast_of_calls(here, outside))


def _cut(here: Situation, word: Value, why: str) -> tuple[Edit, ...] | Refusal:
    """The word with the blank before it, where it stands as it reads."""
    site = word.sites[0] if len(word.sites) == 1 and word.sites[0].kind in _LITERAL else None
    data = here.tree.read(site.path) if site is not None and site.path in here.tree else b""
    if site is None or data[site.start : site.end] != (word.text or "").encode() or site.quote:
        return Refusal(f"`{word}` is put together where it cannot be taken out")
    if data[site.start - 1 : site.start] != b" ":
        return Refusal(f"`{word}` begins a line of its command", site.path, site.line)
    return (Edit(site.path, site.start - 1, site.end, b"", why),)
