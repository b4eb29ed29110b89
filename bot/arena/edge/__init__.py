"""The edge of the arena: connections, logins and requests."""
