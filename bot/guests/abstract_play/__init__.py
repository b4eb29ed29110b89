"""Bots on Abstract Play: the platform, its stand-in, and the rehearsal on it."""
