"""Records of finished games: searches, downloads, and the deletion of aborted games."""
