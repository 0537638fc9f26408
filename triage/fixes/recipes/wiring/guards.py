"""`copy_guard`: the `if:` by which sibling jobs keep out of forks, for a job that needs what a fork does not have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import yaml

from triage.fixes.counting import foremost
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.siblings import sibling_jobs
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.workflow.model import Job
from triage.fixes.yaml.edits import Edits, insert_before
from triage.fixes.yaml.nodes import child, items, text_of
from triage.fixes.yaml.scalar_edits import splice_scalar
from triage.model.diagnosis import WITH_SECRETS
from triage.model.patch import Expectation, Sibling
from triage.model.recipe import CopyGuard

# What tells the repository from its forks: true in every run that belongs to it.
_OWNER = re.compile(r"github\.repository(?:_owner)? *== *'(?P<owner>[\w.-]+)(?:/[\w.-]+)?'")
# What tells a branch of the repository from a fork's: only this can help a pull request.
_HEAD = re.compile(r"[^;]*\bgithub\.event\.pull_request\.head\.repo\.[^;]*")
# Such a condition is true for a branch of the repository; the opposite one would keep the job for forks alone.
_REPO = r"github\.event\.pull_request\.head\.repo\."
_WITHIN = re.compile(
    rf"{_REPO}(?:full_name|owner\.login) *== *[\w.'/-]+|! *{_REPO}fork|{_REPO}fork *(?:== *false|!= *true)"
    rf"|github\.repository(?:_owner)? *== *{_REPO}(?:full_name|owner\.login)"
)
_FOREIGN = re.compile(r"\b(?:needs|inputs|matrix|steps|env|vars|strategy)\.")
_NAMED = re.compile(r"github\.com[/:]([\w.-]+)/([\w-]+)")
_SELF = ("pyproject.toml", "setup.py", "setup.cfg", "README.md", "README.rst", "CONTRIBUTING.md")


@dataclass(frozen=True, slots=True)
class Guard:
    """`owner` is whom the condition names; "" for one that asks where a pull request's branch lies."""

    text: str
    owner: str
    source: str


def copy_guard(recipe: CopyGuard, here: Situation) -> Outcome:
    told = here.captures.get(recipe.repository.strip("{}"), "")
    running = told or here.facts.repository
    source = here.facts.secret_source
    own = [Guard(text, owner, here.job.path) for text, owner in _fork_tests(here.job.condition)]
    present = next((guard for guard in own if _stops(guard, running, source)), None)
    if present is not None:
        return InPlace(f"{here.job.id} already runs only if `{present.text}`")
    guards = list(_guards(here))
    usable = [guard for guard in guards if _stops(guard, running, source)]
    chosen = _chosen(usable) or _from_tree(here, running)
    if chosen is None and not (running or source == "None"):
        return Refusal("nothing says that this run belongs to a fork, whose runs have no secrets")
    if chosen is None and _is_own(running, "" if told else source, guards):
        return Refusal("the run is the repository's own, where a guard against forks would only hide what is missing")
    if chosen is None:
        where = f"{here.job.path}:{here.job.line}"
        return Words(f"give {here.job.id} ({where}) an `if:` that is false where it has no secrets; no sibling has one")
    edits = _conditioned(here.job, chosen)
    if isinstance(edits, Refusal):
        return edits
    new = _joined(here.job.condition, chosen.text)
    promise = Expectation("value", f"{here.place}.if={new}", here.target.job, here.job.path)
    made = Edited(edits, (f"{here.job.path}:{here.place}.if",), (promise,), siblings=tuple(_exposed(here, chosen)))
    return made.noting(*_dependants(here))


def _guards(here: Situation) -> Iterator[Guard]:
    """Of jobs, and of steps that use the same action as the failed one."""
    action = here.step.uses.partition("@")[0] if here.step is not None else ""
    for job in sibling_jobs(here, b"github."):
        conditions = [(job.condition, job.line)]
        conditions += [(one.condition, one.line) for one in job.steps if action and one.uses.startswith(action + "@")]
        for text, line in conditions:
            yield from (Guard(one, owner, f"{job.path}:{line}") for one, owner in _fork_tests(text))


def _fork_tests(condition: str) -> Iterator[tuple[str, str]]:
    for part in _conjuncts(condition):
        owner = _OWNER.fullmatch(part)
        if owner:
            yield part, owner["owner"]
        elif _HEAD.fullmatch(part) and not _FOREIGN.search(part) and _keeps_within(part):
            yield part, ""


def _keeps_within(part: str) -> bool:
    """Whether nothing that the condition says of a pull request's repository is true for a fork."""
    return bool(_WITHIN.search(part)) and "head.repo" not in _WITHIN.sub("", part)


def _stops(guard: Guard, running: str, source: str) -> bool:
    """Whether the condition is false in the run that failed. `Secret source: None` is a fork's pull request, whose run
    belongs to the repository itself."""
    if guard.owner:
        return bool(running) and guard.owner.lower() != running.partition("/")[0].lower()
    return source == "None"


def _is_own(running: str, source: str, guards: Sequence[Guard]) -> bool:
    """Whether the log shows that the run had the repository's secrets, or a guard names the run's own owner."""
    owner = running.partition("/")[0].lower()
    return source in WITH_SECRETS or any(guard.owner.lower() == owner for guard in guards if guard.owner)


def _exposed(here: Situation, guard: Guard) -> Iterator[Sibling]:
    """Jobs that use the same action and have no such condition."""
    action = here.step.uses.partition("@")[0] if here.step is not None else ""
    for job in sibling_jobs(here, action.encode()) if action else ():
        if any(one.uses.partition("@")[0] == action for one in job.steps) and not list(_fork_tests(job.condition)):
            yield Sibling(job.path, job.id, f"uses {action} without `{guard.text}`")


def _chosen(guards: Sequence[Guard]) -> Guard | None:
    """The one that most jobs have; None when two are as frequent."""
    most = foremost(guard.text for guard in guards)
    return next((guard for guard in guards if most is not None and guard.text == most[0]), None)


def _from_tree(here: Situation, running: str) -> Guard | None:
    """The owner whom the repository's own files name for it, when the run belongs to another one."""
    runner, _, name = running.partition("/")
    counted: Counter[str] = Counter()
    for path in _SELF:
        if path in here.tree:
            text = here.tree.read(path).decode("utf-8", "replace")
            counted.update(found[1] for found in _NAMED.finditer(text) if found[2].lower() == name.lower())
    owner = next((one for one, _ in counted.most_common(1)), "")
    if not name or not owner or owner.lower() == runner.lower() or counted[owner] * 2 <= counted.total():
        return None
    path = next(path for path in _SELF if path in here.tree and f"{owner}/{name}".encode() in here.tree.read(path))
    return Guard(f"github.repository_owner == '{owner}'", owner, path)


def _conditioned(job: Job, guard: Guard) -> Edits | Refusal:
    node = child(job.node, "if")
    why = f"it needs what a fork does not have; the condition stands at {guard.source}"
    if node is None:
        lines = [f"if: {_alone(guard.text)}"]
        first = job.node.value[0][0]
        return insert_before(job.document, first, lines, first.start_mark.column, why=why)
    if not isinstance(node, yaml.ScalarNode):
        return Refusal("its `if` is no text", job.path, job.line)
    inner = _inner(node.value)
    start = node.value.index(inner)
    end = start + len(inner)
    if not _either(inner):
        return splice_scalar(job.document, node, end, end, f" && {_part(guard.text)}", why=why)
    closing = splice_scalar(job.document, node, end, end, f") && {_part(guard.text)}", why=why)
    opening = splice_scalar(job.document, node, start, start, "(", why=why)
    if isinstance(closing, Refusal) or isinstance(opening, Refusal):
        return closing if isinstance(closing, Refusal) else opening
    return (*opening, *closing)


def _joined(condition: str, guard: str) -> str:
    """The condition as it reads afterwards."""
    inner = _inner(condition)
    if not inner:
        return _alone(guard)
    whole = f"({inner})" if _either(inner) else inner
    return condition.replace(inner, f"{whole} && {_part(guard)}", 1)


def _alone(guard: str) -> str:
    """A condition that begins with `!` or a quote would be something else to YAML."""
    return guard if re.match(r"[\w(]", guard) else f"${{{{ {guard} }}}}"


def _part(guard: str) -> str:
    return f"({guard})" if _either(guard) else guard


def _inner(condition: str) -> str:
    """The expression without its `${{ }}`, where that holds all of it."""
    text = condition.strip()
    if text.startswith("${{") and text.endswith("}}") and text.count("${{") == 1:
        return text[3:-2].strip()
    return text


def _either(expression: str) -> bool:
    return len(_split(expression, "||")) > 1


def _conjuncts(condition: str) -> list[str]:
    """What must hold together; brackets around a whole part are left out."""
    inner = _inner(condition)
    parts = [inner] if _either(inner) else _split(inner, "&&")
    return [part[1:-1].strip() if _bracketed(part) else part for part in parts if part]


def _bracketed(part: str) -> bool:
    if not (part.startswith("(") and part.endswith(")")):
        return False
    depth = 0
    for at, char in enumerate(part):
        depth += (char == "(") - (char == ")")
        if depth == 0 and at < len(part) - 1:
            return False
    return True


def _split(expression: str, sign: str) -> list[str]:
    """The parts between the signs that stand outside brackets and quotes."""
    parts, depth, quoted, start = [], 0, False, 0
    for at, char in enumerate(expression):
        if char == "'":
            quoted = not quoted
        elif not quoted:
            depth += (char in "([") - (char in ")]")
            if depth == 0 and at >= start and expression.startswith(sign, at):
                parts.append(expression[start:at].strip())
                start = at + len(sign)
    return [*parts, expression[start:].strip()]


def _dependants(here: Situation) -> Iterator[str]:
    """Jobs that run although the one they need is skipped."""
    for job_id in here.job.workflow.job_ids:
        node = here.job.workflow.job_node(job_id)
        condition = text_of(child(node, "if")).strip()
        if here.job.id in [text_of(one) for one in items(child(node, "needs"))] and "always()" in condition:
            yield f"`{job_id}` needs {here.job.id} and still runs (`{condition}`): see that it does no harm"
