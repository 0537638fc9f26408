"""The figures of out-of-memory messages in the wordings of several torch releases (figures made up)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.diagnosis.memory import memory_signs, read_memory

NEW = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. GPU 1 has a total capacity of 80.00 GiB of "
    "which 2.50 GiB is free. Process 559 has 50.00 GiB memory in use. Including non-PyTorch memory, this process has "
    "27.50 GiB memory in use. Of the allocated memory 22.00 GiB is allocated by PyTorch, and 4.00 GiB is reserved by "
    "PyTorch but unallocated."
)
CONTAINER = (
    "CUDA out of memory. Tried to allocate 112.00 MiB. GPU 0 has a total capacity of 80.00 GiB of which 77.00 MiB is "
    "free. Process 12 has 79.00 GiB memory in use. Of the allocated memory 76.00 GiB is allocated by PyTorch, and "
    "512.00 KiB is reserved by PyTorch but unallocated."
)
OLD = (
    "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 11.00 GiB total capacity; 5.50 GiB already "
    "allocated; 1.50 GiB free; 8.50 GiB reserved in total by PyTorch)"
)


def test_todays_wording():
    memory = read_memory(NEW)
    assert memory is not None
    assert (memory.asked, memory.total, memory.free) == (3 * 1024, 80 * 1024, 2.5 * 1024)
    assert (memory.by_this_process, memory.by_others) == (27.5 * 1024, 50 * 1024)
    assert (memory.allocated, memory.reserved_unallocated) == (22 * 1024, 4 * 1024)
    assert dict(memory_signs(memory)) == {
        "others-hold": "other processes hold 50.00 GiB of the card's 80.00 GiB",
        "fragmented": "4.00 GiB were reserved but unallocated, and 3.00 GiB were asked for",
        "nearly-fits": "0.50 GiB were missing of 80.00 GiB",
    }


def test_inside_a_container_the_process_does_not_know_itself():
    memory = read_memory(CONTAINER)
    assert memory is not None
    assert (memory.by_this_process, memory.by_others) == (79 * 1024, 0)
    assert memory.reserved_unallocated == 0.5
    assert "others-hold" not in dict(memory_signs(memory))
    assert dict(memory_signs(memory))["own-fills"] == "this process alone holds 79.00 GiB of 80.00 GiB"


def test_the_old_wording_gives_the_same_figures():
    memory = read_memory(OLD)
    assert memory is not None
    assert (memory.asked, memory.total, memory.free) == (2 * 1024, 11 * 1024, 1.5 * 1024)
    assert (memory.allocated, memory.reserved_unallocated) == (5.5 * 1024, 3 * 1024)
    assert "fragmented" in dict(memory_signs(memory))


@pytest.mark.parametrize("text", ["CUDA error: out of memory", "", "ray.exceptions.OutOfMemoryError: killed"])
def test_a_message_without_figures_has_none(text):
    assert read_memory(text) is None


def test_what_is_not_said_is_minus_one():
    memory = read_memory("HIP out of memory. Tried to allocate 80.00 MiB.")
    assert memory is not None
    assert (memory.asked, memory.total, memory.by_others) == (80, -1, -1)
    assert memory_signs(memory) == ()


@given(st.text(alphabet="0123456789. GMiBfreTidtoalc;()", max_size=300))
@settings(max_examples=60)
def test_no_text_breaks_it(text):
    read_memory("Tried to allocate 1.00 GiB" + text)


@pytest.mark.parametrize("figure", ["9" * 4096, "1." * 2048, "1" * 2000 + "." + "1" * 2000])
def test_a_line_of_digits_is_read_in_time_linear_in_its_length(figure: str) -> None:
    started = time.process_time()
    for _ in range(20):
        read_memory(f"CUDA out of memory. Tried to allocate 3.00 GiB. GPU 0 has a total capacity of {figure}")
    # One such line took seconds.
    assert time.process_time() - started < 1


def test_a_card_that_was_full_before_this_process_used_it() -> None:
    memory = read_memory(
        "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 79.20 GiB total capacity; 0 bytes already allocated; "
        "8.75 MiB free; 0 bytes reserved in total by PyTorch)"
    )
    assert memory is not None
    assert memory.by_others > 79 * 1024
    assert {"others-hold", "held-before"} <= dict(memory_signs(memory)).keys()


def test_a_process_that_fills_the_card_itself_was_not_kept_from_it() -> None:
    memory = read_memory(
        "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 11.00 GiB total capacity; 9.50 GiB already allocated; "
        "0.50 GiB free; 10.20 GiB reserved in total by PyTorch)"
    )
    assert memory is not None
    assert not {"others-hold", "held-before"} & dict(memory_signs(memory)).keys()


CROWDED = (
    "CUDA out of memory. Tried to allocate 1024.00 MiB. GPU 0 has a total capacity of 139.80 GiB of which 681.56 MiB is "
    "free. Process 1341 has {others} GiB memory in use. Including non-PyTorch memory, this process has {own} GiB memory "
    "in use. Of the allocated memory {own} GiB is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated."
)


@pytest.mark.parametrize(
    ("others", "own", "crowded"),
    [("135.62", "3.51", True), ("118.00", "21.10", False), ("70.00", "69.00", False), ("100.10", "3.51", False)],
)
def test_crowded_out_is_a_process_that_holds_little_of_a_full_card(others: str, own: str, crowded: bool) -> None:
    memory = read_memory(CROWDED.format(others=others, own=own))
    assert memory is not None
    assert ("crowded-out" in dict(memory_signs(memory))) is crowded
