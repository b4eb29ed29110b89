"""Several processes of one arena: ownership of games, requests and events between processes."""
