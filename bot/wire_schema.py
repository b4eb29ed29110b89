"""The arena protocol as one published JSON Schema."""

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from bot import wire


def events_schema() -> dict[str, Any]:
    """The JSON Schema of every message, with the map from event names to messages."""
    models: list[type[BaseModel]] = [wire.Credentials, wire.Refusal, *wire.SERVER_EVENTS.values()]
    for request, answer in wire.CLIENT_EVENTS.values():
        models += [request, answer]
    unique = list(dict.fromkeys(models))
    _, schema = models_json_schema(
        [(model, "validation") for model in unique], title="Bluestone arena protocol"
    )
    ref = "#/$defs/{}".format
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "version": wire.VERSION,
        "auth": {"$ref": ref("Credentials")},
        "client_events": {
            name: {
                "send": {"$ref": ref(request.__name__)},
                "acknowledged": {
                    "oneOf": [{"$ref": ref(answer.__name__)}, {"$ref": ref("Refusal")}]
                },
            }
            for name, (request, answer) in wire.CLIENT_EVENTS.items()
        },
        "server_events": {
            name: {"$ref": ref(model.__name__)} for name, model in wire.SERVER_EVENTS.items()
        },
        "refusal_codes": wire.REFUSAL_CODES,
        **schema,
    }
