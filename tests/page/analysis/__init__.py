"""The analysis board's scripts, compared with what the server does."""
