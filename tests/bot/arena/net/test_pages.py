"""The page as one script and one style sheet."""

import gzip
import re
import shutil
from pathlib import Path

import aiohttp
import brotli
import pytest

from bot.arena.net import pages
from bot.arena.net.pages import FILE, is_current, page_bundle
from bot.arena.server import running_arena
from tests.bot.arena.table import settings


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the page that a test may change."""
    copy = tmp_path / "web"
    shutil.copytree(pages.FOLDER, copy)
    monkeypatch.setattr(pages, "FOLDER", copy)
    return copy


async def index(folder: Path, **changes: object) -> str:
    async with (
        running_arena(settings(folder, **changes)) as url,
        aiohttp.ClientSession(url) as http,
        http.get("/") as response,
    ):
        return await response.text()


def test_the_bundle_is_made_of_the_scripts_that_are_here() -> None:
    assert is_current(pages.FOLDER), "run `make bundle` and commit bundle.js"


async def test_browsers_keep_assets_for_ever_and_ask_for_the_document(tmp_path: Path) -> None:
    async with running_arena(settings(tmp_path)) as url, aiohttp.ClientSession(url) as http:
        async with http.get("/") as response:
            text = await response.text()
            assert response.headers["Cache-Control"] == "no-cache"
        names = re.findall(r'"/(assets/[^"]+)"', text)
        assert [re.sub(r"\.[0-9a-f]{12}\.", ".", name) for name in dict.fromkeys(names)] == [
            "assets/icon.svg",
            "assets/main.js",
            "assets/main.css",
        ]
        assert "/css/" not in text
        for name in names:
            async with http.get(f"/{name}") as response:
                assert response.status == 200
                assert "immutable" in response.headers["Cache-Control"]
                assert response.headers["X-Content-Type-Options"] == "nosniff"
        async with http.get("/assets/main.000000000000.js") as response:
            assert response.status == 404
        async with http.get("/nowhere/at/all") as response:
            assert (response.status, await response.text()) == (404, text)


async def test_assets_are_compressed_as_the_browser_wishes() -> None:
    bundle = page_bundle(pages.FOLDER)
    assert bundle is not None
    for asset in [bundle.index, *bundle.assets.values()]:
        plain = asset.bodies["identity"]
        assert brotli.decompress(asset.bodies["br"]) == plain
        assert gzip.decompress(asset.bodies["gzip"]) == plain
    sizes = [len(asset.bodies["br"]) for asset in bundle.assets.values()]
    assert sum(sizes) < 100_000


async def test_scripts_that_are_newer_than_the_bundle_are_served_as_they_are(
    tmp_path: Path, web: Path
) -> None:
    assert "/assets/" in await index(tmp_path)
    shutil.copytree(web, tmp_path / "newer")
    with (tmp_path / "newer" / "js" / "main.js").open("a") as file:
        file.write("// changed\n")
    assert not is_current(tmp_path / "newer")
    assert page_bundle(tmp_path / "newer") is None
    (tmp_path / "newer" / FILE).unlink()
    assert not is_current(tmp_path / "newer")


async def test_an_operator_can_ask_for_the_scripts_as_they_are(tmp_path: Path) -> None:
    text = await index(tmp_path, page_sources=True)
    assert text == (pages.FOLDER / "index.html").read_text()
