"""One visible comment in the end: whoever writes, is killed, is late, or takes it away."""

from __future__ import annotations

import contextlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tests.github.worlds import NOW, make_world, served
from triage.demo.server import Server, cut, status
from triage.errors import GitHubError
from triage.github import GitHub
from triage.model.run import Comment
from triage.output.marker import Marker, read
from triage.pipeline.comment import Outcome, Saying, publish

PULL = 12
FLAKY = Saying(PULL, 1, frozenset(), 1000, "A flake.\n")
YOURS = Saying(PULL, 3, frozenset({"aaaaaaaa"}), 2000, "It is yours.\n")
GREEN = Saying(PULL, 0, frozenset(), 3000, "No job has failed.\n", quiet=True)


def own(server: Server) -> list[Comment]:
    return [one for one in server.world.comments[PULL] if read(one.body, PULL) and one.author == server.world.viewer]


def visible(server: Server) -> list[str]:
    """What a person sees of the bot: own comments that are not minimised, without their first line."""
    mine = [one for one in server.world.comments[PULL] if one.author == server.world.viewer]
    shown = [one for one in mine if one.id not in server.world.minimised and one.body.startswith("<!-- triage:v1 ")]
    return [one.body.split("\n", 1)[1] for one in shown]


def test_one_comment_edited_in_place(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        assert publish(github.comments, YOURS).outcome is Outcome.CREATED
        again = publish(github.comments, replace(YOURS, at=2001, text="Still yours.\n"))
        assert again.outcome is Outcome.EDITED
        assert visible(server) == ["Still yours.\n"]
        assert len(own(server)) == 1


def test_silent_when_there_is_nothing_to_say_and_short_when_it_is_over(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        before = list(server.world.comments[PULL])
        assert publish(github.comments, GREEN).outcome is Outcome.SILENT
        assert server.world.comments[PULL] == before
        publish(github.comments, FLAKY)
        assert publish(github.comments, GREEN).outcome is Outcome.EDITED
        assert visible(server) == ["No job has failed.\n"]


def test_worse_is_said_by_a_new_comment_and_the_old_one_is_folded(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        first = publish(github.comments, FLAKY).comment
        second = publish(github.comments, YOURS)
        assert second.outcome is Outcome.REPLACED
        assert visible(server) == ["It is yours.\n"]
        assert first is not None
        assert server.world.minimised == {first.id}
        another = replace(YOURS, at=2500, yours=frozenset({"bbbbbbbb"}), text="Another one.\n")
        assert publish(github.comments, another).outcome is Outcome.REPLACED
        assert visible(server) == ["Another one.\n"]
        better = replace(FLAKY, at=2600)
        assert publish(github.comments, better).outcome is Outcome.EDITED


def test_what_unfinished_runs_showed_last_time_is_no_news_when_they_show_it_again(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        publish(github.comments, YOURS)
        publish(github.comments, replace(GREEN, pending=True))
        assert publish(github.comments, replace(YOURS, at=3500)).outcome is Outcome.EDITED
        assert len(server.world.comments[PULL]) == 4


def test_older_answers_do_not_overwrite_newer_ones(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        publish(github.comments, YOURS)
        assert publish(github.comments, replace(FLAKY, at=1999)).outcome is Outcome.OUTDATED
        assert visible(server) == ["It is yours.\n"]


def test_a_comment_of_a_wrong_clock_does_not_silence_the_bot(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        publish(github.comments, replace(YOURS, at=int(time.time()) + 10 * 365 * 86_400))
        now = replace(YOURS, at=int(time.time()), text="Still yours.\n")
        assert publish(github.comments, now).outcome is Outcome.EDITED
        assert visible(server) == ["Still yours.\n"]


def test_more_causes_than_a_marker_remembers_are_no_news_each_time(tmp_path: Path) -> None:
    many = replace(YOURS, yours=frozenset(f"{number:08x}" for number in range(60)))
    with served(make_world(), tmp_path) as (server, github):
        assert publish(github.comments, many).outcome is Outcome.CREATED
        assert publish(github.comments, replace(many, at=2001)).outcome is Outcome.EDITED
        assert len(own(server)) == 1


def test_a_person_and_another_bot_who_quote_the_marker_keep_their_words(tmp_path: Path) -> None:
    world = make_world()
    line = Marker(PULL, 7, 3, 9_999_999_999, frozenset(), "", "ab").line()
    quotes = [
        Comment(800, f"{line}\nforged", "someone", "", NOW, NOW),
        Comment(801, f"> {line}\nlook", "triage[bot]", "", NOW, NOW),
        Comment(802, f"{line.replace('pull=12', 'pull=13')}\nof another", "triage[bot]", "", NOW, NOW),
    ]
    world.comments[PULL] += quotes
    with served(world, tmp_path) as (server, github):
        publish(github.comments, FLAKY)
        publish(github.comments, YOURS)
        assert [one for one in server.world.comments[PULL] if one.id in (800, 801, 802)] == quotes
        assert server.world.comments[PULL][-1].body.endswith("It is yours.\n")


def test_it_is_found_among_three_hundred_on_the_last_page(tmp_path: Path) -> None:
    world = make_world()
    world.comments[PULL] = [Comment(number, f"Comment {number}", "someone", "", NOW, NOW) for number in range(1, 301)]
    with served(world, tmp_path) as (server, github):
        publish(github.comments, FLAKY)
        assert publish(github.comments, replace(FLAKY, at=1001)).outcome is Outcome.EDITED
        assert len(server.world.comments[PULL]) == 301


def test_deleted_meanwhile_it_is_made_again(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github):
        made = publish(github.comments, FLAKY).comment
        assert made is not None

        class Deleting:
            """A person deletes the comment between the bot's look and its edit."""

            def __getattr__(self, name: str) -> object:
                return getattr(github.comments, name)

            def edit(self, comment_id: int, body: str) -> Comment | None:
                github.comments.delete(made.id)
                return github.comments.edit(comment_id, body)

        posted = publish(Deleting(), replace(FLAKY, at=1100, text="Again.\n"))  # type: ignore[arg-type]
        assert posted.outcome is Outcome.CREATED
        assert visible(server) == ["Again.\n"]


@pytest.mark.parametrize("round_", range(6))
@pytest.mark.parametrize("before", [None, FLAKY], ids=["first comment", "worse than before"])
def test_two_bots_at_once(tmp_path: Path, before: Saying | None, round_: int) -> None:
    with served(make_world(), tmp_path) as (server, github):
        if before is not None:
            publish(github.comments, before)
        barrier = threading.Barrier(2)
        sayings = [replace(YOURS, at=2000, text="older\n"), replace(YOURS, at=2010, text="newer\n")]

        def bot(said: Saying) -> Outcome:
            barrier.wait()
            return publish(github.comments, said).outcome

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(bot, sayings if round_ % 2 else reversed(sayings)))
        # Whoever comes next finds one, and the last word is the one with the newer answers.
        publish(github.comments, replace(sayings[1], at=2011))
        assert visible(server) == ["newer\n"]
        assert len(own(server)) == 1


def test_eight_bots_at_once_leave_one_without_anyone_tidying_up(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (server, github), ThreadPoolExecutor(8) as pool:
        barrier = threading.Barrier(8)

        def bot(number: int) -> None:
            barrier.wait()
            publish(github.comments, replace(YOURS, at=2000 + number, text=f"{number}\n"))

        list(pool.map(bot, range(8)))
        assert len(visible(server)) == 1
        assert len(own(server)) == 1


FAULTS = {
    "create answers 502 after it was done": status("create comment", 502, done=True),
    "create is cut off": cut("create comment", done=True),
    "create is refused": status("create comment", 403, "no", times=9),
    "the second list fails": status("list comments", 500, times=9),
    "edit fails": status("edit comment", 403, "no", times=9),
    "minimise fails": status("graphql", 403, "no", times=9),
}


@pytest.mark.parametrize("after", [0, 1])
@pytest.mark.parametrize("name", sorted(FAULTS))
def test_an_api_that_fails_half_way_is_put_right_by_the_next_call(tmp_path: Path, name: str, after: int) -> None:
    with served(make_world(), tmp_path) as (server, github):
        publish(github.comments, FLAKY)
        server.inject(replace(FAULTS[name], after=after))
        # Which call the fault hits decides whether this one can go on.
        with contextlib.suppress(GitHubError):
            publish(github.comments, YOURS)
        server.faults.clear()
        publish(github.comments, replace(YOURS, at=2001))
        assert visible(server) == ["It is yours.\n"]
        assert len(own(server)) == 1


def test_suggestions_go_with_a_comment_once(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (_, github):
        with_edit = replace(YOURS, suggested="cccccccc")
        assert publish(github.comments, with_edit).suggest
        assert not publish(github.comments, replace(with_edit, at=2001)).suggest
        assert not publish(github.comments, replace(YOURS, at=2002)).suggest
        assert not publish(github.comments, replace(with_edit, at=2003)).suggest
        assert publish(github.comments, replace(with_edit, at=2004, suggested="dddddddd")).suggest


def test_the_adapter_is_a_board(tmp_path: Path) -> None:
    with served(make_world(), tmp_path) as (_, github):
        assert isinstance(github, GitHub)
        assert github.comments.viewer() == "triage[bot]"
