"""Abstract Play as a platform: its signed calls, its public queries, and moves to it."""
