"""What goes on in the arena: games, challenges, the lobby, who is here."""
