"""Ratings of players: computed, stored, and shown in profiles and leaderboards."""
