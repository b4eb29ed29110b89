"""Our own arena as a platform: its settings, the connection to it, and its messages as facts."""
