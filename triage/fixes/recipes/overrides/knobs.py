"""Logical knobs in one command: its own argument, or the configuration's default, by the table's spellings."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

from triage.fixes.evaluate.invocation import Invocation
from triage.fixes.evaluate.settings import Setting, find_setting
from triage.fixes.hydra.config import Configuration, Present, compose
from triage.fixes.hydra.entry import find_entry
from triage.fixes.refusal import Refusal
from triage.fixes.settings.chain import flag_value, read_chain
from triage.fixes.settings.named import named_file
from triage.interfaces import Tree
from triage.model.signature import Tables

_SERVERS = {"vllm": ("vllm",), "sglang": ("sglang",), "trtllm": ("trtllm-serve", "tensorrt_llm")}

# `${a.b}`, and `${oc.select:a.b,false}` with what holds where there is no such key.
_REFERENCE = re.compile(r"\$\{(?:oc\.select:)?\s*(?P<key>[\w.]+)\s*(?:,\s*(?P<otherwise>\w+)\s*)?\}\Z")
_REFERENCES = 5


@dataclass(frozen=True, slots=True)
class Program:
    """One command with the configuration behind it: Hydra's, or the file that it names (None when there is none that
    can be read)."""

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
        own = dialects.get(f"hydra:{engine}", ()) if engine else ()
        return (*own, *dialects.get("hydra", ()), *dialects.get("file", ()), *dialects.get("flags", ()))

    @property
    def file(self) -> str:
        """The configuration file that the command names; "" for a Hydra program, or for none."""
        return self.configuration.file if self.configuration else ""

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
        if self.configuration is not None and key.startswith("-"):
            return flag_value(self.configuration.root, key)
        found = self.configuration.look(key) if self.configuration and not self._off(key) else None
        return (found.value or "") if isinstance(found, Present) else ""

    def held(self, key: str) -> str:
        """What a key has in the command, else in the configuration, "" when that is not known."""
        setting = find_setting(self.invocation, key)
        return setting.value.text or "" if setting is not None else self.default(key)

    def knows(self, key: str) -> bool:
        """Whether the configuration has the key, or a mapping that could hold it. Of a file that is no Hydra
        configuration nobody knows what else it may hold."""
        if self.configuration is None or key.startswith("-") or self._off(key):
            return False
        found = self.configuration.look(key)
        return isinstance(found, Present) or (found.parent and not self.file)

    def _off(self, key: str) -> bool:
        """Whether a section on the way to the key is switched off (`enabled: false`): nobody reads the key then."""
        parents = key.split(".")[:-1] if self.file else []
        switches = [".".join([*parents[: at + 1], "enabled"]) for at in range(len(parents))]
        return any(self._switch(switch).lower() == "false" for switch in switches)

    def _switch(self, key: str) -> str:
        passed = find_setting(self.invocation, key)
        if passed is not None:
            return passed.value.text or ""
        found = self.configuration.look(key) if self.configuration else None
        return (found.value or "") if isinstance(found, Present) else ""

    def read(self, knob: str) -> str:
        """The effective value as text; "" when it is not known."""
        setting = self._set(knob)
        if setting is not None:
            # A model below an unknown folder still ends in its name.
            return setting.value.text or (str(setting.value) if knob == "model_path" else "")
        return next((value for key in self.spellings(knob) if (value := self.default(key))), "")

    def followed(self, knob: str) -> str:
        """As `read`, with references of the configuration (`${actor.dynamic}`) followed; "" when it is not known."""
        return next((value for key in self.spellings(knob) if (value := self._followed(key))), "")

    def _followed(self, key: str) -> str:
        for _ in range(_REFERENCES):
            setting = find_setting(self.invocation, key)
            text = setting.value.text or "" if setting is not None else self.written(key)
            reference = _REFERENCE.match(text)
            if reference is None:
                return "" if "${" in text else text
            above = reference["key"]
            known = find_setting(self.invocation, above) is not None or self.written(above)
            if not known and reference["otherwise"]:
                return reference["otherwise"]
            key = above
        return ""

    def written(self, key: str) -> str:
        """What the configuration holds for a key as it stands there, "" for what is no single value."""
        return self.configuration.text(key) if self.configuration and not key.startswith("-") else ""

    def setting_of(self, knob: str) -> tuple[str, Setting] | None:
        """The spelling that the command passes, and what it passes."""
        found = ((key, find_setting(self.invocation, key)) for key in self.spellings(knob))
        return next(((key, setting) for key, setting in found if setting is not None), None)

    def _set(self, knob: str) -> Setting | None:
        found = self.setting_of(knob)
        return found[1] if found is not None else None


def program(tree: Tree, invocation: Invocation, tables: Tables) -> Program:
    entry = find_entry(tree, invocation)
    composed = _from_file(tree, invocation) if isinstance(entry, Refusal) else compose(tree, entry)
    return Program(invocation, tables, None if isinstance(composed, Refusal) else composed)


def _from_file(tree: Tree, invocation: Invocation) -> Configuration | Refusal:
    path = named_file(tree, invocation)
    return read_chain(tree, path) if path else Refusal("the command names no configuration of the repository")
