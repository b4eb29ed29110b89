"""Bots on HeXO-Arena: the platform, its stand-in, and the rehearsal on it."""
