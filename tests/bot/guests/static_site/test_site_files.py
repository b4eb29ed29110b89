"""The folder of a static site has all that the page asks for."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, Final

import orjson
import pytest

import engine
from bot.arena.web.areas import areas_of
from bot.arena.web.engine_files import ENGINE
from bot.arena.web.page_bundle import BUNDLE, DIGEST, FOLDER, LANGUAGES, sources_digest
from bot.errors import ConfigurationError, HostError
from bot.guests.static_site.documents import NOT_FOUND
from bot.guests.static_site.folder import write_site
from bot.guests.static_site.site_files import checked_base, site_files
from bot.puzzles.library import games_with_puzzles, shipped
from engine.warming import kernels_version
from tests.bot.drawing.sheets import size_mm
from tests.house.test_addresses import without_comments
from tools.ahead.web_layout import page_boards

LITERAL: Final = re.compile(r"""["'`](/[a-z][^"'`\n$?]*)""")
"""An address in a script, up to what is inserted into it."""
NEEDS_SERVER: Final = (
    *("/api/games/", "/api/openings", "/api/position", "/api/records", "/api/tournaments"),
    *("/embed/", "/games", "/invite/", "/socket.io/", "/tournament"),
)
"""What the page asks of a server alone, or links to where there is one."""
WITHOUT_SITE: Final = frozenset({"embed"})
"""Folders of scripts that no page of the site uses, besides capabilities that need a server."""

Site = dict[str, bytes]


def page_copy(folder: Path, games: tuple[str, ...]) -> Path:
    """A copy of the page whose bundle is current, with an engine that does nothing."""
    page = folder / "page"
    shutil.copytree(FOLDER, page)
    shutil.rmtree(page / ENGINE, ignore_errors=True)
    (page / ENGINE).mkdir()
    (page / BUNDLE / DIGEST).write_text(sources_digest(page), encoding="utf-8")
    for info in engine.games():
        if info.name in games:
            layout = json.dumps({"sources": kernels_version()})
            (page / ENGINE / f"{info.name}.json").write_text(layout, encoding="utf-8")
            for name in (
                f"{info.name}.wasm",
                *(f"{info.name}-{each}.json" for each in page_boards(info.name)),
            ):
                (page / ENGINE / name).write_bytes(b"{}")
    return page


ALL: Final = tuple(info.name for info in engine.games())


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return page_copy(tmp_path_factory.mktemp("site"), ALL)


@pytest.fixture(scope="module")
def site(page: Path) -> Site:
    return site_files(folder=page)


def test_a_site_may_be_written_over_itself(site: Site, tmp_path: Path) -> None:
    write_site(tmp_path, site)
    write_site(tmp_path, site)
    files = (each for each in tmp_path.rglob("*") if each.is_file())
    assert {each.relative_to(tmp_path).as_posix() for each in files} == {*site}


def documents(site: Site) -> dict[str, str]:
    return {path: body.decode() for path, body in site.items() if path.endswith(".html")}


def scripts_of_site() -> Iterator[Path]:
    """The scripts that pages of the site may use."""
    areas = {area.name for area in areas_of(FOLDER) if area.needs_server} | WITHOUT_SITE
    for script in sorted((FOLDER / "js").glob("**/*.js")):
        if script.relative_to(FOLDER / "js").parts[0] not in areas:
            yield script


def is_answered(site: Site, address: str) -> bool:
    """Whether a file or a document is at an address, or below it if the address goes on."""
    path = address.removeprefix("/")
    top = path.partition("/")[0]
    return f"{top}/index.html" in site or any(each.startswith(path) for each in site)


def test_each_address_in_a_script_is_answered_or_needs_a_server(site: Site) -> None:
    unknown = {
        f"{script.name}: {address}"
        for script in scripts_of_site()
        for address in LITERAL.findall(without_comments(script.read_text(encoding="utf-8")))
        if not is_answered(site, address) and not address.startswith(NEEDS_SERVER)
    }
    assert unknown == set()


def test_a_new_address_is_noticed(site: Site) -> None:
    [address] = LITERAL.findall("await fetch(addressOf(`/api/new/${id}`));")
    assert not is_answered(site, address)
    assert not address.startswith(NEEDS_SERVER)


def test_each_address_in_a_document_has_a_file(site: Site) -> None:
    for path, text in documents(site).items():
        addresses = re.findall(r'\b(?:href|src)="([^"#]*)"', text)
        assert addresses
        for address in addresses:
            whole = f"/{PurePosixPath(path).parent}/{address}"
            parts = [each for each in whole.split("/") if each not in ("", ".")]
            while ".." in parts:
                place = parts.index("..")
                del parts[place - 1 : place + 1]
            found = "/".join(parts)
            assert found in site or f"{found}/index.html".lstrip("/") in site, (path, address)


def test_a_document_finds_its_folder_and_allows_only_its_own_scripts(site: Site) -> None:
    found = documents(site)
    assert 'data-base="."' in found["index.html"]
    others = set(found) - {"index.html"}
    assert {"analysis", "game", "learn", "puzzle", "puzzles", "rules"} == {
        each.partition("/")[0] for each in others
    }
    assert all('data-base=".."' in found[each] for each in others)
    for text in found.values():
        [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
        assert "script-src &#x27;self&#x27; &#x27;wasm-unsafe-eval&#x27;;" in policy
        assert "frame-ancestors" not in policy
        assert "/tournaments" not in text
        assert not re.search(r"<script[^>]*>[^<]", text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_text_of_a_document_can_be_translated(site: Site, language: str) -> None:
    text = documents(site)["index.html"]
    keys = re.findall(r'data-text(?:-[\w-]+)?="([^"]*)"', text)
    assert len(keys) > 10
    for key in keys:
        area, _, name = key.partition(".")
        assert name in orjson.loads(site[f"messages/{language}/{area}.json"])
    assert not re.search(r"\{\w+\.[\w.]+\}", text)


def test_with_a_path_all_addresses_have_it(page: Path) -> None:
    site = site_files("/games", page)
    assert NOT_FOUND in site
    for text in documents(site).values():
        assert 'data-base="/games"' in text
        assert all(
            each.startswith("/games/") for each in re.findall(r'\b(?:href|src)="([^"#]*)"', text)
        )
    assert orjson.loads(site["manifest.webmanifest"])["start_url"] == "/games/"


def test_at_the_top_of_a_site_all_addresses_are_absolute(page: Path) -> None:
    site = site_files("", page)
    assert NOT_FOUND in site
    for text in documents(site).values():
        assert "data-base" not in text
        assert all(each[0] == "/" for each in re.findall(r'\b(?:href|src)="([^"#]*)"', text))


def test_the_manifest_is_relative_without_a_path(site: Site) -> None:
    manifest = orjson.loads(site["manifest.webmanifest"])
    assert manifest["start_url"] == "./"
    assert "id" not in manifest
    assert all(each["src"].removeprefix("./") in site for each in manifest["icons"])


def boards_in(data: Any) -> Iterator[str]:
    """The boards that a lesson names."""
    match data:
        case {"board": str(board), **rest}:
            yield board
            yield from boards_in(list(rest.values()))
        case dict():
            yield from boards_in(list(data.values()))
        case list():
            for each in data:
                yield from boards_in(each)
        case _:
            pass


@pytest.mark.parametrize("game", ALL)
def test_each_board_of_a_lesson_or_a_puzzle_is_there(site: Site, game: str) -> None:
    name = f"api/puzzles/{game}.json"
    puzzles = orjson.loads(site[name])["puzzles"] if name in site else []
    lessons = set(boards_in(orjson.loads(site[f"lessons/{game}.json"])))
    assert bool(puzzles) == (game in games_with_puzzles())
    assert lessons
    for board in {each["board"] for each in puzzles} | lessons:
        assert f"api/boards/{game}/{board}.json" in site


def test_only_boards_with_an_engine_are_offered(site: Site) -> None:
    for offer in orjson.loads(site["api/games.json"])["games"]:
        assert offer["board_forms"] == []
        assert offer["boards"]
        assert all(f"engine/{offer['game']}-{board}.json" in site for board in offer["boards"])


@pytest.mark.parametrize("game", ALL)
def test_each_offered_board_can_be_printed(site: Site, game: str) -> None:
    [offer] = [
        each for each in orjson.loads(site["api/games.json"])["games"] if each["game"] == game
    ]
    for board in offer["boards"]:
        for paper, width, height in (("A4", 210, 297), ("A3", 297, 420), ("Letter", 215.9, 279.4)):
            for ending in ("", "-coordinates"):
                sheet = site[f"sheets/{game}/{board}-{paper}{ending}.pdf"]
                assert sorted(size_mm(sheet)) == pytest.approx([width, height], abs=0.001)


def test_what_a_browser_keeps_for_times_without_a_connection_is_there(site: Site) -> None:
    kept = orjson.loads(site["assets/offline.json"])
    paths = {each.removeprefix("/") for each in kept["files"]}
    assert paths <= set(site)
    assert {each for each in site if each.startswith(("assets/", "api/", "lessons/"))} <= paths
    assert all(f"messages/en/{area}.json" in site for area in kept["texts"])


def test_without_the_engine_or_the_bundle_it_says_what_to_run(tmp_path: Path) -> None:
    page = page_copy(tmp_path, ALL[:1])
    with pytest.raises(HostError, match=r"not built for blooms, .*python -m tools\.ahead --page"):
        site_files(folder=page)
    (page / BUNDLE / DIGEST).write_text("old", encoding="utf-8")
    with pytest.raises(HostError, match="make bundle"):
        site_files(folder=page / ".." / "page")  # another name, because a page is read once


@pytest.mark.parametrize(("text", "base"), [("", ""), ("/", ""), ("/a/b-c/", "/a/b-c")])
def test_the_path_of_a_site(text: str, base: str) -> None:
    assert checked_base(text) == base


@pytest.mark.parametrize("text", ["games", "//a", "/a b", '/"', "https://site.example/a"])
def test_what_is_no_path(text: str) -> None:
    with pytest.raises(ConfigurationError, match="--base"):
        checked_base(text)


@pytest.mark.parametrize("game", ALL)
def test_all_puzzles_are_in_the_site(site: Site, game: str) -> None:
    puzzles = orjson.loads(site[f"api/puzzles/{game}.json"])["puzzles"]
    assert {each["id"] for each in puzzles} == {each.id for each in shipped(game)}
