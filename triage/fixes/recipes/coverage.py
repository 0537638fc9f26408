"""Coverage: other engines of the same command that have the same setting, are enabled, and stay as they are."""

from __future__ import annotations

from collections.abc import Iterator

from triage.fixes.hydra.config import Configuration, Present

_SWITCHES = ("enable", "enabled")


def uncovered(configuration: Configuration, key: str) -> tuple[str, ...]:
    """Dotted keys of the same setting below other engines that this command enables and that do not have it yet.

    For `a.rollout.engine_kwargs.vllm.x`: every other mapping `engine_kwargs` whose owner's `name` is the same engine.
    """
    found = []
    for parent, rest in _splits(key):
        owner = parent.rpartition(".")[0]
        engine = _text(configuration, f"{owner}.name") if owner else ""
        if not engine:
            continue
        for other in configuration.ending(parent.rpartition(".")[2]):
            beside = other.rpartition(".")[0]
            if other != parent and _text(configuration, f"{beside}.name") == engine and _enabled(configuration, beside):
                candidate = f"{other}.{rest}"
                if not isinstance(configuration.look(candidate), Present):
                    found.append(candidate)
        break
    return tuple(dict.fromkeys(found))


def _splits(key: str) -> Iterator[tuple[str, str]]:
    """(mapping, rest of the key), the shortest rest first."""
    parts = key.split(".")
    for at in range(len(parts) - 1, 0, -1):
        yield ".".join(parts[:at]), ".".join(parts[at:])


def _enabled(configuration: Configuration, place: str) -> bool:
    """Whether the mapping or one around it is switched on. Without any switch nobody says that it runs."""
    parts = place.split(".")
    for at in range(len(parts), 0, -1):
        for switch in _SWITCHES:
            text = _text(configuration, f"{'.'.join(parts[:at])}.{switch}")
            if text:
                return text.lower() == "true"
    return False


def _text(configuration: Configuration, key: str) -> str:
    found = configuration.look(key)
    return (found.value or "") if isinstance(found, Present) else ""
