"""The services of the arena: games, challenges, tournaments, the lobby and presence."""
