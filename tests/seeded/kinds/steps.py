"""What surrounds a step: its variables, the permissions of its token, the inputs of its action, its limit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import yaml

from tests.seeded.seed import Seed
from tests.seeded.site import HOME, SHELL, Job, Site
from tests.seeded.text import Entry, Text, misspelt, of_scripts, read

_GH = re.compile(r"(?m)(?:^|[\s(;&])gh (?:api|issue|label|pr|release|run|workflow) ")


def token_of_gh(site: Site) -> Iterator[Seed]:
    """`GH_TOKEN` of a step that calls gh."""
    for job, number, text, env in of_scripts(site, "env"):
        found = text.entry(env[1], "GH_TOKEN")
        held = {"GH_TOKEN", "GITHUB_TOKEN"} & set(job.env) or text.entry(env[1], "GITHUB_TOKEN")
        if found and not held and _GH.search(str(job.steps[number].get("run", ""))):
            words = (
                "gh: To use GitHub CLI in a GitHub Actions workflow, set the GH_TOKEN environment variable. Example:",
                "  env:",
                "    GH_TOKEN: ${{ github.token }}",
            )
            yield Seed(job, number, {job.workflow: text.without_one(env, found).encode()}, words, "GH_TOKEN", code=4)


def variable(site: Site) -> Iterator[Seed]:
    """A variable that a Python script of the tree demands, and that another step of the tree gives the same value."""
    given = _given(site)
    for job, number, text, env in of_scripts(site, "env"):
        script = re.search(r"python3? ([\w./-]+\.py)", str(job.steps[number].get("run", "")))
        path = script[1] if script else ""
        if path not in site.tree:
            continue
        for name, value in text.entries(env[1]):
            asked = re.search(rf"os\.environ\[[\"']{re.escape(name.value)}[\"']\]", site.text(path))
            same = isinstance(value, yaml.ScalarNode) and given.count((name.value, value.value)) > 1
            if asked and same and name.value not in job.env and not name.value.startswith("GITHUB_"):
                at = site.text(path)[: asked.start()].count("\n")
                words = (
                    "Traceback (most recent call last):",
                    f'  File "{HOME}/{path}", line {at + 1}, in <module>',
                    f"    {site.text(path).splitlines()[at].strip()}",
                    '  File "<frozen os>", line 685, in __getitem__',
                    f"KeyError: '{name.value}'",
                )
                spoilt = text.without_one(env, (name, value)).encode()
                yield Seed(job, number, {job.workflow: spoilt}, words, name.value)


def _given(site: Site) -> list[tuple[str, str]]:
    steps = [step.get("env") for job in site.jobs for step in job.steps]
    return [(str(name), str(value)) for env in steps if isinstance(env, dict) for name, value in env.items()]


# What a step needs of its token, by its action or a command: the scope, the exit code and the words.
_HTTP = "Resource not accessible by integration"
_REST = "https://docs.github.com/rest"
_UNSET = (
    "OpenID Connect token retrieval failed: GitHub: missing or insufficient OIDC token permissions, the"
    " ACTIONS_ID_TOKEN_REQUEST_TOKEN environment variable was unset"
)
_MEANT = (
    "It looks like you might be trying to authenticate with OIDC. Did you mean to set the `id-token` permission? If you are"
    " not trying to authenticate with OIDC and the action is working successfully, you can ignore this message."
)
_LOADED = "##[error]Credentials could not be loaded, please check your action inputs: Could not"
_NEEDS: Sequence[tuple[str, str, int, tuple[str, ...]]] = (
    (
        r"gh pr (?:comment|edit|review)\b",
        "pull-requests",
        1,
        ("GraphQL: Resource not accessible by integration (addComment)",),
    ),
    (r"gh pr create\b", "pull-requests", 1, ("pull request create failed: GraphQL: {0} (createPullRequest)",)),
    (r"gh issue create\b", "issues", 1, ("GraphQL: Resource not accessible by integration (createIssue)",)),
    (
        r"gh release (?:create|upload)\b",
        "contents",
        1,
        ("HTTP 403: {0} (https://api.github.com/repos/repo/repo/releases)",),
    ),
    (
        r"(?m)^\s*git push\b",
        "contents",
        128,
        (
            "remote: Permission to repo/repo.git denied to github-actions[bot].",
            "fatal: unable to access 'https://github.com/repo/repo/': The requested URL returned error: 403",
        ),
    ),
    (
        r"\Ause softprops/action-gh-release@",
        "contents",
        1,
        ("##[error]{0} - {1}/releases/releases#create-a-release",),
    ),
    (
        r"\Ause github/codeql-action/(?:analyze|upload-sarif)@",
        "security-events",
        1,
        ("##[error]{0} - {1}/code-scanning/code-scanning#upload-an-analysis-as-sarif-data",),
    ),
    (
        r"\Ause actions/labeler@",
        "pull-requests",
        1,
        ("##[error]HttpError: {0} - {1}/issues/labels#set-labels-for-an-issue",),
    ),
    (r"\Ause actions/stale@", "issues", 1, ("##[error]{0} - {1}/issues/comments#create-an-issue-comment",)),
    (r"\Ause pypa/gh-action-pypi-publish@", "id-token", 1, ("##[error]Trusted publishing exchange failure:", _UNSET)),
    (
        r"\Ause aws-actions/configure-aws-credentials@",
        "id-token",
        1,
        (_MEANT, f"{_LOADED} load credentials from any providers"),
    ),
    (
        r"\Ause actions/deploy-pages@",
        "id-token",
        1,
        ('##[error]Error: Ensure GITHUB_TOKEN has permission "id-token: write".',),
    ),
)


def permission(site: Site) -> Iterator[Seed]:
    """A scope that a step needs is taken out of `permissions`, of the job or else of the workflow."""
    for job in site.jobs:
        text = read(site.text(job.workflow))
        own = text.entry(text.root, "jobs", job.id, "permissions") if text else None
        block = own or (text.entry(text.root, "permissions") if text else None)
        entries = list(text.entries(block[1])) if text and block else []
        if len(entries) < 2:
            continue
        for number, step in enumerate(job.steps):
            what = str(step.get("run") or f"use {step.get('uses', '')}")
            for command, scope, code, words in _NEEDS:
                found = next((one for one in entries if one[0].value == scope and one[1].value == "write"), None)
                if not found or not re.search(command, what) or not _default_token(step, job):
                    continue
                if scope == "id-token" and not _by_oidc(step):
                    continue
                lines = tuple(one.replace("{0}", _HTTP).replace("{1}", _REST) for one in words)
                spoilt = text.without(found).encode()
                yield Seed(job, number, {job.workflow: spoilt}, lines, f"{scope}: {what[:40]!r}", code=code)


def _default_token(step: Mapping[str, object], job: Job) -> bool:
    """Whether the step is given no token of its own."""
    texts = [str(step.get("env") or ""), str(step.get("with") or ""), str(step.get("run") or ""), str(job.env)]
    checkout = next((str(one.get("with") or "") for one in job.steps if "checkout@" in str(one.get("uses"))), "")
    secrets = re.findall(r"secrets\.(\w+)|(app-token|generate)", " ".join([*texts, checkout]))
    return all(name == "GITHUB_TOKEN" for name, _ in secrets)


def _by_oidc(step: Mapping[str, object]) -> bool:
    given = step.get("with")
    names = set(given) if isinstance(given, dict) else set()
    return not {"password", "aws-access-key-id"} & names and (
        "role-to-assume" in names or "aws" not in str(step.get("uses"))
    )


# Actions with the inputs that they demand, and some that they know.
_DEMANDS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "actions/cache": (("path", "key"), ("path", "key", "restore-keys", "upload-chunk-size", "fail-on-cache-miss")),
    "actions/cache/restore": (("path", "key"), ("path", "key", "restore-keys", "fail-on-cache-miss", "lookup-only")),
    "actions/upload-artifact": (
        ("path",),
        ("name", "path", "if-no-files-found", "retention-days", "compression-level", "overwrite"),
    ),
    "actions/github-script": (("script",), ("script", "github-token", "debug", "user-agent", "result-encoding")),
    "actions/setup-java": (("distribution",), ("java-version", "java-version-file", "distribution", "cache")),
    "aws-actions/configure-aws-credentials": (("aws-region",), ("aws-region", "role-to-assume", "role-session-name")),
}


def input_misspelt(site: Site) -> Iterator[Seed]:
    """An input that the action demands, with a slip in its name."""
    for job, number, text, given, found, known in _inputs(site):
        wrong = misspelt(found[0].value)
        listed = ", ".join(f"'{one}'" for one in known)
        words = (
            f"##[warning]Unexpected input(s) '{wrong}', valid inputs are [{listed}]",
            f"##[error]Input required and not supplied: {found[0].value}",
        )
        if len(found[0].value) > 3 and given:
            yield Seed(job, number, {job.workflow: text.with_scalar(found[0], wrong).encode()}, words, wrong)


def input_out(site: Site) -> Iterator[Seed]:
    """An input that the action demands is taken out, where all other uses of the action have one and the same."""
    every = list(_inputs(site))
    for job, number, text, given, found, _known in every:
        action = str(job.steps[number]["uses"]).partition("@")[0]
        others = [
            one[4][1].value
            for one in every
            if str(one[0].steps[one[1]]["uses"]).partition("@")[0] == action
            and one[4][0].value == found[0].value
            and (one[0], one[1]) != (job, number)
        ]
        if isinstance(found[1], yaml.ScalarNode) and others and set(map(str, others)) == {found[1].value}:
            words = (f"##[error]Input required and not supplied: {found[0].value}",)
            spoilt = text.without_one(given, found).encode()
            yield Seed(job, number, {job.workflow: spoilt}, words, found[0].value)


def _inputs(site: Site) -> Iterator[tuple[Job, int, Text, Entry, Entry, Sequence[str]]]:
    for job in site.jobs:
        text = read(site.text(job.workflow))
        for number, step in enumerate(job.steps):
            demanded, known = _DEMANDS.get(str(step.get("uses", "")).partition("@")[0], ((), ()))
            given = text.of_step(job, number, "with") if text and demanded else None
            for name in demanded if text and given else ():
                found = text.entry(given[1], name)
                if found:
                    yield job, number, text, given, found, known


def version(site: Site) -> Iterator[Seed]:
    """`3.10` without its quotes, which is 3.1."""
    for job in site.jobs:
        text = read(site.text(job.workflow))
        for number, step in enumerate(job.steps):
            if not text or not str(step.get("uses", "")).startswith("actions/setup-python@"):
                continue
            found = text.of_step(job, number, "with", "python-version")
            nodes = [found[1]] if found else []
            axis = re.fullmatch(r"\$\{\{ *matrix\.([\w-]+) *\}\}", str(found[1].value)) if found else None
            if axis:
                listed = text.entry(text.root, "jobs", job.id, "strategy", "matrix", axis[1])
                nodes = list(listed[1].value) if listed and isinstance(listed[1], yaml.SequenceNode) else []
            for node in nodes:
                if isinstance(node, yaml.ScalarNode) and node.value == "3.10" and node.style in ("'", '"'):
                    words = ("##[error]The version '3.1' with architecture 'x64' was not found for Ubuntu 24.04.",)
                    yield Seed(job, number, {job.workflow: text.with_scalar(node, "3.10").encode()}, words, "3.10")


def step_limit(site: Site) -> Iterator[Seed]:
    """`timeout-minutes` of a step at two thirds."""
    for job in site.jobs:
        text = read(site.text(job.workflow))
        for number, step in enumerate(job.steps):
            limit = step.get("timeout-minutes")
            found = text.of_step(job, number, "timeout-minutes") if text and isinstance(limit, int) else None
            if text and found and limit > 5:
                short, name = limit * 2 // 3, str(step.get("name") or f"Run {step.get('run', '')}".split("\n")[0])
                words = (f"##[error]The action '{job.filled(name)}' has timed out after {short} minutes.",)
                spoilt = text.with_scalar(found[1], str(short)).encode()
                yield Seed(job, number, {job.workflow: spoilt}, words, f"{limit} -> {short}")


def command_limit(site: Site) -> Iterator[Seed]:
    """`timeout N command` at two thirds."""
    for job, number, text, run in of_scripts(site, "run"):
        for at, line in text.script(run[1]):
            found = re.match(r"\s*timeout (?:-\S+ |--\S+ )*(\d+)([smh]?) (\S+)", line)
            if not found or int(found[1]) < 10 or "||" in line or line.rstrip().endswith("\\"):
                continue
            short = str(int(found[1]) * 2 // 3)
            spoilt = text.with_line(at, text.line(at).replace(f" {found[1]}{found[2]} ", f" {short}{found[2]} ", 1))
            words = ("collected 214 items", "tests/test_one.py .......... [ 26%]")
            yield Seed(job, number, {job.workflow: spoilt.encode()}, words, line.strip(), code=124)


def without_shell(site: Site) -> Iterator[Seed]:
    """`bash x.sh` whose `bash` is gone, of a file that is not executable."""
    for job, number, text, run in of_scripts(site, "run"):
        step = job.steps[number]
        for place, (at, line) in enumerate(text.script(run[1]), start=1):
            found = re.match(r"\s*bash (?P<path>(?:\./)?[\w./-]+\.sh)\b", line)
            path = found["path"].removeprefix("./") if found else ""
            if path not in site.tree or "cd " in step["run"] or step.get("working-directory"):
                continue
            if re.search(rf"chmod \+x \S*{re.escape(path.rpartition('/')[2])}", str(job.body)):
                continue
            spoilt = text.with_line(at, text.line(at).replace(f"bash {found['path']}", f"./{path}", 1))
            words = (f"{SHELL}: line {place}: ./{path}: Permission denied",)
            yield Seed(job, number, {job.workflow: spoilt.encode()}, words, path, code=126)
