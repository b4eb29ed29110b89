"""What `bluestone static` tells about the folder that it wrote."""

from pathlib import Path

import pytest

from bot.guests.static_site.static import static


@pytest.fixture(autouse=True)
def no_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.guests.static_site.site_files.site_files", lambda _base: {})
    monkeypatch.setattr("bot.guests.static_site.folder.write_site", lambda _folder, _files: None)


@pytest.mark.parametrize(
    ("folder", "base", "served", "address"),
    [
        ("site", None, "site", "/"),
        ("site", "/", "site", "/"),
        ("web/games", "/games", "web", "/games/"),
        ("web/a/b", "/a/b", "web", "/a/b/"),
    ],
)
def test_the_printed_command_serves_the_site_where_its_addresses_lead(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    folder: str,
    base: str | None,
    served: str,
    address: str,
) -> None:
    static(tmp_path / folder, base=base)
    told = capsys.readouterr().err
    assert f"--directory {tmp_path / served}\n" in told
    assert f"Then open http://127.0.0.1:8000{address}\n" in told


def test_a_folder_with_another_name_cannot_be_looked_at_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    static(tmp_path / "site", base="/games")
    told = capsys.readouterr().err
    assert "http.server" not in told
    assert "/games/" in told
