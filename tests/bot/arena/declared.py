"""What the rooms of an arena declare: its requests and its routes."""

from pathlib import Path
from typing import NamedTuple

import pytest
from aiohttp import web

from bot.arena.edge.requests import Requests
from bot.arena.http.routes import Routes
from bot.arena.request_table import RequestTable
from bot.arena.server import running_arena
from tests.bot.arena.table import settings


class Declared(NamedTuple):
    """The requests and routes of an arena with all our capabilities."""

    requests: RequestTable
    routes: Routes


async def declared(folder: Path) -> Declared:
    """Start an arena in the folder, and return what its rooms declare."""
    tables: list[RequestTable] = []
    routes: list[Routes] = []
    add_to, init = Routes.add_to, Requests.__init__

    def adding(self: Routes, app: web.Application) -> None:
        routes.append(self)
        add_to(self, app)

    def noting(self: Requests, *args: object) -> None:
        init(self, *args)  # type: ignore[arg-type]
        tables.append(self._table)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Routes, "add_to", adding)
        patch.setattr(Requests, "__init__", noting)
        async with running_arena(settings(folder)):
            return Declared(tables[0], routes[0])
