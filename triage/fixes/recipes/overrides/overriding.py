"""`repair_override`: the prefix of a Hydra override that does not compose, or the name under which its key is now."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from triage.fixes.document import line_of
from triage.fixes.evaluate.settings import find_setting
from triage.fixes.evaluate.values import Site
from triage.fixes.hydra.config import Configuration, Present
from triage.fixes.recipes.blast import blast_radius
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.overrides.config_groups import repair_choice
from triage.fixes.recipes.overrides.fields import repair_field
from triage.fixes.recipes.overrides.hits import Hit, composed_without, hits_of, key_of, once, promise, site_of
from triage.fixes.recipes.overrides.removing import line_without
from triage.fixes.recipes.overrides.switched_off import REMOVED, switched_off
from triage.fixes.recipes.overrides.unread import by_readers
from triage.fixes.recipes.overrides.written_alike import as_others_write, meant_key
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import replace_value
from triage.model.recipe import RepairOverride

_KEY = re.compile(r"[A-Za-z_][\w.@/-]*")
_MOST_PLACES = 8
_TEXTS = (".sh", ".bash", ".yml", ".yaml")


def repair_override(recipe: RepairOverride, here: Situation) -> Outcome:
    choice = here.captures.get(recipe.choice.strip("{}"), "")
    if choice:
        group, _, option = choice.rpartition("/")
        return repair_choice(recipe, here, group, option)
    if owner := here.captures.get(recipe.owner.strip("{}"), ""):
        return repair_field(recipe, here, owner)
    asked = here.captures.get(recipe.key.strip("{}"), recipe.key).partition("=")[0].lstrip("+~")
    if not _KEY.fullmatch(asked):
        return Refusal("the log does not say which key it is")
    hits = list(hits_of(here, asked))
    if not hits and recipe.settled == REMOVED:
        return InPlace(f"no command of {here.job.id} sets `{asked}`")
    if not hits:
        return Refusal(f"no command of {here.job.id} sets `{asked}`", here.job.path, here.job.line)
    if recipe.settled and any(hit.written == recipe.settled for hit in hits):
        return InPlace(f"{here.job.id} sets `{recipe.settled}`")
    exists = bool(here.captures.get(recipe.existing.strip("{}"), ""))
    # Of a key that the command adds twice, the second time is the one that fails.
    twice = [hit.invocation for hit in hits if hit.again] if exists else []
    failing = [hit for hit in hits if hit.again or not any(hit.invocation is one for one in twice)]
    concerned = [hit for hit in failing if hit.prefix == ("+" if exists else "")]
    if not concerned:
        return InPlace(f"{here.job.id} sets `{hits[0].written}`, which does not fail in this way")
    parts = [_repaired(recipe, here, hit, exists=exists) for hit in once(concerned)]
    whole, settled = together(parts), [part.settled for part in parts if isinstance(part, Edited)]
    if not isinstance(whole, Edited):
        return whole
    because = next((part.because for part in parts if isinstance(part, Edited)), "")
    return replace(whole, settled=settled[0], because=because if len(parts) == 1 else "")


def _repaired(recipe: RepairOverride, here: Situation, hit: Hit, *, exists: bool) -> Outcome:
    site = site_of(hit)
    where = f"{site.path}:{site.line}" if site is not None else f"a command of {hit.invocation.step_name}"
    configuration = composed_without(here, hit.invocation, hit.key)
    if isinstance(configuration, Refusal):
        new, why = _unread(here, hit, site, exists=exists) if site is not None else ("", "")
        if not new or site is None:
            return Words(_hint(hit, where, configuration.reason, exists=exists))
        return _written(recipe, here, hit, site, new, why)
    if not exists and isinstance(configuration.look(hit.key), Present):
        return InPlace(f"the repository's configuration has `{hit.key}`, which {where} sets")
    new, why = _present(configuration, hit) if exists else _absent(here, configuration, hit)
    if not new and site is not None and not exists and switched_off(configuration, hit.key, hit.word.text or ""):
        made = line_without(here, site, hit.key, f"it switches off what the configuration does not have ({why})")
        if not isinstance(made, Edited):
            return made
        because = "The configuration has no such key any more, and what the override says is what holds without it."
        return replace(made, settled=replace(recipe, settled=REMOVED), because=because)
    if not new and not exists:
        read = by_readers(recipe, here, hit, configuration, site)
        return Words(_hint(hit, where, why, exists=exists)) if isinstance(read, Refusal) else read
    if not new:
        return Words(_hint(hit, where, why, exists=exists))
    if site is None:
        return Words(f"`{hit.written}` becomes `{new}` ({why}); it is put together at run time in {where}")
    return _written(recipe, here, hit, site, new, why)


def _written(recipe: RepairOverride, here: Situation, hit: Hit, site: Site, new: str, why: str) -> Outcome:
    edits = replace_value(here.tree, site, hit.written, new, why=why)
    if isinstance(edits, Refusal):
        return edits
    declared = declared_at(here, site.path, hit.invocation.step)
    made = Edited(edits, (declared,), (promise(here, hit, site, new),), blast_radius=blast_radius(here, (site,)))
    # Its own result is looked at under the key's new name.
    settled = replace(recipe, key=new.lstrip("+"), settled=new)
    return replace(made, title=f"Write `{new}` for `{hit.written}`", settled=settled).noting(
        *_elsewhere(here, hit, site)
    )


def _unread(here: Situation, hit: Hit, site: Site, *, exists: bool) -> tuple[str, str]:
    """The same where the configuration cannot be read: what Hydra itself says, and what the other commands write."""
    if exists and _twin(hit):
        return "", ""
    if exists:
        return (f"++{hit.key}" if hit.again else hit.key), "Hydra says that the configuration has the key already"
    return as_others_write(here.tree, hit, site)


def _twin(hit: Hit) -> bool:
    """Whether the command also sets the same name below another key: one of both may stand for the other."""
    end = ".".join(hit.key.split(".")[-2:])
    keys = {key_of(word.head) for word in hit.invocation.program[1:]} - {hit.key}
    return any(key.endswith(f".{end}") for key in keys)


def _present(configuration: Configuration, hit: Hit) -> tuple[str, str]:
    if isinstance(configuration.look(hit.key), Present):
        return hit.key, "the configuration has the key already, so it is set, not added"
    if hit.again:
        return f"++{hit.key}", "the command adds the key above; the second time it is overridden"
    return "", "the repository's configuration does not have the key, so something else adds it"


def _absent(here: Situation, configuration: Configuration, hit: Hit) -> tuple[str, str]:
    """The new text and the reason; "" with why not."""
    added = next((place for sign in ("++", "+") for place in _places(here, f"{sign}{hit.key}=")), "")
    if added:
        return f"+{hit.key}", f"the configuration does not have the key; {added} adds it with +"
    renamed = _renamed(configuration, hit.key)
    if renamed and find_setting(hit.invocation, renamed) is not None:
        return "", f"the configuration has `{renamed}`, which the command sets too"
    if renamed:
        return f"{hit.prefix}{renamed}", f"the configuration has `{renamed}` and no `{hit.key}`"
    if configuration.holds_nothing(hit.key.rpartition(".")[0]):
        return f"+{hit.key}", f"`{hit.key.rpartition('.')[0]}` is open: what it holds is added with +"
    return "", f"the configuration has neither `{hit.key}` nor one key that resembles it"


def _renamed(configuration: Configuration, key: str) -> str:
    """The one key that is spelled alike, or has the same last part below the same first part, or a name much alike in
    the same mapping; "" when there is none or when several are."""
    keys = configuration.keys()
    spelled = [one for one in keys if _squeezed(one) == _squeezed(key)]
    if spelled:
        return spelled[0] if len(spelled) == 1 else ""
    first, leaf = key.partition(".")[0], key.rpartition(".")[2]
    same = [one for one in keys if one.rpartition(".")[2] == leaf and one.partition(".")[0] == first]
    if same:
        return same[0] if len(same) == 1 else ""
    return meant_key(key, keys)


def _squeezed(key: str) -> str:
    return re.sub(r"[._-]", "", key).lower()


def _hint(hit: Hit, where: str, reason: str, *, exists: bool) -> str:
    if exists:
        return f"`{hit.written}` at {where} adds a key that exists: drop the `+`, or write `++` ({reason})"
    return (
        f"`{hit.written}` at {where} sets a key that does not exist: take its new name, or add it with `+` ({reason})"
    )


def _elsewhere(here: Situation, hit: Hit, site: Site) -> Iterator[str]:
    places = [place for place in _places(here, f"{hit.written}=") if place != f"{site.path}:{site.line}"]
    if places:
        yield f"the same override stands at {', '.join(places)}"


def _places(here: Situation, text: str) -> list[str]:
    """Where scripts and workflows write the override, whole words only."""
    wanted = re.compile(rb"(?<![\w.+/])" + re.escape(text.encode()))
    found: list[str] = []
    for path in here.tree.paths():
        if path.endswith(_TEXTS) and len(found) < _MOST_PLACES:
            data = here.tree.read(path)
            found += [f"{path}:{line_of(data, at.start())}" for at in wanted.finditer(data)]
    return found[:_MOST_PLACES]
