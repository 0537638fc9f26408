"""A script's syntax, as far as it is evaluated. Spans count bytes of the text that the shell reads.

What the evaluator does not know is `Opaque` (a part of a word) or `Unsupported` (a statement), never left out.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Literal:
    """`quote`: "" bare (splits nothing, but may be a pattern), `"`, `'`, `\\` for one escaped character, and `<<` for
    the text of a heredoc, `<` where its end is quoted and nothing in it expands."""

    text: str
    start: int
    end: int
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Parameter:
    """`$name` and `${...}`. `index`: "@", "*" or a word. `operator`: "" or `:-`, `#`, `//`, `,,`, `:` (slice) ...

    `length` is `${#name}`, `indirect` is `${!name}`. A tilde is the parameter `~`.
    """

    name: str
    start: int
    end: int
    quoted: bool = False
    index: str | Word | None = None
    operator: str = ""
    operand: Word | None = None
    second: Word | None = None
    length: bool = False
    indirect: bool = False


@dataclass(frozen=True, slots=True)
class Substitution:
    body: tuple[Statement, ...]
    start: int
    end: int
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Arithmetic:
    expression: Word
    start: int
    end: int
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Opaque:
    """A part whose text is not known. Unless `quoted`, it may stand for any number of words."""

    start: int
    end: int
    quoted: bool = False


Part = Literal | Parameter | Substitution | Arithmetic | Opaque


@dataclass(frozen=True, slots=True)
class Word:
    parts: tuple[Part, ...]
    start: int
    end: int

    @property
    def literal(self) -> str | None:
        """The text when it holds no expansion."""
        texts = [part.text for part in self.parts if isinstance(part, Literal)]
        return "".join(texts) if len(texts) == len(self.parts) else None


@dataclass(frozen=True, slots=True)
class Assignment:
    """`value` is a word, or the elements of an array. `append` is `+=`."""

    name: str
    value: Word | tuple[Word, ...]
    start: int
    end: int
    append: bool = False
    index: Word | None = None


@dataclass(frozen=True, slots=True)
class Redirect:
    """`target` is None for a heredoc, whose text is `body` (None where it is not evaluated). `operator` keeps its
    digits: `2>`."""

    operator: str
    target: Word | None
    body: Word | None = None

    @property
    def takes_output(self) -> bool:
        """Whether what the command prints goes there, and not to the log."""
        return self.operator in (">", ">>", ">|", "1>", "1>>", "&>", "&>>") and self.target is not None

    @property
    def gives_input(self) -> bool:
        """Whether the command reads its input there."""
        return self.operator.removeprefix("0").startswith("<")


@dataclass(frozen=True, slots=True)
class Simple:
    """`argument_end` is the end of the last word: what is appended there is one more argument."""

    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    start: int
    end: int
    argument_end: int
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class Declaration:
    """`export`, `declare`, `local`, `readonly`, `typeset`. An item without a value is a word."""

    keyword: str
    items: tuple[Assignment | Word, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Pipeline:
    stages: tuple[Statement, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class AndOr:
    left: Statement
    operator: str
    right: Statement


@dataclass(frozen=True, slots=True)
class Not:
    body: Statement


@dataclass(frozen=True, slots=True)
class Group:
    """`{ ...; }`, a parenthesised subshell, or a statement in the background (a subshell too)."""

    body: tuple[Statement, ...]
    subshell: bool = False
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """`start`..`end` is the text of the condition."""

    condition: tuple[Statement, ...]
    body: tuple[Statement, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class If:
    branches: tuple[Branch, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """`while` and, with `until`, its opposite."""

    condition: tuple[Statement, ...]
    body: tuple[Statement, ...]
    start: int
    end: int
    until: bool = False


@dataclass(frozen=True, slots=True)
class For:
    """`words` is None for `for name; do`, which goes over the arguments."""

    name: str
    words: tuple[Word, ...] | None
    body: tuple[Statement, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Case:
    subject: Word
    items: tuple[tuple[tuple[Word, ...], tuple[Statement, ...], str], ...]  # patterns, body, `;;` `;&` `;;&`
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    body: Statement


@dataclass(frozen=True, slots=True)
class Let:
    """`(( expression ))`."""

    expression: Word
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Test:
    """`[[ ... ]]`: words and operators in order. Operators are plain strings; a quoted `&&` stays a word."""

    tokens: tuple[Word | str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Unsupported:
    """Syntax that is not evaluated: it may assign any of `names`, and run anything."""

    names: tuple[str, ...]
    start: int
    end: int


Statement = (
    Simple | Declaration | Pipeline | AndOr | Not | Group | If | Loop | For | Case | Function | Let | Test | Unsupported
)
