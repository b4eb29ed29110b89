import sys
from pathlib import Path

import pytest

from bot.engines.spec import EngineSpec
from bot.errors import ConfigurationError
from bot.matches.distributed.cluster import Question
from bot.matches.distributed.own_engines import ENGINES_VARIABLE, OwnEngines


def engines_of(folder: Path, text: str) -> OwnEngines:
    path = folder / "engines.toml"
    path.write_text(text)
    return OwnEngines.of_environment({ENGINES_VARIABLE: str(path)})


def test_an_engine_is_found_where_this_machine_has_it(tmp_path: Path) -> None:
    engines = engines_of(tmp_path, '[engines.mine]\ncommand = "/here/mine --fast"\n')
    wanted = EngineSpec(name="mine", command=["/there/mine"])
    assert engines.of(wanted).command == ["/here/mine", "--fast"]


def test_a_player_of_a_match_is_known_by_the_name_of_its_engine(tmp_path: Path) -> None:
    engines = engines_of(tmp_path, '[engines.mine]\ncommand = "/here/mine"\n')
    wanted = EngineSpec(name="mine:Level=3 (2)", command=["/there/mine"])
    found = engines.of(wanted)
    assert (found.name, found.command) == ("mine:Level=3 (2)", ["/here/mine"])


def test_options_of_the_game_go_before_those_of_the_machine(tmp_path: Path) -> None:
    engines = engines_of(
        tmp_path, '[engines.mine]\ncommand = "m"\noptions = { Level = 1, Hash = 64 }\n'
    )
    wanted = EngineSpec(name="mine", options={"Level": "7"})
    assert engines.of(wanted).options == {"Level": "7", "Hash": "64"}


def test_what_the_machine_does_not_name_is_started_as_the_game_says() -> None:
    wanted = EngineSpec(name="search", builtin="search")
    assert OwnEngines.of_environment({}).of(wanted) == wanted


def test_programs_that_are_not_there_are_named(tmp_path: Path) -> None:
    engines = OwnEngines.of_environment({})
    wanted = [
        EngineSpec(name="there", command=[sys.executable]),
        EngineSpec(name="gone", command=["/no/such/program"]),
        EngineSpec(name="elsewhere", command=["./run"], directory=tmp_path / "nowhere"),
        EngineSpec(name="unknown", builtin="unheard-of"),
        EngineSpec(name="known", builtin="random"),
    ]
    assert engines.lacking(wanted) == {
        "gone": "there is no program '/no/such/program'",
        "elsewhere": f"there is no folder '{tmp_path / 'nowhere'}'",
        "unknown": "there is no built-in engine 'unheard-of'",
    }


@pytest.mark.parametrize(
    "spec",
    [EngineSpec(name="mine", command=["mine", "--fast"]), EngineSpec(builtin="random")],
)
def test_a_spec_arrives_as_it_was_sent(spec: EngineSpec) -> None:
    question = Question(engines=(spec,))
    assert Question.model_validate_json(question.model_dump_json()) == question


@pytest.mark.parametrize("text", ["[engines.mine]\ncomand = 'm'\n", "engines = 3\n", "["])
def test_a_file_that_is_none_of_engines_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigurationError):
        engines_of(tmp_path, text)
