"""The bot daemon: identities on servers, the games that they play, and what they promised."""
