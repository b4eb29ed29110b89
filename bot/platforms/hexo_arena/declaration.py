"""What the bot declares about itself: its text, its version, and the clocks that it plays."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import structlog

from bot.errors import PeerError, RefusedByServer
from bot.platforms.base import NoAnswer, NotNow
from bot.platforms.hexo_arena.api import Api
from bot.platforms.hexo_arena.messages import Accepts, Account
from bot.time_source import TimeSource

NEWER_KEYS: Final = ("levels", "analyzer", "repoUrl", "version", "about")
"""Keys that an older server may not know, the newest first. It refuses a body with one of them."""

AGAIN_S: Final = 30.0

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Declaration:
    """Texts that are None are left as they are on the site."""

    accepts: Accepts
    about: str | None = None
    version: str | None = None
    repo_url: str | None = None

    def fields(self) -> dict[str, object]:
        """Return the body of the request.

        Levels and the analyzer are cleared: another program may have declared them.
        """
        texts = {"about": self.about, "version": self.version, "repoUrl": self.repo_url}
        told = {key: text for key, text in texts.items() if text is not None}
        accepts = self.accepts.model_dump(mode="json", by_alias=True)
        return {**told, "accepts": accepts, "levels": None, "analyzer": None}

    def differs_from(self, account: Account) -> bool:
        """Return whether the site has anything else."""
        stored: Mapping[str, object] = account.model_dump(mode="json", by_alias=True)
        return any(
            (stored.get(key) or None) != (value or None) for key, value in self.fields().items()
        )


async def declare(api: Api, declaration: Declaration, account: Account) -> Account:
    """Return our account, after a change of the declaration if it differs.

    Drops newer keys one by one while the server refuses the body. If it refuses the rest too, the
    old declaration stays, and an error is logged. Raises NoAnswer, NotNow and RefusedByServer.
    """
    if not declaration.differs_from(account):
        return account
    fields = declaration.fields()
    why = ""
    for key in (*NEWER_KEYS, ""):
        try:
            return await api.declare(fields)
        except (NoAnswer, NotNow, RefusedByServer):
            raise
        except PeerError as error:
            why = str(error)
        fields.pop(key, None)
    log.error("declaration_refused", why=why)
    return account


async def declare_patiently(
    api: Api, declaration: Declaration, account: Account, time: TimeSource
) -> None:
    """Declare, and try again while the server cannot answer.

    Games go on meanwhile, so nothing waits for it.
    """
    while True:
        try:
            await declare(api, declaration, account)
        except RefusedByServer:
            return  # the stream is refused as well, which ends the run
        except NotNow as error:
            await time.sleep(error.retry_after_s)
        except NoAnswer:
            await time.sleep(AGAIN_S)
        else:
            return
