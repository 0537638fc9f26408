import threading

import pytest

from triage.errors import RateLimited
from triage.github.cancellation import Cancellation, Cancelled
from triage.github.pace import Limits, Pace
from triage.github.replies import LONGEST_WAIT


class Clock(Cancellation):
    """Time that only sleeping moves."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.check()
        self.now += max(seconds, 0.0)


def test_a_burst_is_free_and_then_requests_come_at_the_rate_of_refill() -> None:
    clock = Clock()
    pace = Pace(Limits(burst=10, refill=5), clock, clock)
    for _ in range(10):
        pace.take(write=False)
    assert clock.now == 100.0
    for _ in range(50):
        pace.take(write=False)
    assert clock.now == pytest.approx(110.0, abs=0.3)


def test_no_minute_holds_more_points_than_github_allows() -> None:
    clock = Clock()
    pace = Pace(Limits(), clock, clock)
    spent: list[float] = []
    while clock.now < 400:
        pace.take(write=False)
        spent.append(clock.now)
    assert max(sum(start <= moment < start + 60 for moment in spent) for start in range(100, 340, 5)) <= 901


def test_writes_keep_a_second_apart_and_cost_more() -> None:
    clock = Clock()
    pace = Pace(Limits(burst=300, refill=10), clock, clock)
    for _ in range(5):
        pace.take(write=True)
    assert clock.now == pytest.approx(104.0)
    pace.take(write=False)
    assert clock.now == pytest.approx(104.0)


def test_a_pause_holds_everyone_once() -> None:
    clock = Clock()
    pace = Pace(Limits(max_wait=50), clock, clock)
    for _ in range(4):
        pace.pause(30, "rate limit")
    assert pace.waited == pytest.approx(30)
    pace.take(write=False)
    assert clock.now == pytest.approx(130)


def test_what_may_be_waited_in_all_is_bounded() -> None:
    clock = Clock()
    pace = Pace(Limits(max_wait=50), clock, clock)
    pace.pause(30, "rate limit")
    pace.take(write=False)
    with pytest.raises(
        RateLimited, match=r"asks to wait 30 s \(secondary\), longer than may be waited \(50 s"
    ) as refused:
        pace.pause(30, "secondary")
    assert refused.value.resets_at is not None
    assert "--max-wait" in refused.value.remedy


@pytest.mark.parametrize(
    ("seconds", "said"), [(90, "90 s"), (3480, "58 minutes"), (90_000, "25 hours"), (LONGEST_WAIT, "366 days")]
)
def test_a_long_wait_is_named_as_a_person_plans(seconds: float, said: str) -> None:
    with pytest.raises(RateLimited, match=f"asks to wait {said} ") as refused:
        Pace(Limits(max_wait=5), Clock(), Clock()).pause(seconds, "rate limit")
    assert refused.value.resets_at is not None


def test_cancelling_wakes_a_waiting_thread() -> None:
    cancellation = Cancellation()
    pace = Pace(Limits(), cancellation)
    pace.pause(100, "rate limit")
    outcome: list[object] = []

    def wait() -> None:
        try:
            pace.take(write=False)
        except Cancelled as ended:
            outcome.append(ended)

    thread = threading.Thread(target=wait)
    thread.start()
    cancellation.cancel()
    thread.join(5)
    assert not thread.is_alive()
    assert len(outcome) == 1
