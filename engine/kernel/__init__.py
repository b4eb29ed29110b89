"""The interface of games to the search: compiled functions on board and state records."""
