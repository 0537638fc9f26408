"""Named checks over one signature, each with its line. `triage/catalogue/across.py` compares signatures."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterator
from difflib import get_close_matches

from triage.catalogue import conditions, patterns
from triage.catalogue.document import Document, Path
from triage.catalogue.families import AREAS, FAMILIES
from triage.catalogue.findings import Finding
from triage.model.diagnosis import Layout, Phase, Platform
from triage.model.recipe import INSTALLED, INSTALLED_MAJOR, PROJECT, Advise, Rerun
from triage.model.signature import Applicability, NoneOf, Rank, Regex, Signature

# (line path, message): what a check found; the caller adds file, line and the check's id.
Found = tuple[Path, str]

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")
_PLACEHOLDER = re.compile(r"(?<![$\\{])\{([A-Za-z_][A-Za-z0-9_]*)\}(?!\})")
_MAX_DEPTH = 3

# What a draft says until a person has written it, and what people write instead for the time being.
DRAFT_TITLE = "Say in a few words what went wrong"
DRAFT_WHAT = "Say what happened."
_MOST_FAMILIES = 6
_UNWRITTEN = re.compile(r"(?i)\W*(?:(?:todo|fixme|tbd|xxx|title|placeholder)\b.*)?\Z")

# What a program, a launcher or the runner says when something else has failed: never a root's evidence.
WRAPPER_LINES = (
    "##[error]Process completed with exit code 1.",
    "Error: Process completed with exit code 137.",
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
    "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}",
    "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root",
    "Received sigquit from a child process. It usually means the child failed.",
    "Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.",
    "subprocess.CalledProcessError: Command '['python3', 'train.py']' returned non-zero exit status 1.",
    "Exception: WorkerProc initialization failed due to an exception in a background process. See stack trace for root",
    "There appear to be 1 leaked semaphore objects to clean up at shutdown",
    "make: *** [Makefile:12: test] Error 1",
)


def inspect(signature: Signature, document: Document) -> tuple[Finding, ...]:
    """Every finding about `signature` alone, in the order of the file."""
    return tuple(
        sorted(
            Finding(document.source, document.line(path), check, message)
            for check, look in _LOOKS.items()
            for path, message in look(signature)
        )
    )


def _id(signature: Signature) -> Iterator[Found]:
    if not _ID.match(signature.id):
        yield (), f"the id `{signature.id}` is not kebab-case"


def _owner(signature: Signature) -> Iterator[Found]:
    if not signature.owner.strip():
        yield ("owner",), f"name the area that owns it: {', '.join(AREAS)}, or one of your own"


def _family(signature: Signature) -> Iterator[Found]:
    if signature.family in FAMILIES:
        return
    said = f"`{signature.family}` is no family" if signature.family.strip() else "name its family"
    if near := get_close_matches(signature.family, sorted(FAMILIES), n=3):
        yield ("family",), f"{said}; the nearest: {', '.join(near)}"
        return
    first = ", ".join(sorted(FAMILIES)[:_MOST_FAMILIES])
    more = f"and {len(FAMILIES) - _MOST_FAMILIES} more that `triage signatures list` shows"
    yield ("family",), f"{said}; there are: {first} {more}"


def _placeholders(signature: Signature) -> Iterator[Found]:
    for path, text in ((("title",), signature.title), (("explain", "what"), signature.explain.what)):
        if text.startswith((DRAFT_TITLE, DRAFT_WHAT)) or _UNWRITTEN.match(text):
            yield path, f"`{'.'.join(path)}` is still a placeholder: say what went wrong"


def _regexes(signature: Signature) -> Iterator[Found]:
    for leaf, _ in conditions.leaves(signature.condition):
        if isinstance(leaf, Regex):
            for fault in patterns.faults(leaf.pattern):
                yield ("match",), f"{fault}: {leaf.pattern}"


def _repeats(signature: Signature) -> Iterator[Found]:
    for leaf, _ in conditions.leaves(signature.condition):
        if isinstance(leaf, Regex) and patterns.largest_repeat(leaf.pattern) > patterns.MAX_REPEAT:
            yield ("match",), f"repeat above {patterns.MAX_REPEAT}: {leaf.pattern}"


def _captures(signature: Signature) -> Iterator[Found]:
    made = conditions.captures(signature.condition) | {PROJECT, INSTALLED, INSTALLED_MAJOR}
    for at, name in enumerate(signature.fingerprint):
        if name not in made:
            yield ("fingerprint", at), f"no pattern captures `{name}`"
    for path, text in _texts(signature):
        for name in _PLACEHOLDER.findall(text):
            if name not in made:
                yield path, f"no pattern captures `{name}`"


def _texts(signature: Signature) -> Iterator[tuple[Path, str]]:
    explain = signature.explain
    yield ("title",), signature.title
    for field in ("what", "why", "confirm", "not_this"):
        yield ("explain", field), getattr(explain, field)
    for at, fix in enumerate(signature.fixes):
        yield ("fixes", at, "title"), fix.title
        yield ("fixes", at, "because"), fix.because
        for name in type(fix.recipe).__dataclass_fields__:
            if isinstance(value := getattr(fix.recipe, name), str):
                yield ("fixes", at, "with", name), value


def _only_none(signature: Signature) -> Iterator[Found]:
    if not conditions.evidence(signature.condition) or isinstance(signature.condition, NoneOf):
        yield ("match",), "something must hold: `none` alone names no line"


def _examples(signature: Signature) -> Iterator[Found]:
    wanted = conditions.wanted(signature.condition)
    if not signature.examples_match:
        yield ("examples",), "no example that must match"
    texts = [line for text in signature.examples_match for line in text.splitlines()]
    for leaf in wanted:
        if signature.examples_match and not any(conditions.hits(leaf, line) for line in texts):
            yield ("examples", "match"), f"no example is hit by: {_written(leaf)}"
    for at, text in enumerate(signature.examples_match):
        if not any(conditions.hits(leaf, line) for leaf in wanted for line in text.splitlines()):
            yield ("examples", "match", at), f"hit by no pattern: {text}"
    for at, text in enumerate(signature.examples_no_match):
        if conditions.holds(signature.condition, text.splitlines()):
            yield ("examples", "no_match", at), f"the condition holds: {text}"


def _written(leaf: conditions.Leaf) -> str:
    return leaf.pattern if isinstance(leaf, Regex) else leaf.text


def _because(signature: Signature) -> Iterator[Found]:
    for at, fix in enumerate(signature.fixes):
        words_only = isinstance(fix.recipe, Advise | Rerun)
        if fix.applicability is not Applicability.SAFE and not fix.because and not words_only:
            yield ("fixes", at), f"`{fix.title}` does not say why (`because`)"


_FACTS: dict[str, frozenset[str]] = {
    "platform": frozenset(Platform),
    "phase": frozenset(Phase),
    "layout": frozenset(Layout),
    "sign": frozenset(
        {
            *("others-hold", "held-before", "crowded-out", "fragmented", "one-rank", "growing", "nearly-fits"),
            *("own-fills", "engine-asked"),
            *(
                "image-build",
                "in-loss",
                "limit-reached",
                "silent",
                "little-done",
                "failed-before",
                "compiling",
                "own-limit",
                "several-checks",
                "uses-uv",
            ),
            "shares-memory",
        }
    ),
}
# Facts whose values are no closed list, and those that name what they are about.
_OPEN_FACTS = ("framework", "passes", "sign")
_KEYED_FACTS = ("setting:", "version:", "installed:")


def _when(signature: Signature) -> Iterator[Found]:
    for at, fix in enumerate(signature.fixes):
        for fact, globs in fix.when.items():
            path: Path = ("fixes", at, "when", fact)
            if fact not in _FACTS and fact not in _OPEN_FACTS and not fact.startswith(_KEYED_FACTS):
                yield path, f"`{fact}` is no fact"
            for glob in globs:
                values = _FACTS.get(fact)
                if values and glob != "known" and not fnmatch.filter(values, glob.removeprefix("!")):
                    yield path, f"`{glob}` fits no {fact}"


def _wrapper_lines(signature: Signature) -> Iterator[Found]:
    if signature.rank is not Rank.ROOT:
        return
    for leaf in conditions.evidence(signature.condition):
        for line in WRAPPER_LINES:
            if conditions.hits(leaf, line):
                yield ("match",), f"the evidence `{_written(leaf)}` may be: {line}"


def _references(signature: Signature) -> Iterator[Found]:
    if not any(reference.role != "not_this" for reference in signature.references):
        yield ("references",), "name at least one place where it was seen"


def _nesting(signature: Signature) -> Iterator[Found]:
    if (deep := conditions.depth(signature.condition)) > _MAX_DEPTH:
        yield ("match",), f"{deep} deep"


def _compiled(look: Callable[[Signature], Iterator[Found]]) -> Callable[[Signature], Iterator[Found]]:
    """`look` evaluates patterns, so it is left to SIG004 when one of them does not compile."""

    def careful(signature: Signature) -> Iterator[Found]:
        leaves = [leaf for leaf, _ in conditions.leaves(signature.condition) if isinstance(leaf, Regex)]
        if all(patterns.compiles(leaf.pattern) for leaf in leaves):
            yield from look(signature)

    return careful


_LOOKS: dict[str, Callable[[Signature], Iterator[Found]]] = {
    "SIG002": _id,
    "SIG003": _owner,
    "SIG004": _regexes,
    "SIG005": _captures,
    "SIG006": _only_none,
    "SIG007": _compiled(_examples),
    "SIG009": _because,
    "SIG010": _when,
    "SIG013": _compiled(_wrapper_lines),
    "SIG015": _family,
    "SIG016": _repeats,
    "SIG020": _references,
    "SIG022": _nesting,
    "SIG027": _placeholders,
}
