"""A signature's patch sample: `<id>.patch/` holds a small tree, the case, and the patch that must come out of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from triage.catalogue.document import read
from triage.catalogue.findings import Finding
from triage.fixes import Target, prescribe
from triage.fixes.combine import diff_of
from triage.gates import prove
from triage.model.diagnosis import BuildStep, Cause, Facts, Layout, Phase, Platform, Replaced, Spaced
from triage.model.log import Confidence, Line
from triage.model.patch import PatchState
from triage.model.recipe import Advise, Rerun
from triage.model.signature import Applicability, Catalogue, Signature, Status
from triage.sources.trees import folder_tree


def wants_patch_sample(signature: Signature) -> bool:
    """Whether a fix of this signature may be shown as a patch."""
    return signature.status is Status.STABLE and any(
        fix.applicability is not Applicability.DISPLAY and not isinstance(fix.recipe, Advise | Rerun)
        for fix in signature.fixes
    )


def try_patch(signature: Signature, folder: Path, catalogue: Catalogue) -> Iterator[Finding]:
    """SIG019: the first proved patch for the sample's tree must be its golden patch."""
    document, wrong = read((folder / "case.yaml").read_text(encoding="utf-8"), f"{folder.name}/case.yaml")
    if wrong or not isinstance(document.value, dict):
        yield Finding(
            signature.source, 0, "SIG019", f"{folder.name}/case.yaml: {wrong[0].message if wrong else 'empty'}"
        )
        return
    given = document.value
    target = Target(str(given.get("workflow", "")), str(given.get("job", "")), str(given.get("step", "")))
    facts = _facts(given.get("facts", {}))
    captures = given.get("captures", {})
    captured = {name: str(text) for name, text in captures.items()} if isinstance(captures, dict) else {}
    cause = Cause.of(signature, Line(1, ""), "a sample", Confidence.HIGH, captured)
    made = first_patch(cause, signature, facts, target, folder / "tree", catalogue)
    golden = (folder / "golden.patch").read_text(encoding="utf-8")
    if made != golden:
        yield Finding(signature.source, 0, "SIG019", f"{folder.name} gives another patch:\n{made}")


def first_patch(
    cause: Cause, signature: Signature, facts: Facts, target: Target, tree_folder: Path, catalogue: Catalogue
) -> str:
    """The diff of the first rung whose patch is proved, or why there is none. What linters say of it is no matter of
    the signature, and starting them for every sample would take most of the time."""
    tree = folder_tree(tree_folder)
    reasons = []
    for draft in prescribe(cause, signature, facts, target, tree, tree, catalogue.tables):
        patch = prove(draft, tree, "sample", (cause.id,), target, facts, catalogue.tables, linting=False)
        if patch.state is PatchState.PATCH:
            diff = diff_of(draft.edits, tree)
            return diff if isinstance(diff, str) else diff.reason
        reasons.append(f"{draft.title}: {patch.state}: {patch.reason}")
    return "\n".join(reasons)


def _facts(given: object) -> Facts:
    settings = given if isinstance(given, Mapping) else {}
    return Facts(
        platform=Platform(settings.get("platform", Platform.UNKNOWN)),
        phase=Phase(settings.get("phase", Phase.UNKNOWN)),
        layout=Layout(settings.get("layout", Layout.UNKNOWN)),
        gpus=int(settings.get("gpus", 0)),
        minutes=float(settings.get("minutes", 0)),
        repository=str(settings.get("repository", "")),
        secret_source=str(settings.get("secret_source", "")),
        packages=tuple(map(str, settings.get("packages", ()))),
        frames=tuple(map(str, settings.get("frames", ()))),
        settings={str(name): str(value) for name, value in dict(settings.get("settings", {})).items()},
        installed={str(name): str(value) for name, value in dict(settings.get("installed", {})).items()},
        replaced=tuple(_replaced(settings.get("replaced", ()))),
        retreats={str(name): tuple(map(str, tried)) for name, tried in dict(settings.get("retreats", {})).items()},
        build=_build(settings.get("build")),
        spaced=tuple(_spaced(settings.get("spaced", ()))),
        signs=(*(("image-build",) if "build" in settings else ()), *settings.get("signs", ())),
    )


def _spaced(given: object) -> Iterator[Spaced]:
    for one in given if isinstance(given, list) else ():
        yield Spaced(str(one.get("path", "")), str(one.get("rule", "")), int(one.get("line", 0)))


def _replaced(given: object) -> Iterator[Replaced]:
    for one in given if isinstance(given, list) else ():
        yield Replaced(*(str(one.get(key, "")) for key in ("name", "old", "new", "by")))


def _build(given: object) -> BuildStep | None:
    if not isinstance(given, Mapping):
        return None
    lines = {int(number): str(text) for number, text in dict(given.get("lines", {})).items()}
    return BuildStep(str(given.get("dockerfile", "")), lines)
