"""The arena protocol as one published JSON Schema.

Messages of clients are described as strictly as the server validates them. Messages of the server
are open, because the server may add fields within a version, and a client that validates with an
older schema must accept them. A type that goes both ways is therefore in the schema twice, as
`-Input` and as `-Output`.
"""

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, models_json_schema
from pydantic_core import core_schema

from bot import wire


class _Published(GenerateJsonSchema):
    """The mode `validation` describes messages of clients, `serialization` those of the server."""

    def model_schema(self, schema: core_schema.ModelSchema) -> dict[str, Any]:
        described = super().model_schema(schema)
        if self.mode == "serialization":
            described.pop("additionalProperties", None)
        return described

    def dict_schema(self, schema: core_schema.DictSchema) -> dict[str, Any]:
        described = super().dict_schema(schema)
        if self.mode == "validation" and "patternProperties" in described:
            described["additionalProperties"] = False
        return described

    def field_is_required(
        self,
        field: core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField,
        total: bool,
    ) -> bool:
        # The server sends every field, even one with its default value.
        return self.mode == "serialization" or super().field_is_required(field, total)


def events_schema() -> dict[str, Any]:
    """Return the JSON Schema of every message, with the map from event names to messages."""
    sent: list[type[BaseModel]] = [
        wire.Credentials,
        *(request for request, _ in wire.CLIENT_EVENTS.values()),
    ]
    told: list[type[BaseModel]] = [
        wire.Refusal,
        *(answer for _, answer in wire.CLIENT_EVENTS.values()),
        *wire.SERVER_EVENTS.values(),
    ]
    places, schema = models_json_schema(
        [*_in_mode("validation", sent), *_in_mode("serialization", told)],
        title="Bluestone arena protocol",
        schema_generator=_Published,
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "version": wire.VERSION,
        "auth": places[wire.Credentials, "validation"],
        "client_events": {
            name: {
                "send": places[request, "validation"],
                "acknowledged": {
                    "oneOf": [
                        places[answer, "serialization"],
                        places[wire.Refusal, "serialization"],
                    ]
                },
            }
            for name, (request, answer) in wire.CLIENT_EVENTS.items()
        },
        "server_events": {
            name: places[model, "serialization"] for name, model in wire.SERVER_EVENTS.items()
        },
        "refusal_codes": wire.REFUSAL_CODES,
        "repeatable_codes": wire.REPEATABLE_CODES,
        "challenge_codes": wire.CHALLENGE_CODES,
        **schema,
    }


def _in_mode(
    mode: JsonSchemaMode, models: Iterable[type[BaseModel]]
) -> list[tuple[type[BaseModel], JsonSchemaMode]]:
    return [(model, mode) for model in dict.fromkeys(models)]
