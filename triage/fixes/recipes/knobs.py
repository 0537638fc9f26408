"""Logical knobs in one command: its own argument, or the configuration's default, by the table's spellings."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.settings import Setting, find_setting
from triage.fixes.hydra.config import Configuration, Present, compose
from triage.fixes.hydra.entry import find_entry
from triage.fixes.refusal import Refusal
from triage.interfaces import Tree
from triage.model.signature import Tables

_SERVERS = {"vllm": ("vllm",), "sglang": ("sglang",), "trtllm": ("trtllm-serve", "tensorrt_llm")}


@dataclass(frozen=True, slots=True)
class Program:
    """One command with the configuration behind it (None when it is no readable Hydra program)."""

    invocation: Invocation
    tables: Tables
    configuration: Configuration | None = None

    @property
    def engine(self) -> str:
        """The rollout engine's name, "" when not known."""
        setting = self._set("rollout_engine")
        return (setting.value.text or "") if setting else ""

    def spellings(self, knob: str) -> tuple[str, ...]:
        """Keys and flags that may stand for the knob in this command, best first."""
        dialects = self.tables.knobs.get(knob, {})
        if self.server:
            return dialects.get(self.server, ())
        engine = self.engine if knob != "rollout_engine" else ""
        return (*(dialects.get(f"hydra:{engine}", ()) if engine else ()), *dialects.get("hydra", ()))

    @property
    def server(self) -> str:
        """The engine whose own server this command starts; "" for other programs."""
        words = [value.text or "" for value in self.invocation.program[:3]]
        for name, starts in _SERVERS.items():
            if any(posixpath.basename(word).split(".")[0] in starts for word in words):
                return name
        return ""

    def default(self, key: str) -> str:
        """What the configuration holds for a key, "" when that is not known."""
        found = self.configuration.look(key) if self.configuration else None
        return (found.value or "") if isinstance(found, Present) else ""

    def knows(self, key: str) -> bool:
        """Whether the configuration has the key, or a mapping that could hold it."""
        if self.configuration is None:
            return False
        found = self.configuration.look(key)
        return isinstance(found, Present) or found.parent

    def read(self, knob: str) -> str:
        """The effective value as text; "" when it is not known."""
        setting = self._set(knob)
        if setting is not None:
            # A model below an unknown folder still ends in its name.
            return setting.value.text or (str(setting.value) if knob == "model_path" else "")
        return next((value for key in self.spellings(knob) if (value := self.default(key))), "")

    def _set(self, knob: str) -> Setting | None:
        settings = (find_setting(self.invocation, key) for key in self.spellings(knob))
        return next((setting for setting in settings if setting is not None), None)


def program(tree: Tree, invocation: Invocation, tables: Tables) -> Program:
    entry = find_entry(tree, invocation)
    composed = entry if isinstance(entry, Refusal) else compose(tree, entry)
    return Program(invocation, tables, None if isinstance(composed, Refusal) else composed)
