"""Signatures are compiled once in a process, and anew as soon as one of them is another."""

from dataclasses import replace

from triage.model.configuration import Configuration
from triage.model.signature import Catalogue, Contains
from triage.pipeline.triage import Knowledge
from triage.sources.catalogue import load


def knowledge(catalogue: Catalogue) -> Knowledge:
    return Knowledge.of(catalogue, Configuration())


def test_the_same_signatures_are_compiled_once() -> None:
    assert knowledge(load()).patterns is knowledge(load(cache=False)).patterns


def test_another_condition_is_another_set_of_patterns() -> None:
    catalogue = load()
    before = knowledge(catalogue).patterns
    other = replace(catalogue.signatures["gpu-oom"], condition=Contains("a text that nothing else looks for"))
    after = knowledge(replace(catalogue, signatures={**catalogue.signatures, "gpu-oom": other})).patterns
    assert "a\\ text\\ that\\ nothing\\ else\\ looks\\ for" in after.texts
    assert "a\\ text\\ that\\ nothing\\ else\\ looks\\ for" not in before.texts
    assert knowledge(catalogue).patterns.texts == before.texts
