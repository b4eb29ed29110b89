"""`bluestone arena migrate`."""

import asyncio
import json
from pathlib import Path

import pytest

from bot.arena.players.accounts import issue_token
from bot.arena.store.sqlite_database import FILE_NAME
from tests.bot.cli.commands import Bluestone
from tests.fakes.postgres import Postgres


@pytest.mark.xdist_group("postgres")
def test_tables_are_listed_with_their_rows(
    bluestone: Bluestone, tmp_path: Path, postgres: Postgres
) -> None:
    asyncio.run(issue_token(tmp_path, "robot"))
    words = ("arena", "migrate", "--from", tmp_path / FILE_NAME, "--to", postgres.create())
    done = bluestone(*words, "--json")
    assert done.code == 0
    found = {each["table"]: each for each in json.loads(done.out)["tables"]}
    assert (found["accounts"]["rows"], found["tokens"]["rows"], found["games"]["rows"]) == (1, 1, 0)
    again = bluestone(*words)
    assert again.code != 0
    assert "is not empty" in again.err


def test_a_target_is_required(bluestone: Bluestone, tmp_path: Path) -> None:
    done = bluestone("arena", "migrate", "--from", tmp_path / FILE_NAME)
    assert done.code != 0
    assert "--to" in done.err


@pytest.mark.parametrize("url", ["postgresql://a:secret@db/x", "postgresql://db/x?password=secret"])
def test_a_password_among_the_arguments_is_refused(
    bluestone: Bluestone, tmp_path: Path, url: str
) -> None:
    done = bluestone("arena", "migrate", "--from", tmp_path / FILE_NAME, "--to", url)
    assert done.code != 0
    assert "~/.pgpass" in done.err
    assert "secret" not in done.err
