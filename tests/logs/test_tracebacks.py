from __future__ import annotations

import time
from collections.abc import Callable
from itertools import chain, zip_longest

import pytest

from triage.logs.lines import Seen, parse
from triage.logs.tracebacks import TracebackAssembler
from triage.model.log import Frame, LogReading

Read = Callable[..., LogReading]

SIMPLE = """\
Traceback (most recent call last):
  File "/w/train.py", line 14, in step
    loss = model(x)
           ^^^^^^^^
  File "/w/model.py", line 3, in forward
    raise ValueError("bad: shape")
ValueError: bad: shape"""


BOXED = """\
╭───────────────────── Traceback (most recent call last) ──────────────────────╮
│ /w/train.py:14 in step                                                       │
│                                                                              │
│   13 │   x = load()                                                          │
│ ❱ 14 │   loss = model(x)                                                     │
│                                                                              │
│ /w/model.py:3 in forward                                                     │
╰──────────────────────────────────────────────────────────────────────────────╯
ValueError: bad: shape"""


def prefixed(prefix: str, text: str) -> list[str]:
    return [prefix + line for line in text.splitlines()]


@pytest.mark.parametrize("prefix", ["", "2026-05-01T10:00:00.0000000Z ", "[rank1]: ", "(Worker pid=7) "])
def test_a_box_around_a_traceback_is_read_like_one(read: Read, prefix: str) -> None:
    (found,) = read("\n".join(("noise", *prefixed(prefix, BOXED), "more noise"))).tracebacks
    assert (found.error_type, found.message) == ("ValueError", "bad: shape")
    assert found.frames == (Frame("/w/train.py", 14, "step"), Frame("/w/model.py", 3, "forward"))


def test_a_box_of_plain_characters_is_read_too(read: Read) -> None:
    plain = (
        BOXED.replace("╭", "+")
        .replace("╮", "+")
        .replace("╰", "+")
        .replace("╯", "+")
        .replace("─", "-")
        .replace("│", "|")
    )
    (found,) = read(plain).tracebacks
    assert (found.error_type, len(found.frames)) == ("ValueError", 2)


def test_two_boxes_hang_together(read: Read) -> None:
    between = "\n\nThe above exception was the direct cause of the following exception:\n\n"
    first, second = read(BOXED + between + BOXED).tracebacks
    assert (first.chain, second.chain) == ("", "cause")


@pytest.mark.parametrize(
    ("prefix", "stream"),
    [
        ("ERROR 2026-08-03T18:51:06.652885516Z [resource.labels.containerName: jax-tpu] ", "jax-tpu"),
        ("[pod/train-0/worker] ", "pod/train-0/worker"),
        ("[1,3]<stderr>:", "3"),
        ("3: ", "3"),
        ("gpu-node-2: ", "gpu-node-2"),
    ],
)
def test_what_relays_the_lines_is_their_stream(read: Read, prefix: str, stream: str) -> None:
    found = read("\n".join(prefixed(prefix, SIMPLE))).tracebacks[-1]
    assert (found.error_type, found.stream, len(found.frames)) == ("ValueError", stream, 2)


def test_a_traceback_has_its_frames_and_its_error(read: Read) -> None:
    (found,) = read(f"noise\n{SIMPLE}\nmore noise").tracebacks
    assert (found.first, found.last, found.stream, found.chain) == (2, 8, "", "")
    assert (found.error_type, found.message) == ("ValueError", "bad: shape")
    assert found.frames == (Frame("/w/train.py", 14, "step"), Frame("/w/model.py", 3, "forward"))
    assert found.error.number == 8


def test_a_log_may_begin_inside_a_traceback(read: Read) -> None:
    cut = "".join(f"{line}\n" for line in SIMPLE.splitlines()[2:])
    (found,) = read(f"{cut}more noise").tracebacks
    assert (found.first, found.last, found.error_type, found.message) == (3, 5, "ValueError", "bad: shape")
    (ranks,) = read("".join(f"[rank0]: {line}\n" for line in SIMPLE.splitlines()[3:])).tracebacks
    assert (ranks.stream, ranks.frames) == ("rank0", (Frame("/w/model.py", 3, "forward"),))
    (indented,) = read("".join(f"      {line}\n" for line in cut.splitlines())).tracebacks
    assert indented.error.number == 5


def test_frames_further_down_begin_no_traceback(read: Read) -> None:
    cut = "\n".join(SIMPLE.splitlines()[1:])
    assert not read("noise\n" * 12 + cut).tracebacks
    assert not read('see File "/w/train.py", line 14\nValueError: bad').tracebacks


def test_interleaved_ranks_are_assembled_apart(read: Read) -> None:
    ranks = [
        prefixed("[rank0]: ", SIMPLE.replace("ValueError", "KeyError")),
        prefixed("[rank1]: ", SIMPLE),
        prefixed("(WorkerDict pid=9, ip=10.0.0.1) ", SIMPLE.replace("ValueError", "torch.OutOfMemoryError")),
    ]
    text = "\n".join(line for line in chain.from_iterable(zip_longest(*ranks)) if line)
    found = read(text).tracebacks
    assert [(t.stream, t.error_type, len(t.frames)) for t in found] == [
        ("rank0", "KeyError", 2),
        ("rank1", "ValueError", 2),
        ("WorkerDict pid=9, ip=10.0.0.1", "torch.OutOfMemoryError", 2),
    ]


def test_chains_keep_their_order_and_their_kind(read: Read) -> None:
    text = "\n\n".join(
        [
            SIMPLE,
            "During handling of the above exception, another exception occurred:",
            SIMPLE.replace("ValueError", "KeyError"),
            "The above exception was the direct cause of the following exception:",
            SIMPLE.replace("ValueError", "RuntimeError"),
        ]
    )
    found = read(text).tracebacks
    assert [(t.error_type, t.chain) for t in found] == [
        ("ValueError", ""),
        ("KeyError", "context"),
        ("RuntimeError", "cause"),
    ]


def test_an_error_without_frames_starts_a_chain(read: Read) -> None:
    text = "httpcore.ConnectError: no name\n\nThe above exception was the direct cause of the following exception:\n\n"
    found = read(text + SIMPLE).tracebacks
    assert [(t.error_type, t.chain, len(t.frames)) for t in found] == [
        ("httpcore.ConnectError", "", 0),
        ("ValueError", "cause", 2),
    ]


def test_ray_names_what_it_wraps_and_the_remote_traceback_follows(read: Read) -> None:
    text = """\
Traceback (most recent call last):
  File "/w/main.py", line 5, in main
    ray.get(f.remote())
ray.exceptions.RayTaskError(OutOfMemoryError): ray::WorkerDict.update() (pid=12, ip=10.0.0.1, actor_id=ab)
  File "/w/worker.py", line 8, in update
    loss.backward()
torch.OutOfMemoryError: CUDA out of memory.
"""
    outer, inner = read(text).tracebacks
    assert (outer.error_type, outer.wraps) == ("ray.exceptions.RayTaskError", "OutOfMemoryError")
    assert (inner.error_type, inner.frames) == ("torch.OutOfMemoryError", (Frame("/w/worker.py", 8, "update"),))


def test_lines_of_others_inside_a_traceback_do_not_end_it(read: Read) -> None:
    lines = SIMPLE.splitlines()
    lines.insert(3, "step:12 - actor/loss:1.0")
    lines.insert(5, "Downloading model weights to the cache")
    (found,) = read("\n".join(lines)).tracebacks
    assert (found.error_type, len(found.frames)) == ("ValueError", 2)


def test_a_traceback_glued_to_a_bar_is_one(read: Read) -> None:
    (found,) = read(" 10%|#  | 1/10 [00:01<00:09, 1.0s/it]" + SIMPLE).tracebacks
    assert found.error_type == "ValueError"


def test_a_traceback_that_never_ends_is_none(read: Read) -> None:
    text = 'Traceback (most recent call last):\n  File "x.py", line 1, in f\n' + "plain words here\n" * 200 + SIMPLE
    assert [t.error_type for t in read(text).tracebacks] == ["ValueError"]


def test_pytest_in_the_long_style(read: Read) -> None:
    text = """\
_______ test_close _______

    def test_close():
>       assert_close(a, b)
E       AssertionError: Tensor-likes are not close!
E
E       Mismatched elements: 3 / 4

tests/test_numeric.py:5: AssertionError
"""
    (found,) = read(text).tracebacks
    assert (found.error_type, found.message) == ("AssertionError", "Tensor-likes are not close!")
    assert (found.first, found.last, found.frames) == (5, 9, (Frame("tests/test_numeric.py", 5, ""),))


def test_pytest_in_the_short_style_and_a_bare_assert(read: Read) -> None:
    text = """\
tests/test_a.py:3: in <module>
    import megatron
E   ModuleNotFoundError: No module named 'megatron'
____ test_b ____
tests/test_b.py:9: in test_b
    assert 1 == 2
E   assert 1 == 2
"""
    first, second = read(text).tracebacks
    assert (first.error_type, first.frames) == ("ModuleNotFoundError", (Frame("tests/test_a.py", 3, "<module>"),))
    assert (second.error_type, second.message) == ("AssertionError", "assert 1 == 2")


def test_pytests_differences_are_no_commands(read: Read) -> None:
    reading = read("E   AssertionError: assert 'a' == 'b'\nE     - b\nE     + a\n+ pytest tests\n")
    assert [command.text for command in reading.commands] == ["pytest tests"]


def test_a_flood_of_tracebacks_is_capped_and_says_so(read: Read) -> None:
    reading = read(f"{SIMPLE}\n" * 900)
    assert len(reading.tracebacks) == 400
    assert "tracebacks" in reading.capped


def test_a_loggers_words_may_stand_before_the_first_line(read: Read) -> None:
    text = (
        "[2026-01-31 10:00:00 TP2] Scheduler hit an exception: Traceback (most recent call last):\n"
        '  File "/opt/engine/scheduler.py", line 9, in run\n'
        "    start()\n"
        "ValueError: head size 96 is not supported\n"
    )
    (found,) = read(text).tracebacks
    assert (found.first, found.last, found.error_type, found.stream) == (1, 4, "ValueError", "")
    assert found.frames[0].function == "run"


@pytest.mark.parametrize("lines", [1, 2])
def test_streams_without_number_cost_time_linear_in_them_and_little_memory(read: Read, lines: int) -> None:
    def flood(streams: int) -> str:
        kinds = ("RuntimeError: bare", "Traceback (most recent call last):")[:lines]
        return "".join(f"(Worker pid={stream}) {said}\n" for stream in range(streams) for said in kinds)

    read(flood(100))
    small, large = flood(5_000), flood(40_000)
    took = []
    for text in (small, large):
        started = time.process_time()
        read(text)
        took.append(time.process_time() - started)
    # 8 times the text; every open traceback was looked at for every line, which made it 30.
    assert took[1] < 16 * took[0] + 0.5


def test_a_stream_that_spoke_long_ago_is_forgotten_and_a_talkative_one_is_not() -> None:
    assembler = TracebackAssembler()
    for number in range(5000):
        assembler.see(Seen(number + 1, 0, parse(f"(Worker pid={number}) RuntimeError: bare".encode())))
    assert len(assembler._bare) <= 1000
    assembler.see(Seen(6000, 0, parse(b"(A pid=1) Traceback (most recent call last):")))
    assembler.see(Seen(6001, 0, parse(b"(B pid=2) Traceback (most recent call last):")))
    assembler.see(Seen(9000, 0, parse(b'(A pid=1)   File "a.py", line 1, in f')))
    assembler.see(Seen(10500, 0, parse(b"(C pid=3) nothing")))
    assert list(assembler._open) == ["A pid=1"]


NOTEBOOK = """\
---------------------------------------------------------------------------
AttributeError                            Traceback (most recent call last)
Cell In[4], line 2
      1 trainer = Trainer(cfg)
----> 2 trainer.fit()

File ~/train/trainer.py:44, in Trainer.step(self, batch)
     43 def step(self, batch):
---> 44     return self.model.forwrd(batch)

AttributeError: 'Model' object has no attribute 'forwrd'"""


def test_a_notebook_heads_its_traceback_with_the_name(read: Read) -> None:
    (found,) = read(NOTEBOOK).tracebacks
    assert (found.first, found.last) == (2, 11)
    assert (found.error_type, found.message) == ("AttributeError", "'Model' object has no attribute 'forwrd'")


def test_a_deep_traceback_of_a_notebook_is_read_to_its_end(read: Read) -> None:
    deep = NOTEBOOK.replace("\n\nAttr", "\n" + "<frozen runpy> in run(a)\n~/a.py in f()\n" * 60 + "\nAttr")
    (found,) = read(deep).tracebacks
    assert found.error_type == "AttributeError"


def test_words_before_the_first_line_of_a_traceback_make_no_notebook(read: Read) -> None:
    assert read("what follows is a  Traceback (most recent call last):\nValueError: bad").tracebacks == ()


def test_a_traceback_that_lost_its_indentation_is_one(read: Read) -> None:
    text = "\n".join(line.lstrip() for line in SIMPLE.splitlines())
    (found,) = read(text).tracebacks
    assert (found.error_type, len(found.frames)) == ("ValueError", 2)


def test_what_python_could_only_print_is_marked(read: Read) -> None:
    text = "".join(
        f"{line}\n"
        for line in (
            "Exception ignored in: <function Engine.__del__ at 0x7f5aeb426c10>",
            "Traceback (most recent call last):",
            '  File "engine.py", line 9, in __del__',
            "    self.free()",
            "ImportError: sys.meta_path is None, Python is likely shutting down",
            "Traceback (most recent call last):",
            '  File "train.py", line 3, in main',
            "    step()",
            "ValueError: no rows",
        )
    )
    assert [(one.error_type, one.ignored, one.chain) for one in read(text).tracebacks] == [
        ("ImportError", True, ""),
        ("ValueError", False, ""),
    ]


def test_the_traceback_of_a_worker_follows_the_one_that_raises_it_again(read: Read) -> None:
    again = SIMPLE.replace("ValueError: bad: shape", "ValueError: Caught ValueError in DataLoader worker process 0.")
    above, own = read(f"{again}\nOriginal {SIMPLE}\nmore").tracebacks
    assert (above.chain, own.chain, own.first, own.last) == ("", "cause", above.last + 1, above.last + 7)
    assert own.message == "bad: shape"
    (alone,) = read(f"Original {SIMPLE}").tracebacks
    assert alone.chain == ""


def test_a_message_may_begin_below_the_name_of_the_exception(read: Read) -> None:
    headed = SIMPLE.replace("ValueError: bad: shape", "ValueError: ")
    (found,) = read(f"{headed}\n\n   rows are not sorted\nmore").tracebacks
    assert (found.message, found.telling.number, found.error.number) == ("rows are not sorted", 9, 7)
    (bare,) = read(f"{SIMPLE.replace('ValueError: bad: shape', 'ValueError')}\nmore").tracebacks
    assert (bare.message, bare.telling.number) == ("", 7)
    above, _ = read(f"{headed}\nDuring handling of the above exception, another one came:\n{SIMPLE}").tracebacks
    assert (above.message, above.below) == ("", ())
