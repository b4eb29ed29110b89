"""Server protocols, one folder each. A platform passes plain facts to the daemon."""
