"""The page as one script and one style sheet."""

import gzip
import json
import re
import shutil
from pathlib import Path

import aiohttp
import brotli
import pytest

from bot.arena.http.security_headers import POLICY
from bot.arena.server import running_arena
from bot.arena.web import page_bundle as bundles
from bot.arena.web.engine_files import ENGINE
from bot.arena.web.page_bundle import (
    BUNDLE,
    DIGEST,
    FOLDER,
    LANGUAGES,
    is_current,
    localized,
    page_bundle,
)
from engine.warming import kernels_version
from tests.bot.arena.table import settings


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the page that a test may change."""
    copy = tmp_path / "web"
    shutil.copytree(FOLDER, copy)
    monkeypatch.setattr(bundles, "FOLDER", copy)
    return copy


async def index(folder: Path, **changes: object) -> str:
    async with (
        running_arena(settings(folder, **changes)) as url,
        aiohttp.ClientSession(url) as http,
        http.get("/") as response,
    ):
        return await response.text()


def untagged(text: str) -> str:
    """The document without the tags for other sites, which depend on its address."""
    return re.sub(r' *<meta (?:property="og:|name="twitter:).*/>\n| data-engine="[^"]*"', "", text)


def test_the_bundle_is_made_of_the_scripts_that_are_here() -> None:
    assert is_current(FOLDER), "run `make bundle` and commit the bundle"


async def test_browsers_keep_assets_for_ever_and_ask_for_the_document(tmp_path: Path) -> None:
    async with running_arena(settings(tmp_path)) as url, aiohttp.ClientSession(url) as http:
        async with http.get("/") as response:
            text = await response.text()
            assert response.headers["Cache-Control"] == "no-cache"
        names = re.findall(r'"/((?:assets|messages)/[^"]+)"', text)
        plain = {re.sub(r"[.-]\w{8,12}\.|\?v=.*", ".", name) for name in names}
        assert {"assets/icon.svg", "assets/main.js", "assets/main.css", "assets/app.js"} <= plain
        assert "messages/en/lobby.json." in plain
        assert "/css/" not in text
        for name in names:
            async with http.get(f"/{name}") as response:
                assert response.status == 200
                assert "immutable" in response.headers["Cache-Control"]
                assert response.headers["X-Content-Type-Options"] == "nosniff"
        async with http.get("/assets/main.000000000000.js") as response:
            assert response.status == 404
        async with http.get("/nowhere/at/all") as response:
            missing = untagged(await response.text())
            assert (response.status, missing) == (404, untagged(text))


async def test_assets_are_compressed_as_the_browser_wishes() -> None:
    bundle = page_bundle(FOLDER)
    assert bundle is not None
    for asset in [*bundle.index.values(), *bundle.assets.values(), *bundle.texts.values()]:
        plain = asset.bodies["identity"]
        assert brotli.decompress(asset.bodies["br"]) == plain
        assert gzip.decompress(asset.bodies["gzip"]) == plain


async def test_scripts_that_are_newer_than_the_bundle_are_served_as_they_are(
    tmp_path: Path, web: Path
) -> None:
    assert "/assets/" in await index(tmp_path)
    shutil.copytree(web, tmp_path / "newer")
    with (tmp_path / "newer" / "js" / "main.js").open("a") as file:
        file.write("// changed\n")
    assert not is_current(tmp_path / "newer")
    assert page_bundle(tmp_path / "newer") is None
    (tmp_path / "newer" / BUNDLE / DIGEST).unlink()
    assert not is_current(tmp_path / "newer")


async def test_an_operator_can_ask_for_the_scripts_as_they_are(tmp_path: Path) -> None:
    text = await index(tmp_path, page_sources=True)
    assert untagged(text) == localized(FOLDER, "en")
    assert '<script type="module" src="/js/main.js">' in text


@pytest.mark.parametrize(
    ("headers", "language"),
    [
        ({}, "en"),
        ({"Accept-Language": "de-CH, en;q=0.8"}, "de"),
        ({"Accept-Language": "pt-BR, en;q=0.3, it;q=0.9"}, "it"),
        ({"Accept-Language": "fr;q=0, ja"}, "en"),
        ({"Accept-Language": "*, ;q=x, es ; q=1"}, "es"),
        ({"Accept-Language": "de", "Cookie": "language=fr"}, "fr"),
        ({"Accept-Language": "de", "Cookie": "language=xx"}, "de"),
    ],
)
async def test_the_document_has_the_language_of_the_browser(
    tmp_path: Path, headers: dict[str, str], language: str
) -> None:
    async with (
        running_arena(settings(tmp_path)) as url,
        aiohttp.ClientSession(url) as http,
        http.get("/", headers=headers) as response,
    ):
        assert f'lang="{language}"' in await response.text()
        assert response.headers["Vary"] == "Accept-Encoding, Accept-Language, Cookie"


@pytest.mark.parametrize("sources", [False, True])
async def test_texts_are_in_english_where_they_are_not_translated(
    tmp_path: Path, web: Path, sources: bool
) -> None:
    bundles.page_bundle.cache_clear()
    (web / "messages" / "en" / "area.json").write_text('{"one": "One", "two": "Two"}')
    (web / "messages" / "de").mkdir(exist_ok=True)
    (web / "messages" / "de" / "area.json").write_text('{"one": "Eins"}')
    async with (
        running_arena(settings(tmp_path, page_sources=sources)) as url,
        aiohttp.ClientSession(url) as http,
    ):
        async with http.get("/messages/de/area.json") as response:
            assert await response.json() == {"one": "Eins", "two": "Two"}
        for wrong in ("de/other", "xx/area", "../en/area"):
            async with http.get(f"/messages/{wrong}.json") as response:
                assert response.status == 404


@pytest.mark.parametrize("sources", [False, True])
async def test_lessons_are_data_of_the_page(tmp_path: Path, web: Path, sources: bool) -> None:
    bundles.page_bundle.cache_clear()
    (web / "lessons" / "clump.json").write_text('{"game": "clump"}')
    async with (
        running_arena(settings(tmp_path, page_sources=sources)) as url,
        aiohttp.ClientSession(url) as http,
    ):
        async with http.get("/lessons/clump.json") as response:
            assert response.content_type == "application/json"
            assert await response.json() == {"game": "clump"}
        for wrong in ("none", "Clump", "../index"):
            async with http.get(f"/lessons/{wrong}.json") as response:
                assert response.status == 404
        for path, status in (("/learn", 200), ("/learn/clump", 200), ("/rules/clump", 200)):
            async with http.get(path) as response:
                assert response.status == status


def build_in(text: str) -> str:
    build = re.search(r'data-build="(\w+)"', text)
    assert build is not None
    return build[1]


@pytest.fixture
def modules(web: Path) -> None:
    """Games for browsers: all but the first one have a damaged layout, or are of other sources."""
    shutil.rmtree(web / ENGINE, ignore_errors=True)
    (web / ENGINE).mkdir()
    for game, layout in (
        ("clump", json.dumps({"sources": kernels_version()})),
        ("older", json.dumps({"sources": "0123"})),
        ("half", '{"sources": "'),
        ("other", "[]"),
    ):
        (web / ENGINE / f"{game}.wasm").write_bytes(b"\0asm")
        (web / ENGINE / f"{game}.json").write_text(layout)
        (web / ENGINE / f"{game}-board.json").write_text("{}")
    bundles.page_bundle.cache_clear()


@pytest.mark.usefixtures("modules")
@pytest.mark.parametrize("sources", [False, True])
async def test_browsers_get_the_engine_if_it_fits(tmp_path: Path, sources: bool) -> None:
    async with (
        running_arena(settings(tmp_path, page_sources=sources)) as url,
        aiohttp.ClientSession(url) as http,
    ):
        async with http.get("/") as response:
            assert 'data-engine="clump"' in await response.text()
            assert "script-src 'self' 'wasm-unsafe-eval';" in response.headers[POLICY]
        for name, kind in (
            ("clump.wasm", "application/wasm"),
            ("clump.json", "application/json"),
            ("clump-board.json", "application/json"),
        ):
            async with http.get(f"/{ENGINE}/{name}") as response:
                assert (response.status, response.content_type) == (200, kind)
                assert response.headers["Cache-Control"] == "no-cache"
        damaged = ("half.wasm", "half.json", "other.wasm")
        for wrong in ("older.wasm", "older-board.json", *damaged, "none.wasm", "..%2Findex.html"):
            async with http.get(f"/{ENGINE}/{wrong}") as response:
                assert response.status == 404


@pytest.mark.usefixtures("modules")
async def test_browsers_keep_the_engine_of_a_version_for_ever(tmp_path: Path) -> None:
    build = build_in(await index(tmp_path))
    async with (
        running_arena(settings(tmp_path)) as url,
        aiohttp.ClientSession(url) as http,
        http.get(f"/{ENGINE}/clump.wasm?v={build}") as response,
    ):
        assert "immutable" in response.headers["Cache-Control"]


@pytest.mark.usefixtures("modules")
async def test_nothing_of_this_version_is_kept_as_a_part_of_another_one(
    tmp_path: Path, web: Path
) -> None:
    """An open page of an earlier version asks for files by its own version."""
    (web / "lessons" / "clump.json").write_text('{"game": "clump"}')
    build = build_in(await index(tmp_path))
    async with (
        running_arena(settings(tmp_path)) as url,
        aiohttp.ClientSession(url) as http,
    ):
        async with http.get(f"/assets/offline.json?v={build}") as response:
            listed = await response.json()
        texts = [f"/messages/de/{area}.json" for area in listed["texts"]]
        paths = ["/assets/offline.json", "/lessons/clump.json", *listed["files"], *texts]
        for path in paths:
            is_named_by_content = path.startswith("/assets/") and path != "/assets/offline.json"
            async with http.get(f"{path}?v={build}") as response:
                assert "immutable" in response.headers["Cache-Control"], path
            async with http.get(f"{path}?v=0123456789ab") as response:
                assert response.status == (404 if path.startswith(f"/{ENGINE}/") else 200), path
                caching = response.headers.get("Cache-Control", "")
                assert ("immutable" in caching) is is_named_by_content, path


@pytest.mark.usefixtures("modules")
@pytest.mark.parametrize("sources", [False, True])
async def test_an_engine_that_is_built_later_is_noticed(
    tmp_path: Path, web: Path, sources: bool
) -> None:
    (web / ENGINE).rename(tmp_path / "built")
    bundles.page_bundle.cache_clear()
    async with (
        running_arena(settings(tmp_path, page_sources=sources)) as url,
        aiohttp.ClientSession(url) as http,
    ):
        async with http.get("/") as response:
            assert "data-engine" not in await response.text()
        (tmp_path / "built").rename(web / ENGINE)
        async with http.get("/") as response:
            assert 'data-engine="clump"' in await response.text()
        async with http.get(f"/{ENGINE}/clump.wasm") as response:
            assert response.status == 200


@pytest.mark.usefixtures("modules")
async def test_what_a_browser_keeps_for_times_without_a_connection_is_served(
    tmp_path: Path,
) -> None:
    async with (
        running_arena(settings(tmp_path)) as url,
        aiohttp.ClientSession(url) as http,
    ):
        async with http.get("/assets/offline.json") as response:
            listed = await response.json()
        texts = [f"/messages/en/{area}.json" for area in listed["texts"]]
        assert {"/engine/clump.wasm", "/engine/clump-board.json"} < {*listed["files"]}
        assert "/messages/en/outside.json" in texts
        for path in [*listed["files"], *texts]:
            async with http.get(path) as response:
                assert response.status == 200, path


async def test_a_page_without_the_engine_says_so(tmp_path: Path, web: Path) -> None:
    shutil.rmtree(web / ENGINE, ignore_errors=True)
    bundles.page_bundle.cache_clear()
    assert "data-engine" not in await index(tmp_path)


def test_each_language_has_a_document() -> None:
    bundle = page_bundle(FOLDER)
    assert bundle is not None
    assert tuple(bundle.index) == LANGUAGES
