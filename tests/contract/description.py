"""GitHub's OpenAPI description, cut to the operations in use: finds operations, checks queries, bodies and answers.

The file comes from the npm package that `.ci/contract` installs; nothing of it is kept in this repository.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from openapi_schema_validator import OAS30Validator, oas30_format_checker
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT4

FILE = Path(__file__).parents[2] / "node_modules/@octokit/openapi/generated/api.github.com.json"
_ROOT = "urn:github"
# GitHub takes ranges (`A..B`, `>=A`) where its description says one point in time.
RANGES = frozenset({"created"})


class Description:
    """The part of the description that `operations` (method, path template) need."""

    def __init__(self, whole: Mapping[str, Any], operations: set[tuple[str, str]]) -> None:
        self.missing = sorted(
            f"{method} {path}" for method, path in operations if method.lower() not in whole["paths"].get(path, {})
        )
        self.document = _cut(whole, operations)
        resource = Resource(contents=self.document, specification=DRAFT4)
        self._registry: Registry[Any] = Registry().with_resource(_ROOT, resource)

    def errors_of_request(self, method: str, template: str, query: Mapping[str, str], body: bytes) -> list[str]:
        operation = self._operation(method, template)
        known = {one["name"]: one for one in map(self._resolve, operation.get("parameters", ()))}
        found = [f"query {name!r} is not described" for name in query if known.get(name, {}).get("in") != "query"]
        for name, value in query.items():
            schema = self._resolve(known.get(name, {}).get("schema", {}))
            if name not in RANGES:
                found += [f"query {name}: {one}" for one in self._errors(schema, _typed(value, schema))]
        wanted = [name for name, one in known.items() if one["in"] == "query" and one.get("required")]
        found += [f"query {name!r} is required" for name in wanted if name not in query]
        return found + self._errors_of_body(operation, body)

    def _errors_of_body(self, operation: Mapping[str, Any], body: bytes) -> list[str]:
        described = operation.get("requestBody")
        if described is None:
            return ["a body is not described"] if body else []
        if not body:
            return ["a body is required"] if described.get("required") else []
        schema = described["content"]["application/json"]["schema"]
        decoded = json.loads(body)
        # Schemas allow any further property; a misspelled one would pass unseen.
        properties = set(self._properties(schema))
        unknown = [f"body {name!r} is not described" for name in decoded if properties and name not in properties]
        return unknown + [f"body: {one}" for one in self._errors(schema, decoded)]

    def _properties(self, schema: Mapping[str, Any]) -> Iterator[str]:
        schema = self._resolve(schema)
        yield from schema.get("properties", {})
        for kind in ("oneOf", "anyOf", "allOf"):
            for one in schema.get(kind, ()):
                yield from self._properties(one)

    def errors_of_answer(self, method: str, template: str, status: int, body: Any) -> list[str]:
        described = self._operation(method, template)["responses"].get(str(status))
        if described is None:
            return [f"status {status} is not described"]
        content = self._resolve(described).get("content", {}).get("application/json")
        if content is None:
            return [] if body is None or status >= 300 else ["a body is not described"]
        return [f"answer: {one}" for one in self._errors(content["schema"], body)]

    def _operation(self, method: str, template: str) -> Mapping[str, Any]:
        operation: Mapping[str, Any] = self.document["paths"][template][method.lower()]
        return operation

    def _resolve(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in value:
            found: Any = self.document
            for part in value["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            value = found
        return value

    def _errors(self, schema: Mapping[str, Any], value: Any) -> list[str]:
        absolute = json.loads(re.sub(r'"#/', f'"{_ROOT}#/', json.dumps(schema)))
        validator = OAS30Validator(absolute, registry=self._registry, format_checker=oas30_format_checker)
        errors = validator.iter_errors(value)
        return [f"{'/'.join(map(str, one.absolute_path))}: {one.message:.200}" for one in errors]


def _typed(text: str, schema: Mapping[str, Any]) -> Any:
    """A query's text as the type that the schema wants, or as the text it is."""
    match schema.get("type"):
        case "integer" if text.lstrip("-").isdecimal():
            return int(text)
        case "boolean" if text in ("true", "false"):
            return text == "true"
        case _:
            return text


def _cut(whole: Mapping[str, Any], operations: set[tuple[str, str]]) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for method, path in sorted(operations):
        described = whole["paths"].get(path, {})
        if method.lower() in described:
            paths.setdefault(path, {})[method.lower()] = described[method.lower()]
    kept: dict[str, Any] = {"paths": paths, "components": {}}
    pending = list(_references(paths))
    while pending:
        kind, name = pending.pop()
        kinds = kept["components"].setdefault(kind, {})
        if name not in kinds:
            kinds[name] = whole["components"][kind][name]
            pending += _references(kinds[name])
    _drop_discriminators(kept)
    return kept


def _drop_discriminators(value: Any) -> None:
    """They only steer messages, and one of GitHub's names a list's type, which no list can carry."""
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        if isinstance(one, dict) and "oneOf" in one:
            one.pop("discriminator", None)
        _drop_discriminators(one)


def _references(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        reference = value.get("$ref")
        if isinstance(reference, str):
            _, _, kind, name = reference.split("/")
            yield kind, name
        for key, one in value.items():
            if key != "examples":
                yield from _references(one)
    elif isinstance(value, list):
        for one in value:
            yield from _references(one)
