"""Players: accounts, names, guests and tokens, and who is connected."""
