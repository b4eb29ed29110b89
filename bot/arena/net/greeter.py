"""What a client is told as it comes, and of what it hears from then on."""

from bot import wire
from bot.arena.net.clients import Client
from bot.arena.net.outbox import EVERYBODY, Outbox, player_room
from bot.arena.service.challenges import Challenges
from bot.arena.service.games import Games
from bot.arena.service.lobby import Lobby
from bot.arena.service.tournaments import Tournaments
from bot.arena.store.accounts import Login
from bot.arena.store.archive import SOFTWARE
from bot.time_source import TimeSource


class Greeter:
    """Welcomes clients when they come, and again when they have another name."""

    def __init__(
        self,
        outbox: Outbox,
        games: Games,
        challenges: Challenges,
        tournaments: Tournaments,
        lobby: Lobby,
        time: TimeSource,
    ) -> None:
        self._outbox = outbox
        self._games = games
        self._challenges = challenges
        self._tournaments = tournaments
        self._lobby = lobby
        self._time = time

    def greet(self, client: Client, login: Login) -> None:
        connection, player = client.connection, client.player
        if login.wants_changes:
            self._outbox.prefer_changes(connection)
        self._outbox.join(connection, EVERYBODY)
        self._outbox.join(connection, player_room(player.name))
        self._outbox.tell(connection, "welcome", self.welcome(player, login.guest_key))
        self._outbox.tell(connection, "lobby", self._lobby.view())

    def player_renamed(self, former: str, player: wire.Player) -> None:
        """The player's connections go on under the new name, and are welcomed by it."""
        for connection in self._outbox.members(player_room(former)):
            self._outbox.leave(connection, player_room(former))
            self._outbox.join(connection, player_room(player.name))
            self._outbox.tell(connection, "welcome", self.welcome(player))

    def gone(self, connection: str) -> None:
        self._outbox.drop(connection)

    def welcome(self, player: wire.Player, guest_key: str | None = None) -> wire.Welcome:
        """All that concerns a player."""
        return wire.Welcome(
            you=player,
            guest_key=guest_key,
            server=SOFTWARE,
            server_time=self._time.wall(),
            games=self._games.of_player(player.name),
            challenges=self._challenges.of_player(player.name),
            tournaments=self._tournaments.of_player(player),
            may_host=self._tournaments.is_host(player),
        )
