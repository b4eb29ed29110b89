"""Logging: key=value for people on a terminal, else one JSON object a line; never a secret."""

import logging
import sys
from collections.abc import Iterable, Mapping
from typing import Final, Literal, TextIO

import orjson
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

SECRET_WORDS: Final = ("token", "secret", "password", "guest_key", "authorization")
REDACTED: Final = "[redacted]"
_LIBRARIES: Final = ("aiohttp", "asyncio", "socketio", "engineio", "aiosqlite")

Format = Literal["auto", "pretty", "json"]


def configure_logging(
    level: str = "info",
    output_format: Format = "auto",
    stream: TextIO = sys.stderr,
    secrets: Iterable[str] = (),
) -> None:
    """Set up structlog and the standard library's logging to write to `stream`.

    Whatever a key is called, no text of `secrets` is written.
    """
    pretty = output_format == "pretty" or (output_format == "auto" and stream.isatty())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="%H:%M:%S" if pretty else "iso", utc=not pretty),
        redact,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        _ScrubbingFormatter(
            secrets,
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *_renderers(pretty=pretty, colors=stream.isatty()),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for name in _LIBRARIES:
        logging.getLogger(name).setLevel(logging.WARNING)


def redact(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """A processor: the value of every key that is named like a secret is hidden, however deep."""
    return {key: _redacted(key, value) for key, value in event.items()}


def _redacted(key: str, value: object) -> object:
    if any(word in key.lower() for word in SECRET_WORDS):
        return REDACTED
    return _without_secrets(value)


def _without_secrets(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _redacted(str(key), inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_without_secrets(inner) for inner in value]
    return value


def _renderers(*, pretty: bool, colors: bool) -> list[Processor]:
    if pretty:
        # The rich tracebacks that are the default show local variables, secrets among them.
        plain = structlog.dev.plain_traceback
        return [structlog.dev.ConsoleRenderer(colors=colors, exception_formatter=plain)]
    return [
        structlog.processors.format_exc_info,
        structlog.processors.JSONRenderer(serializer=_to_json),
    ]


def _to_json(value: object, **_: object) -> str:
    return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()


class _ScrubbingFormatter(structlog.stdlib.ProcessorFormatter):
    """Cuts out secrets that hide in a message or a traceback."""

    def __init__(
        self,
        secrets: Iterable[str],
        foreign_pre_chain: list[Processor],
        processors: list[Processor],
    ) -> None:
        super().__init__(processors=processors, foreign_pre_chain=foreign_pre_chain)
        self._secrets = [secret for secret in secrets if secret]

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        for secret in self._secrets:
            line = line.replace(secret, REDACTED)
        return line
