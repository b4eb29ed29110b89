"""A tournament notices that another program lies under the command of a player."""

from pathlib import Path

from bot.matches.programs import program_hashes
from bot.matches.settings import EnginePlayer


def player(name: str, **fields: object) -> EnginePlayer:
    return EnginePlayer.model_validate({"name": name, **fields})


def test_the_hash_covers_the_program_and_the_files_of_its_command(tmp_path: Path) -> None:
    def hashes() -> dict[str, str]:
        script = player("script", command=["sh", "play.sh", "--fast"], directory=tmp_path)
        program = player("program", command=[str(tmp_path / "program")])
        return program_hashes([script, program])

    (tmp_path / "play.sh").write_text("echo 1")
    (tmp_path / "program").write_bytes(b"one")
    first = hashes()
    assert first == hashes()
    assert set(first) == {"script", "program"}
    (tmp_path / "play.sh").write_text("echo 2")
    assert {name for name in first if hashes()[name] != first[name]} == {"script"}
    (tmp_path / "program").write_bytes(b"two")
    assert {name for name in first if hashes()[name] != first[name]} == {"script", "program"}


def test_the_place_of_a_program_does_not_count(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "program").write_bytes(b"same")
    one, two = (
        player("A", command=["./program"], directory=tmp_path / folder) for folder in ("one", "two")
    )
    assert program_hashes([one]) == program_hashes([two]) != {}


def test_engines_without_a_file_here_have_none() -> None:
    missing = player("missing", command=["/nowhere/engine"])
    assert program_hashes([player("built-in"), missing]) == {}
