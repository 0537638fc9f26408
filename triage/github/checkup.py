"""Asks GitHub for everything that triage will need, one small request each, and says what is refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import urlsplit

from triage.errors import GitHubError
from triage.github.adapter import GitHub
from triage.github.blobs import Broken, Missing
from triage.github.replies import ApiError
from triage.github.runs import RunFilter
from triage.model.checkup import Finding, State
from triage.model.run import Job

_PROXIES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
_AUTHORITIES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")
_FEW = 200
_GET_A_TOKEN = (
    "Set GH_TOKEN to one with `actions: read`, from the site's Settings, Developer settings, Personal access tokens"
)
_AND_GH = "; or run `gh auth login`."
IN_A_REPOSITORY = "runs, logs, annotations, pull requests, contents, configuration"
OF_A_REPOSITORY = f"repository, {IN_A_REPOSITORY}"


def examine(github: GitHub, environ: Mapping[str, str]) -> Iterator[Finding]:
    """One finding after the other, in the order in which a fault would stop triage. Raises only Cancelled."""
    server = list(examine_server(github, environ))
    yield from server
    problems = {finding.subject for finding in server if finding.state is State.PROBLEM}
    if "GitHub" in problems:
        yield Finding("skipped", State.NOTE, f"{OF_A_REPOSITORY}: GitHub has to answer first")
        return
    if "token" in problems and not github.credentials.anonymous:
        yield Finding("skipped", State.NOTE, f"{OF_A_REPOSITORY}: the token has to be accepted first")
        return
    repository = _asked("repository", lambda: _repository(github))
    yield repository
    if repository.state is State.PROBLEM:
        # Everything below would say the same once more, and a 404 there may mean that a thing is absent.
        yield Finding("skipped", State.NOTE, f"{IN_A_REPOSITORY}: the repository has to be found first")
        return
    yield from _logs(github)
    yield _asked("pull requests", lambda: _readable(github, "pulls?per_page=1", f"the pull requests of {github.repo}"))
    yield _asked(
        "contents", lambda: _readable(github, "contents/.github", f"the folder .github of {github.repo}", absent="none")
    )


def examine_server(github: GitHub, environ: Mapping[str, str]) -> Iterator[Finding]:
    """What can be asked before any repository is named: the address, the limits and the token."""
    yield _connection(github, environ)
    try:
        yield _limits(github)
    except ApiError as fault:
        if fault.status != 401 or github.credentials.anonymous:
            yield Finding("GitHub", State.PROBLEM, fault.message, fault.remedy)
            yield _token(github, answers=False)
            return
        yield Finding("GitHub", State.OK, "answers")
        yield Finding("token", State.PROBLEM, f"refused by GitHub (401: {fault.said})", fault.remedy)
    except GitHubError as fault:
        yield Finding("GitHub", State.PROBLEM, fault.message, fault.remedy)
        yield _token(github, answers=False)
    else:
        yield _token(github, answers=True)


def _connection(github: GitHub, environ: Mapping[str, str]) -> Finding:
    """Names of variables only: a proxy's address may hold a password."""
    used = [name for name in (*_PROXIES, *_AUTHORITIES) if environ.get(name)]
    through = f", with {', '.join(used)}" if used else ""
    return Finding("address", State.OK, f"{github.api_url}{through}")


def _limits(github: GitHub) -> Finding:
    github.client.get("/rate_limit", "the limits")
    left = github.allowance()
    if left.remaining is None:
        return Finding("GitHub", State.OK, "answers; it sets no limits")
    until = f" until {left.resets_at:%H:%M} UTC" if left.resets_at else ""
    detail = f"answers; {left.remaining} requests left{until}"
    if left.remaining < _FEW:
        return Finding("GitHub", State.NOTE, detail, "A large run needs more: wait, or use a token of your own.")
    return Finding("GitHub", State.OK, detail)


def _token(github: GitHub, answers: bool) -> Finding:
    if github.credentials.anonymous:
        return Finding(
            "token",
            State.PROBLEM,
            "none: GitHub gives job logs to nobody without one",
            _GET_A_TOKEN + (_AND_GH if shutil.which("gh") else "."),
        )
    if not answers:
        return Finding("token", State.NOTE, f"from {github.credentials.source}; not tried: see GitHub above")
    try:
        return Finding("token", State.OK, f"from {github.credentials.source}, as {github.comments.viewer()}")
    except GitHubError as fault:
        return Finding("token", State.NOTE, f"from {github.credentials.source}; its name is not told", fault.remedy)


def _repository(github: GitHub) -> Finding:
    found = github.contents.repository()
    kind = "private" if found.private else "public"
    return Finding("repository", State.OK, f"{found.name}, {kind}, default branch {found.default_branch}")


def _logs(github: GitHub) -> Iterator[Finding]:
    """Runs, then the log and the annotations of one finished job: they need permissions and hosts of their own."""
    jobs: list[Job] = []

    def newest() -> Finding:
        runs = list(github.runs.list(RunFilter(status="completed"), 1))
        jobs.extend(job for run in runs for job in github.jobs(run) if job.status == "completed")
        return Finding("runs", State.OK, f"readable; the newest is {runs[0].id}" if runs else "readable; there is none")

    yield _asked("runs", newest)
    job = next((job for job in jobs if job.conclusion in ("success", "failure")), None)
    if job is None:
        return
    yield _asked("logs", lambda: _log(github, job))
    path = f"check-runs/{job.id}/annotations?per_page=1"
    yield _asked("annotations", lambda: _readable(github, path, "annotations"), vital=False)


def _log(github: GitHub, job: Job) -> Finding:
    try:
        address = github.logs.address(job)
    except ApiError as fault:
        if fault.status in (404, 410):
            return Finding("logs", State.NOTE, f"the log of job {job.id} is gone, so the store was not tried")
        raise
    match github.blobs.probe(address):
        case None:
            return Finding("logs", State.OK, f"readable, from {urlsplit(address).hostname}")
        case Missing(status, code):
            return Finding("logs", State.NOTE, f"{urlsplit(address).hostname} answers {status} {code}".strip())
        case Broken(detail):
            remedy = "A proxy or firewall may allow GitHub's API only: allow this host too."
            return Finding("logs", State.PROBLEM, f"{urlsplit(address).hostname}: {detail}", remedy)


def _readable(github: GitHub, path: str, what: str, absent: str = "") -> Finding:
    try:
        github.client.get(f"/repos/{github.repo}/{path}", what)
    except ApiError as fault:
        if fault.status == 404 and absent:
            return Finding("contents", State.OK, f"readable; the folder .github: {absent}")
        raise
    return Finding(path.partition("/")[0].partition("?")[0].replace("pulls", "pull requests"), State.OK, "readable")


def _asked(subject: str, ask: Callable[[], Finding], vital: bool = True) -> Finding:
    try:
        found = ask()
        return Finding(subject, found.state, found.detail, found.remedy)
    except GitHubError as fault:
        return Finding(subject, State.PROBLEM if vital else State.NOTE, fault.message, fault.remedy)
