"""What the bot declares about itself: its text, its version, and the clocks that it plays."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import structlog

from bot.errors import PeerError, RefusedByServer
from bot.guests.hexo_arena.api import Api
from bot.guests.hexo_arena.messages import Accepts, Account
from bot.platforms.base import NoAnswer, NotNow
from bot.time_source import TimeSource

NEWER_KEYS: Final = ("levels", "analyzer", "repoUrl", "version", "about")
"""Keys that an older server may not know, the newest first. It refuses a body with one of them."""

AGAIN_S: Final = 30.0

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Declaration:
    """Empty texts are cleared on the site, where an earlier program may have left others."""

    accepts: Accepts
    about: str = ""
    version: str = ""
    repo_url: str = ""

    def fields(self) -> dict[str, object]:
        """Return the body of the request.

        Levels and the analyzer are cleared, because another program may have declared them. The
        bot plays all games at the level of its settings; the site would not rate games at others.
        """
        texts = {"about": self.about, "version": self.version, "repoUrl": self.repo_url}
        accepts = self.accepts.model_dump(mode="json", by_alias=True)
        return {**texts, "accepts": accepts, "levels": None, "analyzer": None}

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
    stored = account.model_dump(mode="json", by_alias=True)
    fields = declaration.fields()
    fields = {key: value for key, value in fields.items() if value != "" or stored.get(key)}
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
