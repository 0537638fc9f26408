"""Runs, attempts, jobs, logs, artifacts, reruns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from triage.demo.server import payloads
from triage.demo.server.routing import Place, Request, Response, Route, failure, invalid, missing, paged, route
from triage.demo.server.world import Delayed, LogState, created
from triage.model.run import FAILED_CONCLUSIONS, Job, Run

# With any filter, GitHub lists this many runs and is silent about the others.
CAP = 1000
_FILTERS = ("actor", "branch", "check_suite_id", "created", "event", "head_sha", "status")


def list_runs(place: Place, request: Request, workflow_id: str = "", **_: str) -> Response:
    known = [run for run in place.world.latest_runs() if _of_workflow(run, workflow_id)]
    for name, test in _TESTS.items():
        value = request.query.get(name)
        if value:
            try:
                known = [run for run in known if test(run, value)]
            except ValueError:
                return invalid(f"{name} is not valid")
    filtered = any(request.query.get(name) for name in _FILTERS)
    listed = known[:CAP] if filtered else known
    return paged(request, listed, lambda run: payloads.run(request.base, place.world, run), "workflow_runs", len(known))


def _of_workflow(run: Run, workflow: str) -> bool:
    return workflow in ("", str(run.workflow_id), run.workflow_path.rpartition("/")[2])


def _in_window(run: Run, window: str) -> bool:
    """`A..B`, `>=A`, `<=B`, and a day alone; both ends count, in whole seconds."""
    moment = created(run).replace(microsecond=0)
    if ".." in window:
        first, last = window.split("..", 1)
        return _moment(first) <= moment <= _moment(last)
    if window.startswith(">="):
        return moment >= _moment(window[2:])
    if window.startswith("<="):
        return moment <= _moment(window[2:])
    return moment.date() == _moment(window).date()


def _moment(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


_TESTS: dict[str, Callable[[Run, str], bool]] = {
    "actor": lambda run, value: run.actor == value,
    "branch": lambda run, value: run.head_branch == value,
    "event": lambda run, value: run.event == value,
    "status": lambda run, value: value in (run.status, run.conclusion),
    "head_sha": lambda run, value: run.head_sha == value,
    "created": _in_window,
}


def get_run(place: Place, request: Request, run_id: str, attempt_number: str = "", **_: str) -> Response:
    run = _run(place, run_id, attempt_number)
    return Response(200, payloads.run(request.base, place.world, run)) if run else missing()


def _run(place: Place, run_id: str, attempt: str = "") -> Run | None:
    if not run_id.isdecimal() or (attempt and not attempt.isdecimal()):
        return None
    return place.world.attempt(int(run_id), int(attempt) if attempt else None)


def attempt_jobs(place: Place, request: Request, run_id: str, attempt_number: str, **_: str) -> Response:
    run = _run(place, run_id, attempt_number)
    return _jobs(place, request, place.world.jobs.get((run.id, run.attempt), [])) if run else missing()


def run_jobs(place: Place, request: Request, run_id: str, **_: str) -> Response:
    run = _run(place, run_id)
    if run is None:
        return missing()
    if request.query.get("filter", "latest") == "all":
        found = [job for (number, _), jobs in sorted(place.world.jobs.items()) if number == run.id for job in jobs]
        return _jobs(place, request, list({job.id: job for job in found}.values()))
    return _jobs(place, request, place.world.jobs.get((run.id, run.attempt), []))


def _jobs(place: Place, request: Request, jobs: list[Job]) -> Response:
    return paged(request, jobs, lambda job: payloads.job(request.base, place.world, job), "jobs")


def get_job(place: Place, request: Request, job_id: str, **_: str) -> Response:
    job = place.world.job(int(job_id)) if job_id.isdecimal() else None
    return Response(200, payloads.job(request.base, place.world, job)) if job else missing()


def job_log(place: Place, request: Request, job_id: str, **_: str) -> Response:
    job = place.world.job(int(job_id)) if job_id.isdecimal() else None
    if job is None:
        return missing()
    log = place.world.logs.get(job.id, LogState.ABSENT)
    if isinstance(log, Delayed):
        log.calls -= 1
        log = log.content if log.calls < 0 else LogState.ABSENT
    match log:
        case LogState.ABSENT:
            return missing()
        case LogState.EXPIRED:
            return failure(410, "Server Error")
        case LogState.FORBIDDEN:
            needed = {"X_Accepted_GitHub_Permissions": "actions=read"}
            return failure(403, "Resource not accessible by personal access token", **needed)
        case LogState.NEVER_UPLOADED:
            return Response(302, None, {"Location": place.store.address(f"logs/{job.id}.txt", None)})
        case content:
            return Response(302, None, {"Location": place.store.address(f"logs/{job.id}.txt", content)})


def archive(place: Place, request: Request, run_id: str, attempt_number: str = "", **_: str) -> Response:
    run = _run(place, run_id, attempt_number)
    content = place.world.archives.get((run.id, run.attempt)) if run else None
    if run is None or content is None:
        return missing()
    return Response(302, None, {"Location": place.store.address(f"archives/{run.id}-{run.attempt}.zip", content)})


def artifacts(place: Place, request: Request, run_id: str, **_: str) -> Response:
    run = _run(place, run_id)
    if run is None:
        return missing()
    found = place.world.artifacts.get(run.id, [])
    name = request.query.get("name")
    found = [one for one in found if name in (None, one.name)]
    return paged(request, found, lambda one: payloads.artifact(request.base, run.repo, one), "artifacts")


def rerun_failed(place: Place, request: Request, run_id: str, **_: str) -> Response:
    run = _run(place, run_id)
    return _rerun(place, run, lambda job: job.failed, "rerun-failed-jobs") if run else missing()


def rerun_all(place: Place, request: Request, run_id: str, **_: str) -> Response:
    run = _run(place, run_id)
    return _rerun(place, run, lambda _: True, "rerun") if run else missing()


def rerun_job(place: Place, request: Request, job_id: str, **_: str) -> Response:
    job = place.world.job(int(job_id)) if job_id.isdecimal() else None
    run = place.world.attempt(job.run_id) if job else None
    if job is None or run is None:
        return missing()
    return _rerun(place, run, lambda other: other.id == job.id, f"rerun job {job.name}")


def _rerun(place: Place, run: Run, again: Callable[[Job], bool], what: str) -> Response:
    """A new attempt: the chosen jobs get new numbers and wait, the others keep their result and their attempt."""
    world = place.world
    if run.status != "completed":
        return failure(403, "This workflow is already running")
    jobs = world.jobs.get((run.id, run.attempt), [])
    if what == "rerun-failed-jobs" and not any(job.conclusion in FAILED_CONCLUSIONS for job in jobs):
        return failure(403, "This workflow run cannot be retried")
    number = run.attempt + 1
    world.jobs[(run.id, number)] = [_queued(job, number, world.next_id()) if again(job) else job for job in jobs]
    world.runs.append(replace(run, attempt=number, status="queued", conclusion=None))
    world.reruns.append(f"{run.id} {what}")
    return Response(201, {})


def _queued(job: Job, attempt: int, number: int) -> Job:
    return replace(
        job,
        id=number,
        attempt=attempt,
        status="queued",
        conclusion=None,
        started_at=None,
        completed_at=None,
        runner_name="",
        steps=(),
    )


_ACTIONS = "/repos/{owner}/{repo}/actions"
ROUTES: tuple[Route, ...] = (
    route("list runs", "GET", f"{_ACTIONS}/runs", list_runs),
    route("list workflow runs", "GET", f"{_ACTIONS}/workflows/{{workflow_id}}/runs", list_runs),
    route("run", "GET", f"{_ACTIONS}/runs/{{run_id}}", get_run),
    route("attempt", "GET", f"{_ACTIONS}/runs/{{run_id}}/attempts/{{attempt_number}}", get_run),
    route("attempt jobs", "GET", f"{_ACTIONS}/runs/{{run_id}}/attempts/{{attempt_number}}/jobs", attempt_jobs),
    route("run jobs", "GET", f"{_ACTIONS}/runs/{{run_id}}/jobs", run_jobs),
    route("job", "GET", f"{_ACTIONS}/jobs/{{job_id}}", get_job),
    route("job log", "GET", f"{_ACTIONS}/jobs/{{job_id}}/logs", job_log),
    route("attempt archive", "GET", f"{_ACTIONS}/runs/{{run_id}}/attempts/{{attempt_number}}/logs", archive),
    route("artifacts", "GET", f"{_ACTIONS}/runs/{{run_id}}/artifacts", artifacts),
    route("rerun failed jobs", "POST", f"{_ACTIONS}/runs/{{run_id}}/rerun-failed-jobs", rerun_failed),
    route("rerun", "POST", f"{_ACTIONS}/runs/{{run_id}}/rerun", rerun_all),
    route("rerun job", "POST", f"{_ACTIONS}/jobs/{{job_id}}/rerun", rerun_job),
)
