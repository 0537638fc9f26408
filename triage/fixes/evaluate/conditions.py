"""`[ ]` and `[[ ]]`: true, false, or undecided. Nothing is guessed from an unknown, but its known parts count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from triage.fixes.evaluate import arithmetic
from triage.fixes.evaluate.expand import Expander
from triage.fixes.evaluate.patterns import SPECIAL, matches
from triage.fixes.evaluate.places import filled, locate, lookup
from triage.fixes.evaluate.values import Value, known
from triage.fixes.numbers import whole
from triage.fixes.shell.syntax import Literal, Word

# What programs print when scripts ask them for the device, by platform. PyTorch calls ROCm "cuda".
_DEVICES = {
    "cuda": frozenset({"cuda", "gpu", "nvidia"}),
    "rocm": frozenset({"cuda", "gpu", "rocm", "hip", "amd"}),
    "npu": frozenset({"npu", "ascend"}),
    "cpu": frozenset({"cpu"}),
}
_EVERY_DEVICE = frozenset().union(*_DEVICES.values()) | {"xpu", "tpu", "mps", "musa", "hpu"}

# Longer tests than people write are undecided: the parsers recurse.
TOKENS_CAP = 200

_FILES = ("-f", "-e", "-d", "-s", "-r", "-x", "-w", "-L", "-h")
_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b, "-ne": lambda a, b: a != b, "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b, "-gt": lambda a, b: a > b, "-ge": lambda a, b: a >= b,
}  # fmt: skip


class Decision(NamedTuple):
    """`holds` is None when undecided; `reason` is set when something outside scripts and workflow decided."""

    holds: bool | None
    reason: str = ""

    def negated(self) -> Decision:
        return Decision(None if self.holds is None else not self.holds, self.reason)


UNDECIDED = Decision(None)


def both(left: Decision, right: Decision) -> Decision:
    if left.holds is False or right.holds is False:
        return left if left.holds is False else right
    return UNDECIDED if None in (left.holds, right.holds) else Decision(True, left.reason or right.reason)


def either(left: Decision, right: Decision) -> Decision:
    return both(left.negated(), right.negated()).negated()


def bracket(expander: Expander, words: Sequence[Value]) -> Decision:
    """`[ words ]`, also `test words`: decided by the number of words, as POSIX has it."""
    if any(word.many for word in words) or len(words) > TOKENS_CAP:
        return UNDECIDED
    texts = [word.text for word in words]
    if len(words) > 3:
        for operator, combine in (("-o", either), ("-a", both)):
            if operator in texts[1:-1]:
                at = texts.index(operator, 1)
                return combine(bracket(expander, words[:at]), bracket(expander, words[at + 1 :]))
    match texts:
        case []:
            return Decision(False)
        case [_]:
            return Decision(filled(words[0]))
        case ["!", *_]:
            return bracket(expander, words[1:]).negated()
        case ["(", *_, ")"]:
            return bracket(expander, words[1:-1])
        case [str(operator), _]:
            return unary(expander, operator, words[1])
        case [_, str(operator), _]:
            return binary(expander, words[0], operator, words[2], None)
        case _:
            return UNDECIDED


def unary(expander: Expander, operator: str, value: Value) -> Decision:
    match operator:
        case "-n":
            return Decision(filled(value))
        case "-z":
            return Decision(filled(value)).negated()
        case "-v" if value.text is not None and value.text.isidentifier():
            found = lookup(expander.machine, expander.frame, expander.state, value.text)
            guessed = expander.state.other_files is not None and value.text not in expander.state.variables
            return UNDECIDED if guessed and found is not None else Decision(found is not None)
        case _ if operator in _FILES:
            return _file(expander, operator, value)
        case _:
            return UNDECIDED


def _file(expander: Expander, operator: str, value: Value) -> Decision:
    """True for what the repository holds. A file that it does not hold may have been made by then."""
    if value.text == "":
        return Decision(False)
    path = locate(expander.machine, expander.state, value)
    if path is None:
        return UNDECIDED
    folder, file = expander.machine.is_folder(path), expander.machine.is_file(path)
    if operator == "-e":
        return Decision(True) if folder or file else UNDECIDED
    if operator == "-d":
        return Decision(True) if folder else Decision(False) if file else UNDECIDED
    if operator == "-f":
        return Decision(True) if file else Decision(False) if folder else UNDECIDED
    return UNDECIDED


def binary(expander: Expander, left: Value, operator: str, right: Value, pattern: str | None) -> Decision:
    """`pattern`: the right side of `==` inside `[[ ]]`; None compares texts."""
    if operator in ("=", "==", "!="):
        found = equal(expander, left, right, pattern)
        return found.negated() if operator == "!=" else found
    if operator in _NUMBERS:
        numbers = [_number(expander, value) for value in (left, right)]
        one, other = numbers
        return UNDECIDED if one is None or other is None else Decision(_NUMBERS[operator](one, other))
    if operator in ("<", ">") and left.text is not None and right.text is not None:
        return Decision(left.text < right.text if operator == "<" else left.text > right.text)
    if operator == "=~":
        return _regex(left, right)
    return UNDECIDED


def equal(expander: Expander, left: Value, right: Value, pattern: str | None) -> Decision:
    if pattern is not None and any(char in pattern.replace("\\" + char, "") for char in SPECIAL):
        return Decision(None if left.text is None else matches(pattern, left.text))
    if left.text is not None and right.text is not None:
        return Decision(left.text == right.text)
    for one, other in ((left, right), (right, left)):
        if other.text is None:
            continue
        if not other.text.startswith(one.head) or (other.text == "" and filled(one)):
            return Decision(False)
        return _device(expander, one, other.text)
    return UNDECIDED


def _device(expander: Expander, value: Value, word: str) -> Decision:
    """What a program printed, compared with a kind of device: the platform decides."""
    printed = len(value.pieces) == 1 and value.pieces[0].name.startswith("$(")
    words = _DEVICES.get(expander.machine.pins.platform)
    if not printed or words is None or word not in _EVERY_DEVICE:
        return UNDECIDED
    return Decision(word in words, f"the job runs on {expander.machine.pins.platform}")


def _number(expander: Expander, value: Value) -> int | None:
    text = value.text

    def read(name: str) -> int | None:
        found = lookup(expander.machine, expander.frame, expander.state, name)
        inner = found.text if isinstance(found, Value) else None
        return whole(inner)

    return None if text is None else arithmetic.compute(text, read, lambda _name, _value: None)


def _regex(left: Value, right: Value) -> Decision:
    """Only what needs no regular expression: a literal with `^` before or `$` behind it."""
    text, regex = left.text, right.text
    if text is None or regex is None:
        return UNDECIDED
    core = regex.removeprefix("^").removesuffix("$")
    if not core.replace("-", "").replace("_", "").replace("/", "").replace(" ", "").isalnum():
        return UNDECIDED
    at_start, at_end = regex.startswith("^"), regex.endswith("$")
    if at_start and at_end:
        return Decision(text == core)
    return Decision(text.startswith(core) if at_start else text.endswith(core) if at_end else core in text)


def double_bracket(expander: Expander, tokens: Sequence[Word | str]) -> Decision:
    """`[[ tokens ]]`. What is not its grammar is undecided."""
    if len(tokens) > TOKENS_CAP:
        return UNDECIDED
    parser = _Parser(expander, tokens)
    decision = parser.alternatives()
    return decision if parser.at == len(tokens) and not parser.failed else UNDECIDED


class _Parser:
    def __init__(self, expander: Expander, tokens: Sequence[Word | str]) -> None:
        self.expander, self.tokens, self.at, self.failed = expander, tokens, 0, False

    def _next(self, operator: str) -> bool:
        if self.at < len(self.tokens) and self.tokens[self.at] == operator:
            self.at += 1
            return True
        return False

    def alternatives(self) -> Decision:
        left = self._conjunction()
        while self._next("||"):
            left = either(left, self._conjunction())
        return left

    def _conjunction(self) -> Decision:
        left = self._primary()
        while self._next("&&"):
            left = both(left, self._primary())
        return left

    def _primary(self) -> Decision:
        if self._next("!"):
            return self._primary().negated()
        if self._next("("):
            inner = self.alternatives()
            self.failed = self.failed or not self._next(")")
            return inner
        words = self._words()
        match words:
            case [Word() as only]:
                return Decision(filled(self.expander.text(only)))
            case [Word() as operator, Word() as operand] if _bare(operator).startswith("-"):
                return unary(self.expander, _bare(operator), self.expander.text(operand))
            case [Word() as left, operator, Word() as right]:
                return self._binary(left, operator, right)
            case _:
                self.failed = True
                return UNDECIDED

    def _words(self) -> list[Word | str]:
        """Up to the next operator of the grammar; `<` and `>` stand between two words."""
        words: list[Word | str] = []
        while self.at < len(self.tokens) and self.tokens[self.at] not in ("&&", "||", ")", "(", "!"):
            words.append(self.tokens[self.at])
            self.at += 1
        return words

    def _binary(self, left: Word, operator: Word | str, right: Word) -> Decision:
        name = operator if isinstance(operator, str) else _bare(operator)
        value = self.expander.text(left)
        if name in ("=", "==", "!="):
            pattern = self.expander.pattern(right)
            return binary(self.expander, value, name, self.expander.text(right), pattern)
        return binary(self.expander, value, name, self.expander.text(right) if right.parts else known(""), None)


def _bare(word: Word) -> str:
    """An operator is never quoted."""
    return "".join(part.text for part in word.parts if isinstance(part, Literal) and part.quote == "")
