"""`rename_package`: a package that newer releases of Debian and Ubuntu call otherwise, or have no more, where apt's
lists are new and do not hold it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from triage.fixes.document import line_end, line_start
from triage.fixes.evaluate.invocation import Call, Invocation
from triage.fixes.evaluate.values import Site
from triage.fixes.recipes.blast import blast_of_calls
from triage.fixes.recipes.commands.scripts import promised
from triage.fixes.recipes.dependencies.system_packages import SystemInstall, system_installs
from triage.fixes.recipes.outcome import Edited, InPlace, Outcome, Words, together
from triage.fixes.recipes.placing import declared_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.refusal import Refusal
from triage.fixes.shell.edits import replace_at, replace_word
from triage.fixes.yaml.scalar_edits import Edits
from triage.model.patch import Expectation, as_promised
from triage.model.recipe import RenamePackage


@dataclass(frozen=True, slots=True)
class Gone:
    """`now` is what brings the same in the releases that lack the package, "" for nothing. Where one of the programs
    `brought` is called, which what is new does not bring, it is only advice."""

    now: str
    brought: tuple[str, ...] = ()


# By the release notes and package archives of Debian 12, 13 and Ubuntu 22.04, 24.04. Names with a version of their own
# (libssl1.1, libdb4.8, python3.8) have no successor that programs built against them could use, and are left out.
GONE = {
    "libgl1-mesa-glx": Gone("libgl1"),
    "libgles2-mesa": Gone("libgles2"),
    "libgles2-mesa-dev": Gone("libgles-dev"),
    "libegl1-mesa": Gone("libegl1"),
    "libegl1-mesa-dev": Gone("libegl-dev"),
    "libglapi-mesa": Gone("libgl1-mesa-dri"),
    "libwayland-egl1-mesa": Gone("libwayland-egl1"),
    "libncurses5-dev": Gone("libncurses-dev"),
    "libncursesw5-dev": Gone("libncurses-dev"),
    "libreadline6-dev": Gone("libreadline-dev"),
    "libreadline-gplv2-dev": Gone("libreadline-dev"),
    "libpng12-dev": Gone("libpng-dev"),
    "libpng16-dev": Gone("libpng-dev"),
    "libjpeg8-dev": Gone("libjpeg-dev"),
    "libtiff5-dev": Gone("libtiff-dev"),
    "libopenblas-base": Gone("libopenblas0"),
    "libatlas-base-dev": Gone("libopenblas-dev"),
    "libsndfile-dev": Gone("libsndfile1-dev"),
    "libgdk-pixbuf2.0-dev": Gone("libgdk-pixbuf-2.0-dev"),
    "libgdk-pixbuf2.0-0": Gone("libgdk-pixbuf-2.0-0"),
    "libmysqlclient-dev": Gone("default-libmysqlclient-dev"),
    "mysql-client": Gone("default-mysql-client"),
    "netcat": Gone("netcat-openbsd"),
    "python": Gone("python-is-python3", ("python2", "python2.7")),
    "python-dev": Gone("python3-dev", ("python2", "python2.7")),
    "python-dev-is-python2": Gone("python-dev-is-python3", ("python", "python2")),
    "python-is-python2": Gone("python-is-python3", ("python", "python2")),
    "python-pip": Gone("python3-pip"),
    "python-setuptools": Gone("python3-setuptools"),
    "python-numpy": Gone("python3-numpy"),
    "python-virtualenv": Gone("python3-virtualenv"),
    "python3-distutils": Gone("python3-setuptools"),
    "policykit-1": Gone("polkitd"),
    "ttf-freefont": Gone("fonts-freefont-ttf"),
    "ttf-dejavu": Gone("fonts-dejavu"),
    "ttf-wqy-zenhei": Gone("fonts-wqy-zenhei"),
    "exa": Gone("eza", ("exa",)),
    "hub": Gone("gh", ("hub",)),
    "libomp-11-dev": Gone("libomp-dev"),
    "aufs-tools": Gone(""),
    "dh-systemd": Gone("debhelper"),
    "youtube-dl": Gone("yt-dlp", ("youtube-dl",)),
    "neofetch": Gone("", ("neofetch",)),
    "software-properties-common": Gone("", ("add-apt-repository", "apt-add-repository")),
    "python-software-properties": Gone("software-properties-common"),
    "apt-transport-https": Gone(""),
    "realpath": Gone(""),
    "multiarch-support": Gone(""),
}


def rename_package(recipe: RenamePackage, here: Situation) -> Outcome:
    package = here.captures.get(recipe.package.strip("{}"), "")
    gone = GONE.get(package)
    if gone is None:
        return Refusal(f"{package} is nothing that releases are known to have dropped or to call otherwise")
    every = [one for one in system_installs(here.concerned) if one.manager == "apt"]
    found = [one for one in every if package in one.packages]
    if not found and any(gone.now in one.packages or not gone.now for one in every):
        return InPlace(f"{here.job.id} installs no {package}" + (f", but {gone.now}" if gone.now else ""))
    if not found:
        return Refusal(f"no command of {here.job.id} installs {package} with apt", here.job.path)
    used = next(_users(here, gone), None)
    if used is not None:
        call = used.calls[-1]
        return Words(f"{call.path}:{call.line} calls what {package} brought: this release has no such package")
    own = {one.invocation.calls[-1].key: one for one in found if one.invocation.calls}
    made = together([_renamed(here, one, package, gone) for one in own.values()])
    return replace(made, title=made.title or _title(package, gone)) if isinstance(made, Edited) else made


def _users(here: Situation, gone: Gone) -> Iterator[Invocation]:
    for one in here.evaluation.invocations:
        if one.calls and any((word.text or "").rpartition("/")[2] in gone.brought for word in one.program[:2]):
            yield one


def _title(package: str, gone: Gone) -> str:
    return f"Install {gone.now} instead of {package}" if gone.now else f"Install no {package}"


def _renamed(here: Situation, one: SystemInstall, package: str, gone: Gone) -> Outcome:
    call = one.invocation.calls[-1]
    word = next((word for word in call.words if word.text == package), None)
    if word is None or len(word.sites) != 1 or word.sites[0].path != call.path or not call.insertable:
        return Refusal(f"{package} is put together where it cannot be replaced", call.path, call.line)
    already = gone.now in one.packages
    if gone.now and not already:
        edits = replace_word(here.tree, word.sites[0], gone.now, why=f"newer releases call {package} so")
    elif len(one.packages) < 2:
        return Words(f"{call.path}:{call.line} installs {package} alone, which this release has no more: take it away")
    else:
        edits = _without(here, call, word.sites[0])
    if isinstance(edits, Refusal):
        return edits
    title = f"Install no {package}" if already else _title(package, gone)
    declared = (declared_at(here, call.path, one.invocation.step),)
    blast = blast_of_calls(here, (call,))
    return Edited(tuple(edits), declared, promised(here, edits) or _kept(here, edits), blast_radius=blast, title=title)


def _without(here: Situation, call: Call, site: Site) -> Edits | Refusal:
    """The word and the blank before it; where it has a line of its own, that line, or what leads to it."""
    data, why = here.tree.read(call.path), "this release has no such package"
    first, last = line_start(data, site.start), line_end(data, site.end)
    rest = data[site.end : last].strip()
    start, end = site.start - 1, site.end
    if not data[first : site.start].strip():
        if rest == b"\\":
            start, end = first - 1, last
        elif not rest:
            start = len(data[:first].rstrip().removesuffix(b"\\").rstrip())
    old = data[start:end].decode("utf-8", "replace")
    if start < call.start or not old[:1].isspace():
        return Refusal("the word has no blank before it", call.path, call.line)
    return replace_at(here.tree, call.path, start, old, "", why=why)


def _kept(here: Situation, edits: Edits) -> tuple[Expectation, ...]:
    """A line that goes leaves no new one: the one before it is promised, which goes on with what came behind."""
    data, at = here.tree.read(edits[0].path), edits[0].start
    line = data[line_start(data, at) : line_end(data, at)]
    return (Expectation("line", as_promised(line), here.target.job, edits[0].path),)
