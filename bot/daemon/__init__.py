"""The bot daemon: identities on servers, their games, and their accepted challenges."""
