"""The arena: the Socket.IO game server on which bots and people meet."""
