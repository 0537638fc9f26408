"""Which of the names that there are is meant by one that is not among them: a slip, a plural, a part left out.

A wrong guess sets something else, so alike letters are not enough: `dp_model_parallel_size` resembles
`tensor_model_parallel_size` by letters, and `disable_x` resembles `enable_x`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

# In percent: how alike the whole names and single words must be, and by how much the best must be ahead of the second.
_ALIKE, _WORDS_ALIKE, _AHEAD = 75, 80, 6
# A shorter name has too many neighbours.
_LEAST = 4
# Words between two that may not change places.
_DIRECTED = frozenset(("to", "from", "of", "in", "by", "per", "on", "vs", "before", "after", "over"))
_WORD, _NUMBER = re.compile(r"[a-z]+|[0-9]+"), re.compile(r"[0-9]+")


def resembling(name: str, names: Iterable[str]) -> str:
    """The one name that resembles it; "" when none does, or two do about as much."""
    held = {one for one in names if one != name}
    spelled = [one for one in held if _squeezed(one) == _squeezed(name)]
    if spelled:
        return spelled[0] if len(spelled) == 1 else ""
    known = one_slip(name, held) or reordered(name, held)
    if known:
        return known
    ranked = sorted(((fuzz.ratio(one.lower(), name.lower()), one) for one in held), reverse=True)
    if not ranked or ranked[0][0] < _ALIKE or (len(ranked) > 1 and ranked[0][0] - ranked[1][0] < _AHEAD):
        return ""
    return ranked[0][1] if _same_words(_words(name), _words(ranked[0][1])) else ""


def one_slip(name: str, names: Iterable[str]) -> str:
    """The one name that differs by one slip of a hand: a letter lost or typed twice, or two exchanged; "" for none, and
    where there are two. Another letter, or another number, is another name (`tp_size` and `pp_size`)."""
    near = [one for one in set(names) if one != name and _is_slip(one.lower(), name.lower())]
    return near[0] if len(near) == 1 and len(name) >= _LEAST else ""


def reordered(name: str, names: Iterable[str]) -> str:
    """The one name that has the same words with one of them at another place; "" for none or several. Numbers keep
    theirs: `1-gpu-2-node` is another machine than `2-gpu-1-node`, and `a_to_b` another way than `b_to_a`."""
    own = _words(name)
    near = [one for one in set(names) if _one_moved(own, _words(one))]
    return near[0] if len(near) == 1 else ""


def _one_moved(first: Sequence[str], second: Sequence[str]) -> bool:
    if first == second or sorted(first) != sorted(second) or _DIRECTED & set(first):
        return False
    movable = [word for word in set(first) if not _NUMBER.match(word) and first.count(word) == 1]
    return any([one for one in first if one != word] == [one for one in second if one != word] for word in movable)


def _is_slip(first: str, second: str) -> bool:
    """Both have the same numbers, and the same letters but for one."""
    if first != second and (not one_apart(first, second) or _other_character(first, second)):
        return False
    if any(map(_opposite, _words(first), _words(second))):
        return False
    return _NUMBER.findall(first) == _NUMBER.findall(second)


def slip_of(name: str, names: Iterable[str]) -> str:
    """The one name from which it differs by two characters that changed places, or by one too many or too few; "" for
    none or several. Looser than `resembling`: only for a name of which it is known that nothing is called so."""
    near = {one for one in names if one_apart(one, name) and not _other_character(one, name)}
    return near.pop() if len(near) == 1 else ""


def one_apart(first: str, second: str) -> bool:
    """Whether one character too many, too few or another, or two neighbours that changed places, tell them apart."""
    return OSA.distance(first, second, score_cutoff=1) == 1


def _other_character(first: str, second: str) -> bool:
    """Of two that are one apart: whether one stands for another."""
    return len(first) == len(second) and sorted(first) != sorted(second)


def _squeezed(name: str) -> str:
    return re.sub(r"[._/-]", "", name).lower()


def _words(name: str) -> list[str]:
    return _WORD.findall(name.lower())


def _same_words(first: Sequence[str], second: Sequence[str]) -> bool:
    """Each word of the shorter name has its like in the longer one, in the same order. Another number is another name,
    but for digits that changed places."""
    short, long = sorted((first, second), key=len)
    rest = iter(long)
    return bool(short) and all(any(_same_word(word, other) for other in rest) for word in short)


def _same_word(first: str, second: str) -> bool:
    if _NUMBER.match(first) or _NUMBER.match(second):
        return sorted(first) == sorted(second)
    begins = first.startswith(second) or second.startswith(first)
    return begins or (not _opposite(first, second) and fuzz.ratio(first, second) >= _WORDS_ALIKE)


def _opposite(first: str, second: str) -> bool:
    """`sync` and `async`: one letter, and the other thing."""
    short, long = sorted((first, second), key=len)
    return long == f"a{short}"
