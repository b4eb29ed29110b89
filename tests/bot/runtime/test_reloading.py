"""Settings that are read again."""

from pydantic import BaseModel
from structlog.testing import capture_logs

from bot.errors import ConfigurationError
from bot.runtime.reloading import Reloader


class Settings(BaseModel):
    soft: int = 1
    hard: int = 1


class File:
    """What the next reading finds."""

    def __init__(self) -> None:
        self.content: Settings | None = Settings()

    def read(self) -> Settings:
        if self.content is None:
            raise ConfigurationError(["x.toml: soft: wrong", "x.toml: hard: wrong"])
        return self.content


def soft_only(running: Settings, new: Settings) -> Settings:
    return running.model_copy(update={"soft": new.soft})


def test_what_can_be_is_applied_and_the_rest_is_told_each_time() -> None:
    file = File()
    reloader = Reloader(Settings(), file.read)
    reloader.apply = soft_only
    with capture_logs() as log:
        file.content = Settings(soft=2, hard=2)
        reloader()
        reloader()
    assert [(each["applied"], each["need_restart"]) for each in log] == [
        (["soft"], ["hard"]),
        ([], ["hard"]),
    ]


def test_a_file_with_errors_changes_nothing() -> None:
    file = File()
    reloader = Reloader(Settings(), file.read)
    reloader.apply = soft_only
    file.content = None
    with capture_logs() as log:
        reloader()
    assert [each["event"] for each in log] == ["settings_refused"]
    assert log[0]["problems"] == ["x.toml: soft: wrong", "x.toml: hard: wrong"]
    file.content = Settings()
    with capture_logs() as log:
        reloader()
    assert (log[0]["applied"], log[0]["need_restart"]) == ([], [])


def test_without_a_way_to_apply_them_all_changes_need_a_restart() -> None:
    with capture_logs() as log:
        Reloader(Settings(), lambda: Settings(soft=3))()
    assert (log[0]["applied"], log[0]["need_restart"]) == ([], ["soft"])
