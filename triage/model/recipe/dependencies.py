"""Recipes about what is installed, from where and at which release: a part of the vocabulary of `recipe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

_STRICT: dict[str, object] = {"extra": "forbid"}

# In a pin, the first number of the release that the log lists: `<{installed_major}` keeps its whole series out.
INSTALLED_MAJOR = "installed_major"


@dataclass(frozen=True, slots=True)
class PipInstall:
    """Provide the distribution of import `module` (a capture), or `distribution`, as the repository itself names it;
    or that of `program` (a capture), a command that was not found;
    or the plugins of pytest that have what the capture `plugin` holds: options, or a fixture. With `reviewed`, the
    signature stands for `distribution` where the repository does not name it."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["pip_install"] = "pip_install"
    module: str = ""
    distribution: str = ""
    plugin: str = ""
    program: str = ""
    reviewed: bool = False
    # "file": `-r` of the requirements file that provides it; "pinned": the one distribution, pinned, `--no-deps`.
    form: Literal["file", "pinned", "extra"] = "file"
    # Before the command that builds without isolation: what a build lacks comes too late behind it.
    ahead: bool = False
    # The distribution for one release of which `distribution` is built: it comes in the command that pins that one.
    coinstall: str = ""
    # `module` is a name that is not defined: its module, where the file that misses it imports that and lets it fail.
    guarded: bool = False


@dataclass(frozen=True, slots=True)
class SystemPackage:
    """Install the package of the system that brings `needed` (a capture): a program, a shared library, a header, or
    what CMake looks for, by the reviewed table; with what the job or the image installs of that kind already."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    needed: str
    recipe: Literal["system_package"] = "system_package"


@dataclass(frozen=True, slots=True)
class PipPin:
    """Hold `distribution`, or what provides the import `module`, at `spec`.

    `<{installed}` keeps a release out that came in by itself and broke the job: refused where the repository already
    holds the distribution. `other` is the module (a capture) that does not fit it: where the repository lets both of
    them float, a private module points to its own package, and else nothing says which one moved.
    `only_named`: where nothing that the job installs names the distribution, it is none of its matter.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    distribution: str = ""
    spec: str = ""
    recipe: Literal["pip_pin"] = "pip_pin"
    from_spec: str = ""
    comment: str = ""
    module: str = ""
    other: str = ""
    only_named: bool = False


@dataclass(frozen=True, slots=True)
class HoldMoved:
    """Hold the one package that came in anew, of those whose code the failure's traceback passes: built from the newest
    commit of its repository, or a release that nothing in the repository keeps out."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["hold_moved"] = "hold_moved"


@dataclass(frozen=True, slots=True)
class PipUninstall:
    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    distribution: str
    recipe: Literal["pip_uninstall"] = "pip_uninstall"


@dataclass(frozen=True, slots=True)
class PipWiden:
    """Let the repository's bound on `distribution` also admit what another package asks for: `bounds`, or `held` where
    the bounds are the repository's own, and `other`, the one that `held` is about, is the same. All are captures."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    distribution: str
    bounds: str
    held: str = ""
    other: str = ""
    recipe: Literal["pip_widen"] = "pip_widen"


@dataclass(frozen=True, slots=True)
class PipRelease:
    """Install a release of what the exact pin `requirement` names, where the index has no such version: of those
    `listed`, the one that a development version became, else the next patch of its series. A lower bound goes down to
    the newest `listed` one where pip left others out for the Python that the project says it is for: `excluded`. All
    are captures."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    requirement: str
    listed: str
    excluded: str = ""
    recipe: Literal["pip_release"] = "pip_release"


@dataclass(frozen=True, slots=True)
class RepairRequirement:
    """Mend a slip in `requirement` (a capture), which no installer can read, where only one reading makes sense."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    requirement: str
    recipe: Literal["repair_requirement"] = "repair_requirement"


@dataclass(frozen=True, slots=True)
class BuildRequires:
    """Declare that the repository's own setup.py needs `module` (a capture) before anything of it is installed."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    module: str
    recipe: Literal["build_requires"] = "build_requires"


@dataclass(frozen=True, slots=True)
class OwnRequirement:
    """Require always what provides `module`, which the repository's own package imports whenever it is imported, and
    which only an extra names. `importer` is the file that imports it. Both are captures."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    module: str
    importer: str
    recipe: Literal["own_requirement"] = "own_requirement"


@dataclass(frozen=True, slots=True)
class CopySource:
    """Take `distribution` (a capture) from the index of `[tool.uv.sources]` from which its companions come."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    distribution: str
    recipe: Literal["uv_source"] = "uv_source"


@dataclass(frozen=True, slots=True)
class HoldReplaced:
    """Keep `distribution` at the release that was there before a later install of the job moved it: at what drew the
    other one in, or where it is asked for by name, with what is built for one release of it."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    distribution: str
    recipe: Literal["hold_replaced"] = "hold_replaced"


@dataclass(frozen=True, slots=True)
class HoldTool:
    """Run the linter that the failed step takes in its newest release at the one that the lint configuration holds."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["hold_tool"] = "hold_tool"


@dataclass(frozen=True, slots=True)
class HookDependency:
    """Give a pre-commit hook the `program` or module (a capture) that its own environment lacks."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    program: str
    hook: str = ""
    recipe: Literal["hook_dependency"] = "hook_dependency"


@dataclass(frozen=True, slots=True)
class FitPython:
    """A Python that a project's metadata refuses becomes one that it takes. Captures: `python`, which ran, and
    `wanted`, the bounds that it misses."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    python: str
    wanted: str
    recipe: Literal["fit_python"] = "fit_python"


@dataclass(frozen=True, slots=True)
class AskForNewest:
    """Ask for the release that pip tried first, of the one distribution that the job names without a lower bound that
    keeps out the old ones to which pip went back."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["ask_for_newest"] = "ask_for_newest"


@dataclass(frozen=True, slots=True)
class OlderPip:
    """An older pip before the install whose metadata this one refuses. Captures: `requirement`, what is installed, and
    `bound`, which pip takes it: "<24.1"."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    requirement: str
    bound: str
    recipe: Literal["older_pip"] = "older_pip"


@dataclass(frozen=True, slots=True)
class HoldBuild:
    """Hold the torch of `[build-system] requires` at the installed release, which is for the CUDA of the compiler:
    `toolkit` (a capture), "11.8"."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    toolkit: str
    recipe: Literal["hold_build"] = "hold_build"


@dataclass(frozen=True, slots=True)
class HoldCalled:
    """Hold the package whose class `owner` (a capture), called by the repository's own code, takes no `argument`."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    owner: str
    argument: str = ""
    recipe: Literal["hold_called"] = "hold_called"


@dataclass(frozen=True, slots=True)
class HookRevision:
    """Take the hooks of `repository` (a capture, or "owner/name") at a tag that pre-commit can install."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    repository: str
    recipe: Literal["hook_revision"] = "hook_revision"


@dataclass(frozen=True, slots=True)
class DeepClone:
    """Clone the whole history of the repository of which the failed step, or build, checks `revision` (a capture)
    out. `checkout`: the job's own checkout is the clone."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    revision: str
    checkout: bool = False
    recipe: Literal["deep_clone"] = "deep_clone"


@dataclass(frozen=True, slots=True)
class ExtraIndex:
    """Another index beside those that the failed install reads. `instead_of` (a capture): only where it reads this one
    and no other, which becomes one more beside pip's default. `processors`: the index of torch's builds without CUDA,
    where neither the machine nor the image has a GPU."""

    __pydantic_config__: ClassVar[dict[str, object]] = _STRICT
    recipe: Literal["extra_index"] = "extra_index"
    instead_of: str = ""
    package: str = ""
    processors: bool = False


OfDependencies = (
    AskForNewest
    | BuildRequires
    | CopySource
    | DeepClone
    | ExtraIndex
    | FitPython
    | HoldBuild
    | HoldCalled
    | HoldMoved
    | HoldReplaced
    | HoldTool
    | HookDependency
    | HookRevision
    | OlderPip
    | OwnRequirement
    | PipInstall
    | PipPin
    | PipRelease
    | PipUninstall
    | PipWiden
    | RepairRequirement
    | SystemPackage
)
