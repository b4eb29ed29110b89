"""Abstract Play as a platform: signed calls from it, its public queries, and moves to it."""
