"""What uv builds without isolation: `no-build-isolation-package` under `[tool.uv]`, in the file that holds it."""

from __future__ import annotations

from triage.fixes.manifests import toml
from triage.fixes.recipes.dependencies.declarations import beside
from triage.fixes.recipes.dependencies.requiring import Listed, appended
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.requirements import in_pyproject, locked, naming, normalised

_SAID = "not checked: that what it needs is installed before it is built"
_LIST = ("tool", "uv", "no-build-isolation-package")


def listed_unisolated(here: Situation, package: str, module: str, folders: tuple[str, ...]) -> Outcome | None:
    """One more name in the list, where the project has one: what stands there needs the same. None where no project of
    the tree asks for the package. The package is written as the project writes it."""
    wanted = normalised(package)
    for path in dict.fromkeys(beside(folder, "pyproject.toml") for folder in (*folders, ".")):
        named = naming(in_pyproject(here.tree, path), (wanted,))
        lock = beside(path.rpartition("/")[0] or ".", "uv.lock")
        if path in here.tree and (named or wanted in locked(here.tree, lock)):
            return _listed(here, path, named[0].written.partition("[")[0].strip() if named else wanted, module)
    return None


def _listed(here: Situation, path: str, name: str, module: str) -> Outcome:
    strings = toml.strings(here.tree.read(path))
    if isinstance(strings, Refusal):
        return Refusal(strings.reason, path)
    held = [one for one in strings if one.place[:3] == _LIST]
    if any(normalised(one.value) == normalised(name) for one in held):
        return InPlace(f"{path} has uv build {name} without isolation: {module} is not there yet when it is built")
    why = f"the build of {name} imports {module}, which it does not declare"
    if not held:
        return Words(
            f"{why}: add `no-build-isolation-package = [\"{name}\"]` to `[tool.uv]` of {path}, and have {module} "
            "installed before (a first `uv sync` without it)"
        )  # fmt: skip
    items = tuple((one.value, one.start, one.end) for one in held)
    made = appended(here, Listed(path, "", items, toml.shown(_LIST), "what uv builds without isolation"), name)
    if not isinstance(made, Edited):
        return made
    beside_it = ", ".join(one.value for one in held[:3])
    title, because = f"Have uv build {name} without isolation", "uv builds each package with what that declares alone."
    notes = (f"{why}; {beside_it} are built so", _SAID)
    return Edited(made.edits, made.declared, made.expectations, notes, title=title, because=because)
