"""What a job builds from the newest commit of another repository, and how to hold it: a checkout, or a `@revision`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.values import Value
from triage.fixes.recipes.dependencies.installs import Install, installs, verb_at
from triage.fixes.recipes.situation import Situation
from triage.fixes.requirements import normalised

# What does not move: a commit, or a tag that looks like a release.
REVISION = r"(?:[0-9a-f]{7,40}|v?[0-9]+(?:\.[0-9]+)+[\w.+-]*)"
_FIXED = re.compile(rf"{REVISION}\Z")
_URL = re.compile(
    r"(?:git\+)?(?:https?|ssh)://(?:[^/@\s]*@)?([\w.-]+/[\w./-]+?)(?:\.git)?/?(?:@([^\s#\"']*))?(?:#\S*)?\Z"
)
_TAKES = ("-b", "--branch", "--depth", "-o", "--origin", "-j", "--jobs", "-c", "--config", "--reference")
_MOVES = (["checkout"], ["reset"], ["switch"])


@dataclass(frozen=True, slots=True)
class Clone:
    """`git clone` of `url` ("github.com/owner/name") into `folder`, which the job installs with `install`.

    `held` is the revision that is checked out afterwards, "" for none; `branch` that of `-b`.
    """

    invocation: Invocation
    url: str
    folder: str
    install: Install
    # The first command that runs inside of the folder.
    first: Invocation
    held: str = ""
    branch: str = ""


@dataclass(frozen=True, slots=True)
class Built:
    """The word of an install command that names a git repository; `held` is its `@revision`, "" for none."""

    install: Install
    word: Value
    url: str
    held: str = ""


def fixed(revision: str) -> bool:
    """Whether it names one commit for good, and no branch."""
    return bool(_FIXED.match(revision))


def repository_of(text: str) -> tuple[str, str]:
    """`host/owner/name` in small letters and the revision behind `@`; "" for what is no address of a repository."""
    found = _URL.match(text)
    return (found[1].lower(), found[2] or "") if found else ("", "")


def clones(here: Situation, name: str) -> tuple[Clone, ...]:
    """Clones of the repository that the distribution is called after, where the job installs them."""
    every = [one for one in here.evaluation.invocations if one.calls and not one.substitution]
    found: dict[tuple[str, int], Clone] = {}
    for at, one in enumerate(every):
        words = [value.text or "" for value in one.program[:4]]
        if "clone" in words[1:] and posixpath.basename(words[0]) == "git":
            made = _clone(one, every[at + 1 :])
            if made is not None and called_after(made.url, name):
                found.setdefault(one.calls[-1].key, made)
    return tuple(found.values())


def called_after(url: str, name: str) -> bool:
    return normalised(url.rpartition("/")[2]) == normalised(name)


def _clone(one: Invocation, later: Sequence[Invocation]) -> Clone | None:
    words = [value.text or "" for value in one.program]
    if one.directory is None:
        return None
    places, branch = _positional(words[words.index("clone") + 1 :])
    url = repository_of(places[0])[0] if places else ""
    if not url:
        return None
    folder = posixpath.normpath(posixpath.join(one.directory, (places[1:] or [url.rpartition("/")[2]])[0]))
    inside = [other for other in later if other.directory == folder]
    into = [other for other in installs(later) if _installs(other, folder)]
    if not into:
        return None
    moved = [revision for other in later if (revision := _moved_to(other, folder))]
    first = inside[0] if inside else into[0].invocation
    return Clone(one, url, folder, into[0], first, moved[-1] if moved else "", branch)


def _positional(words: Sequence[str]) -> tuple[list[str], str]:
    """What is no option, and the branch."""
    places, branch, before = [], "", ""
    for word in words:
        if before in ("-b", "--branch"):
            branch = word or "?"
        elif word.startswith("--branch="):
            branch = word.partition("=")[2] or "?"
        elif not word.startswith("-") and before not in _TAKES:
            places.append(word)
        before = word
    return places, branch


def _installs(install: Install, folder: str) -> bool:
    return folder in install.projects or (install.local and install.invocation.directory == folder)


def _moved_to(invocation: Invocation, folder: str) -> str:
    """What `git checkout` in the folder, or `git -C folder checkout`, names; "" for other commands."""
    words = [value.text or "" for value in invocation.program]
    if len(words) < 3 or posixpath.basename(words[0]) != "git" or invocation.directory is None:
        return ""
    place, words = (words[2], words[2:]) if words[1] == "-C" else (".", words)
    if posixpath.normpath(posixpath.join(invocation.directory, place)) != folder or words[1:2] not in _MOVES:
        return ""
    return next((word for word in words[2:] if not word.startswith("-")), "")


def built(here: Situation, name: str) -> tuple[Built, ...]:
    """Words such as `git+https://host/owner/name.git` and `name @ git+https://...` of the job's install commands."""
    return tuple(one for install in installs(here.evaluation.invocations) for one in _words(install, name))


def _words(install: Install, name: str) -> Iterator[Built]:
    words = [value.text or "" for value in install.invocation.argv]
    for value in install.invocation.argv[verb_at(words, install.verb) + 1 :]:
        title, sign, rest = (value.text or "").rpartition("git+")
        url, revision = repository_of(rest) if sign else ("", "")
        named = title.partition("@")[0].partition("[")[0].strip() or rest.partition("#egg=")[2].partition("[")[0]
        if url and (normalised(named) == normalised(name) if named else called_after(url, name)):
            yield Built(install, value, url, revision)
